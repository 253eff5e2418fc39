"""Printed cells into raw, as debates and verdicts like any others."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from inference.kinds.parts import IMPORTED
from ingestion.batch import Loadable, Rows, SourceFile, Step
from ingestion.errors import UnknownSource
from ingestion.judge_tables import missing_judges
from ingestion.load import load
from ingestion.published.cells import PAPER, Cell, printed_cells, printed_files
from ingestion.raw_tables import LoadReport
from warehouse.files import sha256_file
from warehouse.home import Home
from warehouse.records.core import Dataset, JudgeRow
from warehouse.waiting import say_nothing

# The first prints counts of verdicts, which become rows; the others totals and accuracies, which
# are seeds and need none.
PAPERS = (PAPER, "debatable_intelligence", "debatebench", "persuasive_debate", "alt_test")
DATASET = "llm-debate-bias-printed"
PROVIDER = "published"
TEMPLATE = "published"
_LABEL = f"ingestion/published/{PAPER}"
PRINTED = Dataset(
    dataset_id=DATASET,
    title="Printed cells of the bias paper (counts of verdicts, no texts)",
    licence="facts and figures",
    citation="Liu, Liu and He: An Empirical Analysis on Large Language Models in Debate "
    "Evaluation.",
)


@dataclass(frozen=True)
class Verdict:
    """One verdict of a cell, on a debate that has no text."""

    cell: Cell
    debate_id: str

    @property
    def request_id(self) -> str:
        """The same for the same verdict each time."""
        cell = self.cell
        key = f"{self.debate_id}|{cell.judge}|{cell.verbalizer}|{cell.position}"
        return hashlib.sha256(key.encode()).hexdigest()[:32]


def check_paper(paper: str) -> None:
    """Say what is wrong with a paper's name before anything is made for it.

    Raises:
        UnknownSource: The printed figures of this paper are not here.
    """
    if paper not in PAPERS:
        raise UnknownSource(
            f"replicate: no printed cells of a paper named '{paper}'; expected {', '.join(PAPERS)}"
        )


def load_published(
    home: Home, paper: str, *, notify: Callable[[str], None] = say_nothing
) -> LoadReport:
    """Load a paper's printed cells as debates and verdicts; what was loaded before is replaced.

    Meant for a home of its own: the debates have no text and the verdicts are only those a paper
    counts in print, so what the other marts make of them means nothing.

    Args:
        paper: The bias paper, the only one that prints cells of verdicts.

    Raises:
        UnknownSource: This paper prints no cells.
    """
    if paper != PAPER:
        raise UnknownSource(f"replicate: {paper} prints no cells of verdicts; expected {PAPER}")
    digest = hashlib.sha256("".join(map(sha256_file, printed_files())).encode()).hexdigest()
    verdicts = list(verdicts_of(printed_cells()))
    file = SourceFile(f"the printed cells of {paper}", _LABEL, digest, len(verdicts))
    return load(home, PrintedBatch(verdicts, [file]), notify=notify)


@dataclass(frozen=True)
class PrintedBatch(Loadable):
    """The verdicts that a paper's cells count.

    Attributes:
        files: The files of cells, as one.
    """

    verdicts: Sequence[Verdict]
    files: Sequence[SourceFile]
    dataset = PRINTED
    task = f"replicate {PAPER}"
    items_of = None

    def changes(self) -> Iterable[Rows | Step]:
        """Return the debates, their outcomes and the verdicts, with their runs and judges."""
        yield Rows("datasets", [PRINTED])
        yield Rows("runs", _runs(self.verdicts))
        yield missing_judges(_judges(self.verdicts))
        for table, rows in _rows(self.verdicts).items():
            yield Rows(table, rows, within="datasets")


def verdicts_of(cells: Iterable[Cell]) -> Iterator[Verdict]:
    """Return one verdict for each that a cell counts.

    A setting's verdicts are on the first debates there are, cell after cell: so the two settings of
    a paired table differ on exactly the debates it prints. Settings with printed totals alone share
    debates too, and which of them differ means nothing.
    """
    read: Counter[tuple[str, str, str | None, str | None, str]] = Counter()
    for cell in cells:
        setting = (cell.table, cell.judge, cell.verbalizer, cell.position, cell.debates)
        for _ in range(cell.count):
            read[setting] += 1
            debate = f"{DATASET}:{cell.table}, {cell.judge}, {cell.debates}, {read[setting]}"
            yield Verdict(cell, debate)


def _rows(verdicts: Sequence[Verdict]) -> dict[str, list[dict[str, Any]]]:
    debates = {verdict.debate_id: verdict.cell for verdict in verdicts}
    return {
        "debates": [
            {
                "debate_id": debate,
                "dataset_id": DATASET,
                "motion": "not printed",
                "format": "published-counts",
                "end_side": cell.closes,
                "cluster_id": debate,
            }
            for debate, cell in debates.items()
        ],
        "debate_outcomes": [
            {
                "debate_id": debate,
                "dataset_id": DATASET,
                "criterion": "as printed",
                "decided_by": "audience_votes",
                "is_primary": True,
                "winner": cell.won,
            }
            for debate, cell in debates.items()
            if cell.won
        ],
        "verdicts": [_verdict(verdict) for verdict in verdicts],
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    cell = verdict.cell
    pro_label, _, con_label = (cell.verbalizer or "").partition("/")
    return {
        "run_id": _run_id(cell),
        "request_id": verdict.request_id,
        "experiment": cell.table,
        "judge_id": f"{PROVIDER}/{cell.judge}",
        "settings_hash": PROVIDER,
        "dataset_id": DATASET,
        "debate_id": verdict.debate_id,
        "template": TEMPLATE,
        "wording": IMPORTED,
        "verbalizer": cell.verbalizer,
        "position": cell.position,
        "pro_label": pro_label or None,
        "con_label": con_label or None,
        "first_side": {"pro_first": "pro", "con_first": "con"}.get(cell.position or ""),
        "outcome": "winner",
        "sample": 0,
        "request_status": "answered",
        "winner": cell.said,
        "parse_status": "supplied",
    }


def _run_id(cell: Cell) -> str:
    return f"published-{cell.table.lower().replace(' ', '-')}-{cell.judge}"


def _runs(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    counts = Counter((_run_id(each.cell), each.cell.table, each.cell.judge) for each in verdicts)
    return [
        {
            "run_id": run_id,
            "experiment": table,
            "judge_id": f"{PROVIDER}/{judge}",
            "origin": "import",
            "settings_hash": PROVIDER,
            "settings": "{}",
            "planned": count,
            "code_version": "",
            "status": "complete",
        }
        for (run_id, table, judge), count in counts.items()
    ]


def _judges(verdicts: Sequence[Verdict]) -> list[JudgeRow]:
    return [
        JudgeRow(f"{PROVIDER}/{judge}", PROVIDER, judge, settings="{}", settings_hash=PROVIDER)
        for judge in sorted({each.cell.judge for each in verdicts})
    ]
