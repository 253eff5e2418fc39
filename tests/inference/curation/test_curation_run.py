import hashlib
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from curation_fixtures import (
    SETTINGS,
    TOPICS,
    Model,
    annotate,
    document,
    replies,
    run,
    tools,
    working_folder,
)

from inference.errors import CurationFailed
from inference.questions.curation.annotation import splits
from inference.questions.curation.files import Result, read_result, write_result
from inference.questions.curation.pipeline import PIPELINE, STEPS, funnel
from inference.questions.curation.records import (
    Evidence,
    PartialAnswer,
    PointOfView,
    Queries,
    Question,
    Removed,
    Rule,
    Step,
)
from inference.questions.curation.tools import Curation
from inference.questions.documents import Document
from inference.steps.pipeline import Outcome
from tests.inference.step_models import Failed


def statuses(outcomes: list[Outcome]) -> dict[str, str]:
    return {outcome.step: outcome.status for outcome in outcomes}


def data(folder: Path, name: str) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in (folder / "data" / f"{name}.jsonl").read_text().splitlines()
    ]


def test_the_pipeline_keeps_what_it_should_and_counts_what_fell(tmp_path: Path) -> None:
    folder, model = working_folder(tmp_path / "work"), Model(replies)
    outcomes = run(folder, model)
    assert statuses(outcomes) == {**dict.fromkeys(STEPS, "done"), "annotation": "waiting"}
    assert "nobody has annotated the 12 partial answers" in str(outcomes[-1].waits_for)
    assert not (folder / "data").exists()

    annotate(folder, faults=["a:cars/p1"])
    outcomes = run(folder, model)
    rows = funnel(outcomes)
    assert [(r["step"], r["rule"], r["n_before"], r["n_removed"]) for r in rows] == [
        ("merge", "blank_question", 6, 1),
        ("deduplicate", "near_duplicate", 5, 1),
        ("queries", "unreadable_queries", 4, 0),
        ("documents", "blank_document", 18, 0),
        ("documents", "untrusted_domain", 18, 4),
        ("documents", "beyond_the_best_5", 14, 0),
        ("documents_per_question", "fewer_than_3_documents", 4, 1),
        ("points_of_view", "unreadable_points_of_view", 3, 0),
        ("points_of_view", "fewer_than_3_points_of_view", 3, 0),
        ("partial_answers", "empty_explanation", 12, 0),
        ("annotation", "not_grounded", 12, 1),
        ("annotation", "not_addressing", 11, 0),
        ("annotation", "unethical", 11, 0),
        ("annotation", "faulty_in_some_way", 11, 0),
    ]
    questions, documents = data(folder, "questions"), data(folder, "documents")
    assert [each["id"] for each in questions] == ["a:cars", "a:zoos", "a:homework"]
    assert [len(each["partial_answers"]) for each in questions] == [3, 4, 4]
    assert {each["question"] for each in documents} == {each["id"] for each in questions}
    cited = {name for q in questions for p in q["partial_answers"] for name in p["documents"]}
    assert cited <= {each["id"] for each in documents}
    assert len(documents) == 12
    # What people said of the one that was removed is there, too.
    said = data(folder, "annotations")
    assert len(said) == 3 * 12
    removed = [one for one in said if one["partial_answer_id"] == "a:cars/p1"]
    assert [one["is_grounded"] for one in removed] == [False, False, True]
    written = {part["id"]: part for each in questions for part in each["partial_answers"]}
    for one in said:
        if one["partial_answer_id"] in written:
            part = written[one["partial_answer_id"]]
            text = f"{part['point_of_view']}\n\n{part['explanation']}"
            assert one["text_hash"] == hashlib.sha256(text.encode()).hexdigest()


def test_nothing_is_done_or_asked_twice(tmp_path: Path) -> None:
    folder, model = working_folder(tmp_path / "work"), Model(replies)
    run(folder, model)
    annotate(folder)
    run(folder, model)
    files = {path: path.stat().st_mtime_ns for path in (folder / "steps").iterdir()}
    asked = len(model.prompts)
    assert set(statuses(run(folder, model)).values()) == {"unchanged"}
    assert {path: path.stat().st_mtime_ns for path in (folder / "steps").iterdir()} == files
    assert len(model.prompts) == asked == 4 + 3 + 12


def test_a_change_is_carried_only_as_far_as_it_changes_anything(tmp_path: Path) -> None:
    folder, model = working_folder(tmp_path / "work"), Model(replies)
    run(folder, model)
    asked = len(model.prompts)
    # One more blank question: merged anew, and then all is as it was.
    with (folder / "questions" / "b.csv").open("a") as file:
        file.write('" "\n')
    again = statuses(run(folder, model))
    assert again["merge"] == "done"
    assert {again[name] for name in STEPS[1:-1]} == {"unchanged"}
    assert len(model.prompts) == asked
    # More domains: the documents are chosen anew, and so is what follows from them.
    again = statuses(run(folder, model, replace(SETTINGS, domains=("org", "com"))))
    assert [name for name in STEPS if again[name] != "unchanged"] == list(STEPS[3:])


def test_a_step_that_failed_goes_on_from_the_replies_it_has(tmp_path: Path) -> None:
    folder = working_folder(tmp_path / "work")

    def failing(prompt: str) -> str:
        if TOPICS["zoos"] in prompt and "Point-of-View [number]" in prompt:
            raise Failed("connection")
        return replies(prompt)

    first = Model(failing)
    with pytest.raises(CurationFailed, match="connection"):
        run(folder, first)
    assert read_result(folder / "steps", "documents") is not None
    assert read_result(folder / "steps", "points_of_view") is None
    second = Model(replies)
    outcomes = run(folder, second)
    assert statuses(outcomes)["documents"] == "unchanged"
    assert sum("Point-of-View [number]" in prompt for prompt in second.prompts) == 1


def test_a_curation_that_loses_every_question_names_the_rule(tmp_path: Path) -> None:
    folder, model = working_folder(tmp_path / "work"), Model(lambda prompt: "I cannot help.")
    # Trying again changes nothing, asks nothing, and is no success either.
    for _ in range(2):
        words = r"after the step 'queries' \(unreadable queries \(questions\): 4\)"
        with pytest.raises(CurationFailed, match=words):
            run(folder, model)
    assert len(model.prompts) == 4
    result = read_result(folder / "steps", "queries")
    assert result is not None
    assert [each.rule for each in result.steps[0].removed] == ["unreadable_queries"] * 4
    assert read_result(folder / "steps", "documents") is None
    assert not (folder / "data").exists()


def test_a_test_set_is_drawn_by_id_and_moves_one_question_when_one_comes(tmp_path: Path) -> None:
    names = [f"q{number}" for number in range(50)]
    drawn = splits(names, 20)
    assert Counter(drawn.values()) == {"test": 20, "dev": 30}
    assert drawn == splits(reversed(names), 20)
    more = splits([*names, "new"], 20)
    assert sum(more[name] != split for name, split in drawn.items()) <= 1
    assert set(splits(names, 99).values()) == {"test"}
    assert set(splits(names, None).values()) == {None}

    folder, model = working_folder(tmp_path / "work"), Model(replies)
    run(folder, model)
    annotate(folder)
    run(folder, model)
    assert {each["split"] for each in data(folder, "questions")} == {None}
    asked = len(model.prompts)
    run(folder, model, replace(SETTINGS, test_questions=1))
    assert Counter(each["split"] for each in data(folder, "questions")) == {"test": 1, "dev": 2}
    assert len(model.prompts) == asked


def test_another_source_of_documents_can_be_plugged_in(tmp_path: Path) -> None:
    class Engine:
        identity = "engine 1"

        def find(self, query: str, k: int) -> list[Document]:
            return [document(f"{query}-{n}", f"About {query}, {n}.") for n in range(k)]

    folder = working_folder(tmp_path / "work")
    outcomes = run(folder, Model(replies), source=Engine())
    result = outcomes[STEPS.index("documents")].result
    assert result is not None
    assert all(each.document.text.startswith("About ") for each in result.of(Evidence))
    assert len(result.of(Evidence)) == 4 * 5
    assert len(result.of(Question)) == 4


def test_a_damaged_result_is_made_again(tmp_path: Path) -> None:
    folder = working_folder(tmp_path / "work")
    run(folder, Model(replies))
    path = folder / "steps" / "deduplicate.jsonl"
    whole = path.read_text()
    path.write_text(whole.rsplit("\n", 2)[0])
    assert statuses(run(folder, Model(replies)))["deduplicate"] == "done"
    assert path.read_text() == whole


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.txt", "Why?", "has no .csv or .jsonl file"),
        ("a.csv", "text\nWhy?\n", "line 2 lacks the key 'question'"),
        ("a.jsonl", '{"question": "a", "id": 1}\n{"question": "b", "id": "1"}', "line 2: the id"),
        ("a.jsonl", "why", "cannot read"),
    ],
)
def test_unreadable_questions_are_refused(
    name: str, content: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / name).write_text(content)
    with pytest.raises(CurationFailed, match=re.escape(words)):
        PIPELINE.run_step("merge", Curation(tmp_path, tools(Model(replies))))


def test_a_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    records = (
        Question("q", "Why \u2028 so?", "a"),
        Queries("q", ("one", "two")),
        Evidence("q", 1, 0.5, Document("d", "text", "https://a.org", "org", None)),
        PointOfView("q", 1, "So.", ("d",)),
        PartialAnswer("q/p1", "q", 1, "So.", "Because.", ("d",), 1),
    )
    removed, rules = (Removed("x", "r", "why", "y"),), (Rule(1, "r", 2, 1),)
    steps = (
        Step("one", "question", (), removed, rules, {"n": 3}),
        Step("two", "document", (), (), rules),
    )
    written = Result("step", "hash", steps, records)
    write_result(tmp_path, written)
    assert read_result(tmp_path, "step") == written
    assert [path.name for path in tmp_path.iterdir()] == ["step.jsonl"]


def test_what_an_earlier_curation_made_is_not_left_beside_a_later_one(tmp_path: Path) -> None:
    folder = working_folder(tmp_path / "work")
    run(folder, Model(replies))
    annotate(folder)
    run(folder, Model(replies))

    def gone(prompt: str) -> str:
        raise Failed("connection", prompt)

    # Another question is merged, and its queries cannot be asked for.
    with (folder / "questions" / "b.csv").open("a") as file:
        file.write("Is tea better than coffee?\n")
    with pytest.raises(CurationFailed, match="connection"):
        run(folder, Model(gone))
    assert {path.stem for path in (folder / "steps").iterdir()} == {"merge", "deduplicate"}
    for path in (folder / "annotations").glob("[abc]*.csv"):
        path.unlink()
    (folder / "questions" / "b.csv").unlink()
    assert statuses(run(folder, Model(replies)))["annotation"] == "waiting"
    assert not (folder / "steps" / "annotation.jsonl").exists()
