{# Figures of the speech paper beside this warehouse's own, on the data set the paper used. #}
with

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
    select paper_id, location, fact as statistic, coalesce(qualifier, '') as qualifier, value, unit, note
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
    from {{ ref('published_checks') }}
    where paper_id = 'debatable_intelligence' and kind = 'derived'
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

speeches as (select * from {{ ref('dim_item') }} where dataset_id = 'speeches'),

rated as (
    select item_id, count(*) as n_ratings
    from {{ ref('fct_rating') }} as fct_rating
    where dataset_id = 'speeches' and dimension = 'goodopeningspeech'
    group by all
),

rated_speeches as (select * from speeches inner join rated using (item_id)),

words as (
    select
        debate_id,
        sum(word_count) as cluster_sum,
        count(*) as cluster_count
    from rated_speeches
    group by all
),

word_mean as (
    select
        sum(cluster_sum) / sum(cluster_count) as mean_words,
        sum(cluster_count) as n_words_counted,
        count(*) as n_word_topics
    from words
),

word_interval as (
    select
        mean_words,
        n_word_topics,
        {{ clustered_variance(
            'cluster_sum', 'cluster_count', 'mean_words', 'n_words_counted', 'n_word_topics'
        ) }} as variance
    from words
    cross join word_mean
    group by all
),

counts as (
    select
        count(*) as n_speeches,
        count(*) filter (source = 'Human expert') as n_human,
        count(distinct debate_id) as n_topics,
        avg(n_ratings) as annotators_per_speech
    from rated_speeches
),

-- A judge counts where it does so with every wording it was given.
judges_of_gpt_4_1 as (
    select judge_id, min(difference) as lowest
    from {{ ref('rpt_speaker_comparison') }}
    where
        dataset_id = 'speeches' and dimension = 'goodopeningspeech' and source = 'gpt-4.1'
        and difference is not null
    group by judge_id
),

own as (
    select 'Table 1' as location, 'speeches' as statistic, '' as qualifier,
        n_speeches::double as warehouse_value, null::double as warehouse_low,
        null::double as warehouse_high, n_speeches as n
    from counts
    union all
    select 'Table 1', 'human_written_speeches', '', n_human, null, null, n_speeches from counts
    union all
    select 'Table 1', 'synthetic_speeches', '', n_speeches - n_human, null, null, n_speeches
    from counts
    union all
    select 'Table 1', 'topics', '', n_topics, null, null, n_speeches from counts
    union all
    select 'Table 1', 'speeches_per_topic_mean', '', n_speeches / nullif(n_topics, 0), null, null,
        n_topics
    from counts
    union all
    select 'Table 1', 'annotators_per_speech', '', annotators_per_speech, null, null, n_speeches
    from counts
    union all
    select 'Table 1', 'words_per_speech_mean', '', mean_words,
        mean_words - {{ clustered_half_width('variance', 'n_word_topics') }},
        mean_words + {{ clustered_half_width('variance', 'n_word_topics') }},
        n_speeches
    from word_interval
    cross join counts
    union all
    select 'Section 3 and Appendix A', 'speeches_per_source', source, count(*), null, null, count(*)
    from rated_speeches
    group by source
    union all
    select 'Figure 2a (no number printed)', 'human_mean_kappa',
        'pairs with at least 50 shared speeches', mean_kappa, kappa_low, kappa_high, pair_count
    from {{ ref('rpt_rater_agreement') }}
    where
        dataset_id = 'speeches' and dimension = 'goodopeningspeech'
        and judge_id = {{ human() }} and min_shared_items = 50
    union all
    select 'section_5.3', 'judges_rating_gpt_4_1_above_humans', 'of 5 judges',
        count(*) filter (lowest > 0), null, null, count(*)
    from judges_of_gpt_4_1
    union all
    select 'section_1', 'size_threshold', 'models below consistently underperform', turning_size,
        turning_size_low, turning_size_high, n_judges
    from {{ ref('rpt_size_trend') }}
    where
        dataset_id = 'speeches' and dimension = 'goodopeningspeech'
        and template = 'speech_score@verbatim' and measure = 'tau_c' and scope = 'pooled'
        and turning_size_low is not null
),

compared as (
    select
        published.*,
        own.warehouse_value,
        own.warehouse_low,
        own.warehouse_high,
        coalesce(own.n, 0) as n,
        published.location in ('Table 1', 'Section 3 and Appendix A') as is_recomputable
    from published
    left join own using (location, statistic, qualifier)
)

select
    paper_id,
    location,
    statistic,
    qualifier,
    value as published_text,
    unit,
    case when n > 0 then warehouse_value end as warehouse_value,
    case when n > 0 then warehouse_low end as warehouse_low,
    case when n > 0 then warehouse_high end as warehouse_high,
    n,
    case when is_recomputable then 'recompute' else 'setting' end as kind,
    case
        when statistic = 'words_per_speech_mean'
            then 'the paper does not say how words were counted; here by white space'
        when statistic = 'judges_rating_gpt_4_1_above_humans'
            then 'here of the judges that scored both, however good they are; ' || note
        when is_recomputable and n = 0 then 'the data set speeches is not loaded'
        when statistic = 'size_threshold' and n > 0
            then 'the paper tests no threshold, and its judges are not these: here, the size at which '
                || 'two lines of tau-c on log size meet best, over families'
        when not is_recomputable and note is null then 'a setting or a finding, not a figure of the data'
        else note
    end as note
from compared
