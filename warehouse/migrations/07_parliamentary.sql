-- British Parliamentary debates: roles and times of speeches, what the tab says, what judges ruled,
-- how transcripts were matched to results, and transcripts on their way from a recording.
alter table raw.speeches add column role varchar;
alter table raw.speeches add column start_s double;
alter table raw.speeches add column end_s double;
create table raw.team_results (
    debate_id varchar not null, dataset_id varchar not null, decided_by varchar not null,
    house varchar not null, team varchar, team_rank integer, points double, is_swing boolean,
    extra varchar, _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.speaker_results (
    debate_id varchar not null, dataset_id varchar not null, decided_by varchar not null,
    role varchar not null, speaker varchar, score double, is_ghost boolean, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.adjudicators (
    debate_id varchar not null, dataset_id varchar not null, adjudicator_id varchar not null,
    name varchar, is_chair boolean, is_trainee boolean, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.transcript_matches (
    dataset_id varchar not null, match_order integer not null, transcript varchar,
    result_row varchar, debate_id varchar, status varchar not null, reason varchar not null,
    candidates varchar, _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.adjudications (
    run_id varchar not null, request_id varchar not null, experiment varchar not null,
    judge_id varchar not null, settings_hash varchar not null, dataset_id varchar not null,
    debate_id varchar not null, item_hash varchar, template varchar not null,
    wording varchar not null, prompt_hash varchar, task varchar not null, manual varchar not null,
    house_order varchar not null, named_order varchar, strategy varchar not null,
    has_motion boolean not null, has_info_slide boolean not null, sample integer not null,
    response varchar, request_status varchar not null, error_kind varchar, finish_reason varchar,
    parse_status varchar not null, parse_reason varchar, context_tokens bigint,
    is_context_exact boolean, answer_format varchar, attempts integer, tokens_in bigint,
    tokens_cached bigint, tokens_out bigint, latency_s double, cost_usd double,
    answered_at timestamp, source_record varchar, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.adjudication_values (
    run_id varchar not null, request_id varchar not null, task varchar not null,
    place varchar not null, value double, reason varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.adjudication_faults (
    run_id varchar not null, request_id varchar not null, task varchar not null,
    fault varchar not null, detail varchar not null,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.transcripts (
    transcript_id varchar not null, dataset_id varchar not null, title varchar not null,
    motion varchar, info_slide varchar, origin varchar not null, transcriber varchar,
    corrector varchar, segmenter varchar not null, status varchar not null, reason varchar,
    max_word_error_rate double, word_error_rate double, verified_by varchar,
    verified_at timestamp, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.transcript_segments (
    transcript_id varchar not null, dataset_id varchar not null, position integer not null,
    role varchar, speaker varchar, start_s double, end_s double, raw_text varchar not null,
    corrected_text varchar, verified_text varchar, word_error_rate double,
    changed_words integer, status varchar not null, reason varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
