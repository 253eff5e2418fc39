"""Answers of a causal language model, several at once, none depending on what else is in its batch.

Prompts are padded on the left, and the padding is masked. At temperatures below `GREEDY_BELOW` the
likeliest token is taken. Above, each answer draws from a seeded generator of its own, one number a
token, where the library's sampling would draw one sequence of numbers for the whole batch.

Of the decoding settings that come with a model, its ends of text and its penalties hold; its
temperature, top-p and top-k do not: those are the judge's or the experiment's.
"""

import copy
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

GREEDY_BELOW = 1e-3


@dataclass
class Answer:
    """One answer in progress.

    Attributes:
        limit: The most tokens it may have; prompt and limit together fit the model's window.
        temperature: How far probabilities are flattened before drawing.
        top_p: Of the likeliest tokens, how much probability may be drawn from.
        tokens: Its tokens so far, an end of text included.
        finish_reason: `stop` or `length`; None while it goes on.
    """

    prompt: Sequence[int]
    limit: int
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0
    tokens: list[int] = field(default_factory=list)
    finish_reason: str | None = None
    _generator: Any = None

    @property
    def is_greedy(self) -> bool:
        """Whether the likeliest token is taken."""
        return self.temperature < GREEDY_BELOW

    def draw(self) -> float:
        """Return the next number from 0 to 1 of its own."""
        if self._generator is None:
            self._generator = np.random.Generator(np.random.Philox(key=self.seed))
        return float(self._generator.random())


def generate(
    model: Any,
    answers: Sequence[Answer],
    ends: Sequence[int],
    window: int | None,
    stop: threading.Event,
) -> None:
    """Complete the answers; when `stop` is set, leave them as they are.

    Args:
        stop: Set from another thread to stop after the token at hand.
    """
    while not stop.is_set():
        open_ones = [answer for answer in answers if answer.finish_reason is None]
        if not open_ones:
            return
        _extend(model, open_ones, ends, window, stop)


def _extend(
    model: Any,
    answers: Sequence[Answer],
    ends: Sequence[int],
    window: int | None,
    stop: threading.Event,
) -> None:
    texts = [[*answer.prompt, *answer.tokens] for answer in answers]
    width = max(map(len, texts))
    left = [answer.limit - len(answer.tokens) for answer in answers]
    # A finished row keeps its place until the batch ends, and must not walk out of the window: the
    # batch then ends, and what is not finished goes on in the next.
    steps = max(left) if window is None else min(max(left), window - width)
    pad = ends[0] if ends else 0
    ids = torch.tensor([[pad] * (width - len(text)) + text for text in texts])
    mask = torch.tensor([[0] * (width - len(text)) + [1] * len(text) for text in texts])

    def is_done(input_ids: Any, _scores: Any, **_: Any) -> Any:
        step = input_ids.shape[1] - width
        done = [stop.is_set() or step >= most for most in left]
        return torch.tensor(done, device=input_ids.device)

    def choose(_input_ids: Any, scores: Any) -> Any:
        return _drawn(scores, answers)

    with torch.inference_mode():
        rows = model.generate(
            input_ids=ids.to(model.device),
            attention_mask=mask.to(model.device),
            generation_config=_config(model, steps, ends, pad),
            stopping_criteria=[is_done],
            logits_processor=[] if all(answer.is_greedy for answer in answers) else [choose],
        )[:, width:].tolist()
    for answer, row, most in zip(answers, rows, left, strict=True):
        new = row[:most]
        end = next((place for place, token in enumerate(new) if token in ends), None)
        answer.tokens += new if end is None else new[: end + 1]
        if end is not None:
            answer.finish_reason = "stop"
        elif len(answer.tokens) >= answer.limit:
            answer.finish_reason = "length"


def _config(model: Any, steps: int, ends: Sequence[int], pad: int) -> Any:
    config = copy.deepcopy(model.generation_config)
    changes = {
        "do_sample": False,
        "num_beams": 1,
        "num_return_sequences": 1,
        "temperature": None,
        "top_p": None,
        "top_k": None,
        "min_p": None,
        "typical_p": None,
        "max_length": None,
        "max_new_tokens": steps,
        "pad_token_id": pad,
        "eos_token_id": list(ends) or None,
        "return_dict_in_generate": False,
    }
    for name, value in changes.items():
        setattr(config, name, value)
    return config


def _drawn(scores: Any, answers: Sequence[Answer]) -> Any:
    """Return scores under which the likeliest token is the one each answer has drawn."""
    chosen = scores.argmax(dim=-1)
    for row, answer in enumerate(answers):
        if answer.is_greedy:
            continue
        ranked, order = torch.sort(
            torch.softmax(scores[row].float() / answer.temperature, dim=-1), descending=True
        )
        sums = ranked.double().cumsum(dim=-1)
        # The fewest tokens that hold top_p of the probability, at least one.
        kept = max(1, int((sums - ranked < answer.top_p).sum()))
        aim = answer.draw() * float(sums[kept - 1])
        place = min(int((sums[:kept] <= aim).sum()), kept - 1)
        chosen[row] = order[place]
    fixed = torch.full_like(scores, torch.finfo(scores.dtype).min)
    return fixed.scatter_(-1, chosen[:, None], 0.0)
