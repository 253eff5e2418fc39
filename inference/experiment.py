"""What an experiment is: the record that its file is read into, whatever its kind."""

from dataclasses import dataclass
from typing import Any

from inference.questions.web.settings import RetrievalSettings
from inference.speeches.written import WORD_LIMIT

# The published study's samples.
_PER_CELL = ((3, 125), (4, 125), (5, 75))
ROUND_COUNTS = (3, 4, 5)


@dataclass(frozen=True)
class Experiment:
    """One experiment.

    Attributes:
        title: Short name on the pages.
        description: What it asks, for people.
        kind: What an item is.
        datasets: The data sets it runs on; `*` alone means all that have the dimension.
        dimension: The dimension of the speeches it asks about; `*` means all they have, which takes
            a prompt with the slot `{question}` where there are several. Of answers what is scored.
        template: The prompt's name; of debates the one of arms that name no other.
        repeats: Answers per item, and per arm.
        seed: Orders the items, and draws what arms leave to chance.
        method: Which debates: `all`, `balanced` (equal cells of closing side and winner per round
            count) or `natural` (as they come, per round count).
        per_cell: How many per cell for each round count; or `smallest`, as many as the smallest
            cell of the round count has.
        per_round_count: How many for each round count.
        max_words: The most words a debate may have.
        without_other_turns: Whether hosts, audiences and others without a side are left out.
        arms: The ways to ask about each item, as its kind has them; none for kinds with one way.
        embedder: What finds documents for questions.
        retrieval: Where documents come from; None for those of the data set.
        scale: The lowest and highest score of an answer.
        metric: How an answer is compared with the points of view on its question.
        keep_tokens: Whether every token's log-probability is kept.
        split: The part of the data set whose questions count; None for all of it.
        questions: How many questions, in the order of the seed; None for all. The same seed and
            number choose the same questions when models answer and when answers are scored.
        temperature: For judges that do not set their own; the published study's 0.01.
        max_tokens: For judges that do not set their own; the published study's 4,096.
        word_limit: The most words of a speech that models write; the published study's 600.
        presence_penalty: For judges that do not set their own; None sends none.
        answer_seed: The seed of decoding, likewise.
        superseded_by: The experiment to use instead; None for those in use.
    """

    name: str
    template: str
    title: str = ""
    description: str = ""
    kind: str = "speech"
    datasets: tuple[str, ...] = ("*",)
    dimension: str = "*"
    repeats: int = 1
    seed: int = 20250701
    method: str = "all"
    per_cell: tuple[tuple[int, int], ...] | str = _PER_CELL
    per_round_count: tuple[tuple[int, int], ...] = tuple((count, 500) for count in ROUND_COUNTS)
    max_words: int | None = None
    without_other_turns: bool = False
    arms: tuple[Any, ...] = ()
    embedder: str = "tfidf"
    retrieval: RetrievalSettings | None = None
    scale: tuple[int, int] | None = None
    metric: str | None = None
    keep_tokens: bool = False
    split: str | None = None
    questions: int | None = None
    temperature: float = 0.01
    max_tokens: int = 4096
    word_limit: int = WORD_LIMIT
    presence_penalty: float | None = None
    answer_seed: int | None = None
    superseded_by: str | None = None

    @property
    def decoding(self) -> dict[str, float | int]:
        """The decoding settings of every request, those that are not set left out."""
        later = {"presence_penalty": self.presence_penalty, "seed": self.answer_seed}
        known = {"max_tokens": self.max_tokens, "temperature": self.temperature}
        return known | {name: value for name, value in later.items() if value is not None}

    @property
    def requests_per_item(self) -> int:
        """How often each item is asked about, every arm or wording as often as it is repeated."""
        return max(len(self.arms), 1) * self.repeats
