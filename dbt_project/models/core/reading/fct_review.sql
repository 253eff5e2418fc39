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
    reviews.* exclude (loaded_at, place),
    disagreements.title,
    coalesce(reviews.response_id = disagreements.response_id_now, false) as is_current
from reviews
left join disagreements using (disagreement_id)
where reviews.place = 1
