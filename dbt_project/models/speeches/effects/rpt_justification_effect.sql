{% set missing = {
    'score': 'no item has a score under both prompts',
    'unparsed_share': 'no item was answered under both prompts',
    'tokens_out': 'no item has its tokens recorded under both prompts',
    'cost_usd': 'no item has its cost recorded under both prompts',
} %}
with

pairs as (select * from {{ ref('int_prompt_pairs') }}),

items as (select * from {{ ref('int_prompt_items') }}),

thresholds as (select unnest({{ var('min_shared_items') }}) as min_shared_items),

human_means as (select dataset_id, dimension, item_id from {{ ref('int_human_means') }}),

-- What the agreement with people rests on.
rated as (
    select
        items.prompt_pair_id,
        count(*) as n_items,
        sum(items.n_answers_plain)::bigint as n_answers_plain,
        sum(items.n_answers_justified)::bigint as n_answers_justified
    from items
    inner join pairs using (prompt_pair_id)
    inner join human_means using (dataset_id, dimension, item_id)
    where items.is_scored_by_both
    group by all
),

asked as (
    select dataset_id, dimension, judge_id, template, count(distinct item_id) as n_items
    from {{ ref('int_answers_pooled') }}
    group by all
),

asked_both as (select prompt_pair_id, count(*) as n_items from items group by all),

-- Bounds take each prompt on all it was asked about, so both must have been asked about the same.
alike as (
    select pairs.prompt_pair_id
    from pairs
    inner join asked_both using (prompt_pair_id)
    inner join asked as plain
        on
            pairs.dataset_id = plain.dataset_id and pairs.dimension = plain.dimension
            and pairs.judge_id = plain.judge_id and pairs.template_plain = plain.template
    inner join asked as justified
        on
            pairs.dataset_id = justified.dataset_id and pairs.dimension = justified.dimension
            and pairs.judge_id = justified.judge_id
            and pairs.template_justified = justified.template
    where plain.n_items = asked_both.n_items and justified.n_items = asked_both.n_items
),

ruled as (
    select
        dataset_id, dimension, judge_id, template, failure_rule, 'kappa' as measure,
        min_shared_items, mean_kappa as agreement
    from {{ ref('int_kappas') }}
    union all
    select
        dataset_id, dimension, judge_id, template, failure_rule, 'tau_c', null, tau_c
    from {{ ref('int_rank_estimates') }}
    where role = 'pooled'
),

extremes as (
    select
        * exclude (failure_rule, agreement),
        coalesce(
            max(agreement) filter (failure_rule = {{ nearest() }}),
            max(agreement) filter (failure_rule = {{ excluded() }})
        ) as best,
        coalesce(
            max(agreement) filter (failure_rule = {{ farthest() }}),
            max(agreement) filter (failure_rule = {{ excluded() }})
        ) as worst,
        bool_or(failure_rule = {{ nearest() }}) as has_failures
    from ruled
    group by all
),

bounds as (
    select
        pairs.prompt_pair_id,
        plain.measure,
        plain.min_shared_items,
        justified.worst - plain.best as low,
        justified.best - plain.worst as high
    from pairs
    inner join alike using (prompt_pair_id)
    inner join extremes as plain
        on
            pairs.dataset_id = plain.dataset_id and pairs.dimension = plain.dimension
            and pairs.judge_id = plain.judge_id and pairs.template_plain = plain.template
    inner join extremes as justified
        on
            pairs.dataset_id = justified.dataset_id and pairs.dimension = justified.dimension
            and pairs.judge_id = justified.judge_id
            and pairs.template_justified = justified.template
            and plain.measure = justified.measure
            and plain.min_shared_items is not distinct from justified.min_shared_items
    where plain.has_failures or justified.has_failures
),

kappas as (
    select
        pairs.prompt_pair_id,
        'kappa' as measure,
        'annotators' as unit,
        thresholds.min_shared_items::bigint as min_shared_items,
        kappas.plain,
        kappas.justified,
        kappas.difference_low as low,
        kappas.difference_high as high,
        {{ or_zero(['n_units', 'comparison_count', 'undefined_count'], of='kappas') }},
        case
            when kappas.prompt_pair_id is null
                then
                    'no two annotators share ' || thresholds.min_shared_items
                    || ' items scored under both prompts'
            when kappas.plain is null then 'no comparison is defined under both prompts'
            {{ when_too_few('kappas.n_units', 'annotators') }}
            when kappas.difference_low is null then 'no draw of annotators changes the difference'
        end as reason
    from pairs
    cross join thresholds
    left join {{ ref('int_prompt_kappas_resampled') }} as kappas
        using (prompt_pair_id, min_shared_items)
),

taus as (
    select
        pairs.prompt_pair_id,
        'tau_c' as measure,
        'topics' as unit,
        null::bigint as min_shared_items,
        taus.plain,
        taus.justified,
        taus.justified - taus.plain - taus.half_width as low,
        taus.justified - taus.plain + taus.half_width as high,
        coalesce(taus.n_units, 0) as n_units,
        0 as comparison_count,
        0 as undefined_count,
        case
            when taus.prompt_pair_id is null
                then 'no item has a human rating and a score under both prompts'
            when taus.plain is null or taus.justified is null
                then 'one side has the same value on every item'
            {{ when_too_few('taus.n_units', 'topics') }}
            when taus.half_width is null then 'no topic changes the difference'
        end as reason
    from pairs
    left join {{ ref('int_prompt_taus') }} as taus using (prompt_pair_id)
),

measured as (
    select * from kappas
    union all
    select * from taus
),

agreements as (
    select
        agreed.*,
        {{ or_zero(['n_items', 'n_answers_plain', 'n_answers_justified'], of='rated') }},
        null::double as ratio,
        null::double as ratio_half_width
    from measured as agreed
    left join rated using (prompt_pair_id)
),

measures as (
    select
        unnest({{ missing.keys() | list }}) as measure, unnest({{ missing.values() | list }}) as why
),

means as (
    select
        pairs.prompt_pair_id,
        measures.measure,
        'topics' as unit,
        null::bigint as min_shared_items,
        means.plain,
        means.justified,
        case
            when measures.measure = 'unparsed_share'
                then {{ clip('means.difference - means.half_width', '-1.0', '1.0') }}
            else means.difference - means.half_width
        end as low,
        case
            when measures.measure = 'unparsed_share'
                then {{ clip('means.difference + means.half_width', '-1.0', '1.0') }}
            else means.difference + means.half_width
        end as high,
        coalesce(means.n_units, 0) as n_units,
        0 as comparison_count,
        0 as undefined_count,
        case
            when means.n_items is null then measures.why
            {{ when_too_few('means.n_units', 'topics') }}
            when measures.measure = 'cost_usd' and means.plain = 0 and means.justified = 0
                then 'neither prompt costs anything'
            when means.half_width is null then 'every topic differs alike'
        end as reason,
        {{ or_zero(['n_items', 'n_answers_plain', 'n_answers_justified'], of='means') }},
        case when measures.measure in ('tokens_out', 'cost_usd') then means.ratio end as ratio,
        means.ratio_half_width
    from pairs
    cross join measures
    left join {{ ref('int_prompt_means') }} as means using (prompt_pair_id, measure)
),

effects as (
    select * from agreements
    union all by name
    select * from means
)

select
    pairs.* exclude (prompt_pair_id),
    effects.* exclude (prompt_pair_id, plain, justified, low, high, ratio_half_width),
    effects.plain as plain_value,
    effects.justified as justified_value,
    effects.justified - effects.plain as difference,
    effects.low as difference_low,
    effects.high as difference_high,
    case when effects.plain + effects.justified is not null then bounds.low end
        as difference_failures_low,
    case when effects.plain + effects.justified is not null then bounds.high end
        as difference_failures_high,
    {{ clip('effects.ratio - effects.ratio_half_width', '0.0', 'effects.ratio') }} as ratio_low,
    effects.ratio + effects.ratio_half_width as ratio_high
from effects
inner join pairs using (prompt_pair_id)
left join bounds
    on
        effects.prompt_pair_id = bounds.prompt_pair_id
        and effects.measure = bounds.measure
        and effects.min_shared_items is not distinct from bounds.min_shared_items
