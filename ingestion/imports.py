"""Importing answers made elsewhere: a file's rows become one run per judge, or nothing.

An imported judge has one settings hash, whatever the file, so that a corrected file supersedes an
earlier one by time. Importing the same file again changes nothing: each answer keeps the hash of
the text at its first import, so that an answer to a text that has changed since stays stale.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from time import monotonic

import duckdb

from inference.kinds.parts import IMPORTED
from inference.parsing import PARSER_VERSION
from ingestion.answers.imported import (
    ANSWERS,
    PARTS,
    SETTINGS,
    SETTINGS_HASH,
    ImportedAnswers,
)
from ingestion.answers.staging import StagedTables, in_chunks
from ingestion.batch import MAX_REJECTED, Counts, Reject, Rejects, SourceFile, refuse_too_many
from ingestion.errors import UnknownSource, explained_when_full
from ingestion.formats.base import FileRow, Options
from ingestion.formats.detect import read_answers
from ingestion.formats.own import OF_PEOPLE
from ingestion.items import renew_items
from ingestion.judge_tables import add_missing_judges
from ingestion.landing import Landed, kept_if_loaded, land, remove_unloaded
from ingestion.oversight.human_judgements import DOCUMENT as JUDGEMENT
from ingestion.oversight.human_judgements import load_human_judgement
from ingestion.oversight.judgements import Judgements
from ingestion.parliamentary.transcripts.folder import DOCUMENT as VERIFICATION
from ingestion.raw_tables import LoadReport, record_load, upsert
from ingestion.reviews import DOCUMENT as REVIEW
from ingestion.reviews import load_review
from ingestion.sampling.drawing import DOCUMENT as SAMPLE
from ingestion.sampling.drawing import load_sample
from ingestion.sampling.sheets import is_filled_sheet, load_labels
from warehouse.home import Home
from warehouse.records.core import JudgeRow
from warehouse.records.ids import split_judge_id
from warehouse.schema import one_transaction, utc_now
from warehouse.waiting import say_nothing
from warehouse.writer import open_writer

SOURCE = "imported_scores"
_KIND = "scores"
_DOCUMENTS = {JUDGEMENT: load_human_judgement, REVIEW: load_review, SAMPLE: load_sample}


@kept_if_loaded()
def import_file(
    home: Home,
    path: Path,
    *,
    wanted_format: str | None = None,
    dataset: str | None = None,
    judge: str | None = None,
    scorer: str | None = None,
    template: str | None = None,
    licence: str = "the importer's own",
    max_rejected: float = MAX_REJECTED,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load a file of answers, or of judgements of people: its valid rows, or nothing.

    Args:
        wanted_format: One of `ingestion.formats.FORMATS`; found from the content when not given.
        dataset: The data set of names without one; the only one that has them when not given.
        judge: The judge, for formats that do not name it.
        scorer: The scorer of an Inspect log that holds the score; the reply is read when not given.
        template: The prompt, for answers to questions whose file does not name it.
        licence: For the file's manifest.
        max_rejected: The largest share of rejected rows, 0 to 1.

    Raises:
        UnknownSource: The file does not use an option.
        TooManyRejected: Too large a share of its rows is rejected; nothing is loaded.
        NoSpace: The disk is full.
    """
    started = monotonic()
    path = path.expanduser()
    loader = _loader_of_people(path, max_rejected) if wanted_format is None else None
    if loader is not None:
        given = {"--dataset": dataset, "--judge": judge, "--scorer": scorer, "--template": template}
        for name, value in given.items():
            if value is not None:
                raise UnknownSource(
                    f"ingestion: {path} holds what people decided, and {name} is for answers of "
                    "judges; leave it out"
                )
        return loader(home, path, notify=notify)
    landed = land(home, path, source=SOURCE, licence=licence)
    options = Options(path, judge, scorer, template)
    name, rows = read_answers(landed, options, wanted_format)
    rejects: list[Reject] = Rejects()
    with (
        explained_when_full(f"importing {landed.shown}", home.build_db),
        open_writer(home, f"import {path.name}", notify=notify) as connection,
    ):
        remove_unloaded(home, connection)
        now = utc_now()
        with one_transaction(connection):
            if name in OF_PEOPLE:
                judgements = Judgements(connection, landed.shown, dataset)
                file = judgements.gather(landed, rows, rejects)
                refuse_too_many([file], rejects, max_rejected)
                tables = judgements.write(landed.label, now)
                told = f"{file.records:,} records"
            else:
                first_load = _first_load(connection, landed.sha256) or now
                answers = ImportedAnswers(connection, landed.shown, dataset, first_load)
                staged = StagedTables(connection)
                file = _gather(landed, rows, answers, staged, rejects)
                refuse_too_many([file], rejects, max_rejected)
                reasons = sum(
                    (staged[table].reasons() for table in ANSWERS if table in staged), Counter()
                )
                told = f"{file.records:,} records, {_readable(reasons)}"
                tables = _write(connection, landed, staged, now)
            load_id = record_load(connection, _KIND, SOURCE, [file], tables, rejects, now)
        if "answers" in tables:
            renew_items(connection, home, ["answers"])
    notes, seconds = [f"read as {name}"], monotonic() - started
    return LoadReport(SOURCE, load_id, tables, rejects, notes, seconds, told)


def _loader_of_people(path: Path, max_rejected: float) -> Callable[..., LoadReport] | None:
    """Return the loader of a document or sheet that a person filled in; None for other files."""
    if VERIFICATION.is_in(path):
        # Imported here: few homes have transcripts, and it takes a while.
        from ingestion.parliamentary.transcripts.load import load_verification

        return load_verification
    for document, load in _DOCUMENTS.items():
        if document.is_in(path):
            return load
    return partial(load_labels, max_rejected=max_rejected) if is_filled_sheet(path) else None


def _readable(reasons: Counter[str | None]) -> str:
    """Return the number of readable answers, and those of others by reason."""
    unread = [
        f"{count:,} {reason}" for reason, count in reasons.most_common() if reason is not None
    ]
    why = f" ({', '.join(unread)})" if unread else ""
    return f"{reasons[None]:,} of {reasons.total():,} answers readable{why}"


def _gather(
    landed: Landed,
    rows: Iterable[FileRow | Reject],
    answers: ImportedAnswers,
    staged: StagedTables,
    rejects: list[Reject],
) -> SourceFile:
    records, last = 0, ""
    for chunk in in_chunks(rows):
        valid: list[FileRow] = []
        for row in chunk:
            # One record may be several answers.
            place = row.record if isinstance(row, Reject) else row.record.place
            is_new, last = place != last, place
            if isinstance(row, Reject):
                records += row.weight if is_new else 0
                rejects.append(row)
            else:
                records += is_new
                valid.append(row)
        for table, made in answers.rows(valid, rejects).items():
            if made:
                staged[table].add(made)
    return landed.source_file(records)


def _write(
    connection: duckdb.DuckDBPyConnection, landed: Landed, staged: StagedTables, now: datetime
) -> dict[str, Counts]:
    answered = [table for table in ANSWERS if table in staged]
    # Until here a judge's name stands in for its run.
    union = " union all ".join(
        f"select judge_id, answered_at from {staged[table].name}" for table in answered
    )
    judges = (
        connection.execute(
            "select judge_id, count(*), min(answered_at), max(answered_at) "
            f"from ({union}) group by judge_id order by judge_id"
        ).fetchall()
        if answered
        else []
    )
    run_ids = _run_ids(landed, [row[0] for row in judges])
    ids = list(run_ids.values())
    for each in staged.values():
        each.rename_runs(run_ids)
    for table in answered:
        staged[table].keep_hashes()
    if "answers" in staged:
        staged["answers"].set_answer_hashes()
    staged.ask_for_those_of(ids, (*ANSWERS, *PARTS))
    versions = dict(
        connection.execute(
            "select run_id, code_version from raw.runs where list_contains(?, run_id)", [ids]
        ).fetchall()
    )
    runs = [
        {
            "run_id": run_ids[judge],
            "experiment": IMPORTED,
            "judge_id": judge,
            "origin": "import",
            "settings_hash": SETTINGS_HASH,
            "settings": SETTINGS,
            "planned": count,
            # An earlier import of the file keeps the version that imported it.
            "code_version": versions.get(run_ids[judge], version("rostrum")),
            "parser_version": str(PARSER_VERSION),
            "started_at": first,
            "ended_at": last,
            "status": "complete",
        }
        for judge, count, first, last in judges
    ]
    tables = {"runs": upsert(connection, "runs", runs, source_file=landed.label, now=now)}
    for table in (*ANSWERS, *PARTS):
        if table in staged:
            counts = staged[table].replace(ids, landed.label, now)
            if counts != Counts():
                tables[table] = counts
            staged[table].drop()
    rows = [JudgeRow(judge, *split_judge_id(judge), "{}", SETTINGS_HASH) for judge in run_ids]
    tables["judges"] = add_missing_judges(connection, rows, source_file=landed.label, now=now)
    return tables


def _first_load(connection: duckdb.DuckDBPyConnection, sha256: str) -> datetime | None:
    """Return the time these bytes were first imported, which rows without a time keep."""
    row = connection.execute(
        "select min(loaded_at) from raw.loads where kind = ? and sha256 = ?", [_KIND, sha256]
    ).fetchone()
    return row[0] if row else None


def _run_ids(landed: Landed, judges: Iterable[str]) -> dict[str, str]:
    slugs = {judge: judge.replace("/", "-").replace(":", "-") for judge in judges}
    shared = Counter(slugs.values())
    return {
        judge: f"import-{landed.sha256[:12]}-{slug}"
        # Two ids of one file may differ only in what the slug leaves out.
        + (f"-{hashlib.sha256(judge.encode()).hexdigest()[:6]}" if shared[slug] > 1 else "")
        for judge, slug in slugs.items()
    }
