-- Debate as oversight: stories and questions about them, what debaters wrote, with every candidate
-- that was discarded and every quote, and what judges made of it.
create table raw.stories (
    story_id varchar not null, dataset_id varchar not null, title varchar, author varchar,
    source varchar, url varchar, year integer, licence varchar, topic varchar,
    text varchar not null, word_count integer not null, text_hash varchar not null, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.reading_questions (
    question_id varchar not null, dataset_id varchar not null, story_id varchar not null,
    question varchar not null, answer_0 varchar not null, answer_1 varchar not null,
    right_answer integer, options varchar, is_best_distractor boolean, split varchar,
    is_difficult boolean, answerability double, untimed_accuracy double, speed_accuracy double,
    context_required double, item_hash varchar not null, removal_rule varchar,
    removal_reason varchar, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.oversight_transcripts (
    transcript_id varchar not null, run_id varchar not null, request_id varchar not null,
    experiment varchar not null, judge_id varchar not null, settings_hash varchar not null,
    dataset_id varchar not null, question_id varchar not null, item_hash varchar,
    template varchar not null, wording varchar not null, prompt_hash varchar,
    protocol varchar not null, turn_order varchar not null, is_interactive boolean not null,
    round_count integer not null, argued_answer integer not null, opponent_id varchar,
    asker_id varchar, word_limit integer, best_of integer not null, preference_judge_id varchar,
    refine_count integer not null, tournament varchar, tournament_round integer,
    sample integer not null, status varchar not null, reason varchar, transcript_hash varchar,
    request_status varchar not null, error_kind varchar, finish_reason varchar, attempts integer,
    tokens_in bigint, tokens_cached bigint, tokens_out bigint, latency_s double, cost_usd double,
    answered_at timestamp, source_record varchar, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.oversight_turns (
    transcript_id varchar not null, run_id varchar not null, request_id varchar not null,
    turn integer not null, round integer not null, speaker varchar not null,
    argued_answer integer, model_id varchar, candidate integer not null, is_chosen boolean not null,
    text varchar not null, shown_text varchar not null, word_count integer not null,
    rejected_count integer not null, is_truncated boolean not null, is_concession boolean,
    argues_other_side boolean, is_malformed boolean, preference double, tokens_in bigint,
    tokens_out bigint, cost_usd double, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.oversight_quotes (
    transcript_id varchar not null, run_id varchar not null, request_id varchar not null,
    turn integer not null, candidate integer not null, position integer not null,
    quote varchar not null, is_verified boolean not null, similarity double, story_start integer,
    story_end integer, written_as varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
create table raw.oversight_judgements (
    run_id varchar not null, request_id varchar not null, experiment varchar not null,
    judge_id varchar not null, settings_hash varchar not null, dataset_id varchar not null,
    question_id varchar not null, item_hash varchar, transcript_id varchar,
    template varchar not null, wording varchar not null, prompt_hash varchar,
    protocol varchar not null, step integer, is_final boolean not null,
    answer_order varchar not null, probe varchar not null, probed_answer integer,
    asked_for varchar not null, sample integer not null, response varchar, p_answer_0 double,
    choice integer, parse_status varchar not null, parse_reason varchar,
    request_status varchar not null, error_kind varchar, finish_reason varchar,
    answer_format varchar, attempts integer, tokens_in bigint, tokens_cached bigint,
    tokens_out bigint, latency_s double, cost_usd double, answered_at timestamp,
    source_record varchar, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
