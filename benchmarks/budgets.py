"""The budgets of daily use beside what was last measured: `python -m benchmarks.budgets`.

Prints the table of `benchmarks/README.md` from the newest results. A figure is in seconds of
processor time where its benchmark gives them, else in seconds on the clock, which other work on the
machine lengthens; the row says which.
"""

import json
from typing import Any, NamedTuple

from benchmarks.report import RESULTS


class Budget(NamedTuple):
    """One row of the table.

    Attributes:
        what: What is done.
        goal: What it may take.
        benchmark: The benchmark whose newest result holds the figure.
        figure: Where the figure lies in the result, keys joined by `/`.
        unit: The figure's unit, and which clock.
        limit: Where the limit lies: what the machine must at least do.
        instead: Where that lies which a user would run instead; or what it is, as text.
    """

    what: str
    goal: str
    benchmark: str
    figure: str
    unit: str = "s CPU"
    limit: str = ""
    instead: str = ""


def _command(what: str, goal: str, name: str, limit: str = "limit_s") -> Budget:
    return Budget(what, goal, "daily_commands", f"commands/{name}/processor_s", limit=limit)


BUDGETS = (
    _command("`rostrum run` with nothing to ask", "1.5 s", "run, nothing to ask"),
    _command("`rostrum import` of 450 verdicts, not built", "2 s", "import of 450 verdicts"),
    _command("`rostrum build`, nothing changed", "1 s", "build, nothing changed"),
    _command("`rostrum build` after 450 verdicts", "10 s", "build after them"),
    _command("`rostrum build --full`", "35 s", "build of everything", "statements_alone_s"),
    Budget(
        "a judgement handed in on the page, until published",
        "20 s",
        "handed_in",
        "seconds",
        "s",
        "limit_s_file_at_rest",
        "instead_s_import",
    ),
    _command("`make demo`, installed, without its servers", "45 s", "demo"),
    _command("`rostrum sql`", "0.4 s", "sql"),
    _command("`rostrum status`", "0.4 s", "status"),
    _command("`rostrum judges`", "0.4 s", "judges", "python_s"),
    _command("`rostrum --help`", "0.4 s", "help", "python_s"),
    Budget(
        "from page to page in the browser (p95)",
        "0.7 s",
        "dashboard_pages",
        "one_reader/warm/p95_s",
        "s",
        "limit/one_reader/warm/p95_s",
    ),
    Budget(
        "Streamlit's memory after 500 page views by 10 readers",
        "700 MB",
        "dashboard_pages",
        "many_readers/server_mb_after_visits/500",
        "MB",
        "limit/server_mb_at_first",
    ),
    Budget(
        "200,000 answers from a journal into raw",
        "4 s",
        "engine_loading",
        "journal/seconds",
        "s",
        "journal/limit_s_json_alone",
        "journal/instead_s_duckdb_read_json",
    ),
    Budget(
        "… and the memory of it",
        "500 MB",
        "engine_loading",
        "journal/peak_mb",
        "MB",
        "journal/peak_mb_before",
    ),
    Budget(
        "200,000 answered requests found answered",
        "3 s",
        "engine_resume",
        "seconds",
        "s",
        "limit_s",
        "instead_s_ids_alone",
    ),
    Budget(
        "10 million verdicts through the build",
        "45 s",
        "bias",
        "sizes/1/wall_s",
        "s",
        "sizes/1/limit_s",
        "usual_extrapolated_s",
    ),
    Budget(
        "a million oversight probabilities through the build",
        "40 s",
        "oversight_calibration",
        "wall_s",
        "s",
        "limit_s",
        "usual_extrapolated_s",
    ),
    Budget(
        "warm script of the Bias lab over ten million verdicts (p95)",
        "0.3 s",
        "dashboard_scripts",
        "pages/bias_lab/warm_p95_s",
        "s",
        "pages/(empty)/warm_p95_s",
    ),
)


def _found(result: Any, place: str) -> Any:
    for key in place.split("/"):
        result = result[int(key)] if isinstance(result, list) else result.get(key)
        if result is None:
            return None
    return result


def newest(benchmark: str, figure: str) -> dict[str, Any] | None:
    """Return the result of a benchmark that measured a figure last; None where none has."""
    results = [json.loads(path.read_text()) for path in RESULTS.glob(f"{benchmark}-*.json")]
    found = [each for each in results if _found(each, figure) is not None]
    return max(found, key=lambda each: str(each["at"]), default=None)


def _shown(result: Any, place: str) -> str:
    found = _found(result, place) if place else None
    if found is None:
        return "–"
    if found >= 10:
        return f"{found:,.0f}"
    return f"{found:.2f}".rstrip("0").rstrip(".") if found >= 0.01 else f"{found:.1g}"


def table() -> str:
    """Return the budgets and what was last measured, as a table in Markdown."""
    lines = ["| what | goal | measured | limit | instead | on |", "|---|---|---|---|---|---|"]
    for each in BUDGETS:
        result = newest(each.benchmark, each.figure)
        if result is None:
            lines.append(f"| {each.what} | {each.goal} | not measured | – | – | – |")
            continue
        measured = f"{_shown(result, each.figure)} {each.unit}"
        load = f", load {result['load_average']}" if "load_average" in result else ""
        rest = (_shown(result, each.limit), _shown(result, each.instead), result["at"][:10] + load)
        lines.append(f"| {each.what} | {each.goal} | {measured} | {' | '.join(rest)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
