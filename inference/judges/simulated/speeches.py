"""Simulated judges and writers of speeches, with planted habits.

**Scores.** With c the centre of the scale and h the item's mean human score, or without
ratings the mean that its moves stand for, the score is

    c + slope * (h - c) + shift + noise,    noise ~ N(0, noise_sd^2),

held within the scale and then rounded, halves up. A share `failure_rate` of the replies cannot be
parsed. No other judge may open the reference file.

**Reasons** follow the score: two or three remarks on aspects of the speech, drawn with a bias of
each judge. A remark is praise with a probability that grows with the score, from 0.08 at the
scale's lowest to 0.92 at its highest, a quarter more or less where the text shows the aspect or
lacks it: an example or a number is evidence, *first* and *finally* are structure. So key points in
these reasons follow the scores, and differ between sources and between judges.

**Moves.** An opening speech makes up to four moves, each recognised by its words: it gives a
reason, gives an example, answers an objection, and calls on the listeners. A speech with m of them
counts as rated `scale_min + (scale_max - scale_min) * m / 4`. That is no measure of real speeches:
it fixes the answer that judges of a demonstration should give.

**Writing.** A simulated speaker makes m = moves + N(0, moves_sd^2) of them, rounded and held within
0 and 4, each a sentence or two, between sentences without content, until the speech has
`speech_words` words; with `headings` its paragraphs have headings. The call on the listeners comes
last, so that a speech over its limit loses it first. A share `failure_rate` of the replies refuses,
and `untagged_rate` leaves out the speech tags.

Draws depend on the seed, the item, the dimension or the limit, the template and the sample alone,
so an answer never changes with the order or number of requests.
"""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from inference.errors import BadItems
from inference.items import Speech
from inference.judges.base import OfflineJudge, Reply, answer_text
from inference.judges.request import Request
from inference.judges.simulated.base import SimulatedBase, draw_one, generator_of, offline_reply
from inference.registry import JudgeSpec
from inference.speeches.written import Topic

MOVES: Mapping[str, tuple[str, ...]] = {
    "reason": (
        "It is right because the cost of doing nothing falls on those who can least carry it.",
        "We should do it because the good it does is lasting and the trouble it takes is not.",
        "The case is strong because what we do now was designed for a time that has passed.",
    ),
    "example": (
        "For example, towns that tried something like it kept it when the trial was over.",
        "Take, for instance, the places that went first: their fears were gone within a year.",
        "For example, people I have met changed their minds once they saw it at work.",
    ),
    "objection": (
        "Some will say that it asks too much of us. It asks less than what we put up with today.",
        "The usual objection is the price. But we pay already, only later and without a plan.",
        "Opponents warn of a slippery slope. A slope with a railing is called a staircase.",
    ),
    "call": (
        "So I urge you to make up your minds tonight, and to say yes.",
        "Stand with those who are waiting for it, and give this motion your voice.",
        "Support this motion, and let us begin.",
    ),
}
_TOLD_BY: Mapping[str, re.Pattern[str]] = {
    "reason": re.compile(r"\bbecause\b", re.IGNORECASE),
    "example": re.compile(r"\bfor (?:example|instance)\b", re.IGNORECASE),
    "objection": re.compile(
        r"\b(?:some (?:will|may|might) say|critics|opponents|objections?)\b", re.IGNORECASE
    ),
    "call": re.compile(
        r"\b(?:i urge you|stand with|support this motion|vote for)\b", re.IGNORECASE
    ),
}


def moves_made(text: str) -> int:
    """Count the moves of a speech, from 0 to 4."""
    return sum(told.search(text) is not None for told in _TOLD_BY.values())


def planted_mean(text: str, scale_min: float, scale_max: float) -> float:
    """Return the mean of a speech without ratings, by its moves."""
    return scale_min + (scale_max - scale_min) * moves_made(text) / len(MOVES)


class _Aspect(NamedTuple):
    """Signs of an aspect in a text, and remarks on it."""

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
_REMARK_OPENINGS = ("", "", "", "The speech argues in favour of the motion. ")
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
        texts = aspect.praise if is_praise else aspect.blame
        remarks.append((bool(is_praise), draw_one(generator, texts)))
    return draw_one(generator, _REMARK_OPENINGS) + _joined(
        remarks, style=int(generator.integers(3))
    )


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


# One of each way that models fail to answer.
FAILURES = (
    "I would rather not put a number on this speech.",
    "<score>\nfour\n</score>",
    "<score>\n3.5\n</score>",
    "<score>\n9\n</score>",
    "<score>2</score> On second thoughts, <score>3</score>",
    "",
)


class SimulatedJudge(SimulatedBase[dict[tuple[str, str], float]]):
    """A judge of the family above; `simulated/faithful` and the other presets set its numbers."""

    def read(self, path: Path | None) -> dict[tuple[str, str], float]:
        """Return the mean score of each item on each dimension."""
        if path is None:
            raise BadItems(
                f"simulated: {self.who} needs the human scores of the items, and this data set "
                "has none; run it on a data set that people rated"
            )
        try:
            # `read_table` would import Arrow's data sets first.
            with pq.ParquetFile(path) as file:
                rows = file.read(columns=["item_id", "dimension", "mean_value"]).to_pylist()
            return {(row["item_id"], row["dimension"]): float(row["mean_value"]) for row in rows}
        except (OSError, pa.ArrowException, KeyError, TypeError) as error:
            raise BadItems(
                f"simulated: cannot read {path}: {error!r}; ingest the data set again"
            ) from None

    def reference(self, request: Request) -> float | None:
        """Return the human mean, if there is one."""
        return self.references.get((request.item.item_id, request.asks))

    async def ask(self, request: Request) -> Reply:
        """Draw the score, or a reply that cannot be parsed."""
        human_mean = self.reference(request)
        item, settings = request.about(Speech), self._spec.settings
        if human_mean is None:
            human_mean = planted_mean(item.text, item.scale_min, item.scale_max)
        generator = self.draws(request)
        noise = float(generator.standard_normal()) * float(settings["noise_sd"])
        if generator.random() < settings["failure_rate"]:
            return offline_reply(draw_one(generator, FAILURES))
        centre = (item.scale_min + item.scale_max) / 2
        value = centre + settings["slope"] * (human_mean - centre) + settings["shift"] + noise
        score = math.floor(min(max(value, item.scale_min), item.scale_max) + 0.5)
        reasons = None
        if settings["justification"] or request.template.is_justified:
            reasons = reasons_for(request, score, self._spec.judge_id, settings["seed"])
        return offline_reply(answer_text(score, reasons))


_OPENINGS = (
    "Good evening. The motion before us is this: {motion}.",
    "Ladies and gentlemen, tonight we speak of one thing: {motion}.",
    "Friends, the question is simple to state. {motion}.",
)
_FILLERS = (
    "Every one of us has met this question in one form or another.",
    "It touches our mornings, our streets and the way we treat each other.",
    "Nobody in this room would design things from scratch the way they are now.",
    "We have talked about it for years, and the talking has not made it smaller.",
    "What is proposed here is neither wild nor new.",
    "It is a step that can be explained in a minute and defended for an hour.",
    "Think of the people who are not here tonight and who live with the result.",
    "They did not choose the present state of things, and they cannot change it alone.",
    "A rule is only as good as the day it makes possible.",
    "We can measure what we do, and we can mend what does not work.",
    "That is how sensible people have always gone about hard questions.",
    "The evidence is not perfect, and it does not have to be.",
    "It points one way often enough for us to follow it with open eyes.",
    "Waiting has a price too, although nobody sends us the bill.",
    "Children will ask us one day what we knew and when we knew it.",
    "Habits look like laws of nature until somebody changes them.",
    "There is dignity in arranging our affairs with care.",
    "What we share is worth more when all of us can rely on it.",
    "Small changes have a way of making room for larger ones.",
    "None of this takes a hero, only a majority that has made up its mind.",
    "The other side of this house will speak of risk, and so should we.",
    "The greater risk is to look away from what is in front of us.",
    "We owe each other reasons, and we owe each other patience.",
    "I have tried to give you both, and I will be brief with the rest.",
)
_HEADINGS = (
    "## Where we stand",
    "## What we propose",
    "## What it changes",
    "## What is said of it",
)
_REFUSAL = "I am sorry, but I cannot write a speech that takes a side on this motion."
_SENTENCES_PER_PARAGRAPH = 5


class SimulatedSpeaker(OfflineJudge):
    """A speaker of the family above; `simulated/speaker-skilled` and others set its numbers."""

    def __init__(self, spec: JudgeSpec) -> None:
        self._spec = spec

    def identity(self, request: Request) -> dict[str, Any]:
        """The topic, the prompt and the settings."""
        return {**request.facts(), "settings": self._spec.settings}

    async def ask(self, request: Request) -> Reply:
        """Write the speech, refuse, or forget the tags."""
        settings = self._spec.settings
        label, sample = request.template.label, request.sample
        facts = (self._spec.model, request.item.item_id, request.asks, label, sample)
        generator = generator_of(settings["seed"], *facts)
        noise, fails = float(generator.standard_normal()), float(generator.random())
        if fails < settings["failure_rate"]:
            return Reply(_REFUSAL, finish_reason="refusal", cost_usd=0.0)
        moves = math.floor(settings["moves"] + settings["moves_sd"] * noise + 0.5)
        text = self._speech(request, generator, min(max(moves, 0), len(MOVES)))
        if fails >= settings["failure_rate"] + settings["untagged_rate"]:
            text = f"<speech>\n{text}\n</speech>"
        return offline_reply(text)

    def _speech(self, request: Request, generator: np.random.Generator, count: int) -> str:
        chosen = sorted(generator.permutation(len(MOVES))[:count].tolist())
        kinds = [list(MOVES)[number] for number in chosen]
        planted = [draw_one(generator, MOVES[kind]) for kind in kinds]
        last = planted.pop() if kinds[-1:] == ["call"] else None
        motion = request.about(Topic).motion.strip().rstrip(".")
        first = draw_one(generator, _OPENINGS).format(motion=motion)
        words = sum(len(each.split()) for each in (first, *planted, last or ""))
        order = generator.permutation(len(_FILLERS)).tolist()
        middle: list[str] = []
        while words < self._spec.settings["speech_words"]:
            middle.append(_FILLERS[order[len(middle) % len(order)]])
            words += len(middle[-1].split())
        for place, sentence in enumerate(planted, start=1):
            middle.insert(place * len(middle) // (len(planted) + 1), sentence)
        sentences = [first, *middle, *([last] if last else [])]
        starts = range(0, len(sentences), _SENTENCES_PER_PARAGRAPH)
        paragraphs = [
            " ".join(sentences[start : start + _SENTENCES_PER_PARAGRAPH]) for start in starts
        ]
        if self._spec.settings["headings"]:
            for number, heading in enumerate(_HEADINGS[: len(paragraphs)]):
                paragraphs[number] = f"{heading}\n\n{paragraphs[number]}"
        return "\n\n".join(paragraphs)
