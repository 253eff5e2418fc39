"""What judges made of one transcript: belief as it moved, both orders of answers, their words."""

from collections.abc import Sequence

import streamlit as st

from dashboard.core.choices import choose_one
from dashboard.core.findings import Row
from dashboard.core.labels import code_span, count, escape_markdown, is_missing, number, percent
from dashboard.core.tables import formed, listing
from dashboard.core.widgets import draw_chart
from dashboard.oversight import charts
from dashboard.oversight.reader import queries
from warehouse.reader import Version

JUDGES_DRAWN = 6
ORDERS = {
    "01": "answer 0 shown first",
    "10": "answer 1 shown first",
    "both": "mean of both orders",
    "shown": "as a person saw it",
}
PROBES = {
    "none": "",
    "unverified": "quotes of answer {side} shown as unverified",
    "padded": "answer {side} padded with words",
}


def probe_name(row: Row) -> str:
    """Return what was changed before a judge read it; empty where nothing was."""
    if is_missing(row["probe"]):
        return ""
    return PROBES.get(str(row["probe"]), str(row["probe"])).format(side=count(row["probed_answer"]))


def belief(rows: Sequence[Row]) -> None:
    """Draw how belief moved, of the judges who gave a probability for the text as it stands."""
    asked = [row for row in rows if row["probe"] == "none" and not is_missing(row["p_answer_0"])]
    # The mean of two orders is no judgement of its own: both are drawn.
    points = [row for row in asked if row["answer_order"] != "both"]
    judges = list(dict.fromkeys(str(row["judge_id"]) for row in points))
    if not points:
        st.markdown("No judge has given a probability for this transcript.")
        return
    if len(judges) > JUDGES_DRAWN:
        st.info(f"The chart shows {JUDGES_DRAWN} of {len(judges)} judges; the table has all.")
    shown = [row for row in points if row["judge_id"] in judges[:JUDGES_DRAWN]]
    draw_chart(
        charts.belief,
        [_point(row) for row in shown],
        axis="probability of answer 0, %",
        note=_right_note(rows[0]),
    )


def _point(row: Row) -> dict[str, object]:
    order = ORDERS.get(str(row["answer_order"]), str(row["answer_order"]))
    return {
        "judge_id": str(row["judge_id"]),
        "line": f"{row['judge_id']} {row['answer_order']} {row['mode']} {row['template']} "
        f"{row['sample']}",
        "order": order,
        "step": 0 if is_missing(row["step"]) else int(row["step"]),
        "value": 100 * row["p_answer_0"],
        "hover": f"{row['judge_id']}, {order}: {percent(row['p_answer_0'])} on answer 0",
    }


def _right_note(row: Row) -> str:
    if is_missing(row["right_answer"]):
        return "Which answer is right is withheld by the data set."
    top = "top" if int(row["right_answer"]) == 0 else "bottom"
    return f"Answer {count(row['right_answer'])} is right: the truth is at the {top}."


def judgements(page: str, version: Version, rows: Sequence[Row]) -> None:
    """List every judgement, and show the judge's own words for the one that is chosen."""
    if not rows:
        return
    listing(
        rows,
        {
            "judge": "judge_id",
            "after round": "step",
            "final": "is_final",
            "answers": lambda row: ORDERS.get(str(row["answer_order"]), row["answer_order"]),
            "on answer 0": formed("p_answer_0", "percent"),
            "on the right answer": formed("p_right", "percent"),
            "right": _right,
            "read as": "answer_status",
            "changed beforehand": lambda row: probe_name(row) or None,
            "prompt": "template",
            "how": "mode",
        },
        tall=(7, 280),
    )
    by_id = {str(row["judgement_id"]): row for row in rows if row["answer_order"] != "both"}
    if not by_id:
        st.markdown("These are means of both orders: no judge's words belong to them.")
        return
    chosen = choose_one(
        page, "answer", "The judge's words", {one: _name(row) for one, row in by_id.items()}
    )
    _words(queries.reply(version, chosen).rows[0])


def _words(row: Row) -> None:
    if is_missing(row["reply"]):
        st.markdown("This judgement came without words.")
    elif not str(row["reply"]).strip():
        st.markdown("An empty text came back.")
    else:
        st.code(row["reply"], language=None, wrap_lines=True)
    at = "unknown" if is_missing(row["judged_at"]) else f"{row['judged_at']:%Y-%m-%d %H:%M} UTC"
    said = [code_span(row["judgement_id"]), escape_markdown(row["answer_status"]), f"judged {at}"]
    if not is_missing(row["cost_usd"]):
        said.append(f"cost \\${number(row['cost_usd'])}")
    st.caption(" · ".join(said))


def _right(row: Row) -> str | None:
    if is_missing(row["right_score"]):
        return None
    return {1.0: "right", 0.0: "wrong"}.get(float(row["right_score"]), "tie: half right")


def _name(row: Row) -> str:
    order = ORDERS.get(str(row["answer_order"]), str(row["answer_order"]))
    parts = [str(row["judge_id"]), f"after round {count(row['step'])}", order, probe_name(row)]
    return ", ".join(part for part in parts if part)


def at_the_end(rows: Sequence[Row], known: str) -> list[Row]:
    """Last judgements of the text as it stands, in every order of answers, with a known column."""
    return [
        row
        for row in rows
        if row["is_final"]
        # The mean of two orders is no judgement of its own.
        and row["answer_order"] != "both"
        and row["probe"] == "none"
        and not is_missing(row[known])
    ]


def final_words(rows: Sequence[Row]) -> str:
    """Say how many judgements at the end are right, in Markdown; empty without any."""
    last = at_the_end(rows, "right_score")
    if not last:
        return ""
    right = sum(row["right_score"] == 1 for row in last)
    ties = sum(row["right_score"] == 0.5 for row in last)
    if len(last) == 1:
        verdict = "is right" if right else "is tied" if ties else "is wrong"
        believed = (
            ""
            if is_missing(last[0]["p_right"])
            else (f" ({percent(last[0]['p_right'])} on the right answer)")
        )
        return f"{escape_markdown(last[0]['judge_id'])} {verdict} in the end{believed}"
    tied = f", {count(ties)} tied" if ties else ""
    return f"{count(right)} of {count(len(last))} judgements at the end are right{tied}"
