"""One panel per bias: the paper's figure, the table of two by two, the test spelled out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.findings import Row, records
from dashboard.core.labels import (
    basis,
    escape_markdown,
    interval_in,
    is_missing,
    p_cell,
    p_value,
    percent,
    plural,
    scaled,
)
from dashboard.core.widgets import ANY_SIZE, choose_one, draw_chart, table
from dashboard.debates import charts as verdict_charts
from dashboard.debates import findings as words
from dashboard.debates.battery import Several
from dashboard.debates.evidence import contingency
from dashboard.debates.labels import BIASES, effect_in, position_name, setting_name
from dashboard.debates.selection import OPENED, RUN_ONE

ROWS_DRAWN = 20
CON_SHARE = "verdicts for Con, % of debates (dashed: half)"


def choose_row(page: str, rows: Sequence[Row], show: Callable[[Row], str]) -> Row:
    """Let the reader choose whose table is shown; the URL holds it by its place's own ids."""
    by_key = {
        "|".join(
            str(row.get(name) or "")
            for name in ("judge_id", "variant_id", "variant_a", "variant_b", "contrast")
        ): row
        for row in rows
    }
    chosen = choose_one(
        page,
        "row",
        "Table of",
        list(by_key),
        show=lambda one: show(by_key[one]),
        then_forget=OPENED,
    )
    return by_key[chosen]


def limited(rows: Sequence[Row], most: int, what: str) -> list[Row]:
    """Return the rows that a chart has room for, and say when some are left out."""
    if len(rows) > most:
        st.info(
            f"The chart shows {most} of {len(rows)} {what}, those first in the table below; choose "
            "fewer judges or prompts to see others."
        )
    return list(rows[:most])


def _who(row: Row, rows: Sequence[Row]) -> str:
    several = len({one["judge_id"] for one in rows}) > 1
    return f"{row['judge_id']}: " if several else ""


def unknown(rows: Sequence[Row], column: str, show: Callable[[Row], str]) -> None:
    """Say of which rows a figure is not known, and why."""
    for row in rows:
        if is_missing(row[column]):
            st.text(f"– {row['judge_id']}, {show(row)}: {row['reason'] or 'no value'}")


def _ways(row: Row, bias: str) -> tuple[str, str]:
    """Return the two ways of asking that a paired row compares, as plain text."""
    if bias == "position":
        if row["contrast"] == "con second - con first":
            return "Con named second", "Con named first"
        return "Pro always named first", "shuffled positions"
    first, _, second = str(row["contrast"]).partition(" - ")
    return (f"labels {first}", f"labels {second}") if second else ("the first way", "the second")


def _paired_name(row: Row, bias: str, several: Several) -> str:
    ways = " against ".join(_ways(row, bias))
    parts = [ways]
    if bias == "position":
        parts.append(f"labels {row['verbalizer']}")
    elif not is_missing(row.get("position")):
        parts.append(position_name(row["position"]))
    for name, text in (("outcome", "asked for the {}"), ("template", "{}")):
        if several.get(name):
            parts.append(text.format(row[name]))
    return ", ".join(parts)


def _two_shares(
    drawn: Sequence[Row],
    label: Callable[[Row], str],
    shares: Mapping[str, str],
    hover: Callable[[Row], str],
    *,
    title: str,
    note: str,
) -> None:
    """Draw two shares of verdicts for Con per row; `shares` has the column of each by its name."""
    (first, of_first), (second, of_second) = shares.items()
    draw_chart(
        verdict_charts.two_shares,
        pd.DataFrame(
            [
                {
                    "label": label(row),
                    "first": scaled(row[of_first]),
                    "second": scaled(row[of_second]),
                    "hover": hover(row),
                }
                for row in drawn
            ]
        ),
        (first, second),
        axis=CON_SHARE,
        title=title,
        note=note,
    )


def _one_way(
    page: str,
    rows: Sequence[Row],
    several: Several,
    column: str,
    draw: Callable[[list[Row]], None],
    heading: str,
) -> Row:
    """Show a bias of single ways of asking, and return the one whose table the reader chooses.

    Args:
        page: Prefix of the state's keys.
        rows: Ways of asking.
        several: Which factors differ in view.
        column: The effect; without it a row is not drawn, and said to be unknown.
        draw: Draws the rows that have it.
        heading: Stands above the choice.
    """

    def name(row: Row) -> str:
        return setting_name(row, several=several)

    if known := [row for row in rows if not is_missing(row[column])]:
        draw(limited(known, ROWS_DRAWN, "ways of asking"))
    unknown(rows, column, name)
    st.markdown(f"**{heading}**")
    return choose_row(page, rows, lambda one: f"{one['judge_id']}: {name(one)}")


def paired(page: str, answer: Answer, bias: str, several: Several, look: str) -> None:
    """Show a bias that compares two ways of asking the same judge: position, or labels.

    Args:
        page: Prefix of the state's keys.
        answer: From `verdict_queries.position` or `.label`.
        bias: 'position' or 'label'.
        several: Which factors differ in view.
        look: Which figure of the paper is redrawn.
    """
    rows = records(answer.frame)
    if not rows:
        _nothing(bias)
        return

    def name(row: Row) -> str:
        return _paired_name(row, bias, several)

    known = [row for row in rows if not is_missing(row["difference"])]
    main = [row for row in known if bias == "label" or row["contrast"] == rows[0]["contrast"]]
    if main:
        drawn = limited(main, ROWS_DRAWN, "comparisons")
        pair = ("with the second label of the set", "with the first")
        names = _ways(drawn[0], bias) if bias == "position" else pair
        _two_shares(
            drawn,
            lambda row: (
                f"{_who(row, drawn)}{_short(row, bias, several)}\n"
                f"{effect_in(row, 'difference')}, "
                f"{plural(int(row['n_units']), 'debate')}"
            ),
            {names[0]: "share_a", names[1]: "share_b"},
            lambda row: (
                f"{_ways(row, bias)[0]} {percent(row['share_a'])}, "
                f"{_ways(row, bias)[1]} {percent(row['share_b'])}, "
                f"{p_value(row['p'])}, {basis(row, 'debate')}"
            ),
            title=words.shares_title(drawn, BIASES[bias].name),
            note=f"{look} Each row: the same debates. The largest difference first.",
        )
    unknown(rows, "difference", name)
    st.markdown("**The table of two by two, and the test spelled out**")
    row = choose_row(page, rows, lambda one: f"{one['judge_id']}: {name(one)}")
    first, second = _ways(row, bias)
    contingency(
        page,
        [
            [("pair.both_con", row["both_con"]), ("pair.only_a_con", row["only_a_con"])],
            [("pair.only_b_con", row["only_b_con"]), ("pair.both_pro", row["both_pro"])],
        ],
        [f"{escape_markdown(first)}: says {side}" for side in ("Con", "Pro")],
        [f"{escape_markdown(second)}: says {side}" for side in ("Con", "Pro")],
        {"by": row["judge_id"], "a": row["variant_a"], "b": row["variant_b"], "with": None},
    )
    for sentence in words.position_sentences(
        row, (escape_markdown(first), escape_markdown(second))
    ):
        st.markdown(sentence)
    _paired_table(answer, rows, bias, several)


def _short(row: Row, bias: str, several: Several) -> str:
    parts = [str(row["verbalizer"]) if bias == "position" else str(row["contrast"])]
    if bias == "label" and not is_missing(row.get("position")):
        parts.append(position_name(row["position"]))
    for name, text in (("outcome", "asked for the {}"), ("template", "{}")):
        if several.get(name):
            parts.append(text.format(row[name]))
    return ", ".join(parts)


def _paired_table(answer: Answer, rows: Sequence[Row], bias: str, several: Several) -> None:
    shown: dict[str, list[Any]] = {
        "judge": [row["judge_id"] for row in rows],
        "compared": [_paired_name(row, bias, several) for row in rows],
        "difference (pp)": [scaled(row["difference"]) for row in rows],
        "95 % interval": [between(row, "difference") for row in rows],
        "Con, first way (%)": [scaled(row["share_a"]) for row in rows],
        "Con, second way (%)": [scaled(row["share_b"]) for row in rows],
        "p": [p_cell(row["p"]) for row in rows],
        "which p": [row["p_kind"] for row in rows],
        "χ² plain": [row["mcnemar"] for row in rows],
        "χ² corrected": [row["mcnemar_corrected"] for row in rows],
        "p exact": [p_cell(row["p_exact"]) for row in rows],
        "Con only first way": [row["only_a_con"] for row in rows],
        "Con only second way": [row["only_b_con"] for row in rows],
        "debates": [row["n_units"] for row in rows],
        "clusters": [row["n_clusters"] for row in rows],
        "without majority": [row["split_count"] for row in rows],
        "why unknown": [row["reason"] for row in rows],
    }
    if bias == "position":
        shown["z in the paper's way"] = [row["z_paper"] for row in rows]
    _bias_table(answer, shown, bias)


def _bias_table(answer: Answer, shown: Mapping[str, list[Any]], name: str) -> None:
    frame = pd.DataFrame(shown)
    numeric = [
        one
        for one in frame.columns
        if "(pp)" in one or "(%)" in one or one.startswith(("χ²", "z ", "φ", "odds", "t "))
    ]
    table(
        frame,
        formats=dict.fromkeys(numeric, ANY_SIZE),
        raw=answer,
        name=f"{name}_bias",
        height=380 if len(frame) > 9 else None,
    )


def between(row: Row, column: str, scale: float = 100) -> str | None:
    """Return an interval as a table shows it."""
    return interval_in(row, column, scale) or None


def order(page: str, answer: Answer, several: Several) -> None:
    """Show what speaking last does."""
    rows = records(answer.frame)
    if not rows:
        _nothing("order")
        return

    def draw(drawn: list[Row]) -> None:
        _two_shares(
            drawn,
            lambda row: (
                f"{_who(row, drawn)}{setting_name(row, several=several)}\n"
                f"{effect_in(row, 'mh_difference')} held against people's winner, "
                f"{plural(int(row['mh_n_units'] or 0), 'debate')}"
            ),
            {"Con speaks last": "share_con_closes", "Pro speaks last": "share_pro_closes"},
            lambda row: (
                f"Con closes {percent(row['share_con_closes'])}, Pro closes "
                f"{percent(row['share_pro_closes'])}, {basis(row, 'debate')}"
            ),
            title=words.shares_title(drawn, BIASES["order"].name, "mh_difference"),
            note="The paper's Tables 4 and 9, drawn. One row per way of asking.",
        )

    heading = "Who speaks last by who is named, and the test spelled out"
    row = _one_way(page, rows, several, "difference", draw, heading)
    contingency(
        page,
        [
            [
                (f"order.{side}_closes_pred_{said}", row[f"{side}_closes_pred_{said}"])
                for said in ("pro", "con")
            ]
            for side in ("pro", "con")
        ],
        ["Pro speaks last", "Con speaks last"],
        ["names Pro", "names Con"],
        one_side(row),
    )
    for sentence in words.order_sentences(row):
        st.markdown(sentence)
    _bias_table(
        answer,
        {
            "judge": [row["judge_id"] for row in rows],
            "asked": [setting_name(row, several=several) for row in rows],
            "difference held against people (pp)": [scaled(row["mh_difference"]) for row in rows],
            "95 % interval": [between(row, "mh_difference") for row in rows],
            "p": [p_cell(row["p_mh"]) for row in rows],
            "odds ratio held against people": [row["mh_odds_ratio"] for row in rows],
            "plain difference (pp)": [scaled(row["difference"]) for row in rows],
            "χ² plain": [row["chi_square"] for row in rows],
            "its p": [p_cell(row["p_chi_square"]) for row in rows],
            "χ² corrected": [row["chi_square_yates"] for row in rows],
            "φ": [row["phi"] for row in rows],
            "its interval": [between(row, "phi", 1) for row in rows],
            "debates": [row["n_units"] for row in rows],
            "clusters": [row["n_clusters"] for row in rows],
            "without majority": [row["split_count"] for row in rows],
            "why unknown": [row["reason"] or row["mh_reason"] for row in rows],
        },
        "order",
    )


def stance(page: str, answer: Answer, several: Several) -> None:
    """Show the leaning to a side."""
    rows = records(answer.frame)
    if not rows:
        _nothing("stance")
        return

    def draw(drawn: list[Row]) -> None:
        _two_shares(
            drawn,
            lambda row: (
                f"{_who(row, drawn)}{setting_name(row, several=several)}"
                f"{'' if row['is_neutralised'] else ' (descriptive)'}\n"
                f"{effect_in(row, 'difference')}, "
                f"{plural(int(row['n_units']), 'debate')}"
            ),
            {"the judge": "predicted_con_share", "people": "human_con_share"},
            lambda row: (
                f"judge {percent(row['predicted_con_share'])}, people "
                f"{percent(row['human_con_share'])}, {p_value(row['p'])}, {basis(row, 'debate')}"
            ),
            title=words.shares_title(drawn, BIASES["stance"].name),
            note=(
                "Single ways of asking describe: each may hold other biases. First those that the "
                "battery tests together, where these cancel."
            ),
        )

    heading = "Where judge and people part, and the test spelled out"
    row = _one_way(page, rows, several, "difference", draw, heading)
    contingency(
        page,
        [
            [("stance.only_predicted_con", row["only_predicted_con"])],
            [("stance.only_human_con", row["only_human_con"])],
        ],
        ["Con with the judge, Pro with people", "Pro with the judge, Con with people"],
        ["debates"],
        one_side(row),
    )
    for sentence in words.stance_sentences(row):
        st.markdown(sentence)
    _bias_table(
        answer,
        {
            "judge": [row["judge_id"] for row in rows],
            "asked": [setting_name(row, several=several) for row in rows],
            "difference (pp)": [scaled(row["difference"]) for row in rows],
            "95 % interval": [between(row, "difference") for row in rows],
            "judge names Con (%)": [scaled(row["predicted_con_share"]) for row in rows],
            "people say Con (%)": [scaled(row["human_con_share"]) for row in rows],
            "in the test": ["yes" if row["is_neutralised"] else "no" for row in rows],
            "why not": [row["why_descriptive"] for row in rows],
            "p": [p_cell(row["p"]) for row in rows],
            "which p": [row["p_kind"] for row in rows],
            "χ² plain": [row["mcnemar"] for row in rows],
            "χ² corrected": [row["mcnemar_corrected"] for row in rows],
            "p exact": [p_cell(row["p_exact"]) for row in rows],
            "debates": [row["n_units"] for row in rows],
            "clusters": [row["n_clusters"] for row in rows],
            "without majority": [row["split_count"] for row in rows],
            "why unknown": [row["reason"] for row in rows],
        },
        "stance",
    )


def verbosity(page: str, answer: Answer, several: Several) -> None:
    """Show what length gains a side."""
    rows = records(answer.frame)
    if not rows:
        _nothing("verbosity")
        return

    def draw(drawn: list[Row]) -> None:
        draw_chart(
            verdict_charts.estimates,
            pd.DataFrame(
                [
                    {
                        "label": f"{_who(row, drawn)}{setting_name(row, several=several)}\n"
                        f"{effect_in(row, 'difference_per_ten_pct_words')} "
                        f"beyond people, "
                        f"{plural(int(row['n_units']), 'debate')}",
                        "which": which,
                        "value": scaled(row[column]),
                        "low": scaled(row[f"{column}_low"]),
                        "high": scaled(row[f"{column}_high"]),
                        "hover": f"{which} {effect_in(row, column)}, {basis(row, 'debate')}",
                    }
                    for row in drawn
                    for which, column in (
                        ("the judge", "judge_per_ten_pct_words"),
                        ("people", "human_per_ten_pct_words"),
                    )
                ]
            ),
            axis="change in the share for Con per 10 % more words, percentage points",
            title=words.shares_title(
                drawn, BIASES["verbosity"].name, "difference_per_ten_pct_words"
            ),
            note="Right of the dashed line: the longer side gains. Lines: 95 % intervals.",
        )

    row = _one_way(
        page, rows, several, "difference_per_ten_pct_words", draw, "The test spelled out"
    )
    for sentence in words.length_sentences(row):
        st.markdown(sentence)
    _bias_table(
        answer,
        {
            "judge": [row["judge_id"] for row in rows],
            "asked": [setting_name(row, several=several) for row in rows],
            "difference per 10 % words (pp)": [
                scaled(row["difference_per_ten_pct_words"]) for row in rows
            ],
            "95 % interval": [between(row, "difference_per_ten_pct_words") for row in rows],
            "judge per 10 % words (pp)": [scaled(row["judge_per_ten_pct_words"]) for row in rows],
            "people per 10 % words (pp)": [scaled(row["human_per_ten_pct_words"]) for row in rows],
            "p": [p_cell(row["p"]) for row in rows],
            "t (statistic)": [row["statistic"] for row in rows],
            "longer side wins, judge (%)": [scaled(row["longer_wins_judge"]) for row in rows],
            "longer side wins, people (%)": [scaled(row["longer_wins_human"]) for row in rows],
            "its difference (pp)": [scaled(row["longer_difference"]) for row in rows],
            "its interval": [between(row, "longer_difference") for row in rows],
            "debates": [row["n_units"] for row in rows],
            "clusters": [row["n_clusters"] for row in rows],
            "why unknown": [row["reason"] for row in rows],
        },
        "verbosity",
    )


def side(answer: Answer, pairs: Answer) -> None:
    """Show Pro's share of motions argued both ways, and what two judges differ in it."""
    rows, compared = records(answer.frame), records(pairs.frame)
    known = [row for row in rows if not is_missing(row["difference"])]
    if not known:
        _nothing("side")
        return
    draw_chart(
        verdict_charts.estimates,
        pd.DataFrame(
            [
                {
                    "label": f"{name}\n{effect_in(row, 'difference')}, "
                    f"{plural(int(row['n_units']), 'motion')}",
                    "which": which,
                    "value": scaled(row["difference"]),
                    "low": scaled(row["difference_low"]),
                    "high": scaled(row["difference_high"]),
                    "hover": f"{effect_in(row, 'difference')}, {p_value(row['p'])}, "
                    f"{basis(row, 'motion')}",
                }
                for which, name, row in [
                    *(("Pro's share less half", row["judge_id"], row) for row in known),
                    *(
                        ("first judge less second", f"{row['judge_a']} - {row['judge_b']}", row)
                        for row in compared[:ROWS_DRAWN]
                    ),
                ]
            ]
        ),
        axis="difference of Pro's share, percentage points (right = more Pro)",
        title=words.side_title(known),
        note="One value per motion. Lines: 95 % intervals (t over motions).",
    )
    for listed, names in (
        (rows, {"judge": "judge_id", "Pro's share (%)": "pro_share"}),
        (
            compared,
            {
                "first": "judge_a",
                "second": "judge_b",
                "Pro, first (%)": "pro_share_a",
                "Pro, second (%)": "pro_share_b",
            },
        ),
    ):
        if listed:
            _side_table(answer if listed is rows else pairs, listed, names)


def _side_table(answer: Answer, rows: Sequence[Row], names: Mapping[str, str]) -> None:
    is_pairs = "first" in names
    _bias_table(
        answer,
        {
            heading: [scaled(row[name]) if "(%)" in heading else row[name] for row in rows]
            for heading, name in names.items()
        }
        | {
            "prompts": [row["wording"] for row in rows],
            "difference (pp)": [scaled(row["difference"]) for row in rows],
            "95 % interval": [between(row, "difference") for row in rows],
            "p": [p_cell(row["p"]) for row in rows],
            **({"adjusted p": [p_cell(row["p_adjusted"]) for row in rows]} if is_pairs else {}),
            "t (statistic)": [row["statistic"] for row in rows],
            "df": [row["df"] for row in rows],
            "Cohen's d": [row["effect_size"] for row in rows],
            "motions": [row["n_units"] for row in rows],
            "answers": [row["n_answers"] for row in rows],
            "why unknown": [row["reason"] for row in rows],
        },
        "side_pairs" if is_pairs else "side",
    )


def one_side(row: Row) -> dict[str, str | None]:
    """Return URL parameters that name a judge asked in one way."""
    return {"by": row["judge_id"], "a": row["variant_id"], "b": None, "with": None}


_NEEDS = {
    "position": "the same debates asked with Pro named first and with Con named first",
    "label": "the same debates asked with the labels both ways round",
    "order": "debates of which it is known who speaks last",
    "stance": "debates of which people have said who won",
    "verbosity": "debates with texts, of which people have said who won",
    "side": "motions that the same debaters argued twice, with their sides exchanged",
}


def _nothing(bias: str) -> None:
    st.markdown(
        f"**Nothing here tests this bias yet.** It needs {_NEEDS[bias]}. This "
        "experiment asks for what it takes:"
    )
    st.code(RUN_ONE, language="shell")
