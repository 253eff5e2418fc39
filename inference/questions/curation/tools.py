"""Settings of a curation, and the models its steps work with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from inference.embeddings import TFIDF, Embedder, identity_of, open_embedder
from inference.prompt_files import Prompt
from inference.questions.chunking import Spans, word_spans
from inference.questions.curation import perspectives, ranking
from inference.questions.curation.questions import QUERIES, THRESHOLD
from inference.questions.curation.ranking import DocumentSource, Scorer
from inference.questions.documents import TRUSTED
from inference.registry import spec_for
from inference.steps.asking import Model

# Set by DebateQA's authors for gpt-4-turbo (appendix A.3), with room for twenty points of view, or
# for an explanation of 300 words.
DECODING = {"temperature": 0.7, "top_p": 0.7, "max_tokens": 4096}
# The decoding of a model that scores documents.
SCORING = {"temperature": 0.0, "top_p": 1.0, "max_tokens": 4096}


@dataclass(frozen=True)
class Settings:
    """Settings of a user.

    Attributes:
        threshold: From which cosine on two questions count as one; fits one embedder only.
        test_questions: How many questions are drawn for a test set, the others being the dev set
            (the paper's are 1,000 and 1,941); None for no sets.
    """

    threshold: float = THRESHOLD
    domains: tuple[str, ...] = TRUSTED
    test_questions: int | None = None


@dataclass(frozen=True)
class Tools:
    """Models, prompts and documents of the steps.

    Attributes:
        make_embedder: Makes the embedder `embedder`, given all texts that are compared.
        source: Finds documents; the working folder's documents unless given.
        make_scorer: Makes what reranks documents, given all texts; by cosine unless given.
        judge: Scores documents in the scorer's place; None unless given.
        spans: Returns the places of a text's tokens, those of the tokenizer `tokens`.
    """

    make_embedder: Callable[[Sequence[str]], Embedder]
    embedder: str
    model: Model
    source: DocumentSource | None = None
    make_scorer: Callable[[Sequence[str]], Scorer] | None = None
    scorer: str = "cosine"
    judge: Model | None = None
    spans: Spans = word_spans
    tokens: str = "words and marks"
    queries_prompt: Prompt = field(default_factory=QUERIES.load)
    relevance_prompt: Prompt = field(default_factory=ranking.RELEVANCE.load)
    extraction_prompt: Prompt = field(default_factory=perspectives.EXTRACTION.load)
    expansion_prompt: Prompt = field(default_factory=perspectives.EXPANSION.load)

    @property
    def names(self) -> dict[str, str]:
        """The models behind the steps, by their part: what compares, asks and orders."""
        return {"embedder": self.embedder, "model": self.model.identity, "reranker": self.scorer}


@dataclass(frozen=True)
class Curation:
    """A working folder, with the models and settings it is curated by."""

    folder: Path
    tools: Tools
    settings: Settings = field(default_factory=Settings)


def tools_for(
    embedder: str,
    model: Model,
    *,
    reranker: str | None = None,
    judge: Model | None = None,
    source: DocumentSource | None = None,
    judges_file: Path | None = None,
    prompts_folder: Path | None = None,
) -> Tools:
    """Return tools by their names. A local model is loaded when a step first needs it, and once.

    Args:
        reranker: A local cross-encoder; by the embedder's cosine unless given.
        judge: Scores documents, instead of a reranker.

    Raises:
        InferenceError: A name cannot be used.
    """

    @cache
    def model_embedder() -> Embedder:
        return open_embedder(embedder, (), judges_file)

    def make_embedder(corpus: Sequence[str]) -> Embedder:
        return open_embedder(embedder, corpus) if embedder == TFIDF else model_embedder()

    @cache
    def cross_encoder() -> Scorer:
        return ranking.cross_encoder(str(reranker), judges_file)

    @cache
    def model_spans() -> Spans:
        # Imported here: it takes seconds to load.
        from inference.local.encoding import token_spans

        return token_spans(spec_for(embedder, judges_file))

    def spans(text: str) -> Sequence[tuple[int, int]]:
        return model_spans()(text)

    scorer = judge.identity if judge else "cosine"
    if reranker and not judge:
        scorer = identity_of(reranker, judges_file)
    is_local = embedder.startswith("local/")
    prompts = (QUERIES, ranking.RELEVANCE, perspectives.EXTRACTION, perspectives.EXPANSION)
    return Tools(
        make_embedder,
        identity_of(embedder, judges_file),
        model,
        source,
        (lambda _: cross_encoder()) if reranker and judge is None else None,
        scorer,
        judge,
        spans if is_local else word_spans,
        embedder if is_local else "words and marks",
        *(each.load(prompts_folder) for each in prompts),
    )
