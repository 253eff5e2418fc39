"""From the log-probabilities of labels to probabilities that sum to one, with what is not known.

An endpoint reports only the k likeliest tokens. A label outside them has a probability between 0
and that of the least likely one reported: not 0. So every label gets bounds, and a point value only
where every label was seen.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class LabelProbability(NamedTuple):
    """What is known of one label's probability among the allowed labels.

    Attributes:
        p: The probability, where every allowed label was seen; None elsewhere.
    """

    p: float | None
    low: float
    high: float


def label_probabilities(
    labels: Sequence[str], logprobs: Mapping[str, float], ceiling: float | None
) -> dict[str, LabelProbability]:
    """Return each allowed label's probability, given that one of them is the answer.

    With q a seen label's own probability, S the sum over the seen labels and m the most that each
    of the u unseen ones can have (all of them together no more than what S leaves over):
    a seen label lies between q / (S + min(u m, 1 - S)) and q / S, an unseen one between 0 and
    min(m, 1 - S) / (S + min(m, 1 - S)).

    Args:
        ceiling: The most the log-probability of an unseen one can be; None where all were seen or
            nothing is known, which bounds it by what the seen ones leave over.

    Returns:
        One entry per label; empty where none of them was seen.
    """
    seen = {label: math.exp(logprobs[label]) for label in labels if label in logprobs}
    total = sum(seen.values())
    if not total > 0:
        return {}
    unseen = [label for label in labels if label not in seen]
    left_over = max(0.0, 1.0 - total)
    most = left_over if ceiling is None else min(math.exp(ceiling), left_over)
    spread = min(len(unseen) * most, left_over)
    found = {}
    for label in labels:
        if label in seen:
            high = seen[label] / total
            low = seen[label] / (total + spread)
            found[label] = LabelProbability(high if not unseen else None, low, high)
        else:
            found[label] = LabelProbability(None, 0.0, most / (total + most))
    return found
