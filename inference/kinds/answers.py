"""Answers to debatable questions: scoring them, and comparing them with points of view."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import AfterValidator
from pydantic.dataclasses import dataclass

from inference.errors import BadTemplate
from inference.items import Rating
from inference.kinds.fields import LIST, NUMBER, TEXT, WHOLE, check, check_if_any, columns_of
from inference.kinds.options import CONFIG, Flag, KindOptions, Listed, Natural, Text
from inference.kinds.parts import ANSWERED, Row, Table
from inference.kinds.protocol import (
    CostHints,
    Description,
    Equipped,
    ItemSet,
    Kind,
    PromptInputs,
    PromptVariant,
    RunResources,
    points,
    score_answer,
    variants_of,
)
from inference.kinds.questions import SplitSampling, drawn_questions
from inference.kinds.speeches import Scoring
from inference.parsing import first_binary_digit
from inference.questions.answers import (
    ANSWERS,
    PERSPECTIVE_DIVERSITY,
    Answer,
    Comparison,
    Likelihood,
    listed,
    read_partial_answers,
)
from inference.sampling import Drawn, draw_those
from inference.template_kinds import ANSWER
from inference.templates import Template, load_template
from warehouse.files import sha256_file

if TYPE_CHECKING:
    from inference.experiment import Experiment
    from inference.judges.base import Judge, Reply
    from inference.judges.request import Request

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
_WHOLE = {"request_id": TEXT, "likelihoods": LIST}
_SCORED, _NOT_FINITE = "scored", "not_finite"


def _rising(scale: tuple[int, int]) -> tuple[int, int]:
    if scale[0] >= scale[1]:
        raise ValueError("it should be the lowest and the highest score, such as [1, 5]")
    return scale


@dataclass(frozen=True, kw_only=True, config=CONFIG)
class ScoringOptions(KindOptions):
    """Options of scoring answers: what is scored, and the lowest and highest score."""

    kind: ClassVar[str] = "answer"
    is_journalled: ClassVar[bool] = True

    sampling: SplitSampling = SplitSampling()
    dimension: Text
    scale: Annotated[tuple[Natural, Natural], AfterValidator(_rising)]

    def header(self) -> dict[str, Any]:
        """Return the dimension and its scale."""
        return asdict(Rating(self.dimension, *self.scale))


@dataclass(frozen=True, kw_only=True, config=CONFIG)
class ComparisonOptions(KindOptions):
    """Options of comparing answers with points of view.

    Attributes:
        wordings: The prompts that answers are put into, for the one metric that has any.
    """

    kind: ClassVar[str] = "likelihood"
    is_journalled: ClassVar[bool] = True
    arms_key: ClassVar[str | None] = "wordings"

    sampling: SplitSampling = SplitSampling()
    metric: Literal["perspective_diversity", "bart_score", "sem_score", "bleu", "rouge_l"]
    keep_tokens: Flag = False
    wordings: Listed[Text] | None = None

    @classmethod
    def from_file(cls, content: Mapping[str, Any], template: Any) -> dict[str, Any]:
        """Return the fields in a file, in which a template is an unknown key."""
        return dict(content) if template is None else {**content, "template": template}

    @property
    def arms(self) -> tuple[Any, ...]:
        """Names of the wordings; the metric where an answer is compared as it is."""
        return self.wordings or (self.metric,)

    @property
    def template(self) -> str:
        """The first wording."""
        return str(self.arms[0])

    def check(self) -> None:
        """Refuse wordings of a metric that has none, and one that is there twice."""
        if (self.metric == PERSPECTIVE_DIVERSITY) != (self.wordings is not None):
            does = "needs" if self.wordings is None else "takes no"
            raise ValueError(
                f"the metric '{self.metric}' {does} 'wordings'; only {PERSPECTIVE_DIVERSITY} puts "
                "answers into prompts"
            )
        if len(set(self.arms)) < len(self.arms):
            raise ValueError("it has a wording twice; name each once")

    def definition(self) -> dict[str, Any]:
        """Return what decides what is asked."""
        facts = {"metric": self.metric, "keep_tokens": self.keep_tokens, "wordings": self.arms}
        return {**asdict(self.sampling), **facts}

    def header(self) -> dict[str, Any]:
        """Return the metric, and whether tokens are kept."""
        return {"metric": self.metric, "keep_tokens": self.keep_tokens}


class AnswerItems(ItemSet):
    """Answers to the questions that an experiment draws."""

    file = ANSWERS
    reference_name = "partial_answers"

    def draw(self) -> Drawn:
        experiment, sampling = self.experiment, self.experiment.options.sampling
        about = list(ANSWERS.column(self.source, "question_id"))
        if sampling.split is None and sampling.questions is None:
            # Answers to questions that are gone from the data set are in no sample of them.
            drawn = set(about)
        else:
            drawn = drawn_questions(experiment, self.source)[1]
        facts = {
            "split": sampling.split,
            "questions": len(drawn & set(about)),
            "answers": sum(each in drawn for each in about),
        }
        return draw_those(experiment.seed, about, drawn, facts)


class _OfAnswers(Kind):
    """Kinds about the answers to questions."""

    item_set = AnswerItems
    template = ANSWER
    line = "answer"


def _with_partial_answers(judge: Judge, resources: RunResources) -> Equipped:
    """Return the judge, with answers that come with the points of view on their questions."""
    path = resources.items.source.file("partial_answers")
    known = read_partial_answers(path, f"experiment '{resources.experiment.name}'")
    sha256 = "" if path is None else sha256_file(path)

    def prepare(answer: Answer) -> Answer:
        return replace(answer, partial_answers=known.get(answer.question_id, ()))

    return Equipped(judge, prepare, {"partial_answers_sha256": sha256}, (sha256,))


class Answers(_OfAnswers, Scoring):
    """Answers to score."""

    noun = "an answer"
    options = ScoringOptions
    first_experiment = "dispute-awareness"
    # Prompts ask for the number alone.
    is_bare = True

    def variants(
        self, experiment: Experiment, prompts_folder: Path | None
    ) -> Sequence[PromptVariant]:
        rating = Rating(experiment.options.dimension, *experiment.options.scale)
        made: list[PromptVariant] = variants_of(self, experiment, (rating,), prompts_folder)
        template = made[0].template
        if template.scale not in (None, experiment.options.scale):
            raise BadTemplate(
                f"runner: experiment '{experiment.name}' has the scale {experiment.options.scale}, "
                f"and prompt '{experiment.template}' offers {template.scale}; make the two agree"
            )
        return made

    def equip(self, judge: Judge, resources: RunResources) -> Equipped:
        """Return the judge, with points of view where its prompt shows them."""
        shows = any("partial_answers" in each.template.slots for each in resources.variants)
        return _with_partial_answers(judge, resources) if shows else Equipped(judge)

    def prompt_inputs(self, item: Answer, variant: PromptVariant, seed: int) -> PromptInputs:
        rating: Rating = variant.arm
        values = {
            "question": item.question,
            "answer": item.answer,
            "partial_answers": listed(item.partial_answers),
            "scale_min": str(rating.scale_min),
            "scale_max": str(rating.scale_max),
        }
        return PromptInputs(values, rating, labels=points(rating.scale_min, rating.scale_max))

    def describe(self, request: Request) -> Description:
        rating, template = request.way(Rating), request.template.label
        scale = [rating.scale_min, rating.scale_max]
        return Description(
            identity={"dimension": rating.dimension},
            facts=lambda: {
                "answer": request.item.item_hash,
                "template": template,
                "scale": scale,
            },
            fields={"item_kind": self.line, **asdict(rating)},
            reply_fields=lambda reply: _released(request, reply),
            is_bare=self.is_bare,
        )

    def costs(self, request: Request) -> CostHints:
        """Return the failure of an empty answer: the best judge could only invent a score."""
        failure = None
        if request.about(Answer).is_empty:
            words = f"the answer '{request.item.item_id}' is empty; it was not sent"
            failure = ("empty_answer", words)
        return CostHints(failure=failure, answer=score_answer(request))

    def released(self, row: Mapping[str, Any], line: Mapping[str, Any]) -> float | None:
        """Return what the released program read when the run had the prompt."""
        released: float | None = check_if_any(line, {"value_released": NUMBER})["value_released"]
        return released

    def values(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        # The scale of a question put to judges alone is in no table; a later reading needs it.
        scale = check_if_any(line, {"scale_min": WHOLE, "scale_max": WHOLE})
        row["extra"] = (row["extra"] or {}) | scale
        return super().values(row, line)


def _released(request: Request, reply: Reply) -> dict[str, Any]:
    """Return what the released program reads, which looks at the prompt too."""
    if reply.error_kind is not None or request.labels != ("0", "1"):
        return {}
    released = first_binary_digit(request.sent, reply.response or "")
    return {} if released is None else {"value_released": released}


class ComparisonStatus(NamedTuple):
    """A comparison: the status of the first point of view that was not compared, or None."""

    reason: str | None


class Comparisons(_OfAnswers):
    """Answers to compare with the points of view on their questions."""

    noun = "the likelihood of points of view"
    options = ComparisonOptions
    line_fields = ("metric", "likelihoods", "answer_token_count")
    asked_fields = ("metric",)
    whole = _WHOLE
    table = Table("likelihoods", key=("request_id", "partial_answer_id"))
    first_experiment = "perspective-diversity"

    def variants(
        self, experiment: Experiment, prompts_folder: Path | None
    ) -> Sequence[PromptVariant]:
        """Return every wording, as often as it is repeated."""
        options: ComparisonOptions = experiment.options
        comparison = Comparison(options.metric, options.keep_tokens)
        wordings = [_wording(self, experiment, name, prompts_folder) for name in options.arms]
        samples = range(experiment.repeats)
        return [PromptVariant(each, sample, comparison) for each in wordings for sample in samples]

    def equip(self, judge: Judge, resources: RunResources) -> Equipped:
        """Return the judge, with the points of view to compare with."""
        return _with_partial_answers(judge, resources)

    def prompt_inputs(self, item: Answer, variant: PromptVariant, seed: int) -> PromptInputs:
        """Return an answer as it is: nothing in it could answer for an evaluator."""
        return PromptInputs({"answer": item.answer}, variant.arm, is_safe=False)

    def describe(self, request: Request) -> Description:
        factors, template = asdict(request.way(Comparison)), request.template.label
        points_of_view = request.about(Answer).partial_answers
        pairs = [(each.partial_answer_id, each.text_hash) for each in points_of_view]
        return Description(
            identity={"comparison": factors, "partial_answers": pairs},
            facts=lambda: {"answer": request.item.item_hash, "template": template},
            fields={"item_kind": self.line, "metric": factors["metric"]},
            reply_fields=_likelihoods,
        )

    def costs(self, request: Request) -> CostHints:
        """Return the failure of an answer to a question without points of view."""
        answer, failure = request.about(Answer), None
        if not answer.partial_answers:
            failure = (
                "no_partial_answers",
                f"question '{answer.question_id}' has no partial answers, so its answers cannot be "
                "compared with any; add some to the data set",
            )
        return CostHints(failure=failure, writes_text=False)

    def parse(self, line: Mapping[str, Any]) -> ComparisonStatus:
        statuses = [each["status"] for each in line["likelihoods"]]
        return ComparisonStatus(next((status for status in statuses if status != _SCORED), None))

    def values(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
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


def _wording(
    kind: Kind, experiment: Experiment, name: str, prompts_folder: Path | None
) -> Template:
    """Return a wording, which shows the answer and nothing else."""
    if experiment.options.metric != PERSPECTIVE_DIVERSITY:
        # Nothing is asked: the answer is compared as it is.
        return replace(load_template("pd_none"), label=name, instrument=name)
    template = load_template(name, prompts_folder)
    if template.kind != kind.template:
        raise BadTemplate(
            f"runner: experiment '{experiment.name}' asks about a {kind.template}, and prompt "
            f"'{name}' about a {template.kind}; name another prompt"
        )
    if template.slots != {"answer"}:
        others = ", ".join(sorted(template.slots - {"answer"}))
        raise BadTemplate(
            f"runner: prompt '{name}' has the slots {others} besides {{answer}}; a wording of "
            f"experiment '{experiment.name}' shows the answer and nothing else"
        )
    return template


def _likelihoods(reply: Reply) -> dict[str, Any]:
    """Return what was found of each point of view."""
    if reply.outcome is None:
        return {}
    pairs = [_kept(each) for each in reply.outcome.likelihoods]
    return {"likelihoods": pairs, "answer_token_count": reply.outcome.answer_token_count}


def _kept(found: Likelihood) -> dict[str, Any]:
    kept = asdict(found)
    if found.token_logprobs is None:
        del kept["token_logprobs"]
    return kept
