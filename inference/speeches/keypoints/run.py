"""The steps of an analysis of key points, over one folder, as `results` lists its files.

A step whose inputs are what they were is not done again. Stopped anywhere, the same command goes
on: what models replied is kept, for all analyses, and never asked for twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from inference.embeddings import TFIDF
from inference.errors import KeyPointsFailed
from inference.lines import utc_now
from inference.parliamentary.transcription.steps import StepFile, hash_of, read_step, write_step
from inference.speeches.keypoints import justifications, polarity, rephrase, vectors
from inference.speeches.keypoints.asked import Asked, Purse, open_model
from inference.speeches.keypoints.candidates import with_candidacy
from inference.speeches.keypoints.labelled import labels
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
    STEPS,
    labels_hash,
)
from inference.speeches.keypoints.selection import Limits, Selected, select
from inference.speeches.keypoints.words import lexicon, words
from inference.tally import Progress

DONE, UNCHANGED = "done", "unchanged"
# Set on the dev part of the labelled set, for `tfidf` alone.
TFIDF_MATCH, TFIDF_REDUNDANCY = 0.5, 0.6
LONGEST_SENTENCE = 60
# Raised with every change that makes a step do anything differently.
_VERSION = 2
_T = TypeVar("_T")


@dataclass(frozen=True)
class Task:
    """One analysis.

    Attributes:
        name: What it is called; its folder has the same name.
        dataset: The data set.
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
        prompts_folder: The user's own prompts.
        prices_file: The user's prices.
        budget_usd: What models may cost, over all starts; None for no limit.
        progress: Told after each reply of a model.
    """

    replies: Path
    judges_file: Path | None = None
    prompts_folder: Path | None = None
    prices_file: Path | None = None
    budget_usd: float | None = None
    progress: Callable[[Progress], None] | None = None


class Outcome(NamedTuple):
    """What became of a step: `done` or `unchanged`, and what it made."""

    step: str
    status: str
    made: StepFile


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


async def run_step(
    step: str, folder: Path, task: Task, tools: Tools, rows: Sequence[Mapping[str, Any]] = ()
) -> Outcome:
    """Do one step, unless what goes into it is what went into it before.

    Args:
        step: One of `STEPS`; those before it must have been done.
        folder: The analysis's folder.
        task: What is to be done.
        tools: What the steps work with.
        rows: For the first step: the current replies (`justifications.read`).

    Raises:
        InferenceError: It cannot be done.
    """
    if task.name == RESERVED or not task.name.replace("-", "").replace("_", "").isalnum():
        raise KeyPointsFailed(
            f"key points: '{task.name}' is no name for an analysis; use letters, digits, '-' and "
            f"'_', and not '{RESERVED}'"
        )
    doing = _Doing(folder, task, tools)
    if step == JUSTIFICATIONS:
        return doing.justifications(rows)
    return await {
        SENTENCES: doing.sentences,
        POLARITY: doing.polarity,
        CANDIDATES: doing.candidates,
        KEY_POINTS: doing.key_points,
        LABELLED: doing.labelled,
    }[step]()


async def run_all(
    folder: Path, task: Task, tools: Tools, rows: Sequence[Mapping[str, Any]]
) -> list[Outcome]:
    """Do every step, in order.

    Args:
        folder: The analysis's folder.
        task: What is to be done.
        tools: What the steps work with.
        rows: The current replies.

    Raises:
        InferenceError: A step cannot be done; those before it stay done.
    """
    return [await run_step(step, folder, task, tools, rows) for step in STEPS]


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


@dataclass(frozen=True)
class _Doing:
    folder: Path
    task: Task
    tools: Tools

    def justifications(self, rows: Sequence[Mapping[str, Any]]) -> Outcome:
        any_language = RULES not in (self.task.rephraser, self.task.polarity_by)
        ordered = sorted((dict(row) for row in rows), key=lambda row: str(row["request_id"]))
        inputs = hash_of(_VERSION, ordered, any_language, justifications.LONGEST)
        if found := self._known(JUSTIFICATIONS, inputs):
            return found
        made = justifications.read(ordered, any_language=any_language)
        return self._write(JUSTIFICATIONS, inputs, "the replies", made, None)

    async def sentences(self) -> Outcome:
        before, model = self._before(JUSTIFICATIONS), self.task.rephraser
        prompt = rephrase.load_rephrase_prompt(self.tools.prompts_folder)
        if model == RULES:
            inputs, made_with = hash_of(_VERSION, before.content_hash, lexicon().digest), RULES
        else:
            made_with = open_model(model, self.tools.judges_file).identity
            inputs = hash_of(_VERSION, before.content_hash, made_with, prompt.prompt_hash)
        if found := self._known(SENTENCES, inputs):
            return found
        records = _records(Justification, before.records)
        if model == RULES:
            made = rephrase.rephrase_by_rules(records)
        else:
            async with self._asked(model, len(rephrase.prompts_for(records, prompt))) as ask:
                made = await rephrase.rephrase_by_model(records, model, ask, prompt)
        return self._write(SENTENCES, inputs, made_with, made, before)

    async def polarity(self) -> Outcome:
        before = self._before(SENTENCES)
        inputs = hash_of(_VERSION, before.content_hash, self._polarity_facts())
        if found := self._known(POLARITY, inputs):
            return found
        made = await self._with_polarity(sentences_of(_records(Justification, before.records)))
        return self._write(POLARITY, inputs, self.task.polarity_by, made, before)

    async def candidates(self) -> Outcome:
        before = self._before(POLARITY)
        inputs = hash_of(_VERSION, before.content_hash, lexicon().digest)
        if found := self._known(CANDIDATES, inputs):
            return found
        made = with_candidacy(_records(Sentence, before.records))
        return self._write(CANDIDATES, inputs, RULES, made, before)

    async def key_points(self) -> Outcome:
        before, method_hash = self._before(CANDIDATES), self._method_hash()
        facts = {"method_hash": method_hash, "settings": self._settings()}
        inputs = hash_of(_VERSION, before.content_hash, facts)
        if found := self._known(KEY_POINTS, inputs):
            return found
        selected = self._select(_records(Sentence, before.records))
        facts["made_at"] = utc_now()
        return self._write(KEY_POINTS, inputs, self.task.embedder, [_rows(selected)], before, facts)

    async def labelled(self) -> Outcome:
        method_hash = self._method_hash()
        inputs = hash_of(_VERSION, method_hash, labels_hash())
        if found := self._known(LABELLED, inputs):
            return found
        bare = [Sentence(each.sentence_id, each.text, 1) for each in labels()]
        made = with_candidacy(await self._with_polarity(bare))
        rows = {"sentences": [asdict(each) for each in made], **_rows(self._select(made))}
        facts = {"method_hash": method_hash, "made_at": utc_now(), BEFORE: labels_hash()}
        return self._write(LABELLED, inputs, self.task.embedder, [rows], None, facts)

    def _select(self, sentences: Sequence[Sentence]) -> Selected:
        vectorise, _ = vectors.vectoriser(self.task.embedder, self.tools.judges_file)
        return select(sentences, vectorise, self.task.limits)

    async def _with_polarity(self, sentences: list[Sentence]) -> list[Sentence]:
        # What is the same sentence has the same polarity, and is asked about once.
        texts = sorted({each.text for each in sentences})
        if self.task.polarity_by == RULES:
            found = [polarity.by_rules(text) for text in texts]
        else:
            prompt = polarity.load_polarity_prompt(self.tools.prompts_folder)
            total = len(polarity.prompts_for(texts, prompt))
            async with self._asked(self.task.polarity_by, total) as ask:
                found = await polarity.by_model(texts, ask, prompt)
        by_text = dict(zip(texts, found, strict=True))
        return [judged(each, by_text[each.text]) for each in sentences]

    def _asked(self, model: str, total: int) -> Asked:
        purse = Purse(self.folder / "spent.json", self.tools.budget_usd, self.tools.prices_file)
        return Asked(
            model, self.tools.replies, purse, total, self.tools.judges_file, self.tools.progress
        )

    def _polarity_facts(self) -> list[str]:
        if self.task.polarity_by == RULES:
            return [RULES, lexicon().digest]
        prompt = polarity.load_polarity_prompt(self.tools.prompts_folder)
        model = open_model(self.task.polarity_by, self.tools.judges_file)
        return [model.identity, prompt.prompt_hash]

    def _method_hash(self) -> str:
        _, identity = vectors.vectoriser(self.task.embedder, self.tools.judges_file)
        facts = [identity, self._polarity_facts(), asdict(self.task.limits), lexicon().digest]
        return hash_of(_VERSION, *facts)

    def _settings(self) -> dict[str, Any]:
        found = asdict(self.task)
        found["judges"] = sorted(self.task.judges)
        return found

    def _before(self, step: str) -> StepFile:
        found = read_step(self.folder, step)
        if found is None:
            raise KeyPointsFailed(
                f"key points: of '{self.task.name}' the step '{step}' has not been done; run "
                f"'rostrum keypoints {self.task.name}' again"
            )
        return found

    def _known(self, step: str, inputs: str) -> Outcome | None:
        found = read_step(self.folder, step)
        is_same = found is not None and found.inputs_hash == inputs
        return Outcome(step, UNCHANGED, found) if found and is_same else None

    def _write(
        self,
        step: str,
        inputs: str,
        made_with: str,
        records: Sequence[Any],
        before: StepFile | None,
        facts: Mapping[str, Any] | None = None,
    ) -> Outcome:
        rows = [each if isinstance(each, dict) else asdict(each) for each in records]
        known = dict(facts or {})
        if before is not None:
            known[BEFORE] = before.content_hash
        write_step(self.folder, StepFile(step, inputs, made_with, rows, known))
        # As it is read back, so that a hash of it is the same in this start and the next.
        return Outcome(step, DONE, self._before(step))


def judged(sentence: Sentence, found: Polarity | None = None) -> Sentence:
    """Return a sentence with its polarity, and with why it is matched with nothing.

    Args:
        sentence: The sentence.
        found: Its polarity; by the rules where it is absent.
    """
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


def _rows(selected: Selected) -> dict[str, Any]:
    return {name: [asdict(each) for each in rows] for name, rows in selected._asdict().items()}


def _records(kind: type[_T], rows: Sequence[Mapping[str, Any]]) -> list[_T]:
    """Return records of a step's file; lists of JSON are tuples again."""
    return [
        kind(**{name: tuple(v) if isinstance(v, list) else v for name, v in row.items()})
        for row in rows
    ]
