"""Loading what people judged on the dashboard: each person judges an item once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from ingestion.answers.names import Names
from ingestion.batch import Reject, Rows
from ingestion.errors import SourceUnreadable
from ingestion.json_values import as_json
from ingestion.landing import Landed, LandedBatch, land
from ingestion.load import load
from ingestion.oversight.human_judgements import (
    DASHBOARD,
    SPEECH,
    STORY,
    HumanJudgement,
    judge_of,
    read_human_judgement,
)
from ingestion.oversight.readers.story_debates import choice_of
from ingestion.raw_tables import LoadReport
from warehouse.home import Home
from warehouse.records.parliamentary import FORMAT as PARLIAMENTARY
from warehouse.records.tables import TABLES
from warehouse.waiting import say_nothing

SOURCE = "human_judgements"
STORY_FORMATS = {"story-debate": "debate", "story-consultancy": "consultancy"}


class _Item(NamedTuple):
    """What was judged, as it is loaded."""

    dataset_id: str
    hashes: Sequence[str]
    protocol: str


@dataclass(frozen=True)
class JudgementBatch(LandedBatch):
    """What one person judged of one item. The first judgement of an item stands.

    Attributes:
        table: The raw table it belongs to; empty before it is known.
        rejects: The judgement, where an earlier one stands.
    """

    found: HumanJudgement
    table: str = ""
    rows: Sequence[Mapping[str, Any]] = ()
    source = SOURCE

    def checked(self, connection: duckdb.DuckDBPyConnection) -> JudgementBatch:
        """Find what was judged, and whether this person has judged it before.

        Raises:
            SourceUnreadable: It is about nothing that is loaded, off the scale, or about a text
                that has changed since it was read.
        """
        landed, found = self.landed, self.found
        table, rows = _rows(connection, landed, found)
        earlier = _earlier(connection, table, rows[0])
        if earlier in (None, landed.label):
            return replace(self, table=table, rows=rows)
        reason = (
            f"{found.person} has judged {found.item} already ({earlier}); the first judgement "
            "stands, and this one was not loaded"
        )
        original = landed.path.read_text("utf-8", "replace")
        reject = Reject(landed.shown, "the judgement", None, reason, original)
        return replace(self, table=table, rejects=[reject])

    def changes(self) -> Iterable[Rows]:
        """Return its verdicts or ratings."""
        yield Rows(self.table, self.rows)


def load_human_judgement(
    home: Home, path: Path, *, notify: Callable[[str], None] = say_nothing
) -> LoadReport:
    """Load what a person judged on the dashboard.

    A later judgement of an item by the same person is not loaded, and is counted among the rejected
    records. Loading a file again changes nothing.

    Raises:
        SourceUnreadable: It is no judgement, or one that cannot be loaded.
        NoSpace: The disk is full.
    """
    landed = land(home, path, source=SOURCE, licence="the person's own")
    found = read_human_judgement(landed.document(), landed.shown)
    notes = [f"read as what {found.person} judged of {found.item}"]
    batch = JudgementBatch(landed, [landed.source_file(1)], found, notes=notes)
    return load(home, batch, max_rejected=1, notify=notify)


def _rows(
    connection: duckdb.DuckDBPyConnection, landed: Landed, found: HumanJudgement
) -> tuple[str, list[dict[str, Any]]]:
    """Return the raw table a judgement belongs to, and its rows there."""
    item = _known_item(connection, landed, found)
    if found.item_hash not in item.hashes:
        raise SourceUnreadable(
            f"ingestion: {landed.shown} judges a text of {found.item} that is not loaded (any "
            "more): what was read is not what stands there; judge it again on the page"
        )
    judge_id = judge_of(item.dataset_id, found.person)
    if found.task == SPEECH:
        _refuse_off_scale(connection, landed, found, item.dataset_id)
        return "human_ratings", [
            {
                "dataset_id": item.dataset_id,
                "item_id": found.item,
                "annotator_id": judge_id,
                "dimension": found.dimension,
                "value": found.final.number,
            }
        ]
    extra = as_json({"task": found.task, "item_hash": found.item_hash})
    rows = []
    for belief, is_final in found.beliefs:
        p_pro = belief.number
        rows.append(
            {
                "debate_id": found.item,
                "dataset_id": item.dataset_id,
                "judge_id": judge_id,
                "protocol": item.protocol,
                "mode": DASHBOARD,
                "is_interactive": False,
                "step": belief.step,
                "is_final": is_final,
                "choice": choice_of(p_pro),
                "p_pro": p_pro,
                "explanation": belief.reason.strip() or None,
                "judged_at": belief.when,
                "extra": extra,
            }
        )
    return "human_verdicts", rows


def _known_item(
    connection: duckdb.DuckDBPyConnection, landed: Landed, found: HumanJudgement
) -> _Item:
    if found.task == SPEECH:
        rows = connection.execute(
            "select dataset_id, item_hash from raw.speeches where item_id = ?", [found.item]
        ).fetchall()
        if rows:
            return _Item(rows[0][0], [rows[0][1]], "")
        raise _unknown(landed, found)
    if found.task == STORY:
        rows = connection.execute(
            "select dataset_id, transcript_hash, protocol from raw.oversight_transcripts "
            "where transcript_id = ? and status = 'complete'",
            [found.item],
        ).fetchall()
        if rows:
            # The same request may be in several runs.
            return _Item(rows[0][0], [row[1] for row in rows if row[1]], rows[0][2])
    debate = connection.execute(
        "select format from raw.debates where debate_id = ?", [found.item]
    ).fetchone()
    if debate is None or not _suits(found.task, debate[0]):
        raise _unknown(landed, found)
    names = Names(connection, None, "debate")
    names.look_up([found.item])
    known = names[found.item]
    if isinstance(known, str) or known.hash is None:
        raise _unknown(landed, found)
    return _Item(known.dataset_id, [known.hash], STORY_FORMATS.get(debate[0], "debate"))


def _suits(task: str, debate_format: str) -> bool:
    if task == STORY:
        return debate_format in STORY_FORMATS
    return debate_format not in (*STORY_FORMATS, PARLIAMENTARY)


def _unknown(landed: Landed, found: HumanJudgement) -> SourceUnreadable:
    return SourceUnreadable(
        f"ingestion: {landed.shown} judges {found.item}, and nothing of that name is loaded that "
        f"the task '{found.task}' is about; load its data set first, then import the file again"
    )


def _refuse_off_scale(
    connection: duckdb.DuckDBPyConnection, landed: Landed, found: HumanJudgement, dataset_id: str
) -> None:
    scale = connection.execute(
        "select scale_min, scale_max from raw.dimensions where dataset_id = ? and dimension = ?",
        [dataset_id, found.dimension],
    ).fetchone()
    if scale is None:
        raise SourceUnreadable(
            f"ingestion: {landed.shown} scores '{found.dimension}', which data set '{dataset_id}' "
            "does not ask about; judge it again on the page"
        )
    low, high = scale
    if not low <= found.final.number <= high:
        raise SourceUnreadable(
            f"ingestion: {landed.shown} gives the score {found.final.number:g}; expected "
            f"{low:g} to {high:g}"
        )


def _earlier(connection: duckdb.DuckDBPyConnection, table: str, row: dict[str, Any]) -> str | None:
    """Return the file of what this person judged of this item before; None when nothing is."""
    named = [name for name in TABLES[table].key if name not in ("step", "is_interactive")]
    where = " and ".join(f"{name} = ?" for name in named)
    found = connection.execute(
        f"select min(_source_file) from raw.{table} where {where}",
        [row[name] for name in named],
    ).fetchone()
    return found[0] if found else None
