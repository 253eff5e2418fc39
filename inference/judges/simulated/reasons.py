"""Reasons that simulated judges of speeches give with their scores.

Two or three aspects of the speech are spoken of, drawn with a bias that is each judge's own. Each
remark is praise with a probability that grows with the score, from 0.08 at the scale's lowest to
0.92 at its highest, a quarter more or less where the text itself shows the aspect or lacks it: an
example or a number is evidence, *first* and *finally* are structure, and so on. So key points found
in these reasons follow the scores, and differ between sources and between judges.

The score is drawn before, and without regard to any of this.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from inference.items import Speech
from inference.judges.request import Request
from inference.judges.simulated.base import generator_of, one_of


class _Aspect(NamedTuple):
    """What shows an aspect in a text, and what is said of it."""

    shown_by: re.Pattern[str]
    praise: tuple[str, ...]
    blame: tuple[str, ...]


_ASPECTS: Mapping[str, _Aspect] = {
    "structure": _Aspect(
        re.compile(r"\b(first|second|third|finally|to begin|in closing)\b", re.I),
        (
            "the structure is easy to follow",
            "the speech is well organised",
            "the arguments come in a logical order",
        ),
        (
            "the speech is poorly organised",
            "the structure is hard to follow",
            "there is no clear order to the arguments",
        ),
    ),
    "evidence": _Aspect(
        re.compile(r"\d|\b(for example|for instance|study|studies|per cent|percent)\b", re.I),
        (
            "the claims are supported by concrete examples",
            "the speaker provides solid evidence",
            "the examples are well chosen",
        ),
        (
            "the claims are not supported by evidence",
            "the speaker offers no examples",
            "the speech lacks concrete evidence",
        ),
    ),
    "clarity": _Aspect(
        re.compile(r"\b(because|that is why|which means|in other words)\b", re.I),
        (
            "the language is clear and precise",
            "the wording is easy to understand",
            "the main message is stated clearly",
        ),
        (
            "the language is confusing",
            "the wording is vague",
            "several sentences are hard to understand",
        ),
    ),
    "relevance": _Aspect(
        re.compile(r"\b(motion|proposal|should|ought)\b", re.I),
        (
            "the speech stays focused on the motion",
            "every argument is relevant to the topic",
            "the stance on the motion is clear",
        ),
        (
            "the speech drifts away from the topic",
            "many remarks are irrelevant to the motion",
            "the stance on the motion is unclear",
        ),
    ),
    "delivery": _Aspect(
        re.compile(r"[!?]|\b(imagine|think of|picture)\b", re.I),
        (
            "the tone is confident and engaging",
            "the delivery keeps the audience interested",
            "the opening captures attention",
        ),
        (
            "the delivery is dull",
            "the tone is monotonous",
            "the speech does not engage the audience",
        ),
    ),
    "rebuttal": _Aspect(
        re.compile(r"\b(opponents|critics|some say|they will say|objection)\b", re.I),
        (
            "the speaker answers the main objections",
            "opposing views are treated with care",
        ),
        (
            "the speaker ignores opposing views",
            "obvious objections are left unanswered",
        ),
    ),
    "reasoning": _Aspect(
        re.compile(r"\b(therefore|so that|it follows|as a result|hence)\b", re.I),
        (
            "the reasoning is sound",
            "the arguments are developed in depth",
            "the conclusions follow from the premises",
        ),
        (
            "the arguments are superficial",
            "the reasoning contains gaps",
            "the points are not developed",
        ),
    ),
    "persuasion": _Aspect(
        re.compile(r"\b(must|cannot wait|now is|we owe)\b", re.I),
        (
            "the overall case is persuasive",
            "the speech makes a compelling case",
        ),
        (
            "the overall case is not persuasive",
            "the speech fails to convince",
        ),
    ),
}
_OPENINGS = ("", "", "", "The speech argues in favour of the motion. ")
_LEAST_PRAISE = 0.08
_SHOWN = 0.25


def reasons_for(request: Request, score: int, judge_id: str, seed: int) -> str:
    """Return two or three remarks on a speech, the same for the same request, judge and seed."""
    item = request.about(Speech)
    generator = generator_of(
        "reasons",
        seed,
        judge_id,
        item.item_id,
        request.asks,
        request.template.label,
        request.sample,
    )
    names = list(_ASPECTS)
    # What a judge looks at first is its own.
    liking = generator_of("liking", seed, judge_id)
    weights = liking.dirichlet(np.full(len(names), 2.0))
    count = 2 + int(generator.random() < 0.5)
    drawn = generator.choice(len(names), size=count, replace=False, p=weights).tolist()
    share = (score - item.scale_min) / max(item.scale_max - item.scale_min, 1e-9)
    remarks = []
    for number in drawn:
        aspect = _ASPECTS[names[number]]
        likely = _LEAST_PRAISE + (1 - 2 * _LEAST_PRAISE) * share
        likely += _SHOWN * (1 if aspect.shown_by.search(item.text) else -1)
        # Also the best speech is faulted now and then, and the worst one praised.
        likely = min(max(likely, _LEAST_PRAISE / 2), 1 - _LEAST_PRAISE / 2)
        is_praise = generator.random() < likely
        said = aspect.praise if is_praise else aspect.blame
        remarks.append((bool(is_praise), one_of(generator, said)))
    return one_of(generator, _OPENINGS) + _joined(remarks, style=int(generator.integers(3)))


def _joined(remarks: list[tuple[bool, str]], style: int) -> str:
    """Join remarks to sentences, a contrast where they differ."""
    (first_is_praise, first), (second_is_praise, second), *rest = remarks
    if first_is_praise != second_is_praise:
        text = (
            f"{_capital(first)}, but {second}.",
            f"Although {first}, {second}.",
            f"{_capital(first)}; however, {second}.",
        )[style]
    else:
        text = (
            f"{_capital(first)}, and {second}."
            if style
            else f"{_capital(first)}. {_capital(second)}."
        )
    return " ".join([text, *(f"{_capital(remark)}." for _, remark in rest)])


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
