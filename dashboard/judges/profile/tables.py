"""The tables of a profile, and its sections that are lists."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from dashboard.core.findings import Row
from dashboard.core.labels import (
    HUMAN,
    estimate_in,
    is_missing,
    number,
    p_cell,
    p_value,
    percent,
    plural,
    share_in,
)
from dashboard.core.tables import Column, listed, p_of, percent_of, share_of
from dashboard.core.widgets import Chart
from dashboard.core.words import prompt_name
from dashboard.debates import charts as verdict_charts
from dashboard.debates.accuracy import matrices
from dashboard.debates.labels import effect_in, setting_name, side_name
from dashboard.judges.profile import measures as lines
from dashboard.judges.profile.parts import Link, Section
from dashboard.oversight.labels import protocol_name
from dashboard.parliamentary.labels import FAULTS, HOUSES, setting_id
from dashboard.runs.findings import status_words

MATRICES, LINKED = 6, 8


def key(row: Row) -> tuple[Any, ...]:
    """Return what an estimate is of, whoever's it is: what two judges' rows are paired by."""
    return (
        row["measure"],
        lines.what(row),
        lines.asked(row),
        row["dataset_id"],
        row["experiment"],
        row["population"],
    )


def estimates(rows: Sequence[Row], judges: Sequence[str]) -> pd.DataFrame:
    """Return estimates as a table: a row for each, two judges beside each other.

    Args:
        rows: Of `queries.estimates`.
        judges: One id or two.
    """
    pairs: dict[tuple[Any, ...], dict[str, Row]] = {}
    for row in rows:
        pairs.setdefault(key(row), {}).setdefault(str(row["whose"]), row)
    first = [next(iter(pair.values())) for pair in pairs.values()]
    shown: dict[str, list[Any]] = {
        "what": [lines.what(row) for row in first],
        **({"asked": how} if any(how := [lines.asked(row) for row in first]) else {}),
    }
    alone = len(judges) == 1
    for judge in judges:
        mine = [pair.get(judge) for pair in pairs.values()]
        shown["estimate" if alone else judge] = [row and lines.written(row) for row in mine]
        shown["n" if alone else f"n, {judge}"] = [row and lines.resting_on(row) for row in mine]
    titles = [None if is_missing(row["title"]) else str(row["title"]) for row in first]
    optional: dict[str, list[Any]] = {
        "people": [
            None if is_missing(row["people"]) else lines.written(row, "people") for row in first
        ],
        "adjusted p": [p_cell(row["p_adjusted"]) for row in first] if alone else [],
        "failures at their worst, best": [_bounds(row) for row in first] if alone else [],
        "data set": titles if len(set(titles)) > 1 else [],
        "why unknown": [None if is_missing(row["reason"]) else row["reason"] for row in first],
    }
    shown |= {name: values for name, values in optional.items() if any(values)}
    return pd.DataFrame(shown)


def _bounds(row: Row) -> str | None:
    """Return what the estimate would be with every failure at its worst, and at its best."""
    if not row["failures"] or is_missing(row["bound_low"]) or is_missing(row["bound_high"]):
        return None
    line = lines.line_of(row)
    return " to ".join(
        percent(row[end]) if line.is_share else number(row[end])
        for end in ("bound_low", "bound_high")
    )


def failures(rows: Sequence[Row], judges: Sequence[str]) -> Section:
    """Return how requests and answers failed, by kind."""
    columns: dict[str, Column] = {
        **({"judge": "judge_id"} if len(judges) > 1 else {}),
        "kind": _failure,
        "in": "experiment",
        "share": lambda row: share_in(row, "share"),
        "count": "n",
        "of": lambda row: f"{int(row['n_of']):,} {row['of_what']}",
    }
    links = [
        Link(f"Runs of {judge}: failures with their texts", "runs", {"judge": judge})
        for judge in judges
        if any(row["judge_id"] == judge and not is_missing(row["run_id"]) for row in rows)
    ]
    return Section(
        "Failures by kind",
        "failures",
        rows,
        partial(listed, columns=columns),
        "No request of it failed, or none is recorded.",
        brief=f"{_failure(rows[0])} {share_in(rows[0], 'share')}" if rows else "",
        links=links,
    )


def _failure(row: Row) -> str:
    kind = str(row["kind"])
    return FAULTS.get(kind, status_words(kind))


def worst(
    speeches: Sequence[Row],
    debates: Sequence[Row],
    stories: Sequence[Row],
    places: Sequence[Row],
    judges: Sequence[str],
) -> Section:
    """Return what judges and people disagree about, the farthest first within each subject."""
    found = [
        *(_speech(row) for row in speeches),
        *(_debate(row) for row in debates),
        *(_story(row) for row in stories),
        *(_place(row) for row in places),
    ]
    # One link a motion or question is enough: the page it opens has every answer on it.
    opened: dict[tuple[Any, ...], Link] = {}
    counted: dict[str, int] = {}
    for _, link in found:
        if link is None or (link.page, *link.parameters.values()) in opened:
            continue
        counted[link.page] = counted.get(link.page, 0) + 1
        if counted[link.page] <= LINKED:
            opened[(link.page, *link.parameters.values())] = link
    unnamed = {"judge"} if len(judges) == 1 else set()
    return Section(
        "Disagreements with people, worst first",
        "disagreements",
        [{name: row[name] for name in row if name not in unnamed} for row, _ in found],
        pd.DataFrame,
        "It differs from people, or from what is right, on no single item that is recorded.",
        brief=plural(len(found), "item") if found else "",
        links=list(opened.values()),
    )


def _item(row: Row, subject: str, title: Any, judge: str, people: str) -> dict[str, Any]:
    return {
        "judge": row["judge_id"],
        "subject": subject,
        "about": str(title),
        "the judge says": judge,
        "people, or right": people,
    }


def _speech(row: Row) -> tuple[dict[str, Any], Link]:
    judge, people = number(row["score"]), number(row["human_mean"])
    parameters = {
        "dataset": row["dataset_id"],
        "dimension": row["dimension"],
        "template": row["template"],
        "item": row["item_id"],
    }
    label = f"Speech: {row['motion']} ({judge}, people {people})"
    asked = f"score {judge} ({prompt_name(row['template'])}, {row['source']})"
    return (
        _item(row, "speech", row["motion"], asked, f"mean {people}"),
        Link(label, "speech_judges", parameters),
    )


def _debate(row: Row) -> tuple[dict[str, Any], Link]:
    winner, against = side_name(row["human_winner"]), int(row["n_against"])
    judge = f"the other side, {against:,} of {plural(int(row['n_verdicts']), 'verdict')}"
    link = Link(
        f"Debate: {row['motion']} (people: {winner}; judge: {judge})",
        "bias_lab",
        {
            "dataset": row["dataset_id"],
            "experiment": row["experiment"],
            "template": row["template"],
            "judge": row["judge_id"],
            "debate": row["debate_id"],
        },
    )
    return _item(row, "debate", row["motion"], judge, f"{winner} won"), link


def _story(row: Row) -> tuple[dict[str, Any], Link | None]:
    judge = f"right answer {percent(row['p_right'])} after {protocol_name(row['protocol'])}"
    link = None
    if not is_missing(row["transcript_id"]):
        parameters = {
            "dataset": row["dataset_id"],
            "protocol": row["protocol"],
            "transcript": row["transcript_id"],
        }
        label = f"Story: {row['question']} ({judge})"
        link = Link(label, "debate_reader", parameters)
    return _item(row, "story", row["question"], judge, "100 %"), link


def _place(row: Row) -> tuple[dict[str, Any], Link]:
    house = HOUSES.get(str(row["place"]), str(row["place"]))
    judge, panel = f"{house}: place {number(row['predicted'])}", f"place {number(row['official'])}"
    label = f"Parliamentary: {row['motion']} ({judge}, panel: {panel})"
    parameters = {
        "dataset": row["dataset_id"],
        "asked": setting_id(row),
        "judge": row["judge_id"],
        "debate": row["debate_id"],
    }
    return (
        _item(row, "parliamentary", row["motion"], judge, panel),
        Link(label, "parliamentary", parameters),
    )


def confusion(rows: Sequence[Row], judges: Sequence[str]) -> Section:
    """Return what judges say of debates that each side won."""
    rows = [row for row in rows if row["n_answers"]]
    # A way of asking may stand in several experiments, each of which has matrices of its own.
    apart: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        apart.setdefault((row["dataset_id"], row["experiment"]), []).append(row)
    several = {"template": True, "outcome": False}
    made = [one for mine in apart.values() for one in matrices(mine, several)][:MATRICES]
    columns: dict[str, Column] = {
        **({"judge": "judge_id"} if len(judges) > 1 else {}),
        "experiment": "experiment",
        "asked": setting_name,
        "people say": lambda row: side_name(row["human_winner"]),
        "the judge says": lambda row: side_name(row["predicted"]),
        "answers": "n_answers",
        "share of the row": share_of("share"),
    }
    return Section(
        "What is confused with what",
        "confusion",
        rows,
        partial(listed, columns=columns),
        "No verdict of it can be compared with people's winner.",
        charts=[
            Chart(verdict_charts.confusion, (cells,), {"title": title}) for _, cells, title in made
        ],
    )


def agreement(rows: Sequence[Row]) -> Section:
    """Return how far judges agree with others asked alike."""
    known = [row for row in rows if not is_missing(row["cohen_kappa"])]
    lead = known[0] if known else None
    return Section(
        "Agreement with other judges",
        "agreement_with_judges",
        rows,
        partial(
            listed,
            columns={
                "first": "judge_a",
                "second": "judge_b",
                "asked": setting_name,
                "same winner": share_of("raw_agreement"),
                "Cohen's κ": lambda row: estimate_in(row, "cohen_kappa"),
                "Krippendorff's α": lambda row: estimate_in(row, "krippendorff_alpha"),
                "debates": "n_units",
                "why unknown": "reason",
            },
        ),
        "No other judge was asked in the same way on the same debates.",
        brief=f"at its closest κ {estimate_in(lead, 'cohen_kappa')}" if lead else "",
    )


def between(rows: Sequence[Row], judges: Sequence[str]) -> list[Row]:
    """Return the comparisons of two judges with each other; those on most debates first."""
    pair = set(judges)
    mine = [row for row in rows if {row["judge_a"], row["judge_b"]} == pair]
    # Not by the difference: the first is what a headline says, and must not be picked for its size.
    return sorted(mine, key=lambda row: (-int(row["n_units"] or 0), setting_name(row)))


def compared(rows: Sequence[Row]) -> str:
    """Return what paired comparisons of two judges say, as part of a sentence."""
    row = rows[0]
    clear = sum(not is_missing(one["p_adjusted"]) and one["p_adjusted"] < 0.05 for one in rows)
    return (
        f"{row['judge_a']} names people's winner in {percent(row['accuracy_a'])} and "
        f"{row['judge_b']} in {percent(row['accuracy_b'])} of "
        f"{plural(int(row['n_units']), 'debate')}: "
        f"{effect_in(row, 'difference')}, {p_value(row['p_adjusted'], adjusted=True)} "
        f"(asked {setting_name(row)}); they differ significantly in {clear:,} of "
        f"{plural(len(rows), 'way')} of asking"
    )


def comparisons(rows: Sequence[Row], judges: Sequence[str]) -> Section:
    """Return judges beside others on the same debates; the chosen two come first."""
    if len(judges) > 1:
        first = between(rows, judges)
        rows = [*first, *(row for row in rows if row not in first)]
    links = []
    if rows:
        row = rows[0]
        links.append(
            Link(
                f"Judge against judge: {row['judge_a']} and {row['judge_b']}",
                "judge_against_judge",
                {
                    "dataset": row["dataset_id"],
                    "experiment": row["experiment"],
                    "comparison": row["comparison"],
                    "judge": f"{row['judge_a']}|{row['judge_b']}",
                },
            )
        )
    return Section(
        "Beside others, on the same debates",
        "comparisons",
        rows,
        partial(
            listed,
            columns={
                "first": "judge_a",
                "second": lambda row: "people" if row["judge_b"] == HUMAN else row["judge_b"],
                "asked": setting_name,
                "first minus second": lambda row: effect_in(row, "difference"),
                "first (%)": percent_of("accuracy_a"),
                "second (%)": percent_of("accuracy_b"),
                "adjusted p": p_of("p_adjusted"),
                "debates": "n_units",
                "why unknown": "reason",
            },
        ),
        "No other judge was asked in the same way on the same debates.",
        links=links,
    )


def runs(rows: Sequence[Row], who: Mapping[str, Row]) -> Section:
    """Return judges' settings and runs, with cost and speed."""
    said = [
        f"Settings of {judge}: {row['settings']} (hash {row['settings_hash']})."
        for judge, row in who.items()
        if not is_missing(row["settings"]) and row["settings"] != "{}"
    ]
    return Section(
        "Settings and runs, cost and speed",
        "runs",
        rows,
        partial(
            listed,
            columns={
                **({"judge": "judge_id"} if len(who) > 1 else {}),
                "experiment": "experiment",
                "status": "status",
                "requests": "request_count",
                "cost (USD)": "cost_usd",
                "median seconds": "latency_p50_s",
                "failed": share_of("failure_share"),
                "unparsed": share_of("unparsed_share"),
                "known part (USD)": "cost_known_usd",
                "requests with known cost": "cost_known_count",
                "prompt": "template",
                "run": "run_id",
            },
        ),
        "No run of it is recorded: its answers come from elsewhere.",
        brief=plural(len(rows), "run") if rows else "",
        sentences=said,
        links=[
            Link(f"Runs of {judge}", "runs", {"judge": judge})
            for judge in who
            if any(row["judge_id"] == judge for row in rows)
        ],
    )
