{#
Whether judges that order speeches as people do score lower, spread more and separate sources more:
Spearman's correlation of tau-c with each, over judges, with one judge left out at a time.
#}
with

judges as (
    select
        severity.dataset_id,
        severity.dimension,
        severity.template,
        severity.judge_id,
        ranks.tau_c,
        severity.shift,
        severity.spread_ratio,
        severity.sharpness
    from {{ ref('rpt_severity') }} as severity
    inner join {{ ref('rpt_rank_agreement') }} as ranks
        using (dataset_id, dimension, judge_id, template)
    where
        severity.scope = 'overall'
        and severity.judge_id not in (
            select judge_id from {{ ref('dim_judge') }} where judge_kind = 'ensemble'
        )
),

long as (
    {% for measure in ['shift', 'spread_ratio', 'sharpness'] %}
        {{ "union all" if not loop.first }}
        select
            dataset_id, dimension, template, '{{ measure }}' as measure, judge_id, tau_c,
            {{ measure }} as value
        from judges
    {% endfor %}
),

known as (
    select
        *,
        row_number() over (
            partition by dataset_id, dimension, template, measure order by judge_id
        ) as judge_number
    from long
    where tau_c is not null and value is not null
),

deletions as (
    select distinct dataset_id, dimension, template, measure, judge_number as left_out from known
    union all
    select distinct dataset_id, dimension, template, measure, 0 from known
),

kept as (
    select known.*, deletions.left_out
    from known
    inner join deletions using (dataset_id, dimension, template, measure)
    where known.judge_number != deletions.left_out
),

{% set series = 'partition by dataset_id, dimension, template, measure, left_out' %}

ranked as (
    select
        dataset_id,
        dimension,
        template,
        measure,
        left_out,
    {% for side in ['tau_c', 'value'] %}
        -- Mid-ranks: tied judges share the mean of their places.
        rank() over ({{ series }} order by round({{ side }}, 9))
        + (count(*) over ({{ series }}, round({{ side }}, 9)) - 1) / 2.0 as rank_{{ side }}
        {{- "," if not loop.last }}
    {% endfor %}
    from kept
),

correlated as (
    select
        * exclude (rank_tau_c, rank_value),
        count(*) as n_judges,
        case
            when
                count(*) >= {{ var('min_units_for_interval') }} - any_value(left_out > 0)::integer
                and min(rank_tau_c) < max(rank_tau_c) and min(rank_value) < max(rank_value)
                -- Ranks are exact: what the twelfth decimal has is rounding.
                then round(corr(rank_tau_c, rank_value), 12)
        end as spearman
    from ranked
    group by all
),

intervals as (
    select
        dataset_id,
        dimension,
        template,
        measure,
        {{ jackknife_half_width('var_pop(spearman)', 'count(spearman)') }} as half_width
    from correlated
    where left_out > 0
    group by all
),

keyed as (
    select dataset_id, dimension, template, measure, count(*) as n_judges_asked
    from long
    group by all
)

select
    keyed.*,
    correlated.spearman,
    {{ clipped_ends('correlated.spearman', 'half_width', -1, 1) }},
    coalesce(correlated.n_judges, 0) as n_judges,
    case
        when correlated.spearman is not null then null
        {{ when_too_few('coalesce(correlated.n_judges, 0)', 'judges') }}
        else 'one side is the same for every judge'
    end as undefined_reason
from keyed
left join (select * from correlated where left_out = 0) as correlated
    using (dataset_id, dimension, template, measure)
left join intervals using (dataset_id, dimension, template, measure)
