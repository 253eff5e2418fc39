"""How often judges name people's winner, what they confuse, and what panels gain."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.core.charts import estimates, point
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import (
    basis,
    code_span,
    count,
    interval_in,
    is_missing,
    on_sides,
    percent,
    plural,
    scaled,
    share_in,
)
from dashboard.core.panels import Panel
from dashboard.core.tables import band, formed, listing, percent_of, share_of
from dashboard.core.widgets import ANY_SIZE, draw_chart, in_columns, table
from dashboard.core.words import reworded
from dashboard.debates import charts as verdict_charts
from dashboard.debates import findings as words
from dashboard.debates.battery import Several
from dashboard.debates.evidence import contingency
from dashboard.debates.labels import PREDICTED, RELEASED, effect_in, points, setting_name, side_name
from dashboard.debates.panels import ROWS_DRAWN, TALL, choose_row, limited, one_side, unknown

MATRICES_DRAWN = 12


def accuracy(answer: Answer, several: Several) -> None:
    """Draw and list how often judges name people's winner."""
    rows = answer.rows
    st.markdown(words.accuracy_finding(rows))
    known = [row for row in rows if not is_missing(row["accuracy"])]
    if known:
        _accuracy_chart(limited(known, ROWS_DRAWN, "ways of asking"), several)
    unknown(rows, "accuracy", lambda one: setting_name(one, several=several))
    for row in rows[:ROWS_DRAWN]:
        if text := words.accuracy_bounds(row):
            st.caption(f"{text} Asked: {code_span(setting_name(row))}.")
    if any(not is_missing(row["accuracy_released"]) for row in rows):
        st.caption(f"By the last word: {RELEASED.line}")
    listing(
        rows,
        {
            "judge": "judge_id",
            "asked": lambda row: setting_name(row, several=several),
            "accuracy (%)": percent_of("accuracy"),
            "95 % interval": band("accuracy", 100),
            "F1 weighted": formed("f1_weighted"),
            "its interval": band("f1_weighted"),
            "F1 macro": formed("f1_macro"),
            "F1 Pro": formed("f1_pro"),
            "F1 Con": formed("f1_con"),
            "MCC": formed("mcc"),
            "interval of MCC": band("mcc"),
            "κ": formed("kappa"),
            "interval of κ": band("kappa"),
            "debates": "n_units",
            "clusters": "n_clusters",
            "by the last word (%)": percent_of("accuracy_released"),
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
        raw=answer,
        name="verdict_accuracy",
        tall=TALL,
    )


def _accuracy_chart(rows: Sequence[Row], several: Several) -> None:
    draw_chart(
        estimates,
        [
            {
                "label": f"{row['judge_id']}: {setting_name(row, several=several)}\n"
                f"{share_in(row, 'accuracy')}, {plural(int(row['n_units']), 'debate')}",
                "which": "accuracy",
                **point(row, "accuracy", 100),
                "hover": f"{share_in(row, 'accuracy')}, {basis(row, 'debate')}",
            }
            for row in rows
        ],
        axis="debates on which the judge names people's winner, % (dashed: half)",
        title=accuracy_title(rows),
        note="The best first. Lines: 95 % intervals.",
        top=100.0,
    )


def accuracy_title(rows: Sequence[Row]) -> str:
    """Return how many are better than half, as plain text."""
    known, above, below = on_sides(rows, "accuracy", 0.5)
    if not known:
        return "Accuracy: no interval is known"
    return (
        f"Of {plural(known, 'way')} of asking, {above} clearly right more often than half the "
        f"time{f', {below} clearly less' if below else ''}"
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
    rows = answer.rows
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
    for _, cells, title in in_columns(made[:MATRICES_DRAWN], 3):
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


consistency = Panel(
    "self_consistency",
    {
        "judge": "judge_id",
        "compared": lambda row: str(row["kind"]),
        "asked": lambda row: None if is_missing(row["variant_id"]) else setting_name(row),
        "flips": share_of("flip_share"),
        "pairs of answers": "n_pairs",
        "debates": "n_units",
        "why unknown": "reason",
    },
    empty="No debate was asked twice, so nothing can be said of flips.",
    tall=None,
)


def panels(answer: Answer) -> None:
    """List what panels and asking both ways round gain and cost."""
    rows = answer.rows
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
