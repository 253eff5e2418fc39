"""DebateQA's raw files: the documents found for each question, and which perspective is from which.

Nobody could look inside when this was written: known are the names `ranked_retrieve_docs` (the
documents, with their addresses) and `partial_answers` (with the index of the document each was
drawn from). The likely names of what is inside are tried. What none fits is rejected by its name,
and what an index counts from is taken from the indices themselves or left open, never guessed.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ingestion.json_values import as_json
from ingestion.reading import BrokenRecord, Reading
from ingestion.records import Record
from ingestion.sources.csv_cells import extra_of, id_text, shown
from warehouse.records.questions import Document, PartialAnswer, Question

DOCUMENTS = "ranked_retrieve_docs"
_PERSPECTIVES = "partial_answers"
_TEXT = ("text", "content", "passage", "document", "body", "page_content", "article")
_URL = ("url", "link", "href", "web_link", "source_url", "source", "web")
_TITLE = ("title", "name", "headline")
_OWN_INDEX = ("index", "idx", "doc_index", "doc_id", "docid", "id")
_SOURCES = (
    "index",
    "indices",
    "source_index",
    "source_indices",
    "source_indexes",
    "doc_index",
    "doc_indices",
    "document_index",
    "document_indices",
    "passage_index",
    "sources",
    "source",
    "docs",
    "documents",
    "links",
    "urls",
)
_POINT = ("point_of_view", "pov", "POV", "perspective")
_NUMBER = re.compile(r"\d+")
_NO_QUESTION = "passages of questions that the data set does not hold, not loaded"
_NO_PERSPECTIVE = "perspectives of the raw files that the data set words otherwise, left out"
_NO_INDEX = "perspectives of the raw files that name no document"
_OPEN = "perspectives whose document is open: whether the first is 0 or 1 the indices do not say"
_NONE_THERE = "indices of documents that are not there, left out"


@dataclass
class _Cited:
    """What a perspective names as its documents, to be resolved once every file was read."""

    question_id: str
    position: int
    named: list[int | str]


@dataclass
class Passages:
    """The documents of a data set's questions, and who cites them.

    Attributes:
        documents: Documents by question.
        cited: What perspectives name, in the file's own terms.
        counts: How many documents each question's list has, broken ones included.
        keys: What the files themselves call each question's documents, where they do.
    """

    documents: dict[str, list[Document]] = field(default_factory=dict)
    cited: list[_Cited] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    keys: dict[str, dict[int | str, str]] = field(default_factory=dict)


class Catalogue:
    """Finds questions and perspectives as the released data word them.

    Args:
        questions: The questions, by id.
        partial_answers: Their perspectives, by question.
    """

    def __init__(
        self,
        questions: Mapping[str, Question],
        partial_answers: Mapping[str, Sequence[PartialAnswer]],
    ) -> None:
        self.questions = questions
        self._by_text = {_plain(each.question): each for each in questions.values()}
        self._positions = {
            identity: {_plain(each.point_of_view): each.position for each in own}
            for identity, own in partial_answers.items()
        }

    def question(self, dataset_id: str, fields: Mapping[str, Any]) -> Question | None:
        """Return the question a raw record is about; None where the data set does not hold it.

        Its text decides where it has one: the raw files may count otherwise.

        Raises:
            BrokenRecord: It has neither text nor id.
        """
        text, identity = fields.get("question"), id_text(fields.get("id"))
        if isinstance(text, str) and text.strip():
            return self._by_text.get(_plain(text))
        if identity is None:
            raise BrokenRecord("question", "is missing, and so is id; expected one of them")
        return self.questions.get(f"{dataset_id}:{identity}")

    def position(self, question_id: str, point_of_view: str) -> int | None:
        """Return which perspective of a question this is; None where it is none of them."""
        return self._positions.get(question_id, {}).get(_plain(point_of_view))


def read_passages(
    dataset_id: str,
    rows: Iterable[Record],
    reading: Reading,
    catalogue: Catalogue,
    found: Passages,
) -> list[Document]:
    """Read one raw file into `found`, and return its documents.

    Args:
        reading: Collects what fits no known shape.
        catalogue: The questions these files are about.
        found: What was read so far.
    """
    documents: list[Document] = []
    for row in rows:
        with reading.whole(row.place, row.fields):
            question = catalogue.question(dataset_id, row.fields)
            if question is None:
                reading.repaired[_NO_QUESTION] += 1
                continue
            listed = _listed(row.fields)
            if question.question_id in found.documents:
                raise BrokenRecord(
                    "question", f"duplicate: {question.question_id} has its documents already"
                )
            own, keys = _documents(question, listed, row, reading)
            found.documents[question.question_id] = own
            found.counts[question.question_id] = len(listed)
            found.keys[question.question_id] = keys
            documents += own
            _cite(question, row, reading, catalogue, found)
    return documents


def _listed(fields: Mapping[str, Any]) -> list[Any]:
    listed = fields.get(DOCUMENTS)
    if isinstance(listed, dict):
        # By index or address.
        return [
            {"index": key, **said} if isinstance(said, dict) else {"index": key, "text": said}
            for key, said in listed.items()
        ]
    if not isinstance(listed, list):
        raise BrokenRecord(DOCUMENTS, f"should be a list of documents; found {shown(listed)}")
    return listed


def _documents(
    question: Question, listed: list[Any], row: Record, reading: Reading
) -> tuple[list[Document], dict[int | str, str]]:
    documents: list[Document] = []
    keys: dict[int | str, str] = {}
    for position, said in enumerate(listed, start=1):
        place = f"{DOCUMENTS}[{position - 1}]"
        fields = {"text": said} if isinstance(said, str) else said
        with reading.whole(row.place, said, within=f"{place}."):
            if not isinstance(fields, dict):
                raise BrokenRecord(place, f"should be an object or a text; found {shown(said)}")
            text, used = _first_text(fields, _TEXT)
            url, of_url = _first_text(fields, _URL)
            title, of_title = _first_text(fields, _TITLE)
            if text is None:
                names = ", ".join(repr(name) for name in fields) or "nothing"
                reason = f"has no text under any of {', '.join(_TEXT)}; it has {names}"
                raise BrokenRecord(place, reason)
            document = Document(
                document_id=f"{question.question_id}/d{position}",
                dataset_id=question.dataset_id,
                text=text,
                question_id=question.question_id,
                position=position,
                url=url,
                title=title,
                extra=extra_of(fields, tuple(name for name in (used, of_url, of_title) if name)),
            )
            documents.append(document)
            if url is not None:
                keys.setdefault(url, document.document_id)
            own = next((fields[name] for name in _OWN_INDEX if name in fields), None)
            for key in _named(own):
                keys.setdefault(key, document.document_id)
    return documents, keys


def _cite(
    question: Question, row: Record, reading: Reading, catalogue: Catalogue, found: Passages
) -> None:
    listed = row.fields.get(_PERSPECTIVES)
    if isinstance(listed, dict):
        listed = list(listed.values())
    if not isinstance(listed, list | None):
        reason = f"should be a list of objects; found {shown(listed)}"
        reading.reject(row.place, _PERSPECTIVES, reason, listed)
        return
    for number, said in enumerate(listed or []):
        place = f"{_PERSPECTIVES}[{number}]"
        point = None if not isinstance(said, dict) else _first_text(said, _POINT)[0]
        if point is None:
            reason = f"has no point of view under any of {', '.join(_POINT)}; found {shown(said)}"
            reading.reject(row.place, place, reason, said)
            continue
        position = catalogue.position(question.question_id, point)
        if position is None:
            reading.repaired[_NO_PERSPECTIVE] += 1
            continue
        named = _named(next((said[name] for name in _SOURCES if said.get(name) is not None), None))
        if named:
            found.cited.append(_Cited(question.question_id, position, named))
        else:
            reading.repaired[_NO_INDEX] += 1


def with_documents(
    partial_answers: Iterable[PartialAnswer], found: Passages, reading: Reading
) -> list[PartialAnswer]:
    """Return the perspectives with the documents they were drawn from, where that is certain.

    Args:
        partial_answers: The perspectives as the released data have them.
        found: What the raw files say.
        reading: Counts what stays open.
    """
    base = _base(found)
    named = {(each.question_id, each.position): each.named for each in found.cited}
    return [
        replace(
            each,
            **_sources(each, named.get((each.question_id, each.position)), found, base, reading),
        )
        for each in partial_answers
    ]


def _sources(
    perspective: PartialAnswer,
    named: list[int | str] | None,
    found: Passages,
    base: int | None,
    reading: Reading,
) -> dict[str, Any]:
    if named is None:
        return {}
    identity = perspective.question_id
    there = {each.document_id for each in found.documents[identity]}
    ids: list[str] = []
    for name in named:
        document = found.keys[identity].get(name)
        if document is None and isinstance(name, int):
            if base is None:
                reading.repaired[_OPEN] += 1
                known = json.loads(perspective.extra or "{}")
                return {"extra": as_json(known | {"named_documents": named})}
            document = f"{identity}/d{name + 1 - base}"
        if document in there:
            ids.append(document)
        else:
            reading.repaired[_NONE_THERE] += 1
    return {"document_ids": tuple(dict.fromkeys(ids))}


def _base(found: Passages) -> int | None:
    """Return what the indices count from; None where they do not say, or say both."""
    numbers = [
        (name, found.counts[each.question_id])
        for each in found.cited
        for name in each.named
        if isinstance(name, int) and name not in found.keys[each.question_id]
    ]
    is_from_zero = any(name == 0 for name, _ in numbers)
    is_from_one = any(name == count for name, count in numbers)
    if is_from_zero == is_from_one:
        return None
    return 0 if is_from_zero else 1


def _named(value: Any) -> list[int | str]:
    """Return the indices or addresses a value holds: 3, "3", "1, 3", [1, 3] or addresses."""
    if isinstance(value, list):
        return [name for each in value for name in _named(each)]
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, int):
        return [value]
    if isinstance(value, dict):
        return _named(next((value[name] for name in (*_OWN_INDEX, *_URL) if name in value), None))
    text = str(value).strip()
    if "://" in text:
        return [text]
    return [int(number) for number in _NUMBER.findall(text)]


def _first_text(fields: Mapping[str, Any], names: Sequence[str]) -> tuple[str | None, str | None]:
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return value, name
    return None, None


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".?!")
