"""The pipeline of an analysis of key points, over one folder, as `results` lists its files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from inference.embeddings import TFIDF
from inference.errors import KeyPointsFailed
from inference.prices import sum_of
from inference.runs.lines import timestamp
from inference.speeches.keypoints import justifications, polarity, vectors
from inference.speeches.keypoints.candidates import with_candidacy
from inference.speeches.keypoints.polarity import NEUTRAL, RULES, Polarity
from inference.speeches.keypoints.results import (
    BEFORE,
    CANDIDATES,
    JUSTIFICATIONS,
    KEY_POINTS,
    LABELLED,
    POLARITY,
    RESERVED,
    SENTENCES,
    Justification,
    Sentence,
    labels,
    labels_hash,
)
from inference.speeches.keypoints.selection import Limits, select
from inference.speeches.keypoints.words import lexicon, words
from inference.steps.asking import Replies, open_model, request_id_of
from inference.steps.files import Made, StepFile, StepFiles, hash_of, records_of
from inference.steps.pipeline import Pipeline, Plan, Step
from inference.tally import Progress
from inference.tokens import estimated

# Set on the dev part of the labelled set, for `tfidf` alone.
TFIDF_MATCH, TFIDF_REDUNDANCY = 0.5, 0.6
LONGEST_SENTENCE = 60
_VERSION = 2
Before = Mapping[str, StepFile]
Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Task:
    """One analysis.

    Attributes:
        template: The prompt whose justifications are analysed.
        judges: Judges whose justifications are analysed; empty for all.
        rephraser: Divides them into sentences: `rules`, or a model.
        embedder: Compares sentences: `tfidf`, `local/MODEL`, or an endpoint's id.
        polarity_by: Tells what is for and against: `rules`, or a model.
    """

    name: str
    dataset: str
    template: str
    dimension: str | None = None
    judges: tuple[str, ...] = ()
    rephraser: str = RULES
    embedder: str = TFIDF
    polarity_by: str = RULES
    limits: Limits = field(default_factory=lambda: limits_for(TFIDF))


@dataclass(frozen=True)
class Tools:
    """Files and limits of the steps; `replies` is the folder of models' replies."""

    replies: Path
    judges_file: Path | None = None
    prompts_folder: Path | None = None
    prices_file: Path | None = None
    budget_usd: float | None = None
    progress: Callable[[Progress], None] = lambda _: None


@dataclass(frozen=True)
class Analysis:
    """An analysis to be made; `rows` are the current replies (`justifications.read`).

    Raises:
        KeyPointsFailed: An analysis cannot have this name.
    """

    folder: Path
    task: Task
    tools: Tools
    rows: Rows = ()

    def __post_init__(self) -> None:
        name = self.task.name
        if name == RESERVED or not name.replace("-", "").replace("_", "").isalnum():
            raise KeyPointsFailed(
                f"key points: '{name}' is no name for an analysis; use letters, digits, '-' and "
                f"'_', and not '{RESERVED}'"
            )

    def model(self, judge_id: str) -> Replies:
        """Return the replies of a model within the budget."""
        tools, spent = self.tools, self.folder / "spent.json"
        model = open_model(judge_id, tools.judges_file, tools.prices_file)
        return Replies(
            model, tools.replies, self.task.name, tools.budget_usd, spent, tools.progress
        )

    def polarity_facts(self) -> list[str]:
        """Return all that decides a polarity besides the sentence."""
        if self.task.polarity_by == RULES:
            return [RULES, lexicon().digest]
        prompt = polarity.PROMPT.load(self.tools.prompts_folder)
        return [
            open_model(self.task.polarity_by, self.tools.judges_file).identity,
            prompt.prompt_hash,
        ]

    def method_hash(self) -> str:
        """Return the hash of all that decides the outcome besides the sentences."""
        _, identity = vectors.vectoriser(self.task.embedder, self.tools.judges_file)
        facts = [identity, self.polarity_facts(), asdict(self.task.limits), lexicon().digest]
        return hash_of(_VERSION, *facts)

    def select(self, sentences: Sequence[Sentence]) -> dict[str, Any]:
        """Return the selection among sentences, as rows."""
        vectorise, _ = vectors.vectoriser(self.task.embedder, self.tools.judges_file)
        selected = select(sentences, vectorise, self.task.limits)
        return {name: [asdict(each) for each in rows] for name, rows in selected._asdict().items()}


def limits_for(
    embedder: str, match: float | None = None, redundancy: float | None = None, seed: int = 0
) -> Limits:
    """Return the limits for an embedder.

    Args:
        match: From which cosine on a sentence matches; needed for all embedders but `tfidf`.
        redundancy: From which cosine on two key points count as one; else 0.6 for `tfidf`, and
            half-way from the match threshold to 1 for others, and where that is above it.

    Raises:
        KeyPointsFailed: A threshold is missing, or none that can be used.
    """
    if match is None and embedder != TFIDF:
        raise KeyPointsFailed(
            f"key points: a threshold fits one embedder, and none is known for '{embedder}'; name "
            "one with --threshold, and look at the labelled set to see what it is worth"
        )
    match = TFIDF_MATCH if match is None else match
    if redundancy is None:
        is_usual = embedder == TFIDF and match <= TFIDF_REDUNDANCY
        redundancy = TFIDF_REDUNDANCY if is_usual else round((1 + match) / 2, 6)
    for name, value in (("--threshold", match), ("--redundancy", redundancy)):
        if not 0 < value <= 1:
            raise KeyPointsFailed(f"key points: {name} {value:g} is no cosine from 0 to 1")
    return Limits(match, redundancy, seed=seed)


def with_polarity(sentence: Sentence, found: Polarity | None = None) -> Sentence:
    """Return a sentence with its polarity, and the reason why it is matched with nothing."""
    found = found or polarity.by_rules(sentence.text)
    reason = None
    if not any(letter.isalpha() for letter in sentence.text):
        reason = "no_words"
    elif len(words(sentence.text)) > LONGEST_SENTENCE:
        reason = "too_long"
    elif found.polarity is None:
        reason = "polarity_unreadable"
    elif found.polarity == NEUTRAL:
        reason = NEUTRAL
    return replace(
        sentence, polarity=found.polarity, polarity_score=found.score, removal_reason=reason
    )


def _justifications(work: Analysis, _: Before) -> Plan:
    any_language = RULES not in (work.task.rephraser, work.task.polarity_by)
    ordered = sorted((dict(row) for row in work.rows), key=lambda row: str(row["request_id"]))

    def make() -> Made:
        return Made(justifications.read(ordered, any_language=any_language), "the replies")

    return Plan([ordered, any_language, justifications.LONGEST], make)


def _sentences(work: Analysis, before: Before) -> Plan:
    found, model = before[JUSTIFICATIONS], work.task.rephraser
    records, facts = records_of(Justification, found.records), {BEFORE: found.content_hash}
    if model == RULES:
        return Plan(
            [lexicon().digest],
            lambda: Made(justifications.rephrase_by_rules(records), RULES, facts),
        )
    prompt = justifications.PROMPT.load(work.tools.prompts_folder)
    identity = open_model(model, work.tools.judges_file).identity

    def make() -> Made:
        made = justifications.rephrase_by_model(records, model, work.model(model), prompt)
        return Made(made, identity, facts)

    return Plan([identity, prompt.prompt_hash], make)


def _polarity(work: Analysis, before: Before) -> Plan:
    found = before[SENTENCES]
    sentences = [
        Sentence(
            sentence_id=f"{each.request_id}/{position}",
            text=text,
            position=position,
            judge_id=each.judge_id,
            item_id=each.item_id,
            request_id=each.request_id,
            motion=each.motion,
        )
        for each in records_of(Justification, found.records)
        for position, text in enumerate(each.rephrased, start=1)
    ]
    facts = {BEFORE: found.content_hash}
    return Plan(
        [work.polarity_facts()],
        lambda: Made(_with_polarity(work, sentences), work.task.polarity_by, facts),
    )


def _candidates(_: Analysis, before: Before) -> Plan:
    found = before[POLARITY]

    def make() -> Made:
        sentences = records_of(Sentence, found.records)
        return Made(with_candidacy(sentences), RULES, {BEFORE: found.content_hash})

    return Plan([lexicon().digest], make)


def _key_points(work: Analysis, before: Before) -> Plan:
    found = before[CANDIDATES]
    settings = {**asdict(work.task), "judges": sorted(work.task.judges)}
    facts = {"method_hash": work.method_hash(), "settings": settings}

    def make() -> Made:
        selected = work.select(records_of(Sentence, found.records))
        made = {**facts, "made_at": timestamp(), BEFORE: found.content_hash}
        return Made([selected], work.task.embedder, made)

    return Plan([facts], make)


def _labelled(work: Analysis, _: Before) -> Plan:
    method_hash = work.method_hash()

    def make() -> Made:
        bare = [Sentence(each.sentence_id, each.text, 1) for each in labels()]
        found = with_candidacy(_with_polarity(work, bare))
        rows = {"sentences": [asdict(each) for each in found], **work.select(found)}
        facts = {"method_hash": method_hash, "made_at": timestamp(), BEFORE: labels_hash()}
        return Made([rows], work.task.embedder, facts)

    return Plan([method_hash, labels_hash()], make)


def _with_polarity(work: Analysis, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences with their polarity; the same text has the same, and is asked about once."""
    texts = sorted({each.text for each in sentences})
    if work.task.polarity_by == RULES:
        found = [polarity.by_rules(each) for each in texts]
    else:
        prompt = polarity.PROMPT.load(work.tools.prompts_folder)
        found = polarity.by_model(texts, work.model(work.task.polarity_by), prompt)
    by_text = dict(zip(texts, found, strict=True))
    return [with_polarity(each, by_text[each.text]) for each in sentences]


PIPELINE = Pipeline(
    who="key points",
    failed=KeyPointsFailed,
    not_done="of '{work.folder.name}' the step '{step}' has not been done; run 'rostrum keypoints "
    "{work.folder.name}' again",
    store=StepFiles(),
    version=_VERSION,
    steps=(
        Step(
            JUSTIFICATIONS,
            "The reasons in judges' current replies to a prompt that asks for them.",
            _justifications,
        ),
        Step(
            SENTENCES,
            "The reasons in sentences of one idea each, by rules or by a model.",
            _sentences,
            after=(JUSTIFICATIONS,),
        ),
        Step(
            POLARITY,
            "Whether each sentence speaks for the speech, against it, or neither.",
            _polarity,
            after=(SENTENCES,),
        ),
        Step(
            CANDIDATES,
            "Which sentences may stand for others, and why the rest may not.",
            _candidates,
            after=(POLARITY,),
        ),
        Step(
            KEY_POINTS,
            "The sentences that stand for the most others, and what each sentence matches.",
            _key_points,
            after=(CANDIDATES,),
        ),
        Step(LABELLED, "The same method on the labelled set, to see what it is worth.", _labelled),
    ),
)


class Cost(NamedTuple):
    """Cost of one kind of request.

    Attributes:
        known: How many of the requests have been answered before.
        is_exact: Whether the number of requests is known; else it is about this.
        tokens_in: About how many tokens the other prompts have.
        usd: Their cost if replies are as long as the prompts; None without a price.
        usd_most: Their cost at most; None without a price.
    """

    what: str
    model: str
    requests: int
    known: int
    is_exact: bool
    tokens_in: int
    usd: float | None
    usd_most: float | None


def costs_of(task: Task, tools: Tools, rows: Rows) -> list[Cost]:
    """Return what models would be asked, a line for each kind of request. Nothing is sent.

    Raises:
        InferenceError: A model or a prompt cannot be used.
    """
    found = justifications.read(rows, any_language=RULES not in (task.rephraser, task.polarity_by))
    costs = []
    if task.rephraser != RULES:
        prompt = justifications.PROMPT.load(tools.prompts_folder)
        prompts = justifications.prompts_for(found, prompt)
        costs.append(_cost("sentences", task.rephraser, tools, prompts, is_exact=True))
    if task.polarity_by != RULES:
        prompt = polarity.PROMPT.load(tools.prompts_folder)
        # What a model will make of them is about as much as the rules make.
        texts = {
            text for each in justifications.rephrase_by_rules(found) for text in each.rephrased
        }
        prompts = polarity.prompts_for(sorted(texts), prompt)
        prompts += polarity.prompts_for(sorted(each.text for each in labels()), prompt)
        is_exact = task.rephraser == RULES
        costs.append(_cost("polarity", task.polarity_by, tools, prompts, is_exact=is_exact))
    return costs


def _cost(what: str, model: str, tools: Tools, prompts: Sequence[str], *, is_exact: bool) -> Cost:
    asked = open_model(model, tools.judges_file, tools.prices_file)
    unique = {request_id_of(asked.identity, each): each for each in prompts}
    answered, _ = Replies(asked, tools.replies, "").read(unique)
    to_ask = [each for request_id, each in unique.items() if request_id not in answered]
    tokens, longest = [estimated(each) for each in to_ask], int(asked.decoding["max_tokens"])
    usual = [asked.price.cost(each, min(each, longest)) if asked.price else None for each in tokens]
    return Cost(
        what,
        model,
        len(unique),
        len(unique) - len(to_ask),
        is_exact,
        sum(tokens),
        sum_of(usual),
        sum_of(asked.most_usd(each) for each in to_ask),
    )
