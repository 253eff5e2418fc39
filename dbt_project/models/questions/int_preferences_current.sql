with

answers as (
    select answer_id, question_id, setting_id
    from {{ ref('int_answers_current') }}
    where is_current and not is_stale
)

select
    preferences.* exclude (choice, extra),
    one.setting_id as setting_a,
    other.setting_id as setting_b,
    case preferences.choice when 'a' then 1.0 when 'b' then 0.0 else 0.5 end as share_a
from {{ loaded('preferences') }} as preferences
inner join answers as one
    on preferences.answer_a = one.answer_id and preferences.question_id = one.question_id
inner join answers as other
    on preferences.answer_b = other.answer_id and preferences.question_id = other.question_id
where preferences.answer_a != preferences.answer_b
