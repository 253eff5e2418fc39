{% set parts = ['judged', 'honest', 'dishonest'] %}
{% set of_part = {'judged': 'true', 'honest': 'is_honest', 'dishonest': 'not is_honest'} %}
with

units as (
    select *, {{ units_in_any_order() }} as asked_count
    from {{ ref('int_oversight_units') }}
    where probe = 'none'
),

arms as (
    select
        arm_id,
        variant_id,
        {{ oversight_keys() | join(', ') }},
        bool_or(is_pooled) as is_pooled,
        {{ is_main_arm() }} as is_main_order,
        bool_and(is_headline) as is_headline,
        any_value(asked_count) - count(*) as other_order_count,
        count(right_score) as n_units,
        count(distinct cluster_id) filter (where right_score is not null) as n_clusters,
        count(distinct unit_judge_id) filter (where right_score is not null) as n_judges,
        coalesce(sum(n_answers) filter (where right_score is not null), 0)::bigint as n_answers,
        sum(failed_count)::bigint as failed_count,
        coalesce(sum(n_answers) filter (where right_answer is null), 0)::bigint as withheld_count,
        coalesce(sum(n_answers) filter (where is_shared_room), 0)::bigint as shared_room_count,
        coalesce(sum(tie_count) filter (where right_score is not null), 0)::bigint as tie_count,
        avg(p_right) as mean_p_judged,
        avg(p_right) filter (where is_honest) as mean_p_honest,
        avg(p_right) filter (where not is_honest) as mean_p_dishonest,
        {% for part in parts %}
            count(right_score) filter (where {{ of_part[part] }}) as n_{{ part }},
            count(distinct cluster_id) filter (
                where right_score is not null and {{ of_part[part] }}
            )
                as {{ part }}_clusters,
            least({{ part }}_clusters, case
                when any_value(is_pooled)
                    then
                        count(distinct unit_judge_id)
                        filter (where right_score is not null and {{ of_part[part] }})
                else {{ part }}_clusters
            end) as {{ part }}_drawn,
            avg(right_score) filter (where {{ of_part[part] }}) as {{ part }}_accuracy,
            avg(coalesce(right_score, 0) * n_answers / (n_answers + failed_count))
            filter (where right_answer is not null and {{ of_part[part] }}) as {{ part }}_worst,
            avg((coalesce(right_score, 0) * n_answers + failed_count) / (n_answers + failed_count))
            filter (where right_answer is not null and {{ of_part[part] }}) as {{ part }}_best,
        {% endfor %}
    from units
    group by arm_id, variant_id, {{ oversight_keys() | join(', ') }}
),

cells as (
    select
        arm_id,
        dense_rank() over (partition by arm_id order by cluster_id) as story,
        dense_rank() over (partition by arm_id order by unit_judge_id) as judge,
        {% for part in parts %}
            coalesce(sum(right_score) filter (where {{ of_part[part] }}), 0.0) as {{ part }}_sum,
            count(*) filter (where {{ of_part[part] }})::double as {{ part }}_count,
        {% endfor %}
    from units
    where right_score is not null
    group by arm_id, cluster_id, unit_judge_id
),

listed as (
    select
        arm_id,
        list(story order by story, judge) as stories,
        list(judge order by story, judge) as judges,
        {% for part in parts %}
            list({{ part }}_sum order by story, judge) as {{ part }}_sums,
            list({{ part }}_count order by story, judge) as {{ part }}_counts,
        {% endfor %}
    from cells
    group by arm_id
),

drawn as (
    select
        arm_id,
        {% for part in parts %}
            {{ oversight_replicates(part ~ '_sums', part ~ '_counts') }} as {{ part }}_draws,
        {% endfor %}
    from listed
),

resampled as (
    select
        arms.*,
        judged_draws,
        honest_draws,
        dishonest_draws,
        -- What is drawn least of: stories, and people where they are drawn, of either kind of
        -- consultant.
        case
            when protocol = 'consultancy' then least(honest_drawn, dishonest_drawn) else
                judged_drawn
        end as drawn_count,
        case
            when protocol = 'consultancy' then (honest_accuracy + dishonest_accuracy) / 2
            else judged_accuracy
        end as accuracy,
        case
            when protocol = 'consultancy'
                then list_transform(
                    range(1, len(honest_draws) + 1),
                    lambda i: (honest_draws[i] + dishonest_draws[i]) / 2
                )
            else judged_draws
        end as draws
    from arms
    left join drawn using (arm_id)
)

select
    {{ oversight_keys() | join(', ') }},
    variant_id,
    is_pooled,
    is_main_order,
    is_headline and is_main_order as is_headline,
    n_units,
    n_clusters,
    n_judges,
    n_answers,
    failed_count,
    withheld_count,
    shared_room_count,
    tie_count,
    other_order_count,
    accuracy,
    {{ oversight_share_bound('accuracy', 'draws', 'drawn_count', -1) }} as accuracy_low,
    {{ oversight_share_bound('accuracy', 'draws', 'drawn_count', 1) }} as accuracy_high,
    case
        when protocol = 'consultancy' then (honest_worst + dishonest_worst) / 2 else judged_worst
    end as accuracy_if_worst,
    case
        when protocol = 'consultancy' then (honest_best + dishonest_best) / 2 else judged_best
    end as accuracy_if_best,
    case
        when protocol = 'consultancy' then (mean_p_honest + mean_p_dishonest) / 2
        else mean_p_judged
    end as mean_p_right,
    {% for part in parts[1:] %}
        n_{{ part }},
        {{ part }}_accuracy,
        {{ oversight_share_bound(part ~ '_accuracy', part ~ '_draws', part ~ '_drawn', -1) }}
            as {{ part }}_low,
        {{ oversight_share_bound(part ~ '_accuracy', part ~ '_draws', part ~ '_drawn', 1) }}
            as {{ part }}_high,
    {% endfor %}
    coalesce(gaps.gap_n_units, 0) as gap_n_units,
    gaps.* exclude (arm_id, gap_n_units, gap_reason),
    case
        when protocol in ('naive', 'expert') then 'an end of the gap itself'
        when gaps.arm_id is null then 'no readable judgement of a known answer'
        else gaps.gap_reason
    end as gap_reason,
    case
        when n_units = 0 and withheld_count > 0 then 'the right answers are withheld'
        when n_units = 0 then 'no readable judgement of a known answer'
        when accuracy is null and n_honest = 0 then 'only dishonest consultants were judged'
        when accuracy is null then 'only honest consultants were judged'
        {{ when_too_few('drawn_count', 'stories or people') }}
    end as reason
from resampled
left join {{ ref('int_oversight_gaps') }} as gaps using (arm_id)
