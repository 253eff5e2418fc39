"""From documents to points of view, and from a point of view to an answer that takes it.

A question whose reply cannot be read is removed, and the reply is kept as the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inference.prompt_files import Prompt, PromptFile
from inference.questions.chunking import Spans, word_spans
from inference.questions.curation.funnel import Reason, Step, sift
from inference.questions.curation.points import read_points, trimmed
from inference.questions.curation.records import Evidence, PartialAnswer, PointOfView, Question
from inference.steps.replies import Ask, ask_all

EXTRACTION = PromptFile("curation", "pov_extraction", ("question", "documents"))
EXPANSION = PromptFile("curation", "pov_expansion", (*EXTRACTION.slots, "point_of_view"))
AT_LEAST = 3
MOST_WORDS = 300


class Points(NamedTuple):
    """The questions that have enough points of view, and these alone."""

    questions: Step[Question]
    points: tuple[PointOfView, ...]


async def extract(
    questions: Sequence[Question],
    evidence: Mapping[str, Sequence[Evidence]],
    ask: Ask,
    prompt: Prompt,
    *,
    at_least: int = AT_LEAST,
    spans: Spans = word_spans,
) -> Points:
    """Return the points of view in each question's documents."""
    shown = {
        question.question_id: trimmed(
            [each.document.text for each in evidence[question.question_id]], spans
        )
        for question in questions
    }
    prompts = [
        prompt.fill(
            {
                "question": question.question,
                "documents": _numbered(prompt, shown[question.question_id].texts),
            },
            ready=("documents",),
        )
        for question in questions
    ]
    replies = dict(
        zip((each.question_id for each in questions), await ask_all(prompts, ask), strict=True)
    )
    parsed = {
        name: read_points(reply.text, len(shown[name].texts)) for name, reply in replies.items()
    }

    def unreadable(question: Question) -> Reason | None:
        name = question.question_id
        reason = parsed[name].reason
        return None if reason is None else Reason.of_reply(replies[name], reason)

    def too_few(question: Question) -> Reason | None:
        count = len(parsed[question.question_id].points)
        return None if count >= at_least else Reason(f"{count} of {at_least} points of view")

    step = sift(
        "points_of_view",
        "question",
        questions,
        lambda question: question.question_id,
        [
            ("unreadable_points_of_view", unreadable),
            (f"fewer_than_{at_least}_points_of_view", too_few),
        ],
        {"documents_cut": sum(each.n_cut for each in shown.values())},
    )
    points = tuple(
        PointOfView(
            question.question_id,
            position,
            text,
            tuple(
                evidence[question.question_id][number - 1].document.document_id
                for number in numbers
            ),
        )
        for question in step.kept
        for position, (text, numbers) in enumerate(parsed[question.question_id].points, start=1)
    )
    return Points(step, points)


async def expand(
    questions: Sequence[Question],
    points: Sequence[PointOfView],
    evidence: Mapping[str, Sequence[Evidence]],
    ask: Ask,
    prompt: Prompt,
    *,
    spans: Spans = word_spans,
) -> Step[PartialAnswer]:
    """Return an answer from each point of view, from its own documents alone.

    An answer longer than was asked for is kept, and counted among the notes.
    """
    by_id = {question.question_id: question.question for question in questions}
    prompts = []
    for point in points:
        texts = [
            each.document.text
            for each in evidence[point.question_id]
            if each.document.document_id in point.document_ids
        ]
        values = {
            "question": by_id[point.question_id],
            "point_of_view": point.point_of_view,
            "documents": "\n\n".join(trimmed(texts, spans).texts),
        }
        prompts.append(prompt.fill(values))
    replies = await ask_all(prompts, ask)
    answers = [
        PartialAnswer(
            point.partial_answer_id,
            point.question_id,
            point.position,
            point.point_of_view,
            reply.text.strip(),
            point.document_ids,
            len(reply.text.split()),
        )
        for point, reply in zip(points, replies, strict=True)
    ]
    empty = {
        answer.partial_answer_id: Reason(reply.failure or "the reply is blank")
        for answer, reply in zip(answers, replies, strict=True)
        if not answer.explanation
    }
    return sift(
        "partial_answers",
        "partial_answer",
        answers,
        lambda answer: answer.partial_answer_id,
        [("empty_explanation", lambda answer: empty.get(answer.partial_answer_id))],
        {"over_300_words": sum(answer.word_count > MOST_WORDS for answer in answers)},
    )


def _numbered(prompt: Prompt, texts: Sequence[str]) -> str:
    return "\n\n".join(
        f'<document number="{number}">\n{prompt.safe(text.strip())}\n</document>'
        for number, text in enumerate(texts, start=1)
    )
