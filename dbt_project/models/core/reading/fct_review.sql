{#
What people decided about disagreements. Of one person's decisions about one the latest counts; the
earlier ones stay in raw.
#}
with

reviews as (
    select
        *,
        row_number() over latest as place,
        count(*) over (partition by disagreement_id, person) as times_decided
    from {{ ref('stg_raw__reviews') }}
    window latest as (
        partition by disagreement_id, person order by decided_at desc, loaded_at desc
    )
),

disagreements as (
    select disagreement_id, title, response_id as response_id_now
    from {{ ref('rpt_disagreements') }}
)

select
    reviews.disagreement_id,
    reviews.disagreement_kind,
    reviews.unit_kind,
    reviews.unit_id,
    reviews.dataset_id,
    disagreements.title,
    reviews.judge_id,
    reviews.template,
    reviews.dimension,
    reviews.response_id,
    reviews.person,
    reviews.decision,
    reviews.tags,
    reviews.comment,
    reviews.decided_at,
    reviews.times_decided,
    coalesce(reviews.response_id = disagreements.response_id_now, false) as is_current
from reviews
left join disagreements using (disagreement_id)
where reviews.place = 1
