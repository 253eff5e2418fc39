"""Debatable questions: having models answer them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inference.errors import BadSettings, BadTemplate
from inference.items import ItemSource
from inference.kinds.fields import TEXT, WHOLE, answer_id, check, columns_of, objects
from inference.kinds.parts import (
    ANSWERED,
    About,
    Asked,
    Drafted,
    Equipped,
    Given,
    Parts,
    Put,
    Resources,
    Row,
    Table,
)
from inference.kinds.protocol import Kind
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
from inference.questions.arms import TABLES, read_generations, read_retrieval
from inference.sampling import Drawn, draw_those, first_by_seed
from inference.template_kinds import LENGTH, QUESTION
from inference.templates import LENGTH_SENTENCE, Template, load_template

if TYPE_CHECKING:
    from inference.experiment import Experiment
    from inference.judges.base import Judge, Reply
    from inference.judges.request import Request
    from inference.tokens import Context

# A model that looks for documents is asked so often at most, and each time shown no more than nine
# chunks of 2,000 characters, four bytes each at most, with how it is asked for more.
_STEPS = 3
_FOUND_BYTES = 9 * 2000 * 4 + 2000
# How a question was put to the model.
CHOSEN = ("temperature", "top_p", "target_tokens", "retrieval", "is_trusted_only")
# Of a chunk of an answer's documents what is a column, must or may.
_CHUNK, _CHUNK_IF_ANY = ("document_id", "similarity", "search", "text_hash"), ("question_id", "url")
DOCUMENTS, PAGES = "answer_documents", "answer_pages"


class Questions(Kind):
    """Debatable questions that models answer."""

    name = "question"
    words = "a question"
    first_experiment = "debatable-answers"
    files = QUESTIONS
    template = QUESTION
    reference_file = "partial_answers_file"
    own = frozenset({"answers", "embedder", "generations", "questions", "retrieval", "split"})
    tables = TABLES
    arms_name = "generations"
    advice_on_same_arms = (
        "with retrieval all arms have the prompt answers.template_with_documents, so name one "
        "template there; ask several times with repeats"
    )
    line = "question"
    line_fields = (*CHOSEN, "documents")
    found_fields = ("documents",)
    table = Table(
        "answers",
        parts={
            DOCUMENTS: ("request_id", "document_rank"),
            PAGES: ("request_id", "address"),
        },
        about=(About("question_id", "raw.questions", "an answer to a question"),),
    )

    def items(self, experiment: Experiment, source: ItemSource) -> Iterator[Question]:
        return iter_questions(source, experiment.split)

    def draw(self, experiment: Experiment, source: ItemSource) -> Drawn:
        there, drawn = drawn_questions(experiment, source)
        facts = {"split": experiment.split, "questions": len(drawn)}
        return draw_those(experiment.seed, there, drawn, facts)

    def read(
        self, path: Path, content: Mapping[str, Any], values: Mapping[str, Any]
    ) -> dict[str, Any]:
        arms = read_generations(path, content)
        found = {"arms": arms, "template": values.get("template", arms[0].template)}
        if (embedder := content.get("answers", {}).get("embedder")) is not None:
            found["embedder"] = embedder
        if (chosen := content.get("retrieval")) is not None:
            found["retrieval"] = read_retrieval(path, chosen, arms)
        return found

    def asked(self, experiment: Experiment, prompts_folder: Path | None) -> list[Asked]:
        """Return every way to answer, with the sentence that asks for a length."""
        asked = super().asked(experiment, prompts_folder)
        if not any(arm.target_tokens for arm in experiment.arms):
            return asked
        sentence = load_template(LENGTH_SENTENCE, prompts_folder)
        if sentence.kind != LENGTH:
            raise BadTemplate(
                f"runner: the prompt '{LENGTH_SENTENCE}' has not the slot {{target_tokens}} alone; "
                "it is the sentence that asks for a length, and stands behind the system turn"
            )
        return [_with_length(each, sentence) for each in asked]

    def check_arm(self, who: str, arm: Generation, template: Template) -> None:
        """Refuse a prompt that shows documents where there are none, or hides them."""
        shows = "documents" in template.slots
        if shows != (arm.retrieval != NOTHING):
            has = "has the slot {documents}" if shows else "has no slot {documents}"
            raise BadTemplate(
                f"{who} has an arm with retrieval '{arm.retrieval}', and its prompt "
                f"'{arm.template}' {has}; name prompts without it as answers.template, and one "
                "with it as answers.template_with_documents"
            )

    def header(self, run: Drafted) -> dict[str, Any]:
        experiment, about = run.experiment, super().header(run)
        if experiment.retrieval is not None:
            about["retrieval"] = asdict(experiment.retrieval)
        return about | {"embedder": experiment.embedder if _retrievals(experiment) else None}

    def put(self, item: Question, asked: Asked, given: Given) -> Put:
        """Return a question's slots. What a model looks up itself is put in by whoever looks."""
        arm: Generation = asked.arm
        found = item.shown(arm) if arm.retrieval == AT_ONCE else ()
        values = {
            "question": item.question,
            "target_tokens": str(arm.target_tokens),
            "documents": "\n\n".join(found),
        }
        return Put(values, arm)

    def identity(self, request: Request) -> dict[str, Any]:
        return {"generation": {**asdict(request.variant), "template": request.template.label}}

    def facts(self, request: Request) -> dict[str, Any]:
        """What judges without prompts go by: the question, and all that is sent of it."""
        shown = hashlib.sha256(request.sent.encode("utf-8", "replace")).hexdigest()
        item = request.about(Question)
        return {"question": item.item_hash, "prompt": shown, "template": request.template.label}

    def overrides(self, request: Request) -> dict[str, float]:
        way = request.way(Generation)
        chosen = {"temperature": way.temperature, "top_p": way.top_p}
        return {name: value for name, value in chosen.items() if value is not None}

    def equipped(self, judge: Judge, resources: Resources) -> Equipped:
        experiment, spec = resources.experiment, resources.spec
        retrievals = _retrievals(experiment)
        if not retrievals:
            return Equipped(judge)
        # Imported here: embedding takes a second to load, and most runs show no documents.
        from inference.judges.searching import SearchingJudge
        from inference.questions.grounding import Grounding
        from inference.questions.retrieval import STEP_PROMPT

        grounding = Grounding(
            resources.source,
            experiment.embedder,
            settings=experiment.retrieval,
            web=resources.web,
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

    def most_tokens(self, request: Request, tokens_in: int, tokens_out: int) -> tuple[int, int]:
        if request.way(Generation).retrieval != STEP_BY_STEP:
            return tokens_in, tokens_out
        return _STEPS * (tokens_in + _FOUND_BYTES), _STEPS * tokens_out

    def fields(self, request: Request) -> dict[str, Any]:
        way = asdict(request.variant)
        return {"item_kind": self.line, **{name: way[name] for name in CHOSEN}}

    def found(self, request: Request, reply: Reply, counted: Context | None) -> dict[str, Any]:
        """Return which documents were behind the answer, where any were looked for."""
        way, item = request.way(Generation), request.about(Question)
        shown = item.trusted_documents_record if way.is_trusted_only else item.documents_record
        record = {NOTHING: None, AT_ONCE: shown, STEP_BY_STEP: reply.documents}[way.retrieval]
        return {} if record is None else {"documents": record}

    def why_unreadable(self, line: Mapping[str, Any]) -> str | None:
        """Return why a reply is no answer to its question; a short or cut one is one."""
        finish_reason = line.get("finish_reason")
        if finish_reason in ("refusal", "content_filter"):
            return STOPPED[finish_reason]
        if line["response"].strip():
            return None
        return STOPPED.get(finish_reason or "", "empty_response")

    def rows(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        check(line, {"item_id": TEXT})
        row |= columns_of(line, self.table.name, (), CHOSEN)
        row["retrieval"] = row["retrieval"] or NOTHING
        row["question_id"] = line["item_id"]
        row["answer_id"] = answer_id(line["item_id"], line["request_id"])
        if line["status"] == ANSWERED:
            check(line, {"response": TEXT})
            row["word_count"] = len(row["response"].split())
        return [Row(row, _document_rows(row, line.get("documents")))]


def drawn_questions(experiment: Experiment, source: ItemSource) -> tuple[list[str], set[str]]:
    """Return the questions there are, and those that are drawn."""
    there = question_keys(source, experiment.split)
    part = "" if experiment.split is None else f" in the split '{experiment.split}'"
    return there, first_by_seed(experiment, source, there, f"questions{part}")


def _retrievals(experiment: Experiment) -> set[str]:
    """Return how arms come by documents; none where none do."""
    return {each.retrieval for each in experiment.arms} - {NOTHING}


def _with_length(asked: Asked, sentence: Template) -> Asked:
    if not asked.arm.target_tokens:
        return asked
    template = asked.template
    if template.system is None:
        raise BadTemplate(
            f"runner: prompt '{template.instrument}' has no system turn for the sentence that asks "
            "for a length; write one above its line '=== user ==='"
        )
    if sentence.label != LENGTH_SENTENCE:
        # Another sentence makes another wording of the whole.
        template = replace(template, label=f"{template.label}+{sentence.label}", wording="custom")
    return asked._replace(template=template, length=sentence)


def _document_rows(row: dict[str, Any], documents: Any) -> Parts:
    """Complete an answer's row by what the journal says of its documents; return their rows."""
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
