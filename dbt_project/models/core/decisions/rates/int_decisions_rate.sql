{#
Whether a judge's own mean may be reported as people's: yes where all of the interval of people's mean
lies within the margin for level judges, no where the judge's mean lies outside the interval. Items that
the judge has not answered may be anything: either holds only where it does with all of them at either
end of the scale.
#}
with

answered as (
    select
        rates.*,
        {{ var('level_margin_share') }}
        * (coalesce(scales.scale_max, 1) - coalesce(scales.scale_min, 0)) as margin,
        (n_judged * naive_rate + (n_items - n_judged) * coalesce(scales.scale_min, 0.0)) / n_items
            as lowest,
        (n_judged * naive_rate + (n_items - n_judged) * coalesce(scales.scale_max, 1.0)) / n_items
            as highest,
        -- Labels whose interval is as narrow as the distance to the nearer answer.
        greatest(n_labelled + 1, ceil(n_labelled * ((true_rate_high - true_rate_low) / 2 / greatest(
            margin - abs(naive_rate - true_rate), abs(naive_rate - true_rate)
        )) ^ 2)) as n_wanted,
        -- Where nothing is known of their spread, half of them at either end of the scale.
        ceil((1.96 * 0.5 / {{ var('level_margin_share') }}) ^ 2)::bigint as n_at_most,
        case
            when greatest(highest - true_rate_low, true_rate_high - lowest) <= margin then 'yes'
            when highest < true_rate_low or lowest > true_rate_high then 'no'
            else 'cannot tell'
        end as answer,
        greatest(naive_rate - true_rate_low, true_rate_high - naive_rate) <= margin
        or naive_rate not between true_rate_low and true_rate_high as would_tell
    from {{ ref('rpt_rates') }} as rates
    left join {{ ref('dim_dimension') }} as scales using (dataset_id, dimension)
)

select
    'rate' as topic,
    task,
    dataset_id,
    dimension,
    experiment,
    judge_id,
    template,
    variant_id,
    case
        when
            task = 'speeches' and source is null
            then 'Is the judge''s mean of all scores people''s?'
        when task = 'speeches' then 'Is the judge''s mean score of ' || source || ' people''s?'
        when task = 'debates'
            then
                'Is the judge''s share of '
                || coalesce('wins of ' || source, 'debates that Con wins')
                || ' people''s?'
        else
            'Is the judge''s share of answers'
            || coalesce(' of ' || source, '')
            || ' that are aware of a dispute people''s?'
    end || coalesce(' (sample ' || sample_id || ')', '') as question,
    answer,
    case answer
        when 'yes'
            then
                'all of the interval of people''s mean lies within ' || round(margin, 3)
                || ' of the judge''s mean'
        when 'no' then 'the judge''s mean lies outside the interval of people''s mean'
        else coalesce(
            null_reason,
            true_rate_interval_reason,
            case
                when would_tell
                    then
                        'the judge answered ' || n_judged || ' of ' || n_items
                        || ' items; whatever it would say of the others, its mean is from '
                        || round(lowest, 3) || ' to ' || round(highest, 3)
            end,
            'the judge''s mean lies in the interval of people''s mean, which is too wide to call'
            || ' them equal'
        )
    end as reason,
    {{ numbers({
        'true_rate': ('true_rate', 'n_labelled'),
        'naive_rate': ('naive_rate', 'n_judged'),
        'human_rate': ('human_rate', 'n_labelled'),
    }) }} as numbers,
    case
        when sample_id is null
            then 'Labels of people on a random sample: rostrum sample ' || dataset_id || '.'
        when true_rate is null then 'The labels of the whole sample.'
        when true_rate_low is null then 'More labels: those there are say the same.'
        when answer = 'no'
            then
                'Another judge or prompt; or report the prediction-powered mean, for which this'
                || ' judge is worth ' || greatest(0, round(labels_saved))::bigint
                || ' labels of people.'
        when answer = 'yes'
            then
                'Other items than those of this frame, or another version of the'
                || ' judge.'
        when would_tell and answer = 'cannot tell'
            then 'The judge''s answers to the other ' || n_items - n_judged || ' items.'
        when n_wanted > n_items
            then
                'More items: labels of all ' || n_items || ' would not be enough, and about '
                || n_wanted::bigint || ' are where both means stay as they are.'
        else
            'More labels: about ' || n_wanted::bigint
            || ' in all are enough where both means stay as they are.'
    end as would_change,
    case
        when answer = 'yes'
            then
                'No more labels of people. The same on other items takes ' || n_labelled
                || ' labels and ' || n_judged || ' answers of the judge.'
        when answer = 'no'
            then
                'No more labels of people: another judge or prompt takes ' || n_judged
                || ' answers.'
        when would_tell and answer = 'cannot tell'
            then
                'No more labels of people: the same judge takes ' || n_items - n_judged
                || ' more answers.'
        when true_rate_low is null
            then
                'At most ' || n_at_most || ' labels of people, fewer where they differ little:'
                || ' rostrum plan labels.'
        else
            'About ' || (n_wanted - n_labelled)::bigint || ' more '
            || if(n_wanted - n_labelled = 1, 'label', 'labels') || ' of people'
            || case when n_wanted > n_items then ', most of them on new items.' else '.' end
    end as cost,
    case
        when answer = 'yes' then n_judged
        when would_tell and answer = 'cannot tell' then n_items - n_judged
        when n_wanted > n_items then (n_wanted - n_items)::bigint
    end as answers_needed
from answered
-- Of single speakers there is one where there is an estimate.
where source is null or true_rate is not null
