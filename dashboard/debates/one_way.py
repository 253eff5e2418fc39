"""The biases of single ways of asking: who speaks last, leaning to a side, length."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from dashboard.core.charts import estimates, point
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import basis, is_missing, p_value, percent, plural
from dashboard.core.tables import Column, band, formed, listing, p_of, percent_of
from dashboard.core.widgets import draw_chart
from dashboard.debates import findings as words
from dashboard.debates.battery import Several
from dashboard.debates.evidence import Cells, contingency
from dashboard.debates.labels import BIASES, effect_in, setting_name
from dashboard.debates.panels import (
    COUNTED,
    MCNEMAR,
    ROWS_DRAWN,
    TALL,
    choose_row,
    limited,
    nothing,
    one_side,
    two_shares,
    unknown,
    who,
)

_LENGTH = "difference_per_ten_pct_words"
Names = Callable[[Row], str]


class OneWay(NamedTuple):
    """A bias of single ways of asking, as the page shows it.

    Attributes:
        column: The effect; without it a row is not drawn, and said to be unknown.
        draw: Draws the rows that have it; takes what each is called, too.
        heading: Stands above the choice of a row.
        cells: The table of counts of the row chosen, with the names of its rows and columns.
        sentences: Spells its test out.
        columns: Of the table of all rows, between how it was asked and what it rests on.
        why: What stands there where something is unknown.
    """

    column: str
    draw: Callable[[Sequence[Row], Names], None]
    heading: str
    cells: Callable[[Row], tuple[Cells, Sequence[str], Sequence[str]]] | None
    sentences: Callable[[Row], list[str]]
    columns: Mapping[str, Column]
    why: Column = "reason"


def one_way(page: str, answer: Answer, several: Several, bias: str) -> None:
    """Show a bias of single ways of asking: its chart, the test of one way, the table of all.

    Args:
        answer: Its rows.
        bias: One of `WAYS`.
    """
    rows, spec = answer.rows, WAYS[bias]
    if not rows:
        nothing(bias)
        return

    def name(row: Row) -> str:
        return setting_name(row, several=several)

    known = [row for row in rows if not is_missing(row[spec.column])]
    if known:
        drawn = limited(known, ROWS_DRAWN, "ways of asking")
        spec.draw(drawn, lambda row: f"{who(row, drawn)}{name(row)}")
    unknown(rows, spec.column, name)
    st.markdown(f"**{spec.heading}**")
    row = choose_row(page, rows, lambda one: f"{one['judge_id']}: {name(one)}")
    if spec.cells is not None:
        contingency(page, *spec.cells(row), one_side(row))
    for sentence in spec.sentences(row):
        st.markdown(sentence)
    listing(
        rows,
        {"judge": "judge_id", "asked": name, **spec.columns, "why unknown": spec.why},
        raw=answer,
        name=f"{bias}_bias",
        tall=TALL,
    )


def _draw_order(drawn: Sequence[Row], name: Names) -> None:
    two_shares(
        drawn,
        lambda row: (
            f"{name(row)}\n{effect_in(row, 'mh_difference')} stratified by people's winner, "
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


def _order_cells(row: Row) -> tuple[Cells, Sequence[str], Sequence[str]]:
    cells = [
        [
            (f"order.{side}_closes_pred_{said}", row[f"{side}_closes_pred_{said}"])
            for said in ("pro", "con")
        ]
        for side in ("pro", "con")
    ]
    return cells, ["Pro speaks last", "Con speaks last"], ["names Pro", "names Con"]


def _draw_stance(drawn: Sequence[Row], name: Names) -> None:
    two_shares(
        drawn,
        lambda row: (
            f"{name(row)}{'' if row['is_neutralised'] else ' (descriptive)'}\n"
            f"{effect_in(row, 'difference')}, {plural(int(row['n_units']), 'debate')}"
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


def _stance_cells(row: Row) -> tuple[Cells, Sequence[str], Sequence[str]]:
    cells = [[(f"stance.{name}", row[name])] for name in ("only_predicted_con", "only_human_con")]
    parts = ["Con with the judge, Pro with people", "Pro with the judge, Con with people"]
    return cells, parts, ["debates"]


def _draw_length(drawn: Sequence[Row], name: Names) -> None:
    draw_chart(
        estimates,
        [
            {
                "label": f"{name(row)}\n{effect_in(row, _LENGTH)} beyond people, "
                f"{plural(int(row['n_units']), 'debate')}",
                "which": which,
                **point(row, column, 100),
                "hover": f"{which} {effect_in(row, column)}, {basis(row, 'debate')}",
            }
            for row in drawn
            for which, column in (
                ("the judge", "judge_per_ten_pct_words"),
                ("people", "human_per_ten_pct_words"),
            )
        ],
        axis="change in the share for Con per 10 % more words, percentage points",
        title=words.shares_title(drawn, BIASES["verbosity"].name, _LENGTH),
        note="Right of the dashed line: the longer side gains. Lines: 95 % intervals.",
    )


WAYS: Mapping[str, OneWay] = {
    "order": OneWay(
        "difference",
        _draw_order,
        "Who speaks last by who is named, and the test spelled out",
        _order_cells,
        words.order_sentences,
        {
            "difference, stratified by people's winner (pp)": percent_of("mh_difference"),
            "95 % interval": band("mh_difference", 100),
            "p": p_of("p_mh"),
            "odds ratio, stratified by people's winner": formed("mh_odds_ratio"),
            "plain difference (pp)": percent_of("difference"),
            "χ² plain": formed("chi_square"),
            "its p": p_of("p_chi_square"),
            "χ² corrected": formed("chi_square_yates"),
            "φ": formed("phi"),
            "its interval": band("phi"),
            **COUNTED,
        },
        lambda row: row["reason"] or row["mh_reason"],
    ),
    "stance": OneWay(
        "difference",
        _draw_stance,
        "Where judge and people part, and the test spelled out",
        _stance_cells,
        words.stance_sentences,
        {
            "difference (pp)": percent_of("difference"),
            "95 % interval": band("difference", 100),
            "judge names Con (%)": percent_of("predicted_con_share"),
            "people say Con (%)": percent_of("human_con_share"),
            "in the test": lambda row: "yes" if row["is_neutralised"] else "no",
            "why not": "why_descriptive",
            "p": p_of("p"),
            **MCNEMAR,
            **COUNTED,
        },
    ),
    "verbosity": OneWay(
        _LENGTH,
        _draw_length,
        "The test spelled out",
        None,
        words.length_sentences,
        {
            "difference per 10 % words (pp)": percent_of(_LENGTH),
            "95 % interval": band(_LENGTH, 100),
            "judge per 10 % words (pp)": percent_of("judge_per_ten_pct_words"),
            "people per 10 % words (pp)": percent_of("human_per_ten_pct_words"),
            "p": p_of("p"),
            "t (statistic)": formed("statistic"),
            "longer side wins, judge (%)": percent_of("longer_wins_judge"),
            "longer side wins, people (%)": percent_of("longer_wins_human"),
            "its difference (pp)": percent_of("longer_difference"),
            "its interval": band("longer_difference", 100),
            "debates": "n_units",
            "clusters": "n_clusters",
        },
    ),
}
