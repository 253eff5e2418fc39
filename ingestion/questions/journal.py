"""Journal lines about debatable questions: what models answered, what evaluators found in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import duckdb

from ingestion.batch import Reject
from ingestion.journal_fields import NUMBER, TEXT, TRUTH, WHOLE, check, check_if_any
from ingestion.json_values import as_json
from ingestion.questions.texts import answer_id, question_of

# How a question was put to the model.
ASKED = {
    "temperature": NUMBER, "top_p": NUMBER, "target_tokens": WHOLE, "retrieval": TEXT,
    "is_trusted_only": TRUTH,
}  # fmt: skip
_NO_RETRIEVAL = "none"
_OF_ALL = (
    "request_id", "dataset_id", "template", "wording", "prompt_hash", "answered_at",
    "source_record", "line_number", "extra",
)  # fmt: skip
_PAIR = {"partial_answer_id": TEXT, "status": TEXT}
_PAIR_IF_ANY = {
    "text_hash": TEXT, "value": NUMBER, "logprob_sum": NUMBER, "token_count": WHOLE,
    "context_token_count": WHOLE,
}  # fmt: skip
# What an answer's documents hold, and each chunk and page of them.
_DOCUMENTS = {"retriever": TEXT, "status": TEXT}
_CHUNK = {
    "document_id": TEXT, "position": WHOLE, "similarity": NUMBER, "search": WHOLE,
    "text_hash": TEXT,
}  # fmt: skip
_CHUNK_IF_ANY = {"question_id": TEXT, "url": TEXT}
_PAGE = {"address": TEXT, "status": TEXT}
_PAGE_IF_ANY = {"detail": TEXT, "sha256": TEXT}
# Of `_PAIR` and `_PAIR_IF_ANY`, what an evaluator may have computed as infinite or as no number.
_COMPUTED = ("value", "logprob_sum")
_SCORED, _NOT_FINITE = "scored", "not_finite"
# Failures of a whole request: those that are each perspective's outcome, and one that has none.
_WHOLE_STATUSES = ("context_overflow", "empty_answer")
_NO_PERSPECTIVES = "no_partial_answers"


def add_reply(row: dict[str, Any], line: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Complete the row of `raw.answers` of a line about a question; return its documents' rows.

    Args:
        row: The row, with what all answer lines have.
        line: The line.
    """
    check(line, {"item_id": TEXT})
    row |= check_if_any(line, ASKED)
    row["retrieval"] = row["retrieval"] or _NO_RETRIEVAL
    row["question_id"] = line["item_id"]
    row["answer_id"] = answer_id(line["item_id"], line["request_id"])
    if line["status"] == "answered":
        check(line, {"response": TEXT})
        row["word_count"] = len(row["response"].split())
    return _add_documents(row, line.get("documents"))


def _add_documents(row: dict[str, Any], documents: Any) -> dict[str, list[dict[str, Any]]]:
    """Complete an answer's row by what the journal says of its documents; return their rows."""
    if documents is None:
        return {}
    if not isinstance(documents, dict):
        raise TypeError(f"documents should be an object; found {documents!r}")
    check(documents, _DOCUMENTS)
    row["retriever"], row["documents_status"] = documents["retriever"], documents["status"]
    place = {"request_id": row["request_id"], "line_number": row["line_number"]}
    chunks = []
    for rank, chunk in enumerate(_objects(documents, "chunks"), start=1):
        check(chunk, _CHUNK)
        found = {name: chunk[name] for name in _CHUNK} | check_if_any(chunk, _CHUNK_IF_ANY)
        found["chunk"] = found.pop("position")
        chunks.append({**place, "document_rank": rank, **found})
    pages: dict[str, dict[str, Any]] = {}
    for page in _objects(documents, "pages"):
        check(page, _PAGE)
        found = {**place, **check_if_any(page, _PAGE_IF_ANY), "address": page["address"]}
        pages[page["address"]] = {**found, "page_status": page["status"]}
    return {"answer_documents": chunks, "answer_pages": list(pages.values())}


def _objects(documents: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    found = documents.get(name) or []
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise TypeError(f"{name} of documents should be objects; found {found!r}")
    return found


def shared_by_pairs(row: Mapping[str, Any], line: Mapping[str, Any]) -> dict[str, Any]:
    """Return what all rows of `raw.likelihoods` of a line about an answer have in common.

    Args:
        row: What all answer lines have.
        line: The line.
    """
    check(line, {"item_id": TEXT, "metric": TEXT})
    return {name: row[name] for name in _OF_ALL} | {
        "answer_id": line["item_id"],
        "answer_hash": row["item_hash"],
        "metric": line["metric"],
        **check_if_any(line, {"answer_token_count": WHOLE}),
    }


def likelihood_rows(row: Mapping[str, Any], line: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of `raw.likelihoods` of a line about an answer, one per perspective.

    The seconds it took are the whole line's, and stand in its first row alone.

    Args:
        row: What all answer lines have.
        line: The line, with its `likelihoods`.
    """
    shared = shared_by_pairs(row, line)
    if not isinstance(line["likelihoods"], list) or not line["likelihoods"]:
        raise TypeError("likelihoods should be a list with an object per perspective")
    rows: list[dict[str, Any]] = []
    for pair in line["likelihoods"]:
        if not isinstance(pair, dict):
            raise TypeError(f"likelihoods should be objects; found {pair!r}")
        check(pair, _PAIR)
        found = check_if_any(pair, _PAIR_IF_ANY)
        if any(found[name] is not None and not math.isfinite(found[name]) for name in _COMPUTED):
            found |= dict.fromkeys(_COMPUTED)
            found["status"] = _NOT_FINITE if pair["status"] == _SCORED else pair["status"]
        tokens = pair.get("token_logprobs")
        rows.append(
            shared
            | {name: pair[name] for name in _PAIR}
            | found
            | {
                "token_logprobs": None if tokens is None else as_json(tokens),
                "latency_s": None if rows else row["latency_s"],
            }
        )
    return rows


@dataclass
class Unpaired:
    """Requests for likelihoods that brought none.

    Attributes:
        paired: Requests that brought some, be it later.
        failed: The others, with what their rows would share, and why.
    """

    paired: set[str] = field(default_factory=set)
    failed: dict[str, tuple[dict[str, Any], str, str]] = field(default_factory=dict)

    def rows(
        self, connection: duckdb.DuckDBPyConnection, label: str
    ) -> tuple[list[dict[str, Any]], list[Reject]]:
        """Return a row per perspective where the failure says how each came out, else a reject.

        An answer to a question without perspectives has neither: there is nothing to compare.

        Args:
            connection: A connection to the build database.
            label: The journal as messages and tables name it.
        """
        rows: list[dict[str, Any]] = []
        rejects: list[Reject] = []
        for request_id, (shared, kind, words) in self.failed.items():
            if request_id in self.paired or kind == _NO_PERSPECTIVES:
                continue
            if kind not in _WHOLE_STATUSES:
                reason = f"has no likelihoods ({kind}: {words})"
                rejects.append(Reject(label, shared["source_record"], "likelihoods", reason, None))
                continue
            perspectives = connection.execute(
                "select partial_answer_id, text_hash from raw.partial_answers "
                "where question_id = ? order by position",
                [question_of(shared["answer_id"])],
            ).fetchall()
            rows += [
                shared | {"partial_answer_id": identity, "text_hash": text_hash, "status": kind}
                for identity, text_hash in perspectives
            ]
        return rows, rejects
