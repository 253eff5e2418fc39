"""What a judge costs beside what it is worth, and who is cheaper and as good."""

from collections.abc import Sequence

import altair as alt
import pandas as pd

from dashboard.core.charts import (
    FIT,
    PERCENT,
    POINT_SIZE,
    Measure,
    chart_heading,
    dots,
    hovered,
    named_lines,
    points,
    spread,
)
from dashboard.core.findings import Row
from dashboard.core.labels import is_missing, number, scaled
from dashboard.core.series import GREY, told_apart
from dashboard.start.labels import STANDINGS, TASKS, band_of, basis_of, value_of

HEIGHT = 340
_NAME_LENGTH = 24
# Prices farther apart than this need an axis that shows small ones too.
_WIDE = 30


def points_of(rows: Sequence[Row]) -> pd.DataFrame:
    """Return what the charts draw: judges asked alike, with a value, the best first.

    Args:
        rows: Of one task, from `queries.judge_tasks`, in order.
    """
    known = [row for row in rows if row["is_main_setting"] and not is_missing(row["estimate"])]
    by = 100 if rows and TASKS[rows[0]["task"]].is_share else 1
    return pd.DataFrame(
        {
            "label": [_short(str(row["judge_id"])) for row in known],
            "judge": [row["judge_id"] for row in known],
            "cost": [row["cost_usd_per_1000"] for row in known],
            "value": [scaled(row["estimate"], by) for row in known],
            "low": [scaled(row["estimate_low"], by) for row in known],
            "high": [scaled(row["estimate_high"], by) for row in known],
            "people": [
                scaled(row["human_value"], by) if row["n_people"] == 1 else None for row in known
            ],
            "standing": [STANDINGS[row["standing"]].words for row in known],
            "is_on_frontier": [bool(row["is_on_frontier"]) for row in known],
            "hover": [
                f"{value_of(row)} {band_of(row)} over {basis_of(row)}, "
                f"${number(row['cost_usd_per_1000'])} per 1,000"
                for row in known
            ],
        }
    )


def has_prices(rows: pd.DataFrame) -> bool:
    """Whether costs differ, so that there is anything to weigh."""
    return len(set(rows["cost"].dropna())) > 1


def cost_and_worth(rows: pd.DataFrame, task: str) -> alt.LayerChart:
    """Draw what judges cost across and what they are worth upwards, with the frontier.

    Args:
        rows: From `points_of`, of which those with a known cost are drawn.
        task: What they are worth it for.
    """
    priced = rows[rows["cost"].notna()]
    costs = priced["cost"]
    is_wide = costs.max() > _WIDE * costs[costs > 0].min()
    least = float(costs[costs > 0].min())
    scale = alt.Scale(type="symlog", constant=least) if is_wide else alt.Scale(zero=True)
    across = alt.X("cost:Q", title="US dollars per 1,000 answers", scale=scale).axis(
        tickCount=4, format=".3~r", grid=False
    )
    measure = _measure(task, "y")
    base = alt.Chart(priced).encode(x=across)
    frontier = (
        alt.Chart(priced[priced["is_on_frontier"]].sort_values("cost"))
        .mark_line(color=GREY, interpolate="step-after", strokeDash=[5, 3], strokeWidth=1.5)
        .encode(x=across, y=measure.of("value"))
    )
    layers = [
        frontier,
        spread(base, measure, _told()[0], width=1.5, faint=0.6),
        points(base, measure, _told(), "worth", size=90, beside="judge"),
    ]
    layers.append(
        alt.Chart(priced[priced["is_on_frontier"]])
        .mark_text(align="left", dx=8, dy=-7, fontSize=11, color=GREY)
        .encode(x=across, y=measure.of("value"), text=alt.Text("label:N"), tooltip=hovered("worth"))
    )
    heading = chart_heading("Cost against quality", "Dashed: none cheaper is as good")
    return alt.layer(*layers).properties(title=heading, height=HEIGHT, autosize=FIT)


def worth(rows: pd.DataFrame, task: str) -> alt.LayerChart:
    """Draw what judges are worth, where there is no cost to weigh it against.

    Args:
        rows: From `points_of`.
        task: What they are worth it for.
    """
    measure = _measure(task, "x")
    people = rows["people"].dropna().unique()
    return dots(
        rows,
        measure,
        _told(),
        title="Quality",
        note="With 95 % intervals" if rows["low"].notna().any() else "No interval is known",
        row_height=min(46, HEIGHT / max(1, len(rows))),
        # Several people, or people on each judge's own units, have no one value to draw.
        behind=named_lines([("people", people[0])], measure) if len(people) == 1 else (),
        hover="worth",
        beside="judge",
        size=POINT_SIZE * 0.8,
    )


def _measure(task: str, way: str) -> Measure:
    # Upwards is better, whatever is measured.
    is_turned = task == "parliamentary" and way == "y"
    scale = PERCENT if TASKS[task].is_share else alt.Scale(zero=True, nice=True, reverse=is_turned)
    return Measure(TASKS[task].measure, scale, {"tickCount": 4}, way)


def _told() -> tuple[alt.Color, alt.Shape]:
    known = STANDINGS.values()
    return told_apart(
        "standing",
        [one.words for one in known],
        [one.colour for one in known],
        [one.shape for one in known],
    )


def _short(name: str) -> str:
    tail = name.rsplit("/", 1)[-1]
    return tail if len(tail) <= _NAME_LENGTH else f"{tail[: _NAME_LENGTH - 1]}…"
