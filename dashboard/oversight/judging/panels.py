"""One item to judge, part by part; what comes after it; and how a person has judged so far."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import (
    code_span,
    count,
    escape_markdown,
    estimate_in,
    is_missing,
    number,
    percent,
    plural,
)
from dashboard.core.tables import formed, listed, listing
from dashboard.core.widgets import COEFFICIENT, table
from dashboard.core.words import DIMENSIONS, words_alone
from dashboard.oversight.judging import form as judging
from dashboard.oversight.judging import queries as judging_queries
from dashboard.oversight.judging.form import SPEECH, STORY, Belief, Key
from dashboard.oversight.judging.queries import Part
from warehouse.home import Home
from warehouse.reader import Version

TASKS = {
    STORY: "A debate about a story",
    "winner": "Who won a debate",
    SPEECH: "The score of a speech",
}
SPEAKERS = {
    "debater_0": "For answer A",
    "debater_1": "For answer B",
    "asker": "Who asks",
    "pro": "Pro",
    "con": "Con",
    "speech": "Speech",
}
_QUOTE = re.compile(r"<(v_quote|u_quote|quote)>(.*?)</\1>", re.DOTALL)
_MARKS = {
    "v_quote": ":green-badge[✓ stands in the story]",
    "quote": ":green-badge[✓ stands in the story]",
    "u_quote": ":orange-badge[not found in the story]",
}
# A scale of more points is typed, not ticked.
_MOST_POINTS = 11
_STEPS = (judging.QUEUED, judging.BUILDING, judging.PUBLISHED)
_NEXT = {
    judging.QUEUED: "While `rostrum serve` runs, it is taken from the inbox and published within a "
    "minute or so. Otherwise whoever runs the server does it with this command, in the folder of "
    "its home:",
    judging.BUILDING: "It is loaded, and the figures with it are being built. Should they not come "
    "within a few minutes, this command publishes them, or says what is wrong:",
    judging.PUBLISHED: "It is in the version that is served now, {}.",
    judging.REFUSED: "It was refused and is in no figure:",
}
_NO_NUMBER = "give a number first."


class Given(NamedTuple):
    """What a person gave for an answer.

    Attributes:
        number: The probability, 0 to 1, or the score; None where there is none that can be used.
        problem: What is wrong; empty where there is a number.
    """

    number: float | None
    problem: str = ""


def campaign(row: Row) -> None:
    """Say how far a random sample's labels have come and how well people agree."""
    size, raters = int(row["size"]), int(row["raters"])
    full = int(row["n_full"])
    st.progress(full / size)
    wanted = plural(raters, "person", "people")
    agreed = (
        f"Agreement (Krippendorff's alpha): {number(row['label_alpha'])} on "
        f"{plural(int(row['n_items']), 'item')}."
        if not is_missing(row["label_alpha"])
        else f"Agreement is not known yet: {escape_markdown(row['label_alpha_reason'])}."
    )
    st.caption(
        f"{full:,} of {plural(size, 'item')} judged by {wanted} each; "
        f"{plural(int(row['n_raters']), 'person', 'people')} took part. {agreed} Items come in "
        "the order they were drawn. What the labels add up to is not shown before the last one: "
        "who saw it might stop when it suits."
    )


def heading(row: Row, task: str) -> None:
    """Show what an item is about, in a judge's words."""
    st.markdown(f"#### {escape_markdown(row['title'])}")
    if task == STORY:
        st.markdown(f"**A.** {escape_markdown(row['answer_0'])}")
        st.markdown(f"**B.** {escape_markdown(row['answer_1'])}")
        alone = "One debater argues for one of the answers, right or wrong."
        both = "Two debaters argue, one for each answer; one of the answers is right."
        st.caption(
            f"{alone if row['protocol'] == 'consultancy' else both} They have read a story that "
            "you have not. Quotes were looked up in it."
        )


def part(found: Part, at: int, total: int, said: Belief | None, task: str) -> None:
    """Show one part, and what the person thought after it."""
    if total > 1:
        st.markdown(f"**Part {at} of {total}**")
    for speaker, text in found.turns:
        with st.container(border=True):
            st.caption(SPEAKERS.get(speaker, "Somebody"))
            for paragraph in re.split(r"\n\s*\n", text):
                if paragraph.strip():
                    st.markdown(prose(paragraph) if task == STORY else escape_markdown(paragraph))
    if said is not None:
        why = f": {escape_markdown(said.reason)}" if said.reason else ""
        side = "A" if task == STORY else "Pro"
        st.caption(f"You said {percent(said.number)} for {side}{why}")


def prose(text: str) -> str:
    """Return a debater's text as Markdown, with a word beside each quote; all else as written."""
    shown, end = [], 0
    for quote in _QUOTE.finditer(text):
        shown.append(escape_markdown(text[end : quote.start()]))
        shown.append(f"“{escape_markdown(quote[2])}” {_MARKS[quote[1]]}")
        end = quote.end()
    shown.append(escape_markdown(text[end:]))
    return " ".join(piece for piece in shown if piece)


def question(key: str, row: Row, task: str, *, disabled: bool) -> Given:
    """Ask for the number of a task, and say what is wrong with the one that is given."""
    if task != SPEECH:
        asked = "that A is right" if task == STORY else "that Pro won"
        typed = _typed(
            f"How likely is it, in percent, {asked}?",
            (0, 100),
            f"{key}_p",
            disabled=disabled,
            explained="50 says that you cannot tell. What is left to 100 is the other side's.",
        )
        return typed if typed.number is None else Given(round(typed.number / 100, 6))
    low, high = float(row["scale_min"]), float(row["scale_max"])
    st.markdown(escape_markdown(row["question"]))
    if low.is_integer() and high.is_integer() and high - low < _MOST_POINTS:
        points = list(range(int(low), int(high) + 1))
        picked = st.radio(
            f"Your score, {points[0]} to {points[-1]}",
            points,
            None,
            horizontal=True,
            key=f"{key}_value",
            disabled=disabled,
        )
        return Given(None, _NO_NUMBER) if picked is None else Given(float(picked))
    label = f"Your score, {number(low)} to {number(high)}"
    return _typed(label, (low, high), f"{key}_value", disabled=disabled)


def _typed(
    label: str,
    ends: tuple[float, float],
    key: str,
    *,
    disabled: bool,
    explained: str | None = None,
) -> Given:
    """Ask for a number between two ends.

    The box has no ends of its own: a browser hands over nothing at all where a number is beyond
    them, and nobody could say what is wrong with it.
    """
    low, high = (f"{end:g}" for end in ends)
    typed = st.number_input(
        label,
        value=None,
        step=1.0,
        format="%g",
        key=key,
        placeholder=f"{low} to {high}",
        disabled=disabled,
        help=explained,
    )
    if typed is None:
        return Given(None, _NO_NUMBER)
    if not ends[0] <= typed <= ends[1]:
        return Given(None, f"{typed:g} is out of range; give a number from {low} to {high}.")
    return Given(typed)


def handed_in(home: Home, key: Key, since: float, version: Version) -> None:
    """Say how far a judgement that was handed in is: queued, being built, or published.

    Args:
        since: When it was handed in, in seconds since 1970.
        version: The version that is current at this moment.
    """
    name = judging.file_name(key)
    is_published = (key.item, key.dimension) in judging_queries.judged(
        version, key.person, key.task
    )
    state = judging.state_of(home, key, since, is_published=is_published)
    st.success(f"Handed in as {code_span(name)}")
    if state == judging.REFUSED:
        st.warning(_NEXT[state])
        st.code(judging.why_refused(home, key), language=None, wrap_lines=True)
        return
    st.markdown(" → ".join(f"**{step}**" if step == state else step for step in _STEPS))
    st.markdown(_NEXT[state].format(code_span(version.name)))
    if state != judging.PUBLISHED:
        command = f"import inbox/{name}" if state == judging.QUEUED else "build"
        st.code(f"rostrum {command}", language="shell", wrap_lines=True)


def reveal(version: Version, key: Key, own: float) -> None:
    """Show what is known of an item that is handed in, and how others judged it.

    Args:
        own: The number that was handed in, which this version may not have yet.
    """
    about, others = judging_queries.known(version, key)
    st.markdown(_truth(about, key.task))
    if others.frame.empty:
        st.caption("Nobody else has judged it in this version.")
    rows = [_own_row(key.task, own), *others.rows]
    table(pd.DataFrame(rows, columns=others.frame.columns), raw=others, name="others")


def _own_row(task: str, own: float) -> dict[str, Any]:
    if task == SPEECH:
        return {"judge": "you", "score": own}
    if task == STORY:
        return {"judge": "you", "probability of A": own}
    winner = "tie" if own == 0.5 else "pro" if own > 0.5 else "con"
    return {"judge": "you", "winner": winner, "probability of Pro": own}


def _truth(about: Row, task: str) -> str:
    if task == STORY:
        right = about.get("right_answer")
        known = "nobody says which answer is right"
        if right is not None and not is_missing(right):
            known = f"answer {'B' if int(right) else 'A'} is right"
        who = " and ".join(
            f"{code_span(about[name])} for {letter}"
            for name, letter in (("debater_0", "A"), ("debater_1", "B"))
            if not is_missing(about.get(name))
        )
        return f"By the source, {known}." + (f" Who argued: {who}." if who else "")
    if task == SPEECH:
        source = about.get("source")
        return (
            "Nobody says whose speech it is."
            if is_missing(source)
            else (f"The speech is by {escape_markdown(source)}.")
        )
    winner = about.get("human_winner")
    if is_missing(winner):
        return "People do not say who won, or are split."
    return f"People say: {escape_markdown(str(winner).capitalize())} won."


def your_calibration(version: Version, person: str) -> list[tuple[str, Answer]]:
    """Show how well a person's published judgements hold."""
    st.markdown("##### Your calibration")
    calibration = judging_queries.calibration(version, person)
    record = judging_queries.record(version, person)
    if calibration.frame.empty and record.frame.empty:
        st.caption(
            "Nothing that you judged is published yet. Once it is, this shows whether your "
            "probabilities mean what they say."
        )
    if not calibration.frame.empty:
        _calibration(calibration.rows, calibration)
    if not record.frame.empty:
        _record(record.rows, record)
    return [("Your calibration", calibration), ("You beside people", record)]


def _calibration(rows: Sequence[Row], answer: Answer) -> None:
    for row in rows:
        told = [
            f"{count(row['n_units'])} judged with a known answer",
            f"right {percent(row['accuracy'])}",
            f"Brier score {estimate_in(row, 'brier')} (0.25 for always one half, lower is better)",
        ]
        st.markdown(
            f"**Stories, {code_span(row['dataset_id'])}, {escape_markdown(row['protocol'])}.** "
            + "; ".join(told)
            + "."
        )
        if not is_missing(row["reason"]):
            st.caption(f"Not everything is known: {escape_markdown(row['reason'])}.")
    shown = listed(
        rows,
        {
            "data set": "dataset_id",
            "protocol": "protocol",
            "n": "n_units",
            "Brier score": "brier",
            "calibration error": "ece_answer_0",
            "that of the calibrated": "ece_answer_0_if_calibrated",
            "overconfidence": "overconfidence",
        },
    )
    decimals = [name for name in shown if name not in ("data set", "protocol", "n")]
    table(shown, formats=dict.fromkeys(decimals, COEFFICIENT), raw=answer, name="your_calibration")


def _record(rows: Sequence[Row], answer: Answer) -> None:
    for row in rows:
        if stale := int(row["stale_count"] or 0):
            st.warning(
                f"{plural(stale, 'judgement')} in {code_span(row['dataset_id'])} "
                f"{'is' if stale == 1 else 'are'} stale and in no figure: what you read reads "
                "otherwise by now."
            )
        # How stories were judged stands above: they have a truth, and no opinions beside it.
        if row["task"] == STORY:
            continue
        about = (
            "Winners"
            if row["task"] == "winner"
            else f"Speeches ({words_alone(row['dimension'], DIMENSIONS)})"
        )
        st.markdown(
            f"**{escape_markdown(about)}, {code_span(row['dataset_id'])}.** {_beside_people(row)}"
        )
    listing(
        rows,
        {
            "task": lambda row: TASKS.get(row["task"], row["task"]),
            "data set": "dataset_id",
            "question": "dimension",
            "items": "n_items",
            "compared": "n_compared",
            "you less people": formed("mean_difference", COEFFICIENT),
            "mean distance": formed("mean_absolute_difference", COEFFICIENT),
            "mean squared distance": formed("mean_squared_difference", COEFFICIENT),
            "stale": "stale_count",
        },
        raw=answer,
        name="your_record",
    )


def _beside_people(row: Row) -> str:
    n = int(row["n_compared"])
    if n == 0:
        return f"Of {plural(int(row['n_items']), 'item')} people say nothing to compare with."
    gap = estimate_in(row, "mean_difference")
    unit = "probability of Pro" if row["task"] == "winner" else "points"
    squares = (
        f"; Brier score {number(row['mean_squared_difference'])} "
        "(0.25 for always one half, lower is better)"
        if row["task"] == "winner"
        else ""
    )
    return (
        f"You less people: {gap} {unit}, {number(row['mean_absolute_difference'])} apart on "
        f"average{squares}; n = {n}."
    )
