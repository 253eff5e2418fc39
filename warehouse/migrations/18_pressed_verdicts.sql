-- Verdicts under pressure: asked again after the side that lost, or the one that won, has spoken.
create table raw.pressed_verdicts (
    run_id varchar not null, request_id varchar not null, experiment varchar not null,
    judge_id varchar not null, settings_hash varchar not null, dataset_id varchar not null,
    debate_id varchar not null, item_hash varchar, template varchar not null,
    wording varchar not null, prompt_hash varchar, pro_label varchar, con_label varchar,
    first_side varchar, outcome varchar not null, reasoning boolean, answer_order varchar,
    verbalizer varchar, position varchar, rebuttal varchar not null, said_by varchar not null,
    first_template varchar not null, first_winner varchar not null,
    first_request_id varchar not null, sample integer not null, response varchar,
    request_status varchar not null, error_kind varchar, finish_reason varchar, winner varchar,
    p_pro double, p_pro_low double, p_pro_high double, parse_status varchar not null,
    parse_reason varchar, answer_format varchar, attempts integer, tokens_in bigint,
    tokens_cached bigint, tokens_out bigint, latency_s double, cost_usd double,
    answered_at timestamp, source_record varchar, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
