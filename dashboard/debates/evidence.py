"""From a cell of a table back to its debates, their transcripts and the raw answers."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.core.choices import change_url, choose_one
from dashboard.core.findings import records
from dashboard.core.labels import (
    HUMAN,
    code_span,
    count,
    escape_markdown,
    is_missing,
    number,
    plural,
)
from dashboard.core.tables import formed, listing
from dashboard.core.widgets import close_button, download, how_computed, opening_table
from dashboard.debates import queries as verdict_queries
from dashboard.debates.labels import setting_name, side_name
from dashboard.debates.queries import Side
from dashboard.speeches.evidence import raw_answer
from warehouse.reader import Version

TEXT_HEIGHT = 520
# Row by row the name of each cell, and its count.
Cells = Sequence[Sequence[tuple[str, Any]]]
# What a cell holds, in SQL over one judge's verdicts (`unit_a`) or two (`unit_b`), and in words.
CELLS: Mapping[str, tuple[str, str]] = {
    **{
        f"pair.{name}": (f"unit_a.verdict = '{first}' and unit_b.verdict = '{second}'", words)
        for name, first, second, words in (
            ("both_con", "con", "con", "both ways of asking name Con"),
            ("only_a_con", "con", "pro", "only the first way names Con"),
            ("only_b_con", "pro", "con", "only the second way names Con"),
            ("both_pro", "pro", "pro", "both ways of asking name Pro"),
        )
    },
    **{
        f"order.{side}_closes_pred_{said}": (
            f"dim_debate.end_side = '{side}' and unit_a.verdict = '{said}'",
            f"{side_name(side)} speaks last and the judge names {side_name(said)}",
        )
        for side in ("pro", "con")
        for said in ("pro", "con")
    },
    "stance.only_predicted_con": (
        "unit_a.verdict = 'con' and dim_debate.human_winner = 'pro'",
        "the judge names Con and people say Pro",
    ),
    "stance.only_human_con": (
        "unit_a.verdict = 'pro' and dim_debate.human_winner = 'con'",
        "the judge names Pro and people say Con",
    ),
    "judge.wrong": (
        "dim_debate.human_winner in ('pro', 'con') and unit_a.verdict <> dim_debate.human_winner",
        "the judge names another winner than people",
    ),
    **{
        f"confusion.{side}_{predicted}": (
            f"dim_debate.human_winner = '{side}' and unit_a.{predicted}_count > 0",
            f"people say {side_name(side)} and the judge's answer is {words}",
        )
        for side in ("pro", "con")
        for predicted, words in (
            ("pro", "Pro"),
            ("con", "Con"),
            ("tie", "a tie"),
            ("unparsed", "not readable"),
            ("unanswered", "missing"),
        )
    },
    "compare.both_right": (
        "unit_a.verdict = dim_debate.human_winner and unit_b.verdict = dim_debate.human_winner",
        "both agree with people",
    ),
    "compare.only_a_right": (
        "unit_a.verdict = dim_debate.human_winner and unit_b.verdict <> dim_debate.human_winner",
        "only the first agrees with people",
    ),
    "compare.only_b_right": (
        "unit_a.verdict <> dim_debate.human_winner and unit_b.verdict = dim_debate.human_winner",
        "only the second agrees with people",
    ),
    "compare.both_wrong": (
        "dim_debate.human_winner in ('pro', 'con')"
        " and unit_a.verdict <> dim_debate.human_winner"
        " and unit_b.verdict <> dim_debate.human_winner",
        "neither agrees with people",
    ),
    "compare.split": (
        "unit_a.verdict <> unit_b.verdict",
        "the two name different winners",
    ),
}
_CLOSED = dict.fromkeys(("cell", "by", "with", "a", "b", "debate", "answer"))


def contingency(
    page: str,
    cells: Cells,
    rows: Sequence[str],
    columns: Sequence[str],
    opens: Mapping[str, str | None],
) -> None:
    """Show a table of counts; each count is a button that lists its debates.

    Args:
        cells: Name in `CELLS` and count, row by row; a count of None is not known.
        rows: Names of the rows, in plain words of this program.
        columns: Names of the columns, likewise.
        opens: URL parameters that say whose cells these are.
    """
    # The same cell of another row's table is another cell.
    mine = all(st.query_params.get(name) == value for name, value in opens.items())
    open_now = st.query_params.get("cell") if mine else None
    widths = [3, *([2] * len(columns)), max(1, 8 - 2 * len(columns))]
    heads = st.columns(widths, vertical_alignment="bottom")
    for at, name in enumerate(columns, start=1):
        heads[at].markdown(f"**{name}**")
    for name, line in zip(rows, cells, strict=True):
        boxes = st.columns(widths, vertical_alignment="center")
        boxes[0].markdown(f"**{name}**")
        for at, (cell, amount) in enumerate(line, start=1):
            boxes[at].button(
                count(amount),
                key=f"{page}_cell_{cell}",
                help=f"List the debates on which {CELLS[cell][1]}.",
                type="primary" if cell == open_now else "secondary",
                disabled=not is_missing(amount) and amount == 0,
                width="stretch",
                on_click=change_url,
                args=({**_CLOSED, **opens, "cell": cell},),
            )
    st.caption("Select a count to list its debates, then a debate to read it.")


def opened(
    page: str,
    version: Version,
    dataset_id: str,
    experiment: str,
    *,
    other: str | None = None,
    default: tuple[str, Side, Side | None] | None = None,
) -> None:
    """Show the debates of the cell the URL names, and the debate it names, if it names any.

    Args:
        dataset_id: Data set on the page.
        experiment: Experiment on the page.
        other: Experiment of the second side, where it is another one.
        default: Which cell is listed when the URL names none.
    """
    named = {name: st.query_params.get(name) for name in _CLOSED}
    cell, judge, variant = named["cell"], named["by"], named["a"]
    shown = default
    if cell is not None and judge is not None and variant is not None:
        second = (
            Side(other or experiment, dataset_id, named["with"] or judge, named["b"])
            if named["b"]
            else None
        )
        shown = (cell, Side(experiment, dataset_id, judge, variant), second)
    if shown is None and named["debate"] is None:
        return
    heading, closing = st.columns([8, 1], vertical_alignment="bottom")
    with heading:
        st.subheader("The debates", anchor=False)
    with closing:
        if named["cell"] or named["debate"]:
            close_button(page, _CLOSED)
    with st.container(border=True):
        if shown is not None:
            _cell(page, version, *shown)
        if named["debate"] is not None:
            sides = [side for side in (shown[1:] if shown else ()) if isinstance(side, Side)]
            _debate(page, version, named["debate"], sides)


def _cell(page: str, version: Version, cell: str, first: Side, second: Side | None) -> None:
    if cell not in CELLS or (second is None) == cell.startswith(("pair.", "compare.")):
        st.markdown(f"The link names the cell {code_span(cell)}, which this page does not have.")
        return
    condition, words = CELLS[cell]
    answer = verdict_queries.debates(version, condition, first, second)
    found = answer.frame
    st.markdown(f"**{plural(len(found), 'debate')} on which {words}**")
    who = code_span(first.judge_id)
    if second and second.judge_id != first.judge_id:
        who += f" and {code_span(second.judge_id)}"
    if found.empty:
        reason = (
            " People's single verdicts are not in the published tables; only their counts are."
            if HUMAN in (first.experiment, second.experiment if second else "")
            else ""
        )
        st.markdown(f"No verdict of {who} is in this cell.{reason}")
        return
    st.caption(f"Verdicts of {who}. Select a row to read the debate and the raw answers.")
    _debates(page, found, second is not None)
    download(found, "debates")
    how_computed([], [("Debates in this cell", answer)], of="cell")


def _debates(page: str, found: pd.DataFrame, pair: bool) -> None:
    shown = {
        "motion": found["motion"],
        "people say": [side_name(one) for one in found["human_winner"]],
        "speaks last": [side_name(one) for one in found["end_side"]],
    }
    for part, name in (("a", "first says" if pair else "judge says"), ("b", "second says")):
        if f"verdict_{part}" in found.columns:
            shown[name] = [
                "no majority" if is_missing(one) else side_name(one)
                for one in found[f"verdict_{part}"]
            ]
            shown[f"{name.split()[0]}: Con of answers"] = [
                f"{count(con)} of {count(whole)}"
                for con, whole in zip(
                    found[f"con_count_{part}"], found[f"answer_count_{part}"], strict=True
                )
            ]
    shown |= {
        "rounds": found["round_count"],
        "words Pro": found["words_pro"],
        "words Con": found["words_con"],
        "debate": found["debate_id"],
    }
    opening_table(
        page,
        pd.DataFrame(shown),
        {"debate": list(found["debate_id"])},
        wide="motion",
        height=320 if len(found) > 7 else None,
    )


def _debate(
    page: str,
    version: Version,
    debate_id: str,
    sides: Sequence[Side],
) -> None:
    found = verdict_queries.debate(version, debate_id).rows
    if not found:
        st.markdown(f"The link names the debate {code_span(debate_id)}, which this version lacks.")
        return
    row = found[0]
    st.markdown(f"#### {escape_markdown(row['motion'])}")
    st.caption(
        f"{code_span(debate_id)} · people say {side_name(row['human_winner'])} · "
        f"{side_name(row['end_side'])} speaks last · Pro {plural(int(row['words_pro']), 'word')}, "
        f"Con {plural(int(row['words_con']), 'word')}"
    )
    st.markdown("**The transcript**")
    turns = verdict_queries.transcript(version, debate_id).rows
    if not turns:
        st.markdown(
            "Its text is not in this version: only debates that a model has read are published "
            "with their texts."
        )
    else:
        with st.container(height=TEXT_HEIGHT):
            for turn in turns:
                _turn(turn)
    _answers(page, version, debate_id, sides)


def _turn(turn: Mapping[str, Any]) -> None:
    about = [
        f"**{escape_markdown(side_name(turn['side']))}**",
        *(
            escape_markdown(turn[part])
            for part in ("speaker", "round")
            if not is_missing(turn[part])
        ),
        plural(int(turn["word_count"]), "word"),
    ]
    st.caption(" · ".join(about))
    st.text(turn["text"])


def _answers(
    page: str,
    version: Version,
    debate_id: str,
    sides: Sequence[Side],
) -> None:
    answers = verdict_queries.verdicts(version, debate_id).frame
    st.markdown(f"**What judges answered** ({plural(len(answers), 'answer')})")
    if answers.empty:
        st.markdown("No judge has answered on this debate.")
        return
    # The answers the cell is made of come first.
    mine = {(side.judge_id, side.variant_id) for side in sides}
    rows = sorted(
        records(answers),
        key=lambda one: (one["judge_id"], one["variant_id"]) not in mine,
    )
    listing(
        rows,
        {
            "judge": "judge_id",
            "says": _verdict,
            "probability of Pro": formed("p_pro", "%.3f"),
            "asked": setting_name,
            "sample": "sample",
            "counts": lambda one: (
                "yes"
                if one["is_current"] and not one["is_stale"]
                else "no, text has changed"
                if one["is_stale"]
                else "no, replaced"
            ),
            "answered (UTC)": "answered_at",
            "run": "run_id",
        },
        tall=(8, 320),
    )
    names = {
        one["response_id"]: (
            f"{one['judge_id']}, {setting_name(one)}, sample {count(one['sample'])}: "
            f"{_verdict(one)}"
            + ("" if is_missing(one["p_pro"]) else f", probability of Pro {number(one['p_pro'])}")
        )
        for one in rows
    }
    chosen = choose_one(page, "answer", "Read the raw answer of", names)
    raw_answer(version, chosen)


def _verdict(row: Mapping[str, Any]) -> str:
    if not is_missing(row["winner"]):
        return side_name(row["winner"])
    reason = "" if is_missing(row["parse_reason"]) else f" ({row['parse_reason']})"
    return f"no verdict: {str(row['answer_status']).replace('_', ' ')}{reason}"
