"""The probabilities of labels in a journal line, as rows of `raw.label_probabilities`."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from inference.kinds.parts import Parts
from inference.labels import LabelProbability, label_probabilities

# The table, and what tells the rows of an answer apart.
PROBABILITIES = {"label_probabilities": ("request_id", "label")}


def probability_rows_of(
    line: Mapping[str, Any], line_number: int
) -> tuple[Parts, Mapping[str, LabelProbability]]:
    """Return a row per label of a journal line, and the probabilities themselves."""
    logprobs = line.get("label_logprobs")
    if not logprobs:
        return {}, {}
    labels = line.get("labels") or list(logprobs)
    if not isinstance(logprobs, dict) or not isinstance(labels, list):
        raise TypeError("label_logprobs should be an object, and labels a list")
    if not all(isinstance(label, str) for label in labels):
        raise TypeError(f"labels should be texts; found {labels!r}")
    ceiling = line.get("label_logprob_ceiling")
    rows, found = probability_rows(line["request_id"], labels, logprobs, ceiling)
    (table,) = PROBABILITIES
    return {table: [{**row, "line_number": line_number} for row in rows]}, found


def probability_rows(
    request_id: str,
    labels: Sequence[str],
    logprobs: Mapping[str, float],
    ceiling: float | None,
) -> tuple[list[dict[str, Any]], dict[str, LabelProbability]]:
    """Return a row per label, and the probabilities themselves."""
    if len(set(labels)) != len(labels):
        raise ValueError(f"labels should be there once each; found {list(labels)!r}")
    for value in (*logprobs.values(), *(() if ceiling is None else (ceiling,))):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"a log-probability should be a number; found {value!r}")
        # Rounding leaves some endpoints a hair above 0.
        if not math.isfinite(value) or value > 1e-3:
            raise ValueError(f"a log-probability should be finite and at most 0; found {value!r}")
    found = label_probabilities(labels, logprobs, ceiling)
    rows = [
        {
            "request_id": request_id,
            "label": label,
            "logprob": logprobs.get(label),
            "p": probability.p,
            "p_low": probability.low,
            "p_high": probability.high,
        }
        for label, probability in found.items()
    ]
    return rows, found


def probability_of_pro(
    probabilities: Mapping[str, LabelProbability], pro_label: str, con_label: str, outcome: str
) -> dict[str, float | None]:
    """Return the columns `p_pro`, `p_pro_low` and `p_pro_high` of a verdict; none where unknown.

    Pro has won where con is named as the loser.
    """
    for_pro = (con_label if outcome == "loser" else pro_label).casefold()
    for label, found in probabilities.items():
        if label.casefold() == for_pro:
            return {"p_pro": found.p, "p_pro_low": found.low, "p_pro_high": found.high}
    return {}
