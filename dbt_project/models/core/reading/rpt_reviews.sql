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
    {{ or_zero([
        'reviewed_count', 'decision_count', 'others_right_count', 'judge_right_count',
        'both_defensible_count', 'outdated_count'
    ], of='reviews') }}
from disagreements
full outer join reviews using (judge_id, disagreement_kind)
