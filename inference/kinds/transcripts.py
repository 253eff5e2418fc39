"""Debate as oversight: having questions about stories debated, which makes transcripts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inference.errors import FINAL_KINDS
from inference.items import ItemSource
from inference.kinds.fields import (
    TEXT,
    WHOLE,
    answer_id,
    are_texts,
    check,
    check_if_any,
    check_known,
    columns_of,
    objects,
)
from inference.kinds.parts import About, Asked, Drafted, Equipped, Given, Put, Resources, Row, Table
from inference.kinds.protocol import Kind
from inference.oversight.arms import DEBATING, read_debate_plans
from inference.oversight.debating.prompts import values_of
from inference.oversight.debating.records import ENDPOINT, PARTIAL, TRANSCRIPT_STATUSES, VOID
from inference.oversight.items import (
    CONSULTANCY,
    DEBATE,
    READING,
    TURN_ORDERS,
    DebatePlan,
    ReadingQuestion,
    draw_questions,
)
from inference.sampling import Drawn
from inference.template_kinds import DEBATED

if TYPE_CHECKING:
    from inference.experiment import Experiment
    from inference.judges.base import Judge, Reply
    from inference.judges.request import Request
    from inference.tokens import Context, TokenCounter

TRANSCRIPTS, TURNS, QUOTES = "oversight_transcripts", "oversight_turns", "oversight_quotes"
# Fields of lines and their parts that are columns of these tables, must or may.
_DEBATED = ("protocol", "turn_order", "is_interactive", "word_limit", "best_of")
_DEBATED_IF_ANY = (
    "opponent_id",
    "tournament",
    "tournament_round",
    "transcript_hash",
    # With `self` resolved, which the plan's own fields are not.
    "asker_id",
    "preference_judge_id",
)
# Columns that a line has under another name.
_RENAMED = {"argues": "argued_answer", "rounds": "round_count", "refine": "refine_count"}
_TURN, _TURN_IF_ANY = ("turn", "round", "speaker"), ("argued_answer", "model_id")
_CANDIDATE = (
    "candidate",
    "is_chosen",
    "text",
    "shown_text",
    "word_count",
    "rejected_count",
    "is_truncated",
)
_CANDIDATE_IF_ANY = (
    "is_concession",
    "argues_other_side",
    "is_malformed",
    "preference",
    "tokens_in",
    "tokens_out",
    "cost_usd",
)
_QUOTE = ("position", "quote", "is_verified")
_QUOTE_IF_ANY = ("similarity", "story_start", "story_end", "written_as")
_OWN = {*_CANDIDATE, *_CANDIDATE_IF_ANY, "quotes"}


class Transcripts(Kind):
    """Questions about stories to debate."""

    name = "transcript"
    words = "a question to debate"
    first_experiment = "story-debate"
    files = READING
    template = DEBATED
    reference_file = "reading_reference_file"
    own = frozenset({"debate", "debate_plans", "questions"})
    tables = DEBATING.tables
    arms_name = "debate_plans"
    identity_name = "debating"
    item_name = "question"
    line = "reading"
    line_fields = (
        *_DEBATED,
        *_DEBATED_IF_ANY,
        *_RENAMED,
        "transcript_reason",
        "opponent",
        "asker",
        "preference_judge",
        "transcript_status",
        "turns",
        "steps",
    )
    table = Table(
        TRANSCRIPTS,
        parts={
            TURNS: ("request_id", "turn", "candidate"),
            QUOTES: ("request_id", "turn", "candidate", "position"),
        },
        about=(About("question_id", "raw.reading_questions", "a debate of a question"),),
        adds_up=True,
    )

    def draw(self, experiment: Experiment, source: ItemSource) -> Drawn:
        return draw_questions(experiment, source)

    def read(
        self, path: Path, content: Mapping[str, Any], values: Mapping[str, Any]
    ) -> dict[str, Any]:
        plans = read_debate_plans(path, content)
        return {"arms": plans, "template": plans[0].template}

    def header(self, run: Drafted) -> dict[str, Any]:
        parties = {each.judge_id: each.settings for each in getattr(run.judge, "others", ())}
        return {**super().header(run), "parties": parties}

    def put(self, item: ReadingQuestion, asked: Asked, given: Given) -> Put:
        """Return the slots of what is asked first; what follows depends on what is said."""
        return Put(values_of(item, asked.arm, asked.arm.argues), asked.arm)

    def equipped(self, judge: Judge, resources: Resources) -> Equipped:
        from inference.oversight.debating.parties import debating

        reference = self.reference(resources.source)
        return Equipped(debating(judge, reference, resources))

    def replies(self, request: Request) -> tuple[int, int]:
        from inference.oversight.debating.bounds import messages_of

        messages = messages_of(request.way(DebatePlan))
        return sum(each.usual for each in messages), sum(each.most for each in messages)

    def tokens_in(self, request: Request, counter: TokenCounter, tokens_out: int) -> int:
        """Return the tokens of all prompts.

        Each has the first one's length, and on average half of what is said in all.
        """
        plan = request.way(DebatePlan)
        found = counter.count(request.prompt, request.system)
        turns = plan.rounds * (1 if plan.protocol == CONSULTANCY else 2)
        said = counter.count("word " * plan.word_limit, None) * turns // 2
        return (found + said) * self.replies(request)[0]

    def expected(self, request: Request) -> int:
        return request.way(DebatePlan).word_limit

    def fields(self, request: Request) -> dict[str, Any]:
        is_interactive = request.way(DebatePlan).asker is not None
        return {**super().fields(request), "is_interactive": is_interactive}

    def found(self, request: Request, reply: Reply, counted: Context | None) -> dict[str, Any]:
        """Return the transcript, in the form that `debating.records` describes."""
        return {} if reply.debated is None else reply.debated.fields()

    def is_whole(self, line: Mapping[str, Any]) -> bool:
        return super().is_whole(line) and are_texts(line, "transcript_status")

    def why_unreadable(self, line: Mapping[str, Any]) -> str | None:
        if line["transcript_status"] == "complete":
            return None
        return str(line["transcript_reason"]).split(":")[0]

    def rows(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        """Return the row of `raw.oversight_transcripts`, with its turns and quotes.

        A line without a transcript is of a request that failed at once: a partial one, or a void
        one where it would always fail, as with a prompt over the window.
        """
        check(line, {"item_id": TEXT})
        known = columns_of(line, TRANSCRIPTS, _DEBATED, _DEBATED_IF_ANY)
        check(line, dict.fromkeys(_RENAMED, WHOLE))
        check_known(line, "protocol", (CONSULTANCY, DEBATE))
        check_known(line, "turn_order", TURN_ORDERS)
        check_known(line, "argues", (0, 1))
        failed = VOID if line.get("error_kind") in FINAL_KINDS else PARTIAL
        status = line.get("transcript_status") or failed
        check_known({"transcript_status": status}, "transcript_status", TRANSCRIPT_STATUSES)
        why = check_if_any(line, {"transcript_reason": TEXT})["transcript_reason"]
        row |= known | {column: line[name] for name, column in _RENAMED.items()}
        row |= {
            "question_id": line["item_id"],
            "transcript_id": answer_id(line["item_id"], row["request_id"]),
            "status": status,
            "reason": why or _why_none(line),
        }
        shared = {name: row[name] for name in ("transcript_id", "request_id", "line_number")}
        found: dict[str, list[dict[str, Any]]] = {TURNS: [], QUOTES: []}
        for turn in objects(line.get("turns"), "turns"):
            of_turn = shared | columns_of(turn, TURNS, _TURN, _TURN_IF_ANY)
            for candidate in objects(turn.get("candidates"), "candidates"):
                made, quotes = _candidate(of_turn, candidate)
                found[TURNS].append(made)
                key = {**shared, "turn": turn["turn"], "candidate": candidate["candidate"]}
                found[QUOTES] += [key | quote for quote in quotes]
        return [Row(row, found)]


def _why_none(line: Mapping[str, Any]) -> str | None:
    """Return why a line has no transcript, as `debating.records` has it."""
    kind, words = line.get("error_kind"), line.get("error")
    return None if kind is None else ": ".join(each for each in (ENDPOINT, kind, words) if each)


def _candidate(
    of_turn: Mapping[str, Any], candidate: Mapping[str, Any]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    row = columns_of(candidate, TURNS, _CANDIDATE, _CANDIDATE_IF_ANY)
    quotes, examples = [], []
    for quote in objects(candidate.get("quotes"), "quotes"):
        quotes.append(columns_of(quote, QUOTES, _QUOTE, _QUOTE_IF_ANY))
        examples += [quote["position"]] if quote.get("is_example") else []
    rest = {name: value for name, value in candidate.items() if name not in _OWN and value}
    # Which quotes are the prompt's own example.
    rest |= {"example_quotes": examples} if examples else {}
    return {**of_turn, **row, "extra": rest or None}, quotes
