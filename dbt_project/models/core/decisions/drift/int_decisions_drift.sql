{# Whether a judge answers the frozen items of a set otherwise than in the first wave. #}
with

answered as (
    select
        *, {{ var('drift_margin') }} * scale_width as margin,
        case
            when p_adjusted < 0.05 then 'yes'
            when drift_low > -margin and drift_high < margin then 'no'
            when changed_share = 0 and p is not null then 'no'
            else 'cannot tell'
        end as answer
    from {{ ref('rpt_drift') }}
    where since = 'first' and is_latest
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
    {{ numbers({
        'drift': ('drift', 'n_answers'),
        'drift_changed_share': ('changed_share', 'n_answers'),
        'drift_of_error': ('error_drift', 'n_answers'),
    }) }} as numbers,
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
