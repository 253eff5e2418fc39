-- Random samples of what people are to label. All items of the frame are kept in the order drawn.
create table raw.samples (
    sample_id varchar primary key,
    task varchar not null,
    dataset_id varchar not null,
    dimension varchar not null,
    sources varchar,
    strata varchar,
    labels varchar not null,
    size integer not null,
    raters integer not null,
    seed integer not null,
    drawn_at timestamp not null,
    closed_at timestamp,
    _source_file varchar not null,
    _loaded_at timestamp not null
);
create table raw.sampled_items (
    sample_id varchar not null,
    item_id varchar not null,
    position integer not null,
    stratum varchar not null,
    _source_file varchar not null,
    _loaded_at timestamp not null
);
create table raw.sample_labels (
    sample_id varchar not null,
    item_id varchar not null,
    annotator_id varchar not null,
    value double,
    _source_file varchar not null,
    _loaded_at timestamp not null
);
