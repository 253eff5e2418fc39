"""The sample's questions come in beside its speeches and debates, marked as sample."""

import json

from ingestion.ingest import ingest
from tests.ingestion.ingestion_files import item_rows, one, pointer, query, unchanged
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
