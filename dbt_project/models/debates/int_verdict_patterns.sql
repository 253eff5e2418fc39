{#
Verdict units as patterns: what a cluster of debates adds to every sum that accuracy, confusion, order
and stance are made of, and how many clusters add exactly that. A thousand debates have a few dozen
patterns, so leaving out each cluster in turn costs as little as leaving out each pattern.

Debates that are their own cluster become patterns directly; only clusters of several debates (twins)
are summed up first.
#}
{%- set sides = ['pro', 'con'] -%}
{%- set answers = ['pro', 'con', 'tie', 'unparsed', 'unanswered'] -%}
{%- set cells = ['n_human_pro', 'n_human_con', 'con_share_human_pro', 'con_share_human_con'] -%}
{%- for human in ['pro', 'con', 'unknown'] -%}
    {%- for closes in sides -%}
        {%- for predicted in sides -%}
            {%- do cells.append('human_' ~ human ~ '_' ~ closes ~ '_closes_pred_' ~ predicted) -%}
        {%- endfor -%}
    {%- endfor -%}
{%- endfor -%}
{%- for human in sides -%}
    {%- for answer in answers -%}
        {%- do cells.append('human_' ~ human ~ '_answered_' ~ answer) -%}
    {%- endfor -%}
{%- endfor -%}
{%- set sums = [
    'n_asked', 'right_of_asked', 'failed_of_asked', 'n_human_pro_pred_con', 'n_human_con_pred_pro',
    'split_human', 'split_closes', 'answers_closes'
] -%}
{%- for human in sides -%}
    {%- for answer in answers -%}
        {%- do sums.append('units_' ~ human ~ '_' ~ answer) -%}
    {%- endfor -%}
{%- endfor %}
with

shared_clusters as (
    select cluster_key
    from {{ ref('int_debates_judged') }}
    group by cluster_key
    having count(*) > 1
),

units as (
    select
        setting_id,
        round_count,
        case when cluster_key in (select cluster_key from shared_clusters) then cluster_key end
            as shared_cluster,
        case human_is_con when true then 'con' when false then 'pro' else 'unknown' end as human,
        case con_closes when true then 'con' when false then 'pro' end as closes,
        con_share,
        parsed_count,
        tie_count as tie,
        unparsed_count as unparsed,
        unanswered_count as unanswered
    from {{ ref('int_verdict_units') }}
),

-- Like units, once and with their number.
kinds as (select *, count(*) as n_alike from units group by all),

counted as (
    select
        *,
        coalesce(con_share * parsed_count - tie / 2.0, 0)::bigint as con,
        parsed_count - tie - coalesce(con_share * parsed_count - tie / 2.0, 0)::bigint as pro,
        case when con_share > 0.5 then 'con' when con_share < 0.5 then 'pro' end as predicted,
        case human when 'con' then con_share when 'pro' then 1 - con_share end as right_share,
        parsed_count + unparsed + unanswered as answer_count,
        case when shared_cluster is null then 1 else n_alike end as n_each,
        case when shared_cluster is null then n_alike else 1 end as n_clusters
    from kinds
),

additions as (
    select
        setting_id,
        round_count,
        shared_cluster,
        n_clusters,
        {% for human in sides %}
            case when human = '{{ human }}' and parsed_count > 0 then n_each else 0 end
                as n_human_{{ human }},
            case when human = '{{ human }}' and parsed_count > 0 then n_each * con_share else 0 end
                as con_share_human_{{ human }},
            {% for answer in answers %}
                case when human = '{{ human }}' then n_each * {{ answer }} else 0 end
                    as human_{{ human }}_answered_{{ answer }},
                case when human = '{{ human }}' and {{ answer }} > 0 then n_each else 0 end
                    as units_{{ human }}_{{ answer }},
            {% endfor %}
        {% endfor %}
        {% for human in ['pro', 'con', 'unknown'] %}
            {% for closes in sides %}
                {% for predicted in sides %}
                    case
                        when
                            human = '{{ human }}'
                            and closes = '{{ closes }}'
                            and predicted = '{{ predicted }}'
                            then n_each
                        else 0
                    end as human_{{ human }}_{{ closes }}_closes_pred_{{ predicted }},
                {% endfor %}
            {% endfor %}
        {% endfor %}
        case when human != 'unknown' then n_each else 0 end as n_asked,
        coalesce(n_each * right_share * parsed_count / answer_count, 0) as right_of_asked,
        case when human != 'unknown' then n_each * (unparsed + unanswered) / answer_count else 0 end
            as failed_of_asked,
        case when human = 'pro' and predicted = 'con' then n_each else 0 end
            as n_human_pro_pred_con,
        case when human = 'con' and predicted = 'pro' then n_each else 0 end
            as n_human_con_pred_pro,
        case when human != 'unknown' and con_share = 0.5 then n_each else 0 end as split_human,
        case when closes is not null and con_share = 0.5 then n_each else 0 end as split_closes,
        case when closes is not null then n_each * parsed_count else 0 end as answers_closes
    from counted
),

clusters as (
    select
        setting_id,
        grouping(round_count) = 1 as is_all_rounds,
        round_count,
        1 as n_clusters,
    {% for cell in cells + sums %}
        sum({{ cell }}) as {{ cell }}{{ ',' if not loop.last }}
    {% endfor %}
    from additions
    where shared_cluster is not null
    group by grouping sets ((setting_id, shared_cluster, round_count), (setting_id, shared_cluster))
    union all by name
    select * exclude (shared_cluster), false as is_all_rounds
    from additions
    where shared_cluster is null
    union all by name
    select * exclude (shared_cluster, round_count), true as is_all_rounds, null as round_count
    from additions
    where shared_cluster is null
)

select
    setting_id,
    is_all_rounds,
    round_count,
    sum(n_clusters)::bigint as n_clusters,
    sum(n_clusters * (n_human_pro_pred_con - n_human_con_pred_pro) ^ 2)::bigint
        as discordance_squares,
    coalesce(sum(n_clusters) filter (where n_human_pro_pred_con > n_human_con_pred_pro), 0)::bigint
        as clusters_predicted_con,
    coalesce(sum(n_clusters) filter (where n_human_pro_pred_con < n_human_con_pred_pro), 0)::bigint
        as clusters_human_con,
    {% for cell in cells %}
        {{ cell }}{{ '::bigint as ' ~ cell if not cell.startswith('con_share') }},
    {% endfor %}
{% for each in sums %}
    sum(n_clusters * {{ each }}){{ '::bigint' if '_of_' not in each }}
        as {{ each }}{{ ',' if not loop.last }}
{% endfor %}
from clusters
where is_all_rounds or round_count is not null
group by setting_id, is_all_rounds, round_count, {{ cells | join(', ') }}
