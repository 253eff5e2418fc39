"""From documents to points of view, and from a point of view to an answer that takes it.

The reply that is expected, with the printed prompt and with ours:

    Point-of-View 1: what it says [Document [1]]
    Point-of-View 2: what it says [Document [2], Document [3]]

What stands before the first heading is not read. A point of view may run over several lines; it
ends with the numbers of its documents in brackets, which may also be written `[Document 2, 3]` or
`[Document 2][Document 3]`. One that breaks the rules spoils the reply: a question whose reply
cannot be read is removed, and the reply is kept as the reason.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inference.prompt_files import Prompt, PromptFile
from inference.questions.chunking import Spans, word_spans
from inference.questions.curation.records import (
    Evidence,
    PartialAnswer,
    PointOfView,
    Question,
    Reason,
    Step,
    sift,
)
from inference.steps.asking import Ask

# Of one document, and of a question's documents together.
TOKENS_EACH = 80_000
TOKENS_TOGETHER = 120_000

_HEADING = re.compile(r"^[ \t]*[*_]*Point-of-View[ \t]+(\d{1,3})[*_]*:[*_]*", re.I | re.M)
_DOCUMENTS = re.compile(r"\[\s*documents?\b(?:documents?|and|[\[\]\d,;&.\s*_])*\Z", re.IGNORECASE)
_OPENING = re.compile(r"\[\s*documents?\b", re.IGNORECASE)
# Addresses and rules drawn with underscores tell nothing.
_CLUTTER = re.compile(r"https?://\S+|_{2,}")
EXTRACTION = PromptFile("curation", "pov_extraction", ("question", "documents"))
EXPANSION = PromptFile("curation", "pov_expansion", (*EXTRACTION.slots, "point_of_view"))
AT_LEAST = 3
MOST_WORDS = 300


class ParsedPoints(NamedTuple):
    """The points of view in a reply with the numbers of their documents, or why there are none."""

    points: tuple[tuple[str, tuple[int, ...]], ...]
    reason: str | None = None


class Trimmed(NamedTuple):
    """Documents as a prompt shows them, and how many lost more than addresses and lines."""

    texts: tuple[str, ...]
    n_cut: int


def read_points(reply: str, n_documents: int) -> ParsedPoints:
    """Return the points of view in a reply."""
    if not reply.strip():
        return ParsedPoints((), "empty_response")
    headings = list(_HEADING.finditer(reply))
    if not headings:
        return ParsedPoints((), "no_point_of_view")
    ends = [heading.start() for heading in headings[1:]] + [len(reply)]
    found: list[tuple[str, tuple[int, ...]]] = []
    for number, (heading, end) in enumerate(zip(headings, ends, strict=True), start=1):
        if int(heading[1]) != number:
            return ParsedPoints((), "wrong_number")
        text, numbers = _apart(reply[heading.end() : end].strip())
        if not numbers:
            return ParsedPoints((), "no_documents")
        if not text:
            return ParsedPoints((), "empty_point_of_view")
        if not set(numbers) <= set(range(1, n_documents + 1)):
            return ParsedPoints((), "unknown_document")
        found.append((text, numbers))
    if len({text.casefold() for text, _ in found}) < len(found):
        return ParsedPoints((), "repeated_point_of_view")
    return ParsedPoints(tuple(found))


def trimmed(
    texts: Sequence[str], spans: Spans, each: int = TOKENS_EACH, together: int = TOKENS_TOGETHER
) -> Trimmed:
    """Return documents without web addresses and drawn lines, cut to a model's window.

    Args:
        texts: The documents, the best first; the last ones are cut, or left out, first.
        each: The most tokens of one.
        together: The most tokens of all.
    """
    found: list[str] = []
    n_cut = 0
    for place, text in enumerate(texts):
        room = min(each, together)
        if room <= 0:
            return Trimmed(tuple(found), n_cut + len(texts) - place)
        plain = _CLUTTER.sub("", text)
        tokens = spans(plain)
        is_cut = len(tokens) > room
        found.append(plain[: tokens[room - 1][1]] if is_cut else plain)
        n_cut += is_cut
        together -= min(len(tokens), room)
    return Trimmed(tuple(found), n_cut)


def _apart(content: str) -> tuple[str, tuple[int, ...]]:
    """Return a point of view and the numbers of its documents; no numbers where it has no list."""
    for opening in _OPENING.finditer(content):
        listed = _DOCUMENTS.match(content, opening.start())
        if listed is not None:
            numbers = sorted({int(number) for number in re.findall(r"\d{1,6}", listed[0])})
            text = " ".join(content[: opening.start()].split()).strip("*_ ")
            return text, tuple(numbers)
    return content, ()


class Points(NamedTuple):
    """The questions that have enough points of view, and these alone."""

    questions: Step[Question]
    points: tuple[PointOfView, ...]


def extract(
    questions: Sequence[Question],
    evidence: Mapping[str, Sequence[Evidence]],
    ask: Ask,
    prompt: Prompt,
    *,
    spans: Spans = word_spans,
) -> Points:
    """Return the points of view in each question's documents."""
    prompts, parsed, unread, n_cut = [], dict[str, ParsedPoints](), dict[str, Reason](), 0
    counts: list[int] = []
    for question in questions:
        found = evidence[question.question_id]
        texts, cut = trimmed([each.document.text for each in found], spans)
        n_cut += cut
        counts.append(len(texts))
        documents = "\n\n".join(
            f'<document number="{number}">\n{prompt.safe(text.strip())}\n</document>'
            for number, text in enumerate(texts, start=1)
        )
        values = {"question": question.question, "documents": documents}
        prompts.append(prompt.fill(values, ready=("documents",)))
    for question, count, reply in zip(questions, counts, ask(prompts), strict=True):
        points = parsed[question.question_id] = read_points(reply.text, count)
        if points.reason is not None:
            unread[question.question_id] = Reason.of_reply(reply, points.reason)

    def too_few(question: Question) -> Reason | None:
        count = len(parsed[question.question_id].points)
        return None if count >= AT_LEAST else Reason(f"{count} of {AT_LEAST} points of view")

    step = sift(
        "points_of_view",
        "question",
        questions,
        lambda each: each.question_id,
        [
            ("unreadable_points_of_view", lambda each: unread.get(each.question_id)),
            (f"fewer_than_{AT_LEAST}_points_of_view", too_few),
        ],
        {"documents_cut": n_cut},
    )
    kept = []
    for question in step.kept:
        ids = [each.document.document_id for each in evidence[question.question_id]]
        for position, (text, numbers) in enumerate(parsed[question.question_id].points, start=1):
            documents_of = tuple(ids[number - 1] for number in numbers)
            kept.append(PointOfView(question.question_id, position, text, documents_of))
    return Points(step, tuple(kept))


def expand(
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
    answers, empty = [], {}
    for point, reply in zip(points, ask(prompts), strict=True):
        answer = PartialAnswer(
            point.partial_answer_id,
            point.question_id,
            point.position,
            point.point_of_view,
            reply.text.strip(),
            point.document_ids,
            len(reply.text.split()),
        )
        answers.append(answer)
        if not answer.explanation:
            reason = Reason(reply.failure or "the reply is blank")
            empty[answer.partial_answer_id] = reason
    return sift(
        "partial_answers",
        "partial_answer",
        answers,
        lambda each: each.partial_answer_id,
        [("empty_explanation", lambda each: empty.get(each.partial_answer_id))],
        {"over_300_words": sum(answer.word_count > MOST_WORDS for answer in answers)},
    )
