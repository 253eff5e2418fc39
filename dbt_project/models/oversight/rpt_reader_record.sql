{#
How near readers of the dashboard come to the data set's own people. For winners of debates the value
is the probability of pro and people's 1 or 0, so the mean square is the Brier score; a debate whose
people are split has no value to be held against. Of stories only the judgements are counted: their
truth is no opinion, and stands in rpt_calibration. What was read in another wording is left out there
as here, and counted.
#}
with

judgements as (
    select *, value - people_value as difference
    from {{ ref('fct_reader_judgement') }}
),

compared as (select * from judgements where difference is not null and not is_stale),

counts as (
    select
        judge_id,
        person,
        task,
        dataset_id,
        dimension,
        count(*) as n_items,
        count(*) filter (where is_stale) as stale_count
    from judgements
    group by all
),

means as (
    select
        judge_id,
        task,
        dimension,
        count(*) as n_compared,
        count(distinct cluster_id) as n_units,
        avg(difference) as mean_difference,
        avg(abs(difference)) as mean_absolute_difference,
        avg(difference ^ 2) as mean_squared_difference
    from compared
    group by all
),

clusters as (
    select
        judge_id,
        task,
        dimension,
        cluster_id,
        sum(difference) as cluster_sum,
        count(*) as cluster_count
    from compared
    group by all
),

variances as (
    select
        clusters.judge_id,
        clusters.task,
        clusters.dimension,
        {{ clustered_variance(
            'cluster_sum', 'cluster_count', 'mean_difference', 'n_compared', 'n_units'
        ) }} as variance
    from clusters
    inner join means
        on
            clusters.judge_id = means.judge_id and clusters.task = means.task
            and clusters.dimension is not distinct from means.dimension
    group by all
),

measured as (
    select means.*, {{ clustered_half_width('variances.variance', 'means.n_units') }} as half_width
    from means
    inner join variances
        on
            means.judge_id = variances.judge_id and means.task = variances.task
            and means.dimension is not distinct from variances.dimension
)

select
    counts.*,
    coalesce(measured.n_compared, 0) as n_compared,
    coalesce(measured.n_units, 0) as n_units,
    measured.mean_difference,
    measured.mean_difference - measured.half_width as mean_difference_low,
    measured.mean_difference + measured.half_width as mean_difference_high,
    measured.mean_absolute_difference,
    measured.mean_squared_difference
from counts
left join measured
    on
        counts.judge_id = measured.judge_id and counts.task = measured.task
        and counts.dimension is not distinct from measured.dimension
