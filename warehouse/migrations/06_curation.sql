-- How a set of debatable questions was curated: the steps, what their rules removed and why, what
-- people said of partial answers, and how documents and points of view look when examined.
create table raw.curation_steps (
    dataset_id varchar not null, step varchar not null, step_order integer not null,
    is_done boolean not null, embedder varchar, model varchar, reranker varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.curation_rules (
    dataset_id varchar not null, step varchar not null, step_order integer not null,
    unit varchar not null, rule_order integer not null, rule varchar not null,
    effect varchar not null, n_before bigint, n_affected bigint not null,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.curation_removals (
    dataset_id varchar not null, step varchar not null, unit varchar not null,
    item_id varchar not null, rule varchar not null, text varchar, detail varchar not null,
    because_of varchar, _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.curation_annotations (
    dataset_id varchar not null, partial_answer_id varchar not null, question_id varchar not null,
    annotator_id varchar not null, task varchar not null, is_met boolean not null,
    text_hash varchar, _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.curation_chunks (
    dataset_id varchar not null, chunk_id varchar not null, question_id varchar not null,
    document_id varchar not null, position integer not null, similarity double not null,
    chunk_rank integer not null, nearest_partial_answer_id varchar, nearest_similarity double,
    is_covered boolean, _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.curation_pairs (
    dataset_id varchar not null, question_id varchar not null, first_id varchar not null,
    second_id varchar not null, similarity double not null, is_distinct boolean not null,
    _source_file varchar not null, _loaded_at timestamp not null
);
