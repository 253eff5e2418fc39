{#
Every estimate is a ratio over debates, sum(A) / sum(B), with B = 1 for a mean of contrasts, the squared
deviations of what is regressed on for a slope within debates. Its variance is the linearised one of such
a ratio, n / (n - 1) sum((A - estimate B)^2) / sum(B)^2: for means that of the t-test (Cochran 1977).
#}
{% set minimum = var('min_units_for_interval') %}
{% set alike = adjudication_factors() %}
{% set weights = {
    'opening_half': '1.0', 'government': '1.0', 'late_speaker': '42.0', 'longer_speech': 'word_spread',
} %}
with

settings as (select * from {{ ref('dim_adjudication_setting') }}),

contrasts as (
    select contrasts.*, debates.is_contentious
    from {{ ref('int_bp_contrasts') }} as contrasts
    left join {{ ref('dim_parliamentary_debate') }} as debates using (debate_id)
),

named as (select * from {{ ref('int_bp_named_contrasts') }}),

-- One row per setting, effect and outcome that was asked for, whether or not anything came of it.
outcomes (asked_task, outcome) as (
    values
    ('speaker_scores', 'speaker_score'), ('speaker_ranks', 'speaker_rank'),
    ('house_ranks', 'house_rank')
),

effects (effect, is_of_speeches) as (
    values
    ('opening_half', false), ('government', false), ('late_speaker', true), ('longer_speech', true),
    ('contentious_government', false)
),

planned as (
    select
        settings.setting_id as group_id,
        settings.setting_id,
        {% for column in alike %}settings.{{ column }},
        {% endfor %}
        effects.effect,
        outcomes.outcome
    from settings
    inner join outcomes on settings.task in ('all', outcomes.asked_task)
    inner join effects on not (effects.is_of_speeches and outcomes.outcome = 'house_rank')
    union all
    select
        named.setting_family,
        null,
        {% for column in alike %}
            {{ 'null' if column == 'house_order' else 'settings.' ~ column }},
        {% endfor %}
        'named_first',
        named.outcome
    from (select distinct setting_family, outcome from named) as named
    inner join settings on named.setting_family = settings.setting_id
),

{% for effect, weight in weights.items() %}
    {{ effect }}_ratio as (
        select
            setting_id,
            outcome,
            sum({{ effect }}) / sum({{ weight }}) filter ({{ effect }} is not null) as ratio
        from contrasts
        group by setting_id, outcome
    ),
{% endfor %}

ratios as (
    {% for effect, weight in weights.items() %}
        select
            '{{ effect }}' as effect,
            setting_id as group_id,
            outcome,
            count({{ effect }}) as n_units,
            null::bigint as n_contentious,
            sum(n_answers) filter ({{ effect }} is not null)::bigint as n_answers,
            any_value(ratio) as estimate,
            sqrt(
                count({{ effect }}) / nullif(count({{ effect }}) - 1.0, 0)
                * sum(({{ effect }} - ratio * {{ weight }}) ^ 2)
            ) / sum({{ weight }}) filter ({{ effect }} is not null) as error,
            count({{ effect }}) - 1.0 as df,
            count({{ effect }}) as least_units
        from contrasts
        inner join {{ effect }}_ratio using (setting_id, outcome)
        group by setting_id, outcome
        union all
    {% endfor %}
    select
        'named_first', setting_family, outcome, count(named_first), null,
        sum(n_answers)::bigint, avg(named_first),
        stddev_samp(named_first) / sqrt(count(named_first)), count(named_first) - 1.0,
        count(named_first)
    from named
    group by setting_family, outcome
    union all
    -- Welch's two samples, with Satterthwaite's degrees of freedom.
    select
        'contentious_government', setting_id, outcome, n_yes + n_no, n_yes, n_answers,
        mean_yes - mean_no, sqrt(share_yes + share_no),
        (share_yes + share_no) ^ 2 / nullif(
            share_yes ^ 2 / nullif(n_yes - 1, 0) + share_no ^ 2 / nullif(n_no - 1, 0), 0
        ),
        least(n_yes, n_no)
    from (
        select
            setting_id,
            outcome,
            count(government) filter (is_contentious) as n_yes,
            count(government) filter (not is_contentious) as n_no,
            sum(n_answers) filter (is_contentious is not null)::bigint as n_answers,
            avg(government) filter (is_contentious) as mean_yes,
            avg(government) filter (not is_contentious) as mean_no,
            var_samp(government) filter (is_contentious) / nullif(n_yes, 0) as share_yes,
            var_samp(government) filter (not is_contentious) / nullif(n_no, 0) as share_no
        from contrasts
        group by setting_id, outcome
    )
),

asked as (
    select setting_id as group_id, outcome, false as is_named, sum(n_asked)::bigint as n_asked
    from contrasts
    group by setting_id, outcome
    union all
    select setting_family, outcome, true, sum(n_asked)::bigint
    from named
    group by setting_family, outcome
),

tested as (
    select
        planned.*,
        ratios.estimate,
        case
            when ratios.least_units >= {{ minimum }} then {{ spread('ratios.error') }}
        end as error,
        ratios.n_contentious,
        ratios.df as error_df,
        {{ or_zero(['n_units', 'least_units', 'n_answers'], of='ratios') }},
        coalesce(asked.n_asked, 0) - coalesce(ratios.n_answers, 0) as left_out_count
    from planned
    left join ratios using (group_id, effect, outcome)
    left join asked
        on
            planned.group_id = asked.group_id
            and planned.outcome = asked.outcome
            and (planned.effect = 'named_first') = asked.is_named
),

families as (
    select
        *,
        estimate / error as statistic,
        case when error is not null then error_df end as df,
        student_t_quantile(0.975::double, df) * error as half_width,
        student_t_two_sided(statistic, df) as p,
        dataset_id || ' / ' || judge_id as family_id,
        case
            when estimate is null and effect = 'longer_speech'
                then 'no whole answer to a debate whose speeches differ in length'
            when estimate is null and effect = 'contentious_government'
                then 'no whole answers to debates marked contentious and to others marked not'
            when estimate is null and effect = 'named_first'
                then 'no debate with a house named first and last'
            when estimate is null then 'no answer with all places readable and known from the panel'
            when least_units < {{ minimum }}
                then
                    'fewer than {{ minimum }} debates'
                    || case effect when 'contentious_government' then ' of one kind' else '' end
            when error is null then 'all debates are alike'
        end as null_reason
    from tested
),

adjusted as (
    {{ benjamini_hochberg('families', 'family_id') }}
),

bounded as (
    select
        *,
        {{ ends('estimate', 'half_width') }},
        p_adjusted < 0.05 as is_significant
    from adjusted
),

worded as (
    select
        *,
        {% for name in ['above', 'below', 'contrast'] %}
            {% set number = loop.index0 %}
            case effect
                {% for effect, words in favours().items() %}
                    when '{{ effect }}' then '{{ words[number] }}'
                {% endfor %}
            end as {{ name }},
        {% endfor %}
        printf('%+.2f ', estimate)
        || case outcome when 'speaker_score' then 'points' else 'places' end
        || coalesce(
            printf(' (95 %% interval %+.2f to %+.2f)', estimate_low, estimate_high),
            ' (no interval)'
        ) as size
    from bounded
)

select
    * exclude (
        group_id, error, error_df, least_units, half_width, above, below, size
    ),
    case
        when estimate is null then 'Not known: ' || null_reason
        when is_significant is null then 'Not tested (' || null_reason || '): ' || size
        when is_significant
            then 'Favours ' || case when estimate > 0 then above else below end || ': ' || size
        else
            'Cannot tell at ' || n_units || ' debates whether it favours ' || above || ': ' || size
    end as finding
from worded
