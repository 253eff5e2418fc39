{#
Figures of the speech paper beside this warehouse's own, on the data set the paper used. What the paper
says of its own judges (a finding) claims nothing of the judges here; theirs stands beside it.
#}
{% set paper = "'debatable_intelligence'" %}
with

checks as (
    select *, right(check_id, 3) as number
    from {{ ref('published_checks') }}
    where paper_id = {{ paper }}
),

checked (number, statistic, qualifier) as (
    values
    ('005', 'synthetic_pipelines', 'main text'),
    ('006', 'words_per_speech_mean', ''),
    ('009', 'models', ''),
    ('010', 'human_mean_kappa', 'pairs with at least 50 shared speeches')
),

table_1 as (
    select paper_id, 'Table 1' as location, statistic, '' as qualifier, value, unit, null as note
    from {{ ref('debatable_intelligence_table_1') }}
),

sources as (
    select
        paper_id,
        'Section 3 and Appendix A' as location,
        'speeches_per_source' as statistic,
        source as qualifier,
        speeches_in_released_data as value,
        'speeches' as unit,
        'count from the released data; the paper prints none per source' as note
    from {{ ref('debatable_intelligence_speech_sources') }}
),

prose as (
    select
        paper_id,
        location,
        fact as statistic,
        coalesce(qualifier, '') as qualifier,
        -- A speech is shortened until it has no more.
        if(fact = 'target_length', '<= ' || value, value) as value,
        unit,
        note
    from {{ ref('debatable_intelligence_prose') }}
    where try_cast(value as double) is not null
),

derived as (
    select
        paper_id,
        'Figure 2a (no number printed)' as location,
        'human_mean_kappa' as statistic,
        'pairs with at least 50 shared speeches' as qualifier,
        null as value,
        'kappa' as unit,
        note
    from checks
    where kind = 'derived'
),

-- What other figures that the paper prints give, without its data set.
printed (statistic, value) as (
    select statistic, value from {{ ref('debatable_intelligence_table_1') }}
    union all
    select fact, value from {{ ref('debatable_intelligence_prose') }}
    where fact in ('speeches_generated', 'speeches_per_topic')
),

totals as (
    select
        {% for name in ['speeches', 'human_written_speeches', 'synthetic_speeches', 'topics'] -%}
            max(value::double) filter (statistic = '{{ name }}') as {{ name }},
        {% endfor -%}
        max(value::double) filter (statistic = 'speeches_per_topic') as speeches_per_topic
    from printed
),

from_printed (number, location, statistic, qualifier, recomputed) as (
    select
        '001', 'Table 1', 'speeches', 'human and synthetic ones',
        human_written_speeches + synthetic_speeches
    from totals
    union all
    select '002', 'Table 1', 'speeches_per_topic_mean', 'speeches by topics', speeches / topics
    from totals
    union all
    select
        '003', 'section_5.3', 'speeches_generated', 'topics by speeches of each',
        topics * speeches_per_topic
    from totals
    union all
    select '004', 'Table 1', 'human_written_speeches', 'two of each topic', 2 * topics
    from totals
),

published as (
    select * from table_1
    union all
    select * from sources
    union all
    select * from prose
    union all
    select * from derived
),

compared as (
    select
        published.*,
        checks.check_id,
        own.warehouse_value,
        own.warehouse_low,
        own.warehouse_high,
        coalesce(own.n, 0)::bigint as n,
        own.other_value,
        own.other_variant,
        try_cast(checks.recomputed_value as double) as independent_value,
        case
            when published.value is null then 'derived'
            -- Rows of a seed that holds the paper's own list, counted: nothing is computed again.
            when published.statistic in ('models', 'reasoning_models', 'key_points_in_table')
                then 'shipped'
            when
                published.location in ('Table 1', 'Section 3 and Appendix A')
                or published.statistic in (
                    'likert_min', 'likert_max', 'synthetic_pipelines', 'speeches_generated',
                    'speeches_per_topic', 'target_length'
                )
                then 'recompute'
            when
                published.location = 'section_5.2' or published.statistic in (
                    'judges_rating_gpt_4_1_above_humans', 'size_threshold'
                )
                then 'finding'
            else 'setting'
        end as kind
    from published
    left join {{ ref('int_speech_figures_own') }} as own using (location, statistic, qualifier)
    left join checked using (statistic, qualifier)
    left join checks on checked.number = checks.number
)

select
    paper_id,
    -- Without the data set there is nothing to check.
    case when n > 0 then check_id end as check_id,
    location,
    statistic,
    qualifier,
    value as published_text,
    unit,
    null::varchar as method_variant,
    case when n > 0 then warehouse_value end as warehouse_value,
    case when n > 0 then warehouse_low end as warehouse_low,
    case when n > 0 then warehouse_high end as warehouse_high,
    other_value,
    other_variant,
    n,
    kind,
    statistic = 'synthetic_pipelines' and qualifier = 'main text' as is_contradicted,
    independent_value,
    case
        when statistic = 'words_per_speech_mean'
            then 'the paper does not say how words were counted; here by white space'
        when statistic = 'judges_rating_gpt_4_1_above_humans'
            then 'here of the judges that scored both, however good they are; ' || note
        when statistic = 'size_threshold' and n > 0
            then
                'the paper tests no threshold, and its judges are not these: here, the size at '
                || 'which two lines of tau-c on log size meet best, over families'
        when statistic in ('models', 'reasoning_models')
            then 'counted in the list of the released configuration'
        when statistic = 'key_points_in_table' then 'counted in the table'
        when kind = 'finding' and n = 0 then 'no such judges have scored these speeches here'
        when location = 'section_5.2' then 'approximate in the text; here served by somebody else'
        when statistic = 'target_length' and n > 0 then 'here the longest of the released file'
        when statistic = 'human_mean_kappa' and n = 0
            then 'the speeches are not loaded, or no two people share as many of them'
        when kind <> 'setting' and n = 0 then 'the speeches this is counted in are not loaded'
        when
            kind = 'setting' and note is null
            then 'a setting or a finding, not a figure of the data'
        else note
    end as note
from compared
union all
select
    {{ paper }}, checks.check_id, from_printed.location, from_printed.statistic,
    from_printed.qualifier, printed.value, 'speeches', null, from_printed.recomputed, null, null,
    null, null, 2, 'recompute', false, null, 'from other figures that the paper prints'
from from_printed
inner join printed using (statistic)
inner join checks using (number)
where from_printed.recomputed is not null
union all
-- What contradicts itself in words.
select
    paper_id, check_id, 'Text', item, statistic, inputs, null, null, null, null, null, null,
    published_value || ', but ' || recomputed_value, 0, 'consistency', true, null, nullif(note, '')
from checks
where number in ('007', '008')
