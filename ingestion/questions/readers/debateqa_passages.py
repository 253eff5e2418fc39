"""DebateQA's raw files: the documents found for each question, and those of each perspective.

The files could not be inspected when this was written. Known are the names `ranked_retrieve_docs`
(documents with their addresses) and `partial_answers` (with the index of each one's document), so
the likely names of the fields inside are tried. A record that none fits is rejected by its name.
Whether indices count from 0 or 1 is inferred from the indices or left open, never guessed.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
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
    *("index", "indices", "source_index", "source_indices", "source_indexes"),
    *("doc_index", "doc_indices", "document_index", "document_indices", "passage_index"),
    *("sources", "source", "docs", "documents", "links", "urls"),
)
_POINT = ("point_of_view", "pov", "POV", "perspective")
_NO_QUESTION = "passages of questions that the data set does not hold, not loaded"
_NO_PERSPECTIVE = "perspectives of the raw files that the data set words otherwise, left out"
_NO_INDEX = "perspectives of the raw files that name no document"
_OPEN = "perspectives whose document is open: whether the first is 0 or 1 the indices do not say"
_NONE_THERE = "indices of documents that are not there, left out"


class Passages:
    """Documents of a data set's questions, and the perspectives that cite them.

    Args:
        questions: Questions by id.
        partial_answers: Perspectives by question.
    """

    def __init__(
        self,
        questions: Mapping[str, Question],
        partial_answers: Mapping[str, Sequence[PartialAnswer]],
    ) -> None:
        self._questions = questions
        self._by_text = {_plain(each.question): each for each in questions.values()}
        self._positions = {
            name: {_plain(each.point_of_view): each.position for each in listed}
            for name, listed in partial_answers.items()
        }
        # By question: ids of its valid documents, the length of its list, and the names by which
        # its file refers to documents.
        self._documents: dict[str, set[str]] = {}
        self._counts: dict[str, int] = {}
        self._keys: dict[str, dict[int | str, str]] = {}
        # Question, position of the perspective, indices or addresses: resolved after the last file.
        self._cited: list[tuple[str, int, list[int | str]]] = []

    def read(self, dataset_id: str, rows: Iterable[Record], reading: Reading) -> list[Document]:
        """Read a raw file and return its documents."""
        documents: list[Document] = []
        for row in rows:
            with reading.whole(row.place, row.fields):
                question = self._question(dataset_id, row.fields)
                if question is None:
                    reading.repaired[_NO_QUESTION] += 1
                    continue
                listed = row.fields.get(DOCUMENTS)
                if isinstance(listed, dict):
                    # By index or address.
                    listed = [
                        {"index": key, **(value if isinstance(value, dict) else {"text": value})}
                        for key, value in listed.items()
                    ]
                if not isinstance(listed, list):
                    reason = f"should be a list of documents; found {shown(listed)}"
                    raise BrokenRecord(DOCUMENTS, reason)
                name = question.question_id
                if name in self._documents:
                    raise BrokenRecord("question", f"duplicate: {name} has its documents already")
                described, keys = _read_documents(question, listed, row, reading)
                self._documents[name] = {each.document_id for each in described}
                self._counts[name], self._keys[name] = len(listed), keys
                documents += described
                self._cite(name, row, reading)
        return documents

    def _question(self, dataset_id: str, fields: Mapping[str, Any]) -> Question | None:
        """Find a record's question by its text, or by id without one: raw files may renumber."""
        text, identity = fields.get("question"), id_text(fields.get("id"))
        if isinstance(text, str) and text.strip():
            return self._by_text.get(_plain(text))
        if identity is None:
            raise BrokenRecord("question", "is missing, and so is id; expected one of them")
        return self._questions.get(f"{dataset_id}:{identity}")

    def _cite(self, question_id: str, row: Record, reading: Reading) -> None:
        listed = row.fields.get(_PERSPECTIVES)
        if isinstance(listed, dict):
            listed = list(listed.values())
        if not isinstance(listed, list | None):
            reason = f"should be a list of objects; found {shown(listed)}"
            reading.reject(row.place, _PERSPECTIVES, reason, listed)
            return
        for number, fields in enumerate(listed or []):
            point = _first_text(fields, _POINT)[0] if isinstance(fields, dict) else None
            if point is None:
                names = ", ".join(_POINT)
                reason = f"has no point of view under any of {names}; found {shown(fields)}"
                reading.reject(row.place, f"{_PERSPECTIVES}[{number}]", reason, fields)
                continue
            position = self._positions.get(question_id, {}).get(_plain(point))
            named = _references(
                next((fields[key] for key in _SOURCES if fields.get(key) is not None), None)
            )
            if position is None:
                reading.repaired[_NO_PERSPECTIVE] += 1
            elif named:
                self._cited.append((question_id, position, named))
            else:
                reading.repaired[_NO_INDEX] += 1

    def with_documents(
        self, partial_answers: Iterable[PartialAnswer], reading: Reading
    ) -> list[PartialAnswer]:
        """Return the perspectives with their documents where the raw files settle them."""
        base = self._base()
        cited = {(name, position): named for name, position, named in self._cited}
        answers = []
        for each in partial_answers:
            named = cited.get((each.question_id, each.position))
            answers.append(each if named is None else self._resolved(each, named, base, reading))
        return answers

    def _resolved(
        self, answer: PartialAnswer, named: list[int | str], base: int | None, reading: Reading
    ) -> PartialAnswer:
        question = answer.question_id
        ids: list[str] = []
        for name in named:
            document = self._keys[question].get(name)
            if document is None and isinstance(name, int):
                if base is None:
                    reading.repaired[_OPEN] += 1
                    extra = json.loads(answer.extra or "{}") | {"named_documents": named}
                    return replace(answer, extra=as_json(extra))
                document = f"{question}/d{name + 1 - base}"
            if document in self._documents[question]:
                ids.append(document)
            else:
                reading.repaired[_NONE_THERE] += 1
        return replace(answer, document_ids=tuple(dict.fromkeys(ids)))

    def _base(self) -> int | None:
        """Return the number of the first document; None where the indices leave it open."""
        numbers = [
            (name, self._counts[question])
            for question, _, named in self._cited
            for name in named
            if isinstance(name, int) and name not in self._keys[question]
        ]
        is_from_zero = any(name == 0 for name, _ in numbers)
        is_from_one = any(name == count for name, count in numbers)
        return None if is_from_zero == is_from_one else int(is_from_one)


def _read_documents(
    question: Question, listed: list[Any], row: Record, reading: Reading
) -> tuple[list[Document], dict[int | str, str]]:
    """Return a question's valid documents, and their ids by index or address in the file."""
    documents: list[Document] = []
    keys: dict[int | str, str] = {}
    for position, value in enumerate(listed, start=1):
        place = f"{DOCUMENTS}[{position - 1}]"
        with reading.whole(row.place, value, within=f"{place}."):
            fields = {"text": value} if isinstance(value, str) else value
            if not isinstance(fields, dict):
                raise BrokenRecord(place, f"should be an object or a text; found {shown(value)}")
            (text, of_text), (url, of_url), (title, of_title) = (
                _first_text(fields, names) for names in (_TEXT, _URL, _TITLE)
            )
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
                extra=extra_of(fields, tuple(filter(None, (of_text, of_url, of_title)))),
            )
            documents.append(document)
            if url is not None:
                keys.setdefault(url, document.document_id)
            for key in _references(
                next((fields[key] for key in _OWN_INDEX if key in fields), None)
            ):
                keys.setdefault(key, document.document_id)
    return documents, keys


def _references(value: Any) -> list[int | str]:
    """Return the indices or addresses in a value: 3, "3", "1, 3", [1, 3] or addresses."""
    if isinstance(value, list):
        return [name for each in value for name in _references(each)]
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, int):
        return [value]
    if isinstance(value, dict):
        return _references(
            next((value[name] for name in (*_OWN_INDEX, *_URL) if name in value), None)
        )
    text = str(value).strip()
    return [text] if "://" in text else [int(number) for number in re.findall(r"\d+", text)]


def _first_text(fields: Mapping[str, Any], names: Sequence[str]) -> tuple[str | None, str | None]:
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return value, name
    return None, None


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".?!")
