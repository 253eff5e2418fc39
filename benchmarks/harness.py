"""The harness: finds the questions, runs them, compares them with their budgets, writes results.

A question is a module here with a function `measure`; its options are that function's parameters,
and its docstring begins with the question. It may have

- `BUDGETS`: what its figures may be;
- `NEEDS`: what it takes that not everybody has. Such a question runs only if it is named.
"""

import argparse
import ast
import inspect
import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from types import ModuleType, UnionType
from typing import Any, NamedTuple, get_args, get_type_hints

FOLDER = Path(__file__).parent
RESULTS, README = FOLDER / "results", FOLDER / "README.md"
# A key of what `measure` returns: it distinguishes this result from others of the same day.
VARIANT = "variant"
_HEAD = ("what", "goal", "measured", "limit", "instead", "on")


class Budget(NamedTuple):
    """A figure and what it may be.

    Attributes:
        what: What is measured.
        goal: The most that the figure may be, in its unit.
        figure: Where the figure lies in the result, keys joined by `/`.
        unit: `s CPU` (processor time), `s` (on the clock) or another.
        limit: Where the lower bound lies that the machine sets.
        instead: Where the figure lies of what a user would otherwise run.
    """

    what: str
    goal: float
    figure: str
    unit: str = "s CPU"
    limit: str = ""
    instead: str = ""


def questions() -> dict[str, ast.Module]:
    """Return the source of each question by its name; nothing is imported."""
    sources = {path.stem: ast.parse(path.read_text()) for path in sorted(FOLDER.glob("*.py"))}
    return {name: source for name, source in sources.items() if "measure" in _defined(source)}


def _defined(source: ast.Module) -> set[str]:
    """Return the names of a module's functions and constants."""
    functions = {each.name for each in source.body if isinstance(each, ast.FunctionDef)}
    constants = {
        target.id
        for each in source.body
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    return functions | constants


def question_named(name: str) -> ModuleType:
    """Import a question."""
    return import_module(f"benchmarks.{name}")


def write_result(benchmark: str, found: Mapping[str, Any]) -> Path:
    """Print a result, write it to `results/`, and return the file.

    Args:
        benchmark: The question's name.
        found: What was measured.
    """
    at = datetime.now(UTC).isoformat(timespec="seconds")
    result = {
        "benchmark": benchmark,
        "at": at,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}",
        "load_average": round(os.getloadavg()[0], 1),
        **{name: value for name, value in found.items() if name != VARIANT},
    }
    text = json.dumps(result, indent=1)
    print(text)
    RESULTS.mkdir(exist_ok=True)
    name = "-".join(filter(None, (benchmark, at[:10], found.get(VARIANT))))
    path = RESULTS / f"{name}.json"
    path.write_text(text + "\n")
    return path


def figure_at(result: Any, place: str) -> Any:
    """Return what lies at a place of a result; None where nothing does."""
    for key in place.split("/"):
        if isinstance(result, list):
            result = dict(enumerate(result)).get(int(key))
        else:
            result = result.get(key)
        if result is None:
            return None
    return result


def over_budget(question: ModuleType, result: Mapping[str, Any]) -> list[str]:
    """Return the figures of a result that are above their goals, as sentences."""
    return [
        f"{each.what}: {found:g} {each.unit}, the goal is {each.goal:g}"
        for each in getattr(question, "BUDGETS", ())
        if (found := figure_at(result, each.figure)) is not None and found > each.goal
    ]


def newest(benchmark: str, figure: str) -> dict[str, Any] | None:
    """Return the newest result of a question that has a figure; None where none has."""
    results = [json.loads(path.read_text()) for path in RESULTS.glob(f"{benchmark}-*.json")]
    found = [each for each in results if figure_at(each, figure) is not None]
    return max(found, key=lambda each: str(each["at"]), default=None)


def table() -> str:
    """Return the budgets and the newest results as a table in Markdown."""
    lines = [f"| {' | '.join(_HEAD)} |", "|---" * len(_HEAD) + "|"]
    for name, source in questions().items():
        for each in question_named(name).BUDGETS if "BUDGETS" in _defined(source) else ():
            goal = f"{each.goal:g} {each.unit.split()[0]}"
            result = newest(name, each.figure)
            if result is None:
                lines.append(f"| {each.what} | {goal} | not measured | – | – | – |")
                continue
            load = f", load {result['load_average']}" if "load_average" in result else ""
            cells = (
                f"{_shown(result, each.figure)} {each.unit}",
                _shown(result, each.limit),
                _shown(result, each.instead),
                result["at"][:10] + load,
            )
            lines.append(f"| {each.what} | {goal} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _shown(result: Any, place: str) -> str:
    found = figure_at(result, place) if place else None
    if found is None:
        return "–"
    if found >= 10:
        return f"{found:,.0f}"
    return f"{found:.2f}".rstrip("0").rstrip(".") if found >= 0.01 else f"{found:.1g}"


def options_of(question: ModuleType, arguments: list[str]) -> dict[str, Any]:
    """Return the options of a question that a command line gives."""
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks {question.__name__.rpartition('.')[2]}",
        description=question.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    hints = get_type_hints(question.measure)
    for name, each in inspect.signature(question.measure).parameters.items():
        kind = hints[name]
        if isinstance(kind, UnionType):
            kind = next(one for one in get_args(kind) if one is not type(None))
        flag, default = f"--{name.replace('_', '-')}", each.default
        if kind is bool:
            parser.add_argument(flag, action="store_true")
        elif isinstance(default, tuple):
            parser.add_argument(flag, type=type(default[0]), nargs="+", default=default)
        else:
            parser.add_argument(flag, type=kind, default=default, help=f"default: {default}")
    return vars(parser.parse_args(arguments))


def main(arguments: list[str]) -> int:
    """Run questions, and return 1 where a figure is over its budget.

    Args:
        arguments: Nothing for all questions that anybody can measure; one question and its
            options; `--list`; or `--table`, which writes the table of the README.
    """
    known = questions()
    if arguments == ["--list"]:
        for name, source in known.items():
            alone = " (only if named)" if "NEEDS" in _defined(source) else ""
            print(f"{name}: {(ast.get_docstring(source) or '').splitlines()[0]}{alone}")
        return 0
    if arguments == ["--table"]:
        text = README.read_text(encoding="utf-8")
        start, _, rest = text.partition("<!-- budgets -->\n")
        end = rest.partition("\n<!-- end of budgets -->")[2]
        new = f"{start}<!-- budgets -->\n{table()}\n<!-- end of budgets -->{end}"
        README.write_text(new, encoding="utf-8")
        return 0
    if arguments and arguments[0] not in known:
        print(f"benchmarks: no question named '{arguments[0]}'; see python -m benchmarks --list")
        return 2
    if not arguments:
        # A process each: the most memory that a process has taken is passed on to its children.
        usual = [name for name, source in known.items() if "NEEDS" not in _defined(source)]
        codes = [subprocess.call([sys.executable, "-m", "benchmarks", name]) for name in usual]
        return max(codes)
    question = question_named(arguments[0])
    found = question.measure(**options_of(question, arguments[1:]))
    write_result(arguments[0], found)
    over = over_budget(question, found)
    for line in over:
        print(f"over budget: {line}")
    return 1 if over else 0
