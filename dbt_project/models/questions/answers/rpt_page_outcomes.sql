with

answers as (
    select * from {{ ref('int_answers_current') }} where is_current and not is_stale
)

select
    answers.dataset_id,
    answers.retriever,
    answers.is_trusted_only,
    pages.page_status,
    count(distinct pages.address) as n_pages,
    count(distinct answers.answer_id) as n_answers,
    min(pages.address) as example_address,
    min(pages.detail) as example_detail
from {{ ref('stg_raw__answer_pages') }} as pages
inner join answers using (response_id)
group by answers.dataset_id, answers.retriever, answers.is_trusted_only, pages.page_status
