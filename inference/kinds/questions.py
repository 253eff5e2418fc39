"""Debatable questions: having models answer them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from dataclasses import dataclass as plain_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field, Strict
from pydantic.dataclasses import dataclass

from inference.errors import BadSettings, BadTemplate
from inference.items import ItemSource
from inference.kinds.fields import REPLIED, TEXT, WHOLE, answer_id, check, columns_of, objects
from inference.kinds.options import (
    CONFIG,
    Crossed,
    Flag,
    KindOptions,
    Listed,
    Positive,
    QuestionSampling,
    Temperature,
    Text,
    combinations,
)
from inference.kinds.parts import ANSWERED, About, Parts, Row, Table
from inference.kinds.protocol import (
    CostHints,
    Description,
    Equipped,
    ItemSet,
    Kind,
    PromptInputs,
    PromptVariant,
    RunResources,
    score_answer,
    variants_of,
)
from inference.parsing import STOPPED
from inference.questions.answers import (
    AT_ONCE,
    NOTHING,
    QUESTIONS,
    STEP_BY_STEP,
    Generation,
    Question,
    iter_questions,
    question_keys,
)
from inference.questions.web.settings import NEEDS, RetrievalSettings
from inference.sampling import Drawn, draw_those, first_by_seed
from inference.template_kinds import LENGTH, QUESTION
from inference.templates import LENGTH_SENTENCE, Template, load_template

if TYPE_CHECKING:
    from inference.experiment import Experiment
    from inference.judges.base import Judge, Reply
    from inference.judges.request import Request

# A model that looks for documents is asked so often at most, and each time shown no more than nine
# chunks of 2,000 characters, four bytes each at most, with how it is asked for more.
_STEPS = 3
_FOUND_BYTES = 9 * 2000 * 4 + 2000
# How a question was put to the model.
CHOSEN = ("temperature", "top_p", "target_tokens", "retrieval", "is_trusted_only")
# Of a chunk of an answer's documents what is a column, must or may.
_CHUNK, _CHUNK_IF_ANY = ("document_id", "similarity", "search", "text_hash"), ("question_id", "url")
DOCUMENTS, PAGES = "answer_documents", "answer_pages"
_CROSSED = ("template", "retrieval", "target_tokens", "temperature", "top_p")


@dataclass(frozen=True, kw_only=True, config=CONFIG)
class _AnswersTable:
    template: Listed[Text]
    retrieval: Listed[Literal["none", "vanilla", "react"]] = ("none",)
    target_tokens: Listed[Positive] | tuple[None] = (None,)
    temperature: Listed[Temperature] | tuple[None] = (None,)
    top_p: Listed[Annotated[float, Strict(), Field(ge=0, le=1)]] | tuple[None] = (None,)
    trusted_only: Listed[Flag] = (False,)
    template_with_documents: Text = "qa_rag"


def _arms(table: _AnswersTable) -> Iterator[Generation]:
    for place, is_trusted_only in enumerate(table.trusted_only):
        for chosen in combinations(table, _CROSSED):
            arm = Generation(**chosen)
            if arm.retrieval != NOTHING:
                template = table.template_with_documents
                yield replace(arm, template=template, is_trusted_only=is_trusted_only)
            elif not place:
                # Where nothing is shown, nothing can be trusted.
                yield arm


@dataclass(frozen=True, kw_only=True, config=CONFIG)
class SplitSampling(QuestionSampling):
    """Sampling of questions: those of a part of the data set; None for all of it."""

    split: Text | None = None


@dataclass(frozen=True, kw_only=True, config=CONFIG)
class GenerationOptions(KindOptions):
    """Options of having questions answered.

    Attributes:
        retrieval: Where documents come from; None for those of the data set.
    """

    kind: ClassVar[str] = "question"
    arm_fields: ClassVar[tuple[str, ...]] = ("answers",)
    crossed_table: ClassVar[str | None] = "answers"
    arms_key: ClassVar[str | None] = "generations"
    advice_on_same_arms: ClassVar[str] = (
        "with retrieval all arms have the prompt answers.template_with_documents, so name one "
        "template there; ask several times with repeats"
    )

    sampling: SplitSampling = SplitSampling()
    answers: Annotated[tuple[Generation, ...], Crossed(_AnswersTable, _arms)]
    embedder: Text = "tfidf"
    retrieval: RetrievalSettings | None = None

    @classmethod
    def from_file(cls, content: Mapping[str, Any], template: Any) -> dict[str, Any]:
        """Return the fields in a file, in which the embedder is a key of the table."""
        found = super().from_file(content, template)
        table = found["answers"]
        if isinstance(table, dict) and "embedder" in table:
            found["embedder"] = table["embedder"]
            found["answers"] = {key: table[key] for key in table if key != "embedder"}
        return found

    @property
    def retrievals(self) -> set[str]:
        """Ways in which arms come by documents; empty where none do."""
        return {each.retrieval for each in self.answers} - {NOTHING}

    def check(self) -> None:
        """Refuse a retriever without its keys, or with another's, or without use."""
        super().check()
        found = self.retrieval
        if found is None:
            return
        if not self.retrievals:
            raise ValueError(
                "there is a [retrieval], and no arm shows documents; add "
                'answers.retrieval = ["vanilla"], or leave [retrieval] out'
            )
        for retriever, key in NEEDS.items():
            if (getattr(found, key) is not None) != (found.retriever == retriever):
                wrong = f"lacks the key 'retrieval.{key}'"
                if found.retriever != retriever:
                    wrong = f"has the key 'retrieval.{key}', which is for retriever = '{retriever}'"
                raise ValueError(
                    f"it takes documents from '{found.retriever}' and {wrong}; make the two agree"
                )

    def definition(self) -> dict[str, Any]:
        """Return what decides what is asked; without [retrieval] as before there was one."""
        found = super().definition()
        retrieval = found.pop("retrieval")
        return found if retrieval is None else found | {"retrieval": asdict(retrieval)}

    def header(self) -> dict[str, Any]:
        """Return the arms, and where documents come from."""
        retrieval = {} if self.retrieval is None else {"retrieval": asdict(self.retrieval)}
        embedder = self.embedder if self.retrievals else None
        return {**super().header(), **retrieval, "embedder": embedder}


@plain_dataclass(frozen=True)
class AnsweringVariant(PromptVariant):
    """An arm with the sentence that asks for a length; None where none is asked for."""

    length: Template | None = None

    @property
    def templates(self) -> tuple[Template, ...]:
        return (self.template,) if self.length is None else (self.template, self.length)


class QuestionItems(ItemSet):
    """Questions of a data set, of a part of it or of all."""

    file = QUESTIONS
    reference_name = "partial_answers"

    def read(self) -> Iterator[Question]:
        return iter_questions(self.source, self.experiment.options.sampling.split)

    def draw(self) -> Drawn:
        known, drawn = drawn_questions(self.experiment, self.source)
        facts = {"split": self.experiment.options.sampling.split, "questions": len(drawn)}
        return draw_those(self.experiment.seed, known, drawn, facts)


class Questions(Kind):
    """Debatable questions that models answer."""

    noun = "a question"
    options = GenerationOptions
    item_set = QuestionItems
    template = QUESTION
    line = "question"
    line_fields = (*CHOSEN, "documents")
    asked_fields = CHOSEN
    whole = REPLIED
    table = Table(
        "answers",
        parts={
            DOCUMENTS: ("request_id", "document_rank"),
            PAGES: ("request_id", "address"),
        },
        about=(About("question_id", "raw.questions", "an answer to a question"),),
    )
    first_experiment = "debatable-answers"

    def variants(
        self, experiment: Experiment, prompts_folder: Path | None
    ) -> Sequence[AnsweringVariant]:
        """Return every arm, with the sentence that asks for a length."""
        made: list[AnsweringVariant] = variants_of(
            self, experiment, experiment.arms, prompts_folder, _check_arm, make=AnsweringVariant
        )
        if not any(arm.target_tokens for arm in experiment.arms):
            return made
        sentence = load_template(LENGTH_SENTENCE, prompts_folder)
        if sentence.kind != LENGTH:
            raise BadTemplate(
                f"runner: the prompt '{LENGTH_SENTENCE}' has not the slot {{target_tokens}} alone; "
                "it is the sentence that asks for a length, and stands behind the system turn"
            )
        return [_with_length(each, sentence) for each in made]

    def equip(self, judge: Judge, resources: RunResources) -> Equipped:
        """Return the judge with the documents that its arms show."""
        experiment, spec = resources.experiment, resources.spec
        retrievals = experiment.options.retrievals
        if not retrievals:
            return Equipped(judge)
        # Imported here: embedding takes a second to load, and most runs show no documents.
        from inference.judges.searching import SearchingJudge
        from inference.questions.grounding import Grounding
        from inference.questions.retrieval import STEP_PROMPT

        grounding = Grounding(
            resources.items.source,
            experiment.options.embedder,
            settings=experiment.options.retrieval,
            web=resources.services.get("web"),
            judges_file=resources.judges_file,
            environ=resources.environ,
        )
        if STEP_BY_STEP in retrievals:
            if hasattr(judge, "ask_many"):
                raise BadSettings(
                    f"runner: experiment '{experiment.name}' has judges look for documents before "
                    f"they answer, and '{spec.judge_id}' sends all requests at once; use the same "
                    'model without batch/, or write an experiment without the retrieval "react"'
                )
            prompt = STEP_PROMPT.load(resources.prompts_folder)
            judge = SearchingJudge(judge, grounding, prompt)
        kinds = {bool(arm.is_trusted_only) for arm in experiment.arms if arm.retrieval == AT_ONCE}

        def with_documents(question: Question) -> Question:
            for trusted in kinds:
                texts, record = grounding.at_once(question, trusted_only=trusted)
                start = "trusted_documents" if trusted else "documents"
                shown: dict[str, Any] = {start: texts, f"{start}_record": record}
                question = replace(question, **shown)
            return question

        return Equipped(judge, with_documents)

    def prompt_inputs(self, item: Question, variant: AnsweringVariant, seed: int) -> PromptInputs:
        """Return a question's values, without what a model looks up itself."""
        arm: Generation = variant.arm
        values = {
            "question": item.question,
            "target_tokens": str(arm.target_tokens),
            "documents": "\n\n".join(item.shown(arm) if arm.retrieval == AT_ONCE else ()),
        }
        suffix = "" if variant.length is None else variant.length.render(values)
        return PromptInputs(values, arm, system_suffix=suffix)

    def describe(self, request: Request) -> Description:
        way, template = request.way(Generation), request.template.label
        factors = asdict(way)
        overrides = {"temperature": way.temperature, "top_p": way.top_p}
        return Description(
            identity={"generation": {**factors, "template": template}},
            facts=lambda: _question_facts(request),
            fields={"item_kind": self.line, **{name: factors[name] for name in CHOSEN}},
            reply_fields=lambda reply: _documents(request, reply),
            overrides={name: each for name, each in overrides.items() if each is not None},
        )

    def costs(self, request: Request) -> CostHints:
        looks_up = request.way(Generation).retrieval == STEP_BY_STEP
        lookups = (_STEPS, _FOUND_BYTES) if looks_up else (1, 0)
        return CostHints(answer=score_answer(request), lookups=lookups)

    def parse(self, line: Mapping[str, Any]) -> Answered:
        """Return why a reply is no answer to its question; a short or cut one is one."""
        finish_reason = line.get("finish_reason")
        if finish_reason in ("refusal", "content_filter"):
            return Answered(STOPPED[finish_reason])
        if line["response"].strip():
            return Answered(None)
        return Answered(STOPPED.get(finish_reason or "", "empty_response"))

    def values(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        check(line, {"item_id": TEXT})
        row |= columns_of(line, self.table.name, (), CHOSEN)
        row["retrieval"] = row["retrieval"] or NOTHING
        row["question_id"] = line["item_id"]
        row["answer_id"] = answer_id(line["item_id"], line["request_id"])
        if line["status"] == ANSWERED:
            check(line, {"response": TEXT})
            row["word_count"] = len(row["response"].split())
        return [Row(row, _document_rows(row, line.get("documents")))]


class Answered(NamedTuple):
    """An answer: the reason why it is none, or None."""

    reason: str | None


def drawn_questions(experiment: Experiment, source: ItemSource) -> tuple[list[str], set[str]]:
    """Return the questions of a data set, and those that are drawn."""
    sampling = experiment.options.sampling
    known = question_keys(source, sampling.split)
    part = "" if sampling.split is None else f" in the split '{sampling.split}'"
    return known, first_by_seed(experiment, source, known, f"questions{part}")


def _check_arm(who: str, arm: Generation, template: Template) -> None:
    """Refuse a prompt that shows documents where there are none, or hides them."""
    shows = "documents" in template.slots
    if shows != (arm.retrieval != NOTHING):
        has = "has the slot {documents}" if shows else "has no slot {documents}"
        raise BadTemplate(
            f"{who} has an arm with retrieval '{arm.retrieval}', and its prompt '{arm.template}' "
            f"{has}; name prompts without it as answers.template, and one with it as "
            "answers.template_with_documents"
        )


def _with_length(variant: AnsweringVariant, sentence: Template) -> AnsweringVariant:
    if not variant.arm.target_tokens:
        return variant
    template = variant.template
    if template.system is None:
        raise BadTemplate(
            f"runner: prompt '{template.instrument}' has no system turn for the sentence that asks "
            "for a length; write one above its line '=== user ==='"
        )
    if sentence.label != LENGTH_SENTENCE:
        # Another sentence makes another wording of the whole.
        template = replace(template, label=f"{template.label}+{sentence.label}", wording="custom")
    return replace(variant, template=template, length=sentence)


def _question_facts(request: Request) -> dict[str, Any]:
    """Return what judges without prompts go by: the question, and all that is sent of it."""
    shown = hashlib.sha256(request.sent.encode("utf-8", "replace")).hexdigest()
    label = request.template.label
    return {"question": request.item.item_hash, "prompt": shown, "template": label}


def _documents(request: Request, reply: Reply) -> dict[str, Any]:
    """Return which documents were behind the answer, where any were looked for."""
    way, item = request.way(Generation), request.about(Question)
    shown = item.trusted_documents_record if way.is_trusted_only else item.documents_record
    record = {NOTHING: None, AT_ONCE: shown, STEP_BY_STEP: reply.outcome}[way.retrieval]
    return {} if record is None else {"documents": record}


def _document_rows(row: dict[str, Any], documents: Any) -> Parts:
    """Complete an answer's row by what the journal has of its documents; return their rows."""
    if documents is None:
        return {}
    if not isinstance(documents, dict):
        raise TypeError(f"documents should be an object; found {documents!r}")
    check(documents, {"retriever": TEXT, "status": TEXT})
    row["retriever"], row["documents_status"] = documents["retriever"], documents["status"]
    place = {"request_id": row["request_id"], "line_number": row["line_number"]}
    chunks = []
    for rank, chunk in enumerate(objects(documents.get("chunks"), "chunks of documents"), start=1):
        check(chunk, {"position": WHOLE})
        found = columns_of(chunk, DOCUMENTS, _CHUNK, _CHUNK_IF_ANY)
        chunks.append({**place, "document_rank": rank, "chunk": chunk["position"], **found})
    pages: dict[str, dict[str, Any]] = {}
    for page in objects(documents.get("pages"), "pages of documents"):
        check(page, {"status": TEXT})
        found = columns_of(page, PAGES, ("address",), ("detail", "sha256"))
        pages[found["address"]] = {**place, **found, "page_status": page["status"]}
    return {DOCUMENTS: chunks, PAGES: list(pages.values())}
