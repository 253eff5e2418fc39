"""Which judge should I trust, for what?"""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.app import draw
from dashboard.core import first_run
from dashboard.core import queries as core_queries
from dashboard.core.choices import choose_many, choose_one, reset_button
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import escape_markdown, interval, number
from dashboard.core.widgets import (
    download,
    draw_chart,
    headline,
    how_computed,
    next_steps,
    page_title,
    sample_badge,
    table,
    unfolding,
)
from dashboard.core.words import reworded
from dashboard.start import charts, queries
from dashboard.start.findings import change_sentence, drift_warning, trust_finding
from dashboard.start.labels import (
    BESIDE_PEOPLE,
    COST_NAMES,
    SIZE_NAMES,
    STANDINGS,
    TASK_MEASURES,
    TASKS,
)
from dashboard.start.matrix import STYLE, matrix
from warehouse.reader import Version

PAGE = "start"
_LEGEND = " · ".join(f"{one.sign} {one.words}" for one in STANDINGS.values())


def page(version: Version) -> None:
    """Draw the page over one published version."""
    top = page_title("Which judge should I trust, for what?")
    if core_queries.datasets(version).frame.empty:
        st.markdown("**The published warehouse holds no data set yet.** Load one:")
        st.code("rostrum ingest sample", language="shell")
        return
    offered = queries.choices(version).rows
    there = [str(row["choice"]) for row in offered if row["what"] == "task"]
    tasks = [task for task in TASKS if task in there]
    if not tasks:
        st.markdown("**No judge has been asked yet, so there is none to trust.**")
        _run_one(version)
        return
    makers = [str(row["choice"]) for row in offered if row["what"] == "made"]
    task, made, size, cost = _select(tasks, makers)
    asked = queries.judge_tasks(version, task, made, size, cost)
    rows = asked.rows
    chosen = [row for row in rows if row["task"] == task]
    if chosen and all(row["is_sample"] for row in chosen):
        sample_badge(top)
    headline(trust_finding(chosen, task))
    drifted = queries.drifts(version).rows
    if drifted:
        st.warning(drift_warning(drifted))
    if rows:
        _matrix_and_chart(rows, chosen, task, tasks, asked)
    changed = queries.change_counts(version)
    st.markdown(f"**What is new.** {change_sentence(changed.rows[0])}")
    news = queries.changes(version)
    if not news.frame.empty:
        unfolding("Estimates that appeared or moved", _changes, news)
    unfolding("What is in the warehouse, and what to do next", _data_sets, version)
    how_computed(
        [BESIDE_PEOPLE, TASK_MEASURES],
        [("Judges and tasks", asked), ("Changes, counted", changed), ("Changes", news)],
    )


def _select(tasks: Sequence[str], makers: Sequence[str]) -> tuple[str, tuple[str, ...], str, str]:
    boxes = st.columns([3, 4, 2, 2, 2], vertical_alignment="bottom")
    with boxes[0]:
        task = choose_one(
            PAGE,
            "task",
            "For what?",
            {one: TASKS[one].name for one in tasks},
            explain="Judges are sorted by it, and cost and quality are drawn for it.",
        )
    with boxes[1]:
        made = choose_many(
            PAGE,
            "made",
            "Provider or family",
            sorted(makers),
            everything="All; pick some to narrow the page",
        )
    with boxes[2]:
        size = choose_one(
            PAGE,
            "size",
            "Size",
            SIZE_NAMES,
            explain="Parameters of the model.",
        )
    with boxes[3]:
        cost = choose_one(
            PAGE,
            "cost",
            "Cost",
            COST_NAMES,
            explain="Of 1,000 answers on the chosen task, in US dollars.",
        )
    with boxes[4]:
        reset_button(PAGE)
    return task, () if set(made) == set(makers) else made, size, cost


def _matrix_and_chart(
    rows: Sequence[Row], chosen: Sequence[Row], task: str, tasks: Sequence[str], asked: Answer
) -> None:
    wide, narrow = st.columns([5, 2], gap="medium")
    with wide:
        st.html(STYLE)
        st.html(matrix(rows, task, tasks))
        st.caption(
            f"{_LEGEND}. {TASKS[task].name}: {TASKS[task].measure}, with its 95 % interval over n "
            f"{TASKS[task].clusters}; place, unreadable answers and cost are of this task too. A "
            "figure opens what is behind it, a name its profile; rest on a figure for why."
            f"{_asked(chosen)}"
        )
    with narrow:
        drawn = charts.points_of(chosen)
        if drawn.empty:
            st.markdown("No judge here has a value on this task, so nothing is drawn.")
        elif charts.has_prices(drawn):
            draw_chart(charts.cost_and_worth, drawn, task=task)
        else:
            draw_chart(charts.worth, drawn, task=task)
            st.caption("No two known costs differ here, so there is nothing to weigh it against.")
    download(asked.frame, "judges_and_tasks")


def _asked(chosen: Sequence[Row]) -> str:
    """Return how the judges were asked whose figures stand side by side; empty where not alike."""
    ways = {str(row["asked"]) for row in chosen if row["is_main_setting"]}
    return (
        f" Asked: {escape_markdown(reworded(ways.pop()))}; * in another way."
        if len(ways) == 1
        else ""
    )


def _changes(news: Answer) -> None:
    found = news.rows
    table(
        pd.DataFrame(
            {
                "change": [row["change"] for row in found],
                "measure": [row["measure"] for row in found],
                "judge": [row["judge_id"] for row in found],
                "data set": [row["dataset_id"] for row in found],
                "before": [number(row["value_before"]) for row in found],
                "its interval": [interval(row["low_before"], row["high_before"]) for row in found],
                "now": [number(row["value"]) for row in found],
            }
        ),
        raw=news,
        name="changed_estimates",
        height=320 if len(found) > 8 else None,
    )
    if len(found) == queries.CHANGES_LISTED:
        st.caption(f"The first {len(found)}; the table estimate_changes has all.")


def _data_sets(version: Version) -> None:
    datasets = core_queries.datasets(version).frame
    table(
        pd.DataFrame(
            {
                "data set": datasets["title"],
                "kind": ["sample" if one else "real" for one in datasets["is_sample"]],
                "speeches": datasets["item_count"],
                "human scores": datasets["rating_count"],
                "licence": datasets["licence"],
                "citation": datasets["citation"],
                "id": datasets["dataset_id"],
            }
        )
    )
    _run_one(version)


def _run_one(version: Version) -> None:
    next_steps(
        ("See which judges there are, then run one:", "rostrum judges"),
        *first_run.to_ask(version),
        (
            "Load the released speeches with people's scores, or bring scores made elsewhere:",
            "rostrum ingest speeches --from speeches.csv\nrostrum import my_scores.jsonl",
        ),
    )


if __name__ == "__main__":
    draw(page)
