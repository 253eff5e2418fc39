"""DebateQA's questions: every record is loaded, or quarantined with its reason."""

import gzip
from pathlib import Path

import pytest

from ingestion.batch import Counts
from ingestion.errors import SourceUnreadable, TooManyRejected, UnknownSource
from ingestion.ingest import ingest
from tests.ingestion.conftest import NewHome
from tests.ingestion.ingestion_files import (
    check_kept,
    check_rejects,
    one,
    query,
    row_of,
    unchanged,
    write_jsonl,
)
from tests.ingestion.question_files import (
    load,
    perspective,
    question,
    questions,
    release,
    released,
    sha256,
    zipped,
)
from warehouse.home import Home


def test_a_question_becomes_a_row_and_each_perspective_another(home: Home, tmp_path: Path) -> None:
    report = load(home, tmp_path, [question(7, origin="village hall", domain="water", note="x")])
    assert report.tables == {
        "datasets": Counts(1),
        "questions": Counts(1),
        "partial_answers": Counts(3),
    }
    text = "Should village 7 keep its fountain?"
    row = row_of(home, "questions")
    expected = {"question_id": "debateqa:7", "dataset_id": "debateqa", "question": text}
    expected |= {"split": "test", "origin": "village hall", "domain": "water"}
    check_kept(row, expected | {"item_hash": sha256(text), "extra": '{"note": "x"}'})
    said = perspective(7, 2)
    row = row_of(home, "partial_answers", "position = 2")
    assert (row["partial_answer_id"], row["question_id"]) == ("debateqa:7/p2", "debateqa:7")
    assert {name: row[name] for name in said} == said
    assert row["text_hash"] == sha256("\n\n".join(said.values()))


SPLITS = [
    ("test.jsonl", {}, "test"),
    ("DEV.jsonl", {}, "dev"),
    ("dev_part2.jsonl", {}, "dev"),
    ("devil.jsonl", {}, None),
    ("mine.jsonl", {"split": "pilot"}, "pilot"),
    ("test.jsonl", {"split": "pilot"}, "pilot"),
]


def test_the_split_is_the_files_name_unless_the_user_says(home: Home, tmp_path: Path) -> None:
    for name, settings, split in SPLITS:
        load(home, tmp_path, questions(1), name, settings=settings)
        assert one(home, "select split from raw.questions") == split


def test_a_file_landed_before_under_another_name_has_the_split_of_its_own(
    home: Home, tmp_path: Path
) -> None:
    load(home, tmp_path, questions(1), "mine.jsonl")
    load(home, tmp_path, questions(1), "test.jsonl")
    assert one(home, "select split from raw.questions") == "test"


def test_file_folder_archive_and_gzip_say_the_same(new_home: NewHome, tmp_path: Path) -> None:
    folder = release(
        tmp_path / "repository",
        # What is no file of questions is passed over.
        {"dataset/test.jsonl": questions(3), "scripts/input_file_demo.jsonl": [released(1)]},
    )
    packed = tmp_path / "test.jsonl.gz"
    packed.write_bytes(gzip.compress((folder / "dataset" / "test.jsonl").read_bytes()))
    found = []
    for number, place in enumerate(
        (folder, folder / "dataset/test.jsonl", zipped(folder, tmp_path / "main.zip"), packed)
    ):
        home = new_home(tmp_path / f"home-{number}")
        ingest(home, "debateqa", place)
        found.append(
            [
                query(
                    home, f"from raw.{table} select * exclude (_source_file, _loaded_at) order by 1"
                )
                for table in ("questions", "partial_answers")
            ]
        )
    assert all(each == found[0] for each in found)
    assert len(found[0][0]) == 3


def test_both_splits_of_a_folder_are_one_data_set(home: Home, tmp_path: Path) -> None:
    folder = release(
        tmp_path, {"dataset/test.jsonl": questions(2), "dataset/dev.jsonl": [question(3)]}
    )
    ingest(home, "debateqa", folder)
    assert query(home, "select question_id, split from raw.questions order by 1") == [
        ("debateqa:1", "test"),
        ("debateqa:2", "test"),
        ("debateqa:3", "dev"),
    ]


def test_splits_that_count_each_for_itself_are_never_mixed(home: Home, tmp_path: Path) -> None:
    other = [question(1, question="Is tea a soup?"), question(2, question="Is rain useful?")]
    folder = release(tmp_path, {"test.jsonl": questions(2), "dev.jsonl": other})
    with pytest.raises(TooManyRejected, match="--dataset debateqa-test"):
        ingest(home, "debateqa", folder)
    ingest(home, "debateqa", folder / "test.jsonl")
    with pytest.raises(TooManyRejected, match=r"another question in split 'test'.*debateqa-dev"):
        ingest(home, "debateqa", folder / "dev.jsonl")
    ingest(home, "debateqa", folder / "dev.jsonl", settings={"dataset": "debateqa-dev"})
    assert query(
        home,
        "select question_id, question from raw.questions where question_id like '%1' order by 1",
    ) == [
        ("debateqa-dev:1", "Is tea a soup?"),
        ("debateqa:1", "Should village 1 keep its fountain?"),
    ]
    assert (home.items / "debateqa-dev" / "current.json").is_file()


def test_the_same_text_changes_nothing_and_another_is_an_update_with_a_new_hash(
    home: Home, tmp_path: Path
) -> None:
    load(home, tmp_path, questions(2))
    with unchanged(home):
        report = load(home, tmp_path, questions(2))
        assert (report.load_id, report.new, report.updated) == (None, 0, 0)
    before = dict(query(home, "select question_id, item_hash from raw.questions"))
    hashes = dict(query(home, "select partial_answer_id, text_hash from raw.partial_answers"))
    changed = question(1, question="Should it go?")
    changed["partial_answers"][0] = perspective(1, 1, explanation="Other reasons.")
    report = load(home, tmp_path, [changed, question(2)], "test2.jsonl")
    assert report.tables["questions"] == Counts(0, 1, 1)
    assert report.tables["partial_answers"] == Counts(0, 1, 5)
    after = dict(query(home, "select question_id, item_hash from raw.questions"))
    assert [name for name in before if before[name] != after[name]] == ["debateqa:1"]
    new = dict(query(home, "select partial_answer_id, text_hash from raw.partial_answers"))
    assert [name for name in hashes if hashes[name] != new[name]] == ["debateqa:1/p1"]


def test_a_perspective_that_is_gone_goes_and_questions_not_in_the_file_stay(
    home: Home, tmp_path: Path
) -> None:
    load(home, tmp_path, questions(2))
    fewer = question(1, partial_answers=[perspective(1, 1)])
    report = load(home, tmp_path, [fewer], "test2.jsonl")
    assert report.tables["partial_answers"] == Counts(0, 2, 1)
    assert query(
        home, "select question_id, count(*) from raw.partial_answers group by 1 order by 1"
    ) == [("debateqa:1", 1), ("debateqa:2", 3)]


def test_a_question_without_perspectives_is_kept_and_counted(home: Home, tmp_path: Path) -> None:
    rows = [question(1), question(2, partial_answers=[]), question(3, partial_answers=None)]
    rows.append({name: value for name, value in question(4).items() if name != "partial_answers"})
    report = load(home, tmp_path, rows)
    assert report.quarantined == 0
    assert list(report.notes) == ["questions without partial answers, loaded without any: 3"]
    assert one(home, "select count(*) from raw.questions") == 4
    assert one(home, "select count(*) from raw.partial_answers") == 3


NO_QUESTIONS = [
    ({"question": "Why?"}, "id", "should be a number or a text"),
    (question(5, id=True), "id", "should be a number or a text"),
    (question(5, id=1.5), "id", "should be a number or a text"),
    (question(5, id="  "), "id", "should be a number or a text"),
    (question(5, id="a\nb"), "id", "should not be blank"),
    (question(5, question=None), "question", "should be text; found None"),
    (question(5, question=["Why?"]), "question", "should be text"),
    (question(5, question=" \n"), "question", "should not be blank"),
    (question(5, question="half \ud800"), "question", "valid Unicode"),
    (question(5, partial_answers={}), "partial_answers", "should be a list"),
    (question(5, partial_answers="none"), "partial_answers", "should be a list"),
    (question(1, question="Again?"), "id", "duplicate id: debateqa:1 is record 1"),
    (question(5, split=3), "split", "valid string"),
]


def test_what_is_no_question_is_quarantined_with_its_reason(home: Home, tmp_path: Path) -> None:
    rows = [*questions(), *(row for row, *_ in NO_QUESTIONS)]
    report = load(home, tmp_path, rows, max_rejected=1)
    check_rejects(report.rejects, NO_QUESTIONS, first=5)
    assert one(home, "select count(*) from raw.questions") == 4
    assert sorted(query(home, "select record, field from raw.quarantine")) == sorted(
        (reject.record, reject.field) for reject in report.rejects
    )


NO_PERSPECTIVES = [
    ("Yes.", "partial_answers[1]"),
    (None, "partial_answers[1]"),
    ({"explanation": "Because."}, "partial_answers[1].point_of_view"),
    (perspective(1, 2, point_of_view=" "), "partial_answers[1].point_of_view"),
    (perspective(1, 2, explanation=""), "partial_answers[1].explanation"),
    (perspective(1, 2, explanation=4), "partial_answers[1].explanation"),
]


def test_broken_perspectives_are_rejected_alone_and_the_others_keep_their_place(
    home: Home, tmp_path: Path
) -> None:
    rows = questions(len(NO_PERSPECTIVES))
    for row, (said, _) in zip(rows, NO_PERSPECTIVES, strict=True):
        row["partial_answers"][1] = said
    check_rejects(load(home, tmp_path, rows, max_rejected=1).rejects, NO_PERSPECTIVES)
    assert query(
        home, "select distinct partial_answer_id[-2:] from raw.partial_answers order by 1"
    ) == [("p1",), ("p3",)]


def test_ids_of_any_kind_are_one_id(home: Home, tmp_path: Path) -> None:
    load(home, tmp_path, [question(1, id="a-1"), question(2, id=2.0), question(3, id=" 3 ")])
    assert query(home, "select question_id from raw.questions order by 1") == [
        ("debateqa:2",),
        ("debateqa:3",),
        ("debateqa:a-1",),
    ]


def test_a_folder_without_questions_says_what_it_has(home: Home, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "README.md").write_text("x")
    with pytest.raises(SourceUnreadable, match=r"has no test\.jsonl or dev\.jsonl; it has README"):
        ingest(home, "debateqa", tmp_path / "empty")


def test_what_cannot_name_a_data_set_is_refused(home: Home, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "test.jsonl", questions(1))
    with pytest.raises(UnknownSource, match="cannot be a data set's name"):
        ingest(home, "debateqa", path, settings={"dataset": "Debate QA"})
