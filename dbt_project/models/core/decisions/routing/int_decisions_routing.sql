{#
Whether a judge's own answers may stand where it is sure, with annotators judging the others. Yes takes
three things: the error left keeps the wanted one, the judge alone errs less than the baseline without a
judge, and its uncertainty finds more of its errors than drawing at random. The alternative to its own
answers is decided by the same rules and stands in `would_change`.
#}
{% set way = [
    'task', 'dataset_id', 'dimension', 'experiment', 'judge_id', 'template', 'variant_id'
] %}
with

thresholds as (
    select *
    from {{ ref('rpt_routing_thresholds') }}
    where wanted_error = {{ var('routing_wanted_error') }}
),

least as (
    select series_id, min(wanted_error) as least_error
    from {{ ref('rpt_routing_thresholds') }}
    where achieved_error_high <= wanted_error and sent_share < 1
    group by series_id
),

alone as (
    select
        series_id,
        combined_error as alone_error,
        combined_error_low as alone_error_low,
        combined_error_high as alone_error_high,
        baseline_error,
        baseline_error_low,
        baseline_error_high,
        baseline_gain,
        baseline_gain_low,
        baseline_gain_high
    from {{ ref('rpt_routing_curve') }}
    where wanted_share = 0
),

fifth as (
    select series_id, gain, gain_low, gain_high
    from {{ ref('rpt_routing_curve') }}
    where wanted_share = {{ var('routing_gain_share') }}
),

-- One answer for everything has nothing to sort by, and no answers to be closer with.
constants as (
    select series_id, max(judge_value) - min(judge_value) <= 1e-9 as is_constant
    from {{ ref('rpt_routing_answers') }}
    group by series_id
),

-- An interval is null where all topics are alike: then the value alone decides.
measured as (
    select
        thresholds.*,
        alone.* exclude (series_id),
        constants.is_constant,
        least.least_error,
        thresholds.achieved_error_high <= thresholds.wanted_error and thresholds.sent_share < 1
            as keeps_error,
        thresholds.sent_share = 1 or thresholds.achieved_error_low > thresholds.wanted_error
            as exceeds_error,
        not constants.is_constant and coalesce(alone.baseline_gain_low, alone.baseline_gain) > 0
            as beats_baseline,
        constants.is_constant or coalesce(alone.baseline_gain_high, alone.baseline_gain) <= 0
            as fails_baseline,
        coalesce(fifth.gain_low, fifth.gain) > 0 as beats_random,
        coalesce(fifth.gain_high, fifth.gain) <= 0 as fails_random
    from thresholds
    left join alone using (series_id)
    left join fifth using (series_id)
    left join least using (series_id)
    left join constants using (series_id)
),

answered as (
    select
        *,
        case
            when achieved_error is null then 'cannot tell'
            when exceeds_error or fails_baseline or fails_random then 'no'
            when keeps_error and beats_baseline and beats_random then 'yes'
            else 'cannot tell'
        end as answer,
        {{ percent('alone_error') }} as alone_words,
        if(is_label, 'the annotators'' more frequent label', 'the annotators'' mean')
        || ' for every answer, ' || {{ percent('baseline_error') }} as baseline_words,
        case
            when sent_share < 1
                then
                    {{ percent('achieved_error') }} || ' error is left with annotators judging '
                    || {{ percent('sent_share') }} || ' of the answers'
        end as left_words
    from measured
),

alternatives as (
    select
        * exclude (series_id, answer_form),
        case answer_form
            when 'recalibrated'
                then 'Its scores recalibrated, by a line fitted to scores of other topics'
            else 'The label that its probability favours, whatever its verdict'
        end || ': ' || answer || coalesce(', ' || left_words, '') || '.' as words
    from answered
    where answer_form != 'own'
),

own as (
    select
        answered.*,
        alternatives.words as alternative_words,
        concat_ws(
            ', ', answered.dimension, answered.template, variants.verbalizer, variants.position
        ) as asked_words
    from answered
    left join alternatives on {{ alike('answered', 'alternatives', way) }}
    left join {{ ref('dim_variant') }} as variants on answered.variant_id = variants.variant_id
    where answered.answer_form = 'own'
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
    'May the answers of ' || judge_id || ' stand where it is sure, with an error of at most '
    || {{ percent('wanted_error') }} || ' of the scale over all answers (' || asked_words || ')?'
        as question,
    answer,
    case
        when achieved_error is null then reason
        when is_constant then 'the judge gives the same answer to everything'
        when not beats_baseline
            then
                'the judge alone errs by ' || alone_words
                || if(fails_baseline, ', no less than ', ', not clearly less than ')
                || baseline_words
        when sent_share = 1
            then 'no threshold keeps the wanted error unless annotators judge every answer'
        when exceeds_error then 'the interval of the error left lies above the wanted error'
        when not beats_random
            then
                'its least sure answers hold '
                || if(fails_random, 'no more errors', 'not clearly more errors')
                || ' than answers drawn at random; the judge alone errs by ' || alone_words
        when answer = 'yes'
            then
                'the interval of the error left ends below the wanted error; the judge alone '
                || 'errs by ' || alone_words || ', ' || baseline_words
        else 'the interval of the error left holds the wanted error'
    end as reason,
    {{ numbers({
        'routing_error': ('achieved_error', 'n_answers'),
        'routing_sent_share': ('sent_share', 'n_answers'),
        'routing_error_alone': ('alone_error', 'n_answers'),
        'routing_baseline_error': ('baseline_error', 'n_answers'),
    }) }} as numbers,
    concat_ws(
        ' ',
        case
            when achieved_error is null
                then 'Annotators'' answers on more topics: 27 are enough for intervals.'
            when answer = 'yes' then 'Less error: rpt_routing_thresholds has other thresholds.'
            when not beats_baseline
                then 'A judge that is closer to annotators than one constant answer.'
            when not beats_random and alone_error_high <= wanted_error
                then 'Nothing needs routing: the error of all its answers is within the wanted one.'
            when beats_random and least_error > wanted_error
                then
                    'A larger error: ' || {{ percent('least_error') }}
                    || ' is kept with annotators judging fewer than all answers.'
            else
                'A judge that knows better when it is wrong, or annotators'' answers on more '
                || 'topics.'
        end,
        alternative_words
    ) as would_change,
    case
        when answer = 'yes'
            then
                'Annotators judge ' || {{ percent('sent_share') }} || ' of the answers'
                || case
                    when failed_count > 0
                        then ' that can be read, and ' || failed_count || ' that cannot'
                    else ''
                end
                || '.'
        when answer = 'no' then 'Annotators judge all answers until then.'
        when reason is null
            then
                'About ' || 4 * n_units || ' topics halve the interval; there are ' || n_units
                || '.'
        else 'Annotators'' answers and the judge''s on 27 topics or more.'
    end as cost,
    null as answers_needed
from own
