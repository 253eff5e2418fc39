{# How much of each judge's disagreements people have looked at, and who they say is right. #}
with

disagreements as (
    select judge_id, disagreement_kind, count(*) as disagreement_count
    from {{ ref('rpt_disagreements') }}
    group by judge_id, disagreement_kind
),

reviews as (
    select
        judge_id,
        disagreement_kind,
        count(distinct disagreement_id) as reviewed_count,
        count(*) as decision_count,
        count(*) filter (where decision = 'others') as others_right_count,
        count(*) filter (where decision = 'judge') as judge_right_count,
        count(*) filter (where decision = 'both') as both_defensible_count,
        count(*) filter (where not is_current) as outdated_count
    from {{ ref('fct_review') }}
    group by judge_id, disagreement_kind
)

select
    judge_id,
    disagreement_kind,
    coalesce(disagreements.disagreement_count, 0) as disagreement_count,
    coalesce(reviews.reviewed_count, 0) as reviewed_count,
    coalesce(reviews.decision_count, 0) as decision_count,
    coalesce(reviews.others_right_count, 0) as others_right_count,
    coalesce(reviews.judge_right_count, 0) as judge_right_count,
    coalesce(reviews.both_defensible_count, 0) as both_defensible_count,
    coalesce(reviews.outdated_count, 0) as outdated_count
from disagreements
full outer join reviews using (judge_id, disagreement_kind)
