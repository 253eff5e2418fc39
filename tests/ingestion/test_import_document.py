"""The examples of docs/import.md work as they stand."""

import itertools
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ingestion.formats import FORMATS
from ingestion.formats.own import OWN
from ingestion.imports import import_file
from ingestion.ingest import check_study, ingest
from ingestion.raw_tables import LoadReport
from ingestion.registry import sources
from ingestion.speeches.readers.study import ITEM_COLUMNS, RATING_COLUMNS, Study
from orchestration.cli import app
from tests.ingestion.answer_files import debate
from tests.ingestion.debate_files import ddo_debate, ddo_file
from tests.ingestion.ingestion_files import query, write_jsonl
from tests.ingestion.parliamentary_rows import add_debates
from tests.ingestion.transcript_rows import add_transcript
from warehouse.home import PROJECT_ROOT, Home

TEXT = (PROJECT_ROOT / "docs" / "import.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    return [block for found, block in fenced if found == language]


def _import(
    home: Home, path: Path, block: int, format_name: str, language: str = "json", **options: Any
) -> LoadReport:
    """Import an example that a format reads to its end."""
    path.write_text(_blocks(language)[block], encoding="utf-8")
    report = import_file(home, path, **options)
    assert (list(report.notes), report.quarantined) == ([f"read as {format_name}"], 0)
    return report


@pytest.mark.parametrize(("language", "name"), [("json", "a.jsonl"), ("csv", "a.csv")])
def test_the_example_score_files_import_without_a_reject(
    sampled: Home, tmp_path: Path, language: str, name: str
) -> None:
    _import(sampled, tmp_path / name, 0, "scores", language)
    assert query(
        sampled, "select item_id, template, value, parse_status from raw.scores order by 1"
    ) == [
        ("sample:free-buses-expert", "imported", 4.0, "supplied"),
        ("sample:free-buses-list", "speech_score", 2.0, "parsed"),
    ]


@pytest.mark.parametrize(
    ("block", "format_name", "found"),
    [
        (1, "verdicts", [("con", None), ("pro", None)]),
        (2, "judgebench", [("pro", None)]),
        (3, "fastchat", [("pro", None), ("tie", None)]),
        # exp(-0.4) / (exp(-0.4) + exp(-1.6)) = 1 / (1 + exp(-1.2))
        (4, "lm-eval", [("pro", 0.768525)]),
    ],
)
def test_the_example_verdicts_of_each_format_import_without_a_reject(
    home: Home, tmp_path: Path, block: int, format_name: str, found: list[tuple[str, float]]
) -> None:
    ingest(home, "judgebench", write_jsonl(tmp_path / "d.jsonl", [debate(0, id="d1")]))
    judge = "local/tiny" if format_name == "lm-eval" else None
    _import(home, tmp_path / "a.jsonl", block, format_name, judge=judge)
    assert query(home, "select winner, round(p_pro, 6) from raw.verdicts order by 1") == found


def test_the_example_inspect_log_imports_without_a_reject(sampled: Home, tmp_path: Path) -> None:
    _import(sampled, tmp_path / "log.json", 5, "inspect")
    assert query(sampled, "select item_id, value from raw.scores") == [
        ("sample:free-buses-expert", 4.0)
    ]


@pytest.fixture
def answered(sampled: Home, tmp_path: Path) -> Home:
    """The sample, and the answers of the document's example."""
    _import(sampled, tmp_path / "a.jsonl", 6, "answers")
    return sampled


def test_the_example_answers_import_without_a_reject(answered: Home, tmp_path: Path) -> None:
    assert query(
        answered,
        "select question_id, word_count, template, retrieval, is_trusted_only "
        "from raw.answers where template <> 'written' order by 1",
    ) == [
        ("sample-questions:1", 11, "qa_basic", "none", None),
        ("sample-questions:2", 0, "imported", "vanilla", True),
    ]
    said = {"judge": "openai/gpt-4.1", "dataset": "sample-questions", "template": "qa_basic"}
    _import(answered, tmp_path / "released.jsonl", 7, "debateqa", **said)


@pytest.mark.parametrize(
    ("block", "found", "table"),
    [(8, "preferences", "preferences"), (9, "dispute-labels", "human_ratings")],
)
def test_the_examples_of_what_people_say_import_without_a_reject(
    answered: Home, tmp_path: Path, block: int, found: str, table: str
) -> None:
    said = {"judge": "openai/gpt-4.1", "dataset": "sample-questions"}
    _import(answered, tmp_path / "released.jsonl", 7, "debateqa", **said)
    report = _import(answered, tmp_path / "people.jsonl", block, found)
    assert report.tables[table].new == 1


def test_the_example_verdicts_of_people_import_without_a_reject(home: Home, tmp_path: Path) -> None:
    ingest(home, "ddo", ddo_file(tmp_path, {"some-debate": ddo_debate()}))
    _import(home, tmp_path / "people.jsonl", 10, "human-verdicts")
    assert query(home, "select judge_id, choice from raw.human_verdicts") == [
        ("ddo:rater-anna", "con")
    ]


def test_the_example_rulings_import_without_a_reject(home: Home, tmp_path: Path) -> None:
    add_debates(home, "debatebench:d1")
    _import(home, tmp_path / "rulings.jsonl", 11, "rulings")
    assert query(
        home, "select task, parse_status, parse_reason from raw.adjudications order by all"
    ) == [
        ("house_ranks", "supplied", None),
        ("house_ranks", "unparsed", "house_twice"),
        ("speaker_scores", "supplied", None),
    ]


def test_the_example_judgements_import_without_a_reject(sampled: Home, tmp_path: Path) -> None:
    question = "sample-stories:lighthouse-keys"
    add_transcript(sampled, f"{question}@3f9c0e", question)
    _import(sampled, tmp_path / "judgements.jsonl", 12, "oversight")
    assert query(
        sampled,
        "select protocol, p_answer_0, choice, is_final, parse_status "
        "from raw.oversight_judgements order by all",
    ) == [
        ("debate", 0.1, None, False, "parsed"),
        ("debate", 0.35, None, True, "supplied"),
        ("naive", None, 1, True, "supplied"),
    ]


def test_every_format_is_listed() -> None:
    cells = re.findall(
        r"^\| `([a-z-]+)` \|[^|]*\| (?:scores|verdicts|rulings|judgements|answers|preferences|ratings)",
        TEXT,
        re.MULTILINE,
    )
    assert tuple(cells) == FORMATS


def test_every_option_of_the_command_is_one_the_command_has() -> None:
    runner = CliRunner()
    said = runner.invoke(app, ["import", "--help"]).output
    for option in {*re.findall(r"(?<![-\w])--[a-z][a-z-]+", TEXT[: TEXT.index("## A study")])} - {
        "--from"
    }:
        assert option in said


def test_the_example_study_passes_its_check(tmp_path: Path) -> None:
    _, items, ratings = _blocks("csv")
    (tmp_path / "items.csv").write_text(items, encoding="utf-8")
    (tmp_path / "ratings.csv").write_text(ratings, encoding="utf-8")
    (command,) = [block for block in _blocks("") if "ingest study" in block and "--items" in block]
    words = shlex.split(command.replace("\\\n", ""))
    columns = dict(
        word.split("=") for before, word in itertools.pairwise(words) if before == "--column"
    )
    files = tmp_path / "items.csv", tmp_path / "ratings.csv"
    report = check_study(Study("my-essays", *files, "How good is this essay?", 1, 5, columns))
    assert (report.items, report.ratings, report.rejects) == (2, 3, ())


def test_every_column_is_explained() -> None:
    first_cells = " ".join(re.findall(r"^\| (`[^|]*) \|", TEXT, re.MULTILINE))
    named = set(re.findall(r"`([a-z_0-9]+)`", first_cells))
    expected = {
        *ITEM_COLUMNS,
        *RATING_COLUMNS,
        *(column for own in OWN.values() for column in own.columns),
    }
    assert expected <= named
    others = "scores verdicts rulings oversight answers preferences inspect fastchat model_source"
    assert named - expected - set(sources()) == {*others.split(), "model_name"}
