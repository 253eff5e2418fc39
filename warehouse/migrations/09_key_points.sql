-- Models as speakers, and why judges say what they say: replies to requests for a speech, and what
-- analyses of key points made of judges' justifications.
create table raw.written_speeches (
    run_id varchar not null, request_id varchar not null, experiment varchar not null,
    judge_id varchar not null, settings_hash varchar not null, dataset_id varchar not null,
    debate_id varchar not null, item_hash varchar, template varchar not null,
    wording varchar not null, prompt_hash varchar, word_limit integer, sample integer not null,
    response varchar, speech varchar, item_id varchar, word_count_written integer,
    word_count integer, removed_sentence_count integer, parse_status varchar not null,
    parse_reason varchar, request_status varchar not null, error_kind varchar,
    finish_reason varchar, answer_format varchar, attempts integer, tokens_in bigint,
    tokens_cached bigint, tokens_out bigint, latency_s double, cost_usd double,
    answered_at timestamp, source_record varchar, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.key_point_analyses (
    analysis_id varchar primary key, name varchar not null, is_labelled boolean not null,
    dataset_id varchar, dimension varchar, template varchar, rephraser varchar not null,
    embedder varchar not null, polarity_by varchar not null, match_threshold double not null,
    redundancy_threshold double not null, method_hash varchar not null, settings varchar not null,
    seed bigint not null, code_version varchar not null, made_at timestamp not null,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.key_point_justifications (
    analysis_id varchar not null, judge_id varchar not null, item_id varchar not null,
    request_id varchar not null, run_id varchar not null, sample integer not null,
    justification varchar, rephrased varchar, rephrased_by varchar, status varchar not null,
    reason varchar, sentence_count integer not null, word_count integer not null,
    _source_file varchar not null, _loaded_at timestamp not null
);
-- Judge, item and request are null in the labelled set, whose sentences no judge wrote.
create table raw.key_point_sentences (
    analysis_id varchar not null, sentence_id varchar not null, judge_id varchar, item_id varchar,
    request_id varchar, position integer not null, text varchar not null,
    word_count integer not null, polarity varchar, polarity_score double,
    removal_reason varchar, is_candidate boolean not null, candidate_reason varchar,
    selection_reason varchar, redundant_with varchar, key_point_id varchar, similarity double,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.key_points (
    analysis_id varchar not null, key_point_id varchar not null, polarity varchar not null,
    text varchar not null, sentence_id varchar not null, position integer not null,
    gain integer not null, _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.key_point_matches (
    analysis_id varchar not null, sentence_id varchar not null, key_point_id varchar not null,
    similarity double not null, is_matched boolean not null, is_best boolean not null,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.key_point_labels (
    sentence_id varchar not null, text varchar not null, polarity varchar not null,
    key_point varchar, split varchar not null,
    _source_file varchar not null, _loaded_at timestamp not null
);
