"""Answers to debatable questions: scoring them, and comparing them with points of view."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inference.errors import BadTemplate, UnknownExperiment
from inference.items import ItemSource, Rating
from inference.kinds.fields import NUMBER, TEXT, WHOLE, check, check_if_any, columns_of
from inference.kinds.parts import ANSWERED, Asked, Drafted, Given, Put, Row, Table
from inference.kinds.protocol import Kind, points
from inference.kinds.questions import drawn_questions
from inference.kinds.speeches import Scoring
from inference.parsing import first_binary_digit
from inference.questions.answers import ANSWERS, PERSPECTIVE_DIVERSITY, Answer, Comparison, listed
from inference.sampling import Drawn, draw_those
from inference.template_kinds import ANSWER
from inference.templates import Template, load_template

if TYPE_CHECKING:
    from inference.experiment import Experiment
    from inference.judges.base import Likelihood, Reply
    from inference.judges.request import Request
    from inference.tokens import Context

# What all rows of an answer's comparisons have in common, and what each has.
_OF_ALL = (
    "request_id",
    "dataset_id",
    "template",
    "wording",
    "prompt_hash",
    "answered_at",
    "source_record",
    "line_number",
    "extra",
)
_PAIR = ("partial_answer_id", "status")
_PAIR_IF_ANY = ("text_hash", "value", "logprob_sum", "token_count", "context_token_count")
# Of these, what an evaluator may have computed as infinite or as no number.
_COMPUTED = ("value", "logprob_sum")
_SCORED, _NOT_FINITE = "scored", "not_finite"


class _OfAnswers(Kind):
    """What is asked about the answers to questions."""

    files = ANSWERS
    template = ANSWER
    reference_file = "partial_answers_file"
    item_name = "answer"
    line = "answer"
    is_journalled = True

    def draw(self, experiment: Experiment, source: ItemSource) -> Drawn:
        about = list(ANSWERS.column(source, "question_id"))
        if experiment.split is None and experiment.questions is None:
            # Answers to questions that are gone from the data set are in no sample of them.
            drawn = set(about)
        else:
            drawn = drawn_questions(experiment, source)[1]
        facts = {
            "split": experiment.split,
            "questions": len(drawn & set(about)),
            "answers": sum(each in drawn for each in about),
        }
        return draw_those(experiment.seed, about, drawn, facts)


class Answers(_OfAnswers, Scoring):
    """Answers to score."""

    name = "answer"
    words = "an answer"
    first_experiment = "dispute-awareness"
    own = frozenset({"dimension", "questions", "scale", "split"})
    required = ("dimension", "scale")
    # Prompts ask for the number alone.
    is_bare = True

    def arms(self, experiment: Experiment) -> Sequence[Rating]:
        return (Rating(experiment.dimension, *(experiment.scale or (0, 0))),)

    def check_template(self, experiment: Experiment, name: str, template: Template) -> None:
        """Refuse a prompt that asks about something else, or on another scale."""
        super().check_template(experiment, name, template)
        if template.scale not in (None, experiment.scale):
            raise BadTemplate(
                f"runner: experiment '{experiment.name}' has the scale {experiment.scale}, and "
                f"prompt '{name}' offers {template.scale}; make the two agree"
            )

    def header(self, run: Drafted) -> dict[str, Any]:
        about = super().header(run)
        del about["arms"]
        return about | asdict(self.arms(run.experiment)[0])

    def put(self, item: Answer, asked: Asked, given: Given) -> Put:
        way, known = asked.arm, given.partial_answers.get(item.question_id, ())
        values = {
            "question": item.question,
            "answer": item.answer,
            "partial_answers": listed(known),
            "scale_min": str(way.scale_min),
            "scale_max": str(way.scale_max),
        }
        labels = points(way.scale_min, way.scale_max)
        return Put(values, way, labels=labels, partial_answers=known)

    def identity(self, request: Request) -> dict[str, Any]:
        return {"dimension": request.way(Rating).dimension}

    def facts(self, request: Request) -> dict[str, Any]:
        """What judges without prompts go by: the answer and the scale."""
        way = request.way(Rating)
        return {**super().facts(request), "scale": [way.scale_min, way.scale_max]}

    def unsent(self, request: Request) -> tuple[str, str] | None:
        """Return the failure of an empty answer: the best judge could only invent a score."""
        if not request.about(Answer).is_empty:
            return None
        return "empty_answer", f"the answer '{request.item.item_id}' is empty; it was not sent"

    def found(self, request: Request, reply: Reply, counted: Context | None) -> dict[str, Any]:
        """Return what the released program reads, which looks at the prompt too."""
        if reply.error_kind is not None or request.labels != ("0", "1"):
            return {}
        released = first_binary_digit(request.sent, reply.response or "")
        return {} if released is None else {"value_released": released}

    def released(self, row: Mapping[str, Any], line: Mapping[str, Any]) -> float | None:
        """Return what the released program read when the run had the prompt."""
        released: float | None = check_if_any(line, {"value_released": NUMBER})["value_released"]
        return released

    def rows(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        # The scale of a question put to judges alone is in no table; a later reading needs it.
        scale = check_if_any(line, {"scale_min": WHOLE, "scale_max": WHOLE})
        row["extra"] = (row["extra"] or {}) | scale
        return super().rows(row, line)


class Comparisons(_OfAnswers):
    """Answers to compare with the points of view on their questions."""

    name = "likelihood"
    words = "the likelihood of points of view"
    first_experiment = "perspective-diversity"
    own = frozenset({"keep_tokens", "metric", "questions", "split", "wordings"})
    required = ("metric",)
    arms_name = "wordings"
    line_fields = ("metric", "likelihoods", "answer_token_count")
    table = Table("likelihoods", key=("request_id", "partial_answer_id"))
    asks_text = False
    compares = True

    def read(
        self, path: Path, content: Mapping[str, Any], values: Mapping[str, Any]
    ) -> dict[str, Any]:
        metric, named = values["metric"], values.get("wordings")
        if (metric == PERSPECTIVE_DIVERSITY) != (named is not None):
            does = "needs" if named is None else "takes no"
            raise UnknownExperiment(
                f"experiments: {path}: the metric '{metric}' {does} 'wordings'; only "
                f"{PERSPECTIVE_DIVERSITY} puts answers into prompts"
            )
        if "template" in values:
            raise UnknownExperiment(
                f"experiments: {path} has 'template', and compares answers; name prompts as "
                "'wordings'"
            )
        wordings = tuple(named or (metric,))
        if len(set(wordings)) < len(wordings):
            raise UnknownExperiment(f"experiments: {path} has a wording twice; name each once")
        return {"arms": wordings, "template": wordings[0]}

    def asked(self, experiment: Experiment, prompts_folder: Path | None) -> list[Asked]:
        """Return every wording, as often as it is repeated."""
        way = _comparison(experiment)
        wordings = [self._wording(experiment, name, prompts_folder) for name in experiment.arms]
        samples = range(experiment.repeats)
        return [Asked(wording, sample, way) for wording in wordings for sample in samples]

    def _wording(self, experiment: Experiment, name: str, prompts_folder: Path | None) -> Template:
        if experiment.metric != PERSPECTIVE_DIVERSITY:
            # Nothing is asked: the answer is compared as it is.
            return replace(load_template("pd_none"), label=name, instrument=name)
        template = load_template(name, prompts_folder)
        self.check_template(experiment, name, template)
        if template.slots != {"answer"}:
            others = ", ".join(sorted(template.slots - {"answer"}))
            raise BadTemplate(
                f"runner: prompt '{name}' has the slots {others} besides {{answer}}; a wording of "
                f"experiment '{experiment.name}' shows the answer and nothing else"
            )
        return template

    def header(self, run: Drafted) -> dict[str, Any]:
        about = {"experiment_kind": self.name, "sampling": dict(run.sampling)}
        return about | asdict(_comparison(run.experiment))

    def put(self, item: Answer, asked: Asked, given: Given) -> Put:
        """Return an answer as it is: nothing in it could answer for an evaluator."""
        known = given.partial_answers.get(item.question_id, ())
        return Put({"answer": item.answer}, asked.arm, partial_answers=known, is_safe=False)

    def identity(self, request: Request) -> dict[str, Any]:
        pairs = [(each.partial_answer_id, each.text_hash) for each in request.partial_answers]
        return {"comparison": asdict(request.variant), "partial_answers": pairs}

    def unsent(self, request: Request) -> tuple[str, str] | None:
        """Return the failure of an answer to a question that nobody wrote points of view on."""
        if request.partial_answers:
            return None
        question_id = request.about(Answer).question_id
        return "no_partial_answers", (
            f"question '{question_id}' has no partial answers, so its answers cannot be compared "
            "with any; add some to the data set"
        )

    def fields(self, request: Request) -> dict[str, Any]:
        return {"item_kind": self.line, "metric": request.way(Comparison).metric}

    def found(self, request: Request, reply: Reply, counted: Context | None) -> dict[str, Any]:
        """Return what was found of each point of view."""
        if reply.likelihoods is None:
            return {}
        pairs = [_kept(each) for each in reply.likelihoods]
        return {"likelihoods": pairs, "answer_token_count": reply.answer_token_count}

    def is_whole(self, line: Mapping[str, Any]) -> bool:
        return isinstance(line.get("likelihoods"), list)

    def why_unreadable(self, line: Mapping[str, Any]) -> str | None:
        """Return the status of the first point of view that was not compared."""
        statuses = [each["status"] for each in line["likelihoods"]]
        return next((status for status in statuses if status != _SCORED), None)

    def rows(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        """Return the rows of `raw.likelihoods`, one per perspective.

        The seconds it took are the whole line's, and stand in its first row alone. A request that
        failed as a whole stands for a row per perspective, all with its error as their status.
        """
        check(line, {"item_id": TEXT})
        shared = {name: row[name] for name in _OF_ALL} | {
            "answer_id": line["item_id"],
            "answer_hash": row["item_hash"],
            **columns_of(line, self.table.name, ("metric",), ("answer_token_count",)),
        }
        if line["status"] != ANSWERED:
            failed = shared | {"status": str(line.get("error_kind"))}
            return [Row(failed, failure=str(line.get("error")))]
        pairs = line["likelihoods"]
        if not isinstance(pairs, list) or not pairs:
            raise TypeError("likelihoods should be a list with an object per perspective")
        if not all(isinstance(pair, dict) for pair in pairs):
            raise TypeError(f"likelihoods should be objects; found {pairs!r}")
        rows: list[Row] = []
        for pair in pairs:
            found = columns_of(pair, self.table.name, _PAIR, _PAIR_IF_ANY)
            if any(found[n] is not None and not math.isfinite(found[n]) for n in _COMPUTED):
                found |= dict.fromkeys(_COMPUTED)
                found["status"] = _NOT_FINITE if found["status"] == _SCORED else found["status"]
            more = {
                "token_logprobs": pair.get("token_logprobs"),
                "latency_s": None if rows else row["latency_s"],
            }
            rows.append(Row(shared | found | more))
        return rows


def _comparison(experiment: Experiment) -> Comparison:
    return Comparison(experiment.metric or PERSPECTIVE_DIVERSITY, experiment.keep_tokens)


def _kept(found: Likelihood) -> dict[str, Any]:
    kept = asdict(found)
    if found.token_logprobs is None:
        del kept["token_logprobs"]
    return kept
