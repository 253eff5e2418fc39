"""The sample's questions come in beside its speeches and debates, marked as sample."""

import json
from pathlib import Path

from ingestion.ingest import ingest
from ingestion.questions.readers.sample_questions import sample_questions_batch
from tests.ingestion.ingestion_files import item_rows, one, pointer, query, unchanged, write_jsonl
from warehouse.home import Home

NAME = "sample-questions"


def test_the_sample_has_forty_questions_with_three_to_five_perspectives(sampled: Home) -> None:
    assert query(sampled, "from raw.quarantine") == []
    assert query(sampled, f"select is_sample from raw.datasets where dataset_id = '{NAME}'") == [
        (True,)
    ]
    assert one(sampled, "select count(*) from raw.questions where split is null") == 40
    counts = "select count(*) as n from raw.partial_answers group by question_id"
    assert query(sampled, f"select count(*), min(n), max(n) from ({counts})") == [(40, 3, 5)]
    assert {"questions", "partial_answers", "documents"} <= set(pointer(sampled, NAME))
    assert len(item_rows(sampled, NAME, "questions")) == 40


def test_every_document_a_perspective_names_is_there_for_its_question(sampled: Home) -> None:
    there = dict(query(sampled, "select document_id, question_id from raw.documents"))
    named = query(sampled, "select question_id, document_ids from raw.partial_answers")
    assert all(there[name] == asked for asked, ids in named for name in json.loads(ids))
    assert (
        query(
            sampled,
            "select question_id from raw.documents group by all "
            "having max(position) <> count(*) or min(position) <> 1",
        )
        == []
    )


def test_every_answer_is_labelled_and_compared_by_each_annotator(sampled: Home) -> None:
    answers = {name for (name,) in query(sampled, "select answer_id from raw.answers")}
    assert len(answers) == 45
    labels = query(
        sampled,
        "select item_id, count(distinct annotator_id) from raw.human_ratings "
        f"where dataset_id = '{NAME}' group by item_id",
    )
    assert dict(labels) == dict.fromkeys(answers, 3)
    compared = "select count(*) from raw.preferences group by question_id, annotator_id"
    assert query(sampled, compared) == [(3,)] * 45


def test_loading_the_sample_twice_changes_nothing(sampled: Home) -> None:
    with unchanged(sampled):
        assert ingest(sampled, "sample").load_id is None


def test_a_folder_of_the_same_shape_is_read_as_it_says(tmp_path: Path) -> None:
    write_jsonl(
        tmp_path / "questions.jsonl",
        [
            {
                "id": 3,
                "question": "Is tea a soup?",
                "domain": "food",
                "partial_answers": [
                    {"point_of_view": "Yes", "explanation": "Leaves.", "documents": ["d2", "d1"]},
                    {"point_of_view": "No", "explanation": "Salt.", "documents": []},
                ],
            }
        ],
    )
    write_jsonl(
        tmp_path / "documents.jsonl",
        [
            {
                "id": f"d{n}",
                "question": 3,
                "url": f"https://a.example.org/{n}",
                "title": "T",
                "text": "Text.",
            }
            for n in (1, 2)
        ],
    )
    batch = sample_questions_batch(tmp_path)
    first, second = batch.parts
    assert [each.question_id for each in first.questions] == [f"{NAME}:3"]
    assert [each.document_ids for each in first.partial_answers] == [
        (f"{NAME}:d2", f"{NAME}:d1"),
        (),
    ]
    assert [(each.document_id, each.position) for each in second.documents] == [
        (f"{NAME}:d1", 1),
        (f"{NAME}:d2", 2),
    ]
