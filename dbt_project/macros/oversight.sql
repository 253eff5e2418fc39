{# What the models of debate as oversight share. #}

{#
The judge's own model against itself is one debater; another opponent makes two, in a fixed order.
#}
{% macro debater_of(relation) -%}
    case
        when {{ relation }}.protocol = 'consultancy'
            or coalesce({{ relation }}.opponent_id, 'self') in ('self', {{ relation }}.judge_id)
            then {{ relation }}.judge_id
        else least({{ relation }}.judge_id, {{ relation }}.opponent_id) || ' and '
            || greatest({{ relation }}.judge_id, {{ relation }}.opponent_id)
    end
{%- endmacro %}

{# Who of two models argues for an answer; nobody does for a consultant's other one. #}
{% macro debater_seated(relation, answer) -%}
    case
        when {{ relation }}.argued_answer = {{ answer }}
            or {{ relation }}.protocol = 'debate' and {{ relation }}.opponent_id in ('self', {{ relation }}.judge_id)
            then {{ relation }}.judge_id
        when {{ relation }}.protocol = 'debate' then {{ relation }}.opponent_id
    end
{%- endmacro %}

{# How debaters were asked, as text; what is told apart here is never pooled. #}
{% macro debate_setting(relation) -%}
    concat_ws(
        ', ',
        {{ relation }}.template,
        {{ relation }}.turn_order,
        {{ relation }}.round_count || ' rounds',
        {{ relation }}.word_limit || ' words',
        case when {{ relation }}.best_of > 1 then 'best of ' || {{ relation }}.best_of end,
        case when {{ relation }}.best_of > 1 then 'chosen by ' || {{ relation }}.preference_judge_id end,
        case when {{ relation }}.refine_count > 0 then 'refined ' || {{ relation }}.refine_count end,
        'asked by ' || {{ relation }}.asker_id
    )
{%- endmacro %}

{# Who judged what, how: the columns that tell rows of the reports apart. #}
{% macro oversight_keys(without=[]) -%}
    {{ return([
        'judge_id', 'dataset_id', 'protocol', 'debater', 'debater_kind', 'debate_setting',
        'is_interactive', 'mode', 'template', 'asked_for', 'answer_order', 'selection'
    ] | reject('in', without) | list) }}
{%- endmacro %}

{#
Of the arms of one judge that differ by the order of the answers alone, one stands for the judge: both
orders where any unit was asked in both, else the order with the most units. For a select grouped by arm.
#}
{% macro is_main_arm() -%}
    row_number() over (
        partition by {{ oversight_keys(['answer_order']) | join(', ') }}
        order by bool_and(is_main_order) desc, answer_order = 'both' desc, count(*) desc, answer_order
    ) = 1
{%- endmacro %}

{# Units of a judge in whatever order they were asked, for units of a select without probes. #}
{% macro units_in_any_order() -%}
    count(distinct unit_judge_id || chr(10) || unit_id) over (
        partition by {{ oversight_keys(['answer_order']) | join(', ') }}
    )
{%- endmacro %}

{# One end of a percentile interval from a list of replicates; null with too few clusters. #}
{% macro list_bound(replicates, probability, n_clusters) -%}
    case
        when {{ n_clusters }} >= {{ var('min_units_for_interval') }}
            then list_aggregate({{ replicates }}, 'quantile_cont', {{ probability }})
    end
{%- endmacro %}

{#
Replicates of a ratio of sums over cells, stories drawn, and judges too where several are pooled.
#}
{% macro oversight_replicates(sums, counts) -%}
    resampled_ratios(
        {{ var('bootstrap_seed') }}, {{ var('bootstrap_replicates') }}, stories, judges,
        {{ sums }}, {{ counts }}
    )
{%- endmacro %}

{#
One end of the 95 % interval of a share: of the bootstrap, or where all judgements are alike and it would
claim to know everything, Wilson's with every story as one observation.
#}
{% macro oversight_share_bound(share, replicates, n_clusters, sign) -%}
    case
        when {{ share }} in (0, 1) then {{ clustered_share_bound(share, '0', n_clusters, sign) }}
        else {{ list_bound(replicates, '0.025' if sign < 0 else '0.975', n_clusters) }}
    end
{%- endmacro %}

{# Which judgements make up a part of the gap that a protocol closes. #}
{% macro gap_part(part) -%}
    {%- if part in ['honest', 'dishonest'] -%}
        side = 'judged' and is_honest = {{ 'true' if part == 'honest' else 'false' }}
    {%- else -%}
        side = '{{ part }}'
    {%- endif -%}
{%- endmacro %}

{# Whether who judged a room of people offline is the one model that did. #}
{% macro is_model_among_people(judge_id) %}{{ judge_id }} like '%:GPT-4'{% endmacro %}

{#
Judgements in the rows of everybody who is reported on: each judge's own, all people a second time as one
judge, and a third with only the rooms of the paper's analysis. A tournament's transcripts are for ratings.

Args:
    condition: which judgements.
#}
{% macro judgements_of_everybody(condition) -%}
    with

    judgements as (
        select
            *,
            'all' as selection,
            judge_id as unit_judge_id,
            coalesce(transcript_id, question_id) as unit_id
        from {{ ref('int_oversight_judgements') }}
        where tournament is null and {{ condition }}
    ),

    pooled as (
        select * replace ({{ human() }} as judge_id)
        from judgements
        where is_human
    ),

    in_paper as (
        select * replace ('paper' as selection)
        from pooled
        where is_in_paper
    )

    select * from judgements
    union all
    select * from pooled
    union all
    select * from in_paper
{%- endmacro %}

{# Ways to choose some of several, exact while they fit a double. #}
{% macro choices(several, some) -%}
    round(exp(
        lgamma({{ several }} + 1.0) - lgamma({{ some }} + 1.0) - lgamma({{ several }} - {{ some }} + 1.0)
    ))
{%- endmacro %}
