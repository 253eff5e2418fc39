"""Debate as oversight: having questions about stories debated, and judging them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inference.errors import FINAL_KINDS, BadTemplate
from inference.item_files import ItemFile
from inference.items import ItemSource
from inference.json_text import object_schema
from inference.kinds.fields import (
    NUMBER,
    TEXT,
    TRUTH,
    WHOLE,
    answer_id,
    are_texts,
    check,
    check_if_any,
    check_known,
    objects,
)
from inference.kinds.parts import (
    ANSWERED,
    About,
    Asked,
    Drafted,
    Equipped,
    Given,
    Put,
    Resources,
    Row,
    Table,
)
from inference.kinds.protocol import Kind
from inference.oversight import debating_arms, judging_arms
from inference.oversight.debating.prompts import values_of
from inference.oversight.debating.records import ENDPOINT, PARTIAL, TRANSCRIPT_STATUSES, VOID
from inference.oversight.items import (
    ANSWER_ORDERS,
    ASKED_FOR,
    CHOICE,
    CONSULTANCY,
    DEBATE,
    EXPERT,
    NO_PROBE,
    PROBABILITY,
    PROBES,
    PROTOCOLS,
    READING,
    TRANSCRIPT_ITEMS,
    TURN_ORDERS,
    DebatePlan,
    JudgingPlan,
    ReadingQuestion,
    Transcript,
    iter_transcripts,
)
from inference.oversight.judgements import probability_of_labels, read_judgement
from inference.oversight.judging import (
    ARGUED,
    LETTERS,
    UNARGUED,
    has_use,
    prompt_speakers,
    prompt_turns,
    prompt_values,
)
from inference.sampling import Drawn, draw_those, first_by_seed
from inference.template_kinds import DEBATED, OVERSIGHT
from inference.templates import Template

if TYPE_CHECKING:
    from inference.experiments import Experiment
    from inference.judges.base import Judge, Reply
    from inference.judges.request import Request
    from inference.tokens import Context, TokenCounter

TRANSCRIPTS, JUDGEMENTS = "oversight_transcripts", "oversight_judgements"
TURNS, QUOTES = "oversight_turns", "oversight_quotes"
# What models wrote, and what people said in rooms.
_TRANSCRIPTS_THERE = (
    "(select transcript_id from raw.oversight_transcripts union all "
    "select debate_id as transcript_id from raw.debates where format like 'story-%')"
)
_DEBATED = {
    "protocol": TEXT,
    "turn_order": TEXT,
    "is_interactive": TRUTH,
    "word_limit": WHOLE,
    "best_of": WHOLE,
}
_DEBATED_IF_ANY = {
    "opponent_id": TEXT,
    "tournament": TEXT,
    "tournament_round": WHOLE,
    "transcript_hash": TEXT,
    # With `self` resolved, which the plan's own fields are not.
    "asker_id": TEXT,
    "preference_judge_id": TEXT,
}
# Columns of `raw.oversight_transcripts` that a line has under another name, must or may.
_RENAMED = {
    "argues": ("argued_answer", WHOLE),
    "rounds": ("round_count", WHOLE),
    "refine": ("refine_count", WHOLE),
}
_RENAMED_IF_ANY = {"transcript_reason": ("reason", TEXT)}
_TURN = {"turn": WHOLE, "round": WHOLE, "speaker": TEXT}
_TURN_IF_ANY = {"argued_answer": WHOLE, "model_id": TEXT}
_CANDIDATE = {
    "candidate": WHOLE,
    "is_chosen": TRUTH,
    "text": TEXT,
    "shown_text": TEXT,
    "word_count": WHOLE,
    "rejected_count": WHOLE,
    "is_truncated": TRUTH,
}
_CANDIDATE_IF_ANY = {
    "is_concession": TRUTH,
    "argues_other_side": TRUTH,
    "is_malformed": TRUTH,
    "preference": NUMBER,
    "tokens_in": WHOLE,
    "tokens_out": WHOLE,
    "cost_usd": NUMBER,
}
_QUOTE = {"position": WHOLE, "quote": TEXT, "is_verified": TRUTH}
_QUOTE_IF_ANY = {
    "similarity": NUMBER,
    "story_start": WHOLE,
    "story_end": WHOLE,
    "written_as": TEXT,
}
_OWN = {*_CANDIDATE, *_CANDIDATE_IF_ANY, "quotes"}
_JUDGED = {
    "question_id": TEXT,
    "protocol": TEXT,
    "answer_order": TEXT,
    "probe": TEXT,
    "asked_for": TEXT,
}
_JUDGED_IF_ANY = {"transcript_id": TEXT, "step": WHOLE, "probed_answer": WHOLE}


def _drawn(experiment: Experiment, source: ItemSource) -> tuple[list[str], set[str]]:
    """Return the questions about stories there are, and those that are drawn."""
    there = list(READING.keys(source))
    return there, first_by_seed(experiment, source, there, "questions about stories")


def _draw_questions(experiment: Experiment, source: ItemSource) -> Drawn:
    there, drawn = _drawn(experiment, source)
    return draw_those(experiment.seed, there, drawn, {"questions": len(drawn)})


class Transcripts(Kind):
    """Questions about stories to debate."""

    name = "transcript"
    words = "a question to debate"
    first_experiment = "story-debate"
    files = READING
    template = DEBATED
    reference_file = "reading_reference_file"
    own = frozenset({"debate", "debate_plans", "questions"})
    tables = debating_arms.TABLES
    arms_name = "debate_plans"
    identity_name = "debating"
    item_name = "question"
    line = "reading"
    line_fields = (
        *_DEBATED,
        *_DEBATED_IF_ANY,
        *_RENAMED,
        *_RENAMED_IF_ANY,
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
        return _draw_questions(experiment, source)

    def read(
        self, path: Path, content: Mapping[str, Any], values: Mapping[str, Any]
    ) -> dict[str, Any]:
        plans = debating_arms.read_debate_plans(path, content)
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
        renamed = {name: kind for name, (_, kind) in _RENAMED.items()}
        check(line, {"item_id": TEXT, **_DEBATED, **renamed})
        check_known(line, "protocol", (CONSULTANCY, DEBATE))
        check_known(line, "turn_order", TURN_ORDERS)
        check_known(line, "argues", (0, 1))
        failed = VOID if line.get("error_kind") in FINAL_KINDS else PARTIAL
        status = line.get("transcript_status") or failed
        check_known({"transcript_status": status}, "transcript_status", TRANSCRIPT_STATUSES)
        row |= {name: line[name] for name in _DEBATED} | check_if_any(line, _DEBATED_IF_ANY)
        row |= {column: line[name] for name, (column, _) in _RENAMED.items()}
        for name, (column, kind) in _RENAMED_IF_ANY.items():
            row[column] = check_if_any(line, {name: kind})[name]
        row |= {
            "question_id": line["item_id"],
            "transcript_id": answer_id(line["item_id"], row["request_id"]),
            "status": status,
            "reason": row["reason"] or _why_none(line),
        }
        shared = {name: row[name] for name in ("transcript_id", "request_id", "line_number")}
        found: dict[str, list[dict[str, Any]]] = {TURNS: [], QUOTES: []}
        for turn in objects(line.get("turns"), "turns"):
            check(turn, _TURN)
            of_turn = shared | {name: turn[name] for name in _TURN}
            of_turn |= check_if_any(turn, _TURN_IF_ANY)
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
    check(candidate, _CANDIDATE)
    row = {name: candidate[name] for name in _CANDIDATE}
    row |= check_if_any(candidate, _CANDIDATE_IF_ANY)
    quotes, examples = [], []
    for quote in objects(candidate.get("quotes"), "quotes"):
        check(quote, _QUOTE)
        quotes.append({name: quote[name] for name in _QUOTE} | check_if_any(quote, _QUOTE_IF_ANY))
        examples += [quote["position"]] if quote.get("is_example") else []
    rest = {name: value for name, value in candidate.items() if name not in _OWN and value}
    # Which quotes are the prompt's own example.
    rest |= {"example_quotes": examples} if examples else {}
    return {**of_turn, **row, "extra": rest or None}, quotes


class Judgements(Kind):
    """Transcripts of debates about stories to judge."""

    name = "oversight"
    words = "a debate about a story"
    first_experiment = "story-judgement"
    files: ItemFile[Any] = TRANSCRIPT_ITEMS
    template = OVERSIGHT
    reference_file = "reading_reference_file"
    own = frozenset({"judging", "judgings", "questions"})
    tables = judging_arms.TABLES
    arms_name = "judgings"
    identity_name = "judging"
    item_name = "transcript"
    line = "oversight"
    line_fields = (*_JUDGED, *_JUDGED_IF_ANY)
    table = Table(
        JUDGEMENTS,
        about=(
            About("question_id", "raw.reading_questions", "a judgement of a question"),
            About(
                "transcript_id",
                _TRANSCRIPTS_THERE,
                "a judgement of a transcript",
                "it is loaded once the journal of the run that wrote it is in the home",
                may_come=True,
            ),
        ),
    )
    answer_begins = re.compile(r"\"answer\"\s*:\s*\"?")

    def items(self, experiment: Experiment, source: ItemSource) -> Iterator[Any]:
        return iter_transcripts(source)

    def draw(self, experiment: Experiment, source: ItemSource) -> Drawn:
        _, drawn = _drawn(experiment, source)
        about = list(TRANSCRIPT_ITEMS.column(source, "question_id"))
        facts = {"questions": len(drawn), "transcripts": sum(each in drawn for each in about)}
        return draw_those(experiment.seed, about, drawn, facts)

    def read(
        self, path: Path, content: Mapping[str, Any], values: Mapping[str, Any]
    ) -> dict[str, Any]:
        plans = judging_arms.read_judgings(path, content, self.name)
        return {"arms": plans, "template": plans[0].template}

    def check_arm(self, who: str, arm: JudgingPlan, template: Template) -> None:
        """Refuse a prompt that asks for something else, or shows what its judges may not see."""
        if template.task not in (None, arm.asked_for):
            raise BadTemplate(
                f"{who} asks for a {arm.asked_for}, and prompt '{arm.template}' for a "
                f"{template.task}; make the two agree"
            )
        own = "transcript" if arm.protocol in ARGUED else "story" if arm.protocol == EXPERT else ""
        for slot in ("transcript", "story"):
            if (slot in template.slots) != (slot == own):
                has = "has the slot" if slot in template.slots else "has no slot"
                raise BadTemplate(
                    f"{who} judges by the protocol '{arm.protocol}', and prompt '{arm.template}' "
                    f"{has} {{{slot}}}; naive judges are shown neither story nor transcript, "
                    "experts the story, and others the transcript"
                )

    def has_use(self, item: Any, arm: JudgingPlan) -> bool:
        return has_use(item, arm)

    def put(self, item: Any, asked: Asked, given: Given) -> Put:
        plan: JudgingPlan = asked.arm
        values = prompt_values(item, plan) | {"story": "", "speakers": prompt_speakers(item, plan)}
        return Put(values, plan, prompt_turns(item, plan), _letters(plan))

    def answer_name(self, request: Request) -> str:
        return "answer"

    def schema(self, request: Request) -> dict[str, Any] | None:
        if request.way(JudgingPlan).asked_for != PROBABILITY:
            return super().schema(request)
        return object_schema({"probability": {"type": "number", "minimum": 0, "maximum": 1}})

    def expected(self, request: Request) -> str | None:
        if request.way(JudgingPlan).asked_for == PROBABILITY:
            return "<probability>50</probability>"
        return None if request.template.is_justified else max(request.labels, key=len)

    def fields(self, request: Request) -> dict[str, Any]:
        item = request.about(Transcript)
        judged = {"question_id": item.question_id, "transcript_id": item.item_id}
        return {"item_kind": self.line, **judged, **asdict(request.variant)}

    def is_whole(self, line: Mapping[str, Any]) -> bool:
        is_known = line.get("asked_for") in ASKED_FOR and line.get("answer_order") in ANSWER_ORDERS
        return super().is_whole(line) and is_known

    def why_unreadable(self, line: Mapping[str, Any]) -> str | None:
        return read_judgement(
            line["response"],
            line["asked_for"],
            line["answer_order"],
            line.get("answer_format", "text"),
            line.get("finish_reason"),
        ).reason

    def rows(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        """Return the row of `raw.oversight_judgements`.

        A judge that was asked to choose has a probability too where both letters' are known.
        """
        check(line, _JUDGED)
        for name, values in (
            ("protocol", PROTOCOLS),
            ("answer_order", ANSWER_ORDERS),
            ("probe", PROBES),
            ("asked_for", ASKED_FOR),
        ):
            check_known(line, name, values)
        row |= {name: line[name] for name in _JUDGED} | check_if_any(line, _JUDGED_IF_ANY)
        if row["probe"] != NO_PROBE:
            check_known(line, "probed_answer", (0, 1))
        row["is_final"] = row["step"] is None
        if line["status"] == ANSWERED:
            check(line, {"response": TEXT})
            row["answer_format"] = row["answer_format"] or "text"
            if (logprobs := line.get("label_logprobs")) is not None:
                # A later reading needs them.
                ceiling = line.get("label_logprob_ceiling")
                known = {"label_logprobs": logprobs, "label_logprob_ceiling": ceiling}
                row["extra"] = (row["extra"] or {}) | known
            row |= judged(row, row["extra"] or {})
        return [Row(row)]


class Readings(Judgements):
    """Questions about stories to judge without anybody's arguments."""

    name = "reading"
    words = "a question about a story"
    first_experiment = "story-baselines"
    files = READING
    item_name = "question"

    def items(self, experiment: Experiment, source: ItemSource) -> Iterator[Any]:
        return READING.read(source)

    def draw(self, experiment: Experiment, source: ItemSource) -> Drawn:
        return _draw_questions(experiment, source)

    def has_use(self, item: Any, arm: JudgingPlan) -> bool:
        return arm.protocol in UNARGUED

    def put(self, item: Any, asked: Asked, given: Given) -> Put:
        """Return the slots: only an expert is given the story, and nobody argues."""
        plan: JudgingPlan = asked.arm
        story = item.story if plan.protocol == EXPERT else ""
        values = prompt_values(item, plan) | {"story": story, "speakers": ""}
        return Put(values, plan, labels=_letters(plan))

    def fields(self, request: Request) -> dict[str, Any]:
        own = {"item_kind": self.line, "question_id": request.item.item_id}
        return own | asdict(request.variant)


def _letters(plan: JudgingPlan) -> tuple[str, ...]:
    return LETTERS if plan.asked_for == CHOICE else ()


def judged(row: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a row's reply says, as columns of `raw.oversight_judgements`.

    Args:
        row: The row, with its reply and how it was asked for.
        known: The logarithms of the letters' probabilities, where a journal has them.
    """
    said = read_judgement(
        row["response"],
        row["asked_for"],
        row["answer_order"],
        row["answer_format"],
        row["finish_reason"],
    )
    p = said.p_answer_0
    if row["asked_for"] == CHOICE and said.choice is not None and known.get("label_logprobs"):
        p = probability_of_labels(
            known["label_logprobs"], known["label_logprob_ceiling"], row["answer_order"]
        )
    return {
        "p_answer_0": p,
        "choice": said.choice,
        "parse_status": said.status,
        "parse_reason": said.reason,
    }
