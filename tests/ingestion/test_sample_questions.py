"""The sample's debatable questions: their counts, their shape, loaded and marked as sample."""

import hashlib
import json
import re
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

import pytest

from ingestion.ingest import ingest
from tests.ingestion.ingestion_files import item_rows, one, pointer, query, unchanged
from warehouse.home import PROJECT_ROOT, Home

NAME = "sample-questions"

FOLDER = PROJECT_ROOT / "ingestion" / "sample" / "questions"
TRUSTED = {"edu", "org", "gov", "info", "pro"}
EXAMPLE_HOST = re.compile(r"[a-z]+\.example\.(com|edu|gov|info|net|org)")

# Change these only together with an intended change of the sample: stored text hashes, and so the
# scores already paid for, depend on the texts.
SHA256 = {
    "questions.jsonl": "b92cd1d6f1f20371667fe6567b7be2f4f3611fd50367b49bc962ae20133e196f",
    "documents.jsonl": "a4791c52960e1c6c9c2dfa0e3300d9fd9e91111ee4f25699ba40afc9db3f662b",
    "answers.jsonl": "a38d4370637645097bd74f44be786def880227695cdda61b7b480ddf716d85cd",
    "preferences.jsonl": "8f4380ec134cfca2ae6e6dfc49ae30ce2d08a3a16cb582a86d056201338f970d",
    "dispute_labels.jsonl": "9f2a710e5a9f9a021377ff2a399a770284ef3754a311396e7a962077059c5a94",
}


def _lines(name: str) -> list[dict[str, Any]]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


QUESTIONS = _lines("questions.jsonl")
DOCUMENTS = _lines("documents.jsonl")
ANSWERS = _lines("answers.jsonl")
PREFERENCES, LABELS = _lines("preferences.jsonl"), _lines("dispute_labels.jsonl")
PARTIAL_ANSWERS = [answer for question in QUESTIONS for answer in question["partial_answers"]]


def _top_level_domain(document: dict[str, Any]) -> str:
    host = urlsplit(document["url"]).hostname
    assert host is not None
    return host.rsplit(".", 1)[1]


def test_every_address_is_made_up() -> None:
    for document in DOCUMENTS:
        parts = urlsplit(document["url"])
        assert parts.scheme == "https"
        assert EXAMPLE_HOST.fullmatch(parts.hostname or ""), document["url"]
        assert re.fullmatch(r"(/[a-z-]+)+", parts.path), document["url"]


def test_a_filter_on_trusted_domains_leaves_two_questions_too_few_documents() -> None:
    left = Counter(one["question"] for one in DOCUMENTS if _top_level_domain(one) in TRUSTED)
    assert {number: left[number] for number in range(1, 16) if left[number] < 3} == {5: 1, 8: 2}


def test_the_counts_in_the_readme_are_those_of_the_files() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    written = {
        name: int(count) for name, count in re.findall(r"^\| (.+?) \| (\d+) \|$", readme, re.M)
    }
    sizes = Counter(len(question["partial_answers"]) for question in QUESTIONS)
    trusted = sum(_top_level_domain(document) in TRUSTED for document in DOCUMENTS)
    assert written == {
        "questions": len(QUESTIONS),
        "questions with 3 partial answers": sizes[3],
        "questions with 4 partial answers": sizes[4],
        "questions with 5 partial answers": sizes[5],
        "partial answers": len(PARTIAL_ANSWERS),
        "questions with documents": len({document["question"] for document in DOCUMENTS}),
        "documents": len(DOCUMENTS),
        "documents under .edu, .org, .gov or .info": trusted,
        "documents under .com or .net": len(DOCUMENTS) - trusted,
        "domains": len({question["domain"] for question in QUESTIONS}),
        "answers to questions 1 to 15, by three made-up models": len(ANSWERS),
        "choices between two of these answers, by three simulated annotators": len(PREFERENCES),
        "labels of whether an answer acknowledges the dispute, by the same": len(LABELS),
    }


@pytest.mark.parametrize(("name", "expected"), SHA256.items())
def test_no_text_changes_by_accident(name: str, expected: str) -> None:
    # Read as text, so that a checkout with other line ends has the same hash.
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert hashlib.sha256(text.encode()).hexdigest() == expected


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
