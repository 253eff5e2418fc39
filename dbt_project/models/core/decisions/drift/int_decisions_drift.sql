{# Whether a judge answers the frozen items of a set otherwise than in the first wave. #}
with

drifts as (
    select *, {{ var('drift_margin') }} * scale_width as margin
    from {{ ref('rpt_drift') }}
    where since = 'first' and is_latest
),

answered as (
    select
        *,
        case
            when p_adjusted < 0.05 then 'yes'
            when drift_low > -margin and drift_high < margin then 'no'
            when changed_share = 0 and p is not null then 'no'
            else 'cannot tell'
        end as answer
    from drifts
)

select
    'drift' as topic,
    if(dimension = 'winner', 'debates', 'speeches') as task,
    dataset_id,
    dimension,
    anchor_set as experiment,
    judge_id,
    to_template as template,
    null::varchar as variant_id,
    'Did ' || judge_id || ' change between the waves ' || from_wave || ' and ' || to_wave
    || ' of the anchor set ' || anchor_set || ' (' || dimension || ')?' as question,
    answer,
    case
        when answer = 'yes'
            then
                'its answers moved by more than chance, corrected for all that was tested: figures'
                || ' of before and after the change are not of one judge'
        when answer = 'cannot tell' and reason is not null then reason
        when answer = 'no' and changed_share = 0 then 'no answer changed'
        else
            'the interval of the change '
            || if(answer = 'no', 'lies within ', 'holds 0 and more than ')
            || (100 * {{ var('drift_margin') }})::integer || ' % of the scale'
    end as reason,
    to_json([
        {
            measure: 'drift', value: drift, low: drift_low, high: drift_high, n: n_answers
        },
        {
            measure: 'drift_changed_share', value: changed_share, low: changed_share_low,
            high: changed_share_high, n: n_answers
        },
        {
            measure: 'drift_of_error', value: error_drift, low: error_drift_low,
            high: error_drift_high, n: n_answers
        }
    ]) as numbers,
    case
        when answer = 'cannot tell' then 'More frozen items on other topics, in a new set.'
        else
            'A later wave'
            || if(answer = 'yes', ' that answers as the first did', '')
            || ': rostrum anchor run ' || anchor_set || ' --judge ' || judge_id || '.'
    end as would_change,
    case answer
        when 'cannot tell'
            then
                'About ' || 4 * n_units || ' topics halve the interval; there are ' || n_units
                || '.'
        else 'A wave asks about ' || n_answers || ' items.'
    end as cost,
    case when answer != 'cannot tell' then n_answers end as answers_needed
from answered
