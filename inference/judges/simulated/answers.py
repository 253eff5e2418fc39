"""Models that answer questions, and judges of answers, with planted abilities.

A model covers a number of the question's points of view, drawn for each question, prompt, way and
sample:

    n = viewpoints + prompt_gain * g + retrieval_gain * d + noise,    noise ~ N(0, viewpoints_sd^2),

rounded, at least 1 and at most as many as there are; g is 0 for a prompt that does not say the
question is debatable, 1 for `qa_comprehensive` and 2 for `qa_detailed`, and d is 1 where documents
were found and shown. It gives each point of view in its own words' place: the sentence itself, and
the first `detail` sentences of its explanation. With probability `acknowledgement`, plus a tenth
per g, it first says that people disagree. `padding` sentences that say nothing follow. Where the
prompt asks for a length, whole sentences are left off, or sentences that say nothing added, until
the words are nearest to three quarters of the tokens asked for. A share `failure_rate` of the
replies declines.

A judge of answers reads two things off the text: whether it says that people disagree, by the
phrases the models above use, and how many points of view it holds. Dispute awareness is 1 with
probability `hit_rate` where the answer says so, else with `false_alarm_rate`. The number of points
of view is their count, and quality 1 + 4 * count / all, each plus `shift` and normal noise of
`noise_sd`, rounded and held within the scale; no answer has points that the list is missing, so
that score is the scale's lowest, plus the same.

Draws depend on the seed, the item, what is asked, the template and the sample alone. Of all models,
these alone may open the partial answers file.
"""

import math
import re
from pathlib import Path

from inference.items import Rating
from inference.judges.base import Reply
from inference.judges.request import Request
from inference.judges.simulated.base import SimulatedBase, draw_one, no_reference, offline_reply
from inference.questions.answers import (
    Answer,
    Generation,
    PartialAnswer,
    Question,
    read_partial_answers,
)

ACKNOWLEDGEMENTS = (
    "People disagree about this, and there is no answer that everybody accepts.",
    "This is a debatable question on which opinions are divided.",
    "The matter is controversial, and reasonable people come down on different sides.",
)
# Matches the sentences above, and others much like them.
_SAYS_SO = re.compile(
    r"people disagree|debatable|controvers|opinions are divided|open to debate", re.IGNORECASE
)
_CONNECTIVES = (
    "",
    "On the other hand: ",
    "Others hold this: ",
    "There is also this view: ",
    "Some add: ",
)
_NOTHINGS = (
    "There is much to think about here.",
    "It is worth taking the time to look at this closely.",
    "Questions like this one come up again and again.",
    "Much could be said, and much has been said.",
    "In the end one has to look at the whole picture.",
)
_DECLINED = "I would rather not answer this question."
_GAINS = {"qa_comprehensive": 1, "qa_detailed": 2}
_WORDS_PER_TOKEN = 0.75
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
# One of each way that judges of answers fail to answer.
FAILURES = ("The answer is hard to judge.", "between 2 and 3", "")


class _OnPartialAnswers(SimulatedBase[dict[str, tuple[PartialAnswer, ...]]]):
    """Shared by those who know the points of view on a question."""

    def read(self, path: Path | None) -> dict[str, tuple[PartialAnswer, ...]]:
        """Return the points of view on each question."""
        return read_partial_answers(path, self.who)

    def reference(self, request: Request) -> list[str]:
        """Return the hashes of the points of view."""
        return [each.text_hash for each in self._points(request)]

    def _points(self, request: Request) -> tuple[PartialAnswer, ...]:
        item = request.item
        return self.references.get(getattr(item, "question_id", item.item_id), ())


class SimulatedAnswerer(_OnPartialAnswers):
    """A model that answers questions; `simulated/even-handed` and others set its numbers."""

    async def ask(self, request: Request) -> Reply:
        """Compose the answer, or decline."""
        points, settings = self._points(request), self._spec.settings
        if not points:
            return no_reference(f"there are no points of view on '{request.item.item_id}'")
        generator = self.draws(request)
        noise, declines, says_so = generator.standard_normal(), *generator.random(2)
        if declines < settings["failure_rate"]:
            return Reply(_DECLINED, finish_reason="refusal", cost_usd=0.0)
        gain = _GAINS.get(request.template.instrument, 0)
        wanted = settings["viewpoints"] + settings["prompt_gain"] * gain
        shown = request.about(Question).shown(request.way(Generation))
        wanted += settings["retrieval_gain"] * bool(shown)
        wanted += settings["viewpoints_sd"] * float(noise)
        count = min(max(math.floor(wanted + 0.5), 1), len(points))
        order = generator.permutation(len(points))[:count].tolist()
        sentences = []
        if says_so < settings["acknowledgement"] + 0.1 * gain:
            sentences.append(draw_one(generator, ACKNOWLEDGEMENTS))
        for place, number in enumerate(order):
            point = points[number]
            connective = _CONNECTIVES[min(place, len(_CONNECTIVES) - 1)]
            sentences.append(f"{connective}{point.point_of_view.rstrip('.')}.")
            sentences += _SENTENCE.split(point.explanation.strip())[: int(settings["detail"])]
        sentences += [_NOTHINGS[number % len(_NOTHINGS)] for number in range(settings["padding"])]
        target = request.way(Generation).target_tokens
        if target is not None:
            sentences = _of_length(sentences, target * _WORDS_PER_TOKEN)
        return offline_reply(" ".join(sentences))


class SimulatedReader(_OnPartialAnswers):
    """A judge of answers; `simulated/attentive` and the other presets set its numbers."""

    async def ask(self, request: Request) -> Reply:
        """Read the score off the text, or reply with what cannot be parsed."""
        generator, settings = self.draws(request), self._spec.settings
        noise, fails, flip = generator.standard_normal(), *generator.random(2)
        if fails < settings["failure_rate"]:
            return offline_reply(draw_one(generator, FAILURES))
        rating, text = request.way(Rating), request.about(Answer).answer
        if (rating.scale_min, rating.scale_max) == (0, 1):
            rate = "hit_rate" if _SAYS_SO.search(text) else "false_alarm_rate"
            return offline_reply(str(int(flip < settings[rate])))
        points = self._points(request)
        held = sum(each.point_of_view.rstrip(".") in text for each in points)
        value = rating.scale_min + (rating.scale_max - rating.scale_min) * held / max(
            len(points), 1
        )
        value = {"missing_viewpoints": rating.scale_min, "pov_count": held}.get(
            rating.dimension, value
        )
        value += settings["shift"]
        value += settings["noise_sd"] * float(noise)
        score = math.floor(min(max(value, rating.scale_min), rating.scale_max) + 0.5)
        return offline_reply(str(score))


def _of_length(sentences: list[str], words: float) -> list[str]:
    """Return whole sentences of about so many words, at least one."""
    sentences = list(sentences)
    counts = [len(sentence.split()) for sentence in sentences]
    while len(sentences) > 1 and abs(sum(counts[:-1]) - words) < abs(sum(counts) - words):
        sentences.pop()
        counts.pop()
    while True:
        more = _NOTHINGS[len(sentences) % len(_NOTHINGS)]
        if abs(sum(counts) + len(more.split()) - words) >= abs(sum(counts) - words):
            return sentences
        sentences.append(more)
        counts.append(len(more.split()))
