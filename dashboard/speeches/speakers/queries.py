"""The questions that the tab on speakers puts to the published marts."""

from dashboard.core.data import query

# Each speaker against people, as each judge sees it; models first, then the highest first.
comparison = query("""
select
    source, speaker_kind, speaker_family, judge_id, template,
    difference, difference_low, difference_high,
    difference_failures_lowest, difference_failures_highest, mean_score, human_mean_score,
    ahead_share, ahead_share_low, ahead_share_high, ahead_count, tied_count, behind_count,
    n_units, n_speeches, n_human_speeches, n_answers,
    speaker_only_count, human_only_count, neither_count, failure_count, human_failure_count,
    undefined_reason, interval_reason
from rpt_speaker_comparison
where dataset_id = $dataset
    and dimension = $dimension
    and (
        judge_id = 'human'
        or (list_contains($judges, judge_id) and list_contains($templates, template))
    )
order by
    speaker_kind is distinct from 'model',
    max(difference) over (partition by source) desc nulls last,
    source, difference desc nulls last, judge_id, template""")

# Judges of a speaker's family beside all judges of other families, the largest first.
self_preference = query("""
select
    source, speaker_family, template, judge_id, is_self, self_preference, self_preference_low,
    self_preference_high, self_preference_failures_lowest, self_preference_failures_highest,
    own_difference, other_difference, n_own_judges, n_other_judges, n_other_families,
    n_judges_left_out, n_units, incomplete_count, n_answers, failure_count, undefined_reason,
    interval_reason
from rpt_self_preference
where dataset_id = $dataset
    and dimension = $dimension
    and list_contains($templates, template)
    and source = $speaker
order by self_preference desc nulls last, judge_id, template""")

# What style has to do with how one judge scores a speaker and people.
style = query("""
select
    feature, judge_id, template, speaker_feature_mean, human_feature_mean, overlap_share,
    slope, slope_low, slope_high, difference, difference_low, difference_high,
    difference_adjusted, difference_adjusted_low, difference_adjusted_high,
    explained, explained_low, explained_high, feature_sd, n_units, n_speeches, n_human_speeches,
    slope_reason, adjusted_reason
from rpt_style_effect
where dataset_id = $dataset
    and dimension = $dimension
    and (judge_id = 'human' or list_contains($templates, template))
    and source = $speaker
    and judge_id = $judge
order by
    template,
    list_position(
        ['word_count', 'paragraph_count', 'marker_count', 'mean_sentence_words', 'reading_ease'],
        feature
    )""")

# What asking models for speeches on a data set's topics brought.
writing = query("""
select
    judge_id, speaker_family, template, word_limit, n_requests, n_units, n_speeches,
    speech_share, speech_share_low, speech_share_high,
    refused_count, unreadable_count, truncated_count, failed_count, stale_count, cut_count,
    mean_words, mean_words_low, mean_words_high, mean_words_written, words_reason, cost_usd
from rpt_speech_writing
where dataset_id = $dataset
order by judge_id, template, word_limit""")
