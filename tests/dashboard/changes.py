"""Statements that bring a copy of the demo into a state which the demo has not."""

import os
import shutil
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

import duckdb

from warehouse.home import Home
from warehouse.reader import Version, current_version

# By its file, what was made last: of which version, by which statements.
_LAST: dict[Path, tuple[Path, tuple[str, ...]]] = {}


def publish_copy(source: Home, home: Home, *statements: str, number: int = 1) -> Version:
    """Publish a copy of another home's version, after some statements, and make it current."""
    copied = current_version(source)
    at = copied.published_at + timedelta(hours=number)
    name = f"v{number:06d}-{at:%Y%m%dT%H%M%SZ}"
    path = home.ensure().published / f"{name}.duckdb"
    statements = (update("publication", version=name), *statements)
    # The next test often wants the same: published versions are never written to.
    last = source.root.with_name(f"changed-{os.getpid()}.duckdb")
    if _LAST.get(last) == (copied.path, statements):
        os.link(last, path)
    else:
        shutil.copy(copied.path, path)
        path.chmod(0o644)
        with duckdb.connect(str(path)) as connection:
            for statement in statements:
                connection.execute(statement)
        last.unlink(missing_ok=True)
        os.link(path, last)
        _LAST[last] = (copied.path, statements)
    home.current.unlink(missing_ok=True)
    home.current.symlink_to(path.name)
    return Version(name, path, at.astimezone(UTC))


def literal(value: Any) -> str:
    if value is None:
        return "null"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def insert(table: str, **values: Any) -> str:
    """Return a statement that adds a row; columns that are not named stay unknown."""
    named = ", ".join(f"{literal(value)} as {name}" for name, value in values.items())
    return f"insert into {table} by name select {named}"


def copy(table: str, where: str = "true", **values: Any) -> str:
    """Return a statement that adds copies of rows with other values in some columns."""
    named = ", ".join(f"{literal(value)} as {name}" for name, value in values.items())
    return f"insert into {table} select * replace ({named}) from {table} where {where}"


def update(table: str, where: str = "true", **values: Any) -> str:
    named = ", ".join(f"{name} = {literal(value)}" for name, value in values.items())
    return f"update {table} set {named} where {where}"


def empty(*tables: str) -> list[str]:
    """Return statements that leave tables without a row."""
    return [f"delete from {table}" for table in tables]


# Where strangers write: in data sets, in answers, and in what judges and people give as reasons.
STRANGERS = {
    "dim_answer": "response",
    "dim_debate": "motion",
    "dim_dimension": "question",
    "dim_item": "motion text source speaker",
    "dim_key_point": "key_point",
    "dim_oversight_transcript": "question answer_0 answer_1 reason",
    "dim_oversight_turn": "shown_text speaker",
    "dim_parliamentary_debate": "motion info_slide tournament",
    "dim_partial_answer": "point_of_view explanation",
    "dim_question": "question",
    "dim_reading_question": "question answer_0 answer_1",
    "dim_response": "response parse_reason error_message",
    "dim_story": "title author text",
    "dim_transcript_segment": "speaker raw_text corrected_text current_text reason",
    "fct_adjudication": "faults",
    "fct_justification": "justification",
    "fct_justification_sentence": "text",
    "fct_oversight_judgement": "reply",
    "fct_score": "parse_reason",
    "fct_verdict": "parse_reason",
    "rpt_bp_bias": "null_reason finding",
    "rpt_bp_faults": "example_detail",
    "rpt_calibration": "log_reason reason",
    "rpt_curation_removals": "text detail",
    "rpt_item_disagreement": "source",
    "rpt_judge_biases_oversight": "reason",
    "rpt_justification_polarity": "source",
    "rpt_key_points": "key_point",
    "rpt_protocol_accuracy": "gap_reason",
    "rpt_rating_terms": "null_reason",
    "rpt_severity": "source",
    "rpt_source_scores": "source",
    "rpt_tournament": "tournament",
    "rpt_transcript_queue": "title motion reason verified_by",
}


def strange(text: str) -> list[str]:
    """Return statements that put a text wherever strangers can write."""
    return [
        # Of data sets with one title a page could offer one only.
        f"update dim_dataset set title = {literal(text)} || ' ' || dataset_id",
        *(
            update(table, **dict.fromkeys(columns.split(), text))
            for table, columns in STRANGERS.items()
        ),
    ]


ROLES = ("pm", "lo", "dpm", "dlo", "mg", "mo", "gw", "ow")
TRANSCRIPT = "final-of-the-open"


def transcripts() -> list[str]:
    """Return a transcript that waits, one that was verified, and one with a speech missing."""
    statements = []
    for name, status, roles in (
        (TRANSCRIPT, "waiting", ROLES),
        ("semi-final", "verified", ROLES),
        ("quarter-final", "incomplete", ROLES[:-1]),
    ):
        is_verified = status == "verified"
        about = {"transcript_id": name, "dataset_id": "transcripts"}
        statements.append(
            insert(
                "rpt_transcript_queue",
                **about,
                title=name.replace("-", " ").capitalize(),
                motion="This house would listen twice",
                origin="audio",
                transcriber="local/whisper-tiny",
                corrector="lab/editor",
                segmenter="tags",
                status=status,
                reason=None if len(roles) == len(ROLES) else "no speech of the OW was found",
                word_error_rate=0.042,
                max_word_error_rate=0.1,
                verified_by="Ada" if is_verified else None,
                verified_at="2026-03-01 12:00:00" if is_verified else None,
            )
        )
        for position, role in enumerate(roles, start=1):
            raw = f"madam speaker we propose that {role} is write about this"
            right = f"Madam Speaker, we propose that {role} is right about this."
            kept = position != 2
            statements.append(
                insert(
                    "dim_transcript_segment",
                    **about,
                    position=position,
                    role=role,
                    start_s=420.0 * (position - 1),
                    end_s=420.0 * position,
                    raw_text=raw,
                    corrected_text=right,
                    current_text=right if kept else raw,
                    verified_text=right if is_verified else None,
                    word_error_rate=0.1 if kept else 0.4,
                    changed_words=1 if kept else 4,
                    status="kept" if kept else "reverted",
                    reason=None if kept else "over the limit of 0.1",
                )
            )
    return statements


EXPERIMENT, JUDGE, RUN = "bad-afternoon", "lab/small-model", "bad-afternoon--small-model"
# Of 800 planned requests 300 have an outcome: how they failed, how often, and with which text.
FAILURES = (
    ("rate_limited", 40, None),
    ("unparsed", 21, "I would rather not put a number on it."),
    ("timeout", 12, None),
    ("truncated", 9, "The speech opens well, but"),
    ("refused", 8, "I can't help with judging people."),
    ("malformed", 5, "<html><head><title>502 Bad Gateway</title></head></html>"),
    ("filtered", 4, ""),
    ("context_overflow", 3, None),
    ("authentication", 2, None),
    ("server", 1, None),
)
ANSWERED = ("unparsed", "truncated", "refused", "filtered")
COUNTS = (
    "request_count answered_count parsed_count failure_count unparsed_count no_reference_count"
    " sent_count cost_known_count latency_known_count"
)


def failing_runs() -> list[str]:
    """Return a run with every kind of failure, and one that has not begun."""
    about = {"experiment": EXPERIMENT, "planned_count": 400, "stale_count": 0}
    statements = [
        insert("dim_judge", judge_id=JUDGE, judge_kind="imported"),
        insert(
            "rpt_run_health",
            **about,
            run_id=RUN,
            judge_id=JUDGE,
            template="speech_score",
            status="partial",
            request_count=300,
            unasked_count=100,
            answered_count=237,
            parsed_count=195,
            failure_count=105,
            failure_share=0.35,
            failure_share_low=0.28,
            failure_share_high=0.438,
            no_reference_count=0,
            unparsed_count=42,
            cost_known_usd=0.0421,
            cost_known_count=200,
            sent_count=300,
            latency_known_count=300,
            latency_p50_s=2.31,
        ),
        insert(
            "rpt_run_health",
            **about | dict.fromkeys(COUNTS.split(), 0),
            run_id="not-begun",
            judge_id="rule/length",
            status="interrupted",
            unasked_count=400,
        ),
    ]
    for status, amount, text in FAILURES:
        is_answered = status in ANSWERED
        shared = {"run_id": RUN, "judge_id": JUDGE, "answer_status": status}
        statements += [
            insert(
                "rpt_failures",
                **shared,
                failure_count=amount,
                request_count=300,
                share=amount / 300,
                share_low=amount / 400,
                share_high=amount / 200,
                example_response_id=f"{RUN}#{status}",
            ),
            insert(
                "dim_response",
                **shared,
                response_id=f"{RUN}#{status}",
                template="speech_score",
                response=text,
                request_status="answered" if is_answered else "error",
                error_message=None if is_answered else f"the endpoint says: {status}",
                parse_status="unparsed" if is_answered else "not_answered",
                source_file=f"journal/{RUN}/responses.jsonl",
                source_record="line 12",
            ),
        ]
    return statements


def second_dataset() -> list[str]:
    """Return a second set of speeches, real this time, which people alone have scored."""
    mine = "dataset_id = 'sample'"
    return [
        copy("dim_dataset", mine, dataset_id="city", is_sample=False, title="City"),
        copy("dim_dimension", mine, dataset_id="city"),
        *(
            copy(mart, f"{mine} and judge_id = 'human'", dataset_id="city")
            for mart in (
                "rpt_rank_agreement",
                "rpt_rater_agreement",
                "rpt_score_distribution",
                "rpt_source_scores",
            )
        ),
    ]
