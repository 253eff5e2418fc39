"""A Jupyter notebook that redraws the main figures from SQL over one published version.

It needs DuckDB, pandas and Altair, and nothing of Rostrum: who gets it can read every query.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from orchestration.commands.reports.study import check_subjects, write_out
from orchestration.errors import ReportFailed
from warehouse.home import Home
from warehouse.reader import Version, connect, current_version, run_query

_FORMAT = {"nbformat": 4, "nbformat_minor": 5}
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


class Figure(NamedTuple):
    """One figure.

    Attributes:
        subject: Of the five.
        title: What it shows.
        axis: What its value is, with unit and direction.
        sql: Gives columns `dataset_id`, `judge_id`, `label`, `value`, `low`, `high` and `n`.
    """

    subject: str
    title: str
    axis: str
    sql: str


FIGURES = (
    Figure(
        "speeches",
        "Do judges put speeches in people's order?",
        "Kendall's tau-c with people's mean score (higher = closer to people)",
        """
select dataset_id, judge_id, concat_ws(', ', judge_id, dimension, template) as label,
    tau_c as value, tau_c_low as low, tau_c_high as high, n_items as n
from rpt_rank_agreement
where tau_c is not null
order by dataset_id, value desc, label""",
    ),
    Figure(
        "speeches",
        "Do judges give people's scores?",
        "mean kappa with one person (higher = closer to people)",
        """
select dataset_id, judge_id, concat_ws(', ', judge_id, dimension, template) as label,
    mean_kappa as value, kappa_low as low, kappa_high as high, pair_count as n
from rpt_rater_agreement
where mean_kappa is not null and min_shared_items = 50
order by dataset_id, value desc, label""",
    ),
    Figure(
        "debates",
        "How often do judges name people's winner?",
        "share of debates (half is guessing; higher is better)",
        """
select dataset_id, judge_id,
    concat_ws(', ', judge_id, experiment, template, verbalizer, position, outcome) as label,
    accuracy as value, accuracy_low as low, accuracy_high as high, n_units as n
from rpt_verdict_accuracy
where accuracy is not null and round_count is null
order by dataset_id, value desc, label""",
    ),
    Figure(
        "debates",
        "What fools them? Every bias that was tested",
        "change of the share of verdicts (0 is no bias)",
        """
select dataset_id, judge_id,
    concat_ws(', ', judge_id, experiment, bias, contrast, wording, outcome) as label,
    share_change as value, share_change_low as low, share_change_high as high, n_units as n
from rpt_bias_battery
where share_change is not null and p_adjusted is not null
order by dataset_id, abs(share_change) desc, label""",
    ),
    Figure(
        "questions",
        "Do answers show the debate? Dispute awareness",
        "score (higher is better)",
        """
select dataset_id, judge_id,
    concat_ws(', ', judge_id, template, evaluator_id, evaluator_template) as label,
    score as value, score_low as low, score_high as high, n_questions as n
from rpt_debateqa_leaderboard
where score is not null and metric = 'dispute_awareness'
order by dataset_id, value desc, label""",
    ),
    Figure(
        "questions",
        "Do answers show all sides? Perspective diversity",
        "score (lower is better)",
        """
select dataset_id, judge_id,
    concat_ws(', ', judge_id, template, evaluator_id, evaluator_template) as label,
    score as value, score_low as low, score_high as high, n_questions as n
from rpt_debateqa_leaderboard
where score is not null and metric = 'perspective_diversity'
order by dataset_id, value, label""",
    ),
    Figure(
        "parliamentary",
        "How far are speakers' scores from the panel's?",
        "mean absolute error, points (lower is better)",
        """
select dataset_id, judge_id, concat_ws(', ', judge_id, task, template, manual) as label,
    value, value_low as low, value_high as high, n_units as n
from rpt_bp_speaker_scores
where value is not null and measure = 'mae'
order by dataset_id, value, label""",
    ),
    Figure(
        "parliamentary",
        "How far are houses from the rank the panel gave them?",
        "mean rank difference, ranks (lower is better)",
        """
select dataset_id, judge_id, concat_ws(', ', judge_id, task, template, manual) as label,
    value, value_low as low, value_high as high, n_units as n
from rpt_bp_verdict
where value is not null and measure = 'mean_rank_difference'
order by dataset_id, value, label""",
    ),
    Figure(
        "oversight",
        "How often does a judge who has not read the story find the truth?",
        "share of questions (half is guessing; higher is better)",
        """
select dataset_id, judge_id, concat_ws(', ', judge_id, protocol, debater, mode, asked_for) as label,
    accuracy as value, accuracy_low as low, accuracy_high as high, n_units as n
from rpt_protocol_accuracy
where accuracy is not null and is_headline and selection = 'all'
order by dataset_id, value desc, label""",
    ),
)
_HELPERS = '''
from pathlib import Path

import altair as alt
import duckdb

ROWS = 60  # of one data set that a figure has room for
if not Path(WAREHOUSE).exists():
    raise FileNotFoundError(
        f"{WAREHOUSE} is gone: a home keeps its newest versions. Write the notebook again with "
        "'rostrum notebook', or set WAREHOUSE to another version."
    )
if WAREHOUSE.endswith(".ducklake"):  # The catalog of a lake's version: needs the extra lake.
    from warehouse.lake.versions import open_version

    warehouse = open_version(Path(WAREHOUSE), {}, None)
else:
    warehouse = duckdb.connect(WAREHOUSE, read_only=True)


def ask(sql):
    """Return what a query gives, of the judges chosen."""
    frame = warehouse.sql(sql).df()
    # What differs in a setting that no label names still has a line of its own.
    again = frame.groupby(["dataset_id", "label"]).cumcount()
    frame["label"] += again.map(lambda times: f" ({times + 1})" if times else "")
    return frame[frame["judge_id"].isin(JUDGES)] if JUDGES else frame


def forest(frame, title, axis):
    """Return estimates as points with their 95 % intervals, one plot per data set."""
    plots = []
    for dataset, rows in frame.groupby("dataset_id", sort=False):
        shown = rows.head(ROWS)
        less = "" if len(rows) == len(shown) else f", the first {ROWS} of {len(rows)}"
        base = alt.Chart(shown).encode(
            y=alt.Y("label:N", sort=list(shown["label"]), title=None).axis(labelLimit=420)
        )
        lines = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=axis), x2="high:Q")
        points = base.mark_point(filled=True, size=70).encode(
            x=alt.X("value:Q", title=axis), tooltip=["label", "value", "low", "high", "n"]
        )
        plots.append(
            alt.layer(lines, points).properties(title=f"{title} ({dataset}{less})", width=560)
        )
    return alt.vconcat(*plots) if plots else "Nothing is known of these judges."
'''


def write_notebook(home: Home, subjects: Sequence[str], judges: Sequence[str], out: Path) -> str:
    """Write a notebook over the newest version, and return what to say of it.

    Args:
        home: The home.
        subjects: Of the five; all that have data where none is named.
        judges: Judges to narrow it to; all where none is named.
        out: The file.

    Raises:
        UnknownSubject: A subject is none of the five.
        NothingPublished: There is no version yet.
        ReportFailed: There is nothing to draw, or it cannot be written there.
    """
    check_subjects("notebook", subjects)
    version = current_version(home)
    # Each query would open the file anew.
    with connect(version):
        figures = [
            one
            for one in FIGURES
            if (not subjects or one.subject in subjects) and _rows(version, one, judges)
        ]
        if not figures:
            asked = ", ".join([*subjects, *judges]) or "any subject"
            raise ReportFailed(f"notebook: the published version has no data of {asked}")
        cells = _cells(version, figures, judges)
    data = {**_FORMAT, "metadata": {"kernelspec": _KERNEL}, "cells": cells}
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    write_out("notebook", out, text.encode())
    return f"wrote {out}, {len(figures)} figures from warehouse version {version.name}"


def _rows(version: Version, figure: Figure, judges: Sequence[str]) -> int:
    wanted = "where list_contains($judges, judge_id)" if judges else ""
    sql = f"select count(*) from ({figure.sql}) {wanted}"
    parameters = {"judges": list(judges)} if judges else None
    return int(run_query(version, sql, parameters).rows[0][0])


def _cells(
    version: Version, figures: Sequence[Figure], judges: Sequence[str]
) -> list[dict[str, Any]]:
    code_version = run_query(version, "select code_version from publication").rows[0][0]
    texts = [
        (
            "markdown",
            f"# Rostrum: warehouse version {version.name}\n\nPublished "
            f"{version.published_at:%Y-%m-%d %H:%M} UTC by Rostrum {code_version}. The file is "
            "opened read-only. Every figure is a query over its tables, whose columns are "
            "explained by `select comment from duckdb_columns()`. Lines: 95 % intervals. "
            "Needs the Python packages duckdb, pandas and altair.",
        ),
        ("code", f"WAREHOUSE = {str(version.path)!r}\nJUDGES = {list(judges)!r}  # all if empty"),
        ("code", _HELPERS.strip()),
    ]
    for figure in figures:
        texts.append(("markdown", f"## {figure.title}"))
        call = f"forest(ask(sql), {figure.title!r}, {figure.axis!r})"
        texts.append(("code", f'sql = """{figure.sql}\n"""\n{call}'))
    return [_cell(kind, text, number) for number, (kind, text) in enumerate(texts)]


def _cell(kind: str, text: str, number: int) -> dict[str, Any]:
    cell: dict[str, Any] = {
        "cell_type": kind,
        "id": f"cell-{number}",
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }
    return cell if kind == "markdown" else {**cell, "execution_count": None, "outputs": []}
