"""Documents that questions are answered from, and which of them come from trusted places."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from inference.errors import BadItems
from inference.items import read_rows

# Top-level domains that were taken as trustworthy when DebateQA was made (its Table 8).
TRUSTED = ("edu", "org", "gov", "info", "pro")

_COLUMNS = ("document_id", "url", "top_level_domain", "title", "text")
_TEXT_FILES = (".md", ".txt")


@dataclass(frozen=True)
class Document:
    """One document.

    Attributes:
        top_level_domain: The last part of its host's name, without a dot; None where unknown.
    """

    document_id: str
    text: str
    url: str | None = None
    top_level_domain: str | None = None
    title: str | None = None

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Document:
        """Return the document with these fields; its domain is the URL's where it is not given."""
        url = fields.get("url")
        domain = fields.get("top_level_domain") or domain_of(url)
        return cls(
            document_id=str(fields["document_id"]),
            text=str(fields["text"]),
            url=url,
            top_level_domain=None if domain is None else _plain(domain),
            title=fields.get("title"),
        )

    def is_trusted(self, domains: Collection[str] = TRUSTED) -> bool:
        """Return whether it is known to come from one of these top-level domains."""
        return self.top_level_domain in {_plain(domain) for domain in domains}


def domain_of(url: str | None) -> str | None:
    """Return the top-level domain of a web address; None where it has none."""
    try:
        host = urlsplit(url or "").hostname or ""
    except ValueError:
        return None
    last = host.rstrip(".").rpartition(".")
    # The last part of a number such as 192.0.2.1 is no domain.
    return last[2] if last[1] and not last[2].isdigit() else None


def read_documents(folder: Path) -> list[Document]:
    """Return the documents of a folder, file by file in the order of their names.

    A `.jsonl` file has one document per line: `text`, and where known `id` (or `document_id`),
    `url`, `top_level_domain` and `title`. A `.txt` or `.md` file is a document whose address nobody
    knows. Blank documents are left out.
    """
    if not folder.is_dir():
        raise BadItems(f"documents: there is no folder {folder}; make it and put documents into it")
    found: list[Document] = []
    for path in sorted(folder.iterdir()):
        if path.suffix == ".jsonl":
            found += [_of_line(path, *line) for line in enumerate(_lines(path), start=1)]
        elif path.suffix in _TEXT_FILES:
            found.append(Document(path.name, _text(path), title=path.stem))
    kept = [document for document in found if document.text.strip()]
    if not kept:
        raise BadItems(
            f"documents: {folder} has no document; put .jsonl, .txt or .md files with text into it"
        )
    _refuse_twins(kept, folder)
    return kept


def documents_of(dataset_id: str, path: Path) -> dict[str, list[Document]]:
    """Return the documents of a data set's documents file, by the question they are about."""
    rows = list(read_rows(dataset_id, path, ("question_id", "position", *_COLUMNS)))
    rows.sort(key=lambda row: (str(row["question_id"]), row["position"] or 0))
    found: dict[str, list[Document]] = {}
    for row in rows:
        found.setdefault(str(row["question_id"]), []).append(Document.of(row))
    return found


def documents_hash(documents: Iterable[Document]) -> str:
    """Return the SHA-256 of all that documents are, in their order."""
    whole = hashlib.sha256()
    for document in documents:
        fields = [getattr(document, name) for name in _COLUMNS]
        whole.update(json.dumps(fields).encode() + b"\n")
    return whole.hexdigest()


def _plain(domain: str) -> str:
    return domain.strip().lower().lstrip(".")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadItems(f"documents: cannot read {path}: {error}; save it as UTF-8 text") from None


def _lines(path: Path) -> list[str]:
    # Not splitlines: JSON leaves some of what that takes for a line's end inside texts.
    return _text(path).removesuffix("\n").split("\n")


def _of_line(path: Path, number: int, line: str) -> Document:
    try:
        fields = json.loads(line)
        texts = (fields["text"], *(fields.get(name) or "" for name in _COLUMNS[1:4]))
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("text, url, top_level_domain and title must be texts")
        name = fields.get("document_id") or fields.get("id") or f"{path.stem}-{number}"
        return Document.of({**fields, "document_id": name})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadItems(
            f"documents: {path}, line {number} is no document ({error!r}); expected a JSON object "
            "with text, and where known id, url, top_level_domain and title"
        ) from None


def _refuse_twins(documents: Iterable[Document], folder: Path) -> None:
    seen: set[str] = set()
    for document in documents:
        if document.document_id in seen:
            raise BadItems(
                f"documents: {folder} has two documents with the id '{document.document_id}'; "
                "rename one"
            )
        seen.add(document.document_id)
