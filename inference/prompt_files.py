"""Prompts that prepare data rather than judge it: wordings with slots, filled safely.

They lie in folders below `prompts/`, each with an `instruments.toml` that names where the prompt is
printed or described and holds the hash of that wording, white space normalised. A file of the same
name in the user's own prompts takes their place. The wording is always recorded: `equivalent` for
ours, `verbatim` for the printed wording, `custom` for any other.
"""

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from inference.errors import BadTemplate
from inference.templates import SHIPPED, normalised_sha256

_SLOT = re.compile(r"\{([a-z_]+)\}")
_KINDS = ("equivalent", "verbatim")
_TAG = re.compile(r"</?\s*([A-Za-z_]+)[^<>]*>")


@dataclass(frozen=True)
class Prompt:
    """A wording with slots.

    Attributes:
        name: The file's name without its ending.
        wording: `equivalent`, `verbatim` or `custom`.
        prompt_hash: SHA-256 of the text with white space normalised.
    """

    name: str
    wording: str
    text: str
    prompt_hash: str

    @cached_property
    def _protected(self) -> re.Pattern[str]:
        names = sorted({name.lower() for name in _TAG.findall(self.text)} | {"document"})
        return re.compile(rf"<(?=\s*+/?\s*+(?:{'|'.join(names)})\b)", re.IGNORECASE)

    def safe(self, text: str) -> str:
        """Return a text that cannot end a tag of the prompt: its `<` becomes `&lt;`."""
        return self._protected.sub("&lt;", text)

    def fill(self, values: Mapping[str, str], ready: Collection[str] = ()) -> str:
        """Fill the slots, in one pass: a slot's name inside a text stays text.

        Args:
            ready: The slots whose texts have tags of their own and are safe already.
        """
        texts = {name: text if name in ready else self.safe(text) for name, text in values.items()}
        return _SLOT.sub(lambda slot: texts[slot[1]], self.text)


class PromptFile(NamedTuple):
    """A prompt's file: its folder below the shipped ones, its name, and all of its slots."""

    folder: str
    name: str
    slots: tuple[str, ...]

    def load(self, prompts_folder: Path | None = None) -> Prompt:
        """Return the prompt: the user's file where there is one, else the shipped one."""
        name, shipped = self.name, SHIPPED / self.folder
        own = None if prompts_folder is None else prompts_folder / f"{name}.txt"
        path = own if own is not None and own.is_file() else shipped / f"{name}.txt"
        try:
            text = path.read_text(encoding="utf-8-sig").rstrip()
        except (OSError, UnicodeDecodeError) as error:
            raise BadTemplate(f"prompts: cannot read {path}: {error}; save it as UTF-8") from None
        found = set(_SLOT.findall(text))
        if found != set(self.slots):
            wanted = ", ".join(f"{{{slot}}}" for slot in sorted(self.slots))
            raise BadTemplate(
                f"prompts: {path} has the slots {', '.join(sorted(found)) or 'none'}; expected "
                f"exactly {wanted}"
            )
        registered = tomllib.loads((shipped / "instruments.toml").read_text(encoding="utf-8"))[name]
        prompt_hash = normalised_sha256(text)
        known = {registered.get(f"{kind}_sha256"): kind for kind in _KINDS}
        return Prompt(name, known.get(prompt_hash, "custom"), text, prompt_hash)
