"""The pipeline of curation, over one working folder.

    questions/        one .csv or .jsonl file per source                      (yours)
    documents/        the documents that are searched                         (yours)
    annotations/      form.csv to fill in, and the files of annotators        (yours)
    coverage.csv      coverage of chunks, filled in from coverage_form.csv    (yours)
    replies/          replies of the model; never asked for twice
    steps/            one file per step: funnel, removals, records
    data/             the data set, once it is annotated: questions.jsonl, documents.jsonl, and
                      annotations.jsonl with every annotation, also of what was removed

A step waits where annotators' answers are missing. When a step comes out differently than before,
what the steps after it made is removed: all files in steps/ are of one curation, whenever it was
stopped.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from inference.errors import CurationFailed, StepWaits
from inference.questions.curation import annotation, examine, perspectives, questions, ranking
from inference.questions.curation.files import Result, ResultFiles
from inference.questions.curation.records import (
    Evidence,
    PartialAnswer,
    PointOfView,
    Queries,
    Question,
)
from inference.questions.curation.records import Step as Funnel
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
    read = questions.read_questions(work.folder / "questions")

    def make() -> Made:
        step = questions.merge(read)
        return Made(step.kept, funnels=[step])

    return Plan([asdict(each) for each in read], make)


def _deduplicate(work: Curation, before: Before) -> Plan:
    tools, threshold = work.tools, work.settings.threshold

    def make() -> Made:
        asked = before["merge"].of(Question)
        if not asked:
            return Made([])
        embedder = tools.make_embedder([each.question for each in asked])
        step = questions.deduplicate(asked, embedder, threshold)
        return Made(step.kept, funnels=[step])

    return Plan([tools.embedder, threshold], make)


def _queries(work: Curation, before: Before) -> Plan:
    model, prompt = work.tools.model, work.tools.queries_prompt

    def make() -> Made:
        asked = before["deduplicate"].of(Question)
        step = questions.search_queries(asked, _replies(work, model), prompt)
        return Made(step.kept, funnels=[step])

    return Plan([model.identity, prompt.prompt_hash], make)


def _documents(work: Curation, before: Before) -> Plan:
    tools, domains = work.tools, work.settings.domains
    given, own = tools.source, list[Document]()
    if given is None:
        own = read_documents(work.folder / "documents")
    where = given.identity if given else [documents_hash(own), tools.embedder]
    limits = [ranking.AT_MOST, ranking.AT_LEAST]
    how = [_PER_QUERY, list(domains), *limits, tools.scorer, tools.embedder]
    if tools.judge is not None:
        how += [tools.relevance_prompt.prompt_hash, tools.tokens]

    def make() -> Made:
        source = given or ranking.FolderSource(own, tools.make_embedder)
        asked = {each.question_id: each.queries for each in before["queries"].of(Queries)}
        left = [each for each in before["deduplicate"].of(Question) if each.question_id in asked]
        candidates: dict[str, list[Document]] = {}
        seen: dict[str, list[PageSeen]] = {}
        for name, queries in asked.items():
            candidates[name] = ranking.found_by(source, queries, _PER_QUERY)
            if isinstance(source, ranking.WebSource):
                seen[name] = source.take_pages()
        funnels: list[Funnel[Any]] = []
        if isinstance(source, ranking.WebSource):
            funnels.append(ranking.page_funnel(seen))
        texts = {each.document_id: each.text for found in candidates.values() for each in found}
        corpus = [each.question for each in left]
        corpus += [text for text in texts.values() if text.strip()]
        if not corpus:
            return Made([], funnels=funnels)
        scorer = _scorer(work, left, candidates, corpus)
        found = ranking.rerank(left, candidates, scorer, domains=domains)
        evidence = [each for own in found.by_question.values() for each in own]
        funnels += [found.documents, found.questions]
        return Made([*found.questions.kept, *evidence], funnels=funnels)

    return Plan([where, how], make)


def _scorer(
    work: Curation,
    asked: Sequence[Question],
    candidates: Mapping[str, Sequence[Document]],
    corpus: Sequence[str],
) -> ranking.Scorer | ranking.Judged:
    tools = work.tools
    if tools.judge is not None:
        return ranking.judge_documents(
            asked,
            candidates,
            _replies(work, tools.judge),
            tools.relevance_prompt,
            domains=work.settings.domains,
            spans=tools.spans,
        )
    if tools.make_scorer is not None:
        return tools.make_scorer(corpus)
    return ranking.cosine_scorer(tools.make_embedder(corpus))


def _points_of_view(work: Curation, before: Before) -> Plan:
    found, tools = before["documents"], work.tools

    def make() -> Made:
        made = perspectives.extract(
            found.of(Question),
            _by_question(found),
            _replies(work, tools.model),
            tools.extraction_prompt,
            spans=tools.spans,
        )
        return Made([*made.questions.kept, *made.points], funnels=[made.questions])

    prompt_hash, at_least = tools.extraction_prompt.prompt_hash, perspectives.AT_LEAST
    return Plan([[tools.model.identity, prompt_hash, at_least, tools.tokens]], make)


def _examination(work: Curation, before: Before) -> Plan:
    tools, found = work.tools, before["points_of_view"]
    covered = examine.read_coverage(work.folder / "coverage.csv")

    def make() -> Made:
        points = found.of(PointOfView)
        chunks = examine.examine_chunks(
            found.of(Question),
            _by_question(before["documents"]),
            points,
            tools.make_embedder,
            covered=covered,
            spans=tools.spans,
        )
        form = examine.coverage_form(chunks, points)
        write_atomically(work.folder / "coverage_form.csv", form)
        if not points:
            return Made(chunks)
        embedder = tools.make_embedder([point.point_of_view for point in points])
        return Made([*chunks, *examine.examine_pairs(points, embedder)])

    how = [tools.embedder, tools.tokens, examine.DISTINCT_BELOW]
    answers = sorted([*key, is_covered] for key, is_covered in covered.items())
    return Plan([[*how, answers]], make)


def _partial_answers(work: Curation, before: Before) -> Plan:
    found, tools = before["points_of_view"], work.tools

    def make() -> Made:
        step = perspectives.expand(
            found.of(Question),
            found.of(PointOfView),
            _by_question(before["documents"]),
            _replies(work, tools.model),
            tools.expansion_prompt,
            spans=tools.spans,
        )
        return Made(step.kept, funnels=[step])

    return Plan([[tools.model.identity, tools.expansion_prompt.prompt_hash, tools.tokens]], make)


def _annotation(work: Curation, before: Before) -> Plan:
    folder, documents = work.folder / "annotations", before["documents"]
    annotations = annotation.read_annotations(folder)

    def make() -> Made:
        answers = before["partial_answers"].of(PartialAnswer)
        texts = {each.question_id: each.question for each in documents.of(Question)}
        addresses = {
            each.document.document_id: each.document.url for each in documents.of(Evidence)
        }
        path = folder / annotation.FORM
        write_atomically(path, annotation.form(answers, texts, addresses))
        if answers and not annotations:
            raise StepWaits(
                f"annotation: nobody has annotated the {len(answers)} partial answers; have "
                f"{annotation.ANNOTATORS} people fill in copies of {path}, and put them beside it"
            )
        step = annotation.remove_by_majority(answers, annotations)
        return Made([*step.kept, *annotations], funnels=[step])

    return Plan([[asdict(each) for each in annotations], annotation.ANNOTATORS], make)


def _replies(work: Curation, model: Model) -> Replies:
    return Replies(model, work.folder / "replies", "curation")


def _by_question(documents: Result) -> dict[str, list[Evidence]]:
    found: dict[str, list[Evidence]] = {each.question_id: [] for each in documents.of(Question)}
    for each in documents.of(Evidence):
        found[each.question_id].append(each)
    return found


def _leaves(kind: type[Any]) -> Callable[[Curation, Result], None]:
    """Return the check that a step leaves some of a kind; without any the set has no question."""

    def check(work: Curation, result: Result) -> None:
        if result.of(kind):
            return
        removed = sorted(
            (rule.n_removed, f"{rule.rule.replace('_', ' ')} ({step.unit}s): {rule.n_removed}")
            for step in result.steps
            for rule in step.rules
            if rule.n_removed
        )
        rules = "; ".join(words for _, words in reversed(removed)) or "nothing came to it"
        raise CurationFailed(
            f"curation: no question is left after the step '{result.name}' ({rules}); the steps "
            "after it were not done. Change the questions, the documents or the settings and "
            f"curate again; 'rostrum ingest curated --from {work.folder} --dataset NAME' loads "
            "the funnel so far"
        )

    return check


def _annotated(work: Curation, result: Result) -> None:
    annotation.write_data_set(work.folder, result, work.settings.test_questions)
    _leaves(PartialAnswer)(work, result)


PIPELINE = Pipeline(
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


def funnel(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
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
