"""The raw schema: one list of forward-only migrations, applied in order, each in a transaction.

Later work adds a migration to the end of the list and never edits one that has been released.
"""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

import duckdb

from warehouse.errors import SchemaTooNew

_PROVENANCE = "_source_file varchar not null, _loaded_at timestamp not null"

_FIRST = f"""
create schema raw;
create schema audit;

create table raw.datasets (
    dataset_id varchar primary key, title varchar not null, licence varchar not null,
    citation varchar, url varchar, is_sample boolean not null, {_PROVENANCE}
);
create table raw.dimensions (
    dataset_id varchar not null, dimension varchar not null, question varchar not null,
    scale_min double not null, scale_max double not null, {_PROVENANCE},
    primary key (dataset_id, dimension)
);
create table raw.debates (
    debate_id varchar primary key, dataset_id varchar not null, motion varchar not null,
    format varchar not null, context varchar, {_PROVENANCE}
);
create table raw.speeches (
    item_id varchar primary key, dataset_id varchar not null, debate_id varchar not null,
    source varchar not null, text varchar not null, word_count integer not null,
    item_hash varchar not null, extra varchar, {_PROVENANCE}
);
-- A key on ratings and scores would cost thirty times the load; loads replace by key instead, and
-- dbt tests uniqueness.
create table raw.human_ratings (
    dataset_id varchar not null, item_id varchar not null, annotator_id varchar not null,
    dimension varchar not null, value double not null, {_PROVENANCE}
);
create table raw.judges (
    judge_id varchar primary key, provider varchar not null, model varchar not null,
    family varchar, size_b_params double, settings varchar not null,
    settings_hash varchar not null, {_PROVENANCE}
);
create table raw.ensembles (ensemble varchar not null, judge_id varchar not null, {_PROVENANCE});
create table raw.runs (
    run_id varchar primary key, experiment varchar not null, judge_id varchar not null,
    origin varchar not null, settings_hash varchar not null, settings varchar not null,
    item_file varchar, planned bigint not null, code_version varchar not null,
    started_at timestamp, ended_at timestamp, status varchar not null, {_PROVENANCE}
);
create table raw.scores (
    run_id varchar not null, request_id varchar not null, experiment varchar not null,
    judge_id varchar not null, settings_hash varchar not null, dataset_id varchar not null,
    item_id varchar not null, item_hash varchar, template varchar not null,
    wording varchar not null, prompt_hash varchar, dimension varchar not null,
    sample integer not null, response varchar, request_status varchar not null,
    error_kind varchar, finish_reason varchar, value double, value_released double,
    parse_status varchar not null, parse_reason varchar, tokens_in bigint, tokens_out bigint,
    latency_s double, cost_usd double, answered_at timestamp, extra varchar, {_PROVENANCE}
);
create table raw.quarantine (
    load_id bigint not null, source varchar not null, file varchar not null,
    record varchar not null, field varchar, reason varchar not null, original varchar,
    _loaded_at timestamp not null
);
create table raw.loads (
    load_id bigint primary key, kind varchar not null, source varchar not null,
    file varchar not null, sha256 varchar, rows_new bigint not null, rows_updated bigint not null,
    rows_unchanged bigint not null, rows_quarantined bigint not null, loaded_at timestamp not null
);
create table audit.builds (
    build_id bigint primary key, started_at timestamp not null, finished_at timestamp,
    invocation_id varchar, raw_load_id bigint not null, project_hash varchar not null,
    expected_count bigint, passed_count bigint, problems varchar not null
);
"""

# Verdicts on debates, label probabilities, and what an answer owes to the way it was asked for.
_SECOND = f"""
alter table raw.runs add column parser_version varchar;
alter table raw.scores add column answer_format varchar;
alter table raw.scores add column attempts integer;
alter table raw.scores add column tokens_cached bigint;
alter table raw.scores add column source_record varchar;
alter table raw.speeches add column speech_order integer;
alter table raw.speeches add column round varchar;
alter table raw.speeches add column side varchar;
alter table raw.speeches add column speaker varchar;
alter table raw.debates add column extra varchar;
create table raw.verdicts (
    run_id varchar not null, request_id varchar not null, experiment varchar not null,
    judge_id varchar not null, settings_hash varchar not null, dataset_id varchar not null,
    debate_id varchar not null, item_hash varchar, template varchar not null,
    wording varchar not null, prompt_hash varchar, pro_label varchar, con_label varchar,
    first_side varchar, outcome varchar not null, reasoning boolean, answer_order varchar,
    sample integer not null, response varchar, request_status varchar not null,
    error_kind varchar, finish_reason varchar, winner varchar, p_pro double, p_pro_low double,
    p_pro_high double, parse_status varchar not null, parse_reason varchar, answer_format varchar,
    attempts integer, tokens_in bigint, tokens_cached bigint, tokens_out bigint,
    latency_s double, cost_usd double, answered_at timestamp, source_record varchar,
    extra varchar, {_PROVENANCE}
);
create table raw.label_probabilities (
    run_id varchar not null, request_id varchar not null, label varchar not null,
    logprob double, p double, p_low double not null, p_high double not null, {_PROVENANCE}
);
"""

# What people decided about debates, which debates a rule removed, and verdicts by people.
_THIRD = f"""
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
    extra varchar, {_PROVENANCE}
);
create table raw.filter_rules (
    dataset_id varchar not null, rule_order integer not null, rule varchar not null,
    description varchar not null, setting varchar, {_PROVENANCE}
);
create table raw.debate_filters (
    debate_id varchar not null, dataset_id varchar not null, rule_order integer not null,
    rule varchar not null, is_removed boolean not null, reason varchar, {_PROVENANCE}
);
create table raw.human_verdicts (
    debate_id varchar not null, dataset_id varchar not null, judge_id varchar not null,
    protocol varchar not null, mode varchar not null, is_interactive boolean not null,
    step integer not null, is_final boolean not null, choice varchar, p_pro double,
    explanation varchar, judged_at timestamp, extra varchar, {_PROVENANCE}
);
create table raw.participants (
    participant_id varchar not null, dataset_id varchar not null, name varchar not null,
    debate_count bigint, won_count bigint, lost_count bigint, tied_count bigint,
    voted_count bigint, elo double, win_ratio double, political_ideology varchar,
    religious_ideology varchar, big_issues varchar, {_PROVENANCE}
);
"""

# How a verdict's labels and the order of the sides were chosen, and which debates belong together:
# side-swapped twins, or debates on one story.
_FOURTH = """
alter table raw.verdicts add column verbalizer varchar;
alter table raw.verdicts add column position varchar;
alter table raw.debates add column cluster_id varchar;
"""

# Debatable questions: the perspectives an answer should show, what models answered and how they
# were asked, how likely language models find the perspectives given an answer, and what people
# prefer.
_FIFTH = f"""
alter table raw.scores add column item_kind varchar;
create table raw.questions (
    question_id varchar not null, dataset_id varchar not null, question varchar not null,
    split varchar, origin varchar, domain varchar, item_hash varchar not null, extra varchar,
    {_PROVENANCE}
);
create table raw.partial_answers (
    partial_answer_id varchar not null, dataset_id varchar not null, question_id varchar not null,
    position integer not null, point_of_view varchar not null, explanation varchar not null,
    text_hash varchar not null, document_ids varchar, extra varchar, {_PROVENANCE}
);
create table raw.documents (
    document_id varchar not null, dataset_id varchar not null, question_id varchar,
    position integer, url varchar, top_level_domain varchar, title varchar, text varchar not null,
    word_count integer not null, extra varchar, {_PROVENANCE}
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
    answered_at timestamp, source_record varchar, extra varchar, {_PROVENANCE}
);
create table raw.likelihoods (
    run_id varchar not null, request_id varchar not null, experiment varchar not null,
    judge_id varchar not null, settings_hash varchar not null, dataset_id varchar not null,
    answer_id varchar not null, answer_hash varchar, partial_answer_id varchar not null,
    text_hash varchar, metric varchar not null, template varchar not null, wording varchar not null,
    prompt_hash varchar, status varchar not null, value double, logprob_sum double,
    token_count bigint, context_token_count bigint, answer_token_count bigint,
    token_logprobs varchar, latency_s double, answered_at timestamp, source_record varchar,
    extra varchar, {_PROVENANCE}
);
create table raw.preferences (
    dataset_id varchar not null, question_id varchar not null, annotator_id varchar not null,
    answer_a varchar not null, answer_b varchar not null, choice varchar not null, extra varchar,
    {_PROVENANCE}
);
"""

# How a set of debatable questions was curated: the steps, what their rules removed and why, what
# people said of partial answers, and how documents and points of view look when examined.
_SIXTH = f"""
create table raw.curation_steps (
    dataset_id varchar not null, step varchar not null, step_order integer not null,
    is_done boolean not null, embedder varchar, model varchar, reranker varchar, {_PROVENANCE}
);
create table raw.curation_rules (
    dataset_id varchar not null, step varchar not null, step_order integer not null,
    unit varchar not null, rule_order integer not null, rule varchar not null,
    effect varchar not null, n_before bigint, n_affected bigint not null, {_PROVENANCE}
);
create table raw.curation_removals (
    dataset_id varchar not null, step varchar not null, unit varchar not null,
    item_id varchar not null, rule varchar not null, text varchar, detail varchar not null,
    because_of varchar, {_PROVENANCE}
);
create table raw.curation_annotations (
    dataset_id varchar not null, partial_answer_id varchar not null, question_id varchar not null,
    annotator_id varchar not null, task varchar not null, is_met boolean not null,
    text_hash varchar, {_PROVENANCE}
);
create table raw.curation_chunks (
    dataset_id varchar not null, chunk_id varchar not null, question_id varchar not null,
    document_id varchar not null, position integer not null, similarity double not null,
    chunk_rank integer not null, nearest_partial_answer_id varchar, nearest_similarity double,
    is_covered boolean, {_PROVENANCE}
);
create table raw.curation_pairs (
    dataset_id varchar not null, question_id varchar not null, first_id varchar not null,
    second_id varchar not null, similarity double not null, is_distinct boolean not null,
    {_PROVENANCE}
);
"""

# British Parliamentary debates: roles and times of speeches, what the tab says, what judges ruled,
# how transcripts were matched to results, and transcripts on their way from a recording.
_SEVENTH = f"""
alter table raw.speeches add column role varchar;
alter table raw.speeches add column start_s double;
alter table raw.speeches add column end_s double;
create table raw.team_results (
    debate_id varchar not null, dataset_id varchar not null, decided_by varchar not null,
    house varchar not null, team varchar, team_rank integer, points double, is_swing boolean,
    extra varchar, {_PROVENANCE}
);
create table raw.speaker_results (
    debate_id varchar not null, dataset_id varchar not null, decided_by varchar not null,
    role varchar not null, speaker varchar, score double, is_ghost boolean, extra varchar,
    {_PROVENANCE}
);
create table raw.adjudicators (
    debate_id varchar not null, dataset_id varchar not null, adjudicator_id varchar not null,
    name varchar, is_chair boolean, is_trainee boolean, extra varchar, {_PROVENANCE}
);
create table raw.transcript_matches (
    dataset_id varchar not null, match_order integer not null, transcript varchar,
    result_row varchar, debate_id varchar, status varchar not null, reason varchar not null,
    candidates varchar, {_PROVENANCE}
);
create table raw.adjudications (
    run_id varchar not null, request_id varchar not null, experiment varchar not null,
    judge_id varchar not null, settings_hash varchar not null, dataset_id varchar not null,
    debate_id varchar not null, item_hash varchar, template varchar not null,
    wording varchar not null, prompt_hash varchar, task varchar not null, manual varchar not null,
    house_order varchar not null, named_order varchar, strategy varchar not null,
    has_motion boolean not null, has_info_slide boolean not null, sample integer not null,
    response varchar, request_status varchar not null, error_kind varchar, finish_reason varchar,
    parse_status varchar not null, parse_reason varchar, context_tokens bigint,
    is_context_exact boolean, answer_format varchar, attempts integer, tokens_in bigint,
    tokens_cached bigint, tokens_out bigint, latency_s double, cost_usd double,
    answered_at timestamp, source_record varchar, extra varchar, {_PROVENANCE}
);
create table raw.adjudication_values (
    run_id varchar not null, request_id varchar not null, task varchar not null,
    place varchar not null, value double, reason varchar, {_PROVENANCE}
);
create table raw.adjudication_faults (
    run_id varchar not null, request_id varchar not null, task varchar not null,
    fault varchar not null, detail varchar not null, {_PROVENANCE}
);
create table raw.transcripts (
    transcript_id varchar not null, dataset_id varchar not null, title varchar not null,
    motion varchar, info_slide varchar, origin varchar not null, transcriber varchar,
    corrector varchar, segmenter varchar not null, status varchar not null, reason varchar,
    max_word_error_rate double, word_error_rate double, verified_by varchar,
    verified_at timestamp, extra varchar, {_PROVENANCE}
);
create table raw.transcript_segments (
    transcript_id varchar not null, dataset_id varchar not null, position integer not null,
    role varchar, speaker varchar, start_s double, end_s double, raw_text varchar not null,
    corrected_text varchar, verified_text varchar, word_error_rate double,
    changed_words integer, status varchar not null, reason varchar, {_PROVENANCE}
);
"""

# Debate as oversight: stories and questions about them, what debaters wrote, with every candidate
# that was discarded and every quote, and what judges made of it.
_EIGHTH = f"""
create table raw.stories (
    story_id varchar not null, dataset_id varchar not null, title varchar, author varchar,
    source varchar, url varchar, year integer, licence varchar, topic varchar,
    text varchar not null, word_count integer not null, text_hash varchar not null, extra varchar,
    {_PROVENANCE}
);
create table raw.reading_questions (
    question_id varchar not null, dataset_id varchar not null, story_id varchar not null,
    question varchar not null, answer_0 varchar not null, answer_1 varchar not null,
    right_answer integer, options varchar, is_best_distractor boolean, split varchar,
    is_difficult boolean, answerability double, untimed_accuracy double, speed_accuracy double,
    context_required double, item_hash varchar not null, removal_rule varchar,
    removal_reason varchar, extra varchar, {_PROVENANCE}
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
    answered_at timestamp, source_record varchar, extra varchar, {_PROVENANCE}
);
create table raw.oversight_turns (
    transcript_id varchar not null, run_id varchar not null, request_id varchar not null,
    turn integer not null, round integer not null, speaker varchar not null,
    argued_answer integer, model_id varchar, candidate integer not null, is_chosen boolean not null,
    text varchar not null, shown_text varchar not null, word_count integer not null,
    rejected_count integer not null, is_truncated boolean not null, is_concession boolean,
    argues_other_side boolean, is_malformed boolean, preference double, tokens_in bigint,
    tokens_out bigint, cost_usd double, extra varchar, {_PROVENANCE}
);
create table raw.oversight_quotes (
    transcript_id varchar not null, run_id varchar not null, request_id varchar not null,
    turn integer not null, candidate integer not null, position integer not null,
    quote varchar not null, is_verified boolean not null, similarity double, story_start integer,
    story_end integer, written_as varchar, {_PROVENANCE}
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
    source_record varchar, extra varchar, {_PROVENANCE}
);
"""

# Models as speakers, and why judges say what they say: replies to requests for a speech, and what
# analyses of key points made of judges' justifications.
_NINTH = f"""
create table raw.written_speeches (
    run_id varchar not null, request_id varchar not null, experiment varchar not null,
    judge_id varchar not null, settings_hash varchar not null, dataset_id varchar not null,
    debate_id varchar not null, item_hash varchar, template varchar not null,
    wording varchar not null, prompt_hash varchar, word_limit integer, sample integer not null,
    response varchar, speech varchar, item_id varchar, word_count_written integer,
    word_count integer, removed_sentence_count integer, parse_status varchar not null,
    parse_reason varchar, request_status varchar not null, error_kind varchar,
    finish_reason varchar, answer_format varchar, attempts integer, tokens_in bigint,
    tokens_cached bigint, tokens_out bigint, latency_s double, cost_usd double,
    answered_at timestamp, source_record varchar, extra varchar, {_PROVENANCE}
);
create table raw.key_point_analyses (
    analysis_id varchar primary key, name varchar not null, is_labelled boolean not null,
    dataset_id varchar, dimension varchar, template varchar, rephraser varchar not null,
    embedder varchar not null, polarity_by varchar not null, match_threshold double not null,
    redundancy_threshold double not null, method_hash varchar not null, settings varchar not null,
    seed bigint not null, code_version varchar not null, made_at timestamp not null, {_PROVENANCE}
);
create table raw.key_point_justifications (
    analysis_id varchar not null, judge_id varchar not null, item_id varchar not null,
    request_id varchar not null, run_id varchar not null, sample integer not null,
    justification varchar, rephrased varchar, rephrased_by varchar, status varchar not null,
    reason varchar, sentence_count integer not null, word_count integer not null, {_PROVENANCE}
);
-- Judge, item and request are null in the labelled set, whose sentences no judge wrote.
create table raw.key_point_sentences (
    analysis_id varchar not null, sentence_id varchar not null, judge_id varchar, item_id varchar,
    request_id varchar, position integer not null, text varchar not null,
    word_count integer not null, polarity varchar, polarity_score double,
    removal_reason varchar, is_candidate boolean not null, candidate_reason varchar,
    selection_reason varchar, redundant_with varchar, key_point_id varchar, similarity double,
    {_PROVENANCE}
);
create table raw.key_points (
    analysis_id varchar not null, key_point_id varchar not null, polarity varchar not null,
    text varchar not null, sentence_id varchar not null, position integer not null,
    gain integer not null, {_PROVENANCE}
);
create table raw.key_point_matches (
    analysis_id varchar not null, sentence_id varchar not null, key_point_id varchar not null,
    similarity double not null, is_matched boolean not null, is_best boolean not null,
    {_PROVENANCE}
);
create table raw.key_point_labels (
    sentence_id varchar not null, text varchar not null, polarity varchar not null,
    key_point varchar, split varchar not null, {_PROVENANCE}
);
"""

# Which documents were behind an answer, and what became of pages from the web. Of answers from
# before, and of imported ones, that is unknown.
_TENTH = f"""
alter table raw.answers add column retriever varchar;
alter table raw.answers add column documents_status varchar;
create table raw.answer_documents (
    run_id varchar not null, request_id varchar not null, document_rank integer not null,
    document_id varchar not null, chunk integer not null, similarity double not null,
    question_id varchar, search integer not null, url varchar, text_hash varchar not null,
    {_PROVENANCE}
);
create table raw.answer_pages (
    run_id varchar not null, request_id varchar not null, address varchar not null,
    page_status varchar not null, detail varchar, sha256 varchar, {_PROVENANCE}
);
"""

# What each model and test was last built and passed from; a model without a row is built again.
_ELEVENTH = """
create table audit.nodes (
    unique_id varchar primary key, fingerprint varchar not null, build_id bigint not null
);
"""

# Which of the scores that one reply held, from 0. Replies with one of them have none: it is 0.
_TWELFTH = """
alter table raw.scores add column part integer;
"""

MIGRATIONS: tuple[str, ...] = (
    _FIRST,
    _SECOND,
    _THIRD,
    _FOURTH,
    _FIFTH,
    _SIXTH,
    _SEVENTH,
    _EIGHTH,
    _NINTH,
    _TENTH,
    _ELEVENTH,
    _TWELFTH,
)


def utc_now() -> datetime:
    """Return the time in UTC without a zone, as every `_at` column holds it."""
    return datetime.now(UTC).replace(tzinfo=None)


def migrate(connection: duckdb.DuckDBPyConnection) -> None:
    """Bring the build database to this version's schema.

    Raises:
        SchemaTooNew: It was written by a later version of Rostrum.
    """
    connection.execute(
        "create table if not exists main.schema_version "
        "(version integer not null, migrated_at timestamp not null)"
    )
    found = schema_version(connection)
    if found > len(MIGRATIONS):
        message = (
            f"warehouse: the build database has schema version {found}, this Rostrum knows "
            f"{len(MIGRATIONS)}; use the newer Rostrum, or another home"
        )
        raise SchemaTooNew(message)
    for version, statements in enumerate(MIGRATIONS[found:], start=found + 1):
        connection.execute("begin")
        try:
            connection.execute(statements)
            connection.execute(
                "insert into main.schema_version values (?, ?)", [version, utc_now()]
            )
            connection.execute("commit")
        except BaseException:
            # A commit that failed has ended the transaction already; its error is the one to tell.
            with contextlib.suppress(duckdb.TransactionException):
                connection.execute("rollback")
            raise


def schema_version(connection: duckdb.DuckDBPyConnection) -> int:
    """Return the number of migrations this database has had."""
    row = connection.execute("select coalesce(max(version), 0) from main.schema_version").fetchone()
    return int(row[0]) if row else 0


def raw_load_id(connection: duckdb.DuckDBPyConnection) -> int:
    """Return the newest load's number: raw is unchanged as long as this is."""
    row = connection.execute("select coalesce(max(load_id), 0) from raw.loads").fetchone()
    return int(row[0]) if row else 0
