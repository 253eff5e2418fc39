"""Transcripts of British Parliamentary debates: a tag per speech, `<PM>` to `</PM>`.

Nothing is guessed: a transcript whose tags are not those of the eight speeches, once each and in
their order, says what is wrong with it, and what could be read is kept.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inference.parliamentary.items import ROLES
from ingestion.errors import SourceUnreadable
from ingestion.parliamentary.batch import speech_of
from warehouse.records.core import Speech

# The longest of an hour's debates has some three hundred thousand characters.
MAX_BYTES = 8 << 20
_TAG = re.compile(rf"<\s*(/?)\s*({'|'.join(ROLES)})\s*>", re.IGNORECASE)
_NO_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class TaggedSpeech:
    """One speech of a transcript: its role and what stands between its tags."""

    role: str
    text: str


@dataclass(frozen=True)
class TaggedTranscript:
    """What a transcript holds.

    Attributes:
        speeches: The speeches in the order of the file, each role at most once, none empty.
        problem: Why they are not the eight of a debate; None when they are.
        stray_words: Words outside all tags, which belong to no speech.
    """

    speeches: Sequence[TaggedSpeech]
    problem: str | None
    stray_words: int = 0

    def as_speeches(self, of: Mapping[str, Any], source: str) -> list[Speech]:
        """Return the speeches as rows of the debate `of` names; `source` made the transcript."""
        return [
            speech_of(of, place, speech.role, source=source, text=speech.text)
            for place, speech in enumerate(self.speeches, start=1)
        ]


def title_key(title: str) -> str:
    """Return what spellings of one title have in common: its letters and digits, in small."""
    folded = unicodedata.normalize("NFKC", title).casefold()
    return " ".join(_NO_WORD.sub(" ", folded).split())


def transcript_text(content: bytes, shown: str) -> str:
    """Return a transcript's text.

    Raises:
        SourceUnreadable: It is too large, or not UTF-8.
    """
    if len(content) > MAX_BYTES:
        raise SourceUnreadable(
            f"ingestion: {shown} has more than {MAX_BYTES >> 20} MiB; expected the transcript of "
            "one debate: split it"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceUnreadable(
            f"ingestion: {shown} is not UTF-8 (byte {error.start}); save it as UTF-8"
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_tagged(text: str) -> TaggedTranscript:
    """Return the speeches of a tagged transcript, and what is wrong with it.

    Tags are read in any case. Of a role tagged twice the first speech is kept. A speech that is not
    closed ends where the next begins.
    """
    found: dict[str, str] = {}
    problems: list[str] = []
    stray = start = 0
    opened: str | None = None

    def close(end: int) -> None:
        nonlocal opened
        role, opened = opened, None
        spoken = text[start:end].strip()
        if role is None:
            return
        if role in found:
            problems.append(f"{role.upper()} is tagged twice")
        elif not spoken:
            problems.append(f"{role.upper()} has no text")
        else:
            found[role] = spoken

    for tag in _TAG.finditer(text):
        is_end, role = bool(tag[1]), tag[2].lower()
        if opened is None:
            stray += len(text[start : tag.start()].split())
            if is_end:
                problems.append(f"{role.upper()} is closed and not open")
        elif is_end and role == opened:
            close(tag.start())
        elif is_end:
            problems.append(f"{opened.upper()} is closed as {role.upper()}")
            close(tag.start())
        else:
            problems.append(f"{opened.upper()} is not closed before {role.upper()}")
            close(tag.start())
        if not is_end:
            opened = role
        start = tag.end()
    if opened is None:
        stray += len(text[start:].split())
    else:
        problems.append(f"{opened.upper()} is not closed")
        close(len(text))
    problems += _against_the_roles(list(found))
    speeches = [TaggedSpeech(role, spoken) for role, spoken in found.items()]
    return TaggedTranscript(speeches, "; ".join(problems) or None, stray)


def _against_the_roles(roles: Sequence[str]) -> list[str]:
    """Say which of the eight speeches are missing, and which stand in the wrong place."""
    problems = []
    if lacking := [role.upper() for role in ROLES if role not in roles]:
        problems.append(f"no speech of {', '.join(lacking)}")
    order = [role for role in ROLES if role in roles]
    if list(roles) != order:
        problems.append(f"out of order: {', '.join(role.upper() for role in roles)}")
    return problems
