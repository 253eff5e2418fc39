with ratings as (select * from {{ ref('int_speech_ratings') }})

select
    dataset_id,
    dimension,
    item_id,
    count(*) as n_ratings,
    sum(value) as rating_sum,
    avg(value) as human_mean,
    var_samp(value) as human_variance
from ratings
group by all
