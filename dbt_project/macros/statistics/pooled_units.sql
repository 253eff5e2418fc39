{#
What each way of asking says of each debate before it is pooled: a share and a vote for Con; what position
or labels change in them; and of each motion that was argued both ways, Pro's lead.
#}
{% macro said_of_units() -%}
    select
        'verdict' as kind, group_id, arm_id, unit_key, cluster_key, share, vote, parsed_count
    from {{ ref('int_bias_verdicts') }}
    where {{ in_part('group_id') }}
    union all
    select
        pairs.bias, said.group_id, arm_id, unit_key, cluster_key, share, vote, parsed_count
    from {{ ref('int_bias_contrasts') }} as said
    inner join {{ ref('int_bias_pairs') }} as pairs on said.arm_id = pairs.contrast_id
    where {{ in_part('said.group_id') }}
    union all
    select
        'side', group_id, setting_id, motion_key, motion_key, pro_lead, null, parsed_count
    from {{ ref('int_side_units') }}
    inner join {{ ref('int_bias_arms') }} using (setting_id)
    where pro_lead is not null and {{ in_part('group_id') }}
{%- endmacro %}

{#
What pooled tests are made of: each debate (motion) once per judge's group, with the mean over the ways
of asking that count alike (arm_id null), and each way of asking as far as it departs from that mean.
Not a table: departures of millions of verdicts are worked out faster than they are written and read.

    of_kind: which kinds of contrast, as a condition
#}
{% macro pooled_units(of_kind) -%}
    {#- On each table by itself: DuckDB does not take it through a join. -#}
    {%- set chosen = of_kind ~ ' and ' ~ in_part('group_id') -%}
    select
        kind, group_id, null::bigint as arm_id, unit_key, cluster_key, share, vote, is_split,
        parsed_count
    from {{ ref('int_bias_means') }}
    where {{ chosen }}
    union all
    select
        said.kind,
        said.group_id,
        said.arm_id,
        said.unit_key,
        said.cluster_key,
        said.share - means.share,
        said.vote - means.vote,
        means.is_split,
        said.parsed_count
    from (
        select * from (
            {{ said_of_units() }}
        ) as of_all
        where {{ of_kind }}
    ) as said
    inner join (
        select kind, group_id, unit_key, share, vote, is_split
        from {{ ref('int_bias_means') }}
        where {{ chosen }} and arm_count > 1
    ) as means using (kind, group_id, unit_key)
{%- endmacro %}

{# The pooled verdicts, beside who won by people, which side closed and how long the sides spoke. #}
{% macro pooled_verdicts() -%}
    select
        pooled.*,
        -- People cancel in departures from the mean.
        case when pooled.arm_id is null then debates.human else 0 end as baseline,
        debates.human,
        debates.end_side,
        debates.doublings
    from (
        {{ pooled_units("kind = 'verdict'") }}
    ) as pooled
    inner join (
        select
            debate_key,
            case human_winner when 'con' then 1.0 when 'pro' then 0.0 end as human,
            end_side,
            log2_length_ratio as doublings
        from {{ ref('int_debates_judged') }}
    ) as debates on pooled.unit_key = debates.debate_key
{%- endmacro %}
