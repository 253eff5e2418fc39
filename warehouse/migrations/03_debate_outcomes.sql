-- What people decided about debates, which debates a rule removed, and verdicts by people.
alter table raw.debates add column category varchar;
alter table raw.debates add column round_count integer;
alter table raw.debates add column end_side varchar;
alter table raw.debates add column start_date date;
alter table raw.debates add column voter_count bigint;
alter table raw.speeches add column speaker_role varchar;
create table raw.debate_outcomes (
    debate_id varchar not null, dataset_id varchar not null, criterion varchar not null,
    decided_by varchar not null, is_primary boolean not null, winner varchar, margin double,
    votes_pro bigint, votes_con bigint, votes_tie bigint, score_pro double, score_con double,
    extra varchar, _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.filter_rules (
    dataset_id varchar not null, rule_order integer not null, rule varchar not null,
    description varchar not null, setting varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.debate_filters (
    debate_id varchar not null, dataset_id varchar not null, rule_order integer not null,
    rule varchar not null, is_removed boolean not null, reason varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.human_verdicts (
    debate_id varchar not null, dataset_id varchar not null, judge_id varchar not null,
    protocol varchar not null, mode varchar not null, is_interactive boolean not null,
    step integer not null, is_final boolean not null, choice varchar, p_pro double,
    explanation varchar, judged_at timestamp, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.participants (
    participant_id varchar not null, dataset_id varchar not null, name varchar not null,
    debate_count bigint, won_count bigint, lost_count bigint, tied_count bigint,
    voted_count bigint, elo double, win_ratio double, political_ideology varchar,
    religious_ideology varchar, big_issues varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
