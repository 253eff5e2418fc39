{#
What this warehouse has to set beside the figures the speech paper prints, by the same location, statistic
and qualifier.
#}
{% set prompt = "'speech_score@verbatim'" %}
with

speeches as (select * from {{ ref('stg_raw__speeches') }} where dataset_id = 'speeches'),

rated as (
    select item_id, count(*) as n_ratings, min(value) as lowest, max(value) as highest
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
        {{ half_width_over_clusters('cluster_sum', 'cluster_count') }} as half_width
    from words
    having count(*) > 0
),

counts as (
    select
        count(*) as n_speeches,
        count(*) filter (source = 'Human expert') as n_human,
        count(distinct debate_id) as n_topics,
        count(distinct source) filter (source <> 'Human expert') as n_pipelines,
        min(lowest) as lowest,
        max(highest) as highest,
        sum(n_ratings) as n_ratings,
        avg(n_ratings) as annotators_per_speech
    from rated_speeches
),

generated as (
    select
        count(*) as n_speeches,
        count(distinct debate_id) as n_topics,
        max(word_count) as longest,
        count(*) filter (word_count > 600) as n_too_long
    from speeches
    where source = 'gpt-4.1'
),

paper_models as (
    select
        count(*) as n_models,
        count(*) filter (reasoning_model::varchar in ('yes', 'true')) as n_reasoning
    from {{ ref('debatable_intelligence_models') }}
),

-- Both polarities have as many, or the smaller number stands here.
paper_key_points as (
    select min(n_key_points) as n_key_points, sum(n_key_points) as n
    from (
        select polarity, count(*) as n_key_points
        from {{ ref('debatable_intelligence_table_2') }}
        group by polarity
    )
),

-- Whoever serves it: the first by name of those that judges.toml gives this family and size.
qwen_72b as (
    select scores.*
    from {{ ref('rpt_source_scores') }} as scores
    inner join {{ ref('dim_judge') }} as judges using (judge_id)
    where
        scores.dataset_id = 'speeches' and scores.dimension = 'goodopeningspeech'
        and scores.template = {{ prompt }}
        and regexp_matches(lower(judges.family), '^qwen-?2\.5$') and judges.size_b_params = 72
    qualify judge_id = min(judge_id) over ()
),

unread as (
    select judge_id, template, sum(unparsed_count) as n_unread
    from {{ ref('rpt_source_scores') }}
    where dataset_id = 'speeches' and dimension = 'goodopeningspeech' and judge_id <> {{ human() }}
    group by judge_id, template
),

-- Chosen on some topics and tested on others, of the mean score.
ensemble_gain as (
    select 100 * gain_over_member as points, n_items as n
    from {{ ref('rpt_ensemble_search') }}
    where
        dataset_id = 'speeches' and dimension = 'goodopeningspeech' and template = {{ prompt }}
        and search_size = 'any' and search_pooling = 'mean' and gain_over_member is not null
),

-- Numbers of another kind, which claim nothing about the printed one.
besides (location, statistic, qualifier, other_value, other_variant) as (
    select
        'appendix_d', 'figure_11_minimum_errors', 'models shown',
        count(*) filter (n_unread >= 10)::double, 'judges and prompts here with as many'
    from unread
    having count(*) > 0
    union all
    select
        'appendix_e', side || '_improvement', '', points,
        'points of tau-c that the best ensemble adds here, on topics it was not chosen on'
    from ensemble_gain, unnest(['weak', 'strong']) as sides (side)
    union all
    select
        'section_4', 'target_length', 'speech generation', n_too_long::double,
        'speeches of the released file over it'
    from generated
    where n_speeches > 0
    union all
    select
        'section_3', 'synthetic_pipelines', 'main text', try_cast(recomputed_value as double),
        'what the appendix lists'
    from {{ ref('published_checks') }}
    where check_id = 'debatable_intelligence_005'
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
    select
        'Table 1' as location, 'speeches' as statistic, '' as qualifier,
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
    select
        'Table 1', 'speeches_per_topic_mean', '', n_speeches / nullif(n_topics, 0), null, null,
        n_topics
    from counts
    union all
    select 'Table 1', 'annotators_per_speech', '', annotators_per_speech, null, null, n_speeches
    from counts
    union all
    select
        'Table 1', 'words_per_speech_mean', '', mean_words,
        mean_words - half_width, mean_words + half_width,
        n_speeches
    from word_mean
    cross join counts
    union all
    select 'Section 3 and Appendix A', 'speeches_per_source', source, count(*), null, null, count(*)
    from rated_speeches
    group by source
    union all
    select
        'Figure 2a (no number printed)', 'human_mean_kappa',
        'pairs with at least 50 shared speeches', mean_kappa, kappa_low, kappa_high, pair_count
    from {{ ref('rpt_rater_agreement') }}
    where
        dataset_id = 'speeches' and dimension = 'goodopeningspeech'
        and judge_id = {{ human() }} and min_shared_items = 50
    union all
    select
        'section_5.3', 'judges_rating_gpt_4_1_above_humans', 'of 5 judges',
        count(*) filter (lowest > 0), null, null, count(*)
    from judges_of_gpt_4_1
    union all
    select
        'section_1', 'size_threshold', 'models below consistently underperform', turning_size,
        turning_size_low, turning_size_high, n_judges
    from {{ ref('rpt_size_trend') }}
    where
        dataset_id = 'speeches' and dimension = 'goodopeningspeech'
        and template = {{ prompt }} and measure = 'tau_c' and scope = 'pooled'
        and turning_size_low is not null
    union all
    select
        'section_3', 'likert_' || side, '', if(side = 'min', lowest, highest), null, null, n_ratings
    from counts, unnest(['min', 'max']) as sides (side)
    union all
    select
        if(part = 'main text', 'section_3', 'appendix_a'), 'synthetic_pipelines', part, n_pipelines,
        null, null, n_speeches
    from counts, unnest(['main text', 'appendix list']) as parts (part)
    union all
    select
        'section_5.3', 'speeches_generated', 'GPT-4.1', n_speeches::double, null, null, n_speeches
    from generated
    union all
    select
        'section_5.3',
        'speeches_per_topic',
        'GPT-4.1',
        n_speeches / nullif(n_topics, 0),
        null,
        null,
        n_topics
    from generated
    union all
    select 'section_4', 'target_length', 'speech generation', longest, null, null, n_speeches
    from generated
    union all
    select 'section_4', 'models', '', n_models::double, null, null, n_models from paper_models
    union all
    select 'section_4', 'reasoning_models', '', n_reasoning, null, null, n_models from paper_models
    union all
    select 'table_2', 'key_points_in_table', 'per polarity', n_key_points, null, null, n
    from paper_key_points
    union all
    select
        'section_5.2', 'mean_score',
        if(
            source = 'Human expert', 'Qwen-72B on human speeches, approximate',
            'Qwen-72B on Speech-GPT2, approximate'
        ),
        mean_score, mean_score_low, mean_score_high, n_items
    from qwen_72b
    where source in ('Human expert', 'Speech-GPT2')
    union all
    select
        'section_5.2', 'gap', 'Speech-GPT2, Qwen-72B below humans, approximate upper bound',
        -minus_human, -minus_human_high, -minus_human_low, n_items
    from qwen_72b
    where source = 'Speech-GPT2'
)

select *
from own
full join besides using (location, statistic, qualifier)
