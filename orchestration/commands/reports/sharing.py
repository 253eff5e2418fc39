"""Commands that show or write what the published version holds.

The command line registers them among the others.
"""

from pathlib import Path
from typing import Annotated

import typer

from orchestration.console import ERR, OUT, State, say
from warehouse.subjects import SUBJECTS


def compare(
    before: Annotated[
        str | None, typer.Argument(help="The earlier version, or its file; the last but one.")
    ] = None,
    after: Annotated[
        str | None, typer.Argument(help="The later version, or its file; the newest.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="CSV file for every changed number, not the largest only.")
    ] = None,
) -> None:
    """Show which numbers differ between two published versions; exit with 1 if any does."""
    from orchestration.commands.reports.compare import compare_versions

    raise typer.Exit(compare_versions(State.home, before, after, out, OUT))


def sql(
    query: Annotated[str, typer.Argument(help="DuckDB SQL over the published version, read-only.")],
    file_format: Annotated[
        str,
        typer.Option("--format", help="table; or csv, json, jsonl, parquet for programs."),
    ] = "table",
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds that it may take.")] = 10,
    memory: Annotated[float, typer.Option(min=0.3, help="GB of memory that it may use.")] = 1.5,
) -> None:
    """Query the published version."""
    from orchestration.commands.reports.tables import write_result
    from orchestration.result_files import FORMATS
    from warehouse.free_sql.queries import limits_of, run_on_newest

    formats = ("table", *FORMATS)
    if file_format not in formats:
        raise typer.BadParameter(f"--format is one of {', '.join(formats)}, not {file_format}")
    limits = limits_of(seconds=timeout, memory_gb=memory)
    write_result(run_on_newest(State.home, query, limits), file_format, OUT)


def export(
    mart: Annotated[str, typer.Argument(help="A mart, such as rpt_rank_agreement.")],
    file_format: Annotated[
        str, typer.Option("--format", help="csv, json, jsonl, parquet or latex.")
    ] = "csv",
    out: Annotated[
        Path | None,
        typer.Option(
            help="File to write; standard output if absent. Version and citation of csv, json and "
            "jsonl are in FILE.meta.json beside it."
        ),
    ] = None,
    raw: Annotated[
        bool,
        typer.Option("--raw", help="Leave csv text that a spreadsheet would run as a formula."),
    ] = False,
) -> None:
    """Export a mart with its version, counts, intervals and citation."""
    from orchestration.commands.reports.export import FORMATS, write_export
    from orchestration.commands.reports.export import export as exported
    from warehouse.reader import current_version

    if file_format not in FORMATS:
        raise typer.BadParameter(f"--format is one of {', '.join(FORMATS)}, not {file_format}")
    if out is not None:
        check_folder(out)
    data, metadata = exported(current_version(State.home), mart, file_format, is_raw=raw)
    for line in write_export(data, metadata, file_format, out):
        (ERR if out is None else OUT).print(line, markup=False, highlight=False, soft_wrap=True)


Subjects = Annotated[
    list[str] | None,
    typer.Option(help=f"One of {', '.join(SUBJECTS)}. Repeatable; all that have data if absent."),
]
JudgesNamed = Annotated[
    list[str] | None, typer.Option(help="A judge to narrow it to. Repeatable; all if absent.")
]


def report(
    subject: Subjects = None,
    judge: JudgesNamed = None,
    out: Annotated[Path, typer.Option(help="File to write.")] = Path("study.html"),
) -> None:
    """Write a study as one HTML file: findings, charts, tables, methods, versions, citation.

    It says what the dashboard's pages say, needs no network, and prints to PDF.
    """
    from orchestration.commands.reports.study import write_report

    check_folder(out)
    say(write_report(State.home, subject or [], judge or [], out))


def decide(
    topic: Annotated[
        str, typer.Argument(help="replace, rate, route, drift, scale or pressure: what to decide.")
    ],
    judge: Annotated[str | None, typer.Option(help="About which judge; all if absent.")] = None,
    data: Annotated[str | None, typer.Option(help="On which data set; all if absent.")] = None,
    html: Annotated[Path | None, typer.Option(help="File to write the same page to.")] = None,
) -> None:
    """Answer a question about a judge on one page: yes, no or cannot tell, and why."""
    from orchestration.commands.reports import decide as commands

    if html is not None:
        check_folder(html, "--html")
    commands.decide(State.home, topic, judge, data, html, OUT)


def check_folder(out: Path, option: str = "--out") -> None:
    """Refuse a file to write in a folder that is not there."""
    if not out.expanduser().absolute().parent.is_dir():
        raise typer.BadParameter(f"{option} names a file in a folder that is not there: {out}")
