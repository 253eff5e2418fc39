-- Debatable questions: the perspectives an answer should show, what models answered and how they
-- were asked, how likely language models find the perspectives given an answer, and what people
-- prefer.
alter table raw.scores add column item_kind varchar;
create table raw.questions (
    question_id varchar not null, dataset_id varchar not null, question varchar not null,
    split varchar, origin varchar, domain varchar, item_hash varchar not null, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.partial_answers (
    partial_answer_id varchar not null, dataset_id varchar not null, question_id varchar not null,
    position integer not null, point_of_view varchar not null, explanation varchar not null,
    text_hash varchar not null, document_ids varchar, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.documents (
    document_id varchar not null, dataset_id varchar not null, question_id varchar,
    position integer, url varchar, top_level_domain varchar, title varchar, text varchar not null,
    word_count integer not null, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.answers (
    answer_id varchar not null, run_id varchar not null, request_id varchar not null,
    experiment varchar not null, judge_id varchar not null, settings_hash varchar not null,
    dataset_id varchar not null, question_id varchar not null, item_hash varchar,
    template varchar not null, wording varchar not null, prompt_hash varchar, temperature double,
    top_p double, target_tokens integer, retrieval varchar not null, is_trusted_only boolean,
    sample integer not null, response varchar, answer_hash varchar, word_count integer,
    request_status varchar not null, error_kind varchar, finish_reason varchar, attempts integer,
    tokens_in bigint, tokens_cached bigint, tokens_out bigint, latency_s double, cost_usd double,
    answered_at timestamp, source_record varchar, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.likelihoods (
    run_id varchar not null, request_id varchar not null, experiment varchar not null,
    judge_id varchar not null, settings_hash varchar not null, dataset_id varchar not null,
    answer_id varchar not null, answer_hash varchar, partial_answer_id varchar not null,
    text_hash varchar, metric varchar not null, template varchar not null, wording varchar not null,
    prompt_hash varchar, status varchar not null, value double, logprob_sum double,
    token_count bigint, context_token_count bigint, answer_token_count bigint,
    token_logprobs varchar, latency_s double, answered_at timestamp, source_record varchar,
    extra varchar, _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.preferences (
    dataset_id varchar not null, question_id varchar not null, annotator_id varchar not null,
    answer_a varchar not null, answer_b varchar not null, choice varchar not null, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
