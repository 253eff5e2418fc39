"""Models that write opening speeches, with planted quality, length and style.

How many of the four moves of `planted_moves` a speech makes is drawn around `moves`:

    m = moves + noise,    noise ~ N(0, moves_sd^2),

rounded and held within 0 and 4. Each move is a sentence or two; between them stand sentences that
say little, until the speech has `speech_words` words. With `headings` its paragraphs have headings.
The call on the listeners comes last, so that a speech over its limit of words loses it first. A
share `failure_rate` of the replies refuses, and another, `untagged_rate`, leaves out the speech
tags.

Draws depend on the seed, the topic, the limit, the template and the sample alone.
"""

import math
from typing import Any

import numpy as np

from inference.judges.base import OfflineJudge, Reply
from inference.judges.request import Request
from inference.judges.simulated.base import generator_of, one_of, said
from inference.judges.simulated.planted_moves import MOVES
from inference.registry import JudgeSpec
from inference.speeches.written import Topic

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
        generator, settings = self._generator(request), self._spec.settings
        noise, fails = float(generator.standard_normal()), float(generator.random())
        if fails < settings["failure_rate"]:
            return Reply(_REFUSAL, finish_reason="refusal", cost_usd=0.0)
        moves = math.floor(settings["moves"] + settings["moves_sd"] * noise + 0.5)
        text = self._speech(request, generator, min(max(moves, 0), len(MOVES)))
        if fails >= settings["failure_rate"] + settings["untagged_rate"]:
            text = f"<speech>\n{text}\n</speech>"
        return said(text)

    def _speech(self, request: Request, generator: np.random.Generator, count: int) -> str:
        chosen = sorted(generator.permutation(len(MOVES))[:count].tolist())
        kinds = [list(MOVES)[number] for number in chosen]
        planted = [one_of(generator, MOVES[kind]) for kind in kinds]
        last = planted.pop() if kinds[-1:] == ["call"] else None
        motion = request.about(Topic).motion.strip().rstrip(".")
        first = one_of(generator, _OPENINGS).format(motion=motion)
        words = sum(len(each.split()) for each in (first, *planted, last or ""))
        order = generator.permutation(len(_FILLERS)).tolist()
        middle: list[str] = []
        while words < self._spec.settings["speech_words"]:
            middle.append(_FILLERS[order[len(middle) % len(order)]])
            words += len(middle[-1].split())
        for place, sentence in enumerate(planted, start=1):
            middle.insert(place * len(middle) // (len(planted) + 1), sentence)
        return self._in_paragraphs([first, *middle, *([last] if last else [])])

    def _in_paragraphs(self, sentences: list[str]) -> str:
        size = _SENTENCES_PER_PARAGRAPH
        parts = [sentences[start : start + size] for start in range(0, len(sentences), size)]
        paragraphs = [" ".join(part) for part in parts]
        if self._spec.settings["headings"]:
            for number, heading in enumerate(_HEADINGS[: len(paragraphs)]):
                paragraphs[number] = f"{heading}\n\n{paragraphs[number]}"
        return "\n\n".join(paragraphs)

    def _generator(self, request: Request) -> np.random.Generator:
        return generator_of(
            self._spec.settings["seed"],
            self._spec.model,
            request.item.item_id,
            request.asks,
            request.template.label,
            request.sample,
        )
