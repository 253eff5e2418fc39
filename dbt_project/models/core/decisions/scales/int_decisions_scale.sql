{#
Whether a judge is more severe than people, and whether it favours what machines wrote: yes where the
interval lies above 0, no where it lies below var('scale_margin') log-odds. A favour that may be none at
equal quality is no yes: who tells good from bad less than people do is milder on whatever is worse.
#}
with

differences as (
    select *, (value_high - value_low) / 2 as half_width
    from {{ ref('rpt_scale_differences') }}
    where difference in ('severity', 'favour')
),

favours as (select * from differences where difference = 'favour'),

raters as (select * from {{ ref('rpt_scale_raters') }} where annotator_id is null),

equal as (
    select scale_id, rater_key, value, value_low, value_high, null_reason
    from {{ ref('rpt_scale_differences') }}
    where difference = 'favour_at_equal_quality'
),

boards as (
    select
        *,
        case
            when points_low > 0 then 'yes'
            when points_high < {{ var('board_margin') }} then 'no'
            else 'cannot tell'
        end as answer
    from {{ ref('rpt_board_terms') }}
    where term = 'own_family' and board != 'panel' and not {{ is_person('board') }}
),

panels as (
    select * from {{ ref('rpt_board_terms') }} where term = 'own_family' and board = 'panel'
),

sides as (select * from {{ ref('rpt_board_terms') }} where term = 'side'),

answered as (
    select
        differences.*,
        raters.infit,
        raters.infit_low,
        raters.infit_high,
        raters.severity,
        raters.severity_low,
        raters.severity_high,
        raters.n_units as severity_n,
        equal.value as equal_value,
        equal.value_low as equal_low,
        equal.value_high as equal_high,
        equal.null_reason as equal_reason,
        favours.value as favour,
        favours.value_low as favour_low,
        favours.value_high as favour_high,
        favours.n_units as favour_n,
        case
            when
                differences.value_low > 0
                and (differences.difference = 'severity' or equal.value_low > 0)
                then 'yes'
            when differences.value_high < {{ var('scale_margin') }} then 'no'
            else 'cannot tell'
        end as answer,
        -- As wide as the distance to the nearer answer.
        ceil(
            differences.n_units
            * (differences.half_width / nullif(greatest(
                differences.value, {{ var('scale_margin') }} - differences.value
            ), 0)) ^ 2
        )::bigint as units_needed
    from differences
    inner join raters using (scale_id, rater_key)
    inner join equal using (scale_id, rater_key)
    left join favours using (scale_id, rater_key)
)

select
    'scale' as topic,
    task,
    dataset_id,
    dimension,
    experiment,
    judge_id,
    template,
    variant_id,
    case difference
        when 'severity' then 'Is ' || judge_id || ' more severe than people'
        else 'Does ' || judge_id || ' favour what machines wrote'
    end
    || ' (' || dimension || coalesce(', ' || template, '') || ')?' as question,
    case when value is null then 'cannot tell' else answer end as answer,
    case
        when value is null then null_reason
        when answer = 'cannot tell' and value_low > 0
            then coalesce(
                'at equal quality it is not known: ' || equal_reason,
                'what machines wrote is worse here, and at equal quality there may be no difference'
            )
        when answer = 'yes'
            then
                'the interval lies above 0'
                || if(difference = 'favour', ', and so does the one at equal quality', '')
        when answer = 'no'
            then 'the interval ends below {{ var("scale_margin") }} log-odds'
        else coalesce(
            interval_reason,
            'the interval holds both no difference and more than '
            || '{{ var("scale_margin") }} log-odds'
        )
    end as reason,
    to_json([
        {
            measure: 'scale_' || difference, value: value, low: value_low, high: value_high,
            n: n_units
        },
        case difference
            when 'severity'
                then {
                    measure: 'scale_infit', value: infit, low: infit_low, high: infit_high,
                    n: n_items
                }
            else {
                measure: 'scale_favour_at_equal_quality', value: equal_value, low: equal_low,
                high: equal_high, n: n_units
            }
        end,
        case difference
            when 'severity'
                then {
                    measure: 'scale_favour', value: favour, low: favour_low, high: favour_high,
                    n: favour_n
                }
            else {
                measure: 'scale_severity', value: severity, low: severity_low,
                high: severity_high, n: severity_n
            }
        end
    ]) as numbers,
    case
        when value is null
            then 'Scores of people and of this judge for the same things of both kinds.'
        when answer = 'cannot tell' and value_low is null then 'Scores on more topics.'
        when answer = 'cannot tell' and value_low > 0
            then 'Scores of sources of both kinds that are about as good as each other.'
        when answer = 'cannot tell'
            then
                'An interval of half the width would take four times the topics; about '
                || units_needed || ' topics are enough where the difference stays as it is.'
        else 'Another prompt, or another version of the judge: both are raters of their own here.'
    end as would_change,
    case
        when value is null or value_low is null
            then
                'People''s scores and the judge''s of {{ var("min_units_for_interval") }} topics'
                || ' or more.'
        when answer != 'cannot tell'
            then
                'No more scores of people: another prompt or version takes ' || n_items
                || ' answers.'
        when value_low < 0 and units_needed > n_units
            then
                'About ' || (units_needed - n_units)
                || ' more topics that people and the judge score.'
        else 'Not known: it depends on how good the other sources are.'
    end as cost,
    case when answer != 'cannot tell' then n_items end as answers_needed
from answered
where n_subsets is not null
union all
select
    'scale' as topic,
    'debates' as task,
    boards.dataset_id,
    'winner' as dimension,
    null as experiment,
    boards.board as judge_id,
    null as template,
    null as variant_id,
    'Does ' || boards.board || ' favour debaters of its own family?' as question,
    case when boards.points is null then 'cannot tell' else boards.answer end as answer,
    case
        when boards.points is null then boards.null_reason
        when boards.answer = 'yes' then 'the interval lies above 0'
        when boards.answer = 'no'
            then 'the interval ends below {{ var("board_margin") }} rating points'
        else coalesce(
            boards.interval_reason,
            'the interval holds both no difference and more than '
            || '{{ var("board_margin") }} rating points'
        )
    end as reason,
    {{ numbers({
        'board_own_family': ('boards.points', 'boards.n_games'),
        'preference_of_all_judges': ('panels.points', 'panels.n_games'),
        'board_side': ('sides.points', 'sides.n_games'),
    }) }} as numbers,
    case
        when boards.points is null
            then 'Debates of its family that judges of other families judge too.'
        when boards.answer = 'cannot tell' then 'Verdicts on more motions.'
        else 'Another version of the judge, or debates that its family has no part in.'
    end as would_change,
    case
        when boards.points is null then 'Not known: such debates have to be found or held first.'
        when boards.answer = 'cannot tell'
            then
                'About ' || 3 * boards.n_games
                || ' more of its verdicts halve the interval, on new motions.'
        else 'No labels of people: another version takes ' || boards.n_games || ' verdicts.'
    end as cost,
    case
        when boards.points is null then null
        when boards.answer = 'cannot tell' then 3 * boards.n_games
        else boards.n_games
    end as answers_needed
from boards
left join panels using (dataset_id)
left join sides on boards.dataset_id = sides.dataset_id and boards.board = sides.board
