with

questions as (
    select
        story_id,
        count(*) as question_count,
        count(*) filter (where removal_rule is null) as kept_count
    from {{ loaded('reading_questions') }}
    group by story_id
)

select
    stories.* exclude (text_hash, extra),
    coalesce(questions.question_count, 0) as question_count,
    coalesce(questions.kept_count, 0) as kept_count
from {{ loaded('stories') }} as stories
left join questions using (story_id)
