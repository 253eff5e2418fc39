"""The page on the marts and their columns, from what a build has made."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import duckdb

from warehouse.catalogue import Catalogue, read_catalogue
from warehouse.home import Home

MART_PREFIXES = ("dim_", "fct_", "rpt_")
_GRAIN = re.compile(r"\s*(One row per [^.]+\.)$")
_PAPERS = {
    "llm_debate_bias": "An Empirical Analysis on Large Language Models in Debate Evaluation",
    "debateqa": "DebateQA: Evaluating Question Answering on Debatable Knowledge",
    "debatable_intelligence": (
        "Debatable Intelligence: Benchmarking LLM Judges via Debate Speech Evaluation"
        " (in these pages: the speech paper)"
    ),
    "persuasive_debate": "Debating with More Persuasive LLMs Leads to More Truthful Answers",
    "alt_test": (
        "The Alternative Annotator Test for LLM-as-a-Judge: How to Statistically Justify Replacing"
        " Human Annotators with LLMs"
    ),
    "debatebench": (
        "DebateBench: A Challenging Long Context Reasoning Benchmark For Large Language Models"
    ),
}
_HEADER = """\
# Marts and their columns

What `rostrum sql`, `rostrum export` and the dashboard read. The same texts are comments on the
tables and columns of every published version: `rostrum sql "describe rpt_rank_agreement"`.

Beside the marts every version holds `publication`, one row: which version it is, when and by which
code it was published, and which dbt invocation and which load it was built from; and
`estimate_changes`, one row for each estimate that appeared, vanished, moved out of its interval or
changed otherwise since the version before.

A figure that cannot be computed is null, and where the mart has `undefined_reason` that column says
why. Low and high ends are of 95 % intervals. Times are UTC. How the figures are computed is in
[architecture.md](architecture.md#statistics-as-they-are-computed).
"""


@dataclass(frozen=True)
class Column:
    """One column of a mart.

    Attributes:
        meaning: What it holds.
    """

    name: str
    data_type: str
    meaning: str


@dataclass(frozen=True)
class Mart:
    """One mart.

    Attributes:
        name: Its table.
        description: What it answers.
        grain: What one row stands for, as a sentence.
        key: Columns that no two rows share; empty where no test says so.
        columns: In the order of the table.
    """

    name: str
    description: str
    grain: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]


def read_marts(home: Home) -> list[Mart]:
    """Return every mart that a build has made, by name.

    Args:
        home: A home whose models are built.

    Raises:
        ValueError: The description of a mart does not end with its grain.
    """
    manifest = json.loads((home.dbt_target / "manifest.json").read_text(encoding="utf-8"))
    keys = {
        node["attached_node"]: node["test_metadata"]["kwargs"].get("key", ())
        for node in manifest["nodes"].values()
        if (node.get("test_metadata") or {}).get("name") == "holds"
    }
    catalogue = read_catalogue()
    with duckdb.connect(str(home.build_db), read_only=True) as connection:
        return [
            _mart(connection, catalogue, node, tuple(keys.get(name, ())))
            for name, node in sorted(manifest["nodes"].items())
            if node["resource_type"] == "model" and node["name"].startswith(MART_PREFIXES)
        ]


def metrics_page(marts: list[Mart]) -> str:
    """Return the page, with the marts in their order."""
    parts = [_HEADER, _contents(marts), *(_section(mart) for mart in marts), _papers()]
    return "\n".join(parts)


def _mart(
    connection: duckdb.DuckDBPyConnection,
    catalogue: Catalogue,
    node: Mapping[str, Any],
    key: tuple[str, ...],
) -> Mart:
    name, text = node["name"], " ".join(node["description"].split())
    grain = _GRAIN.search(text)
    if grain is None:
        raise ValueError(
            f"docs: mart '{name}' does not end its description with its grain; end it with "
            "'One row per ….'"
        )
    columns = connection.execute(f'describe "{node["schema"]}"."{name}"').fetchall()
    return Mart(
        name=name,
        description=text[: grain.start()],
        grain=grain[1],
        key=key,
        columns=tuple(
            Column(column, kind.lower(), catalogue.meaning(name, column))
            for column, kind, *_ in columns
        ),
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _contents(marts: list[Mart]) -> str:
    rows = [f"| [{mart.name}](#{mart.name}) | {_cell(mart.grain)} |" for mart in marts]
    return "\n".join(["| mart | grain |", "|---|---|", *rows, ""])


def _section(mart: Mart) -> str:
    key = ", ".join(f"`{name}`" for name in mart.key)
    lines = [f"## {mart.name}", "", f"{_cell(mart.description)} **{_cell(mart.grain)}**", ""]
    if key:
        lines += [f"Key: {key}.", ""]
    lines += ["| column | type | meaning |", "|---|---|---|"]
    lines += [
        f"| `{column.name}` | {column.data_type} | {_cell(column.meaning)} |"
        for column in mart.columns
    ]
    return "\n".join([*lines, ""])


def _papers() -> str:
    rows = [f"| `{paper_id}` | {title} |" for paper_id, title in _PAPERS.items()]
    return "\n".join(["## Papers", "", "| paper_id | title |", "|---|---|", *rows, ""])
