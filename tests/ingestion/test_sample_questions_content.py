"""The sample's debatable questions: their counts, their shape, and that no text changes by accident."""

import hashlib
import json
import re
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

import pytest

from warehouse.home import PROJECT_ROOT

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


def _normalised(text: str) -> str:
    return " ".join(text.casefold().split())


def _top_level_domain(document: dict[str, Any]) -> str:
    host = urlsplit(document["url"]).hostname
    assert host is not None
    return host.rsplit(".", 1)[1]


def _texts() -> list[str]:
    """Every text of the files that a reader or a model may see."""
    found = [text for one in QUESTIONS for text in (one["question"], one["domain"])]
    found += [one["response"] for one in ANSWERS]
    found += [
        text for one in PARTIAL_ANSWERS for text in (one["point_of_view"], one["explanation"])
    ]
    return found + [text for one in DOCUMENTS for text in (one["url"], one["title"], one["text"])]


def test_a_question_has_exactly_the_documented_fields() -> None:
    for question in QUESTIONS:
        assert set(question) == {"id", "question", "domain", "partial_answers"}
        for answer in question["partial_answers"]:
            assert set(answer) == {"point_of_view", "explanation", "documents"}
    for document in DOCUMENTS:
        assert set(document) == {"id", "question", "url", "title", "text"}


def test_the_questions_are_numbered_from_one_to_forty() -> None:
    assert [question["id"] for question in QUESTIONS] == list(range(1, 41))


def test_questions_have_three_to_five_partial_answers_in_the_promised_mix() -> None:
    sizes = Counter(len(question["partial_answers"]) for question in QUESTIONS)
    assert sizes == {3: 14, 4: 14, 5: 12}


def test_every_domain_has_at_least_three_questions() -> None:
    domains = Counter(question["domain"] for question in QUESTIONS)
    assert len(domains) == 10
    assert min(domains.values()) == 3


def test_a_question_asks_and_a_point_of_view_is_one_sentence() -> None:
    for question in QUESTIONS:
        assert question["question"].endswith("?")
        assert question["question"].count("?") == 1
    for answer in PARTIAL_ANSWERS:
        assert re.fullmatch(r"[A-Z][^.!?]+\.", answer["point_of_view"]), answer["point_of_view"]


def test_an_explanation_has_60_to_110_words_and_a_document_80_to_150() -> None:
    for answer in PARTIAL_ANSWERS:
        assert 60 <= len(answer["explanation"].split()) <= 110, answer["point_of_view"]
    for document in DOCUMENTS:
        assert 80 <= len(document["text"].split()) <= 150, document["id"]


@pytest.mark.parametrize("field", ["point_of_view", "explanation"])
def test_no_two_partial_answers_share_a_text(field: str) -> None:
    found = Counter(_normalised(answer[field]) for answer in PARTIAL_ANSWERS)
    assert [text for text, count in found.items() if count > 1] == []


def test_three_models_answer_and_three_annotators_say_everything_of_it_under_made_up_names() -> (
    None
):
    assert {one["judge"] for one in ANSWERS} == {
        "sample/balanced",
        "sample/narrow",
        "sample/evasive",
    }
    assert len({_normalised(one["response"]) for one in ANSWERS}) == len(ANSWERS)
    said = {f"simulated-{number}" for number in (1, 2, 3)}
    assert {one["annotator"] for one in PREFERENCES} == said
    assert {one["annotator"] for one in LABELS} == said


def test_no_two_questions_or_documents_share_a_text() -> None:
    assert len({_normalised(question["question"]) for question in QUESTIONS}) == len(QUESTIONS)
    for field in ("id", "url", "title", "text"):
        assert len({_normalised(document[field]) for document in DOCUMENTS}) == len(DOCUMENTS)


def test_the_first_fifteen_questions_have_three_or_four_documents_numbered_from_one() -> None:
    for number in range(1, 16):
        ids = [document["id"] for document in DOCUMENTS if document["question"] == number]
        assert len(ids) in {3, 4}
        assert ids == [f"d{number}-{position}" for position in range(1, len(ids) + 1)]
    assert {document["question"] for document in DOCUMENTS} == set(range(1, 16))


def test_partial_answers_name_documents_of_their_own_question_and_leave_none_out() -> None:
    for question in QUESTIONS:
        own = {document["id"] for document in DOCUMENTS if document["question"] == question["id"]}
        named = [answer["documents"] for answer in question["partial_answers"]]
        assert {document for documents in named for document in documents} == own
        for documents in named:
            assert bool(documents) == bool(own)
            assert len(documents) == len(set(documents))


def test_every_address_is_made_up() -> None:
    for document in DOCUMENTS:
        parts = urlsplit(document["url"])
        assert parts.scheme == "https"
        assert EXAMPLE_HOST.fullmatch(parts.hostname or ""), document["url"]
        assert re.fullmatch(r"(/[a-z-]+)+", parts.path), document["url"]


def test_a_filter_on_trusted_domains_leaves_two_questions_too_few_documents() -> None:
    left = Counter(one["question"] for one in DOCUMENTS if _top_level_domain(one) in TRUSTED)
    assert {number: left[number] for number in range(1, 16) if left[number] < 3} == {5: 1, 8: 2}


def test_every_text_is_printable_and_has_no_stray_space() -> None:
    for text in _texts():
        assert text.isprintable(), text
        assert text == " ".join(text.split()), text


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
