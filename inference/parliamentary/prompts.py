"""What an adjudicator is told and asked besides the debate: judging manuals, and notes.

A manual tells of the format. Notes on each speech are for judges that cannot read a whole debate at
once; the ruling is then asked for from the notes alone (`judges/noting.py` does both).

A user's manual is `prompts/manuals/NAME.md` (or `.txt`) in the home, and comes before a shipped one
of the same name. Answers are filed under its label: the name alone for the shipped text, else the
name and 8 digits of the text's hash, white space normalised.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from inference.errors import BadTemplate
from inference.parliamentary.items import ParliamentaryDebate, speaker_of
from inference.prompt_files import Prompt, PromptFile
from inference.templates import SHIPPED, normalised_sha256

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_ENDINGS = (".md", ".txt")
NOTE_PROMPT = PromptFile("adjudication", "bp_note", ("info_slide", "motion", "speaker", "speech"))
# A prompt has to say something where there is nothing to show.
_UNKNOWN = {"motion": "(not known)", "info_slide": "(none)"}


@dataclass(frozen=True)
class Manual:
    """A judging manual."""

    name: str
    label: str
    text: str


def load_manual(name: str, prompts_folder: Path | None = None) -> Manual:
    """Return a judging manual by name."""
    if _NAME.fullmatch(name) is None:
        raise BadTemplate(
            f"manuals: '{name}' is no manual's name; expected small letters, digits, _ and -"
        )
    own = None if prompts_folder is None else prompts_folder / "manuals"
    path = _find(name, own)
    if path is None:
        shipped = ", ".join(sorted(file.stem for file in (SHIPPED / "manuals").glob("*.md")))
        place = own or Path("prompts/manuals")
        raise BadTemplate(
            f"manuals: no judging manual named '{name}'; shipped are {shipped}; to use your own, "
            f"write it to {place / f'{name}.md'}"
        )
    text = _read(path)
    if not text:
        raise BadTemplate(
            f"manuals: {path} is empty, so judges would be told nothing; write the manual into it, "
            "or name another as adjudication.manual"
        )
    digest = normalised_sha256(text)
    shipped_file = _find(name, SHIPPED / "manuals")
    is_shipped = shipped_file is not None and normalised_sha256(_read(shipped_file)) == digest
    return Manual(name, name if is_shipped else f"{name}@{digest[:8]}", text)


def _find(name: str, own: Path | None) -> Path | None:
    folders = [folder for folder in (own, SHIPPED / "manuals") if folder is not None]
    files = (folder / f"{name}{ending}" for folder in folders for ending in _ENDINGS)
    return next((file for file in files if file.is_file()), None)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadTemplate(f"manuals: cannot read {path}: {error}; save it as UTF-8") from None


def note_prompts(
    prompt: Prompt, debate: ParliamentaryDebate, values: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the prompts for notes on each speech, in speaking order."""
    shown = {name: values[name] or unknown for name, unknown in _UNKNOWN.items()}
    return tuple(
        prompt.fill({**shown, "speaker": speaker_of(speech.role), "speech": speech.text})
        for speech in debate.speeches
    )
