{#
The DebateBench paper prints its results as plots, so that only what it says of its data and its tasks can
be computed again: from its own printed totals, and from the data set where that is loaded.
#}
{% set paper = "'debatebench'" %}
with

checks as (
    select
        check_id,
        case
            when table_id = 'prose' then 'Text'
            else upper(left(table_id, 1)) || replace(substr(table_id, 2), '_', ' ')
        end as location,
        kind,
        item,
        statistic,
        nullif(published_value, '') as published_value,
        recomputed_value,
        nullif(method_variant, '') as method_variant,
        agrees = 'no' as is_contradicted,
        nullif(note, '') as note
    from {{ ref('published_checks') }}
    where paper_id = {{ paper }}
),

prose as (select * from {{ ref('debatebench_prose') }}),

table_1 as (select statistic, value from {{ ref('debatebench_table_1') }}),

printed as (
    select
        max(value::double) filter (statistic = 'speeches_total') as speeches,
        max(value::double) filter (statistic = 'words_total') as words,
        max(value::double) filter (statistic = 'tokens_total') as tokens,
        max(value::double) filter (statistic = 'content_hours') as hours,
        max(value::double) filter (statistic = 'speaker_score_sd') as score_sd
    from table_1
),

said as (
    select
        max(try_cast(value as double)) filter (fact = 'debates') as debates,
        max(try_cast(value as double)) filter (fact = 'speeches_per_debate') as speeches,
        max(try_cast(value as double)) filter (fact = 'speech_duration') as minutes,
        max(try_cast(value as double)) filter (fact = 'judging_manual_length') as manual_words,
        max(try_cast(value as double)) filter (fact = 'tolerance_min') as tolerance_min,
        max(try_cast(value as double)) filter (fact = 'tolerance_max') as tolerance_max
    from prose
),

-- What the printed totals give. A limit in words is a limit in figures here.
totals (item, unit, value, n, limit_text) as (
    select
        unnest([
            {
                'item': 'speeches',
                'unit': 'speeches',
                'value': said.debates * said.speeches,
                'n': said.debates,
                'text': null
            },
            {
                'item': 'tokens',
                'unit': 'tokens',
                'value': 1.5 * printed.words,
                'n': printed.speeches,
                'text': null
            },
            {
                'item': 'words per speech',
                'unit': 'words',
                'value': printed.words / printed.speeches,
                'n': printed.speeches,
                'text': null
            },
            {
                'item': 'words per debate',
                'unit': 'words',
                'value': printed.words / said.debates,
                'n': said.debates,
                'text': null
            },
            {
                'item': 'tokens per input',
                'unit': 'tokens',
                'value': printed.tokens / said.debates,
                'n': said.debates,
                'text': null
            },
            {
                'item': 'manual tokens',
                'unit': 'tokens',
                'value': 1.5 * said.manual_words,
                'n': 1,
                'text': '> 18000'
            },
            {
                'item': 'hours',
                'unit': 'hours per debate',
                'value': printed.hours / said.debates,
                'n': said.debates,
                'text': '> 1'
            },
            {
                'item': 'speech rate',
                'unit': 'words per minute',
                'value': printed.words / (60 * printed.hours),
                'n': printed.speeches,
                'text': null
            },
            {
                'item': 'speech length',
                'unit': 'minutes per debate',
                'value': said.speeches * said.minutes,
                'n': 1,
                'text': '> 60'
            }
        ], recursive := true)
    from printed
    cross join said
    union all
    select 'rounds listed', 'rounds', count(*), count(*), null
    from {{ ref('debatebench_rounds') }}
),

-- Always answering the mean, with the printed spread and a normal distribution.
constant_guess (item, statistic, qualifier, unit, value) as (
    select
        'constant guess of 80.25', 'share of speeches within a tolerance, always the mean',
        unnest(range(tolerance_min::bigint, tolerance_max::bigint + 1)) as points, 'percent',
        100 * (1 - normal_two_sided((points / score_sd)::double))
    from printed
    cross join said
    union all
    select
        'constant guess of 80.25', 'mean absolute error, always the mean', null, 'points',
        score_sd * sqrt(2 / pi())
    from printed
),

chances as (
    select
        'random ranking of ' || n_items::varchar as item,
        n_items::double as n_items,
        (n_items::double ^ 2 - 1) / 3 as chance
    from {{ ref('debatebench_tasks') }}
    where metric like 'sum of%'
),

chance_rows as (
    select item, n_items, 'expected sum of rank differences by chance' as statistic, chance as value
    from chances
    union all
    select item, n_items, 'expected rank difference per item by chance', chance / n_items
    from chances
),

-- The released data set, as far as its transcripts go.
debates as (
    select debate_id, speech_count, word_count
    from {{ ref('dim_parliamentary_debate') }}
    where dataset_id = 'debatebench' and speech_count > 0
),

scores as (
    select score
    from {{ loaded('speaker_results') }}
    inner join debates using (debate_id)
    where decided_by = 'panel' and score is not null
),

counted as (
    select
        count(*) as n_debates,
        coalesce(sum(speech_count), 0)::bigint as n_speeches,
        sum(word_count)::double as words
    from debates
),

released (statistic, value, n) as (
    select 'debates', nullif(n_debates, 0)::double, n_debates from counted
    union all
    select 'speeches_total', nullif(n_speeches, 0), n_debates from counted
    union all
    select 'words_total', words, n_speeches from counted
    union all
    select 'words_per_speech_mean', words / nullif(n_speeches, 0), n_speeches from counted
    union all
    select 'speaker_score_mean', avg(score), count(*) from scores
    union all
    select 'speaker_score_sd', stddev_samp(score), count(*) from scores
),

published_facts as (
    select 'Table 1' as location, statistic, value, unit
    from {{ ref('debatebench_table_1') }}
    union all
    select 'Text', fact, value, unit
    from prose
    where fact = 'debates'
)

select
    {{ paper }} as paper_id,
    checks.check_id,
    checks.location,
    checks.item as statistic,
    checks.statistic as qualifier,
    coalesce(totals.limit_text, checks.published_value) as published_text,
    totals.unit,
    checks.method_variant,
    totals.value as warehouse_value,
    null::double as other_value,
    null::varchar as other_variant,
    totals.n::bigint as n,
    case
        when checks.published_value is null then 'derived'
        when checks.item = 'rounds listed' then 'shipped'
        else 'recompute'
    end as kind,
    checks.is_contradicted,
    try_cast(regexp_extract(checks.recomputed_value, '^[\d.]+') as double) as independent_value,
    checks.note
from checks
inner join totals using (item)
union all
-- What contradicts itself in words, and what may be one debate twice.
select
    {{ paper }}, check_id, location, item, statistic, published_value, null, null, null,
    try_cast(recomputed_value as double), recomputed_value, 0,
    case when is_contradicted then 'consistency' else 'unprinted' end, is_contradicted, null, note
from checks
where
    kind = 'consistency'
    and item not in (select item from totals)
union all
select
    {{ paper }}, checks.check_id, checks.location, guess.statistic,
    coalesce(guess.qualifier || ' points', 'normal approximation'), null, guess.unit,
    checks.method_variant, guess.value, null, null, 1, 'derived', false, null, checks.note
from constant_guess as guess
inner join checks using (item)
union all
select
    {{ paper }}, checks.check_id, checks.location, chance_rows.statistic,
    chance_rows.n_items::bigint || ' ranks',
    null,
    'ranks',
    checks.method_variant,
    chance_rows.value,
    null, null, 1, 'derived', false, null, checks.note
from chance_rows
inner join checks on starts_with(checks.item, chance_rows.item || ' ')
union all
select
    {{ paper }},
    null,
    facts.location,
    facts.statistic,
    'released data set',
    facts.value,
    facts.unit,
    null, released.value as released_value, null, null, released.n, 'recompute',
    facts.statistic = 'words_per_speech_mean',
    case
        when facts.statistic = 'words_per_speech_mean'
            then (select value from totals where item = 'words per speech')
    end,
    case when released.n = 0 then 'the data set debatebench is not loaded' end
from published_facts as facts
inner join released using (statistic)
union all
-- Findings of the paper's text, the one beside chance and the other beside a constant guess.
select
    {{ paper }}, null, 'Text', fact, coalesce(qualifier, ''), value, unit, null, null,
    case fact
        when 'verdict_average_error' then (select chance / n_items from chances where n_items = 4)
        when 'accuracy_within_tolerance'
            then (select value from constant_guess where qualifier = 5)
    end,
    case fact
        when 'verdict_average_error' then 'chance, per house'
        when 'accuracy_within_tolerance' then 'always the mean'
    end,
    0, 'setting', false, null, 'results are printed as plots; a finding, not a figure of the data'
from prose
where topic = 'results'
