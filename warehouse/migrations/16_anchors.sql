-- Items that are frozen and judged again in waves, and what judges said of them each time.
create table raw.anchor_items (
    anchor_set varchar not null,
    item_id varchar not null,
    dataset_id varchar not null,
    item_hash varchar,
    experiment varchar not null,
    follows varchar,
    made_at timestamp not null,
    _source_file varchar not null,
    _loaded_at timestamp not null,
    primary key (anchor_set, item_id)
);
create table raw.anchor_answers (
    anchor_set varchar not null,
    wave varchar not null,
    judge_line varchar not null,
    judge_id varchar not null,
    run_id varchar not null,
    request_id varchar not null,
    item_id varchar not null,
    dataset_id varchar not null,
    item_hash varchar,
    dimension varchar not null,
    template varchar not null,
    prompt_hash varchar,
    settings_hash varchar not null,
    sample integer not null,
    value double,
    status varchar not null,
    answered_at timestamp not null,
    _source_file varchar not null,
    _loaded_at timestamp not null,
    primary key (anchor_set, run_id, request_id)
);
