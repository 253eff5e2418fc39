"""The sections of a profile that are estimates: charts with people beside, tables, links."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from dashboard.core.findings import Row
from dashboard.core.labels import HUMAN, capital, is_missing, number, plural
from dashboard.core.widgets import Chart
from dashboard.judges.profile import charts, tables
from dashboard.judges.profile import measures as lines
from dashboard.judges.profile.parts import Link, Section
from dashboard.parliamentary.labels import setting_id

CHART_ROWS, MAIN_ROWS = 20, 9
_TITLES: Mapping[str, tuple[str, str]] = {
    lines.AGREEMENT: (
        "Agreement with people",
        "No answer of its own can be compared with people's.",
    ),
    lines.BIAS: (
        "Biases",
        "No bias has been tested: that needs answers asked for in more than one way.",
    ),
    lines.JOINT: ("All biases in one model", "No joint model has been fitted."),
    lines.SEVERITY: (
        "Severity and calibration",
        "It has given no score and no probability that could be compared with people's.",
    ),
    lines.CONSISTENCY: ("Consistency", "Nothing was asked twice."),
    lines.WRITING: (
        "What judges make of its debates, speeches and answers",
        "It has written nothing that judges read.",
    ),
}


def estimates(name: str, rows: Sequence[Row], judges: Sequence[str]) -> Section:
    """Return the section of estimates with one chart for each kind of number."""
    title, missing = _TITLES[name]
    known = [row for row in rows if not is_missing(row["value"])]
    kinds = dict.fromkeys(lines.line_of(row).kind for row in known)
    parts = {one: [row for row in known if lines.line_of(row).kind == one] for one in kinds}
    return Section(
        title,
        name,
        rows,
        partial(tables.estimates, judges=judges),
        missing,
        brief=_brief(name, known),
        charts=[
            _chart(name, kind, part, judges, is_alone=len(parts) == 1)
            for kind, part in parts.items()
        ],
        links=_behind(known, judges),
    )


def _chart(
    name: str, kind: str, rows: Sequence[Row], judges: Sequence[str], *, is_alone: bool
) -> Chart:
    most = MAIN_ROWS if name in (lines.AGREEMENT, lines.WRITING) else CHART_ROWS
    drawn = _drawn(rows, most)
    frame = pd.DataFrame([one for row in drawn for one in _points(name, row, judges)])
    left_out = len({tables.key(row) for row in rows}) - len({tables.key(row) for row in drawn})
    note = "Lines: 95 % intervals. Hover for what an estimate rests on."
    if frame["chance"].notna().any():
        note += " Upright tick: guessing."
    if left_out:
        note += f" {plural(left_out, 'further row')} in the table."
    title = _TITLES[name][0]
    if name == lines.AGREEMENT and charts.PEOPLE in set(frame["which"]):
        title += ", beside people among themselves"
    elif not is_alone:
        title += f", in {lines.AXES[kind].split(' (')[0]}"
    settings = {"kind": kind, "title": title, "note": note, "judges": list(judges)}
    return Chart(charts.forest, (frame,), settings)


def _drawn(rows: Sequence[Row], most: int) -> list[Row]:
    """Return rows to draw: first one of each measure, then the next, back in their order."""
    turns: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        of_measure = turns.setdefault((row["measure"], lines.what(row)), [])
        if tables.key(row) not in of_measure:
            of_measure.append(tables.key(row))
    longest = max(map(len, turns.values()), default=0)
    chosen = [keys[at] for at in range(longest) for keys in turns.values() if at < len(keys)]
    return [row for row in rows if tables.key(row) in chosen[:most]]


def _points(name: str, row: Row, judges: Sequence[str]) -> list[dict[str, Any]]:
    line = lines.line_of(row)
    by = 100 if line.is_share and line.kind != lines.CLOSENESS else 1
    what = lines.what(row)
    label = f"{capital(what)}\n{lines.asked(row)}".strip()
    whose = str(row["whose"])
    said = f"{whose}: {lines.written(row)}, {lines.resting_on(row)}"
    if not is_missing(row["p_adjusted"]):
        said += f", adjusted p {number(row['p_adjusted'])}"
    chance = None if line.chance is None else line.chance * by
    which = whose if len(judges) > 1 else meaning(name, row)
    made = [_point(row, "value", by, label, which, whose, said, chance)]
    if not is_missing(row["people"]):
        people = f"people: {lines.written(row, 'people')}"
        made.append(_point(row, "people", by, label, charts.PEOPLE, charts.PEOPLE, people, chance))
    return made


def _point(
    row: Row,
    column: str,
    by: float,
    label: str,
    which: str,
    lane: str,
    said: str,
    chance: float | None,
) -> dict[str, Any]:
    low, high = ("low", "high") if column == "value" else (f"{column}_low", f"{column}_high")
    ends = {"value": row[column], "low": row[low], "high": row[high]}
    scaled = {name: None if is_missing(one) else float(one) * by for name, one in ends.items()}
    return {
        "label": label,
        "which": which,
        "lane": lane,
        **scaled,
        "chance": chance,
        "hover": said,
    }


def meaning(name: str, row: Row) -> str:
    """Return what the point of a judge means, as its interval or its test tells."""
    if name in (lines.BIAS, lines.JOINT):
        if is_missing(row["p_adjusted"]):
            return charts.UNTESTED
        return charts.CLEAR if row["p_adjusted"] < 0.05 else charts.UNCLEAR
    if is_missing(row["above_people_low"]):
        return charts.ITSELF if name == lines.AGREEMENT else charts.UNTESTED
    if row["above_people_low"] > 0:
        return charts.ABOVE
    return charts.BELOW if row["above_people_high"] < 0 else charts.UNTOLD


def _brief(name: str, known: Sequence[Row]) -> str:
    if not known:
        return ""
    if name in (lines.BIAS, lines.JOINT):
        return biases_words(known)
    lead = known[0]
    return f"{lines.what(lead)} {lines.written(lead)}"


def biases_words(known: Sequence[Row]) -> str:
    """Return how many of the tested biases are significant."""
    tested = [row for row in known if not is_missing(row["p_adjusted"])]
    if not tested:
        return f"{plural(len(known), 'estimate')} of bias, none of them tested"
    clear = sum(bool(row["p_adjusted"] < 0.05) for row in tested)
    named = plural(len(tested), "tested bias", "tested biases")
    return f"{clear} of {named} significant after correction"


_BEHIND: Mapping[str, tuple[str, str]] = {
    "speeches": ("speech_judges", "Speech judges"),
    "debates": ("bias_lab", "Bias lab"),
    "questions": ("debatable_questions", "Debatable questions"),
    "parliamentary": ("parliamentary", "Parliamentary"),
    "oversight": ("oversight", "Oversight"),
}


def _behind(known: Sequence[Row], judges: Sequence[str]) -> list[Link]:
    """Return the pages behind the estimates, each on the first data set it has of them."""
    found: dict[str, Link] = {}
    for row in known:
        page, label = _BEHIND[row["subject"]]
        if page in found or page == "debatable_questions" or is_missing(row["dataset_id"]):
            continue
        parameters = {"dataset": str(row["dataset_id"])}
        judge = str(row["judge_id"])
        # A judge is found among those who were asked in the way that the page shows.
        if page == "bias_lab":
            parameters["experiment"] = str(row["experiment"])
            if not is_missing(row["opened_template"]):
                parameters["template"] = str(row["opened_template"])
        elif page == "speech_judges" and row["template"] not in (None, HUMAN):
            parameters |= {"dimension": row["dimension"], "template": str(row["template"])}
        elif page == "parliamentary":
            parameters["asked"] = setting_id(row)
        if judge in judges and judge != HUMAN:
            parameters["judge"] = judge
        found[page] = Link(f"{label}: {row['title']}", page, parameters)
    return list(found.values())
