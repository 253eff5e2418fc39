"""The marts as the dbt project describes them: the reference page and the contract snapshot."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from warehouse.audit import DBT_PROJECT
from warehouse.catalogue import Catalogue, read_catalogue

MODELS = DBT_PROJECT / "models"
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
<!-- Written by `make docs` from dbt_project/models and the catalogue in seeds/. Do not edit. -->

# Marts and their columns

What `rostrum sql`, `rostrum export` and the dashboard read. This page is written from the
descriptions that dbt tests and publishes; the same texts are comments on the tables and columns of
every published version (`select comment from duckdb_columns()`).

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
        name: Its name.
        data_type: The type its contract promises.
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
        columns: In the order of the contract.
    """

    name: str
    description: str
    grain: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]


def read_marts(folder: Path = MODELS) -> list[Mart]:
    """Return every mart a folder of dbt YAML describes, dimensions before facts before reports.

    Args:
        folder: Where the YAML files are.

    Raises:
        ValueError: A mart does not say its grain, or a column lacks its type or its meaning.
    """
    catalogue = read_catalogue()
    marts = [
        _mart(model, catalogue)
        for path in sorted(folder.rglob("*.yml"))
        for model in yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader).get("models", [])
        if model["name"].startswith(MART_PREFIXES)
    ]
    return sorted(marts, key=lambda mart: mart.name)


def metrics_page(marts: Sequence[Mart]) -> str:
    """Return `docs/metrics.md`.

    Args:
        marts: The marts, in the order of the page.
    """
    parts = [_HEADER, _contents(marts), *(_section(mart) for mart in marts), _papers()]
    return "\n".join(parts)


def contracts(marts: Sequence[Mart]) -> dict[str, dict[str, str]]:
    """Return what the marts promise: the type of every column, by mart and column.

    Args:
        marts: The marts.
    """
    return {mart.name: {column.name: column.data_type for column in mart.columns} for mart in marts}


def _mart(model: Mapping[str, Any], catalogue: Catalogue) -> Mart:
    name, text = str(model["name"]), _prose(model.get("description"))
    grain = _GRAIN.search(text)
    if grain is None:
        raise ValueError(
            f"docs: mart '{name}' does not end its description with its grain; end it with "
            "'One row per ….'"
        )
    return Mart(
        name=name,
        description=text[: grain.start()],
        grain=grain[1],
        key=_key(model),
        columns=tuple(_column(name, column, catalogue) for column in model["columns"]),
    )


def _column(mart: str, column: Mapping[str, Any], catalogue: Catalogue) -> Column:
    meaning = catalogue.meaning(mart, str(column["name"]))
    if not meaning or not column.get("data_type"):
        raise ValueError(
            f"docs: column '{column['name']}' of mart '{mart}' lacks its data_type or meaning; "
            "give it the one in the mart's YAML file, the other in seeds/measures.csv or "
            "seeds/columns.csv"
        )
    return Column(str(column["name"]), str(column["data_type"]), meaning)


def _key(model: Mapping[str, Any]) -> tuple[str, ...]:
    for test in model.get("data_tests", []):
        if "holds" in test:
            return tuple(test["holds"]["arguments"].get("key", ()))
    return ()


def _prose(text: str | None) -> str:
    return " ".join((text or "").split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _contents(marts: Sequence[Mart]) -> str:
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
