"""A curated folder comes in as one act: its funnel, what fell, what people said, its questions."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from inference.questions.curation.pipeline import STEPS as CURATION_STEPS
from ingestion.errors import IngestionError, SourceUnreadable, UnknownSource
from ingestion.ingest import ingest
from ingestion.questions.curation.batch import TABLES
from ingestion.raw_tables import LoadReport
from tests.inference.curation.curation_fixtures import (
    Model,
    annotate,
    replies,
    run,
    working_folder,
)
from tests.ingestion.ingestion_files import pointer, query, unchanged, write_jsonl
from tests.ingestion.question_files import question
from warehouse.home import Home
from warehouse.records.questions import STEPS

MINE = {"dataset": "mine"}


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that waits for people."""
    folder = working_folder(tmp_path_factory.mktemp("curated") / "work")
    run(folder, Model(replies))
    return folder


@pytest.fixture(scope="module")
def curated(waiting: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same folder once people have removed one point of view."""
    folder = tmp_path_factory.mktemp("annotated") / "work"
    shutil.copytree(waiting, folder)
    annotate(folder, faults=["a:cars/p1"])
    run(folder, Model(replies))
    return folder


@pytest.fixture
def folder(curated: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    return shutil.copytree(curated, tmp_path / "work")


def load(home: Home, folder: Path, **settings: str) -> LoadReport:
    return ingest(home, "curated", folder, settings=MINE | settings)


def test_the_steps_are_those_of_curation() -> None:
    assert STEPS == CURATION_STEPS


def test_questions_documents_and_the_whole_curation_come_in_at_once(
    home: Home, curated: Path
) -> None:
    report = load(home, curated)
    assert report.quarantined == 0
    assert query(home, "select count(*) from raw.loads") == [(1,)]
    assert query(
        home, "select question_id, count(*) from raw.partial_answers group by all order by all"
    ) == [("mine:a:cars", 3), ("mine:a:homework", 4), ("mine:a:zoos", 4)]
    # The one that was removed leaves a gap: people's answers are known by the same id.
    assert query(
        home,
        "select partial_answer_id, position, extra from raw.partial_answers "
        "where question_id = 'mine:a:cars' order by all",
    ) == [(f"mine:a:cars/p{place}", place, None) for place in (2, 3, 4)]
    assert query(
        home,
        "select count(*), count(*) filter (document_ids is null) from raw.partial_answers "
        "where json_extract_string(document_ids, '$[0]') not in "
        "(select document_id from raw.documents)",
    ) == [(0, 0)]
    assert query(
        home,
        "select step, unit, rule_order, rule, effect, n_before, n_affected "
        "from raw.curation_rules where step in ('merge', 'deduplicate', 'annotation') "
        "order by step_order, rule_order",
    ) == [
        ("merge", "question", 1, "blank_question", "removes", 6, 1),
        ("deduplicate", "question", 1, "near_duplicate", "removes", 5, 1),
        ("deduplicate", "question", 2, "pairs_over_threshold", "notes", None, 1),
        ("annotation", "partial_answer", 1, "not_grounded", "removes", 12, 1),
        ("annotation", "partial_answer", 2, "not_addressing", "removes", 11, 0),
        ("annotation", "partial_answer", 3, "unethical", "removes", 11, 0),
        ("annotation", "partial_answer", 4, "faulty_in_some_way", "removes", 11, 0),
    ]
    fell = query(
        home,
        "select rule, item_id, text, because_of from raw.curation_removals "
        "where unit <> 'document' order by all",
    )
    assert ("near_duplicate", "mine:b:2", "should towns ban cars", "mine:a:cars") in fell
    assert ("not_grounded", "mine:a:cars/p1", "Cars side 1.", None) in fell
    assert [row[0] for row in query(home, "select distinct is_done from raw.curation_steps")] == [
        True
    ]
    assert query(home, "select distinct embedder, model, reranker from raw.curation_steps") == [
        ("tfidf", "rule", "cosine")
    ]
    assert query(
        home,
        "select task, count(*), count(distinct text_hash), sum((not is_met)::int) "
        "from raw.curation_annotations group by all order by all",
    ) == [("addressing", 36, 12, 2), ("ethical", 36, 12, 2), ("grounded", 36, 12, 2)]
    # Chunks are of documents as the warehouse knows them.
    assert query(
        home,
        "select count(*), count(*) filter (document_id in (select document_id from raw.documents)) "
        "from raw.curation_chunks",
    ) == [(12, 12)]
    assert query(home, "select count(*) from raw.curation_pairs") == [(18,)]
    assert "questions" in pointer(home, "mine")


def test_the_same_folder_changes_nothing_the_second_time(home: Home, curated: Path) -> None:
    load(home, curated)
    with unchanged(home):
        report = load(home, curated)
        assert (report.load_id, report.new, report.updated) == (None, 0, 0)


def test_a_folder_that_waits_brings_its_funnel_and_people_bring_the_rest(
    home: Home, waiting: Path, curated: Path
) -> None:
    report = load(home, waiting)
    assert "'annotation' is not done" in report.notes[0]
    assert query(home, "select count(*) from raw.questions") == [(0,)]
    assert query(home, "select step from raw.curation_steps where not is_done") == [("annotation",)]
    load(home, curated)
    assert query(home, "select count(*) from raw.questions") == [(3,)]
    assert query(home, "select count(*) from raw.curation_steps where not is_done") == [(0,)]
    # Curated anew and waiting again: the questions of before stay until there are others.
    load(home, waiting)
    assert query(home, "select count(*) from raw.questions") == [(3,)]
    assert query(home, "select count(*) from raw.curation_annotations") == [(0,)]


def test_what_a_folder_curated_anew_has_removed_goes(home: Home, folder: Path) -> None:
    load(home, folder)
    fewer = {"id": "cars", "question": "Should towns ban cars?"}
    (folder / "questions" / "a.jsonl").write_text(json.dumps(fewer))
    (folder / "questions" / "b.csv").unlink()
    for path in (folder / "annotations").iterdir():
        path.unlink()
    run(folder, Model(replies))
    annotate(folder)
    run(folder, Model(replies))
    load(home, folder)
    assert query(home, "select distinct question_id from raw.questions") == [("mine:a:cars",)]
    assert query(home, "select count(*) from raw.partial_answers") == [(4,)]
    assert query(home, "select count(*) from raw.documents") == [(4,)]
    for table in ("curation_chunks", "curation_pairs", "curation_annotations"):
        assert query(home, f"select distinct question_id from raw.{table}") == [("mine:a:cars",)]


def test_two_curated_sets_live_side_by_side(home: Home, curated: Path) -> None:
    load(home, curated)
    load(home, curated, dataset="other")
    for table in TABLES:
        counts = query(home, f"select count(*) from raw.{table} group by dataset_id")
        assert len(counts) == 2
        assert len(set(counts)) == 1


def replaced(name: str, old: str, new: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        path = folder / name
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    return spoil


def cut(name: str, at: Callable[[str], int]) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        text = (folder / name).read_text()
        (folder / name).write_text(text[: at(text)])

    return spoil


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


END = '{"kind": "end"}\n'
MERGE, QUESTIONS = "steps/merge.jsonl", "data/questions.jsonl"
FORM = r"merge.jsonl, line \d+: is not of the form it should have"
DAMAGE: list[tuple[Callable[[Path], None], str]] = [
    (lambda folder: shutil.rmtree(folder / "steps"), "holds no step of curation"),
    (remove("steps/queries.jsonl"), "not steps/queries.jsonl, which comes before"),
    (
        cut("steps/documents.jsonl", lambda text: len(text) // 2),
        r"documents.jsonl, line \d+: is no JSON",
    ),
    (replaced("steps/documents.jsonl", END, ""), "should be the end, so the file is cut off"),
    (cut(MERGE, lambda _: 0), "merge.jsonl, line 1: is missing"),
    (replaced(MERGE, '"step": "merge"', '"step": "x"'), "should begin the step 'merge'"),
    (replaced(MERGE, 'schema_version": 1', 'schema_version": 9'), "should have schema_version 1"),
    (replaced(MERGE, '"n_removed": 1', '"n_removed": 2'), "counts 2 removed, and the file lists 1"),
    (replaced(MERGE, '"rule": "blank_question"', '"rule": []'), FORM),
    (replaced(MERGE, '"n_before": 6', '"n_before": -6'), "field 'n_before': should be greater"),
    (replaced("steps/examination.jsonl", '"chunk_rank": 1,', ""), "an unknown, 'chunk_rank'"),
    (replaced("steps/annotation.jsonl", "a:zoos/p1", "a:zoos/p9"), "an unknown, 'a:zoos/p9'"),
    (remove(QUESTIONS), "questions.jsonl does not exist"),
    (cut(QUESTIONS, lambda text: text.index("\n") + 1), "has other partial answers than"),
    (replaced(QUESTIONS, '"documents"', '"docs"'), "lacks its id or its documents"),
    (replaced("data/documents.jsonl", '"text"', '"txt"'), "line 1: has no, or an unknown, 'text'"),
]


def test_a_damaged_folder_says_where_and_loses_nothing(
    home: Home, curated: Path, tmp_path: Path
) -> None:
    load(home, curated)
    with unchanged(home):
        for number, (spoilt, says) in enumerate(DAMAGE):
            folder = shutil.copytree(curated, tmp_path / str(number))
            spoilt(folder)
            with pytest.raises(SourceUnreadable, match=says) as error:
                load(home, folder)
            assert "curate" in str(error.value) or "check the path" in str(error.value)


@pytest.mark.parametrize("dataset", ["", "My Set"])
def test_the_data_set_has_to_be_named(home: Home, curated: Path, dataset: str) -> None:
    with pytest.raises(UnknownSource, match="dataset"):
        ingest(home, "curated", curated, settings={"dataset": dataset})


def test_a_data_set_from_elsewhere_is_never_replaced(
    home: Home, curated: Path, tmp_path: Path
) -> None:
    ingest(home, "debateqa", write_jsonl(tmp_path / "test.jsonl", [question(1)]), settings=MINE)
    foreign = "'mine' is a data set from elsewhere, and stays"
    with unchanged(home), pytest.raises(IngestionError, match=foreign):
        load(home, curated)


def test_an_empty_folder_is_none_of_curation(home: Home, tmp_path: Path) -> None:
    with pytest.raises(SourceUnreadable, match=r"steps/merge.jsonl is the first"):
        load(home, tmp_path)
