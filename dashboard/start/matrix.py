"""The table of judges and tasks: each cell is a link to the page behind its figure.

Cells are Markdown, so names and reasons go through `escape_markdown`. Links of Markdown open beside
the page, which keeps the reader's place in the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import pandas as pd
from pandas.io.formats.style import Styler

from dashboard.core.findings import Row
from dashboard.core.labels import (
    UNKNOWN,
    UNPARSED_LIMIT,
    count,
    escape_markdown,
    is_missing,
    number,
    percent,
)
from dashboard.core.naming import places
from dashboard.start.labels import (
    FLOORS,
    REASONS,
    STANDINGS,
    TASKS,
    band_of,
    basis_of,
    bias_of,
    difference_of,
    value_of,
)

PROFILE_PAGE = "judge"
PLACE, UNREADABLE, COST = "Place", "Not readable", "$ per 1,000"
_PAGES = {
    "speeches": "speech_judges",
    "debates": "bias_lab",
    "questions": "metric_trust",
    "parliamentary": "parliamentary",
    "oversight": "oversight",
}
# A sixth of the colour, over light and dark alike, under text in the theme's own.
_SHADE = "2b"
_NAME_LENGTH = 44


def matrix(rows: Sequence[Row], task: str, tasks: Sequence[str]) -> Styler:
    """Return the table, the chosen task's column first.

    Args:
        rows: From `queries.judge_tasks`, in order.
        task: What judges are sorted by.
        tasks: The other columns too, in order.
    """
    judges: dict[str, dict[str, Row]] = {}
    for row in rows:
        judges.setdefault(str(row["judge_id"]), {})[str(row["task"])] = row
    samples = {str(row["task"]) for row in rows if row["is_sample"]}
    columns = {one: _heading(one, is_sample=one in samples) for one in tasks}
    ordered = [task, *(one for one in tasks if one != task)]
    extra = {PLACE: _place, UNREADABLE: _unreadable, COST: _cost}
    lines, shades = [], []
    for cells in judges.values():
        chosen = cells.get(task)
        line = {columns[one]: _cell(cells.get(one)) for one in ordered}
        beside = {name: show(chosen) for name, show in extra.items()}
        first = columns[task]
        lines.append({first: line[first], **beside, **line})
        shades.append({columns[one]: _shade(cells.get(one)) for one in ordered})
    names = pd.Index([_name(one) for one in judges], name="Judge")
    shown = pd.DataFrame(lines, index=names)
    # The name is a column of its own: an index has no heading in the browser.
    shown = shown.reset_index()
    colours = pd.DataFrame(shades).reindex(columns=shown.columns).fillna("")
    return shown.style.apply(lambda _: colours, axis=None)


def profile_address(judge_id: str) -> str:
    """Return the address of a judge's profile."""
    return f"{PROFILE_PAGE}?{urlencode({'judge': judge_id})}"


def evidence_address(row: Row) -> str:
    """Return the address of the page behind a figure, opened where the figure comes from.

    Of a judge of debates it lists those it got wrong. A paper's printed figures have nothing behind
    them that is the judge's own.

    Args:
        row: A judge's row on a task.
    """
    parameters: dict[str, Any] = {"dataset": row["dataset_id"]}
    if row["task"] == "speeches":
        parameters |= {
            "dimension": row["dimension"],
            "template": row["template"],
            "shared": int(row["min_shared_items"]),
            "judge": row["judge_id"],
        }
    elif row["task"] == "debates":
        parameters |= {
            "experiment": row["experiment"],
            "template": row["template"],
            "judge": row["judge_id"],
            "bias": "accuracy",
        }
        if not row["is_published"]:
            parameters |= {"cell": "judge.wrong", "by": row["judge_id"], "a": row["variant_id"]}
    elif row["task"] in ("parliamentary", "oversight") and row["is_main_setting"]:
        parameters["judge"] = row["judge_id"]
    return f"{_PAGES[str(row['task'])]}?{urlencode(parameters)}"


def _heading(task: str, *, is_sample: bool) -> str:
    sample = "  \n:small[sample]" if is_sample else ""
    return f"**{TASKS[task].name}**{sample}"


def _name(judge_id: str) -> str:
    short = judge_id if len(judge_id) <= _NAME_LENGTH else f"{judge_id[: _NAME_LENGTH - 1]}…"
    return _link(short, profile_address(judge_id), f"Profile of {judge_id}")


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    if is_missing(row["estimate"]):
        return f"{UNKNOWN}  \n:small[{escape_markdown(row['estimate_reason'])}]"
    sign = STANDINGS[row["standing"]].sign
    other = "" if row["is_main_setting"] else " \\*"
    band = _one_line(f"{band_of(row)} n {count(row['n_clusters'])}")
    bias = bias_of(row)
    more = f"  \n:small[{_one_line(bias)}]" if bias else ""
    value = _link(value_of(row), evidence_address(row), _hover(row))
    return f"{sign} {value}{other}  \n:small[{band}]{more}"


def _shade(row: Row | None) -> str:
    if row is None or row["standing"] == "cannot_tell":
        return ""
    return f"background-color: {STANDINGS[row['standing']].colour}{_SHADE}"


def _link(text: str, address: str, title: str) -> str:
    return f'[{escape_markdown(text)}]({address} "{escape_markdown(title)}")'


def _one_line(text: str) -> str:
    return escape_markdown(text).replace(" ", "\u00a0")


def _hover(row: Row) -> str:
    standing = STANDINGS[row["standing"]]
    reason = REASONS.get(row["standing_reason"] or "", "")
    parts = [
        f"{standing.words}{f': {reason}' if reason else ''}",
        f"{value_of(row)} {band_of(row)} over {basis_of(row)}",
    ]
    if not is_missing(row["difference"]):
        several = row["n_people"] > 1
        whom = f"the one of {count(row['n_people'])} with most" if several else "people"
        parts.append(
            f"minus {whom} {difference_of(row)} on {count(row['n_shared'])} shared, margin "
            f"{number(row['margin'])}"
        )
    if place := places(row):
        parts.append(place)
    if not is_missing(row["floor_value"]):
        floor = value_of({**row, "estimate": row["floor_value"]})
        parts.append(f"{FLOORS[row['floor_kind']]} {floor}")
    if not is_missing(row["ceiling_value"]):
        parts.append(f"with the whole story {value_of({**row, 'estimate': row['ceiling_value']})}")
    parts.append(f"asked: {row['asked']}")
    if not row["is_main_setting"]:
        parts.append("* asked in another way than most judges")
    return "; ".join(parts)


def _place(row: Row | None) -> str:
    if row is None or is_missing(row["rank_low"]):
        return UNKNOWN
    low, high = count(row["rank_low"]), count(row["rank_high"])
    return low if low == high else f"{low}\u2013{high}"


def _unreadable(row: Mapping[str, Any] | None) -> str:
    share = None if row is None else row["unreadable_share"]
    over = share is not None and not is_missing(share) and share > UNPARSED_LIMIT
    return f"{'⚠ ' if over else ''}{percent(share)}"


def _cost(row: Row | None) -> str:
    return number(None if row is None else row["cost_usd_per_1000"])
