"""What follows for a judge: may it stand in for people, for what, and what does it cost to know?"""

from collections.abc import Sequence

import streamlit as st

from dashboard.app import draw
from dashboard.core.choices import choose_dataset, choose_one, choose_tab, filter_row
from dashboard.core.findings import Row, records
from dashboard.core.labels import escape_markdown, is_missing
from dashboard.core.widgets import next_steps, page_title, sample_badge
from dashboard.core.words import PROMPTS, reworded, words_alone
from dashboard.decisions.queries import choices, decisions
from dashboard.decisions.section import Chosen, show_decision
from dashboard.decisions.sections import SECTIONS
from warehouse.reader import Version

PAGE = "decide"
CANNOT_TELL = "cannot tell"


def page(version: Version) -> None:
    """Draw the page over one published version."""
    top = page_title("Decide")
    names = {topic: section.name for topic, section in SECTIONS.items()}
    topic = choose_tab(PAGE, "topic", "Decision", names, then_forget=("dataset", "judge", "asked"))
    section = SECTIONS[topic]
    offered = choices(version).frame
    offered = offered[offered["topic"] == topic]
    if offered.empty:
        st.markdown(f"**{section.question}** Nothing here can answer it yet.")
        next_steps(section.empty, demo="judges")
        return
    boxes = filter_row(PAGE, [2, 2, 3]).boxes
    with boxes[0]:
        dataset_id, is_sample = choose_dataset(PAGE, offered, then_forget=("judge", "asked"))
    known = next(row for row in records(offered) if row["dataset_id"] == dataset_id)
    judges = tuple(() if known["judge_ids"] is None else known["judge_ids"])
    if judges:
        told = None if is_missing(known["told_judge_id"]) else str(known["told_judge_id"])
        with boxes[1]:
            judge = choose_one(PAGE, "judge", "Judge", judges, then_forget=("asked",), default=told)
        judges = (judge,)
    if is_sample:
        sample_badge(top)
    answer = decisions(version, topic, dataset_id, judges)
    rows = answer.rows
    at = 0
    if len(rows) > 1:
        ways = [str(number) for number in range(len(rows))]
        told = next((one for one in ways if rows[int(one)]["answer"] != CANNOT_TELL), None)
        with boxes[2]:
            asked = choose_one(
                PAGE,
                "asked",
                "Question",
                {one: _question(rows, int(one)) for one in ways},
                default=told,
            )
        at = int(asked)
    show_decision(rows[at])
    if not is_missing(rows[at]["label_policy"]):
        st.caption(f"People labelled under: {escape_markdown(rows[at]['label_policy'])}")
    section.draw(version, Chosen(dataset_id, judges, rows, answer, rows[at]))


def _question(rows: Sequence[Row], at: int) -> str:
    """Return a question as text; where several read alike, with the prompt it is about."""
    question = str(rows[at]["question"])
    alike = sum(row["question"] == question for row in rows) > 1
    about = f" ({words_alone(rows[at]['template'], PROMPTS)})" if alike else ""
    return f"{reworded(question)}{about}"


if __name__ == "__main__":
    draw(page)
