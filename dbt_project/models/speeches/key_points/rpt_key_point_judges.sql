{#
Two judges on the speeches that both gave reasons for: how often each says a key point, and the
difference. A judge's repeats are a share of one speech first; topics are the clusters.
#}
with

requests as (
    select analysis_id, judge_id, debate_id, item_id, request_id
    from {{ ref('fct_justification') }}
    where status = 'sentences'
),

said as (
    select distinct analysis_id, request_id, key_point_id
    from {{ ref('fct_justification_sentence') }}
    where key_point_id is not null
),

of_speeches as (
    select analysis_id, judge_id, debate_id, item_id, count(*) as n_requests
    from requests
    group by analysis_id, judge_id, debate_id, item_id
),

hits as (
    select analysis_id, judge_id, item_id, key_point_id, count(*) as n_said
    from requests
    inner join said using (analysis_id, request_id)
    group by analysis_id, judge_id, item_id, key_point_id
),

pairs as (
    select
        one.analysis_id,
        one.judge_id as judge_a,
        other.judge_id as judge_b,
        one.debate_id,
        one.item_id,
        one.n_requests as requests_a,
        other.n_requests as requests_b
    from of_speeches as one
    inner join of_speeches as other
        on
            one.analysis_id = other.analysis_id
            and one.item_id = other.item_id
            and one.judge_id < other.judge_id
),

compared as (
    select
        pairs.*,
        points.key_point_id,
        points.polarity,
        points.key_point,
        coalesce(hits_a.n_said, 0) / pairs.requests_a::double as share_a,
        coalesce(hits_b.n_said, 0) / pairs.requests_b::double as share_b
    from pairs
    inner join {{ ref('dim_key_point') }} as points using (analysis_id)
    left join hits as hits_a
        on
            pairs.analysis_id = hits_a.analysis_id
            and pairs.judge_a = hits_a.judge_id
            and pairs.item_id = hits_a.item_id
            and points.key_point_id = hits_a.key_point_id
    left join hits as hits_b
        on
            pairs.analysis_id = hits_b.analysis_id
            and pairs.judge_b = hits_b.judge_id
            and pairs.item_id = hits_b.item_id
            and points.key_point_id = hits_b.key_point_id
),

clusters as (
    select
        analysis_id,
        judge_a,
        judge_b,
        key_point_id,
        polarity,
        key_point,
        debate_id,
        sum(share_a) as sum_a,
        sum(share_b) as sum_b,
        sum(share_a - share_b) as cluster_sum,
        count(*) as cluster_count
    from compared
    group by analysis_id, judge_a, judge_b, key_point_id, polarity, key_point, debate_id
),

means as (
    select
        analysis_id,
        judge_a,
        judge_b,
        key_point_id,
        polarity,
        key_point,
        sum(cluster_count)::bigint as n_items,
        count(*) as n_units,
        sum(sum_a) / sum(cluster_count) as share_a,
        sum(sum_b) / sum(cluster_count) as share_b,
        sum(cluster_sum) / sum(cluster_count) as difference,
        {{ half_width_over_clusters('cluster_sum', 'cluster_count') }} as half_width
    from clusters
    group by analysis_id, judge_a, judge_b, key_point_id, polarity, key_point
)

select
    * exclude (half_width),
    {{ ends('difference', 'half_width') }}
from means
