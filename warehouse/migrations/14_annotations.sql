-- Annotations that come without the texts they are about: labels or scores of people and of models.
create table raw.annotations (
    dataset_id varchar not null,
    dimension varchar not null,
    instance_id varchar not null,
    text_id varchar not null,
    annotator_id varchar not null,
    is_judge boolean not null,
    label varchar,
    value double,
    _source_file varchar not null,
    _loaded_at timestamp not null,
    primary key (dataset_id, dimension, instance_id, annotator_id)
);
