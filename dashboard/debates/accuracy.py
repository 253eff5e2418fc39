"""How often judges name people's winner, what they confuse, and what panels gain."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.core.charts import estimates, point
from dashboard.core.data import Answer
from dashboard.core.findings import Row, records
from dashboard.core.labels import (
    basis,
    code_span,
    count,
    interval_in,
    is_missing,
    percent,
    plural,
    scaled,
    share_in,
)
from dashboard.core.panels import Panel
from dashboard.core.tables import band, listed, share_of, times
from dashboard.core.widgets import ANY_SIZE, Chart, draw_chart, table
from dashboard.core.words import reworded
from dashboard.debates import charts as verdict_charts
from dashboard.debates import findings as words
from dashboard.debates.battery import Several
from dashboard.debates.evidence import contingency
from dashboard.debates.labels import PREDICTED, RELEASED, effect_in, points, setting_name, side_name
from dashboard.debates.panels import ROWS_DRAWN, choose_row, limited, one_side, unknown

MATRICES_DRAWN = 12


def accuracy(answer: Answer, several: Several) -> None:
    """Draw and list how often judges name people's winner."""
    rows = records(answer.frame)
    st.markdown(words.accuracy_finding(rows))
    known = [row for row in rows if not is_missing(row["accuracy"])]
    if known:
        drawn = limited(known, ROWS_DRAWN, "ways of asking")
        chart = accuracy_chart(drawn, several)
        draw_chart(chart.make, *chart.frames, **chart.settings)
    unknown(rows, "accuracy", lambda one: setting_name(one, several=several))
    for row in rows[:ROWS_DRAWN]:
        if text := words.accuracy_bounds(row):
            st.caption(f"{text} Asked: {code_span(setting_name(row))}.")
    if any(not is_missing(row["accuracy_released"]) for row in rows):
        st.caption(f"By the last word: {RELEASED.line}")
    table(
        accuracy_frame(rows, several),
        formats=dict.fromkeys(
            (
                "accuracy (%)",
                "F1 weighted",
                "F1 macro",
                "F1 Pro",
                "F1 Con",
                "MCC",
                "κ",
                "by the last word (%)",
            ),
            ANY_SIZE,
        ),
        raw=answer,
        name="verdict_accuracy",
        height=380 if len(rows) > 9 else None,
    )


def accuracy_chart(rows: Sequence[Row], several: Several) -> Chart:
    """Return the chart of accuracies, one row per judge and way of asking."""
    return Chart(
        estimates,
        (
            pd.DataFrame(
                [
                    {
                        "label": f"{row['judge_id']}: {setting_name(row, several=several)}\n"
                        f"{share_in(row, 'accuracy')}, "
                        f"{plural(int(row['n_units']), 'debate')}",
                        "which": "accuracy",
                        **point(row, "accuracy", 100),
                        "hover": share_in(row, "accuracy") + f", {basis(row, 'debate')}",
                    }
                    for row in rows
                ]
            ),
        ),
        {
            "axis": "debates on which the judge names people's winner, % (dashed: half)",
            "title": accuracy_title(rows),
            "note": "The best first. Lines: 95 % intervals.",
            "top": 100.0,
        },
    )


def accuracy_title(rows: Sequence[Row]) -> str:
    """Return how many are better than half, as plain text."""
    known = [row for row in rows if not is_missing(row["accuracy_low"])]
    if not known:
        return "Accuracy: no interval is known"
    above = sum(bool(row["accuracy_low"] > 0.5) for row in known)
    below = sum(bool(row["accuracy_high"] < 0.5) for row in known)
    return (
        f"Of {plural(len(known), 'way')} of asking, {above} clearly right more often than half the "
        f"time{f', {below} clearly less' if below else ''}"
    )


def accuracy_frame(rows: Sequence[Row], several: Several) -> pd.DataFrame:
    """Return accuracies with everything beside them, as a table shows them."""
    return listed(
        rows,
        {
            "judge": "judge_id",
            "asked": lambda row: setting_name(row, several=several),
            "accuracy (%)": times("accuracy"),
            "95 % interval": band("accuracy", 100),
            "F1 weighted": "f1_weighted",
            "its interval": band("f1_weighted"),
            "F1 macro": "f1_macro",
            "F1 Pro": "f1_pro",
            "F1 Con": "f1_con",
            "MCC": "mcc",
            "interval of MCC": band("mcc"),
            "κ": "kappa",
            "interval of κ": band("kappa"),
            "debates": "n_units",
            "clusters": "n_clusters",
            "by the last word (%)": times("accuracy_released"),
            "interval by the last word": band("accuracy_released", 100),
            "debates by the last word": "n_units_released",
            "read by the last word": "parsed_count_released",
            "answers": "n_answers",
            "read": "parsed_count",
            "ties": "tie_count",
            "unparsed": "unparsed_count",
            "not answered": "unanswered_count",
            "why unknown": lambda row: row["reason"] or row["mcc_reason"] or row["kappa_reason"],
        },
    )


def matrices(rows: Sequence[Row], several: Several) -> list[tuple[Row, pd.DataFrame, str]]:
    """Return one confusion matrix per judge and way of asking: its key, its cells, its title."""
    grouped: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        grouped.setdefault((row["judge_id"], row["variant_id"]), []).append(row)
    judges = {row["judge_id"] for row in rows}
    made = []
    for mine in grouped.values():
        amounts = {(row["human_winner"], row["predicted"]): row for row in mine}
        answered = [
            one
            for one in PREDICTED
            if one in ("pro", "con")
            or any(row["predicted"] == one and row["n_answers"] > 0 for row in mine)
        ]
        cells = [
            {
                "won": side_name(side),
                "answered": PREDICTED[said],
                "share": scaled(row["share"]) if row else 0.0,
                "text": f"{count(row['n_answers'])}\n{percent(row['share'])}" if row else "0",
                "hover": (
                    f"{share_in(row, 'share')}, "
                    f"{count(row['n_answers'])} answers on {plural(int(row['n_units']), 'debate')}"
                    if row
                    else "none"
                ),
            }
            for side in ("pro", "con")
            for said in answered
            for row in [amounts.get((side, said))]
        ]
        title = f"{mine[0]['judge_id']}: " if len(judges) > 1 else ""
        made.append(
            (mine[0], pd.DataFrame(cells), f"{title}{setting_name(mine[0], several=several)}")
        )
    return made


def confusion(page: str, answer: Answer, several: Several) -> None:
    """Draw a confusion matrix per way of asking, and open the debates of a cell."""
    rows = records(answer.frame)
    st.subheader("What is confused with what?", anchor=False)
    if not rows:
        st.markdown("No verdict can be compared with people's winner here.")
        return
    st.caption(
        "The paper's Figures 6, 7 and 9: rows are what people say, columns what the judge says; "
        "counts are answers, shares are of the row."
    )
    made = matrices(rows, several)
    if len(made) > MATRICES_DRAWN:
        st.info(f"{MATRICES_DRAWN} of {len(made)} are drawn; choose fewer judges to see others.")
    for start in range(0, min(len(made), MATRICES_DRAWN), 3):
        boxes = st.columns(3)
        for box, (_, cells, title) in zip(
            boxes, made[start : min(start + 3, MATRICES_DRAWN)], strict=False
        ):
            with box:
                draw_chart(verdict_charts.confusion, cells, title=title)
    keys = [key for key, _, _ in made]
    chosen = choose_row(
        page, keys, lambda one: f"{one['judge_id']}: {setting_name(one, several=several)}"
    )
    mine = [
        row
        for row in rows
        if (row["judge_id"], row["variant_id"]) == (chosen["judge_id"], chosen["variant_id"])
    ]
    amounts = {(row["human_winner"], row["predicted"]): row["n_units"] for row in mine}
    contingency(
        page,
        [
            [(f"confusion.{side}_{said}", amounts.get((side, said), 0)) for said in PREDICTED]
            for side in ("pro", "con")
        ],
        ["people say Pro", "people say Con"],
        list(PREDICTED.values()),
        one_side(chosen),
    )
    st.caption("Counts on the buttons are debates with at least one such answer.")


def consistency(answer: Answer) -> None:
    """List how often answers on one debate differ."""
    rows = records(answer.frame)
    if not rows:
        st.markdown("No debate was asked twice, so nothing can be said of flips.")
        return
    table(consistency_frame(rows), raw=answer, name="self_consistency")


def consistency_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """Return how often answers on one debate differ, as a table shows it."""
    return listed(
        rows,
        {
            "judge": "judge_id",
            "compared": lambda row: str(row["kind"]),
            "asked": lambda row: None if is_missing(row["variant_id"]) else setting_name(row),
            "flips": share_of("flip_share"),
            "pairs of answers": "n_pairs",
            "debates": "n_units",
            "why unknown": "reason",
        },
    )


def panels(answer: Answer) -> None:
    """List what panels and asking both ways round gain and cost."""
    rows = records(answer.frame)
    if not rows:
        st.markdown("There is no panel here: it takes two judges, or both positions.")
        return
    table(
        pd.DataFrame(
            {
                "panel": [str(row["panel_name"] or row["panel"]) for row in rows],
                "how": [row["panel"] for row in rows],
                "members": [row["members"] for row in rows],
                "asked": [reworded(row["asked"]) for row in rows],
                "accuracy": [share_in(row, "accuracy") for row in rows],
                **{
                    heading: [
                        None if is_missing(row[name]) else share_in(row, name) for row in rows
                    ]
                    for heading, name in (
                        ("alone, decided alike", "single_accuracy"),
                        ("with Con second", "single_accuracy_con_second"),
                        ("with Con first", "single_accuracy_con_first"),
                    )
                },
                "gain": [effect_in(row, "difference") for row in rows],
                "effect of position left": [points(row["con_share_difference"]) for row in rows],
                "of a single verdict": [points(row["single_con_share_difference"]) for row in rows],
                "cost per verdict (USD)": [row["cost_usd_per_verdict"] for row in rows],
                "single (USD)": [row["single_cost_usd_per_verdict"] for row in rows],
                "debates": [row["n_units"] for row in rows],
                "why unknown": [row["reason"] for row in rows],
            }
        ),
        formats=dict.fromkeys(("cost per verdict (USD)", "single (USD)"), ANY_SIZE),
        raw=answer,
        name="panel_accuracy",
    )


def best_accuracy(rows: Sequence[Row]) -> tuple[str, str]:
    """Return the value and the note of the figure of accuracy."""
    known = [row for row in rows if not is_missing(row["accuracy"])]
    if not known:
        return "–", "unknown: nothing can be compared with people's winner"
    lead = known[0]
    return percent(lead["accuracy"]), (
        f"{code_span(lead['judge_id'])} · "
        f"{interval_in(lead, 'accuracy', 100)} · "
        f"{basis(lead, 'debate')}"
    )


funnel = Panel(
    "filter_funnel",
    {
        "rule": lambda row: str(row["rule"]).replace("_", " "),
        "what it removes": "description",
        "setting": "setting",
        "debates before": "debates_before",
        "removed": "removed_count",
        "left": "debates_after",
    },
    empty="No rule has removed a debate of this data set.",
    tall=None,
)
