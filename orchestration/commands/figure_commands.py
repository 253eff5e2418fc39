"""Commands that build the figures, and that show or write what a published version holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import model_validator

from orchestration.console import ERR, OUT, Say, print_line, say
from orchestration.operation import Operation, OutputPath, Publishing, UserPath, argument, option
from warehouse.home import Home
from warehouse.subjects import Subject

if TYPE_CHECKING:
    pass

TableFormat = Literal["table", "csv", "json", "jsonl", "parquet"]
ExportFormat = Literal["csv", "json", "jsonl", "parquet", "latex"]
Paper = Literal[
    "llm_debate_bias", "debatable_intelligence", "debatebench", "persuasive_debate", "alt_test"
]
Topic = Literal["replace", "rate", "route", "drift", "pressure"]
_EVERY_CHANGE = "CSV file for every changed number, not the largest only."


class Build(Operation):
    """Build and test the marts that what is loaded has changed, and publish them."""

    example: ClassVar[str] = "build"

    full: bool = option("Build every model, also those that nothing has changed for.", False)
    only: Subject | None = option(
        "Build and test one subject with what it needs, and say what changes. Published only if "
        "nothing else is stale.",
        None,
    )

    @model_validator(mode="after")
    def _check_extent(self) -> Self:
        if self.full and self.only is not None:
            raise ValueError("--full builds everything, --only one subject; give one of them")
        return self

    def run(self, home: Home, say: Say = say) -> None:
        """Build, test and publish."""
        from orchestration.commands.build import build, build_subject

        if self.only is None:
            build(home, say, is_full=self.full)
        else:
            build_subject(home, self.only, say)


class Replicate(Operation):
    """Send a paper's printed figures through the models, and compare with what it prints.

    They are built in replication/PAPER within the home, apart from your data. Exit code 1 if a
    figure that the printed ones give comes out otherwise, or none was compared.
    """

    needs_home: ClassVar[bool] = False
    example: ClassVar[str] = "replicate llm_debate_bias"

    paper: Paper = argument("The paper.", "llm_debate_bias")
    location: UserPath | None = option(
        "alt_test: folder with a folder per study, each with human_annotations.json and "
        "llm_annotations.json.",
        None,
        name="from",
    )
    show_all: bool = option("Show every figure, not only what asks for a look.", False, name="all")

    @model_validator(mode="after")
    def _check_location(self) -> Self:
        if self.location is not None and self.paper != "alt_test":
            raise ValueError("--from is for alt_test; other papers come with their figures")
        return self

    def run(self, home: Home, say: Say = say) -> int:
        """Build the paper's figures apart, and show what came of them."""
        from orchestration.commands.build import replicate

        return replicate(home, self.paper, OUT, say, show_all=self.show_all, location=self.location)


class Reparse(Publishing):
    """Read every stored reply again with the present parser, and show what that changes."""

    example: ClassVar[str] = "reparse --dry-run"

    dry_run: bool = option("Show which answers would change; write nothing.", False)
    out: OutputPath | None = option(_EVERY_CHANGE, None)

    @model_validator(mode="after")
    def _check_out(self) -> Self:
        if self.out is not None and not self.build:
            raise ValueError("--out lists what a build changes; leave out --no-build")
        return self

    def run(self, home: Home, say: Say = say) -> None:
        """Read every reply again, build and publish, and say what changed in every report."""
        from orchestration.commands.reparse import reparse, reparse_dry

        if self.dry_run:
            reparse_dry(home, OUT)
        else:
            reparse(home, self.out, OUT, say, is_built=self.build)


class Compare(Operation):
    """Show which numbers differ between two published versions; exit with 1 if any does."""

    example: ClassVar[str] = "compare v000001 v000002 --out changes.csv"

    before: str | None = argument("The earlier version, or its file; the last but one.", None)
    after: str | None = argument("The later version, or its file; the newest.", None)
    out: OutputPath | None = option(_EVERY_CHANGE, None)

    def run(self, home: Home, say: Say = say) -> int:
        """Compare the versions."""
        from orchestration.commands.reports.compare import compare_versions

        return compare_versions(home, self.before, self.after, self.out, OUT)


class Sql(Operation):
    """Query the published version."""

    example: ClassVar[str] = 'sql "from rpt_rater_agreement" --format csv'

    query: str = argument("DuckDB SQL over the published version, read-only.")
    file_format: TableFormat = option(
        "table; or csv, json, jsonl, parquet for programs.", "table", name="format"
    )
    timeout: float = option("Seconds that it may take.", 10.0, ge=0.1)
    memory: float = option("GB of memory that it may use.", 1.5, ge=0.3)

    def run(self, home: Home, say: Say = say) -> None:
        """Run the query, and print what it returns."""
        from orchestration.commands.reports.tables import write_result
        from warehouse.free_sql.queries import limits_of, run_on_newest

        limits = limits_of(seconds=self.timeout, memory_gb=self.memory)
        write_result(run_on_newest(home, self.query, limits), self.file_format, OUT)


class Export(Operation):
    """Export a mart with its version, counts, intervals and citation."""

    example: ClassVar[str] = "export rpt_rank_agreement --format latex --out table.tex"

    mart: str = argument("A mart, such as rpt_rank_agreement.")
    file_format: ExportFormat = option("Format of the file.", "csv", name="format")
    out: OutputPath | None = option(
        "File to write; standard output if absent. Version and citation of csv, json and jsonl "
        "are in FILE.meta.json beside it.",
        None,
    )
    raw: bool = option("Leave csv text that a spreadsheet would run as a formula.", False)

    def run(self, home: Home, say: Say = say) -> None:
        """Write the mart."""
        from orchestration.commands.reports.export import export, write_export
        from warehouse.reader import current_version

        data, metadata = export(current_version(home), self.mart, self.file_format, is_raw=self.raw)
        for line in write_export(data, metadata, self.file_format, self.out):
            console = ERR if self.out is None else OUT
            print_line(console, line)


class Report(Operation):
    """Write a study as one HTML file: findings, charts, tables, methods, versions, citation.

    It has what the dashboard's pages have, needs no network, and prints to PDF.
    """

    example: ClassVar[str] = "report --subject debates --out study.html"

    subjects: list[Subject] = option(
        "Subject of the study. Repeatable; all that have data if absent.", [], name="subject"
    )
    judges: list[str] = option(
        "A judge to narrow it to. Repeatable; all if absent.", [], name="judge"
    )
    out: OutputPath = option("File to write.", "study.html", validate_default=True)

    def run(self, home: Home, say: Say = say) -> None:
        """Write the study."""
        from orchestration.commands.reports.study import write_report

        say(write_report(home, self.subjects, self.judges, self.out))


class Decide(Operation):
    """Answer a question about a judge on one page: yes, no or inconclusive, and why."""

    example: ClassVar[str] = "decide replace --judge simulated/faithful --data sample --html a.html"

    topic: Topic = argument("What to decide.")
    judge: str | None = option("About which judge; all if absent.", None)
    data: str | None = option("On which data set; all if absent.", None)
    html: OutputPath | None = option("File to write the same page to.", None)

    def run(self, home: Home, say: Say = say) -> None:
        """Print the decisions, and write them to the file."""
        from orchestration.commands.reports.decide import decide

        decide(home, self.topic, self.judge, self.data, self.html, OUT)


class Status(Operation):
    """Show the home: versions, row counts, runs and who holds the writer lock."""

    example: ClassVar[str] = "status"

    def run(self, home: Home, say: Say = say) -> None:
        """Print what is in the home."""
        from orchestration.commands.reports import tables

        tables.status_report(home, OUT)


class Doctor(Operation):
    """Check versions, ports and which keys are set, without showing any."""

    needs_home: ClassVar[bool] = False
    example: ClassVar[str] = "doctor"

    def run(self, home: Home, say: Say = say) -> int:
        """Print what a bug report needs."""
        from orchestration.commands.reports.tables import doctor_report

        return doctor_report(home, OUT)
