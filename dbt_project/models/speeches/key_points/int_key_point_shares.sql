{#
Shares of sentences and of justifications under each key point, of each source and of all (source is
null). Sentences on one topic resemble each other, so intervals cluster by topic.
#}
with

units as (
    select found.* exclude (source), shown.source
    from {{ ref('int_key_point_groups') }} as found
    cross join unnest([found.source, null]) as shown (source)
),

clusters as (
    select analysis_id, judge_id, source, unit, debate_id, count(*) as cluster_count
    from units
    group by analysis_id, judge_id, source, unit, debate_id
),

hits as (
    select analysis_id, judge_id, source, unit, debate_id, group_id, count(*) as cluster_sum
    from (select * exclude (groups), unnest(groups) as group_id from units)
    group by analysis_id, judge_id, source, unit, debate_id, group_id
),

totals as (
    select
        * exclude (debate_id, cluster_count),
        sum(cluster_count)::bigint as n,
        count(*) as n_units
    from clusters
    group by analysis_id, judge_id, source, unit
),

-- Also what nobody says has a share.
asked as (
    select analysis_id, 'sentence' as unit, key_point_id as group_id
    from {{ loaded('key_points') }}
    union all
    select analysis_id, 'justification', key_point_id from {{ loaded('key_points') }}
    union all
    select analysis_id, 'matched', key_point_id from {{ loaded('key_points') }}
    union all
    select analyses.analysis_id, fixed.unit, unnest(fixed.group_ids)
    from {{ loaded('key_point_analyses') }} as analyses
    cross join (
        values
        (
            'sentence',
            [
                'other/pro', 'other/con', {{ no_key_point() }}, 'polarity/pro', 'polarity/con',
                'polarity/neutral', 'polarity/unknown',
            ]
        ),
        ('justification', ['other/pro', 'other/con', {{ no_key_point() }}]),
        ('matched', ['other/pro', 'other/con', 'polarity/pro', 'polarity/con']),
        ('held', ['matched']),
        ('reasoned', [{{ no_key_point() }}])
    ) as fixed (unit, group_ids)
),

cells as (
    select totals.*, asked.group_id, clusters.debate_id, clusters.cluster_count
    from totals
    inner join asked using (analysis_id, unit)
    inner join clusters
        on {{ alike('totals', 'clusters', ['analysis_id', 'judge_id', 'source', 'unit']) }}
),

counted as (
    select
        cells.*,
        coalesce(hits.cluster_sum, 0) as cluster_sum
    from cells
    left join hits
        on
            {{ alike('cells', 'hits', [
                'analysis_id', 'judge_id', 'source', 'unit', 'debate_id', 'group_id'
            ]) }}
),

measured as (
    select
        analysis_id,
        judge_id,
        source,
        unit,
        group_id,
        n,
        n_units,
        sum(cluster_sum)::bigint as group_count,
        sum(cluster_sum) / n::double as share,
        {{ half_width_over_clusters('cluster_sum', 'cluster_count') }} as half_width
    from counted
    group by analysis_id, judge_id, source, unit, group_id, n, n_units
)

select
    * exclude (half_width),
    -- Where nothing is found the low end is 0 but for the last digits of the arithmetic.
    round({{ clustered_share_bound('share', 'half_width', 'n_units', -1) }}, 12) as share_low,
    round({{ clustered_share_bound('share', 'half_width', 'n_units', 1) }}, 12) as share_high
from measured
