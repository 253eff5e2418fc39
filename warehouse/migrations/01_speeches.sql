create schema raw;
create schema audit;

create table raw.datasets (
    dataset_id varchar primary key, title varchar not null, licence varchar not null,
    citation varchar, url varchar, is_sample boolean not null,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.dimensions (
    dataset_id varchar not null, dimension varchar not null, question varchar not null,
    scale_min double not null, scale_max double not null,
    _source_file varchar not null, _loaded_at timestamp not null,
    primary key (dataset_id, dimension)
);
create table raw.debates (
    debate_id varchar primary key, dataset_id varchar not null, motion varchar not null,
    format varchar not null, context varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.speeches (
    item_id varchar primary key, dataset_id varchar not null, debate_id varchar not null,
    source varchar not null, text varchar not null, word_count integer not null,
    item_hash varchar not null, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
-- A key on ratings and scores would cost thirty times the load; loads replace by key instead, and
-- dbt tests uniqueness.
create table raw.human_ratings (
    dataset_id varchar not null, item_id varchar not null, annotator_id varchar not null,
    dimension varchar not null, value double not null,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.judges (
    judge_id varchar primary key, provider varchar not null, model varchar not null,
    family varchar, size_b_params double, settings varchar not null,
    settings_hash varchar not null, _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.ensembles (ensemble varchar not null, judge_id varchar not null,
    _source_file varchar not null, _loaded_at timestamp not null);
create table raw.runs (
    run_id varchar primary key, experiment varchar not null, judge_id varchar not null,
    origin varchar not null, settings_hash varchar not null, settings varchar not null,
    item_file varchar, planned bigint not null, code_version varchar not null,
    started_at timestamp, ended_at timestamp, status varchar not null,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.scores (
    run_id varchar not null, request_id varchar not null, experiment varchar not null,
    judge_id varchar not null, settings_hash varchar not null, dataset_id varchar not null,
    item_id varchar not null, item_hash varchar, template varchar not null,
    wording varchar not null, prompt_hash varchar, dimension varchar not null,
    sample integer not null, response varchar, request_status varchar not null,
    error_kind varchar, finish_reason varchar, value double, value_released double,
    parse_status varchar not null, parse_reason varchar, tokens_in bigint, tokens_out bigint,
    latency_s double, cost_usd double, answered_at timestamp, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.quarantine (
    load_id bigint not null, source varchar not null, file varchar not null,
    record varchar not null, field varchar, reason varchar not null, original varchar,
    _loaded_at timestamp not null
);
create table raw.loads (
    load_id bigint primary key, kind varchar not null, source varchar not null,
    file varchar not null, sha256 varchar, rows_new bigint not null, rows_updated bigint not null,
    rows_unchanged bigint not null, rows_quarantined bigint not null, loaded_at timestamp not null
);
create table audit.builds (
    build_id bigint primary key, started_at timestamp not null, finished_at timestamp,
    invocation_id varchar, raw_load_id bigint not null, project_hash varchar not null,
    expected_count bigint, passed_count bigint, problems varchar not null
);
