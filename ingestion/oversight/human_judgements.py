"""Judgements of people on the dashboard: their files, and loading them.

A file is one item judged once: a debate about a story, the winner of a debate, or the score of a
speech. It becomes rows like those of other annotators:

- story: one row of `raw.human_verdicts` per step. `debate_id` is a debate of `raw.debates` (format
  `story-debate` or `story-consultancy`), or a transcript of `raw.oversight_transcripts` alone.
  `p_pro` is the probability of answer 0, `choice` pro for answer 0, con for
  answer 1, tie for exactly one half; `protocol` is `debate` or `consultancy`.
- winner: the same with the probability that pro won; `protocol` is `debate`.
- speech: one row of `raw.human_ratings`.

The annotator is `<data set>:dashboard/<name>`, so that it is never an annotator of the source with
the same name. `mode` is `dashboard` and `is_interactive` false. `step` counts the parts that had
been read, from 1; the last one `is_final`. `extra` is a JSON object with `task` and `item_hash`,
that of the text which was read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import duckdb
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ingestion.answers.names import Names
from ingestion.batch import Reject, Rows
from ingestion.documents import Document
from ingestion.errors import SourceUnreadable
from ingestion.json_values import as_json
from ingestion.landing import LandedBatch, land
from ingestion.load import load
from ingestion.oversight.readers.story_debates import choice_of
from ingestion.raw_tables import LoadReport
from ingestion.times import utc_time
from warehouse.home import Home
from warehouse.records.core import AnyText, Finite, KeyOfDataset, Name, Share
from warehouse.records.parliamentary import FORMAT as PARLIAMENTARY
from warehouse.records.strict_json import strict_json
from warehouse.records.tables import TABLES
from warehouse.waiting import say_nothing

STORY, WINNER, SPEECH = "story", "winner", "speech"
# The mode of verdicts from the dashboard, and from imported files.
DASHBOARD, IMPORTED = "dashboard", "imported"
SOURCE = "human_judgements"
DOCUMENT = Document(
    "human_judgement",
    "is no judgement of a person",
    "it should be a JSON object with kind, schema_version, task, item, item_hash, person, steps "
    "and final, as the page Judge it yourself writes it",
)
_NUMBERS = {STORY: "p_answer_0", WINNER: "p_pro", SPEECH: "value"}
_STORY_FORMATS = {"story-debate": "debate", "story-consultancy": "consultancy"}


class Belief(BaseModel):
    """A person's belief at one step of reading, as one of three numbers."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    step: Annotated[int, Field(ge=1, le=1000)]
    at: Annotated[datetime, BeforeValidator(utc_time)]
    p_answer_0: Share | None = None
    p_pro: Share | None = None
    value: Finite | None = None
    # Longer than any reason a person types.
    reason: Annotated[AnyText, Field(max_length=20_000)] = ""

    @property
    def number(self) -> float:
        """The one of the three numbers that is there."""
        return next(one for one in (self.p_answer_0, self.p_pro, self.value) if one is not None)


class HumanJudgement(BaseModel):
    """One item judged by one person; a speech has a dimension and no earlier steps."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    kind: Literal["human_judgement"]
    schema_version: Literal[1]
    task: Literal["story", "winner", "speech"]
    item: KeyOfDataset
    item_hash: Name
    person: Annotated[Name, Field(max_length=60)]
    final: Belief
    dimension: Name | None = None
    steps: tuple[Belief, ...] = ()

    @property
    def beliefs(self) -> Iterator[tuple[Belief, bool]]:
        """Every belief in order, and whether it is the final one."""
        yield from ((belief, False) for belief in self.steps)
        yield self.final, True

    @property
    def problems(self) -> Iterator[str]:
        """Reasons why the beliefs are no answer to the task."""
        wanted = _NUMBERS[self.task]
        for belief, _ in self.beliefs:
            there = [name for name in _NUMBERS.values() if getattr(belief, name) is not None]
            if there != [wanted]:
                yield (
                    f"step {belief.step} of the task '{self.task}' should have {wanted} alone; "
                    f"found {', '.join(there) or 'no number'}"
                )
        steps = [belief.step for belief, _ in self.beliefs]
        if steps != sorted(set(steps)):
            yield f"steps should rise from one to the next, the final one last; found {steps}"
        if self.task == SPEECH and self.steps:
            yield "a speech is scored once; expected no steps before the final one"
        if (self.dimension is not None) != (self.task == SPEECH):
            yield "dimension should be there for a speech, and for nothing else"


def read_human_judgement(content: bytes, shown: str) -> HumanJudgement:
    """Return the judgement in a file.

    Raises:
        SourceUnreadable: It is none, or does not answer its task.
    """
    with DOCUMENT.reading(shown):
        found = HumanJudgement.model_validate(strict_json(content))
    if problems := "; ".join(found.problems):
        raise DOCUMENT.refused(shown, problems)
    return found


def load_human_judgement(
    home: Home, path: Path, *, notify: Callable[[str], None] = say_nothing
) -> LoadReport:
    """Load a person's judgement on the dashboard.

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


@dataclass(frozen=True)
class JudgementBatch(LandedBatch):
    """One person's judgement of one item; a later one is rejected."""

    found: HumanJudgement
    table: str = ""
    rows: Sequence[Mapping[str, Any]] = ()
    source = SOURCE

    def checked(self, connection: duckdb.DuckDBPyConnection) -> JudgementBatch:
        """Find the item, and an earlier judgement of it by this person.

        Raises:
            SourceUnreadable: No such item is loaded, its text has changed since it was read, or the
                score is off the scale.
        """
        found, landed = self.found, self.landed
        dataset_id, hashes, protocol = _known_item(connection, landed.shown, found)
        if found.item_hash not in hashes:
            raise SourceUnreadable(
                f"ingestion: {landed.shown} judges a text of {found.item} that is not loaded (any "
                "more): what was read is not what stands there; judge it again on the page"
            )
        if found.task == SPEECH:
            _refuse_off_scale(connection, landed.shown, found, dataset_id)
            table, rows = "human_ratings", _ratings(found, dataset_id)
        else:
            table, rows = "human_verdicts", _verdicts(found, dataset_id, protocol)
        same = [name for name in TABLES[table].key if name not in ("step", "is_interactive")]
        (earlier,) = connection.execute(
            f"select min(_source_file) from raw.{table} where "
            + " and ".join(f"{name} = ?" for name in same),
            [rows[0][name] for name in same],
        ).fetchone() or (None,)
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


def _ratings(found: HumanJudgement, dataset_id: str) -> list[dict[str, Any]]:
    return [
        {
            "dataset_id": dataset_id,
            "item_id": found.item,
            "annotator_id": f"{dataset_id}:{DASHBOARD}/{found.person}",
            "dimension": found.dimension,
            "value": found.final.number,
        }
    ]


def _verdicts(found: HumanJudgement, dataset_id: str, protocol: str) -> list[dict[str, Any]]:
    extra = as_json({"task": found.task, "item_hash": found.item_hash})
    return [
        {
            "debate_id": found.item,
            "dataset_id": dataset_id,
            "judge_id": f"{dataset_id}:{DASHBOARD}/{found.person}",
            "protocol": protocol,
            "mode": DASHBOARD,
            "is_interactive": False,
            "step": belief.step,
            "is_final": is_final,
            "choice": choice_of(belief.number),
            "p_pro": belief.number,
            "explanation": belief.reason.strip() or None,
            "judged_at": belief.at,
            "extra": extra,
        }
        for belief, is_final in found.beliefs
    ]


def _known_item(
    connection: duckdb.DuckDBPyConnection, shown: str, found: HumanJudgement
) -> tuple[str, list[str], str]:
    """Return an item's data set, the hashes of its text, and the protocol of a debate."""
    if found.task == SPEECH:
        rows = connection.execute(
            "select dataset_id, item_hash from raw.speeches where item_id = ?", [found.item]
        ).fetchall()
        if rows:
            return rows[0][0], [rows[0][1]], ""
    elif found.task == STORY:
        rows = connection.execute(
            "select dataset_id, transcript_hash, protocol from raw.oversight_transcripts "
            "where transcript_id = ? and status = 'complete'",
            [found.item],
        ).fetchall()
        if rows:
            # The same request may be in several runs.
            return rows[0][0], [row[1] for row in rows if row[1]], rows[0][2]
    row = connection.execute(
        "select format from raw.debates where debate_id = ?", [found.item]
    ).fetchone()
    form = row[0] if row else PARLIAMENTARY
    wanted = STORY if form in _STORY_FORMATS else WINNER
    if form != PARLIAMENTARY and found.task == wanted:
        names = Names(connection, None, "debate")
        names.look_up([found.item])
        known = names[found.item]
        if not isinstance(known, str) and known.hash is not None:
            return known.dataset_id, [known.hash], _STORY_FORMATS.get(form, "debate")
    raise SourceUnreadable(
        f"ingestion: {shown} judges {found.item}, and nothing of that name is loaded that "
        f"the task '{found.task}' is about; load its data set first, then import the file again"
    )


def _refuse_off_scale(
    connection: duckdb.DuckDBPyConnection, shown: str, found: HumanJudgement, dataset_id: str
) -> None:
    scale = connection.execute(
        "select scale_min, scale_max from raw.dimensions where dataset_id = ? and dimension = ?",
        [dataset_id, found.dimension],
    ).fetchone()
    if scale is None:
        raise SourceUnreadable(
            f"ingestion: {shown} scores '{found.dimension}', which data set '{dataset_id}' "
            "does not ask about; judge it again on the page"
        )
    low, high = scale
    if not low <= found.final.number <= high:
        raise SourceUnreadable(
            f"ingestion: {shown} gives the score {found.final.number:g}; expected "
            f"{low:g} to {high:g}"
        )
