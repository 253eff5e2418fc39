"""Debate as oversight: having questions about stories debated, which makes transcripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field, Strict
from pydantic.dataclasses import dataclass

from inference.errors import FINAL_KINDS
from inference.kinds.fields import (
    REPLIED,
    TEXT,
    WHOLE,
    answer_id,
    check,
    check_if_any,
    check_known,
    columns_of,
    objects,
)
from inference.kinds.options import (
    CONFIG,
    Crossed,
    KindOptions,
    Listed,
    Natural,
    QuestionSampling,
    Text,
    WordCount,
    combinations,
)
from inference.kinds.parts import About, Row, Table
from inference.kinds.protocol import (
    CostHints,
    Description,
    Equipped,
    ItemSet,
    Kind,
    PromptInputs,
    PromptVariant,
    RunResources,
    described,
)
from inference.oversight.debating.prompts import values_of
from inference.oversight.debating.records import ENDPOINT, PARTIAL, TRANSCRIPT_STATUSES, VOID
from inference.oversight.items import (
    CONSULTANCY,
    DEBATE,
    READING,
    SELF,
    SEQUENTIAL,
    TURN_ORDERS,
    DebatePlan,
    ReadingQuestion,
    draw_questions,
)
from inference.sampling import Drawn
from inference.template_kinds import DEBATED

if TYPE_CHECKING:
    from inference.judges.base import Judge
    from inference.judges.request import Request

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
_WHOLE = {**REPLIED, "transcript_status": TEXT}
_OWN = {*_CANDIDATE, *_CANDIDATE_IF_ANY, "quotes"}


# Who argues for what varies fastest, so that a story is read once.
@dataclass(frozen=True, kw_only=True, config=CONFIG)
class _DebateTable:
    template: Listed[Text] = ("ov_debater",)
    protocol: Listed[Literal["debate", "consultancy"]] = ("debate",)
    turn_order: Listed[Literal["simultaneous", "sequential"]] = ("simultaneous",)
    rounds: Listed[Annotated[int, Strict(), Field(ge=1, le=20)]] = (3,)
    asker: Listed[Text] | tuple[None] = (None,)
    word_limit: Listed[WordCount] = (150,)
    best_of: Listed[Annotated[int, Strict(), Field(ge=1, le=64)]] = (1,)
    preference_judge: Listed[Text] | tuple[None] = (None,)
    refine: Listed[Natural] = (0,)
    # None stands for the model itself.
    opponent: Listed[Text] | tuple[None] = (None,)
    argues: Listed[Annotated[int, Strict(), Field(ge=0, le=1)]] = (0,)


def _plans(table: _DebateTable) -> Iterator[DebatePlan]:
    for chosen in combinations(table):
        plan = DebatePlan(**{**chosen, "opponent": chosen["opponent"] or SELF})
        if plan.protocol == CONSULTANCY:
            if table.opponent != (None,) and len(table.protocol) == 1:
                raise ValueError(
                    "there is a consultancy with an opponent; take debate.opponent out, or set "
                    'protocol = ["debate"]'
                )
            plan = replace(plan, opponent=None)
        if plan.best_of == 1 and len(table.best_of) > 1:
            # The arm that the others are compared with has nothing to choose among.
            plan = replace(plan, preference_judge=None)
        _check_plan(plan)
        yield plan


def _check_plan(plan: DebatePlan) -> None:
    """Refuse a plan that cannot be carried out."""
    if (plan.best_of > 1) != (plan.preference_judge is not None):
        lacks = "nobody to choose" if plan.best_of > 1 else "nothing to choose among"
        raise ValueError(
            f"best_of is {plan.best_of} and there is {lacks}; give preference_judge with best_of "
            "of 2 or more, and neither otherwise"
        )
    if plan.asker is not None and plan.rounds == 1:
        raise ValueError(
            "there is an asker, who asks between rounds, and one round; have two or more"
        )
    if plan.protocol == CONSULTANCY and plan.turn_order == SEQUENTIAL:
        raise ValueError(
            "there is a consultancy with sequential turns, and a consultant speaks alone; leave "
            "turn_order out"
        )


@dataclass(frozen=True, kw_only=True, config=CONFIG)
class TranscriptOptions(KindOptions):
    """Options of having questions about stories debated."""

    kind: ClassVar[str] = "transcript"
    arm_fields: ClassVar[tuple[str, ...]] = ("debate",)
    crossed_table: ClassVar[str | None] = "debate"
    arms_key: ClassVar[str | None] = "debate_plans"

    sampling: QuestionSampling = QuestionSampling()
    debate: Annotated[tuple[DebatePlan, ...], Crossed(_DebateTable, _plans)]


class StoryItems(ItemSet):
    """Questions about stories that an experiment draws."""

    file = READING
    reference_name = "reading_reference"

    def draw(self) -> Drawn:
        return draw_questions(self.experiment, self.source)


class Transcripts(Kind):
    """Questions about stories to debate."""

    noun = "a question to debate"
    options = TranscriptOptions
    item_set = StoryItems
    template = DEBATED
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
    whole = _WHOLE
    table = Table(
        TRANSCRIPTS,
        parts={
            TURNS: ("request_id", "turn", "candidate"),
            QUOTES: ("request_id", "turn", "candidate", "position"),
        },
        about=(About("question_id", "raw.reading_questions", "a debate of a question"),),
        adds_up=True,
    )
    first_experiment = "story-debate"

    def equip(self, judge: Judge, resources: RunResources) -> Equipped:
        """Return the judge with everybody whom its plans name."""
        from inference.oversight.debating.judge import debating

        debated = debating(judge, resources.items.reference, resources)
        parties = {each.judge_id: each.settings for each in debated.others}
        return Equipped(debated, header={"parties": parties})

    def prompt_inputs(
        self, item: ReadingQuestion, variant: PromptVariant, seed: int
    ) -> PromptInputs:
        """Return the values of the first prompt; the others depend on what is said."""
        return PromptInputs(values_of(item, variant.arm, variant.arm.argues), variant.arm)

    def describe(self, request: Request) -> Description:
        # Messages within a transcript have a role and no plan.
        is_interactive = getattr(request.variant, "asker", None) is not None
        return described(
            request,
            "debating",
            "question",
            {"item_kind": self.line, "is_interactive": is_interactive},
            reply_fields=lambda reply: {} if reply.outcome is None else reply.outcome.fields(),
        )

    def costs(self, request: Request) -> CostHints:
        """Return the messages of all who take part; each reads half of what is said on average."""
        from inference.oversight.debating.judge import messages_of

        plan = request.variant
        if not isinstance(plan, DebatePlan):
            return CostHints()
        messages = messages_of(plan)
        turns = plan.rounds * (1 if plan.protocol == CONSULTANCY else 2)
        return CostHints(
            answer=plan.word_limit,
            messages=(sum(each.usual for each in messages), sum(each.most for each in messages)),
            history=(plan.word_limit, turns),
        )

    def parse(self, line: Mapping[str, Any]) -> TranscriptStatus:
        if line["transcript_status"] == "complete":
            return TranscriptStatus(None)
        return TranscriptStatus(str(line["transcript_reason"]).split(":")[0])

    def values(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
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


class TranscriptStatus(NamedTuple):
    """Status of a transcript: the reason why it is not complete, or None."""

    reason: str | None


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
