"""A decision about a judge as one page: in the terminal, or as one HTML file."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from orchestration.commands.figure_commands import Topic
from orchestration.commands.reports.study import made_by_dashboard, write_out
from orchestration.console import print_line
from orchestration.errors import UnknownDecision
from warehouse.catalogue import Catalogue, read_catalogue
from warehouse.home import Home
from warehouse.reader import Version, current_version, run_query
from warehouse.safe_text import printable

# By topic, what it decides.
TOPICS: Mapping[Topic, str] = {
    "replace": "may the judge stand in for one of the people",
    "rate": "what a mean or share is, from few human labels",
    "route": "which answers a person must see",
    "drift": "did the judge change",
    "pressure": "does a verdict survive pressure",
}
_ABOUT = (("judge", "judge_id"), ("data", "dataset_id"), ("prompt", "template"))
_LABELS = (
    ("Why", "reason"),
    ("What would change it", "would_change"),
    ("What that would cost", "cost"),
)


def decide(
    home: Home, topic: Topic, judge: str | None, data: str | None, html: Path | None, out: Console
) -> None:
    """Print the decisions of a topic, and write them as a file where one is asked for."""
    version = current_version(home)
    rows = _decisions(version, topic)
    found = [row for row in rows if judge in (None, row["judge_id"])]
    found = [row for row in found if data in (None, row["dataset_id"])]
    if not found:
        raise UnknownDecision(_what_there_is(topic, judge, data, rows))
    measures = read_catalogue()
    for row in found:
        _print(row, measures, out)
    if html is not None:
        title = f"Rostrum: {TOPICS[topic]}"
        write_out("decide", html, _file(home, version, topic, judge, data, title), "--html")
        print_line(out, f"wrote {html}")


def _decisions(version: Version, topic: Topic) -> list[dict[str, Any]]:
    result = run_query(
        version,
        f"select * from rpt_decisions where topic = '{topic}' order by dataset_id, judge_id, task, "
        "dimension, experiment, template, variant_id, question",
    )
    return [dict(zip(result.columns, row, strict=True)) for row in result.rows]


def _what_there_is(
    topic: Topic, judge: str | None, data: str | None, rows: list[dict[str, Any]]
) -> str:
    asked = "".join(f" {word} '{one}'" for word, one in (("of", judge), ("on", data)) if one)
    if not rows:
        return (
            f"decide: nothing published answers '{topic}'; docs/deciding.md says what it needs, "
            "and 'rostrum demo' shows it"
        )
    judges = ", ".join(sorted({str(row["judge_id"]) for row in rows if row["judge_id"]}))
    datasets = ", ".join(sorted({str(row["dataset_id"]) for row in rows if row["dataset_id"]}))
    return (
        f"decide: no decision '{topic}'{asked}; there are decisions on {datasets or 'no data set'} "
        f"of {judges or 'no judge'}"
    )


def _print(row: dict[str, Any], known: Catalogue, out: Console) -> None:
    def line(text: str, style: str = "") -> None:
        out.print(Text(printable(text), style=style))

    line(row["question"], "bold")
    line(", ".join(f"{word} {row[column]}" for word, column in _ABOUT if row[column]))
    line(row["answer"].upper(), "bold")
    for one in json.loads(row["numbers"]):
        line(f"  {_number(one, known)}")
    for label, column in _LABELS:
        if row[column] is not None:
            line(f"{label}: {row[column]}")
    line("")


def _number(one: dict[str, Any], known: Catalogue) -> str:
    measure = known.measures.get(one["measure"])
    name = measure.name if measure else one["measure"].replace("_", " ")
    value = one.get("value")
    said = "–" if value is None else f"{value:.3g}"
    if one.get("low") is not None and one.get("high") is not None:
        said += f" [{one['low']:.3g}, {one['high']:.3g}]"
    if one.get("n") is not None:
        said += f", n = {one['n']:,}"
    return f"{name}: {said}"


def _file(
    home: Home, version: Version, topic: Topic, judge: str | None, data: str | None, title: str
) -> bytes:
    asked = {"topic": topic, "judge": judge, "data": data, "title": title, "version": version.name}
    told = [f"--{name}={one}" for name, one in asked.items() if one]
    return made_by_dashboard("decide", home, "dashboard.decisions", told)
