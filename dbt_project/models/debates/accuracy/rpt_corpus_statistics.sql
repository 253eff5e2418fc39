{#
The figures that section 3 and appendices A.1 and A.6 of the bias paper print about its data sets,
from this copy. Means have Student's interval over debates, shares Wilson's.
#}
{%- set means = ['mean_words', 'mean_words_all_turns', 'mean_votes', 'mean_vote_difference'] -%}
{%- set shares = ['con_closes_share', 'pro_win_share', 'con_win_share'] %}
with

outcomes as (
    select debate_id, votes_pro + votes_con + coalesce(votes_tie, 0) as vote_count
    from {{ loaded('debate_outcomes') }}
    where is_primary
),

debates as (
    select
        debates.dataset_id,
        debates.round_count,
        debates.is_removed,
        nullif(debates.words_pro + debates.words_con, 0)::double as mean_words,
        nullif(measured.word_count, 0)::double as mean_words_all_turns,
        outcomes.vote_count::double as mean_votes,
        debates.margin as mean_vote_difference,
        case debates.end_side when 'con' then 1.0 when 'pro' then 0.0 end as con_closes_share,
        case debates.human_winner when 'pro' then 1.0 when 'con' then 0.0 end as pro_win_share,
        case debates.human_winner when 'con' then 1.0 when 'pro' then 0.0 end as con_win_share
    from {{ ref('int_debates_judged') }} as debates
    left join outcomes using (debate_id)
    left join {{ ref('int_debates_measured') }} as measured using (debate_id)
),

-- Speeches that stand alone are no debates: somebody must have spoken for a side.
two_sided as (
    select dataset_id
    from debates
    group by dataset_id
    having count(mean_words) > 0
),

measured as (
    {% for statistic in means + shares %}
        select
            dataset_id,
            '{{ statistic }}' as statistic,
            {{ 'true' if statistic in shares else 'false' }} as is_share,
            round_count,
            grouping(round_count) = 1 as is_all_rounds,
            count({{ statistic }}) as n_debates,
            avg({{ statistic }}) as value,
            {{ clustered_half_width(
                'var_samp(' ~ statistic ~ ') / count(' ~ statistic ~ ')', 'count(' ~ statistic ~ ')'
            ) }} as half_width
        from debates
        where not is_removed
        group by grouping sets ((dataset_id, round_count), (dataset_id))
        {{ 'union all' if not loop.last }}
    {% endfor %}
),

counted as (
    select
        dataset_id,
        unnest(['debates', 'debates_under_16000_words']) as statistic,
        false as is_share,
        null::bigint as round_count,
        true as is_all_rounds,
        count(*) as n_debates,
        unnest([count(*), count(*) filter (where mean_words_all_turns < 16000)])::double as value,
        null::double as half_width
    from debates
    group by dataset_id
),

published (dataset_id, statistic, round_count, published_value) as (
    values
    ('ddo', 'debates', null::bigint, 77655.0),
    ('ddo', 'mean_words', null, 1574.93),
    ('ddo', 'mean_votes', 3, 10.05),
    ('ddo', 'mean_votes', 4, 7.02),
    ('ddo', 'mean_votes', 5, 7.03),
    ('ddo', 'mean_vote_difference', 3, 5.52),
    ('ddo', 'mean_vote_difference', 4, 4.69),
    ('ddo', 'mean_vote_difference', 5, 4.79),
    ('ddo', 'con_closes_share', 3, 0.7784),
    ('ddo', 'con_closes_share', 4, 0.7824),
    ('ddo', 'con_closes_share', 5, 0.7813),
    ('ddo', 'pro_win_share', 3, 0.369),
    ('ddo', 'pro_win_share', 4, 0.449),
    ('ddo', 'pro_win_share', 5, 0.379),
    ('ddo', 'con_win_share', 3, 0.631),
    ('ddo', 'con_win_share', 4, 0.551),
    ('ddo', 'con_win_share', 5, 0.621),
    ('iq2', 'debates', null, 108),
    ('iq2', 'mean_words', null, 12801),
    ('iq2', 'mean_words_all_turns', null, 17579),
    ('iq2', 'debates_under_16000_words', null, 24)
),

statistics as (
    select * from counted
    union all
    select * from measured where is_all_rounds or round_count is not null
)

select
    statistics.* exclude (is_share, is_all_rounds, half_width),
    case
        when is_share and n_debates >= {{ var('min_units_for_interval') }}
            then {{ wilson_bound('value', 'n_debates', -1) }}
        when not is_share then value - half_width
    end as value_low,
    case
        when is_share and n_debates >= {{ var('min_units_for_interval') }}
            then {{ wilson_bound('value', 'n_debates', 1) }}
        when not is_share then value + half_width
    end as value_high,
    published.published_value::double as published_value,
    case when statistics.n_debates = 0 then 'no debate says' end as reason
from statistics
inner join two_sided using (dataset_id)
left join published
    on {{ alike('statistics', 'published', ['dataset_id', 'statistic', 'round_count']) }}
