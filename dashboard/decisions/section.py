"""One topic of the page on decisions, and what all topics show alike: the decision itself."""

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from dashboard.core.charts import Measure, dashed, dots, point
from dashboard.core.data import Answer, asking, query
from dashboard.core.findings import Finding, Row
from dashboard.core.glossary import catalogue
from dashboard.core.labels import (
    capital,
    count,
    escape_markdown,
    estimate_in,
    interval,
    is_missing,
    joined,
    number,
)
from dashboard.core.widgets import draw_chart, figure, figure_row, headline
from dashboard.core.words import reworded
from warehouse.reader import Version


class Chosen(NamedTuple):
    """What is chosen on the page.

    Attributes:
        dataset_id: The data set.
        judges: The judges.
        rows: The decisions of the topic on them.
        answer: The query that gave these rows.
        row: The decision that is shown.
    """

    dataset_id: str
    judges: tuple[str, ...]
    rows: Sequence[Row]
    answer: Answer
    row: Row


class Section(NamedTuple):
    """One topic.

    Attributes:
        name: What its tab is called.
        question: What it answers, in a sentence.
        empty: What to do where no decision is known, and the command for it.
        draw: Draws what stands below the decision: chart, table, how it is computed.
    """

    name: str
    question: str
    empty: tuple[str, str]
    draw: Callable[[Version, Chosen], None]


# What is said of a decision, and where it stands.
SAID = (
    ("Why", "reason"),
    ("What would change it", "would_change"),
    ("What that would cost", "cost"),
)


class Stated(NamedTuple):
    """A number behind a decision, as text.

    Attributes:
        name: What it is.
        value: The number alone.
        note: Its interval and n.
        explain: One line on what it means.
    """

    name: str
    value: str
    note: str
    explain: str


def stated(decision: Row) -> list[Stated]:
    """Return the numbers behind a decision as text."""
    known = catalogue().measures
    found = []
    for one in json.loads(decision["numbers"]):
        measure = known.get(one["measure"])
        ends = interval(one.get("low"), one.get("high"))
        n = "" if is_missing(one.get("n")) else f"n = {count(one['n'])}"
        found.append(
            Stated(
                measure.name if measure else one["measure"].replace("_", " ").capitalize(),
                number(one.get("value")),
                joined((ends, n)) or "no interval",
                measure.meaning if measure else "",
            )
        )
    return found


def sentence(words: str) -> str:
    """Return words with a capital and a full stop: a reason is written as part of a sentence."""
    return f"{capital(words.rstrip('.'))}."


def finding(decision: Row) -> Finding:
    """Return a decision as the sentences that stand above everything else."""
    question = escape_markdown(reworded(decision["question"]))
    answer = escape_markdown(decision["answer"])
    said = " ".join(
        f"*{label}:* {escape_markdown(sentence(decision[column]))}"
        for label, column in SAID
        if not is_missing(decision[column])
    )
    return Finding(f"{question} {answer.capitalize()}.", said)


def show_decision(decision: Row) -> None:
    """Draw a decision: question and answer, its three numbers, what would change it."""
    headline(finding(decision))
    with figure_row():
        for one in stated(decision)[:4]:
            figure(one.name, one.value, one.note, one.explain)


_COLOUR = "#0072B2"


def show_changes(
    rows: Sequence[Row], label: str, column: str, *, axis: str, title: str, note: str
) -> None:
    """Draw an estimate of each row of a mart.

    Args:
        rows: Of the mart; none lacks the estimate.
        label: The column that names a row.
        column: The estimate; its interval's ends are named after it.
        axis: What the axis is called.
        title: What to conclude.
        note: What the estimate and its interval are.
    """
    points = [
        {"label": row[label], "hover": estimate_in(row, column), **point(row, column)}
        for row in rows
    ]
    draw_chart(changes, points, axis=axis, title=title, note=note)


def changes(points: pd.DataFrame, *, axis: str, title: str, note: str) -> alt.LayerChart:
    """Draw changes with their intervals beside a line at no change, a row each.

    `points` has columns `label`, `value`, `low`, `high` and `hover`.
    """
    measure = Measure(axis)
    line = dashed(0, x=measure.at())
    told = (_COLOUR, "circle")
    return dots(points, measure, told, title=title, note=note, behind=[line], hover="change")


# Return which topic, data set and judge have a decision.
# Real data come first, then those of which anything can be told.
choices = query("""
select
    topic,
    dataset_id,
    coalesce(any_value(title), dataset_id) as title,
    coalesce(any_value(is_sample), false) as is_sample,
    list_sort(list(distinct judge_id) filter (judge_id is not null)) as judge_ids,
    min(judge_id) filter (answer != 'cannot tell') as told_judge_id
from rpt_decisions
left join dim_dataset using (dataset_id)
group by topic, dataset_id
order by is_sample, bool_and(answer = 'cannot tell'), dataset_id, topic""")

# Return the decisions of one topic on one data set, of these judges.
decisions = query("""
select rpt_decisions.*, dim_dataset.label_policy
from rpt_decisions
left join dim_dataset using (dataset_id)
where topic = $topic
    and dataset_id = $dataset
    and (judge_id is null or list_contains($judges, judge_id))
order by judge_id, task, dimension, experiment, template, variant_id, question""")

# The decisions of one topic, of a data set and a judge where they are named.
all_decisions = asking(
    "rpt_decisions",
    "dataset_id, judge_id, task, dimension, experiment, template, variant_id, question",
    """topic = $topic
    and $dataset in ('', dataset_id)
    and $judge in ('', judge_id)""",
)
