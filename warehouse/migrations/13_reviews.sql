-- What people decide about disagreements. A later decision of a person is a row of its own.
create table raw.reviews (
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
    tags varchar,
    comment varchar,
    person varchar not null,
    decided_at timestamp not null,
    _source_file varchar not null,
    _loaded_at timestamp not null,
    primary key (disagreement_id, person, decided_at)
);
