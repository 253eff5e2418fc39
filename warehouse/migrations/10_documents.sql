-- Which documents were behind an answer, and what became of pages from the web. Of answers from
-- before, and of imported ones, that is unknown.
alter table raw.answers add column retriever varchar;
alter table raw.answers add column documents_status varchar;
create table raw.answer_documents (
    run_id varchar not null, request_id varchar not null, document_rank integer not null,
    document_id varchar not null, chunk integer not null, similarity double not null,
    question_id varchar, search integer not null, url varchar, text_hash varchar not null,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.answer_pages (
    run_id varchar not null, request_id varchar not null, address varchar not null,
    page_status varchar not null, detail varchar, sha256 varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
