"""Prompt files: named slots, filling them safely, and saying which wording was used.

A slot is a name in braces. `template_kinds` declares the slots of each kind of prompt with the
names that papers have for them, and docs/experiments.md explains them. A name in double braces and
braces around anything but a name stay as they are written.

A prompt may have a line `=== user ===`: above it stands the system turn, below it the user's. What
it has below the line `=== turn ===` is how each turn of a debate is put, with `{speaker}` and
`{speech}`; the slot that stands for all turns has an empty line between them. A prompt that has no
such part takes the shipped one's.

The shipped wordings are our own. `prompts/instruments.toml` names the published instrument each
stands for and holds the hash of the printed wording, white space normalised, so that a user's file
with that wording is recognised. A template's label says which wording was used, and no table pools
two labels:

| the text comes from | label | wording |
|---|---|---|
| the shipped file, or a copy of it | `speech_score` | `equivalent` |
| a user's file with the printed wording | `speech_score@verbatim` | `verbatim` |
| `pd_restate` and `pd_none`, shipped as printed | `pd_restate` | `verbatim` |
| any other text of a user's | `speech_score@` and 8 digits of its hash | `custom` |
"""

import hashlib
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from inference.errors import BadTemplate
from inference.template_kinds import (
    DEBATE,
    SLOT,
    SPEECH,
    TEMPLATE_KINDS,
    TURN_SLOTS,
    TemplateKind,
    checked_kind,
)

SHIPPED = Path(__file__).parent / "prompts"
# The sentence behind the system turn, where an arm asks for a length.
LENGTH_SENTENCE = "length_control"
_TURN = """<speech by="{speaker}">
{speech}
</speech>"""

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_TAG = re.compile(r"</?\s*([A-Za-z_]+)\s*>")
_USER_LINE = re.compile(r"^=== user ===[ \t]*\r?\n", re.MULTILINE)
_TURN_LINE = re.compile(r"^=== turn ===[ \t]*\r?\n", re.MULTILINE)
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")
# The answer tags are protected also where a user's wording does not mention them.
_ANSWER_TAGS = frozenset({"score", "scratchpad"})
# Which of a turn's quotes the story has, as prompts explain it.
_QUOTE_TAG = re.compile(r"<(/?[vu]_quote)(?=>)")
# How a prompt of a user's says that its answer is the last line, behind the reasons.
_LAST_LINE = re.compile(r"\b(?:last|final) line\b", re.IGNORECASE)


@dataclass(frozen=True)
class Instrument:
    """A published instrument, as `instruments.toml` registers it.

    Attributes:
        figure: Where it is printed or described.
        is_justified: Whether it asks for reasons before the answer.
        verbatim_sha256: Of the printed wording; None where none is printed.
        scale_min: The lowest score it offers; None where it asks for no score.
        task: What it asks of a parliamentary debate, or about a story; None for other prompts.
    """

    name: str
    title: str
    figure: str
    is_justified: bool
    equivalent_sha256: str
    verbatim_sha256: str | None = None
    scale_min: int | None = None
    scale_max: int | None = None
    task: str | None = None

    @property
    def scale(self) -> tuple[int, int] | None:
        """The lowest and highest score; None where it asks for no score."""
        if self.scale_min is None or self.scale_max is None:
            return None
        return self.scale_min, self.scale_max


@dataclass(frozen=True)
class Template:
    """A prompt with slots.

    Attributes:
        label: What its answers are filed under; differs between wordings.
        instrument: The file's name without its ending.
        wording: `equivalent`, `verbatim` or `custom`.
        prompt_hash: SHA-256 of the file's text with white space normalised.
        is_justified: Whether it asks for reasons before the answer.
        scale: The lowest and highest score its wording offers; None where it has slots for them
            or does not say.
        turn: How one turn of a debate is put; None for other prompts.
        kind: What it asks about: `speech`, `debate`, `question`, `answer`, `parliamentary
            debate`, `question about a story` or `topic to speak on`; `length` for the sentence that
            asks for one.
        system: What the system turn says; None for prompts that have none.
        task: What it asks of a parliamentary debate, or about a story; None where only its author
            knows.
    """

    label: str
    instrument: str
    wording: str
    text: str
    prompt_hash: str
    is_justified: bool
    scale: tuple[int, int] | None
    turn: str | None = None
    kind: str = SPEECH
    system: str | None = None
    task: str | None = None

    @property
    def _rules(self) -> TemplateKind:
        return TEMPLATE_KINDS[self.kind]

    @cached_property
    def slots(self) -> frozenset[str]:
        """The slots the text uses, by their own names."""
        return frozenset(map(self._own_name, SLOT.findall(self.text + (self.system or ""))))

    def _cut(self, text: str) -> list[str]:
        """Cut a text at its slots: what precedes a slot, the slot's own name, and so on."""
        pieces = SLOT.split(text)
        pieces[1::2] = map(self._own_name, pieces[1::2])
        return pieces

    @cached_property
    def _pieces(self) -> tuple[str, ...]:
        return tuple(self._cut(self.text))

    @cached_property
    def _protected(self) -> re.Pattern[str]:
        tags = _TAG.findall("\n".join((self.text, self.turn or "", self.system or "")))
        names = {name.lower() for name in tags} | _ANSWER_TAGS
        names |= self._rules.tags
        return re.compile(rf"<(?=\s*+/?\s*+(?:{'|'.join(sorted(names))})\b)", re.IGNORECASE)

    def render(
        self,
        values: Mapping[str, str],
        turns: Iterable[tuple[str, str]] = (),
        *,
        is_safe: bool = True,
        ready: Collection[str] = (),
    ) -> str:
        """Fill the slots, in one pass: a slot's name inside a text stays text.

        No text can end its own tag or answer for the judge: in what is filled in, the `<` of every
        tag the template or its answer format uses becomes `&lt;`.

        Args:
            values: A text for every slot but that of all turns, by the slots' own names.
            turns: The speaker and the text of each turn of a debate, or of the notes on it.
            is_safe: Whether tags are made harmless; not where no model answers, and every character
                of what is filled in counts.
            ready: The slots whose texts have tags of their own and are safe already.
        """
        rules, names = self._rules, self.slots - set(self._rules.turns)
        kept = ready if is_safe else names
        safe = {name: values[name] if name in kept else self._safe(values[name]) for name in names}
        if self.turn is not None:
            safe_turn = self._safe_turn if rules.marks_quotes else self._safe
            shown = []
            for turn in turns:
                texts = dict(zip(TURN_SLOTS, map(safe_turn, turn), strict=True))
                pieces = SLOT.split(self.turn)
                pieces[1::2] = [texts[name] for name in pieces[1::2]]
                shown.append("".join(pieces))
            safe |= dict.fromkeys(rules.turns, "\n\n".join(shown))
        filled = list(self._pieces)
        if rules.drops_empty:
            paragraphs = []
            for paragraph in _PARAGRAPHS.split(self.text):
                slots = [self._own_name(name) for name in SLOT.findall(paragraph)]
                if not slots or any(safe[name].strip() for name in slots):
                    paragraphs.append(paragraph)
            filled = self._cut("\n\n".join(paragraphs))
        filled[1::2] = [safe[name] for name in filled[1::2]]
        return "".join(filled)

    def render_system(self, values: Mapping[str, str]) -> str:
        """Fill the slots of the system turn, as `render` fills those of the prompt."""
        pieces = self._cut(self.system or "")
        pieces[1::2] = [self._safe(values[name]) for name in pieces[1::2]]
        return "".join(pieces)

    def _safe(self, text: str) -> str:
        return self._protected.sub("&lt;", text) if "<" in text else text

    def _safe_turn(self, text: str) -> str:
        """Return a turn about a story, whose quotes were marked when they were looked up."""
        kept = _QUOTE_TAG.sub(lambda tag: f"\0{tag[1]}", text.replace("\0", ""))
        return self._safe(kept).replace("\0", "<")

    def _own_name(self, name: str) -> str:
        return self._rules.aliases.get(name, name)


def normalised_sha256(text: str) -> str:
    """Return the SHA-256 of a text whose every run of white space counts as one space."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()


@cache
def load_instruments() -> Mapping[str, Instrument]:
    """Return the registered instruments by name."""
    content = tomllib.loads((SHIPPED / "instruments.toml").read_text(encoding="utf-8"))
    return {name: Instrument(name=name, **entry) for name, entry in content.items()}


def load_template(name: str, prompts_folder: Path | None = None) -> Template:
    """Return a template by name: the user's file where there is one, else the shipped one.

    Args:
        name: The file's name without `.txt`.

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
    main, *turn = _TURN_LINE.split(text)
    system, *user = _USER_LINE.split(main)
    kind = checked_kind(path, main, turn, user)
    found, rules = _recognised(name, path, text), TEMPLATE_KINDS[kind]
    has_own_turn = rules.has_system and bool(user)
    # White space at the end would stand between an answer and what is measured behind it.
    return replace(
        found,
        text=rules.cut(user[0] if has_own_turn else main),
        system=(system.strip() or None) if has_own_turn else None,
        turn=(turn[0].strip() if turn else _TURN) if rules.turns else None,
        kind=kind,
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
        facts |= {"scale": instrument.scale, "is_justified": instrument.is_justified}
        facts["task"] = instrument.task
        if prompt_hash == instrument.equivalent_sha256:
            # A request of two words, and no request at all, are shipped as they are printed.
            is_printed = prompt_hash == instrument.verbatim_sha256
            return Template(label=name, wording="verbatim" if is_printed else "equivalent", **facts)
        if prompt_hash == instrument.verbatim_sha256:
            return Template(label=f"{name}@verbatim", wording="verbatim", **facts)
    facts["scale"] = None
    facts["is_justified"] = (
        _LAST_LINE.search(text) is not None
        if DEBATE in SLOT.findall(text)
        else "<scratchpad>" in text.lower()
    )
    return Template(label=f"{name}@{prompt_hash[:8]}", wording="custom", **facts)
