"""Prompt files: named slots, filling them safely, and saying which wording was used.

A slot is a name in braces. `{motion}` (or `{TOPIC}`), `{speech}` (or `{SPEECH}`), `{question}`,
`{scale_min}` and `{scale_max}` exist. A name in double braces and braces around anything but a
name stay as they are written.

The shipped wordings are our own. `prompts/instruments.toml` names the published instrument each
stands for and holds the hash of the printed wording, white space normalised, so that a user's file
with that wording is recognised. A template's label says which wording was used, and no table pools
two labels:

| the text comes from | label | wording |
|---|---|---|
| the shipped file, or a copy of it | `speech_score` | `equivalent` |
| a user's file with the printed wording | `speech_score@verbatim` | `verbatim` |
| any other text of a user's | `speech_score@` and 8 digits of its hash | `custom` |
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from inference.errors import BadTemplate

SHIPPED = Path(__file__).parent / "prompts"
SLOTS = ("motion", "question", "scale_max", "scale_min", "speech")
ALIASES: Mapping[str, str] = {"TOPIC": "motion", "SPEECH": "speech"}

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_SLOT = re.compile(r"(?<!\{)\{([A-Za-z_]+)\}(?!\})")
_TAG = re.compile(r"</?\s*([A-Za-z_]+)\s*>")
# The answer tags are protected also where a user's wording does not mention them.
_ANSWER_TAGS = frozenset({"score", "scratchpad"})


@dataclass(frozen=True)
class Instrument:
    """A published instrument, as `instruments.toml` registers it.

    Attributes:
        name: The template's name.
        figure: Where it is printed.
        is_justified: Whether it asks for reasons before the score.
        scale_min: The lowest score it offers.
        scale_max: The highest.
        equivalent_sha256: Of the wording shipped here.
        verbatim_sha256: Of the printed wording.
    """

    name: str
    figure: str
    is_justified: bool
    scale_min: int
    scale_max: int
    equivalent_sha256: str
    verbatim_sha256: str


@dataclass(frozen=True)
class Template:
    """A prompt with slots.

    Attributes:
        label: What its answers are filed under; differs between wordings.
        instrument: The file's name without its ending.
        wording: `equivalent`, `verbatim` or `custom`.
        text: The text with its slots.
        prompt_hash: SHA-256 of the text with white space normalised.
        is_justified: Whether it asks for reasons before the score.
        scale: The lowest and highest score its wording offers; None where it has slots for them
            or does not say.
    """

    label: str
    instrument: str
    wording: str
    text: str
    prompt_hash: str
    is_justified: bool
    scale: tuple[int, int] | None

    @cached_property
    def slots(self) -> frozenset[str]:
        """The slots the text uses, by their own names."""
        return frozenset(ALIASES.get(name, name) for name in _SLOT.findall(self.text))

    @cached_property
    def _protected(self) -> re.Pattern[str]:
        names = {name.lower() for name in _TAG.findall(self.text)} | _ANSWER_TAGS
        return re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(sorted(names))})\b)", re.IGNORECASE)

    def render(self, values: Mapping[str, str]) -> str:
        """Fill the slots, in one pass: a slot's name inside a text stays text.

        No text can end its own tag or answer for the judge: in what is filled in, the `<` of every
        tag the template or its answer format uses becomes `&lt;`.

        Args:
            values: A text for every slot, by the slots' own names.
        """
        return _SLOT.sub(
            lambda slot: self._protected.sub("&lt;", values[ALIASES.get(slot[1], slot[1])]),
            self.text,
        )


def normalised_sha256(text: str) -> str:
    """Return the SHA-256 of a text whose every run of white space counts as one space."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()


def load_instruments() -> dict[str, Instrument]:
    """Return the registered instruments by name."""
    content = tomllib.loads((SHIPPED / "instruments.toml").read_text(encoding="utf-8"))
    return {name: Instrument(name=name, **entry) for name, entry in content.items()}


def load_template(name: str, prompts_folder: Path | None = None) -> Template:
    """Return a template by name: the user's file where there is one, else the shipped one.

    Args:
        name: The file's name without `.txt`.
        prompts_folder: The user's own prompts.

    Raises:
        BadTemplate: There is no such file, or it cannot be used.
    """
    if _NAME.fullmatch(name) is None:
        raise BadTemplate(
            f"templates: '{name}' is no template name; expected small letters, digits, _ and -"
        )
    own = prompts_folder / f"{name}.txt" if prompts_folder is not None else None
    path = own if own is not None and own.is_file() else SHIPPED / f"{name}.txt"
    if not path.is_file():
        shipped = ", ".join(sorted(file.stem for file in SHIPPED.glob("*.txt")))
        raise BadTemplate(
            f"templates: no prompt named '{name}'; shipped are {shipped}; to use your own, write "
            f"it to {own or f'prompts/{name}.txt in your home'}"
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadTemplate(f"templates: {path} is not UTF-8 text: {error.reason}") from None
    _check_slots(path, text)
    return _recognised(name, path, text)


def _check_slots(path: Path, text: str) -> None:
    used = set(_SLOT.findall(text))
    unknown = sorted(used - set(SLOTS) - set(ALIASES))
    known = ", ".join(f"{{{slot}}}" for slot in (*SLOTS, *ALIASES))
    if unknown:
        raise BadTemplate(
            f"templates: {path} uses the slot '{{{unknown[0]}}}', which does not exist; the slots "
            f"are {known}"
        )
    if not used & {"speech", "SPEECH"}:
        raise BadTemplate(
            f"templates: {path} has no {{speech}} slot, so the judge would not see the speech; "
            f"the slots are {known}"
        )


def _recognised(name: str, path: Path, text: str) -> Template:
    prompt_hash = normalised_sha256(text)
    instruments = load_instruments()
    for other in instruments.values():
        if other.name != name and prompt_hash in (other.equivalent_sha256, other.verbatim_sha256):
            raise BadTemplate(
                f"templates: {path} holds the wording of '{other.name}' ({other.figure}); rename "
                f"it to {other.name}.txt, so that its answers are filed under their own name"
            )
    facts: dict[str, Any] = {"instrument": name, "text": text, "prompt_hash": prompt_hash}
    instrument = instruments.get(name)
    if instrument is not None:
        facts["scale"] = (instrument.scale_min, instrument.scale_max)
        if prompt_hash == instrument.equivalent_sha256:
            return Template(
                label=name, wording="equivalent", is_justified=instrument.is_justified, **facts
            )
        if prompt_hash == instrument.verbatim_sha256:
            label = f"{name}@verbatim"
            return Template(
                label=label, wording="verbatim", is_justified=instrument.is_justified, **facts
            )
    facts["scale"] = None
    label = f"{name}@{prompt_hash[:8]}"
    is_justified = "<scratchpad>" in text.lower()
    return Template(label=label, wording="custom", is_justified=is_justified, **facts)
