"""Raw transcripts: plain or tagged text, SubRip (srt) and WebVTT (vtt).

Who speaks is read where a file says it in a way that means nothing else: a tag such as `<PM>`, a
voice tag of WebVTT, or a line that begins with a role's name or `Speaker 3` and a colon. Any other
word before a colon is part of the speech.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from inference.errors import TranscriptionFailed
from inference.parliamentary.transcription.records import Utterance
from warehouse.records.bp import ROLES, SPOKEN_NAMES

_TAG = re.compile(rf"<\s*+(/?)\s*+({'|'.join(sorted(ROLES, key=len, reverse=True))})\s*>", re.I)
SUFFIXES = (".txt", ".md", ".srt", ".vtt")
# An hour's debate is a hundredth of it.
_LARGEST_BYTES = 20 * 2**20
_TIMES = re.compile(
    r"(?:(\d+):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})\s*-->\s*(?:(\d+):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
)
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
_MARKUP = re.compile(r"</?(?:v|c|i|b|u|lang|ruby|rt|\d\d:[\d:.]+)(?:[.\s][^>]*)?>")
_LABEL = re.compile(r"\s*\[?([A-Za-z][A-Za-z _]{1,40}?\s?_?\d{0,2})\]?\s*:\s+(?=\S)")
_NUMBERED = re.compile(r"speaker[ _]?\d{1,2}", re.IGNORECASE)


def role_of(label: str) -> str | None:
    """Return the role a label names, such as `DPM` or `Leader of Opposition`; None for others."""
    words = " ".join(re.findall(r"[a-z]+", label.lower())).replace(" the ", " ")
    words = words.removeprefix("the ").replace(" for ", " of ")
    return words if words in ROLES else SPOKEN_NAMES.get(words)


def read_transcript(path: Path) -> list[Utterance]:
    """Return the utterances of a transcript, in its order.

    Raises:
        TranscriptionFailed: It cannot be read, is too large, or there is no word in it.
    """
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise TranscriptionFailed(
                f"transcripts: {path} is larger than {_LARGEST_BYTES // 2**20} MB; name the "
                "transcript of one debate"
            )
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise TranscriptionFailed(
            f"transcripts: cannot read {path}: {error}; save it as UTF-8 text"
        ) from None
    is_timed = path.suffix.lower() in (".srt", ".vtt")
    found = list(_cues(text, path) if is_timed else _lines(text, path))
    if not any(each.text for each in found):
        raise TranscriptionFailed(f"transcripts: there is no word in {path}; name another file")
    return found


def _lines(text: str, path: Path) -> Iterator[Utterance]:
    """Yield the paragraphs of a text, with the role of their tag."""
    role: str | None = None
    speaker: str | None = None
    begin = 0
    for tag in [*_TAG.finditer(text), None]:
        for line in text[begin : tag.start() if tag else len(text)].splitlines():
            begins, said = (0, speaker) if role else _label(line) or (0, speaker)
            speaker = said
            if line.strip():
                yield Utterance(" ".join(line[begins:].split()), speaker=speaker, role=role)
        if tag is None:
            break
        begin, name = tag.end(), tag[2].lower()
        is_end = bool(tag[1])
        if (role is None) == is_end or (is_end and role != name):
            place = text.count("\n", 0, tag.start()) + 1
            open_one = f"within <{role.upper()}>" if role else "where no speech is open"
            raise TranscriptionFailed(
                f"transcripts: {path}, line {place}: {tag[0]} stands {open_one}; each speech "
                "begins with <PM> (or another of the eight roles) and ends with </PM>"
            )
        role, speaker = None if is_end else name, None
        if role is not None:
            # A tag without a word in it is a speech that is there and empty.
            yield Utterance("", role=role)
    if role is not None:
        raise TranscriptionFailed(
            f"transcripts: {path}: <{role.upper()}> has no end; put </{role.upper()}> behind the "
            "speech"
        )


def _cues(text: str, path: Path) -> Iterator[Utterance]:
    before = 0.0
    for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n").replace("\r", "\n")):
        lines = block.strip().split("\n")
        at = next((n for n, line in enumerate(lines[:2]) if _TIMES.search(line)), None)
        if at is None:
            continue
        times = _TIMES.search(lines[at])
        if times is None:  # pragma: no cover  (just found)
            continue
        start, end = _seconds(times.groups()[:4]), _seconds(times.groups()[4:])
        if end < start or start < before:
            raise TranscriptionFailed(
                f"transcripts: {path}: the cue '{lines[at].strip()}' ends before it begins, or "
                "begins before the one above it; put the cues in order"
            )
        before = start
        said = " ".join(lines[at + 1 :])
        voice = _VOICE.search(said)
        plain = " ".join(_MARKUP.sub("", said).split())
        label = _label(plain)
        if label:
            plain = plain[label[0] :]
        if plain:
            speaker = voice[1].strip() if voice else label[1] if label else None
            yield Utterance(plain, start, end, speaker)


def _label(line: str) -> tuple[int, str] | None:
    """Return where the speech behind a label begins, and the label; None where there is none."""
    found = _LABEL.match(line)
    if found and (role_of(found[1]) or _NUMBERED.fullmatch(found[1].strip())):
        return found.end(), found[1].strip()
    return None


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = parts
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return whole + float(f"0.{fraction or 0}")
