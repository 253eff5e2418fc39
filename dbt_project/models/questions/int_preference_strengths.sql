with

contests as (select * from {{ ref('int_preference_contests') }}),

sides as (
    select
        scope, dataset_id, annotator_id, ranking_id, contestant_a as contestant_id, share_a as won
    from contests
    union all
    select
        scope,
        dataset_id,
        annotator_id,
        ranking_id,
        contestant_b as contestant_id,
        1 - share_a as won
    from contests
),

wins as (
    select
        scope,
        dataset_id,
        annotator_id,
        ranking_id,
        contestant_id,
        sum(won) / count(*) as strength
    from sides
    group by scope, dataset_id, annotator_id, ranking_id, contestant_id
)

select 'wins' as ranking_method, * from wins
union all
select
    'bradley_terry' as ranking_method, scope, dataset_id, annotator_id, ranking_id, contestant_id,
    round(bradley_terry, 9) as strength
from {{ ref('int_preferences_fitted') }}
union all
select
    'elo' as ranking_method, scope, dataset_id, annotator_id, ranking_id, contestant_id,
    round(elo, 6) as strength
from {{ ref('int_preferences_fitted') }}
