"""What mapping judges' scores to people's buys, on the tab on severity."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from dashboard.core import charts
from dashboard.core.charts import point
from dashboard.core.data import Answer
from dashboard.core.findings import Row, first_known
from dashboard.core.glossary import meaning
from dashboard.core.labels import (
    Metric,
    escape_markdown,
    estimate_in,
    interval_in,
    is_missing,
    number,
    plural,
)
from dashboard.core.naming import nameable, nobody
from dashboard.core.series import Look
from dashboard.core.widgets import COEFFICIENT, draw_chart, table

CALIBRATION = Metric(
    name="change of the error",
    definition=(
        "A linear mapping (least squares) and an isotonic one (non-decreasing steps) of the "
        "judge's score to the mean human score. Topics are dealt into ten folds, fewer where there "
        "are fewer; each is predicted by a fit to the others, so no speech helps to predict "
        "itself. κ takes the mapped score, rounded into the scale, in a person's place. A mapping "
        "takes away a wrong level and a wrong spread; an order it cannot improve, and since it "
        "draws uncertain scores to the middle, κ with single people may fall. Intervals (95 %) of "
        "errors leave out one topic at a time, those of κ redraw people; all differences are "
        "paired."
    ),
    place="Not in the papers",
)


def finding(rows: Sequence[Row]) -> str:
    """Return what the mapping that helps most buys, in Markdown.

    Args:
        rows: Rows of `rpt_score_calibration`.
    """
    known = [row for row in rows if not is_missing(row["mae_change"])]
    if not known:
        reason = first_known(rows, "undefined_reason", "no score is known")
        return f"No mapping can be tested here: {escape_markdown(reason)}."
    named = nameable(known, "n_items", "n_units")
    several = len({(row["judge_id"], row["template"]) for row in known})
    changed = (row for row in known if not is_missing(row["mae_change_high"]))
    helped = len(
        {(row["judge_id"], row["template"]) for row in changed if row["mae_change_high"] < 0}
    )
    text = f"A mapping lowers the error of {helped} of {plural(several, 'judge')}"
    if not named:
        return f"{text}; {nobody('judge')}."
    best = min(named, key=lambda row: float(row["mae_change"]))
    text += (
        ". It helps "
        f"{escape_markdown(best['judge_id'])} most: {best['method']}, by "
        f"{estimate_in(best, 'mae_change')} to "
        f"{number(best['mae'])} points"
    )
    if is_missing(best["mean_kappa_change"]):
        return f"{text}."
    kappa = estimate_in(best, "mean_kappa_change")
    return f"{text}; its κ with single people changes by {kappa}."


def draw(answer: Answer, look: Mapping[str, Look]) -> None:
    """Draw the finding, the chart and the table.

    Args:
        answer: From `queries.calibration`.
    """
    rows = answer.rows
    st.subheader("What does calibrating scores buy?", anchor=False)
    st.markdown(finding(rows))
    st.caption(meaning("mae_change"))
    mapped = [row for row in rows if row["method"] != "none"]
    known = [row for row in mapped if not is_missing(row["mae_change"])]
    if known:
        _chart(known[: charts.JUDGES_DRAWN], look)
    for row in rows:
        if row["method"] == "linear" and row["undefined_reason"]:
            st.text(f"– {row['judge_id']}, {row['template']}: {row['undefined_reason']}")
    _table(answer)


def _chart(rows: Sequence[Row], look: Mapping[str, Look]) -> None:
    several = len({row["template"] for row in rows}) > 1
    data = [
        {
            "label": f"{row['judge_id']}, {row['method']}\n"
            + (f"{row['template']}: " if several else "")
            + _change(row, "mae"),
            "judge_id": row["judge_id"],
            **point(row, "mae_change"),
            "judge": row["judge_id"],
            "mapping": row["method"],
            "error": f"{number(row['mae'])} after, {number(row['mae'] - row['mae_change'])} before",
            "κ": f"{number(row['mean_kappa'])}, change {_change(row, 'mean_kappa')}",
            "n": f"{plural(int(row['n_items']), 'speech', 'speeches')}, "
            f"{plural(int(row['n_folds']), 'fold')}",
        }
        for row in rows
    ]
    draw_chart(
        charts.agreement,
        data,
        None,
        look,
        axis="change of the mean absolute error, points (below 0 = better)",
        title="How far a mapping brings each judge to people's mean scores",
        note="Each topic by a fit to the others. Dashed: no change. Lines: 95 % intervals.",
        tooltips=["judge", "mapping", "error", "κ", "n"],
    )


def _change(row: Row, name: str) -> str:
    return estimate_in(row, f"{name}_change")


def _table(answer: Answer) -> None:
    rows = answer.rows
    columns = {
        "mae": "mean error",
        "rmse": "root mean square",
        "bias": "bias",
        "tau_c": "τ-c",
        "mean_kappa": "mean κ",
    }
    shown = {
        "judge": answer.frame["judge_id"],
        "prompt": answer.frame["template"],
        "mapping": answer.frame["method"],
    }
    for name, title in columns.items():
        shown[title] = answer.frame[name]
        shown[f"{title}: change"] = [
            None if is_missing(row[f"{name}_change"]) else _change(row, name) for row in rows
        ]
    shown |= {
        "95 % interval of the mean error": [interval_in(row, "mae") or None for row in rows],
        "speeches": answer.frame["n_items"],
        "topics": answer.frame["n_units"],
        "pairs of people": answer.frame["pair_count"],
    }
    table(
        pd.DataFrame(shown),
        formats=dict.fromkeys(columns.values(), COEFFICIENT),
        raw=answer,
        name="score_calibration",
    )
