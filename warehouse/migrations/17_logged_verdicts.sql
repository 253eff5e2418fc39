-- Logs of debates between models: what each judge made of each debate.
create table raw.logged_verdicts (
    debate_id varchar not null,
    dataset_id varchar not null,
    motion varchar not null,
    pro_debater varchar not null,
    con_debater varchar not null,
    judge varchar not null,
    winner varchar,
    margin double,
    pro_words bigint,
    con_words bigint,
    pro_family varchar,
    con_family varchar,
    judge_family varchar,
    extra varchar,
    _source_file varchar not null,
    _loaded_at timestamp not null,
    primary key (debate_id, judge)
);
