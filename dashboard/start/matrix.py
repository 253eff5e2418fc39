"""The table of judges and tasks: each cell is a link to the page behind its figure.

It is HTML, as Streamlit opens each link of Markdown or of a grid in another tab, which loses the
way back. Names and reasons go through `_safe`.
"""

import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from dashboard.core.findings import Row
from dashboard.core.labels import (
    UNKNOWN,
    UNPARSED_LIMIT,
    count,
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
from warehouse.safe_text import printable

STYLE = Path(__file__).parent / "matrix.css"
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


def matrix(rows: Sequence[Row], task: str, tasks: Sequence[str]) -> str:
    """Return the table as HTML, the chosen task's column first.

    Args:
        rows: From `queries.judge_tasks`, in order.
        task: What judges are sorted by.
        tasks: The other columns too, in order.
    """
    judges: dict[str, dict[str, Row]] = {}
    for row in rows:
        judges.setdefault(str(row["judge_id"]), {})[str(row["task"])] = row
    samples = {str(row["task"]) for row in rows if row["is_sample"]}
    others = [one for one in tasks if one != task]
    beside = {PLACE: _place, UNREADABLE: _unreadable, COST: _cost}
    headings = [
        "Judge",
        _heading(task, is_sample=task in samples),
        *beside,
        *(_heading(one, is_sample=one in samples) for one in others),
    ]
    lines = []
    for judge_id, cells in judges.items():
        line = [f'<th scope="row">{_name(judge_id)}</th>', _cell(cells.get(task), task)]
        line += [_beside(name, show(cells.get(task))) for name, show in beside.items()]
        line += [_cell(cells.get(one), one) for one in others]
        lines.append(f"<tr>{''.join(line)}</tr>")
    head = "".join(f'<th scope="col">{one}</th>' for one in headings)
    return (
        '<div class="judges-and-tasks"><table aria-label="Judges and tasks">'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


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
    return f"{TASKS[task].name}{'<small>sample</small>' if is_sample else ''}"


def _name(judge_id: str) -> str:
    short = judge_id if len(judge_id) <= _NAME_LENGTH else f"{judge_id[: _NAME_LENGTH - 1]}…"
    return _link(short, f"judge?{urlencode({'judge': judge_id})}", f"Profile of {judge_id}")


def _beside(name: str, text: str) -> str:
    heading = "" if text == UNKNOWN else f' data-heading="{name}"'
    return f"<td{heading}>{_safe(text)}</td>"


def _cell(row: Row | None, task: str) -> str:
    if row is None:
        return "<td></td>"
    # What stands above the column, for a screen that has no room for columns.
    heading = f'data-heading="{TASKS[task].name}"'
    if is_missing(row["estimate"]):
        why = f'<small class="why">{_safe(row["estimate_reason"])}</small>'
        return f"<td {heading}>{UNKNOWN}{why}</td>"
    standing = STANDINGS[row["standing"]]
    known = row["standing"] != "cannot_tell"
    shade = f' style="background-color: {standing.colour}{_SHADE}"' if known else ""
    other = "" if row["is_main_setting"] else " *"
    value = _link(value_of(row), evidence_address(row), _hover(row))
    under = (f"{band_of(row)} n\u00a0{count(row['n_clusters'])}", bias_of(row))
    more = "".join(f"<small>{_safe(one)}</small>" for one in under if one)
    return f"<td {heading}{shade}>{standing.sign} {value}{other}{more}</td>"


def _safe(text: Any) -> str:
    """Return text that HTML shows as it is, also inside an attribute."""
    return html.escape(printable(str(text)))


def _link(text: str, address: str, title: str) -> str:
    return f'<a href="{_safe(address)}" title="{_safe(title)}">{_safe(text)}</a>'


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
