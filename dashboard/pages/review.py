"""Who is right where a judge disagrees? A person works through the largest disagreements."""

from typing import Any

import streamlit as st

from dashboard.app import draw
from dashboard.core.choices import (
    NotThere,
    change_url,
    choose_dataset,
    choose_judges,
    choose_tab,
    reset_button,
)
from dashboard.core.data import Answer
from dashboard.core.findings import Finding, Row
from dashboard.core.handing_in import asked_name, name_problem, waiting, why_not_writable
from dashboard.core.labels import count, escape_markdown, plural
from dashboard.core.tables import listed
from dashboard.core.widgets import (
    COEFFICIENT,
    headline,
    how_computed,
    opening_table,
    page_title,
    sample_badge,
    table,
)
from dashboard.reviews import panels, queries
from dashboard.reviews.form import is_waiting
from warehouse.home import Home, find_home
from warehouse.reader import Version

PAGE = "review"
HANDED = f"{PAGE}_handed"
KINDS = {
    "people": "Judge against people",
    "judges": "Judge against the other judges",
    "itself": "Judge against itself",
    "unsure": "Judge too unsure to stand alone",
}
_HEIGHT, _HEIGHT_BESIDE = 250, 145


def page(version: Version) -> None:
    """Draw the page over one published version."""
    top = page_title("Review")
    progress = queries.progress(version)
    rows = progress.rows
    if not any(row["disagreement_count"] for row in rows):
        st.markdown(
            "**There is nothing to review yet.** A disagreement needs judges' answers, and those "
            "of people or other judges on the same texts:"
        )
        st.code("rostrum demo", language="shell")
        _reviews(version, progress)
        return
    home = find_home()
    blocked = why_not_writable(home)
    if blocked:
        st.info(blocked)
    kind = choose_tab(PAGE, "kind", "Disagreement", KINDS, then_forget=("open", "judge"))
    # The list below is of one data set.
    spread = " in all data sets" if len(queries.datasets(version).frame) > 1 else ""
    headline(_finding(rows, kind, spread))
    dataset, is_sample, judges, person = _select(version, rows, kind)
    if is_sample:
        sample_badge(top)
    queue = queries.queue(version, kind, dataset, judges, person)
    left = _left(home, queue.rows, person)
    opened = st.query_params.get("open")
    _table(left, opened)
    answers = [("Queue", queue)]
    if opened is not None:
        answers += _opened(version, home, opened, left, person, is_blocked=bool(blocked))
    _reviews(version, progress)
    how_computed([], [*answers, ("What people decided", progress)])


def _finding(rows: list[dict[str, Any]], kind: str, spread: str) -> Finding:
    mine = [row for row in rows if row["disagreement_kind"] == kind]
    whole = sum(int(row["disagreement_count"]) for row in mine)
    reviewed = sum(int(row["reviewed_count"]) for row in mine)
    decided = sum(int(row["decision_count"]) for row in mine)
    if kind == "unsure" and not decided:
        return Finding(
            f"{plural(whole, 'answer')}{spread} that a person must see, none seen yet.",
            "The least sure first: read the text, then say who is right.",
        )
    if not decided:
        return Finding(
            f"{plural(whole, 'disagreement')}{spread}, none reviewed yet.",
            "The largest first: read the text, then say who is right.",
        )
    words = ", ".join(
        f"{count(sum(int(row[f'{name}_count']) for row in mine))} × {label}"
        for name, label in panels.COUNTED[kind].items()
    )
    return Finding(
        f"{count(reviewed)} of {plural(whole, 'disagreement')}{spread} reviewed; "
        f"of {plural(decided, 'decision')}: {words}."
    )


def _select(
    version: Version, rows: list[dict[str, Any]], kind: str
) -> tuple[str, bool, tuple[str, ...], str]:
    left, middle, right, last = st.columns([3, 4, 3, 2], vertical_alignment="bottom")
    with left:
        offered = queries.datasets(version).frame
        dataset, is_sample = choose_dataset(PAGE, offered, then_forget=("open",))
    there = sorted(
        row["judge_id"]
        for row in rows
        if row["disagreement_kind"] == kind and row["disagreement_count"]
    )
    with middle:
        judges = choose_judges(PAGE, there)
    person = asked_name(
        PAGE,
        "Your name",
        right,
        "It stands in the warehouse beside what you decide; it need not be your own.",
        placeholder="Who decides",
    )
    with last:
        reset_button(PAGE)
    return dataset, is_sample, judges, person


def _left(home: Home, rows: list[dict[str, Any]], person: str) -> list[dict[str, Any]]:
    """Return the queue with what this person handed in and nobody has built yet at its end."""
    names, handed = waiting(home), st.session_state.get(HANDED, {})
    for row in rows:
        name = str(row["disagreement_id"])
        if is_waiting(names, name, person) or row["decision"] is None:
            row["state"] = (
                "handed in"
                if is_waiting(names, name, person) or (person, name) in handed
                else "open"
            )
        else:
            row["state"] = panels.decision_words(str(row["disagreement_kind"]), row["decision"])
    return sorted(rows, key=lambda row: row["state"] != "open")


def _table(rows: list[dict[str, Any]], opened: str | None) -> None:
    if not rows:
        st.markdown("No disagreement of this kind is in this selection.")
        return
    if opened is None:
        st.caption(
            "Select a row (by keyboard: Shift and space) to read the text and decide. The largest "
            "disagreements first."
        )
    shown = listed(
        rows,
        {
            "motion": "title",
            "judge": "judge_id",
            "judge says": "judge_value",
            "others say": "other_value",
            "size (share of the scale)": "size",
            "your decision": "state",
            "prompt": "template",
        },
    )
    opening_table(
        PAGE,
        shown,
        {"open": [row["disagreement_id"] for row in rows]},
        wide="motion",
        formats=dict.fromkeys(
            ("judge says", "others say", "size (share of the scale)"), COEFFICIENT
        ),
        height=_HEIGHT if opened is None else _HEIGHT_BESIDE,
        then_forget=(),
    )
    whole = int(rows[0]["whole_count"])
    if whole > len(rows):
        st.caption(f"The first {count(len(rows))} of {count(whole)}; the SQL page has all.")


def _opened(
    version: Version,
    home: Home,
    opened: str,
    left: list[dict[str, Any]],
    person: str,
    *,
    is_blocked: bool,
) -> list[tuple[str, Answer]]:
    answer = queries.disagreement(version, opened)
    found = answer.rows
    if not found:
        raise NotThere("open", [opened])
    row = found[0]
    problem = name_problem(person)

    def decide() -> None:
        if problem:
            st.info(f"To decide: {problem}")
        if panels.decide(PAGE, home, row, person, is_blocked=is_blocked or bool(problem)):
            _go_on(row, left, person)
        panels.decided(version, row)

    with st.container(border=True):
        shown = panels.disagreement(PAGE, version, row, decide)
    return [("The disagreement", answer), *shown]


def _go_on(row: Row, left: list[dict[str, Any]], person: str) -> None:
    """Remember what was handed in, and open the next that is open."""
    name = str(row["disagreement_id"])
    st.session_state.setdefault(HANDED, {})[person, name] = True
    names = [str(one["disagreement_id"]) for one in left]
    after = left[names.index(name) + 1 :] if name in names else left
    following = next((str(one["disagreement_id"]) for one in after if one["state"] == "open"), None)
    st.toast("Handed in. It is in the figures after the next build.")
    change_url({"open": following})
    st.rerun()


def _reviews(version: Version, progress: Answer) -> None:
    st.subheader("What people decided", anchor=False)
    found = queries.reviews(version)
    rows = found.rows
    if not rows:
        st.caption("No decision is published yet.")
        return
    counted = [row for row in progress.rows if row["decision_count"]]
    table(
        listed(
            counted,
            {
                "judge": "judge_id",
                "disagreement": lambda row: KINDS[row["disagreement_kind"]],
                "disagreements": "disagreement_count",
                "reviewed": "reviewed_count",
                "others right": "others_right_count",
                "judge right": "judge_right_count",
                "both defensible": "both_defensible_count",
                "answer replaced since": "outdated_count",
            },
        )
    )
    table(
        listed(
            rows,
            {
                "motion": "title",
                "judge": "judge_id",
                "decision": lambda row: panels.decision_words(
                    row["disagreement_kind"], row["decision"]
                ),
                "tags": lambda row: ", ".join(panels.tags_of(row["tags"])),
                "comment": "comment",
                "by": "person",
                "at (UTC)": "decided_at",
            },
        ),
        raw=found,
        name="reviews",
        height=_HEIGHT,
    )
    st.caption(
        f"In SQL: {escape_markdown('from fct_review')}, and {escape_markdown('from rpt_reviews')} "
        "for the counts."
    )


if __name__ == "__main__":
    draw(page)
