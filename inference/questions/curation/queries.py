"""From a question to the search queries that find documents about it."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from inference.prompt_files import Prompt, PromptFile
from inference.questions.curation.records import Queries, Question, Reason, Step, sift
from inference.steps.asking import Ask

QUERIES = PromptFile("curation", "search_queries", ("question",))
MOST_QUERIES = 10
# What makes any of a reply's lines too long for a query.
_LONGEST_QUERY = 400
_LINE = re.compile(r"[*_ ]*Query (\d{1,3})[*_ ]*:[*_ ]*(.*?)[*_ ]*", re.IGNORECASE)


class ParsedQueries(NamedTuple):
    """The queries in a reply, or why it cannot be read."""

    queries: tuple[str, ...]
    reason: str | None = None


def search_queries(questions: Sequence[Question], ask: Ask, prompt: Prompt) -> Step[Queries]:
    """Return the search queries for each question; without any it is removed, its reply kept."""
    prompts = [prompt.fill({"question": question.question}) for question in questions]
    replies = ask(prompts)
    parsed = [read_queries(reply.text) for reply in replies]
    unread = {
        question.question_id: Reason.of_reply(reply, found.reason)
        for question, found, reply in zip(questions, parsed, replies, strict=True)
        if found.reason is not None
    }
    return sift(
        "queries",
        "question",
        [
            Queries(question.question_id, found.queries)
            for question, found in zip(questions, parsed, strict=True)
        ],
        lambda found: found.question_id,
        [("unreadable_queries", lambda found: unread.get(found.question_id))],
    )


def read_queries(reply: str) -> ParsedQueries:
    """Return the queries in a reply: lines `Query 1: ...` counted from 1, and nothing else.

    Blank lines and Markdown emphasis are passed over. A line of another form, a number out of
    turn, an empty or overlong query, the same one twice or too many spoil the whole reply.
    """
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    if not lines:
        return ParsedQueries((), "empty_response")
    found: list[str] = []
    for number, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            return ParsedQueries((), "not_a_query")
        query = match[2].strip().strip('"')
        if int(match[1]) != number:
            return ParsedQueries((), "wrong_number")
        if not query or len(query) > _LONGEST_QUERY:
            return ParsedQueries((), "no_query")
        found.append(query)
    if len({query.casefold() for query in found}) < len(found):
        return ParsedQueries((), "repeated_query")
    if len(found) > MOST_QUERIES:
        return ParsedQueries((), "too_many_queries")
    return ParsedQueries(tuple(found))
