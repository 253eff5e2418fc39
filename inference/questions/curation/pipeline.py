"""The pipeline of curation, over one working folder.

    questions/        one .csv or .jsonl file per source                      (yours)
    documents/        the documents that are searched                         (yours)
    annotations/      form.csv to fill in, and the files of annotators        (yours)
    coverage.csv      what people found about chunks, from coverage_form.csv  (yours)
    replies/          what the model replied; never asked for twice
    steps/            one file per step: funnel, removals, records
    data/             the data set, once it is annotated: questions.jsonl, documents.jsonl, and
                      annotations.jsonl with every annotation, also of what was removed

A step waits where people's answers are missing; what they fill in is there by then. When a step
comes out differently than before, what the steps after it made is removed: all files in steps/ are
of one curation, whenever it was stopped.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from inference.errors import CurationFailed, StepWaits
from inference.questions.curation.annotation import (
    ANNOTATORS,
    FORM,
    form,
    read_annotations,
    remove_by_majority,
)
from inference.questions.curation.data_set import write_data_set
from inference.questions.curation.deduplicate import deduplicate
from inference.questions.curation.examine import (
    DISTINCT_BELOW,
    coverage_form,
    examine_chunks,
    examine_pairs,
    read_coverage,
)
from inference.questions.curation.forms import merge, read_questions
from inference.questions.curation.perspectives import expand, extract
from inference.questions.curation.queries import search_queries
from inference.questions.curation.records import (
    Evidence,
    PartialAnswer,
    PointOfView,
    Queries,
    Question,
)
from inference.questions.curation.records import Step as Funnel
from inference.questions.curation.rerank import CosineScorer, Judged, judge_documents, rerank
from inference.questions.curation.results import Result, ResultFiles
from inference.questions.curation.sources import FolderSource, WebSource, found_by, page_funnel
from inference.questions.curation.tools import Curation
from inference.questions.documents import Document, documents_hash, read_documents
from inference.questions.web.pages import PageSeen
from inference.steps.asking import Model, Replies
from inference.steps.files import Made
from inference.steps.pipeline import Outcome, Pipeline, Plan, Step
from warehouse.files import write_atomically

Before = Mapping[str, Result]
# How many documents are looked at for each query.
_PER_QUERY = 10


def _merge(work: Curation, _: Before) -> Plan:
    questions = read_questions(work.folder / "questions")

    def make() -> Made:
        step = merge(questions)
        return Made(step.kept, funnels=[step])

    return Plan([asdict(each) for each in questions], make)


def _deduplicate(work: Curation, before: Before) -> Plan:
    tools, threshold = work.tools, work.settings.threshold

    def make() -> Made:
        questions = before["merge"].of(Question)
        if not questions:
            return Made([])
        embedder = tools.make_embedder([each.question for each in questions])
        step = deduplicate(questions, embedder, threshold)
        return Made(step.kept, funnels=[step])

    return Plan([tools.embedder, threshold], make)


def _queries(work: Curation, before: Before) -> Plan:
    prompt = work.tools.queries_prompt

    def make() -> Made:
        step = search_queries(before["deduplicate"].of(Question), _replies(work), prompt)
        return Made(step.kept, funnels=[step])

    return Plan([work.tools.model.identity, prompt.prompt_hash], make)


def _documents(work: Curation, before: Before) -> Plan:
    tools, chosen = work.tools, work.settings
    given, own = tools.source, list[Document]()
    if given is None:
        own = read_documents(work.folder / "documents")
    where = given.identity if given else [documents_hash(own), tools.embedder]
    how = [
        _PER_QUERY,
        list(chosen.domains),
        chosen.documents_at_most,
        chosen.documents_at_least,
        tools.scorer,
        tools.embedder,
    ]
    if tools.judge is not None:
        how += [tools.relevance_prompt.prompt_hash, tools.tokens]

    def make() -> Made:
        source = given or FolderSource(own, tools.make_embedder)
        asked = {each.question_id: each.queries for each in before["queries"].of(Queries)}
        left = [each for each in before["deduplicate"].of(Question) if each.question_id in asked]
        candidates: dict[str, list[Document]] = {}
        seen: dict[str, list[PageSeen]] = {}
        for name, each in asked.items():
            candidates[name] = found_by(source, each, _PER_QUERY)
            if isinstance(source, WebSource):
                seen[name] = source.take_pages()
        pages = [page_funnel(seen)] if isinstance(source, WebSource) else []
        texts = {each.document_id: each.text for found in candidates.values() for each in found}
        corpus = [each.question for each in left]
        corpus += [text for text in texts.values() if text.strip()]
        if not corpus:
            return Made([], funnels=pages)
        make_scorer = tools.make_scorer or (lambda texts: CosineScorer(tools.make_embedder(texts)))
        found = rerank(
            left,
            candidates,
            _judged(work, left, candidates) or make_scorer(corpus),
            domains=chosen.domains,
            at_most=chosen.documents_at_most,
            at_least=chosen.documents_at_least,
        )
        evidence = [each for own in found.by_question.values() for each in own]
        funnels: list[Funnel[Any]] = [*pages, found.documents, found.questions]
        return Made([*found.questions.kept, *evidence], funnels=funnels)

    return Plan([where, how], make)


def _judged(
    work: Curation,
    questions: Sequence[Question],
    candidates: Mapping[str, Sequence[Document]],
) -> Judged | None:
    """Return what the judge of documents says; None where there is none."""
    if work.tools.judge is None:
        return None
    return judge_documents(
        questions,
        candidates,
        _replies(work, work.tools.judge),
        work.tools.relevance_prompt,
        domains=work.settings.domains,
        spans=work.tools.spans,
    )


def _points_of_view(work: Curation, before: Before) -> Plan:
    found, prompt = before["documents"], work.tools.extraction_prompt
    at_least = work.settings.points_at_least

    def make() -> Made:
        made = extract(
            found.of(Question),
            _by_question(found),
            _replies(work),
            prompt,
            at_least=at_least,
            spans=work.tools.spans,
        )
        return Made([*made.questions.kept, *made.points], funnels=[made.questions])

    how = [work.tools.model.identity, prompt.prompt_hash, at_least, work.tools.tokens]
    return Plan([how], make)


def _examination(work: Curation, before: Before) -> Plan:
    tools = work.tools
    covered = read_coverage(work.folder / "coverage.csv")

    def make() -> Made:
        points = before["points_of_view"].of(PointOfView)
        chunks = examine_chunks(
            before["points_of_view"].of(Question),
            _by_question(before["documents"]),
            points,
            tools.make_embedder,
            covered=covered,
            spans=tools.spans,
        )
        write_atomically(work.folder / "coverage_form.csv", coverage_form(chunks, points))
        if not points:
            return Made(chunks)
        embedder = tools.make_embedder([point.point_of_view for point in points])
        return Made([*chunks, *examine_pairs(points, embedder)])

    how = [tools.embedder, tools.tokens, DISTINCT_BELOW]
    return Plan([[*how, sorted([*key, said] for key, said in covered.items())]], make)


def _partial_answers(work: Curation, before: Before) -> Plan:
    found, prompt = before["points_of_view"], work.tools.expansion_prompt

    def make() -> Made:
        step = expand(
            found.of(Question),
            found.of(PointOfView),
            _by_question(before["documents"]),
            _replies(work),
            prompt,
            spans=work.tools.spans,
        )
        return Made(step.kept, funnels=[step])

    how = [work.tools.model.identity, prompt.prompt_hash, work.tools.tokens]
    return Plan([how], make)


def _annotation(work: Curation, before: Before) -> Plan:
    folder, documents = work.folder / "annotations", before["documents"]
    said = read_annotations(folder)

    def make() -> Made:
        answers = before["partial_answers"].of(PartialAnswer)
        questions = {each.question_id: each.question for each in documents.of(Question)}
        addresses = {
            each.document.document_id: each.document.url for each in documents.of(Evidence)
        }
        write_atomically(folder / FORM, form(answers, questions, addresses))
        if answers and not said:
            raise StepWaits(
                f"annotation: nobody has annotated the {len(answers)} partial answers; have "
                f"{ANNOTATORS} people fill in copies of {folder / FORM}, and put them beside it"
            )
        step = remove_by_majority(answers, said)
        return Made([*step.kept, *said], funnels=[step])

    return Plan([[asdict(each) for each in said], ANNOTATORS], make)


def _replies(work: Curation, model: Model | None = None) -> Replies:
    return Replies(model or work.tools.model, work.folder / "replies", "curation")


def _by_question(documents: Result) -> dict[str, list[Evidence]]:
    found: dict[str, list[Evidence]] = {each.question_id: [] for each in documents.of(Question)}
    for each in documents.of(Evidence):
        found[each.question_id].append(each)
    return found


def _leaves(kind: type[Any]) -> Callable[[Curation, Result], None]:
    """Return the check that a step leaves some of a kind; without any the set has no question."""

    def check(work: Curation, result: Result) -> None:
        if not result.of(kind):
            raise CurationFailed(_nothing_left(result, work))

    return check


def _annotated(work: Curation, result: Result) -> None:
    write_data_set(work.folder, result, work.settings.test_questions)
    _leaves(PartialAnswer)(work, result)


def _nothing_left(result: Result, work: Curation) -> str:
    """Return as text that a step left nothing, which rules removed most, and what to do."""
    removed = sorted(
        (rule.n_removed, f"{rule.rule.replace('_', ' ')} ({step.unit}s): {rule.n_removed}")
        for step in result.steps
        for rule in step.rules
        if rule.n_removed
    )
    rules = "; ".join(words for _, words in reversed(removed)) or "nothing came to it"
    return (
        f"curation: no question is left after the step '{result.name}' ({rules}); the steps after "
        f"it were not done. Change the questions, the documents or the settings and curate again; "
        f"'rostrum ingest curated --from {work.folder} --dataset NAME' loads the funnel so far"
    )


PIPELINE: Pipeline[Curation, Result] = Pipeline(
    who="curation",
    failed=CurationFailed,
    not_done="the step '{step}' has not been done; do it first",
    store=ResultFiles(),
    version=1,
    is_name_hashed=True,
    is_of_one_start=True,
    steps=(
        Step(
            "merge",
            "The questions of every source, blank ones removed.",
            _merge,
            check=_leaves(Question),
        ),
        Step(
            "deduplicate",
            "Questions that ask the same, told by an embedder, are left once.",
            _deduplicate,
            after=("merge",),
            check=_leaves(Question),
        ),
        Step(
            "queries",
            "What to look for about each question, as a model puts it.",
            _queries,
            after=("deduplicate",),
            check=_leaves(Queries),
        ),
        Step(
            "documents",
            "The best documents of trusted domains, from folder or web; questions with fewer than "
            "three fall.",
            _documents,
            after=("deduplicate", "queries"),
            check=_leaves(Question),
        ),
        Step(
            "points_of_view",
            "What the documents hold for views on each question, as a model reads them.",
            _points_of_view,
            after=("documents",),
            check=_leaves(Question),
        ),
        Step(
            "examination",
            "How relevant the documents are, what they hold that no view has, and whether views "
            "are distinct.",
            _examination,
            after=("documents", "points_of_view"),
            is_aside=True,
        ),
        Step(
            "partial_answers",
            "Each point of view, explained by a model from its documents.",
            _partial_answers,
            after=("documents", "points_of_view"),
            check=_leaves(PartialAnswer),
        ),
        Step(
            "annotation",
            "What people removed; waits until they have filled in the form.",
            _annotation,
            after=("partial_answers",),
            reads=("documents",),
            check=_annotated,
        ),
    ),
)
STEPS = PIPELINE.names


def funnel(outcomes: Sequence[Outcome[Result]]) -> list[dict[str, Any]]:
    """Return the rules of all steps that are done, as rows."""
    return [
        {
            "step_order": STEPS.index(outcome.step) + 1,
            "step": step.name,
            "unit": step.unit,
            "rule_order": rule.rule_order,
            "rule": rule.rule,
            "n_before": rule.n_before,
            "n_removed": rule.n_removed,
        }
        for outcome in outcomes
        if outcome.result is not None
        for step in outcome.result.steps
        for rule in step.rules
    ]
