"""`rostrum plan labels`: the number of human labels that a figure needs."""

import math
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from orchestration.commands.run_commands import Plan
from orchestration.console import print_line
from orchestration.errors import NoPilot
from warehouse.home import Home
from warehouse.power import labels_needed
from warehouse.reader import current_version, run_query

_PILOTS = """
select
    judge_id,
    concat_ws(
        ', ', rpt_rates.template, dim_variant.verbalizer, replace(dim_variant.position, '_', ' ')
    ) as asked,
    sample_id,
    n_items,
    n_labelled,
    human_rate,
    human_rate_error,
    labels_saved
from rpt_rates
left join dim_variant using (variant_id)
where source is null and human_rate_error is not null
order by sample_id, judge_id, asked"""


class Pilot(NamedTuple):
    """Inputs of a plan, from a labelled sample or as a user states them.

    Attributes:
        judge: Whose answers are used.
        source: Where the numbers come from.
        items: Items of the frame.
        sd: Standard deviation of labels, with what clusters add.
        correlation: Of labels and the judge's answers.
    """

    judge: str
    source: str
    items: float
    sd: float
    correlation: float


def pilots_of(rows: list[dict[str, Any]]) -> list[Pilot]:
    """Return the pilots in rows of `rpt_rates`.

    The spread gives the labels' mean its standard error, clusters included. The correlation gives
    the judge its worth: it takes r^2 / (1 + n / N) off the variance of the labels' mean.
    """
    found = []
    for row in rows:
        n, others = row["n_labelled"], row["n_items"] - row["n_labelled"]
        kept = n / (n + max(0.0, row["labels_saved"] or 0.0))
        square = (1 - kept) * (1 + n / others) if others > 0 else 0.0
        found.append(
            Pilot(
                f"{row['judge_id']}, {row['asked']}",
                f"{row['sample_id']} ({n} labels)",
                row["n_items"],
                row["human_rate_error"] * math.sqrt(n),
                math.sqrt(min(1.0, square)),
            )
        )
    return found


def show_label_plan(home: Home, plan: Plan, out: Console) -> None:
    """Print how many labels a half width needs with each judge and without."""
    judge, items, sd, correlation = plan.judge, plan.items, plan.sd, plan.correlation
    wanted = plan.half_width or 0.0
    if sd is not None:
        pilots = [
            Pilot(judge or "a judge", "stated", items or math.inf, sd, correlation or 0.0),
        ]
    else:
        result = run_query(current_version(home), _PILOTS)
        rows = [dict(zip(result.columns, row, strict=True)) for row in result.rows]
        pilots = [
            one._replace(
                items=items or one.items,
                correlation=one.correlation if correlation is None else correlation,
            )
            for one in pilots_of([row for row in rows if judge in (None, row["judge_id"])])
        ]
    if not pilots:
        raise NoPilot(
            "plan: no labelled random sample"
            + (f" with answers of {judge}" if judge else "")
            + " is published; draw one with rostrum sample, or state what you expect with --sd and "
            "--correlation"
        )
    table = Table("judge", "pilot", *("sd", "r", "items", "people alone", "with the judge"))
    for one in pilots:
        alone = labels_needed(wanted, math.inf, one.sd, 0.0)
        beside = labels_needed(wanted, one.items, one.sd, one.correlation)
        table.add_row(
            one.judge,
            one.source,
            f"{one.sd:.3g}",
            f"{one.correlation:.2f}",
            "no end" if math.isinf(one.items) else f"{one.items:,}",
            f"{alone:,}",
            "more than there are" if beside is None else f"{beside:,}",
        )
    out.print(table)
    for line in (
        f"Labels of people for a 95 % interval of {wanted:g} to both sides.",
        "sd: of labels, with what topics add; r: correlation of labels and judge. Both are the "
        "pilot's, with its own error, or as stated with --sd and --correlation.",
        "Assumed: a random sample of the items, every item answered by the judge, labels as in the "
        "pilot (as many raters per item), and samples large enough for the normal approximation "
        "(50 labels or more).",
    ):
        print_line(out, line)
