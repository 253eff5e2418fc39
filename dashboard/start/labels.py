"""Words for tasks and for how a judge stands beside people."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from dashboard.core.labels import Metric, interval_in, is_missing, number, scaled
from dashboard.debates.labels import BIASES


class Task(NamedTuple):
    """What judges are asked to do.

    Attributes:
        name: As a column's heading.
        about: As part of a sentence, after "for".
        measure: What is measured, in a few words.
        cluster: What the interval rests on, one of them.
        clusters: And several.
        is_share: Whether values are shares, which are shown as percent.
    """

    name: str
    about: str
    measure: str
    cluster: str
    clusters: str
    is_share: bool


TASKS: Mapping[str, Task] = {
    "speeches": Task(
        "Speeches", "scores of speeches", "people's scores, mean κ", "person", "people", False
    ),
    "debates": Task(
        "Debates",
        "winners of debates",
        "people's winner, % right",
        "debate",
        "debates",
        True,
    ),
    "questions": Task(
        "Questions",
        "labels of answers to questions",
        "people's labels, % right",
        "question",
        "questions",
        True,
    ),
    "parliamentary": Task(
        "Parliamentary",
        "parliamentary debates",
        "the panel's order, places off",
        "debate",
        "debates",
        False,
    ),
    "oversight": Task(
        "Oversight",
        "oversight of debates about stories",
        "true answers, % right",
        "story",
        "stories",
        True,
    ),
}


class Standing(NamedTuple):
    """How a judge stands beside people: a sign, words, a colour and a shape."""

    sign: str
    words: str
    colour: str
    shape: str


# Colours of Okabe and Ito; the sign and the shape repeat what they say.
STANDINGS: Mapping[str, Standing] = {
    "above": Standing("▲", "above people", "#0072B2", "triangle-up"),
    "level": Standing("≈", "level with people", "#009E73", "circle"),
    "below": Standing("▼", "below people", "#D55E00", "triangle-down"),
    "cannot_tell": Standing("?", "cannot tell", "#808495", "diamond"),
}
REASONS = {
    "no_value": "no value is known",
    "no_people": "nobody is known to have judged the same",
    "no_interval": "there are too few units for an interval",
    "people_differ": "the difference is clear beside some people and not beside others",
    "wide_interval": "the interval of the difference is too wide",
}
FLOORS = {
    "chance": "guessing gets",
    "majority_label": "the majority label for every answer gets",
    "naive": "without the story and a debate it gets",
}
SIZE_NAMES = {
    "any": "any size",
    "small": "under 10 billion",
    "medium": "10 to 70 billion",
    "large": "over 70 billion",
    "unknown": "size unknown",
}
COST_NAMES = {
    "any": "any cost",
    "free": "free",
    "1": "up to $1",
    "10": "up to $10",
    "unknown": "cost unknown",
}

BESIDE_PEOPLE = Metric(
    name="Above, level, below",
    definition=(
        "Above or below: the 95 % interval of the paired difference to people excludes 0. Level: "
        "it lies within the margin, 0.05 for shares of right answers and 0.1 for agreement. Else "
        "nobody can tell. Where several people judged, each of them must say the same. The "
        "estimate in a cell is over all that the judge has judged, the difference over what it "
        "shares with people."
    ),
    place="Not in the papers; see the mart rpt_judge_tasks",
)
TASK_MEASURES = Metric(
    name="What is measured",
    definition=(
        "Speeches: mean quadratic-weighted κ with one person, as one person has with another. "
        "Debates: the share of debates whose winner by people the judge names. Questions: the "
        "share of answers that it labels as most people do. Parliamentary: how many places it is "
        "off the panel's order of the four houses, on average; guessing is 1.25 off. Oversight: "
        "the share of questions about a story that it answers right after a debate or a "
        "consultancy, without having read the story. One data set and one way of asking stand for "
        "each task: real data before samples, then what most judges share."
    ),
    place="The papers on each subject; the glossary names the tables",
)


def value_of(row: Mapping[str, Any]) -> str:
    """Return a judge's estimate on a task, with its unit."""
    if not TASKS[row["task"]].is_share or is_missing(row["estimate"]):
        return number(row["estimate"])
    return f"{number(scaled(row['estimate']))}\u00a0%"


def band_of(row: Mapping[str, Any]) -> str:
    """Return the interval of a judge's estimate; empty where there is none."""
    return interval_in(row, "estimate", 100 if TASKS[row["task"]].is_share else 1)


def basis_of(row: Mapping[str, Any]) -> str:
    """Return what the interval rests on, such as `240 debates`."""
    task, n = TASKS[row["task"]], int(row["n_clusters"])
    return f"{n:,} {task.cluster if n == 1 else task.clusters}"


def difference_of(row: Mapping[str, Any]) -> str:
    """Return the paired difference to people with its interval; empty where there is none."""
    if is_missing(row["difference"]):
        return ""
    is_share = TASKS[row["task"]].is_share
    by = 100 if is_share else 1
    value = number(row["difference"] * by)
    sign = "+" if row["difference"] > 0 else ""
    unit = " points" if is_share else ""
    return f"{sign}{value} {interval_in(row, 'difference', by)}{unit}".replace("  ", " ")


def bias_of(row: Mapping[str, Any]) -> str:
    """Return the largest significant bias of a judge of debates; empty where none was tested."""
    if is_missing(row["bias_test_count"]) or not row["bias_test_count"]:
        return ""
    if is_missing(row["largest_bias"]):
        return f"no bias found, n {int(row['bias_n_units']):,}"
    change = row["largest_bias_change"]
    bias = str(row["largest_bias"])
    name = BIASES[bias].name if bias in BIASES else bias
    if is_missing(change):
        return f"bias: {name}"
    return f"bias: {name} {'+' if change > 0 else ''}{number(change * 100)} pts"
