"""`rostrum replicate`: a paper's printed figures beside those computed from its cells."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from orchestration.console import print_line
from orchestration.errors import NothingCompared
from warehouse.errors import WarehouseError
from warehouse.home import Home
from warehouse.reader import Version, current_version, run_query

# What asks for a look comes first; what agrees or was never printed is counted.
_WORDS = {
    "differs": "other than printed",
    "no_data": "no rows were built for it",
    "contradicted": "the paper's own figures do not fit each other: both are shown",
    "agrees": "as printed",
    "shipped": "rows of the paper's own list, counted: nothing was computed",
    "not_published": "nothing is printed to compare with",
    "not_comparable": "a setting or a finding, not a figure",
}
_FAILURES = ("differs", "no_data")
_LOOK = (*_FAILURES, "contradicted")
_UNCOMPARED = ("no_data", "not_published", "not_comparable")
_OF_A_PERSON = "accuracy of a person"
_IMPORT_PEOPLE = (
    "none. Import the debates, then a row of item, annotator and winner (pro, con or tie) for each "
    "person and debate:\n"
    "  rostrum ingest ddo --from debates.json --no-build\n"
    "  rostrum import verdicts.csv --format human-verdicts"
)


class Figure(NamedTuple):
    """A row of `rpt_published_comparison`, as far as it is shown.

    `is_printed_alone` is whether what the paper prints is enough to compute it; else it takes the
    paper's data set or judges, and where the user's home has them, `is_from_home`.
    """

    location: str
    statistic: str
    qualifier: str
    printed: str | None
    recomputed: float | None
    method_variant: str | None
    other_value: float | None
    other_variant: str | None
    status: str
    note: str | None
    is_printed_alone: bool
    is_from_home: bool = False


class Person(NamedTuple):
    """Accuracy of a person with verdicts in a home, in percent, over n debates."""

    name: str
    accuracy: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class Replication:
    """Outcome of a paper's figures, those that ask for a look first."""

    paper: str
    figures: tuple[Figure, ...]

    @property
    def failures(self) -> tuple[Figure, ...]:
        """Figures the printed cells should give and do not."""
        return tuple(
            figure
            for figure in self.figures
            if figure.status in _FAILURES and figure.is_printed_alone
        )


def check_compared(found: Replication) -> None:
    """Refuse a replication that had no data to compare with."""
    if all(figure.status in _UNCOMPARED for figure in found.figures):
        how = (
            "name the folder of its studies with --from"
            if found.paper == "alt_test"
            else ("load the paper's data and run rostrum build")
        )
        raise NothingCompared(
            f"replicate: no figure of {found.paper} was compared: its data are not loaded; {how} "
            "(docs/replication.md)"
        )


def replicated(version: Version, paper: str, home: Home | None = None) -> Replication:
    """Return a paper's figures from the version its printed cells were built into."""
    figures = _figures_of(version, paper)
    own: dict[tuple[str, str, str], Figure] = {}
    with suppress(WarehouseError):
        if home is not None:
            own = {
                each[:3]: each._replace(is_printed_alone=False, is_from_home=True)
                for each in _figures_of(current_version(home), paper)
                if each.status != "no_data"
            }
    order = list(_WORDS)
    figures = [own.get(each[:3], each) if each.status == "no_data" else each for each in figures]
    return Replication(paper, tuple(sorted(figures, key=lambda each: order.index(each.status))))


def _figures_of(version: Version, paper: str) -> list[Figure]:
    rows = run_query(
        version,
        "select location, statistic, qualifier, published_text, warehouse_value, "
        "method_variant, other_value, other_variant, agreement_status, note, "
        "check_id is not null "
        "from rpt_published_comparison where paper_id = ? "
        "order by list_position(?, agreement_status), "
        "try_cast(split_part(location, ' ', 2) as integer), check_id, statistic, qualifier",
        [paper, list(_WORDS)],
    ).rows
    return [Figure(*row) for row in rows]


def show_replication(found: Replication, out: Console, *, show_all: bool) -> None:
    """Print the outcome of a paper's figures."""
    table = Table(
        "where",
        Column("figure", overflow="fold"),
        Column("printed", overflow="fold"),
        "recomputed",
        Column("beside it", overflow="fold"),
        Column("what came of it", overflow="fold"),
    )
    for each in found.figures:
        if show_all or each.status in _LOOK:
            is_told = each.status == "contradicted" or not each.is_printed_alone
            came = (each.note if is_told else None) or _WORDS[each.status]
            if each.is_from_home:
                came = "; ".join(
                    filter(None, (f"on this home's data {_WORDS[each.status]}", each.note))
                )
            table.add_row(
                each.location,
                Text(", ".join(filter(None, (each.statistic, each.qualifier)))),
                Text(each.printed or "–"),
                _number(each.recomputed),
                Text(_beside(each)),
                Text(came),
            )
    if table.row_count:
        out.print(table)
    counts = Counter(each.status for each in found.figures)
    for status, words in _WORDS.items():
        if counts[status]:
            print_line(out, f"{counts[status]:>4} {words}")
    for sentence in _mixed(found):
        print_line(out, sentence)


def people_of(home: Home) -> list[Person]:
    """Return the people whose verdicts on debates a home has; none where nothing is published."""
    try:
        rows = run_query(
            current_version(home),
            "select qualifier, warehouse_value, warehouse_low, warehouse_high, n "
            "from rpt_published_comparison where statistic = ? order by qualifier",
            [_OF_A_PERSON],
        ).rows
    except WarehouseError:
        return []
    return [Person(*row) for row in rows]


def show_people(found: Replication, people: Sequence[Person], out: Console) -> None:
    """Print the people a paper prints and those of the user's home, or how to import them."""
    printed = ", ".join(
        f"{each.qualifier} {each.printed} %"
        for each in sorted(found.figures, key=lambda each: each.qualifier)
        if each.location == "Table 2" and each.qualifier.startswith("Human ") and each.printed
    )
    if not printed:
        return
    table = Table(
        "person, data set", "right, %", "95 % interval", Column("debates", justify="right")
    )
    for each in people:
        bounds = "–" if each.low is None else f"[{each.low:.2f}, {each.high:.2f}]"
        table.add_row(Text(each.name), f"{each.accuracy:.2f}", Text(bounds), str(each.n))
    print_line(
        out,
        f"people who named the winner, of 75 debates in the paper: {printed}; with verdicts in "
        f"this home: {len(people) or _IMPORT_PEOPLE}",
    )
    if people:
        out.print(table)


def _mixed(found: Replication) -> Iterator[str]:
    """Say of which statistics the paper prints different variants without saying so."""
    places: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for each in found.figures:
        # A p follows its statistic.
        if each.status == "agrees" and each.method_variant and not each.statistic.endswith(" p"):
            places[each.statistic][each.method_variant].add(each.location)
    both_ways = {
        each.statistic: {each.method_variant, each.other_variant}
        for each in found.figures
        if each.method_variant and each.other_variant
    }
    for statistic, variants in places.items():
        if len(variants) > 1 and set(variants) == both_ways.get(statistic):
            where = "; ".join(
                f"{', '.join(sorted(tables))} with {variant}"
                for variant, tables in sorted(variants.items())
            )
            yield f"{statistic} is of two kinds in this paper: {where}. --all shows both for each."


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.6g}"


def _beside(figure: Figure) -> str:
    if figure.other_variant is None:
        return "–"
    if figure.other_value is None or figure.other_variant == _number(figure.other_value):
        return figure.other_variant
    try:
        return _number(float(figure.other_variant))
    except ValueError:
        return f"{_number(figure.other_value)} ({figure.other_variant})"
