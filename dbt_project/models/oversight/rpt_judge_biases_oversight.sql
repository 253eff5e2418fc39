{% set keys = oversight_keys(['answer_order', 'selection', 'mode']) %}
with

units as (
    select {{ key_of(keys) }} as group_id, *
    from {{ ref('int_oversight_units') }}
    where source = 'model' and lean is not null
),

words as (
    select transcript_id, word_count_0, word_count_1
    from {{ ref('dim_oversight_transcript') }}
    where word_count_0 > 0 and word_count_1 > 0
),

-- As in the contrast of two runs of the same judge: the same transcript, nothing else differs.
orders as (
    select
        one.group_id,
        'position' as effect,
        one.cluster_id,
        one.n_answers + other.n_answers as n_answers,
        one.lean - other.lean as above,
        1.0 as below,
        sign(one.lean - 0.5) != sign(other.lean - 0.5) as is_flip
    from units as one
    inner join units as other using (group_id, unit_id, probe)
    where one.probe = 'none' and one.answer_order = '01' and other.answer_order = '10'
),

-- What the side that was changed gains by it. A unit counts once, whichever orders its repeats were
-- asked in.
probes as (
    select
        probed.group_id,
        probed.probe as effect,
        any_value(probed.cluster_id) as cluster_id,
        sum(probed.n_answers + plain.n_answers) as n_answers,
        avg(probed.lean - plain.lean) * case probed.probed_answer when 0 then 1 else -1 end
            as above,
        1.0 as below,
        sign(avg(probed.lean) - 0.5) != sign(avg(plain.lean) - 0.5) as is_flip
    from units as probed
    inner join units as plain using (group_id, unit_id, answer_order)
    where probed.probe != 'none' and probed.is_main_order and plain.probe = 'none'
    group by probed.group_id, probed.probe, probed.unit_id, probed.probed_answer
),

debated as (
    select
        group_id,
        any_value(cluster_id) as cluster_id,
        right_answer,
        sum(n_answers) as n_answers,
        avg(lean) as lean,
        any_value(ln(word_count_0 / word_count_1::double) / ln(1.1)) as ratio
    from units
    inner join words using (transcript_id)
    where
        protocol = 'debate' and probe = 'none' and is_main_order and right_answer is not null
    group by group_id, unit_id, right_answer
),

-- A slope given which answer is right: both sides of the regression less their means in either
-- case. The ratio of the words is counted in steps of 10 %.
centred as (
    select
        group_id,
        cluster_id,
        n_answers,
        lean - avg(lean) over (partition by group_id, right_answer) as lean_rest,
        ratio - avg(ratio) over (partition by group_id, right_answer) as ratio_rest
    from debated
),

lengths as (
    select
        group_id,
        'verbosity' as effect,
        cluster_id,
        n_answers,
        lean_rest * ratio_rest as above,
        ratio_rest ^ 2 as below,
        null::boolean as is_flip
    from centred
),

observed as (
    select * from orders
    union all
    select * from probes
    union all
    select * from lengths
),

-- Every estimate is a ratio of sums over stories; for the paired ones, a mean.
estimates as (
    select
        group_id,
        effect,
        case when sum(below) > 1e-12 then sum(above) / sum(below) end as estimate,
        sum(below) as below_sum,
        count(*) as n_units,
        count(distinct cluster_id) as n_clusters,
        sum(n_answers)::bigint as n_answers,
        case when effect != 'verbosity' then count(*) filter (where is_flip) end as flip_count
    from observed
    group by group_id, effect
),

residuals as (
    select
        group_id, effect, cluster_id,
        sum(above) - any_value(estimate) * sum(below) as residual
    from observed
    inner join estimates using (group_id, effect)
    group by group_id, effect, cluster_id
),

spreads as (
    select
        group_id,
        effect,
        case
            when count(*) >= {{ var('min_units_for_interval') }}
                then {{ spread(
                    "sqrt(count(*) / (count(*) - 1.0) * sum(residual ^ 2)) / any_value(below_sum)"
                ) }}
        end as standard_error
    from residuals
    inner join (select group_id, effect, below_sum from estimates) as sizes using (group_id, effect)
    group by group_id, effect
),

-- No probability changes by more than 1.
told as (
    select
        estimates.* replace (case when abs(estimate) <= 1 + 1e-9 then estimate end as estimate),
        abs(estimate) > 1 + 1e-9 as is_withheld
    from estimates
),

tested as (
    select
        told.*,
        {{ key_of(['judge_id', 'dataset_id']) }} as family_id,
        {{ keys | join(', ') }},
        standard_error,
        student_t_quantile(0.975::double, (n_clusters - 1)::double) * standard_error as half_width,
        student_t_two_sided(estimate / standard_error, (n_clusters - 1)::double) as p
    from told
    inner join spreads using (group_id, effect)
    inner join
        (select distinct group_id, {{ keys | join(', ') }} from units) as groups
        using (group_id)
),

adjusted as (
    {{ benjamini_hochberg('tested', 'family_id') }}
)

select
    {{ keys | join(', ') }},
    effect,
    case effect
        when 'position' then 'the answer shown first, shown first - shown second'
        when 'padded' then 'the side with padded turns, padded - as written'
        when 'unverified'
            then 'the side whose quotes are marked as unverified, marked so - as written'
        else 'answer 0, for 10 % more of its words over those of answer 1'
    end as contrast,
    n_units,
    n_clusters,
    n_answers,
    estimate,
    {{ clipped_ends('estimate', 'half_width', '-1.0', '1.0') }},
    flip_count,
    flip_count / n_units::double as flip_share,
    p,
    p_adjusted,
    p_adjusted <= 0.05 as is_significant,
    family_id,
    case
        when is_withheld then {{ why_beyond('probability') }}
        when estimate is null then 'lengths do not vary'
        {{ when_too_few('n_clusters', 'stories or people') }}
        when standard_error is null then 'every story is alike'
    end as reason
from adjusted
