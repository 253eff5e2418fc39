"""Everything known of one judge of debates, as sections that a page and a file show alike.

All text here is plain text. Whoever shows it escapes it for where it goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from dashboard.core.data import Answer
from dashboard.core.findings import Row, records
from dashboard.core.labels import (
    KINDS,
    basis,
    count,
    estimate,
    is_missing,
    number,
    percent,
    plural,
    share,
    share_in,
)
from dashboard.core.naming import nameable
from dashboard.core.tables import listed, p_of, share_of, times
from dashboard.core.widgets import Chart
from dashboard.debates import charts as verdict_charts
from dashboard.debates import findings as words
from dashboard.debates import queries as verdict_queries
from dashboard.debates.accuracy import accuracy_chart, accuracy_frame, consistency_frame, matrices
from dashboard.debates.battery import Several, battery_chart, battery_frame, contrast_label
from dashboard.debates.labels import bias_name, effect_in, setting_name
from dashboard.debates.queries import Bench
from dashboard.judges import card_queries
from warehouse.reader import Version

CHART_ROWS, MATRICES, FINDINGS = 20, 6, 12


@dataclass(frozen=True)
class Section:
    """One part of a card.

    Attributes:
        title: What it asks.
        sentences: What was found.
        charts: Charts, none where nothing is known.
        table: The rows behind them; empty where there are none.
        name: Name of the table in a file.
        missing: What to say when the table is empty.
    """

    title: str
    name: str
    table: pd.DataFrame
    missing: str
    sentences: list[str] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)


@dataclass(frozen=True)
class Card:
    """A judge's card.

    Attributes:
        judge_id: Whose.
        about: What the judge is, and on what it was asked.
        headline: The finding.
        is_sample: Whether the debates were made for demonstration.
        sections: In order.
        answers: Every query, with its name.
        source: The published version it comes from.
    """

    judge_id: str
    about: str
    headline: str
    is_sample: bool
    sections: list[Section]
    answers: list[tuple[str, Answer]]
    source: str


def make_card(
    version: Version, bench: Bench, title: str, several: Several, *, is_sample: bool
) -> Card:
    """Gather everything about the one judge of a bench.

    Args:
        version: Where to read.
        bench: Data set, experiment, prompts; its first judge is the card's.
        title: The data set's title.
        several: Which factors differ in view.
        is_sample: Whether the data set was made for demonstration.
    """
    judge = bench.judges[0]
    accuracy = verdict_queries.accuracy(version, bench)
    battery = verdict_queries.battery(version, bench)
    confusion = verdict_queries.confusion(version, bench)
    consistency = verdict_queries.consistency(version, bench)
    agreement = card_queries.agreement(version, bench)
    comparisons = card_queries.comparisons(version, bench)
    runs = card_queries.runs(version, bench)
    who = records(card_queries.judge(version, judge).frame)
    rows, effects = records(accuracy.frame), records(battery.frame)
    contrasts = [row for row in effects if row["family"] != words.JOINT_MODEL]
    joint = [row for row in effects if row["family"] == words.JOINT_MODEL]
    return Card(
        judge_id=judge,
        about=_about(who, bench, title),
        headline=_headline(judge, rows, contrasts),
        is_sample=is_sample,
        sections=[
            _accuracy(rows, several),
            _biases(version, contrasts, several),
            _joint(version, joint, several),
            _confusion(records(confusion.frame), several),
            _consistency(records(consistency.frame)),
            _agreement(judge, records(agreement.frame)),
            _comparisons(records(comparisons.frame)),
            _runs(records(runs.frame)),
        ],
        answers=[
            ("Accuracy", accuracy),
            ("Biases and joint model", battery),
            ("Confusion", confusion),
            ("Flips", consistency),
            ("Agreement", agreement),
            ("Comparisons", comparisons),
            ("Runs", runs),
        ],
        source=f"{version.name}, published {version.published_at:%Y-%m-%d %H:%M} UTC",
    )


def _about(who: Sequence[Row], bench: Bench, title: str) -> str:
    known = who[0] if who else {}
    parts = [str(KINDS.get(str(known.get("judge_kind")), "judge"))]
    if not is_missing(known.get("family")):
        parts.append(f"family {known['family']}")
    if not is_missing(known.get("size_b_params")):
        parts.append(f"{number(known['size_b_params'])} billion parameters")
    return f"{', '.join(parts)}; asked in {bench.experiment} on {title}"


def _headline(judge: str, rows: Sequence[Row], contrasts: Sequence[Row]) -> str:
    known = [row for row in rows if not is_missing(row["accuracy"])]
    if known:
        named = nameable(known) or known[:1]
        best, worst = named[0], named[-1]
        found = share_in(best, "accuracy")
        text = f"{judge} names people's winner in {found} of {basis(best, 'debate')}"
        lowest = share_in(worst, "accuracy")
        if lowest != found:
            text += f" where it does best and {lowest} where it does worst"
    else:
        text = f"{judge} cannot be held against people's winner"
    tested = words.tested(contrasts)
    if not tested:
        return f"{text}; no bias could be tested."
    return (
        f"{text}; {len(words.significant(tested))} of "
        f"{plural(len(tested), 'tested bias', 'tested biases')} significant after correction."
    )


def _accuracy(rows: list[dict[str, Any]], several: Several) -> Section:
    known = [row for row in rows if not is_missing(row["accuracy"])][:CHART_ROWS]
    failed = sum(int(row["unparsed_count"]) + int(row["unanswered_count"]) for row in rows)
    asked = sum(int(row["n_answers"]) for row in rows)
    said = []
    if failed:
        said.append(
            f"{plural(failed, 'answer')} of {count(asked)} without a readable verdict, left out."
        )
        worst = next((row for row in rows if not is_missing(row["accuracy_all_wrong"])), None)
        if worst:
            said.append(
                "Counted as all wrong and all right, the highest accuracy would be "
                f"{percent(worst['accuracy_all_wrong'])} to {percent(worst['accuracy_all_right'])}."
            )
    return Section(
        "How often does it name people's winner?",
        "accuracy",
        accuracy_frame(rows, several).drop(columns="judge"),
        "None of its verdicts is on a debate whose winner people have named.",
        said,
        [accuracy_chart(known, several)] if known else [],
    )


def _biases(version: Version, rows: Sequence[Row], several: Several) -> Section:
    known = words.drawn(rows)[:CHART_ROWS]
    said = [
        f"{contrast_label(row, several).partition(chr(10))[2] or bias_name(row['bias'])}: "
        f"{row['finding']}"
        for row in words.significant(known)
        if row["finding"]
    ]
    charts = []
    if known:
        title = words.battery_title(rows)
        charts.append(battery_chart(version, known, several, title=title))
    return Section(
        "What fools it?",
        "biases",
        battery_frame(rows, several).drop(columns="judge"),
        "No bias has been tested: that needs debates asked in more than one way.",
        said[:FINDINGS],
        charts,
    )


def _joint(version: Version, rows: Sequence[Row], several: Several) -> Section:
    known = [row for row in words.tested(rows) if not is_missing(row["share_change"])]
    charts = []
    if known:
        title = words.battery_title(rows)
        charts.append(battery_chart(version, known, several, title=title))
    return Section(
        "All biases in one model",
        "joint_model",
        battery_frame(rows, several).drop(columns=["judge", "compared"]),
        "No joint model has been fitted.",
        ["Average marginal effects on the probability of naming Con, each with the others held."]
        if known
        else [],
        charts,
    )


def _confusion(rows: list[dict[str, Any]], several: Several) -> Section:
    made = matrices(rows, several)[:MATRICES]
    rows = [row for row in rows if row["n_answers"]]
    return Section(
        "What does it confuse?",
        "confusion",
        listed(
            rows,
            {
                "asked": lambda row: setting_name(row, several=several),
                "people say": "human_winner",
                "the judge says": "predicted",
                "answers": "n_answers",
                "share of the row": share_of("share"),
            },
        ),
        "No verdict can be held against people's winner.",
        [],
        [Chart(verdict_charts.confusion, (cells,), {"title": title}) for _, cells, title in made],
    )


def _consistency(rows: list[dict[str, Any]]) -> Section:
    return Section(
        "Does it contradict itself?",
        "consistency",
        consistency_frame(rows).drop(columns="judge"),
        "No debate was asked twice.",
    )


def _agreement(judge: str, rows: list[dict[str, Any]]) -> Section:
    return Section(
        "How far does it agree with other judges?",
        "agreement",
        listed(
            rows,
            {
                "other judge": lambda row: (
                    row["judge_b"] if row["judge_a"] == judge else row["judge_a"]
                ),
                "asked": setting_name,
                "same winner": lambda row: _band(row, "raw_agreement", percent=True),
                "Cohen's κ": lambda row: _band(row, "cohen_kappa"),
                "Krippendorff's α": lambda row: _band(row, "krippendorff_alpha"),
                "debates": "n_units",
                "why unknown": "reason",
            },
        ),
        "No other judge was asked in the same way on the same debates.",
    )


def _comparisons(rows: list[dict[str, Any]]) -> Section:
    return Section(
        "Is it better than others, on the same debates?",
        "comparisons",
        listed(
            rows,
            {
                "first": "judge_a",
                "second": "judge_b",
                "asked": setting_name,
                "first minus second": lambda row: effect_in(row, "difference"),
                "first (%)": times("accuracy_a"),
                "second (%)": times("accuracy_b"),
                "adjusted p": p_of("p_adjusted"),
                "debates": "n_units",
                "why unknown": "reason",
            },
        ),
        "No other judge was asked in the same way on the same debates.",
    )


def _runs(rows: list[dict[str, Any]]) -> Section:
    return Section(
        "Did its runs work, and what did they cost?",
        "runs",
        listed(
            rows,
            {
                "run": "run_id",
                "prompt": "template",
                "status": "status",
                "requests": "request_count",
                "failed": lambda row: _band(row, "failure_share", percent=True),
                "unparsed": lambda row: _band(row, "unparsed_share", percent=True),
                "cost (USD)": "cost_usd",
                "known part (USD)": "cost_known_usd",
                "requests with known cost": "cost_known_count",
                "median seconds": "latency_p50_s",
            },
        ),
        "No run of it is recorded: its verdicts come from elsewhere.",
    )


def _band(row: Row, column: str, *, percent: bool = False) -> str:
    low, high = row[f"{column}_low"], row[f"{column}_high"]
    return share(row[column], low, high) if percent else estimate(row[column], low, high)
