"""Loading anchor sets: the frozen items, and the answers of their waves.

Journals of waves are in the sets' folders and their rows in tables of their own, so that they
affect drift alone. Every load reads all of a set: waves are small, and unchanged rows stay.
"""

from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

from inference.anchors import AnchorSet, journal_of, list_sets, read_set
from inference.journal import FILE_NAME
from ingestion.answers.lines import JournalContent, read_journal_file
from ingestion.batch import Counts, Reject, SourceFile
from ingestion.raw_tables import LoadReport, record_load, upsert
from ingestion.times import utc_time
from warehouse.files import sha256_file
from warehouse.home import Home
from warehouse.schema import one_transaction, utc_now
from warehouse.writer import open_writer

SOURCE = "anchors"
_CON = {"con": 1.0, "pro": 0.0, "tie": 0.5}


def load_anchors(home: Home) -> LoadReport:
    """Load all anchor sets of a home, and the judges' answers of each wave."""
    started, now = monotonic(), utc_now()
    tables: dict[str, Counts] = {}
    rejects: list[Reject] = []
    files: list[SourceFile] = []
    names = list_sets(home.anchors)
    with open_writer(home, "load anchor sets") as connection, one_transaction(connection):
        for name in names:
            anchor = read_set(home.anchors, name)
            answers: list[dict[str, Any]] = []
            for path in sorted(journal_of(home.anchors, anchor).glob(f"*/{FILE_NAME}")):
                content = JournalContent()
                shown = path.relative_to(home.root).as_posix()
                answers += _answers(anchor, path, shown, content)
                rejects += content.rejects
                files.append(SourceFile(shown, shown, sha256_file(path), content.lines))
            for table, rows in (("anchor_items", _items(anchor)), ("anchor_answers", answers)):
                if rows:
                    label = f"anchors/{name}"
                    counts = upsert(connection, table, rows, source_file=label, now=now)
                    tables[table] = tables.get(table, Counts()) + counts
        load_id = record_load(connection, "dataset", SOURCE, files, tables, rejects, now)
    notes = [f"{len(names)} anchor sets"]
    return LoadReport(SOURCE, load_id, tables, rejects, notes, monotonic() - started)


def _items(anchor: AnchorSet) -> list[dict[str, Any]]:
    shared = {
        "anchor_set": anchor.name,
        "dataset_id": anchor.dataset_id,
        "experiment": anchor.experiment,
        "follows": anchor.follows,
        "made_at": utc_time(anchor.made_at),
    }
    return [
        {**shared, "item_id": item_id, "item_hash": item_hash}
        for item_id, item_hash in anchor.items.items()
    ]


def _answers(
    anchor: AnchorSet, path: Path, label: str, content: JournalContent
) -> list[dict[str, Any]]:
    """Return the last answer to each request of a wave's journal."""
    last = {row["request_id"]: row for row in _rows(path, label, content)}
    header = content.header
    if header is None:
        return []
    shared = {name: header[name] for name in ("wave", "judge_id", "run_id", "settings_hash")}
    shared["anchor_set"] = anchor.name
    shared["judge_line"] = header.get("judge_line") or header["judge_id"]
    return [row | shared for row in last.values()]


def _rows(path: Path, label: str, content: JournalContent) -> Iterator[dict[str, Any]]:
    for made in read_journal_file(path, label, content):
        is_verdict = made.table == "verdicts"
        for row in (each.row for each in made.rows):
            is_answered = row["request_status"] == "answered"
            error = row.get("error_kind") or "unknown"
            yield {
                "request_id": row["request_id"],
                "item_id": row["debate_id" if is_verdict else "item_id"],
                "dataset_id": row["dataset_id"],
                "item_hash": row.get("item_hash"),
                "dimension": "winner" if is_verdict else row["dimension"],
                "template": row["template"],
                "prompt_hash": row.get("prompt_hash"),
                "sample": row["sample"],
                "value": _CON.get(row.get("winner") or "") if is_verdict else row.get("value"),
                "status": row["parse_status"] if is_answered else error,
                "answered_at": row["answered_at"],
            }
