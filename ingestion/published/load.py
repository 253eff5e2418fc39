"""Printed cells as debates and verdicts in raw."""

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
from warehouse.files import sha256_bytes, sha256_file
from warehouse.home import Home
from warehouse.records.core import Dataset, JudgeRow
from warehouse.waiting import say_nothing

# The first prints counts of verdicts, which become rows; the others totals and accuracies, which
# are seeds.
PAPERS = (PAPER, "debatable_intelligence", "debatebench", "persuasive_debate", "alt_test")
DATASET = "llm-debate-bias-printed"
PROVIDER = "published"
PRINTED = Dataset(
    dataset_id=DATASET,
    title="Printed cells of the bias paper (counts of verdicts, no texts)",
    licence="facts and figures",
    citation="Liu, Liu and He: An Empirical Analysis on Large Language Models in Debate "
    "Evaluation.",
)


@dataclass(frozen=True)
class Verdict:
    """One verdict of a cell, on a debate without text."""

    cell: Cell
    debate_id: str

    @property
    def run_id(self) -> str:
        """The run of the cell's table and judge."""
        return f"published-{self.cell.table.lower().replace(' ', '-')}-{self.cell.judge}"

    def row(self) -> dict[str, Any]:
        """Return the row of `raw.verdicts`."""
        cell = self.cell
        pro_label, _, con_label = (cell.verbalizer or "").partition("/")
        key = f"{self.debate_id}|{cell.judge}|{cell.verbalizer}|{cell.position}"
        return {
            "run_id": self.run_id,
            "request_id": sha256_bytes(key.encode())[:32],
            "experiment": cell.table,
            "judge_id": f"{PROVIDER}/{cell.judge}",
            "settings_hash": PROVIDER,
            "dataset_id": DATASET,
            "debate_id": self.debate_id,
            "template": "published",
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


def check_paper(paper: str) -> None:
    """Refuse a paper without printed figures here."""
    if paper not in PAPERS:
        raise UnknownSource(
            f"replicate: no printed cells of a paper named '{paper}'; expected {', '.join(PAPERS)}"
        )


def load_published(
    home: Home, paper: str, *, notify: Callable[[str], None] = say_nothing
) -> LoadReport:
    """Load a paper's printed cells as debates and verdicts in place of earlier ones.

    For a home of its own: the debates have no text and the verdicts are only those that a paper
    counts in print, so other marts of them mean nothing.

    Raises:
        UnknownSource: This paper prints no cells; only the bias paper does.
    """
    if paper != PAPER:
        raise UnknownSource(f"replicate: {paper} prints no cells of verdicts; expected {PAPER}")
    digest = sha256_bytes("".join(map(sha256_file, printed_files())).encode())
    verdicts = list(verdicts_of(printed_cells()))
    label = f"ingestion/published/{PAPER}"
    file = SourceFile(f"the printed cells of {paper}", label, digest, len(verdicts))
    return load(home, PrintedBatch(verdicts, [file]), notify=notify)


@dataclass(frozen=True)
class PrintedBatch(Loadable):
    """The verdicts that a paper's cells count."""

    verdicts: Sequence[Verdict]
    files: Sequence[SourceFile]
    dataset = PRINTED
    task = f"replicate {PAPER}"
    items_of = None

    def changes(self) -> Iterable[Rows | Step]:
        """Return the debates, their outcomes and the verdicts, with their runs and judges."""
        runs = Counter((each.run_id, each.cell.table, each.cell.judge) for each in self.verdicts)
        judges = [
            JudgeRow(
                judge_id=f"{PROVIDER}/{judge}",
                provider=PROVIDER,
                model=judge,
                settings="{}",
                settings_hash=PROVIDER,
            )
            for judge in sorted({judge for _, _, judge in runs})
        ]
        debates = {verdict.debate_id: verdict.cell for verdict in self.verdicts}
        yield Rows("datasets", [PRINTED])
        yield Rows("runs", [_run(*key, count) for key, count in runs.items()])
        yield missing_judges(judges)
        yield Rows("debates", [_debate(*each) for each in debates.items()], within="datasets")
        outcomes = [_outcome(debate, cell) for debate, cell in debates.items() if cell.won]
        yield Rows("debate_outcomes", outcomes, within="datasets")
        yield Rows("verdicts", [each.row() for each in self.verdicts], within="datasets")


def verdicts_of(cells: Iterable[Cell]) -> Iterator[Verdict]:
    """Yield one verdict for each that a cell counts.

    A setting's verdicts are on its first debates, cell after cell: so the two settings of a paired
    table differ on exactly the debates it prints. Settings with printed totals alone share debates
    too, and which of them differ means nothing.
    """
    counts: Counter[tuple[str, str, str | None, str | None, str]] = Counter()
    for cell in cells:
        setting = (cell.table, cell.judge, cell.verbalizer, cell.position, cell.debates)
        for _ in range(cell.count):
            counts[setting] += 1
            debate = f"{DATASET}:{cell.table}, {cell.judge}, {cell.debates}, {counts[setting]}"
            yield Verdict(cell, debate)


def _run(run_id: str, table: str, judge: str, planned: int) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "experiment": table,
        "judge_id": f"{PROVIDER}/{judge}",
        "origin": "import",
        "settings_hash": PROVIDER,
        "settings": "{}",
        "planned": planned,
        "code_version": "",
        "status": "complete",
    }


def _debate(debate_id: str, cell: Cell) -> dict[str, Any]:
    return {
        "debate_id": debate_id,
        "dataset_id": DATASET,
        "motion": "not printed",
        "format": "published-counts",
        "end_side": cell.closes,
        "cluster_id": debate_id,
    }


def _outcome(debate_id: str, cell: Cell) -> dict[str, Any]:
    return {
        "debate_id": debate_id,
        "dataset_id": DATASET,
        "criterion": "as printed",
        "decided_by": "audience_votes",
        "is_primary": True,
        "winner": cell.won,
    }
