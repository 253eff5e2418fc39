"""Each step: what goes into it, and how it is done. `run` decides whether it has to be done."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from inference.errors import CurationFailed, CurationWaits
from inference.questions.curation.annotation import FORM, form, read_annotations, remove_by_majority
from inference.questions.curation.deduplicate import deduplicate
from inference.questions.curation.examine import (
    coverage_form,
    examine_chunks,
    examine_pairs,
    read_coverage,
)
from inference.questions.curation.judged import judge_documents
from inference.questions.curation.perspectives import expand, extract
from inference.questions.curation.queries import search_queries
from inference.questions.curation.questions import merge, read_questions
from inference.questions.curation.records import (
    Evidence,
    PartialAnswer,
    PointOfView,
    Queries,
    Question,
)
from inference.questions.curation.replies import Replies
from inference.questions.curation.rerank import CosineScorer, Judged, rerank
from inference.questions.curation.results import Result, jsonl, read_result
from inference.questions.curation.sources import FolderSource, WebSource, found_by, page_funnel
from inference.questions.curation.steps import Step
from inference.questions.curation.tools import Settings, Tools
from inference.questions.documents import Document, documents_hash, read_documents
from inference.questions.web.pages import PageSeen
from inference.whole_files import write_whole


class Made(NamedTuple):
    """What a step made.

    Attributes:
        steps: Its funnels, one per unit it counts.
        records: What is left.
    """

    steps: Sequence[Step[Any]]
    records: Sequence[Any]


class Plan(NamedTuple):
    """A step that is ready to be done.

    Attributes:
        inputs: Everything that can change what it makes, as JSON takes it.
        do: Does it.
    """

    inputs: Sequence[Any]
    do: Callable[[], Awaitable[Made]]


class Plans:
    """The plans of all steps over one working folder.

    Args:
        folder: The working folder.
        tools: What the steps work with.
        settings: What the user has set.
    """

    def __init__(self, folder: Path, tools: Tools, settings: Settings) -> None:
        self._folder = folder
        self._tools = tools
        self._set = settings
        self._by_name = {
            "merge": self._merge,
            "deduplicate": self._deduplicate,
            "queries": self._queries,
            "documents": self._documents,
            "points_of_view": self._points_of_view,
            "examination": self._examination,
            "partial_answers": self._partial_answers,
            "annotation": self._annotation,
        }

    def of(self, name: str) -> Plan:
        """Return the plan of a step.

        Args:
            name: The step.

        Raises:
            CurationFailed: There is no such step, or one before it has not been done.
            InferenceError: What it needs cannot be read.
        """
        if name not in self._by_name:
            raise CurationFailed(
                f"curation: no step named '{name}'; choose one of {', '.join(self._by_name)}"
            )
        return self._by_name[name]()

    def _merge(self) -> Plan:
        questions = read_questions(self._folder / "questions")

        async def do() -> Made:
            step = merge(questions)
            return Made([step], step.kept)

        return Plan([asdict(each) for each in questions], do)

    def _deduplicate(self) -> Plan:
        before = self._done("merge")

        async def do() -> Made:
            questions = before.of(Question)
            if not questions:
                return Made([], [])
            embedder = self._tools.make_embedder([each.question for each in questions])
            step = deduplicate(questions, embedder, self._set.threshold)
            return Made([step], step.kept)

        return Plan([_hash(before), self._tools.embedder, self._set.threshold], do)

    def _queries(self) -> Plan:
        before, prompt = self._done("deduplicate"), self._tools.queries_prompt

        async def do() -> Made:
            async with self._replies() as ask:
                step = await search_queries(before.of(Question), ask, prompt)
            return Made([step], step.kept)

        return Plan([_hash(before), self._tools.model, prompt.prompt_hash], do)

    def _documents(self) -> Plan:
        questions, queries = self._done("deduplicate"), self._done("queries")
        given, own = self._tools.source, list[Document]()
        if given is None:
            own = read_documents(self._folder / "documents")
        where = given.identity if given else [documents_hash(own), self._tools.embedder]
        how = [
            self._set.documents_per_query,
            list(self._set.domains),
            self._set.documents_at_most,
            self._set.documents_at_least,
            self._tools.scorer,
            self._tools.embedder,
        ]
        if self._tools.judge is not None:
            how += [self._tools.relevance_prompt.prompt_hash, self._tools.tokens]

        async def do() -> Made:
            source = given or FolderSource(own, self._tools.make_embedder)
            asked = {each.question_id: each.queries for each in queries.of(Queries)}
            left = [each for each in questions.of(Question) if each.question_id in asked]
            candidates: dict[str, list[Document]] = {}
            seen: dict[str, list[PageSeen]] = {}
            for name, each in asked.items():
                candidates[name] = found_by(source, each, self._set.documents_per_query)
                if isinstance(source, WebSource):
                    seen[name] = source.take_pages()
            pages = [page_funnel(seen)] if isinstance(source, WebSource) else []
            texts = {each.document_id: each.text for found in candidates.values() for each in found}
            corpus = [each.question for each in left]
            corpus += [text for text in texts.values() if text.strip()]
            if not corpus:
                return Made(pages, [])
            make = self._tools.make_scorer or (
                lambda texts: CosineScorer(self._tools.make_embedder(texts))
            )
            found = rerank(
                left,
                candidates,
                await self._judged(left, candidates) or make(corpus),
                domains=self._set.domains,
                at_most=self._set.documents_at_most,
                at_least=self._set.documents_at_least,
            )
            chosen = [each for own in found.by_question.values() for each in own]
            steps: list[Step[Any]] = [*pages, found.documents, found.questions]
            return Made(steps, [*found.questions.kept, *chosen])

        return Plan([_hash(questions), _hash(queries), where, how], do)

    async def _judged(
        self, questions: Sequence[Question], candidates: Mapping[str, Sequence[Document]]
    ) -> Judged | None:
        """Return what the judge of documents says; None where there is none."""
        if self._tools.judge is None:
            return None
        replies = Replies(self._folder / "replies", self._tools.scorer, self._tools.judge)
        async with replies as ask:
            return await judge_documents(
                questions,
                candidates,
                ask,
                self._tools.relevance_prompt,
                domains=self._set.domains,
                spans=self._tools.spans,
            )

    def _points_of_view(self) -> Plan:
        before, prompt = self._done("documents"), self._tools.prompts.extraction

        async def do() -> Made:
            async with self._replies() as ask:
                found = await extract(
                    before.of(Question),
                    _by_question(before),
                    ask,
                    prompt,
                    at_least=self._set.points_at_least,
                    spans=self._tools.spans,
                )
            return Made([found.questions], [*found.questions.kept, *found.points])

        how = [self._tools.model, prompt.prompt_hash, self._set.points_at_least, self._tools.tokens]
        return Plan([_hash(before), how], do)

    def _examination(self) -> Plan:
        documents, before = self._done("documents"), self._done("points_of_view")
        covered = read_coverage(self._folder / "coverage.csv")

        async def do() -> Made:
            points = before.of(PointOfView)
            chunks = examine_chunks(
                before.of(Question),
                _by_question(documents),
                points,
                self._tools.make_embedder,
                covered=covered,
                spans=self._tools.spans,
            )
            write_whole(self._folder / "coverage_form.csv", coverage_form(chunks, points))
            if not points:
                return Made([], chunks)
            embedder = self._tools.make_embedder([point.point_of_view for point in points])
            pairs = examine_pairs(points, embedder, self._set.distinct_below)
            return Made([], [*chunks, *pairs])

        how = [self._tools.embedder, self._tools.tokens, self._set.distinct_below]
        how.append(sorted([*key, said] for key, said in covered.items()))
        return Plan([_hash(documents), _hash(before), how], do)

    def _partial_answers(self) -> Plan:
        documents, before = self._done("documents"), self._done("points_of_view")
        prompt = self._tools.prompts.expansion

        async def do() -> Made:
            async with self._replies() as ask:
                step = await expand(
                    before.of(Question),
                    before.of(PointOfView),
                    _by_question(documents),
                    ask,
                    prompt,
                    spans=self._tools.spans,
                )
            return Made([step], step.kept)

        how = [self._tools.model, prompt.prompt_hash, self._tools.tokens]
        return Plan([_hash(documents), _hash(before), how], do)

    def _annotation(self) -> Plan:
        before, folder = self._done("partial_answers"), self._folder / "annotations"
        questions = {
            each.question_id: each.question for each in self._done("documents").of(Question)
        }
        addresses = {
            each.document.document_id: each.document.url
            for each in self._done("documents").of(Evidence)
        }
        said = read_annotations(folder)

        async def do() -> Made:
            answers = before.of(PartialAnswer)
            write_whole(folder / FORM, form(answers, questions, addresses))
            if answers and not said:
                raise CurationWaits(
                    f"annotation: nobody has annotated the {len(answers)} partial answers; have "
                    f"{self._set.annotators} people fill in copies of {folder / FORM}, and put "
                    "them beside it"
                )
            step = remove_by_majority(answers, said, self._set.annotators)
            return Made([step], [*step.kept, *said])

        return Plan([_hash(before), [asdict(each) for each in said], self._set.annotators], do)

    def _replies(self) -> Replies:
        return Replies(self._folder / "replies", self._tools.model, self._tools.ask)

    def _done(self, name: str) -> Result:
        result = read_result(self._folder / "steps", name)
        if result is None:
            raise CurationFailed(f"curation: the step '{name}' has not been done; do it first")
        return result


def _hash(result: Result) -> str:
    """Return the hash of what a step left, so that one which comes out the same changes nothing."""
    rows = ({"record": type(each).__name__, **asdict(each)} for each in result.records)
    return hashlib.sha256(jsonl(rows).encode("utf-8", "replace")).hexdigest()


def _by_question(documents: Result) -> dict[str, list[Evidence]]:
    found: dict[str, list[Evidence]] = {each.question_id: [] for each in documents.of(Question)}
    for each in documents.of(Evidence):
        found[each.question_id].append(each)
    return found
