-- Verdicts on debates, label probabilities, and what an answer owes to the way it was asked for.
alter table raw.runs add column parser_version varchar;
alter table raw.scores add column answer_format varchar;
alter table raw.scores add column attempts integer;
alter table raw.scores add column tokens_cached bigint;
alter table raw.scores add column source_record varchar;
alter table raw.speeches add column speech_order integer;
alter table raw.speeches add column round varchar;
alter table raw.speeches add column side varchar;
alter table raw.speeches add column speaker varchar;
alter table raw.debates add column extra varchar;
create table raw.verdicts (
    run_id varchar not null, request_id varchar not null, experiment varchar not null,
    judge_id varchar not null, settings_hash varchar not null, dataset_id varchar not null,
    debate_id varchar not null, item_hash varchar, template varchar not null,
    wording varchar not null, prompt_hash varchar, pro_label varchar, con_label varchar,
    first_side varchar, outcome varchar not null, reasoning boolean, answer_order varchar,
    sample integer not null, response varchar, request_status varchar not null,
    error_kind varchar, finish_reason varchar, winner varchar, p_pro double, p_pro_low double,
    p_pro_high double, parse_status varchar not null, parse_reason varchar, answer_format varchar,
    attempts integer, tokens_in bigint, tokens_cached bigint, tokens_out bigint,
    latency_s double, cost_usd double, answered_at timestamp, source_record varchar,
    extra varchar, _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.label_probabilities (
    run_id varchar not null, request_id varchar not null, label varchar not null,
    logprob double, p double, p_low double not null, p_high double not null,
    _source_file varchar not null, _loaded_at timestamp not null
);
