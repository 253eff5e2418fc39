import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.errors import CurationFailed, StepWaits
from inference.questions.curation.annotation import (
    TASKS,
    form,
    read_annotations,
    remove_by_majority,
)
from inference.questions.curation.records import Annotation, PartialAnswer

HEADER = "partial_answer_id,annotator_id,is_grounded,is_addressing,is_ethical\n"


def answer(number: int) -> PartialAnswer:
    return PartialAnswer(f"q/p{number}", "q", number, f"View {number}.", "At length.", ("d",), 2)


def said(number: int, *votes: tuple[int, int, int]) -> list[Annotation]:
    return [
        Annotation(f"q/p{number}", f"person {place}", *map(bool, vote))
        for place, vote in enumerate(votes, start=1)
    ]


OK, NO_1, NO_2, NO_3 = (1, 1, 1), (0, 1, 1), (1, 0, 1), (1, 1, 0)


@pytest.mark.parametrize(
    ("votes", "rule"),
    [
        ((OK, OK, OK), None),
        ((OK, OK, NO_1), None),
        ((OK, NO_1, NO_1), "not_grounded"),
        ((OK, NO_2, NO_2), "not_addressing"),
        ((NO_3, NO_3, OK), "unethical"),
        ((NO_1, NO_2, OK), "faulty_in_some_way"),
        ((NO_1, NO_2, NO_3), "faulty_in_some_way"),
        ((OK, OK, NO_1, NO_1), None),
        ((OK, OK, NO_1, NO_2, NO_3), "faulty_in_some_way"),
    ],
)
def test_a_majority_finds_fault(votes: tuple[tuple[int, int, int], ...], rule: str | None) -> None:
    step = remove_by_majority([answer(1)], said(1, *votes))
    assert [removed.rule for removed in step.removed] == ([] if rule is None else [rule])


@given(st.lists(st.lists(st.tuples(*[st.integers(0, 1)] * 3), min_size=3, max_size=3), max_size=6))
def test_two_of_three_faults_remove_an_answer(votes: list[list[tuple[int, int, int]]]) -> None:
    answers = [answer(number) for number in range(len(votes))]
    annotations = [one for number, each in enumerate(votes) for one in said(number, *each)]
    step = remove_by_majority(answers, annotations)
    faulty = [number for number, each in enumerate(votes) if sum(v != OK for v in each) >= 2]
    assert {removed.item_id for removed in step.removed} == {f"q/p{number}" for number in faulty}


def test_the_reason_names_who_was_against_and_who_is_missing() -> None:
    step = remove_by_majority([answer(1)], said(1, NO_1, OK, NO_1))
    assert step.removed[0].detail == "2 of 3: person 1, person 3"
    with pytest.raises(StepWaits, match=r"1 of 2 partial answers have fewer than 3.*\(q/p2\)"):
        remove_by_majority([answer(1), answer(2)], said(1, OK, OK, OK) + said(2, OK, OK))
    with pytest.raises(CurationFailed, match=r"'person 1' has answered about 'q/p9'"):
        remove_by_majority([answer(1)], said(9, OK))


def test_an_answer_about_an_earlier_text_is_refused() -> None:
    now = answer(1).text_hash
    right = [replace(one, text_hash=now) for one in said(1, OK, OK, OK)]
    assert remove_by_majority([answer(1)], right).kept == (answer(1),)
    with pytest.raises(CurationFailed, match=r"'person 1' has answered about an earlier text"):
        remove_by_majority([replace(answer(1), explanation="Other.")], right)


def test_files_of_both_kinds_are_read_and_the_form_is_not(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("\ufeff" + HEADER + "q/p1,ann,1,no,TRUE\n", encoding="utf-8")
    line = dict(zip(HEADER.strip().split(","), ["q/p1", "bea", True, 0, "yes"], strict=True))
    (tmp_path / "b.jsonl").write_text(json.dumps(line) + "\n")
    (tmp_path / "form.csv").write_text("partial_answer_id\nq/p1\n")
    (tmp_path / "notes.txt").write_text("not read")
    assert read_annotations(tmp_path) == [
        Annotation("q/p1", "ann", True, False, True),
        Annotation("q/p1", "bea", True, False, True),
    ]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", HEADER + "q/p1,ann,1,perhaps,1\n", "line 2: "),
        ("a.csv", HEADER + "q/p1,ann,1,1\n", "line 2: "),
        ("a.csv", HEADER + "q/p1,,1,1,1\n", "line 2: "),
        (
            "a.csv",
            "id,who\n1,2\n",
            "line 2 lacks the key 'partial_answer_id'.*columns partial_answer_id",
        ),
        ("a.csv", HEADER + "q/p1,ann,1,1,1\nq/p1,ann,1,1,1\n", "line 3: 'ann' has answered"),
        ("a.csv", HEADER + '"q/p1', "cannot read"),
        ("a.jsonl", "[1]\n", "line 1: it is "),
        ("a.jsonl", "{}\n{", "cannot read"),
        ("a.csv", b"\xff\xfe", "cannot read"),
    ],
)
def test_a_malformed_file_is_refused(
    name: str, content: str | bytes, words: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(CurationFailed, match=words):
        read_annotations(tmp_path)


def test_the_form_filled_in_is_read_back(tmp_path: Path) -> None:
    text = form([answer(1), answer(2)], {"q": 'Why, "why"?\n'}, {"d": "https://a.example.org"})
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert rows[0]["question"] == 'Why, "why"?\n'
    assert rows[0]["documents"] == "https://a.example.org"
    for row in rows:
        row |= {"annotator_id": "ann", **dict.fromkeys(TASKS, "1")}
    with (tmp_path / "ann.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    found = read_annotations(tmp_path)
    assert [one.partial_answer_id for one in found] == ["q/p1", "q/p2"]
    assert [one.text_hash for one in found] == [answer(1).text_hash, answer(2).text_hash]
