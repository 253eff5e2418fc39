"""Models as speakers: how judges score their speeches beside people's, and what may explain it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.core import charts, queries
from dashboard.core.charts import point
from dashboard.core.choices import choose_one
from dashboard.core.data import Answer
from dashboard.core.findings import Finding, Row
from dashboard.core.glossary import meaning
from dashboard.core.labels import (
    HUMAN,
    Metric,
    count,
    escape_markdown,
    estimate_in,
    interval,
    intervals,
    is_missing,
    judge_name,
    plural,
    sides,
    signed_in,
)
from dashboard.core.naming import span
from dashboard.core.selection import Selection
from dashboard.core.series import looks
from dashboard.core.tables import band, formed, listing
from dashboard.core.widgets import SCORE, draw_chart, headline, how_computed, table
from dashboard.core.words import prompt_name
from dashboard.speeches.speakers import queries as asked
from dashboard.speeches.speakers import style as styles
from dashboard.speeches.speakers import writing as written
from warehouse.reader import Version

PAGE = "speech_judges"
PAPER = "Section 5.3 and Figure 6 of the paper on judging debate speeches"
KINDS = {"model": "model", "pipeline": "another program"}
DIFFERENCE = Metric(
    name="difference to people",
    definition=(
        "On every topic that both spoke on, the mean score of the speaker's speeches less that of "
        "people's; then the mean over topics, with Student's t interval (95 %) of paired topics. A "
        "judge that is severe is so with both, so judges can be laid side by side. Failures are "
        "left out; the bounds have them at the ends of the scale that move the difference most, "
        "since nobody has rated what a model wrote."
    ),
    place=PAPER,
)
SELF_PREFERENCE = Metric(
    name="self-preference",
    definition=(
        "The difference to people of a judge of the speaker's family less the mean of that of "
        "judges of other families, topic by topic, with Student's t interval (95 %). All judges "
        "that ran take part, chosen above or not; those whose family is not known are on neither "
        "side. A judge that tells good from bad more sharply shows a larger difference of any "
        "kind, so one judge alone proves no favour."
    ),
    place="Named as a risk in section 5.3 and the limitations; the paper prints no figure",
)
STYLE = Metric(
    name="style",
    measure="difference_adjusted",
    definition=(
        "score = topic + speaker + slope × feature, each side of a topic weighing the same, errors "
        "clustered by topic; each feature by itself. The slope is what the feature does within a "
        "side. Overlap is twice the smaller chance that a speech of the one has less, or more, "
        "than one of the other: at 0 the feature and the speaker cannot be told apart, and nothing "
        "is adjusted. Reading ease is Flesch's, higher is easier, made for English."
    ),
    place="Named as an explanation in section 5.4 of the same paper; it prints no figure",
)
_AXIS = "score points above people's speeches (higher = the speaker is put higher)"
_NOTE = "Dashed: no difference. Lines: 95 % intervals."
_BOUNDS = " Dotted: bounds with failures counted."


def draw(version: Version, chosen: Selection) -> None:
    """Draw the tab over what is chosen on the page.

    Args:
        chosen: Data set, dimension, prompts and judges.
    """
    compared = asked.comparison(version, chosen.view)
    if compared.frame.empty:
        st.markdown(
            "**No judge has scored a speaker and people here yet.** Let a model write speeches, "
            "and judges score them:"
        )
        st.code(
            "rostrum run speech-writing --judge MODEL\nrostrum run speech-score --judge JUDGE",
            language="shell",
        )
        asked_for = written.writing(version, chosen.view.dataset_id)
        if asked_for is not None:
            how_computed([written.WRITING], [("Speeches written", asked_for)])
        return
    kinds = dict(zip(compared.frame["source"], compared.frame["speaker_kind"], strict=True))
    speaker = choose_one(
        PAGE,
        "speaker",
        "Speaker",
        {one: f"{one} ({KINDS.get(kind, 'unknown kind')})" for one, kind in kinds.items()},
        explain="Whose speeches are compared with those of people, topic by topic.",
    )
    rows = [row for row in compared.rows if row["source"] == speaker]
    headline(finding(rows, speaker))
    look = looks(queries.judges(version).frame["judge_id"])
    _comparison(rows, compared, speaker, look)
    preferred = asked.self_preference(version, chosen.view, speaker)
    _self_preference(preferred, speaker, look)
    styled = _style(version, chosen, rows, look)
    metrics = [DIFFERENCE, SELF_PREFERENCE, STYLE]
    answers = [
        ("Speakers against people", compared),
        ("Self-preference", preferred),
        ("Style", styled),
    ]
    if (asked_for := written.writing(version, chosen.view.dataset_id)) is not None:
        metrics.append(written.WRITING)
        answers.append(("Speeches written", asked_for))
    how_computed(metrics, answers)


def finding(rows: Sequence[Row], speaker: str) -> Finding:
    """Return how many judges put a speaker above people, and how far, in Markdown.

    Args:
        rows: Of one speaker, from `queries.comparison`.
        speaker: Who it is.
    """
    name = escape_markdown(speaker)
    judges = [row for row in rows if row["judge_id"] != HUMAN]
    known = [row for row in judges if not is_missing(row["difference"])]
    people = next((row for row in rows if row["judge_id"] == HUMAN), None)
    said = (
        ""
        if people is None or is_missing(people["difference"])
        else (f" People's own ratings put it at {signed_in(people, 'difference')}.")
    )
    if not known:
        why = judges[0]["undefined_reason"] if judges else "no judge is chosen"
        return Finding(
            f"No judge compares {name} with people: {escape_markdown(why)}.", said.strip()
        )
    above = [
        row for row in known if not is_missing(row["difference_low"]) and row["difference_low"] > 0
    ]
    below = [
        row
        for row in known
        if not is_missing(row["difference_high"]) and row["difference_high"] < 0
    ]
    unclear = len(known) - len(above) - len(below)
    several = len({row["template"] for row in judges}) > 1
    what = "pairs of judge and prompt" if several else plural(len(judges), "judge").split(" ", 1)[1]
    many, word = (above, "above") if above or not below else (below, "below")
    first = (
        f"{count(len(many))} of {count(len(judges))} {what} "
        f"{'scores' if len(many) == 1 else 'score'} {name} {word} people"
    )
    topics = f"{span([int(row['n_units']) for row in known], count)} topics"
    if len(known) == 1:
        far = (
            f"{_named(known[0], several)} puts it at {signed_in(known[0], 'difference')}, {topics}"
        )
    else:
        ends = f"{signed_in(known[-1], 'difference')} to {signed_in(known[0], 'difference')}"
        far = f"{count(len(known))} put it at {ends}, {topics}"
    rest = []
    other = below if many is above else above
    if other:
        rest.append(
            f"{count(len(other))} {'score' if len(other) > 1 else 'scores'} it "
            f"{'below' if many is above else 'above'}"
        )
    if unclear:
        rest.append(f"of {count(unclear)} the interval holds 0 or is not known")
    if len(known) < len(judges):
        rest.append(f"{count(len(judges) - len(known))} cannot be compared")
    tail = f"{'; '.join(rest).capitalize()}." if rest else ""
    unrated = "" if said else " Nobody has rated these speeches, so it is the judges' word alone."
    return Finding(f"{first}: {far}.", f"{tail}{said}{unrated}".strip())


def _named(row: Row, several_prompts: bool) -> str:
    name = escape_markdown(row["judge_id"])
    return (
        f"{name} with {escape_markdown(prompt_name(row['template']))}" if several_prompts else name
    )


def _drawn(
    rows: Sequence[Row], value: str, failures: tuple[str, str] | None, names: Sequence[str]
) -> pd.DataFrame:
    """Return rows as the chart of dots and intervals takes them."""
    return pd.DataFrame(
        [
            {
                "label": f"{name}\n{estimate_in(row, value)}",
                "judge_id": row["judge_id"],
                **point(row, value),
                "nearest": row[failures[1]] if failures else None,
                "farthest": row[failures[0]] if failures else None,
                "judge": judge_name(row["judge_id"]),
                "prompt": prompt_name(row["template"]),
                "points": estimate_in(row, value),
                "n": plural(int(row["n_units"]), "topic"),
            }
            for row, name in zip(rows, names, strict=True)
        ]
    )


def _chart(
    rows: pd.DataFrame, look: Mapping[str, Any], *, axis: str, title: str, note: str = _NOTE
) -> None:
    draw_chart(
        charts.agreement,
        rows,
        None,
        look,
        axis=axis,
        title=title,
        note=note + (_BOUNDS if rows["farthest"].notna().any() else ""),
        tooltips=["judge", "prompt", "points", "n"],
    )


def _names(rows: Sequence[Row]) -> list[str]:
    several = len({row["template"] for row in rows if row["judge_id"] != HUMAN}) > 1
    return [
        judge_name(row["judge_id"])
        + (f", {prompt_name(row['template'])}" if several and row["judge_id"] != HUMAN else "")
        for row in rows
    ]


def _comparison(
    rows: Sequence[Row], compared: Answer, speaker: str, look: Mapping[str, Any]
) -> None:
    st.subheader("Do judges put the speaker above people?", anchor=False)
    st.caption(meaning("speaker_comparison_difference"))
    known = [row for row in rows if not is_missing(row["difference"])]
    drawn = known[: charts.JUDGES_DRAWN]
    if len(known) > len(drawn):
        st.info(f"The chart shows the {len(drawn)} highest of {len(known)}; the table has all.")
    if drawn:
        failures = ("difference_failures_lowest", "difference_failures_highest")
        frame = _drawn(drawn, "difference", failures, _names(drawn))
        _chart(
            frame,
            look,
            axis=_AXIS,
            title=f"{speaker}, by {plural(len(drawn), 'judge')}: "
            f"{sides(drawn, 'difference', 'above people', 'below')}",
        )
    frame = pd.DataFrame(rows)
    table(
        pd.DataFrame(
            {
                "judge": [judge_name(one) for one in frame["judge_id"]],
                "prompt": frame["template"],
                "difference": frame["difference"],
                "95 % interval": intervals(rows, "difference"),
                "speaker's mean": frame["mean_score"],
                "people's mean": frame["human_mean_score"],
                "ahead on": [_of(row, "ahead_count") for row in rows],
                "tied on": [_of(row, "tied_count") for row in rows],
                "speeches": frame["n_speeches"],
                "people's speeches": frame["n_human_speeches"],
                "answers": frame["n_answers"],
                "topics without people": frame["speaker_only_count"],
                "topics without the speaker": frame["human_only_count"],
                "topics without a score": frame["neither_count"],
                "failures": frame["failure_count"] + frame["human_failure_count"],
                "with failures": [
                    interval(row["difference_failures_lowest"], row["difference_failures_highest"])
                    or None
                    for row in rows
                ],
                "why unknown": [row["undefined_reason"] or row["interval_reason"] for row in rows],
            }
        ),
        formats=dict.fromkeys(("difference", "speaker's mean", "people's mean"), SCORE),
        raw=compared,
        name="speaker_comparison",
    )


def _of(row: Row, name: str) -> str:
    return f"{count(row[name])} of {plural(int(row['n_units']), 'topic')}"


def _preference_text(rows: Sequence[Row]) -> str:
    """Return how much further judges of the speaker's family put it above people, in Markdown.

    Args:
        rows: With a value, the highest first.
    """
    first, last = (estimate_in(row, "self_preference") for row in (rows[0], rows[-1]))
    if len(rows) == 1:
        who = f"{_named(rows[0], several_prompts=False)} ({_relation(rows[0])}) puts it {first}"
    else:
        who = f"{count(len(rows))} judges of its family put it {last} to {first}"
    others, families, topics = (
        span([int(row[name]) for row in rows], count)
        for name in ("n_other_judges", "n_other_families", "n_units")
    )
    return (
        f"{who} points further above people than judges of other families (judges {others}, "
        f"families {families}, topics {topics})."
    )


def _self_preference(answer: Answer, speaker: str, look: Mapping[str, Any]) -> None:
    st.subheader("Does a judge favour its own family?", anchor=False)
    rows = answer.rows
    if not rows:
        st.markdown(
            f"{escape_markdown(speaker)} is no model that this prompt's judges scored, so no judge "
            "is of its family."
        )
        return
    st.caption(meaning("self_preference"))
    known = [row for row in rows if not is_missing(row["self_preference"])]
    for row in rows:
        if is_missing(row["self_preference"]):
            who = judge_name(row["judge_id"]) if isinstance(row["judge_id"], str) else speaker
            st.text(
                f"– Unknown for {who} with {prompt_name(row['template'])}: "
                f"{row['undefined_reason']} ({plural(int(row['n_judges_left_out']), 'judge')} "
                "of unknown family left out)"
            )
    if not known:
        return
    st.markdown(_preference_text(known))
    names = [f"{name} ({_relation(row)})" for name, row in zip(_names(known), known, strict=True)]
    failures = ("self_preference_failures_lowest", "self_preference_failures_highest")
    _chart(
        _drawn(known, "self_preference", failures, names),
        look,
        axis="points further above people than judges of other families put it",
        title=f"{speaker}, by {plural(len(known), 'judge')} of its family: "
        + sides(known, "self_preference", "higher than by other families", "lower"),
    )
    listing(
        known,
        {
            "judge": "judge_id",
            "prompt": "template",
            "is": _relation,
            "self-preference": formed("self_preference", SCORE),
            "95 % interval": band("self_preference"),
            "its own difference": formed("own_difference", SCORE),
            "other families'": formed("other_difference", SCORE),
            "other judges": "n_other_judges",
            "topics": "n_units",
            "of these without some judge": "incomplete_count",
            "answers": "n_answers",
            "why no interval": "interval_reason",
        },
        raw=answer,
        name="self_preference",
    )


def _relation(row: Row) -> str:
    return "the same model" if row["is_self"] else "of the same family"


def _style(
    version: Version, chosen: Selection, rows: Sequence[Row], look: Mapping[str, Any]
) -> Answer:
    st.subheader("What does style have to do with it?", anchor=False)
    judge_id = choose_one(
        PAGE,
        "style",
        "As scored by",
        {row["judge_id"]: judge_name(row["judge_id"]) for row in rows},
        explain="Whose scores are looked at beside how the speeches are written.",
    )
    st.caption(STYLE.line)
    speaker = str(rows[0]["source"])
    styled = asked.style(version, chosen.view, speaker, judge_id)
    styles.style(styled, speaker, look)
    return styled
