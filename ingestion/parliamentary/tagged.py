"""Tagged transcripts: a tag per speech, `<PM>` to `</PM>`.

Nothing is guessed: a transcript whose tags are not those of the eight speeches, once each and in
their order, has a problem, and what could be read is kept.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ingestion.errors import SourceUnreadable
from ingestion.sources.csv_cells import id_text
from warehouse.records.bp import ROLES

# The longest of an hour's debates has some three hundred thousand characters.
MAX_BYTES = 8 << 20
_SPEECH_TAG = re.compile(rf"<\s*(/?)\s*({'|'.join(ROLES)})\s*>", re.IGNORECASE)
_NAME_CHARS = 300
_NO_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class TaggedSpeech:
    """One speech of a transcript: its role, its text, and who spoke when, if known."""

    role: str
    text: str
    speaker: str | None = None
    start_s: float | None = None
    end_s: float | None = None


@dataclass(frozen=True)
class TaggedTranscript:
    """The content of a transcript.

    Attributes:
        speeches: The speeches in the order of the file, each role at most once, none empty.
        problem: Reason why they are not the eight of a debate.
        stray_words: Number of words outside all tags, which belong to no speech.
    """

    speeches: Sequence[TaggedSpeech]
    problem: str | None
    stray_words: int = 0


def name_of(value: Any) -> str | None:
    """Return a name as records take it: one line, white space runs as one; None where blank."""
    kept = "".join(mark if mark.isprintable() else " " for mark in id_text(value) or "")
    return " ".join(kept.split())[:_NAME_CHARS].strip() or None


def title_key(title: str) -> str:
    """Return a title's letters and digits in lower case, the same for all its spellings."""
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
    """Return the speeches of a tagged transcript, and the problem with it.

    Tags are read in any case. Of a role tagged twice the first speech is kept. A speech that is not
    closed ends where the next begins.
    """
    found: dict[str, str] = {}
    problems: list[str] = []
    stray = start = 0
    opened: str | None = None

    def close(role: str, end: int) -> None:
        spoken = text[start:end].strip()
        if role in found:
            problems.append(f"{role.upper()} is tagged twice")
        elif not spoken:
            problems.append(f"{role.upper()} has no text")
        else:
            found[role] = spoken

    for tag in _SPEECH_TAG.finditer(text):
        is_end, role = bool(tag[1]), tag[2].lower()
        if opened is None:
            stray += len(text[start : tag.start()].split())
            if is_end:
                problems.append(f"{role.upper()} is closed and not open")
        else:
            if not is_end:
                problems.append(f"{opened.upper()} is not closed before {role.upper()}")
            elif role != opened:
                problems.append(f"{opened.upper()} is closed as {role.upper()}")
            close(opened, tag.start())
        opened = None if is_end else role
        start = tag.end()
    if opened is None:
        stray += len(text[start:].split())
    else:
        problems.append(f"{opened.upper()} is not closed")
        close(opened, len(text))
    order = [role for role in ROLES if role in found]
    if lacking := [role.upper() for role in ROLES if role not in found]:
        problems.append(f"no speech of {', '.join(lacking)}")
    if list(found) != order:
        problems.append(f"out of order: {', '.join(role.upper() for role in found)}")
    speeches = [TaggedSpeech(role, spoken) for role, spoken in found.items()]
    return TaggedTranscript(speeches, "; ".join(problems) or None, stray)
