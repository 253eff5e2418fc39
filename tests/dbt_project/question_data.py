"""Made-up answers to debatable questions and what evaluators find, as rows of the raw tables."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tests.dbt_project.raw_rows import NOW

ASKED = {"retrieval": "none", "answered_at": NOW}
RawRows = dict[str, list[dict[str, Any]]]


class Likelihood(NamedTuple):
    """What an evaluator found of one perspective: sums and counts, or why there are none."""

    logprob_sum: float
    token_count: int
    context_token_count: int = 7
    status: str = "scored"


def questions(counts: Mapping[str, int]) -> RawRows:
    """Return questions with as many perspectives as each is said to have."""
    return {
        "questions": [
            {"question_id": name, "question": f"Is {name} so?", "split": "test", "item_hash": name}
            for name in counts
        ],
        "partial_answers": [
            {
                "partial_answer_id": f"{name}/p{place}",
                "question_id": name,
                "position": place,
                "point_of_view": "p",
                "explanation": "e",
                "text_hash": f"{name}/p{place}",
            }
            for name, count in counts.items()
            for place in range(1, count + 1)
        ],
    }


def answer(question: str, model: str, *, words: int = 64, **changes: Any) -> dict[str, Any]:
    """Return a model's answer; `changes` say how it was asked, or that it failed."""
    asked = {"template": "basic", **changes}
    how = "-".join(str(asked[name]) for name in sorted(asked) if name not in ("response",))
    name = f"{question}@{model}-{how}"
    return ASKED | {
        "answer_id": name,
        "run_id": f"run-{model}",
        "request_id": name,
        "judge_id": f"m/{model}",
        "question_id": question,
        "item_hash": question,
        "response": "word " * words,
        "answer_hash": f"h-{name}",
        "word_count": words,
        **asked,
    }


def likelihoods(
    answered: Mapping[str, Any],
    found: Iterable[Likelihood],
    *,
    evaluator: str = "e/lm",
    template: str = "pd_restate",
) -> list[dict[str, Any]]:
    """Return what an evaluator found of the perspectives of an answer's question, in order."""
    name = answered["answer_id"]
    return [
        {
            "run_id": f"run-{evaluator}",
            "request_id": f"{name}-{evaluator}-{template}",
            "judge_id": evaluator,
            "answer_id": name,
            "answer_hash": answered["answer_hash"],
            "partial_answer_id": f"{answered['question_id']}/p{place}",
            "text_hash": f"{answered['question_id']}/p{place}",
            "metric": "perspective_diversity",
            "template": template,
            "status": one.status,
            "logprob_sum": one.logprob_sum if one.status == "scored" else None,
            "token_count": one.token_count,
            "context_token_count": one.context_token_count,
            "answer_token_count": 5,
            "answered_at": NOW,
        }
        for place, one in enumerate(found, start=1)
    ]


def score(
    answered: Mapping[str, Any],
    value: float | None,
    *,
    evaluator: str = "j/judge",
    template: str = "dispute",
    **changes: Any,
) -> dict[str, Any]:
    """Return a judge's score of an answer; without a value, one that could not be read."""
    name = f"{answered['answer_id']}-{evaluator}-{template}-{changes.get('sample', 0)}"
    return {
        "run_id": f"run-{evaluator}",
        "request_id": name,
        "judge_id": evaluator,
        "item_id": answered["answer_id"],
        "item_hash": answered["answer_hash"],
        "item_kind": "answer",
        "template": template,
        "dimension": "dispute_awareness",
        "response": "r",
        "value": value,
        "parse_status": "unparsed" if value is None else "parsed",
        "answered_at": NOW,
        **changes,
    }


def label(answered: Mapping[str, Any], annotator: str, value: int) -> dict[str, Any]:
    """Return a person's word on whether an answer acknowledges the dispute."""
    return {
        "item_id": answered["answer_id"],
        "annotator_id": annotator,
        "dimension": "dispute_awareness",
        "value": value,
    }
