"""The labels' log-probabilities out of those of a reply's tokens."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple


class LabelLogprobs(NamedTuple):
    """What a reply's tokens say of the labels.

    Attributes:
        logprobs: Natural logarithms of the probabilities of the labels that were seen.
        ceiling: The most the log-probability of one that was not can be; None where all were.
    """

    logprobs: Mapping[str, float]
    ceiling: float | None


def at_the_answer(
    tokens: Sequence[tuple[str, Mapping[str, float]]], labels: Collection[str]
) -> LabelLogprobs | None:
    """Return the labels' log-probabilities at the token that is the answer.

    That is the last token that, white space apart, is a label. Several tokens can stand for one
    label (" 4" and "4"): their probabilities add up.

    Args:
        tokens: The reply's tokens, each with all that could have stood in its place.
        labels: The allowed labels.

    Returns:
        None where no token is a label.
    """
    place = next((each for token, each in reversed(tokens) if token.strip() in labels), None)
    if place is None:
        return None
    sums: dict[str, float] = {}
    for token, logprob in place.items():
        label = token.strip()
        if label in labels and math.isfinite(logprob) and logprob <= 0:
            sums[label] = sums.get(label, 0.0) + math.exp(logprob)
    logprobs = {label: min(0.0, math.log(total)) for label, total in sums.items() if total > 0}
    listed = [logprob for logprob in place.values() if math.isfinite(logprob)]
    is_whole = len(logprobs) == len(labels)
    return LabelLogprobs(logprobs, None if is_whole else min(0.0, *listed))
