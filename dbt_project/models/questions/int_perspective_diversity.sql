select
    * exclude (metric, value_mean)
from {{ ref('int_likelihoods_pooled') }}
where metric = {{ perspective_diversity() }}
