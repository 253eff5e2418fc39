"""Local encoders: mean-pooled states of texts, and a cross-encoder's scores of pairs.

Nothing is cut: a text longer than the model's window is read in several windows, and its mean is
over the tokens of all of them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from inference.errors import EmbeddingFailed, ModelUnavailable
from inference.local.models import load_model, load_tokenizer
from inference.questions.chunking import Spans
from inference.questions.perplexity import window_of
from inference.registry import JudgeSpec


class TextEncoder:
    """A model whose last hidden states are averaged over a text's tokens."""

    def __init__(self, spec: JudgeSpec) -> None:
        self._spec = spec
        self._tokenizer = load_tokenizer(spec)
        self._model = load_model(spec, "AutoModel")
        self._window = _window(self._model, self._tokenizer)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the mean state of each text, not brought to any length.

        Args:
            texts: The texts, none of them blank.
        """
        windows = [(place, ids) for place, text in enumerate(texts) for ids in self._parts(text)]
        sums = np.zeros((len(texts), int(self._model.config.hidden_size)))
        counts = np.zeros(len(texts))
        size = int(self._spec.settings["batch_size"])
        for start in range(0, len(windows), size):
            batch = windows[start : start + size]
            states = state_sums(self._model, [ids for _, ids in batch]).numpy()
            for (place, ids), state in zip(batch, states, strict=True):
                sums[place] += state
                counts[place] += len(ids)
        return sums / counts[:, None]

    def _parts(self, text: str) -> list[list[int]]:
        found = self._tokenizer([text], **_limited(self._window, truncation=True))["input_ids"]
        parts = [list(ids) for ids in found if ids]
        if not parts:
            raise EmbeddingFailed(
                f"local: the tokenizer of '{self._spec.judge_id}' makes no token of the text "
                f"{text[:40]!r}; leave it out"
            )
        return parts


def state_sums(model: Any, rows: Sequence[Sequence[int]]) -> Any:
    """Return the sum of a model's last states over each row's own tokens, in float64.

    Args:
        rows: The tokens of texts, at least one each; they go through the model together.
    """
    longest = max(map(len, rows))
    # What stands in the padding does not matter: it is masked, and not summed.
    ids = torch.zeros((len(rows), longest), dtype=torch.long)
    mask = torch.zeros_like(ids)
    for place, tokens in enumerate(rows):
        ids[place, : len(tokens)] = torch.tensor(tokens)
        mask[place, : len(tokens)] = 1
    ids, mask = ids.to(model.device), mask.to(model.device)
    with torch.inference_mode():
        last = model(input_ids=ids, attention_mask=mask).last_hidden_state
        return (last.double() * mask[:, :, None]).sum(dim=1).cpu()


class PairScorer:
    """A cross-encoder: one number for a query and a text, the larger the better they fit."""

    def __init__(self, spec: JudgeSpec) -> None:
        self._spec = spec
        self._tokenizer = load_tokenizer(spec)
        self._model = load_model(spec, "AutoModelForSequenceClassification")
        outputs = int(self._model.config.num_labels)
        if outputs != 1:
            raise ModelUnavailable(
                f"local: '{spec.judge_id}' has {outputs} outputs, and a reranker has one; choose a "
                "cross-encoder, such as local/BAAI/bge-reranker-base"
            )
        self._window = _window(self._model, self._tokenizer)

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the score of each text; the best of its windows where it does not fit in one."""
        return [max(self._scores(query, text)) for text in texts]

    def _scores(self, query: str, text: str) -> list[float]:
        limit = _limited(self._window, truncation="only_second")
        try:
            found = self._tokenizer([query], [text], **limit)
        except Exception as error:
            # What tokenizers raises here is a class of its own, below nothing else.
            raise EmbeddingFailed(
                f"local: '{self._spec.judge_id}' cannot read the query {query[:40]!r} beside a "
                f"text: {error}; use a shorter query or a model with a longer window"
            ) from None
        names = [name for name in self._tokenizer.model_input_names if name in found]
        scores = []
        for place in range(len(found["input_ids"])):
            row = {
                name: torch.tensor([found[name][place]]).to(self._model.device) for name in names
            }
            with torch.inference_mode():
                scores.append(float(self._model(**row).logits[0, 0]))
        return scores


def token_spans(spec: JudgeSpec) -> Spans:
    """Return a function from a text to the places of its tokens, by a local model's tokenizer."""
    tokenizer = load_tokenizer(spec)

    def spans(text: str) -> list[tuple[int, int]]:
        found = tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        return [(int(begin), int(end)) for begin, end in found["offset_mapping"]]

    return spans


def _window(model: Any, tokenizer: Any) -> int | None:
    """Return the most tokens a model reads at once; None without a limit."""
    # Some configurations count places that no token may take; their tokenizers know.
    limits = [window_of(model.config), int(tokenizer.model_max_length)]
    known = [limit for limit in limits if limit is not None and limit < 1 << 24]
    return min(known) if known else None


def _limited(window: int | None, truncation: bool | str) -> dict[str, Any]:
    """Return the tokenizer's arguments that give every window of a text."""
    if window is None:
        return {}
    return {"truncation": truncation, "max_length": window, "return_overflowing_tokens": True}
