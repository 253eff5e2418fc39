"""Decisions as one HTML file: what the page says of them, with nothing to click."""

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from dashboard.core.findings import Row
from dashboard.core.html_file import document, safe, table
from dashboard.core.labels import is_missing
from dashboard.core.words import reworded
from dashboard.decisions.queries import all_decisions
from dashboard.decisions.section import SAID, sentence, stated
from warehouse.home import find_home
from warehouse.reader import Version, current_version, published_versions


def write_decisions(
    version_name: str, topic: str, dataset_id: str, judge_id: str, title: str
) -> bytes:
    """Return the decisions of a topic in the home as a file.

    Args:
        version_name: The published version; else the newest.
        topic: As `rpt_decisions` names it.
        dataset_id: On which data set; on all where empty.
        judge_id: About which judge; about all where empty.
        title: What the file is called.

    Raises:
        WarehouseError: They cannot be read.
    """
    home = find_home()
    named = (one for one in published_versions(home) if one.name == version_name)
    version = next(named, None) or current_version(home)
    found = all_decisions(version, topic, dataset_id, judge_id)
    return decision_file(version, title, found.rows)


def decision_file(version: Version, title: str, rows: Sequence[Row]) -> bytes:
    """Return decisions as a file.

    Args:
        version: The published version they come from.
        title: What the file is called.
        rows: Of `rpt_decisions`.
    """
    source = f"{version.name}, published {version.published_at:%Y-%m-%d %H:%M} UTC"
    overview = [_overview(rows)] if len(rows) > 1 else []
    return document(title, overview + [_decision(row) for row in rows], source=source)


def _overview(rows: Sequence[Row]) -> str:
    """Return how often each answer came out, and a table of what was asked of whom."""
    counts = Counter(str(row["answer"]) for row in rows)
    said = ", ".join(f"{counts[answer]} {answer}" for answer in ("yes", "no", "cannot tell"))
    shown = pd.DataFrame(
        {
            "question": [reworded(row["question"]) for row in rows],
            "judge": [row["judge_id"] for row in rows],
            "prompt": [row["template"] for row in rows],
            "answer": [row["answer"] for row in rows],
        }
    )
    return f'<p class="finding">{len(rows)} decisions: {said}.</p>\n{table(shown)}'


def _decision(row: Row) -> str:
    numbers = "".join(
        f'<div><p class="quiet">{safe(one.name)}</p><p class="value">{safe(one.value)}</p>'
        f'<p class="quiet">{safe(one.note)}</p><p class="quiet">{safe(one.explain)}</p></div>'
        for one in stated(row)
    )
    lines = [
        f'<p><span class="quiet">{label}</span><br>{safe(sentence(row[column]))}</p>'
        for label, column in SAID
        if not is_missing(row[column])
    ]
    question, answer = reworded(row["question"]), str(row["answer"]).capitalize()
    about = ", ".join(
        f"{word} {row[column]}"
        for word, column in (("judge", "judge_id"), ("data", "dataset_id"), ("prompt", "template"))
        if not is_missing(row[column])
    )
    return (
        f'<h2>{safe(question)}</h2>\n<p class="quiet">{safe(about)}</p>'
        f'\n<p class="finding">{safe(answer)}.</p>'
        f'\n<div class="row">{numbers}</div>\n' + "\n".join(lines)
    )
