"""The biases that compare two ways of asking one judge on the same debates: position and labels."""

import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import basis, escape_markdown, is_missing, p_value, percent, plural
from dashboard.core.tables import band, formed, listing, p_of, percent_of
from dashboard.debates import findings as words
from dashboard.debates.battery import Several
from dashboard.debates.evidence import contingency
from dashboard.debates.labels import BIASES, effect_in, position_name
from dashboard.debates.panels import (
    COUNTED,
    MCNEMAR,
    ROWS_DRAWN,
    TALL,
    choose_row,
    limited,
    nothing,
    two_shares,
    unknown,
    who,
)


def _ways(row: Row, bias: str) -> tuple[str, str]:
    """Return the two ways of asking that a paired row compares, as plain text."""
    if bias == "position":
        if row["contrast"] == "con second - con first":
            return "Con named second", "Con named first"
        return "Pro always named first", "shuffled positions"
    first, _, second = str(row["contrast"]).partition(" - ")
    return (f"labels {first}", f"labels {second}") if second else ("the first way", "the second")


def _paired_name(row: Row, bias: str, several: Several) -> str:
    label = [f"labels {row['verbalizer']}"] if bias == "position" else []
    return _named([" against ".join(_ways(row, bias)), *label], row, bias, several)


def _named(parts: list[str], row: Row, bias: str, several: Several) -> str:
    """Return what a row compares, and of the ways of asking what differs in view."""
    if bias == "label" and not is_missing(row.get("position")):
        parts.append(position_name(row["position"]))
    for name, text in (("outcome", "asked for the {}"), ("template", "{}")):
        if several.get(name):
            parts.append(text.format(row[name]))
    return ", ".join(parts)


def paired(page: str, answer: Answer, bias: str, several: Several, look: str) -> None:
    """Show a bias that compares two ways of asking the same judge: position, or labels.

    Args:
        answer: From `queries.position` or `.label`.
        bias: 'position' or 'label'.
        look: Which figure of the paper is redrawn.
    """
    rows = answer.rows
    if not rows:
        nothing(bias)
        return

    def name(row: Row) -> str:
        return _paired_name(row, bias, several)

    known = [row for row in rows if not is_missing(row["difference"])]
    main = [row for row in known if bias == "label" or row["contrast"] == rows[0]["contrast"]]
    if main:
        drawn = limited(main, ROWS_DRAWN, "comparisons")
        pair = ("with the second label of the set", "with the first")
        short = "verbalizer" if bias == "position" else "contrast"
        names = _ways(drawn[0], bias) if bias == "position" else pair
        two_shares(
            drawn,
            lambda row: (
                f"{who(row, drawn)}{_named([str(row[short])], row, bias, several)}\n"
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
    listing(
        rows,
        {
            "judge": "judge_id",
            "compared": name,
            "difference (pp)": percent_of("difference"),
            "95 % interval": band("difference", 100),
            "Con, first way (%)": percent_of("share_a"),
            "Con, second way (%)": percent_of("share_b"),
            "p": p_of("p"),
            **MCNEMAR,
            "Con only first way": "only_a_con",
            "Con only second way": "only_b_con",
            **COUNTED,
            "why unknown": "reason",
            **({"z in the paper's way": formed("z_paper")} if bias == "position" else {}),
        },
        raw=answer,
        name=f"{bias}_bias",
        tall=TALL,
    )
