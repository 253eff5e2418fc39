"""The exact boundary between a context and its continuation, with any tokenizer.

The rule: context and continuation are tokenised apart, and each keeps its own text. No token
reaches over the boundary, white space stays on the side it was written on, and the continuation's
tokens spell the continuation and nothing else. In particular:

- what the tokenizer puts before every text (BOS) stands before the context; what it puts after
  every text (EOS) is left out, for the text goes on;
- a tokenizer that puts a space before every text (Llama 2, most SentencePiece models) does so at
  the beginning of the context, not again at the boundary: a continuation that is to begin with a
  space begins with one;
- a text that contains the name of a special token (`<|im_end|>`) is a text that contains this name:
  it cannot end its own turn;
- a context given as tokens is taken as it is.

Other programs tokenise the joined text and cut it where the context's tokens end. The tokens are
the same wherever no merge reaches over the boundary, which is so behind a chat template whose turns
end in special tokens or line breaks.
"""

import re
from collections.abc import Sequence
from typing import Any

from inference.errors import BadTemplate

# How tokenizers write a space that begins a word.
_SPACES = ("▁", "Ġ")
# Put before a continuation to keep a tokenizer from putting a space there, and taken off again. The
# first that stays apart from the continuation is used.
_GUARDS = ("|", "~", "#", "0", "\n")
# Stand for the turns' texts while a template is filled; private-use characters, in no prose.
_PLACES = ("\ue0f0\ue0f1", "\ue0f2\ue0f3")


class TokenBoundary:
    """One tokenizer's side of the rule."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        full, plain = self._ids("a", special=True), self._ids("a")
        start = _find(plain, full)
        # What stands before every text: usually nothing, or BOS.
        self.before: tuple[int, ...] = tuple(full[:start])
        pieces = tokenizer.convert_ids_to_tokens(plain)
        self._adds_space = bool(pieces) and str(pieces[0]).startswith(_SPACES)

    def context(self, text: str) -> list[int]:
        """Return a context's tokens, with what the tokenizer puts before every text."""
        return [*self.before, *self._ids(text)]

    def chat(
        self, text: str, system: str | None = None, *, add_generation_prompt: bool = False
    ) -> list[int]:
        """Return the tokens of the chat template applied to a text as the only user turn.

        Args:
            system: What the system turn says, if there is to be one.
        """
        if not self._tokenizer.chat_template:
            raise BadTemplate(
                "local: the tokenizer has no chat template; take an instruction-tuned model, or "
                "give the context as a plain text (setting use_chat_template = false)"
            )
        texts = {_PLACES[0]: system, _PLACES[1]: text}
        names = [name for name in self._tokenizer.all_special_tokens if name]
        if not any(name in each for each in texts.values() if each for name in names):
            # The template writes its special tokens itself.
            return self._ids(self._rendered(system, text, add_generation_prompt), split=False)
        rendered = self._rendered(
            None if system is None else _PLACES[0], _PLACES[1], add_generation_prompt
        )
        ids = []
        for part in re.split(f"({'|'.join(_PLACES)})", rendered):
            written = texts.get(part)
            ids += self._ids(part, split=False) if written is None else self._ids(written)
        return ids

    def _rendered(self, system: str | None, text: str, add_generation_prompt: bool) -> str:
        turns = [{"role": "system", "content": system}] if system is not None else []
        turns.append({"role": "user", "content": text})
        try:
            rendered = self._tokenizer.apply_chat_template(
                turns, tokenize=False, add_generation_prompt=add_generation_prompt
            )
        # Templates raise what they like.
        except Exception as error:
            raise BadTemplate(
                f"local: the model's chat template refuses the conversation: {error}; leave out "
                "the setting system_prompt, or set use_chat_template = false"
            ) from None
        return str(rendered)

    def continuation(self, text: str, *, begins_text: bool = False) -> list[int]:
        """Return a continuation's tokens.

        Args:
            begins_text: Whether nothing but special tokens stands before it, so that the tokenizer
                treats it as it treats the beginning of any text.
        """
        if not text or begins_text or not self._adds_space:
            return self._ids(text)
        for guard in _GUARDS:
            alone, joined = self._ids(guard), self._ids(guard + text)
            if joined[: len(alone)] == alone and self._is_apart(guard, text, len(alone)):
                return joined[len(alone) :]
        return self._ids(text)

    def _is_apart(self, guard: str, text: str, count: int) -> bool:
        if not self._tokenizer.is_fast:
            return True
        encoded = self._tokenizer(
            guard + text,
            add_special_tokens=False,
            split_special_tokens=True,
            return_offsets_mapping=True,
            verbose=False,
        )
        offsets = encoded["offset_mapping"]
        before, after = offsets[:count], offsets[count:]
        return all(end <= len(guard) for _, end in before) and all(
            begin >= len(guard) for begin, _ in after
        )

    def _ids(self, text: str, *, special: bool = False, split: bool = True) -> list[int]:
        return ids_of(self._tokenizer, text, special=special, split=split)


def ids_of(tokenizer: Any, text: str, *, special: bool = False, split: bool = True) -> list[int]:
    """Return a text's tokens.

    Args:
        special: Whether the tokens that stand around every text are among them.
        split: Whether what is written like a special token is text like any other.
    """
    # Half a surrogate pair is text in Python, and in no tokenizer.
    text = text.encode("utf-8", "replace").decode("utf-8")
    # verbose: the tokenizer would warn of its own idea of the longest text. The window decides.
    ids = tokenizer(text, add_special_tokens=special, split_special_tokens=split, verbose=False)
    return [int(each) for each in ids["input_ids"]]


def _find(part: Sequence[int], whole: Sequence[int]) -> int:
    for start in range(len(whole) - len(part) + 1):
        if list(whole[start : start + len(part)]) == list(part) and part:
            return start
    # A tokenizer that knows no letter: everything it returns for one stands before the text.
    return len(whole)
