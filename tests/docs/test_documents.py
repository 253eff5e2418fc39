"""What the documents name exists: commands, options, make targets, models, files, headings."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
import typer
import yaml
from typer.exceptions import TyperException

from inference.experiments import load_experiment
from inference.registry import load_judges
from orchestration.cli import app
from orchestration.registry import ensembles_of
from tests.docs.documents import Page, pages, project_files, rostrum_arguments
from warehouse.audit import DBT_PROJECT
from warehouse.home import PROJECT_ROOT, Home
from warehouse.reader import connect, current_version

ROOT_COMMAND: Any = typer.main.get_command(app)
PAGES = pages()
EVERY_PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
# Of dbt and of other programs the pages show.
OTHER_OPTIONS = {"--help"}


def command_of(words: list[str]) -> tuple[Any, list[str]]:
    command, rest = ROOT_COMMAND, list(words)
    while rest and not rest[0].startswith("-") and getattr(command, "commands", None):
        name = rest.pop(0)
        assert name in command.commands, f"there is no command 'rostrum {name}'"
        command = command.commands[name]
    return command, rest


def options_of(command: Any) -> set[str]:
    names = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
    return {name for name in names if name.startswith("--")} | {"--help"}


def every_option(command: Any) -> set[str]:
    found = options_of(command)
    for inner in getattr(command, "commands", {}).values():
        found |= every_option(inner)
    return found


@EVERY_PAGE
def test_a_command_in_a_block_would_be_accepted_as_it_stands(page: Page) -> None:
    for words in page.shell():
        arguments = rostrum_arguments(words)
        if arguments is not None:
            accept(arguments)


def accept(arguments: list[str]) -> None:
    """Parse a command line as `rostrum` would, and run nothing."""
    command, rest = command_of(arguments)
    command.make_context("rostrum", list(rest))


@pytest.mark.parametrize(
    "line", ["build --fast", "run speech-score", "sql", "serve --dashboard-port x", "explode"]
)
def test_a_wrong_command_line_is_not_accepted(line: str) -> None:
    with pytest.raises((AssertionError, TyperException)):
        accept(line.split())


@EVERY_PAGE
def test_a_command_in_a_sentence_exists_with_its_options(page: Page) -> None:
    for span in page.spans():
        words = span.split()
        arguments = rostrum_arguments(words)
        if arguments is None or len(words) == 1:
            continue
        command, rest = command_of([word for word in arguments if word != "…"])
        for word in rest:
            if word.startswith("--"):
                assert word.partition("=")[0] in options_of(command), span


@EVERY_PAGE
def test_an_option_in_a_sentence_exists(page: Page) -> None:
    named = {span.split()[0] for span in page.spans() if re.match(r"--[a-z]", span)}
    assert named <= every_option(ROOT_COMMAND) | OTHER_OPTIONS


@EVERY_PAGE
def test_a_make_target_exists(page: Page) -> None:
    makefile = (PROJECT_ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    lines = [*page.shell(), *(span.split() for span in page.spans())]
    # `rostrum anchor make` makes no target.
    named = {
        second
        for words in lines
        for before, first, second in zip(["", *words], words, words[1:], strict=False)
        if first == "make" and before != "anchor"
    }
    assert {name for name in named if "=" not in name} <= targets


@EVERY_PAGE
def test_a_relative_link_leads_to_a_file_and_a_heading_that_exist(page: Page) -> None:
    broken = []
    for link in page.links():
        if re.match(r"[a-z]+:", link):
            continue
        place, _, heading = link.partition("#")
        target = (page.path.parent / place) if place else page.path
        if not target.exists() or (heading and heading not in Page(target).anchors()):
            broken.append(link)
    assert broken == []


@EVERY_PAGE
def test_a_file_of_the_project_named_in_a_sentence_exists(page: Page) -> None:
    named = {span for span in page.spans() if re.fullmatch(r"[\w./-]+\.(py|sql|sh|yml)", span)}
    # A folder's README may leave the folder out.
    top = PROJECT_ROOT if page.path.parent.name == "docs" else page.path.parent
    known = [path.as_posix() for path in project_files() if path.is_relative_to(top)]
    known += [str(PROJECT_ROOT / span) for span in named if (PROJECT_ROOT / span).exists()]
    missing = [span for span in named if not any(path.endswith(f"/{span}") for path in known)]
    assert missing == []


@EVERY_PAGE
def test_a_model_named_in_a_sentence_exists(page: Page) -> None:
    models = {path.stem for path in (DBT_PROJECT / "models").rglob("*.sql")}
    named = set(re.findall(r"\b(?:dim|fct|rpt|int|stg_raw_)_[a-z_]*[a-z]\b", page.text))
    # docs/extending.md adds one, in a block that begins with its file.
    added = set(re.findall(r"^-- \S+/(\w+)\.sql$", page.text, re.MULTILINE))
    assert named <= models | added


@pytest.fixture(scope="module")
def marts(built_demo: Home) -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(current_version(built_demo)) as connection:
        yield connection


@EVERY_PAGE
def test_a_query_in_a_document_runs(page: Page, marts: duckdb.DuckDBPyConnection) -> None:
    spans = [re.findall(r'^rostrum sql "(.+)"$', span) for span in page.spans()]
    shell = [rostrum_arguments(words) or [] for words in page.shell()]
    queries = [query for found in spans for query in found]
    queries += [words[1] for words in shell if words[:1] == ["sql"]]
    for query in queries:
        marts.execute(query)


def test_the_readme_says_how_to_begin() -> None:
    readme = Page(PROJECT_ROOT / "README.md").text
    for needed in ("make demo", "make test", "rostrum sql", "docs/"):
        assert needed in readme
    # What does not fit is said in docs/tour.md.
    assert len(readme.splitlines()) <= 110


EXAMPLES = "clarity winners pressure answers scores likelihoods rulings debates judgements speeches"


def test_the_examples_of_files_can_be_loaded(tmp_path: Path) -> None:
    home = Home(tmp_path).ensure()
    page = Page(PROJECT_ROOT / "docs" / "experiments.md")
    # A table of any experiment whose answers are given documents, and no file on its own.
    (retrieval,) = [text for text in page.fences("toml") if text.startswith("[retrieval]")]
    *experiments, judges, ensembles = [text for text in page.fences("toml") if text != retrieval]
    texts = dict(zip(EXAMPLES.split(), experiments, strict=True))
    texts["retrieved"] = f"{texts['answers']}\n{retrieval}"
    for ours, theirs in (
        ('"my-answers"', '"my-retrieved"'),
        ('["none"]', '["vanilla"]'),
        (', "qa_detailed"', ""),
    ):
        assert ours in texts["answers"]
        texts["retrieved"] = texts["retrieved"].replace(ours, theirs)
    for name, text in texts.items():
        (home.experiments / f"my_{name}.toml").write_text(text, encoding="utf-8")
    found = {name: load_experiment(f"my-{name}", [home.experiments]) for name in texts}
    # Judgements: two protocols in two orders, with no probe or one for either side, at three steps.
    arms = {"winners": 9, "answers": 8, "likelihoods": 2, "rulings": 12, "debates": 2}
    for name, count in (arms | {"judgements": 2 * 2 * 3 * 3}).items():
        assert len(found[name].arms) == count, name
    retrieved = found["retrieved"].options.retrieval
    assert retrieved is not None
    assert (retrieved.retriever, retrieved.search) == ("web", "http://127.0.0.1:8080/search")
    assert found["scores"].options.scale == (0, 1)
    assert found["speeches"].options.word_limit == 300
    clarity = found["clarity"]
    asked = (
        clarity.repeats,
        clarity.seed,
        clarity.decoding.temperature,
        clarity.decoding.max_tokens,
    )
    assert asked == (3, 7, 0.7, 1024)
    home.judges_file.write_text(judges, encoding="utf-8")
    home.ensembles_file.write_text(ensembles, encoding="utf-8")
    named = {judge.judge_id for judge in load_judges(home.judges_file, {})}
    assert len(named) == 2
    assert {member for members in ensembles_of(home).values() for member in members} <= named


def test_the_same_version_is_named_everywhere() -> None:
    project = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    citation = yaml.safe_load((PROJECT_ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    newest = re.search(r"^## (\S+)", (PROJECT_ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert project["project"]["version"] == citation["version"] == newest[1]
    assert project["project"]["license"] == citation["license"] == "Apache-2.0"
    assert "Apache License" in (PROJECT_ROOT / "LICENSE").read_text(encoding="utf-8")
