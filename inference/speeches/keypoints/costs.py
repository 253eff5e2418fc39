"""What an analysis would ask of models and cost, for people to read before money is spent."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from inference.prices import sum_of
from inference.speeches.keypoints import justifications, polarity, rephrase
from inference.speeches.keypoints.pipeline import Task, Tools
from inference.speeches.keypoints.polarity import RULES
from inference.speeches.keypoints.results import labels
from inference.steps.asking import Replies, open_model, request_id_of
from inference.tokens import estimated


class Cost(NamedTuple):
    """What one kind of request comes to.

    Attributes:
        what: What is asked.
        model: Who is asked.
        requests: How many prompts there are.
        known: How many of them have been answered before.
        is_exact: Whether the number is known; else it is about this.
        tokens_in: About how many tokens the prompts have that are to be asked.
        usd: What they cost if replies are as long as what they are about; None without a price.
        usd_most: What they can cost at most; None without a price.
    """

    what: str
    model: str
    requests: int
    known: int
    is_exact: bool
    tokens_in: int
    usd: float | None
    usd_most: float | None


def costs_of(task: Task, tools: Tools, rows: Sequence[Mapping[str, Any]]) -> list[Cost]:
    """Return what models would be asked, a line for each kind of request. Nothing is sent.

    Raises:
        InferenceError: A model or a prompt cannot be used.
    """
    found = justifications.read(rows, any_language=RULES not in (task.rephraser, task.polarity_by))
    costs = []
    if task.rephraser != RULES:
        prompt = rephrase.PROMPT.load(tools.prompts_folder)
        prompts = rephrase.prompts_for(found, prompt)
        costs.append(_cost("sentences", task.rephraser, tools, prompts, is_exact=True))
    if task.polarity_by != RULES:
        by_polarity = polarity.PROMPT.load(tools.prompts_folder)
        # What a model will make of them is about as much as the rules make.
        texts = {text for each in rephrase.rephrase_by_rules(found) for text in each.rephrased}
        prompts = polarity.prompts_for(sorted(texts), by_polarity)
        prompts += polarity.prompts_for(sorted(each.text for each in labels()), by_polarity)
        is_exact = task.rephraser == RULES
        costs.append(_cost("polarity", task.polarity_by, tools, prompts, is_exact=is_exact))
    return costs


def _cost(what: str, model: str, tools: Tools, prompts: list[str], *, is_exact: bool) -> Cost:
    asked = open_model(model, tools.judges_file, tools.prices_file)
    unique = {request_id_of(asked.identity, each): each for each in prompts}
    answered, _ = Replies(asked, tools.replies, "").read(unique)
    to_ask = [each for request_id, each in unique.items() if request_id not in answered]
    tokens = [estimated(each) for each in to_ask]
    longest = int(asked.decoding["max_tokens"])
    longest = int(asked.decoding["max_tokens"])
    usual = [
        None if asked.price is None else asked.price.cost(each, min(each, longest))
        for each in tokens
    ]
    most = [asked.most_usd(each) for each in to_ask]
    return Cost(
        what,
        model,
        len(unique),
        len(unique) - len(to_ask),
        is_exact,
        sum(tokens),
        sum_of(usual),
        sum_of(most),
    )
