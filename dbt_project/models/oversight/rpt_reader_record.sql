{#
How near readers of the dashboard come to the data set's own people. For winners of debates the value
is the probability of pro and people's 1 or 0, so the mean square is the Brier score; a debate whose
people are split has no value to be compared with. Of stories only the judgements are counted: their
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

clusters as (
    select
        judge_id,
        task,
        dimension,
        cluster_id,
        count(*) as n,
        sum(difference) as differences,
        sum(abs(difference)) as absolute_differences,
        sum(difference ^ 2) as squared_differences
    from compared
    group by all
),

measured as (
    select
        judge_id,
        task,
        dimension,
        sum(n)::bigint as n_compared,
        count(*) as n_units,
        sum(differences) / sum(n) as mean_difference,
        {{ half_width_over_clusters('differences', 'n') }} as half_width,
        sum(absolute_differences) / sum(n) as mean_absolute_difference,
        sum(squared_differences) / sum(n) as mean_squared_difference
    from clusters
    group by all
)

select
    counts.*,
    coalesce(measured.n_compared, 0) as n_compared,
    coalesce(measured.n_units, 0) as n_units,
    measured.mean_difference,
    {{ ends('measured.mean_difference', 'measured.half_width') }},
    measured.mean_absolute_difference,
    measured.mean_squared_difference
from counts
left join measured
    on
        counts.judge_id = measured.judge_id and counts.task = measured.task
        and counts.dimension is not distinct from measured.dimension
