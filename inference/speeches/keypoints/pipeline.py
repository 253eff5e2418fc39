"""The pipeline of an analysis of key points, over one folder, as `results` lists its files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from inference.embeddings import TFIDF
from inference.errors import KeyPointsFailed
from inference.runs.lines import timestamp
from inference.speeches.keypoints import justifications, polarity, rephrase, vectors
from inference.speeches.keypoints.candidates import with_candidacy
from inference.speeches.keypoints.polarity import NEUTRAL, RULES, Polarity
from inference.speeches.keypoints.records import Justification, Sentence
from inference.speeches.keypoints.results import (
    BEFORE,
    CANDIDATES,
    JUSTIFICATIONS,
    KEY_POINTS,
    LABELLED,
    POLARITY,
    RESERVED,
    SENTENCES,
    labels,
    labels_hash,
)
from inference.speeches.keypoints.selection import Limits, Selected, select
from inference.speeches.keypoints.words import lexicon, words
from inference.steps.asking import Replies, open_model
from inference.steps.files import Made, StepFile, StepFiles, hash_of, records_of
from inference.steps.pipeline import Pipeline, Plan, Step
from inference.tally import Progress

# Set on the dev part of the labelled set, for `tfidf` alone.
TFIDF_MATCH, TFIDF_REDUNDANCY = 0.5, 0.6
LONGEST_SENTENCE = 60
_VERSION = 2
Before = Mapping[str, StepFile]


@dataclass(frozen=True)
class Task:
    """One analysis.

    Attributes:
        name: What it is called; its folder has the same name.
        template: The prompt whose justifications are analysed.
        dimension: What was scored; None where the data set has one dimension.
        judges: Whose justifications; empty for those of all.
        rephraser: Who divides them: `rules`, or a model.
        embedder: What tells how alike sentences are: `tfidf`, `local/MODEL`, or an endpoint's id.
        polarity_by: Who says what is for and against: `rules`, or a model.
        limits: What a key point is.
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
    """What the steps work with.

    Attributes:
        replies: Where replies of models are kept.
        judges_file: The `judges.toml` with settings of models.
        prices_file: The user's prices.
        budget_usd: What models may cost, over all starts; None for no limit.
        progress: Told after each reply of a model.
    """

    replies: Path
    judges_file: Path | None = None
    prompts_folder: Path | None = None
    prices_file: Path | None = None
    budget_usd: float | None = None
    progress: Callable[[Progress], None] = lambda _: None


@dataclass(frozen=True)
class Analysis:
    """An analysis to be made.

    Attributes:
        task: What is to be done.
        tools: What the steps work with.
        rows: For the first step: the current replies (`justifications.read`).

    Raises:
        KeyPointsFailed: An analysis cannot have this name.
    """

    folder: Path
    task: Task
    tools: Tools
    rows: Sequence[Mapping[str, Any]] = ()

    def __post_init__(self) -> None:
        name = self.task.name
        if name == RESERVED or not name.replace("-", "").replace("_", "").isalnum():
            raise KeyPointsFailed(
                f"key points: '{name}' is no name for an analysis; use letters, digits, '-' and "
                f"'_', and not '{RESERVED}'"
            )

    def model(self, judge_id: str) -> Replies:
        """Return the replies of a model within the budget."""
        tools = self.tools
        model = open_model(judge_id, tools.judges_file, tools.prices_file)
        spent = self.folder / "spent.json"
        return Replies(
            model, tools.replies, self.task.name, tools.budget_usd, spent, tools.progress
        )

    def polarity_facts(self) -> list[str]:
        """Return all that decides a polarity besides the sentence."""
        if self.task.polarity_by == RULES:
            return [RULES, lexicon().digest]
        prompt = polarity.PROMPT.load(self.tools.prompts_folder)
        model = open_model(self.task.polarity_by, self.tools.judges_file)
        return [model.identity, prompt.prompt_hash]

    def method_hash(self) -> str:
        """Return the hash of all that decides the outcome besides the sentences."""
        _, identity = vectors.vectoriser(self.task.embedder, self.tools.judges_file)
        facts = [identity, self.polarity_facts(), asdict(self.task.limits), lexicon().digest]
        return hash_of(_VERSION, *facts)

    def select(self, sentences: Sequence[Sentence]) -> dict[str, Any]:
        """Return what a selection makes of sentences, as rows."""
        vectorise, _ = vectors.vectoriser(self.task.embedder, self.tools.judges_file)
        selected: Selected = select(sentences, vectorise, self.task.limits)
        return {name: [asdict(each) for each in rows] for name, rows in selected._asdict().items()}


def limits_for(
    embedder: str, match: float | None = None, redundancy: float | None = None, seed: int = 0
) -> Limits:
    """Return the limits for an embedder.

    Args:
        embedder: Its name.
        match: From which cosine on a sentence matches; needed for all embedders but `tfidf`.
        redundancy: From which cosine on two key points say the same; else 0.6 for `tfidf`, and
            half-way from the match threshold to 1 for others, and where that is above it.
        seed: Draws the order of what is equal otherwise.

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


def sentences_of(found: Sequence[Justification]) -> list[Sentence]:
    """Return the sentences of justifications, one after the other."""
    return [
        Sentence(
            sentence_id=f"{each.request_id}/{position}",
            text=text,
            position=position,
            judge_id=each.judge_id,
            item_id=each.item_id,
            request_id=each.request_id,
            motion=each.motion,
        )
        for each in found
        for position, text in enumerate(each.rephrased, start=1)
    ]


def judged(sentence: Sentence, found: Polarity | None = None) -> Sentence:
    """Return a sentence with its polarity, and with why it is matched with nothing."""
    found = found or polarity.by_rules(sentence.text)
    reason = None
    count = len(words(sentence.text))
    if not any(letter.isalpha() for letter in sentence.text):
        reason = "no_words"
    elif count > LONGEST_SENTENCE:
        reason = "too_long"
    elif found.polarity is None:
        reason = "polarity_unreadable"
    elif found.polarity == NEUTRAL:
        reason = NEUTRAL
    return replace(
        sentence,
        polarity=found.polarity,
        polarity_score=found.score,
        removal_reason=reason,
    )


def _justifications(work: Analysis, _: Before) -> Plan:
    any_language = RULES not in (work.task.rephraser, work.task.polarity_by)
    ordered = sorted((dict(row) for row in work.rows), key=lambda row: str(row["request_id"]))

    def make() -> Made:
        return Made(justifications.read(ordered, any_language=any_language), "the replies")

    return Plan([ordered, any_language, justifications.LONGEST], make)


def _sentences(work: Analysis, before: Before) -> Plan:
    prompt = rephrase.PROMPT.load(work.tools.prompts_folder)
    found, model = before[JUSTIFICATIONS], work.task.rephraser
    records, facts = records_of(Justification, found.records), {BEFORE: found.content_hash}
    if model == RULES:
        return Plan(
            [lexicon().digest], lambda: Made(rephrase.rephrase_by_rules(records), RULES, facts)
        )
    identity = open_model(model, work.tools.judges_file).identity

    def make() -> Made:
        made = rephrase.rephrase_by_model(records, model, work.model(model), prompt)
        return Made(made, identity, facts)

    return Plan([identity, prompt.prompt_hash], make)


def _polarity(work: Analysis, before: Before) -> Plan:
    found = before[SENTENCES]
    sentences = sentences_of(records_of(Justification, found.records))
    return _with_polarity(
        work,
        sentences,
        [work.polarity_facts()],
        lambda made: Made(made, work.task.polarity_by, {BEFORE: found.content_hash}),
    )


def _candidates(_: Analysis, before: Before) -> Plan:
    found = before[POLARITY]
    return Plan(
        [lexicon().digest],
        lambda: Made(
            with_candidacy(records_of(Sentence, found.records)), RULES, {BEFORE: found.content_hash}
        ),
    )


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

    def made(sentences: list[Sentence]) -> Made:
        found = with_candidacy(sentences)
        rows = {"sentences": [asdict(each) for each in found], **work.select(found)}
        facts = {"method_hash": method_hash, "made_at": timestamp(), BEFORE: labels_hash()}
        return Made([rows], work.task.embedder, facts)

    bare = [Sentence(each.sentence_id, each.text, 1) for each in labels()]
    return _with_polarity(work, bare, [method_hash, labels_hash()], made)


def _with_polarity(
    work: Analysis,
    sentences: list[Sentence],
    inputs: Sequence[Any],
    made: Callable[[list[Sentence]], Made],
) -> Plan:
    """Return the plan that gives sentences their polarity, by the rules or by a model."""
    # What is the same sentence has the same polarity, and is asked about once.
    texts = sorted({each.text for each in sentences})

    def with_polarity(found: Sequence[Polarity]) -> Made:
        by_text = dict(zip(texts, found, strict=True))
        return made([judged(each, by_text[each.text]) for each in sentences])

    if work.task.polarity_by == RULES:
        return Plan(inputs, lambda: with_polarity([polarity.by_rules(each) for each in texts]))
    prompt = polarity.PROMPT.load(work.tools.prompts_folder)

    def make() -> Made:
        ask = work.model(work.task.polarity_by)
        return with_polarity(polarity.by_model(texts, ask, prompt))

    return Plan(inputs, make)


PIPELINE: Pipeline[Analysis, StepFile] = Pipeline(
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
        Step(
            LABELLED,
            "The same method on the labelled set, to see what it is worth.",
            _labelled,
        ),
    ),
)
