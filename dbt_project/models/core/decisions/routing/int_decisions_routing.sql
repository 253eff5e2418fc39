{# Whether a judge's surer answers may stand for the wanted error; people see the others. #}
with

thresholds as (
    select *
    from {{ ref('rpt_routing_thresholds') }}
    where wanted_error = {{ var('routing_wanted_error') }}
),

kept as (
    select series_id, min(wanted_error) as least_error
    from {{ ref('rpt_routing_thresholds') }}
    where achieved_error_high <= wanted_error and sent_share < 1
    group by series_id
),

coverage as (
    select series_id, coverage, coverage_low, coverage_high
    from {{ ref('rpt_routing_coverage') }}
    where part = 'all'
),

answered as (
    select
        thresholds.*,
        kept.least_error,
        coverage.coverage,
        coverage.coverage_low,
        coverage.coverage_high,
        case
            when thresholds.achieved_error is null then 'cannot tell'
            when thresholds.sent_share = 1 or thresholds.achieved_error_low > wanted_error then 'no'
            when thresholds.achieved_error_high <= wanted_error then 'yes'
            else 'cannot tell'
        end as answer,
        concat_ws(
            ', ', thresholds.dimension, thresholds.template, variants.verbalizer, variants.position
        ) as asked_words
    from thresholds
    inner join coverage using (series_id)
    left join {{ ref('dim_variant') }} as variants using (variant_id)
    left join kept using (series_id)
)

select
    'route' as topic,
    task,
    dataset_id,
    dimension,
    experiment,
    judge_id,
    template,
    variant_id,
    'May ' || judge_id || ' answer alone where it is sure, with an error of at most '
    || (100 * wanted_error)::integer || ' % of the scale over all answers (' || asked_words || ')?'
        as question,
    answer,
    case
        when answer = 'cannot tell'
            then coalesce(reason, 'the interval of the error holds the wanted one')
        when answer = 'yes' then 'the interval of the error ends below the wanted one'
        when sent_share = 1 then 'no threshold but that of people seeing every answer keeps it'
        else 'the interval of the error lies above the wanted one'
    end as reason,
    {{ numbers({
        'routing_error': ('achieved_error', 'n_answers'),
        'routing_sent_share': ('sent_share', 'n_answers'),
        'routing_coverage': ('coverage', 'n_answers'),
    }) }} as numbers,
    case
        when reason is not null
            then 'People''s answers on more topics: 27 are enough for intervals.'
        when answer = 'yes' then 'Less error: rpt_routing_thresholds has other thresholds.'
        when least_error > wanted_error
            then
                'A larger error: ' || (100 * least_error)::integer
                || ' % is kept with people seeing fewer than all answers.'
        else
            'A judge that knows better when it is wrong, or people''s answers on more topics.'
    end as would_change,
    case
        when answer = 'yes'
            then
                'People see ' || (100 * sent_share)::integer || ' % of the answers'
                || case
                    when failed_count > 0
                        then ' that can be read, and ' || failed_count || ' that cannot'
                    else ''
                end
                || '.'
        when answer = 'no' then 'People see all answers until then.'
        when reason is null
            then
                'About ' || 4 * n_units || ' topics halve the interval; there are ' || n_units
                || '.'
        else 'People''s answers and the judge''s on 27 topics or more.'
    end as cost,
    null as answers_needed
from answered
