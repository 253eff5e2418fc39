-- From a table per record to tables that kinds share: items, parts, ratings, responses and their values,
-- links and removals. What only one kind has becomes `facts`, a JSON object; views type it again.
create table raw.items (
    kind varchar not null,
    dataset_id varchar,
    facts varchar,
    extra varchar,
    item_id varchar not null,
    parent_id varchar,
    title varchar,
    text varchar,
    item_hash varchar,
    _source_file varchar not null,
    _loaded_at timestamp not null
);
create table raw.parts (
    kind varchar not null,
    dataset_id varchar,
    facts varchar,
    extra varchar,
    item_id varchar not null,
    part_id varchar,
    position integer,
    text varchar,
    part_hash varchar,
    _source_file varchar not null,
    _loaded_at timestamp not null
);
create table raw.ratings (
    kind varchar not null,
    dataset_id varchar,
    facts varchar,
    extra varchar,
    item_id varchar not null,
    annotator_id varchar,
    dimension varchar,
    place varchar,
    step integer,
    value double,
    choice varchar,
    _source_file varchar not null,
    _loaded_at timestamp not null
);
create table raw.responses (
    kind varchar not null,
    dataset_id varchar,
    facts varchar,
    extra varchar,
    run_id varchar not null,
    request_id varchar not null,
    part integer not null,
    experiment varchar not null,
    judge_id varchar not null,
    settings_hash varchar not null,
    item_id varchar,
    item_hash varchar,
    template varchar not null,
    wording varchar not null,
    prompt_hash varchar,
    sample integer,
    request_status varchar,
    error_kind varchar,
    finish_reason varchar,
    response varchar,
    parse_status varchar,
    parse_reason varchar,
    answer_format varchar,
    attempts integer,
    tokens_in bigint,
    tokens_cached bigint,
    tokens_out bigint,
    latency_s double,
    cost_usd double,
    answered_at timestamp,
    source_record varchar,
    _source_file varchar not null,
    _loaded_at timestamp not null
);
create table raw.response_values (
    kind varchar not null,
    dataset_id varchar,
    facts varchar,
    extra varchar,
    run_id varchar not null,
    request_id varchar not null,
    part integer not null,
    position integer,
    name varchar,
    place varchar,
    value double,
    low double,
    high double,
    choice varchar,
    text varchar,
    _source_file varchar not null,
    _loaded_at timestamp not null
);
create table raw.item_links (
    kind varchar not null,
    dataset_id varchar,
    facts varchar,
    extra varchar,
    from_id varchar,
    to_id varchar,
    position integer,
    value double,
    _source_file varchar not null,
    _loaded_at timestamp not null
);
create table raw.removals (
    kind varchar not null,
    dataset_id varchar,
    facts varchar,
    extra varchar,
    step varchar,
    unit varchar,
    rule_order integer,
    rule varchar,
    item_id varchar,
    reason varchar,
    _source_file varchar not null,
    _loaded_at timestamp not null
);
insert into raw.items (kind, dataset_id, extra, item_id, title, facts, _source_file, _loaded_at)
    select 'debate', dataset_id, extra, debate_id, motion, json_merge_patch('{}',
    json_object('format', format, 'context', context, 'category', category, 'round_count',
    round_count, 'end_side', end_side, 'start_date', start_date, 'voter_count', voter_count,
    'cluster_id', cluster_id, 'twin_id', twin_id))::varchar, _source_file, _loaded_at from
    raw.debates;
drop table raw.debates;
insert into raw.items (kind, dataset_id, extra, item_id, parent_id, text, item_hash, facts,
    _source_file, _loaded_at) select 'speech', dataset_id, extra, item_id, debate_id, text,
    item_hash, json_merge_patch('{}', json_object('source', source, 'speech_order', speech_order,
    'round', round, 'side', side, 'speaker', speaker, 'speaker_role', speaker_role, 'role', role,
    'start_s', case when isfinite(start_s) then to_json(start_s) else to_json(start_s::varchar)
    end, 'end_s', case when isfinite(end_s) then to_json(end_s) else to_json(end_s::varchar) end,
    'word_count', word_count))::varchar, _source_file, _loaded_at from raw.speeches where
    speech_order is null;
insert into raw.parts (kind, dataset_id, extra, item_id, part_id, position, text, part_hash,
    facts, _source_file, _loaded_at) select 'turn', dataset_id, extra, debate_id, item_id,
    speech_order, text, item_hash, json_merge_patch('{}', json_object('source', source, 'round',
    round, 'side', side, 'speaker', speaker, 'speaker_role', speaker_role, 'role', role,
    'start_s', case when isfinite(start_s) then to_json(start_s) else to_json(start_s::varchar)
    end, 'end_s', case when isfinite(end_s) then to_json(end_s) else to_json(end_s::varchar) end,
    'word_count', word_count))::varchar, _source_file, _loaded_at from raw.speeches where
    speech_order is not null;
drop table raw.speeches;
insert into raw.items (kind, dataset_id, item_id, title, facts, _source_file, _loaded_at) select
    'participant', dataset_id, participant_id, name, json_merge_patch('{}',
    json_object('debate_count', debate_count, 'won_count', won_count, 'lost_count', lost_count,
    'tied_count', tied_count, 'voted_count', voted_count, 'elo', case when isfinite(elo) then
    to_json(elo) else to_json(elo::varchar) end, 'win_ratio', case when isfinite(win_ratio) then
    to_json(win_ratio) else to_json(win_ratio::varchar) end, 'political_ideology',
    political_ideology, 'religious_ideology', religious_ideology, 'big_issues',
    big_issues))::varchar, _source_file, _loaded_at from raw.participants;
drop table raw.participants;
insert into raw.items (kind, dataset_id, extra, item_id, title, text, item_hash, facts,
    _source_file, _loaded_at) select 'story', dataset_id, extra, story_id, title, text, text_hash,
    json_merge_patch('{}', json_object('author', author, 'source', source, 'url', url, 'year',
    year, 'licence', licence, 'topic', topic, 'word_count', word_count))::varchar, _source_file,
    _loaded_at from raw.stories;
drop table raw.stories;
insert into raw.items (kind, dataset_id, extra, item_id, parent_id, title, item_hash, facts,
    _source_file, _loaded_at) select 'reading_question', dataset_id, extra, question_id, story_id,
    question, item_hash, json_merge_patch('{}', json_object('answer_0', answer_0, 'answer_1',
    answer_1, 'right_answer', right_answer, 'options', options, 'is_best_distractor',
    is_best_distractor, 'split', split, 'is_difficult', is_difficult, 'answerability', case when
    isfinite(answerability) then to_json(answerability) else to_json(answerability::varchar) end,
    'untimed_accuracy', case when isfinite(untimed_accuracy) then to_json(untimed_accuracy) else
    to_json(untimed_accuracy::varchar) end, 'speed_accuracy', case when isfinite(speed_accuracy)
    then to_json(speed_accuracy) else to_json(speed_accuracy::varchar) end, 'context_required',
    case when isfinite(context_required) then to_json(context_required) else
    to_json(context_required::varchar) end, 'removal_rule', removal_rule, 'removal_reason',
    removal_reason))::varchar, _source_file, _loaded_at from raw.reading_questions;
drop table raw.reading_questions;
insert into raw.items (kind, dataset_id, extra, item_id, title, item_hash, facts, _source_file,
    _loaded_at) select 'question', dataset_id, extra, question_id, question, item_hash,
    json_merge_patch('{}', json_object('split', split, 'origin', origin, 'domain',
    domain))::varchar, _source_file, _loaded_at from raw.questions;
drop table raw.questions;
insert into raw.items (kind, dataset_id, extra, item_id, parent_id, title, text, facts,
    _source_file, _loaded_at) select 'document', dataset_id, extra, document_id, question_id,
    title, text, json_merge_patch('{}', json_object('position', position, 'url', url,
    'top_level_domain', top_level_domain, 'word_count', word_count))::varchar, _source_file,
    _loaded_at from raw.documents;
drop table raw.documents;
insert into raw.items (kind, dataset_id, extra, item_id, title, facts, _source_file, _loaded_at)
    select 'transcript', dataset_id, extra, transcript_id, title, json_merge_patch('{}',
    json_object('motion', motion, 'info_slide', info_slide, 'origin', origin, 'transcriber',
    transcriber, 'corrector', corrector, 'segmenter', segmenter, 'status', status, 'reason',
    reason, 'max_word_error_rate', case when isfinite(max_word_error_rate) then
    to_json(max_word_error_rate) else to_json(max_word_error_rate::varchar) end,
    'word_error_rate', case when isfinite(word_error_rate) then to_json(word_error_rate) else
    to_json(word_error_rate::varchar) end, 'verified_by', verified_by, 'verified_at',
    verified_at))::varchar, _source_file, _loaded_at from raw.transcripts;
drop table raw.transcripts;
insert into raw.items (kind, dataset_id, item_id, title, facts, _source_file, _loaded_at) select
    'key_point_analysis', dataset_id, analysis_id, name, json_merge_patch('{}',
    json_object('is_labelled', is_labelled, 'dimension', dimension, 'template', template,
    'rephraser', rephraser, 'embedder', embedder, 'polarity_by', polarity_by, 'match_threshold',
    case when isfinite(match_threshold) then to_json(match_threshold) else
    to_json(match_threshold::varchar) end, 'redundancy_threshold', case when
    isfinite(redundancy_threshold) then to_json(redundancy_threshold) else
    to_json(redundancy_threshold::varchar) end, 'method_hash', method_hash, 'settings', settings,
    'seed', seed, 'code_version', code_version, 'made_at', made_at))::varchar, _source_file,
    _loaded_at from raw.key_point_analyses;
drop table raw.key_point_analyses;
insert into raw.parts (kind, dataset_id, extra, item_id, part_id, position, text, part_hash,
    facts, _source_file, _loaded_at) select 'partial_answer', dataset_id, extra, question_id,
    partial_answer_id, position, point_of_view, text_hash, json_merge_patch('{}',
    json_object('explanation', explanation, 'document_ids', document_ids))::varchar, _source_file,
    _loaded_at from raw.partial_answers;
drop table raw.partial_answers;
insert into raw.parts (kind, dataset_id, item_id, position, text, facts, _source_file, _loaded_at)
    select 'transcript_segment', dataset_id, transcript_id, position, raw_text,
    json_merge_patch('{}', json_object('role', role, 'speaker', speaker, 'start_s', case when
    isfinite(start_s) then to_json(start_s) else to_json(start_s::varchar) end, 'end_s', case when
    isfinite(end_s) then to_json(end_s) else to_json(end_s::varchar) end, 'corrected_text',
    corrected_text, 'verified_text', verified_text, 'word_error_rate', case when
    isfinite(word_error_rate) then to_json(word_error_rate) else to_json(word_error_rate::varchar)
    end, 'changed_words', changed_words, 'status', status, 'reason', reason))::varchar,
    _source_file, _loaded_at from raw.transcript_segments;
drop table raw.transcript_segments;
insert into raw.parts (kind, dataset_id, item_id, part_id, position, facts, _source_file,
    _loaded_at) select 'curation_chunk', dataset_id, document_id, chunk_id, position,
    json_merge_patch('{}', json_object('question_id', question_id, 'similarity', case when
    isfinite(similarity) then to_json(similarity) else to_json(similarity::varchar) end,
    'chunk_rank', chunk_rank, 'nearest_partial_answer_id', nearest_partial_answer_id,
    'nearest_similarity', case when isfinite(nearest_similarity) then to_json(nearest_similarity)
    else to_json(nearest_similarity::varchar) end, 'is_covered', is_covered))::varchar,
    _source_file, _loaded_at from raw.curation_chunks;
drop table raw.curation_chunks;
insert into raw.parts (kind, item_id, part_id, text, facts, _source_file, _loaded_at) select
    'key_point_justification', analysis_id, request_id, justification, json_merge_patch('{}',
    json_object('judge_id', judge_id, 'item_id', item_id, 'run_id', run_id, 'sample', sample,
    'rephrased', rephrased, 'rephrased_by', rephrased_by, 'status', status, 'reason', reason,
    'sentence_count', sentence_count, 'word_count', word_count))::varchar, _source_file,
    _loaded_at from raw.key_point_justifications;
drop table raw.key_point_justifications;
insert into raw.parts (kind, item_id, part_id, position, text, facts, _source_file, _loaded_at)
    select 'key_point_sentence', analysis_id, sentence_id, position, text, json_merge_patch('{}',
    json_object('judge_id', judge_id, 'item_id', item_id, 'request_id', request_id, 'word_count',
    word_count, 'polarity', polarity, 'polarity_score', case when isfinite(polarity_score) then
    to_json(polarity_score) else to_json(polarity_score::varchar) end, 'removal_reason',
    removal_reason, 'is_candidate', is_candidate, 'candidate_reason', candidate_reason,
    'selection_reason', selection_reason, 'redundant_with', redundant_with, 'key_point_id',
    key_point_id, 'similarity', case when isfinite(similarity) then to_json(similarity) else
    to_json(similarity::varchar) end))::varchar, _source_file, _loaded_at from
    raw.key_point_sentences;
drop table raw.key_point_sentences;
insert into raw.parts (kind, item_id, part_id, position, text, facts, _source_file, _loaded_at)
    select 'key_point', analysis_id, key_point_id, position, text, json_merge_patch('{}',
    json_object('polarity', polarity, 'sentence_id', sentence_id, 'gain', gain))::varchar,
    _source_file, _loaded_at from raw.key_points;
drop table raw.key_points;
insert into raw.ratings (kind, dataset_id, item_id, annotator_id, dimension, value, _source_file,
    _loaded_at) select 'rating', dataset_id, item_id, annotator_id, dimension, value,
    _source_file, _loaded_at from raw.human_ratings;
drop table raw.human_ratings;
insert into raw.ratings (kind, dataset_id, extra, item_id, annotator_id, step, value, choice,
    facts, _source_file, _loaded_at) select 'verdict', dataset_id, extra, debate_id, judge_id,
    step, p_pro, choice, json_merge_patch('{}', json_object('protocol', protocol, 'mode', mode,
    'is_interactive', is_interactive, 'is_final', is_final, 'explanation', explanation,
    'judged_at', judged_at))::varchar, _source_file, _loaded_at from raw.human_verdicts;
drop table raw.human_verdicts;
insert into raw.ratings (kind, dataset_id, extra, item_id, annotator_id, dimension, value, choice,
    facts, _source_file, _loaded_at) select 'outcome', dataset_id, extra, debate_id, decided_by,
    criterion, margin, winner, json_merge_patch('{}', json_object('is_primary', is_primary,
    'votes_pro', votes_pro, 'votes_con', votes_con, 'votes_tie', votes_tie, 'score_pro', case when
    isfinite(score_pro) then to_json(score_pro) else to_json(score_pro::varchar) end, 'score_con',
    case when isfinite(score_con) then to_json(score_con) else to_json(score_con::varchar)
    end))::varchar, _source_file, _loaded_at from raw.debate_outcomes;
drop table raw.debate_outcomes;
insert into raw.ratings (kind, dataset_id, extra, item_id, annotator_id, value, choice, facts,
    _source_file, _loaded_at) select 'logged_verdict', dataset_id, extra, debate_id, judge,
    margin, winner, json_merge_patch('{}', json_object('motion', motion, 'pro_debater',
    pro_debater, 'con_debater', con_debater, 'pro_words', pro_words, 'con_words', con_words,
    'pro_family', pro_family, 'con_family', con_family, 'judge_family', judge_family))::varchar,
    _source_file, _loaded_at from raw.logged_verdicts;
drop table raw.logged_verdicts;
insert into raw.ratings (kind, dataset_id, extra, item_id, annotator_id, place, value, facts,
    _source_file, _loaded_at) select 'team_result', dataset_id, extra, debate_id, decided_by,
    house, points, json_merge_patch('{}', json_object('team', team, 'team_rank', team_rank,
    'is_swing', is_swing))::varchar, _source_file, _loaded_at from raw.team_results;
drop table raw.team_results;
insert into raw.ratings (kind, dataset_id, extra, item_id, annotator_id, place, value, facts,
    _source_file, _loaded_at) select 'speaker_result', dataset_id, extra, debate_id, decided_by,
    role, score, json_merge_patch('{}', json_object('speaker', speaker, 'is_ghost',
    is_ghost))::varchar, _source_file, _loaded_at from raw.speaker_results;
drop table raw.speaker_results;
insert into raw.ratings (kind, dataset_id, extra, item_id, annotator_id, choice, facts,
    _source_file, _loaded_at) select 'preference', dataset_id, extra, question_id, annotator_id,
    choice, json_merge_patch('{}', json_object('answer_a', answer_a, 'answer_b',
    answer_b))::varchar, _source_file, _loaded_at from raw.preferences;
drop table raw.preferences;
insert into raw.ratings (kind, dataset_id, item_id, annotator_id, dimension, value, choice, facts,
    _source_file, _loaded_at) select 'annotation', dataset_id, instance_id, annotator_id,
    dimension, value, label, json_merge_patch('{}', json_object('text_id', text_id, 'is_judge',
    is_judge))::varchar, _source_file, _loaded_at from raw.annotations;
drop table raw.annotations;
insert into raw.ratings (kind, dataset_id, item_id, annotator_id, dimension, facts, _source_file,
    _loaded_at) select 'curation', dataset_id, partial_answer_id, annotator_id, task,
    json_merge_patch('{}', json_object('question_id', question_id, 'is_met', is_met, 'text_hash',
    text_hash))::varchar, _source_file, _loaded_at from raw.curation_annotations;
drop table raw.curation_annotations;
insert into raw.ratings (kind, item_id, annotator_id, dimension, value, _source_file, _loaded_at)
    select 'sample_label', item_id, annotator_id, sample_id, value, _source_file, _loaded_at from
    raw.sample_labels;
drop table raw.sample_labels;
insert into raw.ratings (kind, item_id, choice, facts, _source_file, _loaded_at) select
    'key_point_label', sentence_id, key_point, json_merge_patch('{}', json_object('text', text,
    'polarity', polarity, 'split', split))::varchar, _source_file, _loaded_at from
    raw.key_point_labels;
drop table raw.key_point_labels;
insert into raw.item_links (kind, from_id, to_id, _source_file, _loaded_at) select 'ensemble',
    ensemble, judge_id, _source_file, _loaded_at from raw.ensembles;
drop table raw.ensembles;
insert into raw.item_links (kind, dataset_id, extra, from_id, to_id, facts, _source_file,
    _loaded_at) select 'adjudicator', dataset_id, extra, debate_id, adjudicator_id,
    json_merge_patch('{}', json_object('name', name, 'is_chair', is_chair, 'is_trainee',
    is_trainee))::varchar, _source_file, _loaded_at from raw.adjudicators;
drop table raw.adjudicators;
insert into raw.item_links (kind, dataset_id, from_id, to_id, position, facts, _source_file,
    _loaded_at) select 'transcript_match', dataset_id, transcript, result_row, match_order,
    json_merge_patch('{}', json_object('status', status, 'reason', reason, 'debate_id', debate_id,
    'candidates', candidates))::varchar, _source_file, _loaded_at from raw.transcript_matches;
drop table raw.transcript_matches;
insert into raw.item_links (kind, dataset_id, from_id, to_id, value, facts, _source_file,
    _loaded_at) select 'curation_pair', dataset_id, first_id, second_id, similarity,
    json_merge_patch('{}', json_object('question_id', question_id, 'is_distinct',
    is_distinct))::varchar, _source_file, _loaded_at from raw.curation_pairs;
drop table raw.curation_pairs;
insert into raw.item_links (kind, from_id, to_id, value, facts, _source_file, _loaded_at) select
    'key_point_match', sentence_id, key_point_id, similarity, json_merge_patch('{}',
    json_object('analysis_id', analysis_id, 'is_matched', is_matched, 'is_best',
    is_best))::varchar, _source_file, _loaded_at from raw.key_point_matches;
drop table raw.key_point_matches;
insert into raw.item_links (kind, from_id, to_id, position, facts, _source_file, _loaded_at)
    select 'sampled_item', sample_id, item_id, position, json_merge_patch('{}',
    json_object('stratum', stratum))::varchar, _source_file, _loaded_at from raw.sampled_items;
drop table raw.sampled_items;
insert into raw.item_links (kind, dataset_id, from_id, to_id, facts, _source_file, _loaded_at)
    select 'anchor_item', dataset_id, anchor_set, item_id, json_merge_patch('{}',
    json_object('item_hash', item_hash, 'experiment', experiment, 'follows', follows, 'made_at',
    made_at))::varchar, _source_file, _loaded_at from raw.anchor_items;
drop table raw.anchor_items;
insert into raw.removals (kind, dataset_id, rule_order, rule, facts, _source_file, _loaded_at)
    select 'filter_rule', dataset_id, rule_order, rule, json_merge_patch('{}',
    json_object('description', description, 'setting', setting))::varchar, _source_file,
    _loaded_at from raw.filter_rules;
drop table raw.filter_rules;
insert into raw.removals (kind, dataset_id, rule_order, rule, item_id, reason, facts,
    _source_file, _loaded_at) select 'debate', dataset_id, rule_order, rule, debate_id, reason,
    json_merge_patch('{}', json_object('is_removed', is_removed))::varchar, _source_file,
    _loaded_at from raw.debate_filters;
drop table raw.debate_filters;
insert into raw.removals (kind, dataset_id, step, facts, _source_file, _loaded_at) select
    'curation_step', dataset_id, step, json_merge_patch('{}', json_object('step_order',
    step_order, 'is_done', is_done, 'embedder', embedder, 'model', model, 'reranker',
    reranker))::varchar, _source_file, _loaded_at from raw.curation_steps;
drop table raw.curation_steps;
insert into raw.removals (kind, dataset_id, step, unit, rule_order, rule, facts, _source_file,
    _loaded_at) select 'curation_rule', dataset_id, step, unit, rule_order, rule,
    json_merge_patch('{}', json_object('step_order', step_order, 'effect', effect, 'n_before',
    n_before, 'n_affected', n_affected))::varchar, _source_file, _loaded_at from
    raw.curation_rules;
drop table raw.curation_rules;
insert into raw.removals (kind, dataset_id, step, unit, rule, item_id, reason, facts,
    _source_file, _loaded_at) select 'curation', dataset_id, step, unit, rule, item_id, detail,
    json_merge_patch('{}', json_object('text', text, 'because_of', because_of))::varchar,
    _source_file, _loaded_at from raw.curation_removals;
drop table raw.curation_removals;
insert into raw.responses (kind, dataset_id, extra, run_id, request_id, part, experiment,
    judge_id, settings_hash, item_id, item_hash, template, wording, prompt_hash, sample,
    request_status, error_kind, finish_reason, response, parse_status, parse_reason,
    answer_format, attempts, tokens_in, tokens_cached, tokens_out, latency_s, cost_usd,
    answered_at, source_record, facts, _source_file, _loaded_at) select 'score', dataset_id,
    extra, run_id, request_id, coalesce(part, 0), experiment, judge_id, settings_hash, item_id,
    item_hash, template, wording, prompt_hash, sample, request_status, error_kind, finish_reason,
    response, parse_status, parse_reason, answer_format, attempts, tokens_in, tokens_cached,
    tokens_out, latency_s, cost_usd, answered_at, source_record, json_merge_patch('{}',
    json_object('item_kind', item_kind, 'dimension', dimension))::varchar, _source_file,
    _loaded_at from raw.scores;
insert into raw.response_values (kind, dataset_id, run_id, request_id, part, value, name, facts,
    _source_file, _loaded_at) select 'score', dataset_id, run_id, request_id, coalesce(part, 0),
    value, dimension, json_merge_patch('{}', json_object('value_released', case when
    isfinite(value_released) then to_json(value_released) else to_json(value_released::varchar)
    end))::varchar, _source_file, _loaded_at from raw.scores where value is not null or
    value_released is not null;
drop table raw.scores;
insert into raw.responses (kind, dataset_id, extra, run_id, request_id, part, experiment,
    judge_id, settings_hash, item_id, item_hash, template, wording, prompt_hash, sample,
    request_status, error_kind, finish_reason, response, parse_status, parse_reason,
    answer_format, attempts, tokens_in, tokens_cached, tokens_out, latency_s, cost_usd,
    answered_at, source_record, facts, _source_file, _loaded_at) select 'written_speech',
    dataset_id, extra, run_id, request_id, coalesce(0, 0), experiment, judge_id, settings_hash,
    debate_id, item_hash, template, wording, prompt_hash, sample, request_status, error_kind,
    finish_reason, response, parse_status, parse_reason, answer_format, attempts, tokens_in,
    tokens_cached, tokens_out, latency_s, cost_usd, answered_at, source_record,
    json_merge_patch('{}', json_object('word_limit', word_limit, 'item_id', item_id,
    'word_count_written', word_count_written, 'word_count', word_count, 'removed_sentence_count',
    removed_sentence_count))::varchar, _source_file, _loaded_at from raw.written_speeches;
insert into raw.response_values (kind, dataset_id, run_id, request_id, part, text, _source_file,
    _loaded_at) select 'written_speech', dataset_id, run_id, request_id, coalesce(0, 0), speech,
    _source_file, _loaded_at from raw.written_speeches where speech is not null;
drop table raw.written_speeches;
insert into raw.responses (kind, dataset_id, extra, run_id, request_id, part, experiment,
    judge_id, settings_hash, item_id, item_hash, template, wording, prompt_hash, sample,
    request_status, error_kind, finish_reason, response, parse_status, parse_reason,
    answer_format, attempts, tokens_in, tokens_cached, tokens_out, latency_s, cost_usd,
    answered_at, source_record, facts, _source_file, _loaded_at) select 'verdict', dataset_id,
    extra, run_id, request_id, coalesce(0, 0), experiment, judge_id, settings_hash, debate_id,
    item_hash, template, wording, prompt_hash, sample, request_status, error_kind, finish_reason,
    response, parse_status, parse_reason, answer_format, attempts, tokens_in, tokens_cached,
    tokens_out, latency_s, cost_usd, answered_at, source_record, json_merge_patch('{}',
    json_object('pro_label', pro_label, 'con_label', con_label, 'first_side', first_side,
    'outcome', outcome, 'reasoning', reasoning, 'answer_order', answer_order, 'verbalizer',
    verbalizer, 'position', position))::varchar, _source_file, _loaded_at from raw.verdicts;
insert into raw.response_values (kind, dataset_id, run_id, request_id, part, value, low, high,
    choice, name, _source_file, _loaded_at) select 'verdict', dataset_id, run_id, request_id,
    coalesce(0, 0), p_pro, p_pro_low, p_pro_high, winner, outcome, _source_file, _loaded_at from
    raw.verdicts where winner is not null or p_pro is not null or p_pro_low is not null or
    p_pro_high is not null;
drop table raw.verdicts;
insert into raw.responses (kind, dataset_id, extra, run_id, request_id, part, experiment,
    judge_id, settings_hash, item_id, item_hash, template, wording, prompt_hash, sample,
    request_status, error_kind, finish_reason, response, parse_status, parse_reason,
    answer_format, attempts, tokens_in, tokens_cached, tokens_out, latency_s, cost_usd,
    answered_at, source_record, facts, _source_file, _loaded_at) select 'pressed_verdict',
    dataset_id, extra, run_id, request_id, coalesce(0, 0), experiment, judge_id, settings_hash,
    debate_id, item_hash, template, wording, prompt_hash, sample, request_status, error_kind,
    finish_reason, response, parse_status, parse_reason, answer_format, attempts, tokens_in,
    tokens_cached, tokens_out, latency_s, cost_usd, answered_at, source_record,
    json_merge_patch('{}', json_object('pro_label', pro_label, 'con_label', con_label,
    'first_side', first_side, 'outcome', outcome, 'reasoning', reasoning, 'answer_order',
    answer_order, 'verbalizer', verbalizer, 'position', position, 'rebuttal', rebuttal, 'said_by',
    said_by, 'first_template', first_template, 'first_winner', first_winner, 'first_request_id',
    first_request_id))::varchar, _source_file, _loaded_at from raw.pressed_verdicts;
insert into raw.response_values (kind, dataset_id, run_id, request_id, part, value, low, high,
    choice, name, _source_file, _loaded_at) select 'pressed_verdict', dataset_id, run_id,
    request_id, coalesce(0, 0), p_pro, p_pro_low, p_pro_high, winner, outcome, _source_file,
    _loaded_at from raw.pressed_verdicts where winner is not null or p_pro is not null or
    p_pro_low is not null or p_pro_high is not null;
drop table raw.pressed_verdicts;
insert into raw.responses (kind, dataset_id, extra, run_id, request_id, part, experiment,
    judge_id, settings_hash, item_id, item_hash, template, wording, prompt_hash, sample,
    request_status, error_kind, finish_reason, response, attempts, tokens_in, tokens_cached,
    tokens_out, latency_s, cost_usd, answered_at, source_record, facts, _source_file, _loaded_at)
    select 'answer', dataset_id, extra, run_id, request_id, coalesce(0, 0), experiment, judge_id,
    settings_hash, question_id, item_hash, template, wording, prompt_hash, sample, request_status,
    error_kind, finish_reason, response, attempts, tokens_in, tokens_cached, tokens_out,
    latency_s, cost_usd, answered_at, source_record, json_merge_patch('{}',
    json_object('answer_id', answer_id, 'temperature', case when isfinite(temperature) then
    to_json(temperature) else to_json(temperature::varchar) end, 'top_p', case when
    isfinite(top_p) then to_json(top_p) else to_json(top_p::varchar) end, 'target_tokens',
    target_tokens, 'retrieval', retrieval, 'is_trusted_only', is_trusted_only, 'answer_hash',
    answer_hash, 'word_count', word_count, 'retriever', retriever, 'documents_status',
    documents_status))::varchar, _source_file, _loaded_at from raw.answers;
drop table raw.answers;
insert into raw.responses (kind, dataset_id, extra, run_id, request_id, part, experiment,
    judge_id, settings_hash, item_id, item_hash, template, wording, prompt_hash, latency_s,
    answered_at, source_record, facts, _source_file, _loaded_at) select 'likelihood', dataset_id,
    extra, run_id, request_id, coalesce(part, 0), experiment, judge_id, settings_hash, answer_id,
    answer_hash, template, wording, prompt_hash, latency_s, answered_at, source_record,
    json_merge_patch('{}', json_object('partial_answer_id', partial_answer_id, 'text_hash',
    text_hash, 'metric', metric, 'status', status, 'context_token_count', context_token_count,
    'answer_token_count', answer_token_count))::varchar, _source_file, _loaded_at from (select *,
    row_number() over (partition by run_id, request_id order by partial_answer_id) - 1 as part
    from raw.likelihoods);
insert into raw.response_values (kind, dataset_id, run_id, request_id, part, value, name, facts,
    _source_file, _loaded_at) select 'likelihood', dataset_id, run_id, request_id, coalesce(part,
    0), value, metric, json_merge_patch('{}', json_object('logprob_sum', case when
    isfinite(logprob_sum) then to_json(logprob_sum) else to_json(logprob_sum::varchar) end,
    'token_count', token_count, 'token_logprobs', token_logprobs))::varchar, _source_file,
    _loaded_at from (select *, row_number() over (partition by run_id, request_id order by
    partial_answer_id) - 1 as part from raw.likelihoods) where value is not null or logprob_sum is
    not null or token_count is not null or token_logprobs is not null;
drop table raw.likelihoods;
insert into raw.responses (kind, dataset_id, extra, run_id, request_id, part, experiment,
    judge_id, settings_hash, item_id, item_hash, template, wording, prompt_hash, sample,
    request_status, error_kind, finish_reason, response, parse_status, parse_reason,
    answer_format, attempts, tokens_in, tokens_cached, tokens_out, latency_s, cost_usd,
    answered_at, source_record, facts, _source_file, _loaded_at) select 'adjudication',
    dataset_id, extra, run_id, request_id, coalesce(0, 0), experiment, judge_id, settings_hash,
    debate_id, item_hash, template, wording, prompt_hash, sample, request_status, error_kind,
    finish_reason, response, parse_status, parse_reason, answer_format, attempts, tokens_in,
    tokens_cached, tokens_out, latency_s, cost_usd, answered_at, source_record,
    json_merge_patch('{}', json_object('task', task, 'manual', manual, 'house_order', house_order,
    'named_order', named_order, 'strategy', strategy, 'has_motion', has_motion, 'has_info_slide',
    has_info_slide, 'context_tokens', context_tokens, 'is_context_exact',
    is_context_exact))::varchar, _source_file, _loaded_at from raw.adjudications;
drop table raw.adjudications;
insert into raw.responses (kind, dataset_id, extra, run_id, request_id, part, experiment,
    judge_id, settings_hash, item_id, item_hash, template, wording, prompt_hash, sample,
    request_status, error_kind, finish_reason, attempts, tokens_in, tokens_cached, tokens_out,
    latency_s, cost_usd, answered_at, source_record, facts, _source_file, _loaded_at) select
    'oversight_transcript', dataset_id, extra, run_id, request_id, coalesce(0, 0), experiment,
    judge_id, settings_hash, question_id, item_hash, template, wording, prompt_hash, sample,
    request_status, error_kind, finish_reason, attempts, tokens_in, tokens_cached, tokens_out,
    latency_s, cost_usd, answered_at, source_record, json_merge_patch('{}',
    json_object('transcript_id', transcript_id, 'protocol', protocol, 'turn_order', turn_order,
    'is_interactive', is_interactive, 'round_count', round_count, 'argued_answer', argued_answer,
    'opponent_id', opponent_id, 'asker_id', asker_id, 'word_limit', word_limit, 'best_of',
    best_of, 'preference_judge_id', preference_judge_id, 'refine_count', refine_count,
    'tournament', tournament, 'tournament_round', tournament_round, 'status', status, 'reason',
    reason, 'transcript_hash', transcript_hash))::varchar, _source_file, _loaded_at from
    raw.oversight_transcripts;
drop table raw.oversight_transcripts;
insert into raw.responses (kind, dataset_id, extra, run_id, request_id, part, experiment,
    judge_id, settings_hash, item_id, item_hash, template, wording, prompt_hash, sample,
    request_status, error_kind, finish_reason, response, parse_status, parse_reason,
    answer_format, attempts, tokens_in, tokens_cached, tokens_out, latency_s, cost_usd,
    answered_at, source_record, facts, _source_file, _loaded_at) select 'oversight_judgement',
    dataset_id, extra, run_id, request_id, coalesce(0, 0), experiment, judge_id, settings_hash,
    question_id, item_hash, template, wording, prompt_hash, sample, request_status, error_kind,
    finish_reason, response, parse_status, parse_reason, answer_format, attempts, tokens_in,
    tokens_cached, tokens_out, latency_s, cost_usd, answered_at, source_record,
    json_merge_patch('{}', json_object('transcript_id', transcript_id, 'protocol', protocol,
    'step', step, 'is_final', is_final, 'answer_order', answer_order, 'probe', probe,
    'probed_answer', probed_answer, 'asked_for', asked_for))::varchar, _source_file, _loaded_at
    from raw.oversight_judgements;
insert into raw.response_values (kind, dataset_id, run_id, request_id, part, value, choice,
    _source_file, _loaded_at) select 'oversight_judgement', dataset_id, run_id, request_id,
    coalesce(0, 0), p_answer_0, choice::varchar, _source_file, _loaded_at from
    raw.oversight_judgements where p_answer_0 is not null or choice is not null;
drop table raw.oversight_judgements;
insert into raw.response_values (kind, run_id, request_id, part, name, value, low, high, facts,
    _source_file, _loaded_at) select 'label_probability', run_id, request_id, coalesce(0, 0),
    label, p, p_low, p_high, json_merge_patch('{}', json_object('logprob', case when
    isfinite(logprob) then to_json(logprob) else to_json(logprob::varchar) end))::varchar,
    _source_file, _loaded_at from raw.label_probabilities;
drop table raw.label_probabilities;
insert into raw.response_values (kind, run_id, request_id, part, position, place, value, facts,
    _source_file, _loaded_at) select 'answer_document', run_id, request_id, coalesce(0, 0),
    document_rank, document_id, similarity, json_merge_patch('{}', json_object('chunk', chunk,
    'question_id', question_id, 'search', search, 'url', url, 'text_hash', text_hash))::varchar,
    _source_file, _loaded_at from raw.answer_documents;
drop table raw.answer_documents;
insert into raw.response_values (kind, run_id, request_id, part, place, choice, text, facts,
    _source_file, _loaded_at) select 'answer_page', run_id, request_id, coalesce(0, 0), address,
    page_status, detail, json_merge_patch('{}', json_object('sha256', sha256))::varchar,
    _source_file, _loaded_at from raw.answer_pages;
drop table raw.answer_pages;
insert into raw.response_values (kind, run_id, request_id, part, name, place, value, text,
    _source_file, _loaded_at) select 'adjudication', run_id, request_id, coalesce(0, 0), task,
    place, value, reason, _source_file, _loaded_at from raw.adjudication_values;
drop table raw.adjudication_values;
insert into raw.response_values (kind, run_id, request_id, part, name, choice, text, _source_file,
    _loaded_at) select 'adjudication_fault', run_id, request_id, coalesce(0, 0), task, fault,
    detail, _source_file, _loaded_at from raw.adjudication_faults;
drop table raw.adjudication_faults;
insert into raw.response_values (kind, extra, run_id, request_id, part, position, place, value,
    text, facts, _source_file, _loaded_at) select 'oversight_turn', extra, run_id, request_id,
    coalesce(0, 0), turn, speaker, preference, text, json_merge_patch('{}',
    json_object('transcript_id', transcript_id, 'round', round, 'argued_answer', argued_answer,
    'model_id', model_id, 'candidate', candidate, 'is_chosen', is_chosen, 'shown_text',
    shown_text, 'word_count', word_count, 'rejected_count', rejected_count, 'is_truncated',
    is_truncated, 'is_concession', is_concession, 'argues_other_side', argues_other_side,
    'is_malformed', is_malformed, 'tokens_in', tokens_in, 'tokens_out', tokens_out, 'cost_usd',
    case when isfinite(cost_usd) then to_json(cost_usd) else to_json(cost_usd::varchar)
    end))::varchar, _source_file, _loaded_at from raw.oversight_turns;
drop table raw.oversight_turns;
insert into raw.response_values (kind, run_id, request_id, part, position, value, text, facts,
    _source_file, _loaded_at) select 'oversight_quote', run_id, request_id, coalesce(0, 0),
    position, similarity, quote, json_merge_patch('{}', json_object('transcript_id',
    transcript_id, 'turn', turn, 'candidate', candidate, 'is_verified', is_verified,
    'story_start', story_start, 'story_end', story_end, 'written_as', written_as))::varchar,
    _source_file, _loaded_at from raw.oversight_quotes;
drop table raw.oversight_quotes;
insert into raw.response_values (kind, dataset_id, run_id, request_id, part, name, value, facts,
    _source_file, _loaded_at) select 'anchor_answer', dataset_id, run_id, request_id, coalesce(0,
    0), dimension, value, json_merge_patch('{}', json_object('anchor_set', anchor_set, 'wave',
    wave, 'judge_line', judge_line, 'judge_id', judge_id, 'item_id', item_id, 'item_hash',
    item_hash, 'template', template, 'prompt_hash', prompt_hash, 'settings_hash', settings_hash,
    'sample', sample, 'status', status, 'answered_at', answered_at))::varchar, _source_file,
    _loaded_at from raw.anchor_answers;
drop table raw.anchor_answers;
create table raw.new_datasets (
    dataset_id varchar not null,
    title varchar not null,
    licence varchar not null,
    citation varchar,
    url varchar,
    is_sample boolean not null,
    policy varchar,
    _source_file varchar not null,
    _loaded_at timestamp not null
);
insert into raw.new_datasets by name from raw.datasets;
drop table raw.datasets;
alter table raw.new_datasets rename to datasets;
create table raw.new_dimensions (
    dataset_id varchar not null,
    dimension varchar not null,
    question varchar not null,
    scale_min double not null,
    scale_max double not null,
    _source_file varchar not null,
    _loaded_at timestamp not null
);
insert into raw.new_dimensions by name from raw.dimensions;
drop table raw.dimensions;
alter table raw.new_dimensions rename to dimensions;
create table raw.new_judges (
    judge_id varchar not null,
    provider varchar not null,
    model varchar not null,
    settings varchar not null,
    settings_hash varchar not null,
    family varchar,
    size_b_params double,
    _source_file varchar not null,
    _loaded_at timestamp not null
);
insert into raw.new_judges by name from raw.judges;
drop table raw.judges;
alter table raw.new_judges rename to judges;
create table raw.new_runs (
    run_id varchar not null,
    experiment varchar not null,
    judge_id varchar not null,
    origin varchar not null,
    settings_hash varchar not null,
    settings varchar not null,
    item_file varchar,
    planned bigint not null,
    code_version varchar not null,
    parser_version varchar,
    started_at timestamp,
    ended_at timestamp,
    status varchar not null,
    _source_file varchar not null,
    _loaded_at timestamp not null
);
insert into raw.new_runs by name from raw.runs;
drop table raw.runs;
alter table raw.new_runs rename to runs;
create table raw.new_samples (
    sample_id varchar not null,
    task varchar not null,
    dataset_id varchar not null,
    dimension varchar not null,
    size integer not null,
    seed integer not null,
    drawn_at timestamp not null,
    sources varchar,
    strata varchar,
    labels varchar not null,
    raters integer not null,
    closed_at timestamp,
    policy varchar,
    _source_file varchar not null,
    _loaded_at timestamp not null
);
insert into raw.new_samples by name from raw.samples;
drop table raw.samples;
alter table raw.new_samples rename to samples;
create table raw.new_reviews (
    disagreement_id varchar not null,
    disagreement_kind varchar not null,
    unit_kind varchar not null,
    unit_id varchar not null,
    dataset_id varchar not null,
    judge_id varchar not null,
    template varchar not null,
    dimension varchar not null,
    response_id varchar not null,
    decision varchar not null,
    person varchar not null,
    decided_at timestamp not null,
    tags varchar,
    comment varchar,
    _source_file varchar not null,
    _loaded_at timestamp not null
);
insert into raw.new_reviews by name from raw.reviews;
drop table raw.reviews;
alter table raw.new_reviews rename to reviews;
create table raw.new_quarantine (
    load_id bigint not null,
    source varchar not null,
    file varchar not null,
    record varchar not null,
    field varchar,
    reason varchar not null,
    original varchar,
    _loaded_at timestamp not null
);
insert into raw.new_quarantine by name from raw.quarantine;
drop table raw.quarantine;
alter table raw.new_quarantine rename to quarantine;
create table raw.new_loads (
    load_id bigint not null,
    kind varchar not null,
    source varchar not null,
    file varchar not null,
    sha256 varchar,
    rows_new bigint not null,
    rows_updated bigint not null,
    rows_unchanged bigint not null,
    rows_quarantined bigint not null,
    loaded_at timestamp not null
);
insert into raw.new_loads by name from raw.loads;
drop table raw.loads;
alter table raw.new_loads rename to loads;
