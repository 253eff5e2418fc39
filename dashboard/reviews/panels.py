"""One disagreement: the text, what was answered, what a person decides, what people decided."""

import json
from collections.abc import Callable
from typing import Any

import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import (
    capital,
    code_span,
    count,
    escape_markdown,
    is_missing,
    number,
    plural,
)
from dashboard.core.tables import listed
from dashboard.core.widgets import close_button, table
from dashboard.oversight.judging.form import without_paths
from dashboard.parliamentary.labels import ASKED, HOUSES, ROLES
from dashboard.reviews import form, queries
from warehouse.errors import WarehouseError
from warehouse.home import Home
from warehouse.reader import Version

_TEXT_HEIGHT = 420
DECISIONS = {
    "people": {
        form.OTHERS: "People are right",
        form.JUDGE: "The judge is right",
        form.BOTH: "Both are defensible",
    },
    "judges": {
        form.OTHERS: "The other judges are right",
        form.JUDGE: "This judge is right",
        form.BOTH: "Both are defensible",
    },
    "itself": {
        form.OTHERS: "A fault: it should not change",
        form.JUDGE: "The change is right",
        form.BOTH: "Either answer is defensible",
    },
    "unsure": {
        form.OTHERS: "The judge is wrong",
        form.JUDGE: "The judge is right",
        form.BOTH: "The answer is open",
    },
}
_UNITS = {
    "speech": "speech",
    "debate": "debate",
    "answer": "answer",
    "parliamentary": "parliamentary debate",
    "transcript": "debate about a story",
}
_PLACES = {**ROLES, **HOUSES}
COUNTED = {
    kind: {
        "others_right": words[form.OTHERS].lower(),
        "judge_right": words[form.JUDGE].lower(),
        "both_defensible": words[form.BOTH].lower(),
    }
    for kind, words in DECISIONS.items()
}


def decision_words(kind: str, decision: Any) -> str:
    """Return a decision about a kind of disagreement as text."""
    return DECISIONS[kind].get(str(decision), str(decision))


def tags_of(told: Any) -> list[str]:
    """Return the tags of a review."""
    return [] if is_missing(told) else [str(tag) for tag in json.loads(told)]


def disagreement(
    page: str, version: Version, row: Row, decide: Callable[[], None]
) -> list[tuple[str, Answer]]:
    """Show a disagreement: what was judged on the left, what was answered on the right.

    Args:
        decide: Draws what a person decides, beneath the judge's own answer.
    """
    heading, closing = st.columns([8, 1], vertical_alignment="top")
    with heading:
        st.markdown(f"#### {escape_markdown(row['title'])}")
        st.markdown(_about(row) + _sentence(row))
    with closing:
        close_button(page, ["open"])
    said = queries.texts(version, row["unit_kind"], row["unit_id"])
    answered = queries.answers(version, row)
    left, right = st.columns([3, 2])
    with left:
        st.markdown(f"**The {_UNITS[row['unit_kind']]}** {code_span(row['unit_id'])}")
        with st.container(height=_TEXT_HEIGHT):
            for part in said.rows:
                if not is_missing(part["part"]):
                    st.caption(escape_markdown(capital(str(part["part"]))))
                st.text(part["text"])
        _everybody(answered.rows)
    with right:
        _own(row, answered.rows)
        decide()
    return [("The text", said), ("Answers on it", answered)]


def _sentence(row: Row) -> str:
    judge, value = code_span(row["judge_id"]), _value(row, row["judge_value"])
    answers = plural(int(row["answer_count"]), "answer")
    if row["disagreement_kind"] == "itself":
        low, high = (_value(row, row[f"{end}_value"]) for end in ("lowest", "highest"))
        return f"{judge} says {low} and {high}: {answers} to the same prompt on the same text."
    if row["disagreement_kind"] == "unsure":
        share = number(100 * float(row["size"]))
        return (
            f"{judge} says {value} ({answers}), and is too unsure for its answer to stand: what "
            f"people say may lie anywhere in {share} % of the scale."
            if row["unit_kind"] == "speech"
            else f"{judge} says {value} ({answers}), and is too unsure for its answer to stand."
        )
    other = _value(row, row["other_value"])
    who = (
        "people"
        if row["disagreement_kind"] == "people"
        else f"{plural(int(row['other_count']), 'other judge')}, on average"
    )
    return f"{judge} says {value} ({answers}); {who}: {other}."


def _about(row: Row) -> str:
    """Return what the values of a disagreement are, where the title does not say so."""
    if row["unit_kind"] == "answer":
        return "Does the answer say that the question is disputed? 1 is yes. "
    if row["unit_kind"] == "transcript":
        return "How likely is the first answer the right one? "
    if row["unit_kind"] == "parliamentary":
        task, _, place = str(row["dimension"]).partition(" ")
        return f"{capital(ASKED[task])}, {_PLACES[place]}. "
    return ""


def _value(row: Row, value: Any) -> str:
    if row["unit_kind"] != "debate":
        return number(value)
    return {0.0: "Con won", 0.5: "a tie", 1.0: "Pro won"}.get(
        float(value), f"Pro in {number(100 * float(value))} %"
    )


def _own(row: Row, answers: list[dict[str, Any]]) -> None:
    mine = [one for one in answers if one["judge_id"] == row["judge_id"]]
    st.markdown(f"**What {code_span(row['judge_id'])} answered**")
    for one in sorted(mine, key=lambda one: one["response_id"] != row["response_id"])[:2]:
        if is_missing(one["response"]):
            st.markdown(f"The bare value {code_span(one['answer'])}.")
        else:
            st.code(one["response"], language=None, wrap_lines=True)
    st.page_link(
        "pages/request.py",
        label="Show the whole request",
        query_params={"request": str(row["response_id"])},
    )


def _everybody(answers: list[dict[str, Any]]) -> None:
    st.markdown(f"**All {count(len(answers))} answers with this prompt**")
    table(
        listed(
            answers,
            {
                "judge": "judge_id",
                "answer": "answer",
                "repeat": "sample",
                "sides": lambda one: one["position"],
                "names": lambda one: one["verbalizer"],
            },
        ),
        height=200,
    )


def decide(page: str, home: Home, row: Row, person: str, *, is_blocked: bool) -> bool:
    """Let a person decide; return whether a decision was handed in.

    Args:
        home: Where the inbox is.
        person: Who decides.
        is_blocked: Whether nothing can be handed in now.
    """
    words = DECISIONS[row["disagreement_kind"]]
    state = f"{page}_{row['disagreement_id']}"
    with st.form(state, enter_to_submit=False):
        decision = st.radio(
            "Who is right?",
            form.DECISIONS,
            index=None,
            format_func=lambda one: words[one],
            key=f"{state}_decision",
        )
        tags = st.multiselect(
            "Tags",
            form.TAGS,
            key=f"{state}_tags",
            accept_new_options=True,
            max_selections=form.MOST_TAGS,
            placeholder="What went wrong, in a word or two; your own as well",
        )
        comment = st.text_area(
            "Comment", key=f"{state}_comment", max_chars=form.LONGEST_COMMENT, height=80
        )
        sent = st.form_submit_button(
            "Hand in and go on", type="primary", key=f"{state}_send", disabled=is_blocked
        )
    if not sent:
        return False
    long = [tag for tag in tags if len(tag) > form.LONGEST_TAG]
    if decision is None or long:
        st.error(
            f"Nothing was handed in: a tag has at most {form.LONGEST_TAG} characters."
            if long
            else "Nothing was handed in: say who is right first."
        )
        return False
    try:
        form.hand_in(home, row, person, decision, tags, comment)
    except (OSError, WarehouseError) as error:
        st.error("The decision could not be written; nothing was handed in:")
        st.code(without_paths(home, str(error)), language=None, wrap_lines=True)
        return False
    return True


def decided(version: Version, row: Row) -> None:
    """Show what people decided about a disagreement before."""
    rows = queries.decided(version, str(row["disagreement_id"])).rows
    for one in rows:
        words = decision_words(row["disagreement_kind"], one["decision"])
        tags = ", ".join(tags_of(one["tags"]))
        told = [f"**{escape_markdown(one['person'])}**: {words.lower()}"]
        told += [escape_markdown(tags)] if tags else []
        told += [] if is_missing(one["comment"]) else [f"“{escape_markdown(one['comment'])}”"]
        told.append(f"{one['decided_at']:%Y-%m-%d %H:%M} UTC")
        if one["times_decided"] > 1:
            told.append(f"decided {count(one['times_decided'])} times, this last")
        if not one["is_current"]:
            told.append("about an answer that has been replaced since")
        st.caption(" · ".join(told))
