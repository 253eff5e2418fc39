-- What each model and test was last built and passed from; a model without a row is built again.
create table audit.nodes (
    unique_id varchar primary key, fingerprint varchar not null, build_id bigint not null
);
