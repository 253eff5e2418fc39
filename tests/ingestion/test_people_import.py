"""What people say of answers: preferences between two, and whether one shows a dispute."""

import json
from pathlib import Path
from typing import Any

import pytest

from ingestion.batch import Counts
from ingestion.errors import TooManyRejected
from ingestion.imports import import_file
from ingestion.raw_tables import LoadReport
from tests.ingestion.ingestion_files import (
    check_rejects,
    one,
    query,
    unchanged,
    write_csv,
    write_jsonl,
)
from tests.ingestion.question_files import reply
from warehouse.home import Home

ONE, OTHER = "acme/one", "acme/other"


@pytest.fixture
def answered(asked: Home, tmp_path: Path) -> Home:
    """Four questions; two models answered each of them."""
    rows = [reply(n, judge=judge) for n in (1, 2, 3, 4) for judge in (ONE, OTHER)]
    import_file(asked, write_jsonl(tmp_path / "answers.jsonl", rows))
    return asked


def _id(home: Home, number: int, judge: str) -> str:
    return str(
        one(
            home,
            f"select any_value(answer_id) from raw.answers where judge_id = '{judge}' "
            f"and question_id = 'debateqa:{number}'",
        )
    )


def _preference(number: int = 1, **changes: Any) -> dict[str, Any]:
    row = {"question": number, "annotator": "anna", "model_a": ONE, "model_b": OTHER, "choice": "a"}
    return {**row, **changes}


def _label(number: int = 1, **changes: Any) -> dict[str, Any]:
    return {"question": number, "model": ONE, "annotator": "anna", "label": 1, **changes}


def _import(home: Home, tmp_path: Path, rows: list[dict[str, Any]], **options: Any) -> LoadReport:
    return import_file(home, write_jsonl(tmp_path / "people.jsonl", rows), **options)


def _preferred(home: Home) -> list[tuple[str, str]]:
    """Who was asked, and which answer was preferred."""
    return query(
        home,
        "select annotator_id, case choice when 'a' then answer_a when 'b' then answer_b "
        "else 'tie' end from raw.preferences order by all",
    )


def test_models_or_answers_name_the_same_pair(answered: Home, tmp_path: Path) -> None:
    one_id, other_id = _id(answered, 1, ONE), _id(answered, 1, OTHER)
    rows = [
        _preference(annotator="anna"),
        _preference(annotator="ben", question="debateqa:1", choice=" B "),
        {
            "question": 1,
            "annotator": 7,
            "answer_a": other_id,
            "answer_b": one_id.removeprefix("debateqa:"),
            "choice": "b",
        },
        _preference(annotator="dora", choice="TIE"),
    ]
    report = _import(answered, tmp_path, rows)
    assert (list(report.notes), report.quarantined) == (["read as preferences"], 0)
    assert report.tables == {"preferences": Counts(4)}
    assert _preferred(answered) == [
        ("debateqa:rater-7", one_id),
        ("debateqa:rater-anna", one_id),
        ("debateqa:rater-ben", other_id),
        ("debateqa:rater-dora", "tie"),
    ]
    # One pair, whichever of the two a row names first.
    pairs = "select distinct dataset_id, question_id, answer_a, answer_b from raw.preferences"
    assert query(answered, pairs) == [("debateqa", "debateqa:1", *sorted([one_id, other_id]))]


def test_csv_says_the_same_and_other_columns_are_kept(answered: Home, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "people.csv", [_preference(answer_a="", seconds=12)])
    import_file(answered, path)
    assert _preferred(answered) == [("debateqa:rater-anna", _id(answered, 1, ONE))]
    assert json.loads(one(answered, "select extra from raw.preferences")) == {"seconds": "12"}


def test_a_mind_that_changed_is_an_update_and_twice_changes_nothing(
    answered: Home, tmp_path: Path
) -> None:
    _import(answered, tmp_path, [_preference(), _preference(2, choice="tie")])
    with unchanged(answered):
        assert (
            _import(answered, tmp_path, [_preference(), _preference(2, choice="tie")]).load_id
            is None
        )
    report = _import(answered, tmp_path, [_preference(model_a=OTHER, model_b=ONE, choice="a")])
    assert report.tables == {"preferences": Counts(0, 1, 0)}
    assert ("debateqa:rater-anna", _id(answered, 1, OTHER)) in _preferred(answered)


NO_PREFERENCES = [
    (_preference(9), "question", "unknown question '9'"),
    (_preference(4, choice="c"), "choice", "'a', 'b' or 'tie'"),
    (_preference(4, choice=None), "choice", "is missing"),
    (_preference(4, annotator=None), "annotator", "is missing"),
    (_preference(4, model_b=None), "answer_b", "is missing, and so is model_b"),
    (_preference(4, model_b=ONE), "answer_b", "is the same answer as the other one"),
    (_preference(4, model_b="acme/third"), "model_b", "which has none; name it by its id"),
    (_preference(4, model_a="human/anna"), "model_a", "is reserved"),
    (_preference(4, answer_a="debateqa:4@0"), "answer_a", "unknown answer 'debateqa:4@0'"),
    (_preference(1, model_a=OTHER, model_b=ONE), "annotator", "duplicate key: record 1"),
]


def test_what_is_no_preference_is_quarantined(answered: Home, tmp_path: Path) -> None:
    rows = [_preference(n) for n in (1, 2, 3)] + [row for row, *_ in NO_PREFERENCES]
    report = _import(answered, tmp_path, rows, wanted_format="preferences", max_rejected=1)
    check_rejects(report.rejects, NO_PREFERENCES, first=4)
    assert one(answered, "select count(*) from raw.preferences") == 3


def test_a_model_with_several_answers_must_be_named_by_the_answer(
    answered: Home, tmp_path: Path
) -> None:
    more = write_jsonl(tmp_path / "more.jsonl", [reply(1, judge=ONE, template="detailed")])
    import_file(answered, more)
    with pytest.raises(TooManyRejected, match=r"which has 2 \(debateqa:1@.*in answer_a"):
        _import(answered, tmp_path, [_preference()])
    elsewhere = _preference(answer_a=_id(answered, 2, ONE))
    with pytest.raises(TooManyRejected, match=r"is no answer to debateqa:1"):
        _import(answered, tmp_path, [elsewhere])


def test_a_dispute_label_is_a_rating_of_the_answer(answered: Home, tmp_path: Path) -> None:
    rows = [
        _label(),
        _label(annotator="ben", label=0),
        _label(2, annotator=3, label="1"),
        {"answer": _id(answered, 3, OTHER), "annotator": "anna", "label": 0.0},
    ]
    report = _import(answered, tmp_path, rows)
    assert (list(report.notes), report.quarantined) == (["read as dispute-labels"], 0)
    assert report.tables == {"dimensions": Counts(1), "human_ratings": Counts(4)}
    assert query(
        answered,
        "select dataset_id, item_id, annotator_id, dimension, value "
        "from raw.human_ratings order by item_id, annotator_id",
    ) == [
        ("debateqa", _id(answered, 1, ONE), "debateqa:rater-anna", "dispute_awareness", 1.0),
        ("debateqa", _id(answered, 1, ONE), "debateqa:rater-ben", "dispute_awareness", 0.0),
        ("debateqa", _id(answered, 2, ONE), "debateqa:rater-3", "dispute_awareness", 1.0),
        ("debateqa", _id(answered, 3, OTHER), "debateqa:rater-anna", "dispute_awareness", 0.0),
    ]
    assert query(
        answered, "select dataset_id, dimension, scale_min, scale_max from raw.dimensions"
    ) == [("debateqa", "dispute_awareness", 0.0, 1.0)]
    again = _import(answered, tmp_path, [*rows[1:], _label(label=0)])
    assert again.tables["human_ratings"] == Counts(0, 1, 3)


NO_LABELS = [
    (_label(4, label=2), "label", "less than or equal to 1"),
    (_label(4, label=0.5), "label", "valid integer"),
    (_label(4, label=True), "label", "not a truth value"),
    (_label(4, label="yes"), "label", "valid integer"),
    (_label(4, label=None), "label", "is missing"),
    (_label(4, model=None), "answer", "or question and model instead"),
    (_label(9), "question", "unknown question '9'"),
    (_label(4, model="acme/third"), "model", "which has none"),
    (_label(4, answer="7@x", question=None), "answer", "unknown answer '7@x'"),
    (_label(1), "annotator", "duplicate key: record 1 (line 1)"),
]


def test_what_is_no_label_is_quarantined(answered: Home, tmp_path: Path) -> None:
    rows = [_label(n) for n in (1, 2, 3)] + [row for row, *_ in NO_LABELS]
    report = _import(answered, tmp_path, rows, max_rejected=1)
    check_rejects(report.rejects, NO_LABELS, first=4)
    assert one(answered, "select count(*) from raw.human_ratings") == 3


def test_people_are_imported_without_a_run_or_a_judge(answered: Home, tmp_path: Path) -> None:
    before = query(answered, "from raw.runs")
    _import(answered, tmp_path, [_preference()])
    assert query(answered, "from raw.runs") == before
    assert query(answered, "select kind, source from raw.loads order by load_id desc limit 1") == [
        ("scores", "imported_scores")
    ]
