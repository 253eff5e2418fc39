"""Tables of commands that only look: judges, presets, query results, status, doctor."""

import json
import os
import platform
import socket
import sys
from contextlib import closing
from pathlib import Path

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from inference.parsing import PARSER_VERSION
from orchestration.console import print_line
from orchestration.result_files import TEXT_FORMATS, text_of, write_text
from warehouse.errors import NothingPublished
from warehouse.home import Home
from warehouse.reader import (
    Result,
    Version,
    connect,
    current_version,
    published_versions,
    run_query,
)
from warehouse.safe_text import printable
from warehouse.serving import live_addresses

_PACKAGES = ("duckdb", "dbt-core", "dbt-duckdb", "dagster", "streamlit", "openai", "scipy")
_KEYS = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "OPENROUTER_API_KEY",
    "HF_TOKEN",
)
_WIDE = 60


def judge_table(home: Home) -> Table:
    """Return the judges of a home with their settings."""
    from inference.registry import load_judges

    table = Table(Column("judge", overflow="fold"), "family", "settings", "settings hash")
    for spec in load_judges(home.judges_file):
        settings = json.dumps(dict(spec.settings), sort_keys=True)
        table.add_row(
            Text(spec.judge_id), Text(spec.family or "–"), Text(settings), spec.settings_hash[:12]
        )
    return table


def preset_table() -> Table:
    """Return the papers' models that can be added as judges."""
    from inference.providers.presets import ID_SOURCES, judge_presets

    table = Table(
        "preset",
        Column("judge", overflow="fold"),
        "id",
        "family",
        "billions of parameters",
        "papers",
        caption="\n".join(f"{name}: {meaning}" for name, meaning in ID_SOURCES.items()),
        caption_justify="left",
    )
    for preset in judge_presets().values():
        size = "–" if preset.size_b_params is None else f"{preset.size_b_params:g}"
        papers = ", ".join(preset.papers)
        table.add_row(
            preset.name, Text(preset.judge_id), preset.id_source, preset.family, size, papers
        )
    return table


def write_result(result: Result, file_format: str, console: Console) -> None:
    """Write a query's result to standard output, as a table or in one of `result_files.FORMATS`."""
    if file_format == "table":
        table = Table()
        for name in result.columns:
            table.add_column(Text(printable(name)), overflow="fold")
        for row in result.rows:
            table.add_row(*(Text(_shown(value)) for value in row))
        console.print(table)
        print_line(console, f"{len(result.rows):,} rows")
    elif file_format in TEXT_FORMATS:
        write_text(text_of(result, file_format))
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        sink = pa.BufferOutputStream()
        pq.write_table(result.arrow(), sink)
        sys.stdout.buffer.write(bytes(sink.getvalue()))


def _shown(value: object) -> str:
    if value is None:
        return "–"
    text = f"{value:.6g}" if isinstance(value, float) else printable(str(value))
    return text if len(text) <= _WIDE else text[: _WIDE - 1] + "…"


def status_report(home: Home, console: Console) -> None:
    """Print what is in a home."""
    from warehouse.writer import writer_of

    print_line(console, f"home       {home.root}")
    holder = writer_of(home)
    print_line(console, f"writer     {holder or 'nobody'}")
    live = live_addresses(home)
    served = f"dashboard {live.dashboard}, Dagster {live.dagster}" if live else "nothing"
    print_line(console, f"serving    {served}")
    try:
        current = current_version(home)
    except NothingPublished as error:
        print_line(console, f"published  nothing yet ({error})")
        return
    kept = ", ".join(found.name for found in published_versions(home))
    print_line(console, f"published  {current.name} (kept: {kept})")
    # Held open, so that the file is opened once and not for each query.
    with closing(connect(current)):
        _print_published(current, console)


def _print_published(current: Version, console: Console) -> None:
    if retired := _retired_sources(current):
        print_line(
            console, f"retired    {', '.join(retired)}: no longer supported; their data sets stay"
        )
    if older := _older_runs(current):
        print_line(
            console,
            f"parser     {older:,} runs were read by an older parser; read them again, free, with: "
            "rostrum reparse",
        )
    rows = Table("table", "rows")
    for name, count in run_query(
        current,
        "select table_name, estimated_size from duckdb_tables() where schema_name = 'main' "
        "order by 1",
    ).rows:
        rows.add_row(name, f"{count:,}")
    console.print(rows)
    runs = Table(
        Column("run", overflow="fold"), "status", "answered", "unparsed", "failed", "cost (USD)"
    )
    for row in run_query(
        current,
        "select run_id, status, answered_count, unparsed_count, error_count, cost_usd "
        "from rpt_run_health order by started_at desc nulls last limit 20",
    ).rows:
        runs.add_row(*(Text(_shown(value)) for value in row))
    console.print(runs)


def _retired_sources(version: Version) -> list[str]:
    """Return the sources that data sets come from and that can no longer be loaded."""
    from ingestion.registry import RETIRED

    tables = run_query(version, "select table_name from duckdb_tables()").rows
    if ("dim_dataset",) not in tables:
        return []
    rows = run_query(version, "select distinct url from dim_dataset").rows
    return [name for name, url in RETIRED.items() if (url,) in rows]


def _older_runs(version: Version) -> int:
    """Return how many published runs have replies that the present parser has not read."""
    columns = run_query(
        version,
        "select count(*) from duckdb_columns() "
        "where table_name = 'dim_run' and column_name = 'parser_version'",
    ).rows
    if columns == [(0,)]:
        return 0  # published before it was written down
    found = run_query(
        version,
        # Written out: for a query's parameters DuckDB imports pandas.
        "select count(*) from dim_run "
        f"where coalesce(try_cast(parser_version as integer), 0) < {PARSER_VERSION}",
    ).rows
    return int(found[0][0])


def doctor_report(home: Home, console: Console) -> int:
    """Print what a bug report needs, never a key, and return the exit code."""
    from importlib import metadata

    problems = []
    width = max(map(len, (*_PACKAGES, *_KEYS))) + 2

    def line(label: str, text: str) -> None:
        print_line(console, f"{label:<{width}}{text}")

    line("python", f"{platform.python_version()} on {platform.platform()}")
    for package in ("rostrum", *_PACKAGES):
        try:
            line(package, metadata.version(package))
        except metadata.PackageNotFoundError:
            line(package, "missing")
            problems.append(f"{package} is not installed: run 'make install'")
    for name in _KEYS:
        line(name, "set" if os.environ.get(name) else "not set")
    for label, port in (("dashboard", 8501), ("Dagster UI", 3000)):
        line(f"port {port}", f"{'free' if _is_free(port) else 'taken'} ({label})")
    line("home", f"{home.root} ({'writable' if _is_writable(home.root) else 'not writable'})")
    if not _is_writable(home.root):
        problems.append(f"{home.root} cannot be written; choose another home with --home")
    for problem in problems:
        print_line(console, f"problem: {problem}")
    return 1 if problems else 0


def _is_free(port: int) -> bool:
    with socket.socket() as candidate:
        candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            candidate.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _is_writable(folder: Path) -> bool:
    while not folder.exists():
        folder = folder.parent
    return os.access(folder, os.W_OK)
