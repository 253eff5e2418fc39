"""Made-up answers to debatable questions, and the rows of the marts that follow from them.

Places and weighted scores follow from the made-up scores. Intervals and slopes are invented. Among
the models on purpose: one without a slope of length, one with unreadable judgements, and one that
never gave an answer.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from stub_rows import NOON, Row

from warehouse.home import PROJECT_ROOT

DATASET = "sample-questions"
QUESTIONS, READ = 40, 4
PD_EVALUATORS, DA_EVALUATOR = ("local/tiny-reader", "local/small-reader"), "lab/small-model"
PD, DA = "perspective_diversity", "dispute_awareness"


class Model(NamedTuple):
    """A made-up model: what its marts say of it."""

    judge_id: str
    pd: float | None
    da: float | None
    words: float
    slope: float | None


LONG, SHORT, MUTE = "lab/long-winded-70b-instruct", "lab/terse-1b", "lab/never-answers"
MODELS = (
    Model(LONG, 3.07, 0.95, 420.0, -0.9),
    Model("lab/quite-a-long-model-name-70b-instruct-4bit", 3.31, 0.9, 330.0, -1.1),
    Model("simulated/even-handed", 3.86, 0.975, 260.0, -0.7),
    Model("lab/small-model", 4.9, 0.62, 180.0, -0.4),
    Model(SHORT, 5.62, 0.45, 95.0, None),
    Model(MUTE, None, None, 0.0, None),
)
CONDITIONS: dict[str, dict[str, Any]] = {
    "c-basic": {"template": "qa_basic", "temperature": 1.0, "retrieval": "none"},
    "c-detailed": {"template": "qa_detailed", "temperature": 1.0, "retrieval": "none"},
    "c-short": {"template": "qa_basic", "target_tokens": 100, "retrieval": "none"},
    "c-react": {
        "template": "qa_basic",
        "retrieval": "react",
        "is_trusted_only": True,
        "retriever": "web:1a2b3c4d",
    },
}
RETRIEVER = "web:1a2b3c4d"
# What a way of asking does to P.D., to D.A. and to the length.
_SHIFTS = {
    "c-basic": (0.0, 0.0, 1.0),
    "c-detailed": (-0.4, 0.03, 1.5),
    "c-short": (0.9, -0.05, 0.35),
    "c-react": (-0.2, -0.02, 1.1),
}


def condition_of(name: str) -> dict[str, Any]:
    """Return the columns every mart has of a way of asking."""
    return {
        "condition_id": name,
        "dataset_id": DATASET,
        "split": "test",
        "wording": "equivalent",
        "temperature": None,
        "top_p": None,
        "target_tokens": None,
        "is_trusted_only": None,
        **CONDITIONS[name],
    }


def band(name: str, value: float | None, half: float = 0.06) -> dict[str, float | None]:
    if value is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: value, f"{name}_low": value - half, f"{name}_high": value + half}


def question_id(at: int) -> str:
    return f"{DATASET}:{at:03d}"


def answer_id(condition: str, judge_id: str, at: int) -> str:
    digest = hashlib.sha256(f"{condition}|{judge_id}|{at}".encode()).hexdigest()[:16]
    return f"{question_id(at)}@{digest}"


def question_rows(strange: str) -> Iterator[Row]:
    """Yield questions, their perspectives, answers, and every mart made from them.

    Args:
        strange: Stands wherever strangers can write, unless empty.
    """
    yield from _questions(strange)
    for condition in CONDITIONS:
        yield from _answers(condition, strange)
    yield from _likelihoods(strange)
    board = list(_leaderboard())
    for row in board:
        # Unreadable judgements of one model leave all models the questions that it has.
        shared = QUESTIONS - 4 if row["metric"] == DA else QUESTIONS
        yield (
            "rpt_debateqa_leaderboard",
            {
                **row,
                "n_questions_shared": shared if row["n_questions"] else 0,
                "score_shared": row["score"],
                "score_shared_low": row["score_low"],
                "score_shared_high": row["score_high"],
                "place_shared": row["place"],
                "place_shared_label": row["place_label"],
            },
        )
    for condition, evaluator, template in product(
        CONDITIONS, PD_EVALUATORS, ("pd_restate", "pd_none")
    ):
        mine = [row for row in board if row["condition_id"] == condition]
        diverse = {
            row["judge_id"]: row["score"]
            for row in mine
            if (row["evaluator_id"], row["evaluator_template"]) == (evaluator, template)
        }
        aware = {row["judge_id"]: row["score"] for row in mine if row["metric"] == DA}
        keys = {
            "origin": "own",
            **condition_of(condition),
            "pd_evaluator_id": evaluator,
            "pd_evaluator_template": template,
            "da_evaluator_id": DA_EVALUATOR,
            "da_evaluator_template": DA,
        }
        for ground in ("shared", "each"):
            yield from _weighted({**keys, "ground": ground}, diverse, aware)
    yield from _effects()


def _questions(strange: str) -> Iterator[Row]:
    yield (
        "dim_dataset",
        {
            "dataset_id": DATASET,
            "is_sample": True,
            "licence": "Apache-2.0",
            "title": strange or "Sample questions",
            "citation": "Made up for this project",
            "item_count": 0,
            "debate_count": 0,
            "annotator_count": 0,
            "rating_count": 0,
            "quarantined_count": 0,
            "loaded_at": NOON,
        },
    )
    for at in range(QUESTIONS):
        yield (
            "dim_question",
            {
                "question_id": question_id(at),
                "dataset_id": DATASET,
                "split": "test",
                "question": strange
                or f"Should towns try idea number {at}, even where it costs more?",
                "domain": "towns",
                "word_count": 10,
                "partial_answer_count": 3 + at % 3,
                "document_count": 0,
                "answer_count": 20,
                "item_hash": "h",
            },
        )
        for position in range(1, 4 + at % 3):
            yield (
                "dim_partial_answer",
                {
                    "partial_answer_id": f"{question_id(at)}/p{position}",
                    "dataset_id": DATASET,
                    "question_id": question_id(at),
                    "position": position,
                    "point_of_view": strange or f"View {position}: it helps some and not others.",
                    "explanation": strange
                    or "Shops near the square gain, those further out lose. " * 6,
                    "word_count": 60,
                    "text_hash": "h",
                },
            )


def _answers(condition: str, strange: str) -> Iterator[Row]:
    for model, at in product(MODELS, range(QUESTIONS)):
        mute = model.judge_id == MUTE
        words = int(model.words * _SHIFTS[condition][2])
        text = f"{model.judge_id} answers question {at}. " + "Some say yes, others no. " * 12
        yield (
            "dim_answer",
            {
                "answer_id": answer_id(condition, model.judge_id, at),
                "response_id": f"r#{at}",
                "run_id": f"questions--{model.judge_id.replace('/', '-')}",
                "experiment": "questions",
                "question_id": question_id(at),
                "judge_id": model.judge_id,
                "setting_id": f"{condition}|{model.judge_id}",
                **condition_of(condition),
                "sample": 0,
                "response": None if mute else strange or text,
                "answer_status": "timeout" if mute else "parsed",
                "word_count": None if mute else words,
                "is_stale": False,
                "answered_at": NOON,
            },
        )
        if condition == "c-react":
            yield from _shown(condition, model.judge_id, at, strange)
        overflow = model.judge_id == LONG and at == 1
        for evaluator in PD_EVALUATORS:
            yield (
                "fct_answer_metric",
                {
                    "answer_id": answer_id(condition, model.judge_id, at),
                    "question_id": question_id(at),
                    "dataset_id": DATASET,
                    "setting_id": f"{condition}|{model.judge_id}",
                    "condition_id": condition,
                    "judge_id": model.judge_id,
                    "metric": PD,
                    "evaluator_id": evaluator,
                    "evaluator_template": "pd_restate",
                    "score": None if mute or overflow else model.pd,
                    "n_partial_answers": None if mute else 3 + at % 3,
                    "n_scored_partial_answers": None if mute else 2 + at % 3 + (not overflow),
                    "word_count": None if mute else words,
                    "reason": "unanswered" if mute else "context_overflow" if overflow else None,
                },
            )


def _shown(condition: str, judge_id: str, at: int, strange: str) -> Iterator[Row]:
    """Yield what one answer was shown, and with the first what is counted of all."""
    about = {
        "setting_id": f"{condition}|{judge_id}",
        "judge_id": judge_id,
        "retrieval": "react",
        "dataset_id": DATASET,
        "is_trusted_only": True,
        "retriever": RETRIEVER,
    }
    yield (
        "fct_answer_document",
        {
            **about,
            "answer_id": answer_id(condition, judge_id, at),
            "response_id": f"r#{at}",
            "run_id": "questions",
            "experiment": "questions",
            "question_id": question_id(at),
            "document_rank": 1,
            "search": 1,
            "document_id": strange or "web:0123456789abcdef",
            "chunk": 1,
            "similarity": 0.625,
            "document_question_id": question_id(at),
            "is_own_question": True,
            "url": strange or "https://towns.example.org/ideas",
            "text_hash": "h",
            "is_stale": False,
        },
    )
    if at:
        return
    yield (
        "rpt_retrieval_coverage",
        {
            **about,
            "condition_id": condition,
            "split": "test",
            "template": "qa_rag",
            "n_questions": QUESTIONS,
            "n_answers": QUESTIONS,
            "n_known": QUESTIONS - 4,
            "shown_count": 27,
            "no_documents_count": 9,
            "no_trusted_documents_count": 0,
            "nothing_found_count": 0,
            "not_recorded_count": 4,
            "other_questions_count": 0,
            **band("shown_share", 0.75),
            "mean_chunk_count": 0.75,
            "mean_similarity": 0.625,
            "page_count": 40,
            "page_refused_count": 13,
            "reason": None,
        },
    )
    if judge_id == LONG:
        yield (
            "rpt_page_outcomes",
            {
                "dataset_id": DATASET,
                "retriever": RETRIEVER,
                "is_trusted_only": True,
                "page_status": "too_large",
                "n_pages": 13,
                "n_answers": 9,
                "example_address": strange or "https://towns.example.org/all",
                "example_detail": "has more than 2,000,000 bytes",
            },
        )


def _likelihoods(strange: str) -> Iterator[Row]:
    draws = np.random.Generator(np.random.Philox(11))
    for model, at, (place, evaluator) in product(MODELS[:5], range(READ), enumerate(PD_EVALUATORS)):
        assert model.pd is not None
        for position in range(1, 4 + at % 3):
            overflow = model.judge_id == LONG and at == 1 and position == 3
            tokens = [
                [word, float(round(-abs(draws.normal(np.log(model.pd), 1.2)), 4))]
                for word in (
                    strange
                    or f"View {position}: it helps some and not others.\n\n"
                    + "Shops near the square gain, those further out lose. " * 6
                )
                .replace(" ", "| ")
                .split("|")
            ]
            logprob_sum = sum(value for _, value in tokens)
            answer = answer_id("c-basic", model.judge_id, at)
            yield (
                "fct_likelihood",
                {
                    "response_id": f"pd#{place}/{answer}",
                    "run_id": f"pd-{place}",
                    "experiment": "pd",
                    "dataset_id": DATASET,
                    "question_id": question_id(at),
                    "answer_id": answer,
                    "partial_answer_id": f"{question_id(at)}/p{position}",
                    "evaluator_id": evaluator,
                    "evaluator_template": "pd_restate",
                    "evaluator_wording": "verbatim",
                    "metric": PD,
                    "status": "context_overflow" if overflow else "scored",
                    "token_count": len(tokens),
                    "logprob_sum": None if overflow else logprob_sum,
                    "perplexity": None if overflow else float(np.exp(-logprob_sum / len(tokens))),
                    "token_logprobs": json.dumps(tokens) if at < 2 and not overflow else None,
                    "is_current": True,
                    "is_stale": False,
                },
            )


def _leaderboard() -> Iterator[dict[str, Any]]:
    for condition, model in product(CONDITIONS, MODELS):
        shift_pd, shift_da, longer = _SHIFTS[condition]
        words = None if model.pd is None else model.words * longer
        keys = {
            "setting_id": f"{condition}|{model.judge_id}",
            **condition_of(condition),
            "judge_id": model.judge_id,
            "n_answers": QUESTIONS,
            "mean_word_count": words,
        }
        scored = 0 if model.pd is None else QUESTIONS
        for (at, evaluator), template in product(
            enumerate(PD_EVALUATORS), ("pd_restate", "pd_none")
        ):
            score = (
                None
                if model.pd is None
                else (model.pd + shift_pd) * (1 + 0.35 * at) + (template == "pd_none") * 0.5
            )
            slope = None if model.pd is None else model.slope
            adjusted = (
                None
                if slope is None or score is None
                else score - slope * float(np.log2(model.words / 240.0))
            )
            yield {
                **keys,
                "metric": PD,
                "evaluator_id": evaluator,
                "evaluator_template": template,
                "evaluator_wording": "equivalent",
                "n_questions": scored,
                "n_scored": scored,
                "unanswered_count": QUESTIONS - scored,
                **band("score", score, 0.21),
                "score_sum": None if score is None else score * 4,
                "mean_partial_answers": 4.0,
                **_place(condition, model, "pd"),
                "n_evaluators": 2,
                "mean_answer_tokens": None if words is None else words * 1.3,
                **band("length_slope", slope, 0.3),
                "n_slope_questions": 0 if slope is None else 38,
                "reference_word_count": None if score is None else 240.0 * longer,
                **band("score_adjusted", adjusted, 0.25),
                "length_reason": None
                if adjusted is not None
                else "no question has answers of two lengths",
                "reference_judge_id": None if score is None else SHORT,
                "n_shared_questions": scored,
                "tokens_per_partial_answer": 118.0,
                "probability_ratio_paper": 8.1,
                "probability_ratio_paper_of_means": 3.4,
                "log10_probability_ratio_with_factor": 31.0,
                **band("probability_ratio_per_token", None if score is None else 5.62 / score, 0.1),
                "log10_probability_ratio": 24.0,
                "reason": "no scored answer" if score is None else None,
            }
        unparsed = 4 if model.judge_id == "lab/small-model" else 0
        score = None if model.da is None else model.da + shift_da
        yield {
            **keys,
            "metric": DA,
            "evaluator_id": DA_EVALUATOR,
            "evaluator_template": DA,
            "evaluator_wording": "equivalent",
            "n_questions": max(0, scored - unparsed),
            "n_scored": max(0, scored - unparsed),
            "unparsed_count": unparsed,
            "unanswered_count": QUESTIONS - scored,
            "score": score,
            "score_low": None if score is None else max(0, score - 0.08),
            "score_high": None if score is None else min(1, score + 0.05),
            "score_all_0": None if score is None else score * 0.9,
            "score_all_1": None if score is None else min(1, score * 0.9 + 0.1),
            "score_released": None if score is None else 1.0,
            **_place(condition, model, "da"),
            "n_evaluators": 1,
            "n_slope_questions": 0,
            "length_reason": "length is controlled for P.D. alone",
            "n_shared_questions": 0,
            "reason": "no scored answer" if score is None else None,
        }


def _effects() -> Iterator[Row]:
    factors = (
        ("prompt", "qa_basic", "qa_detailed", "c-detailed"),
        ("length", "not set", "100", "c-short"),
        ("retrieval", "none", "react", "c-react"),
    )
    for model, (factor, level_a, level_b, other), metric in product(MODELS[:5], factors, (PD, DA)):
        shift_pd, shift_da, longer = _SHIFTS[other]
        change = shift_pd * (1 - model.words / 2000) if metric == PD else shift_da
        score = model.pd if metric == PD else model.da
        assert score is not None
        alone = factor == "length"
        clear = abs(change) > 0.1
        for evaluator, template in (
            product(PD_EVALUATORS, ("pd_restate", "pd_none"))
            if metric == PD
            else [(DA_EVALUATOR, DA)]
        ):
            yield (
                "rpt_answer_effects",
                {
                    "experiment": "questions",
                    "dataset_id": DATASET,
                    "split": "test",
                    "judge_id": model.judge_id,
                    "factor": factor,
                    "level_a": level_a,
                    "level_b": level_b,
                    "setting_a": f"c-basic|{model.judge_id}",
                    "setting_b": f"{other}|{model.judge_id}",
                    "metric": metric,
                    "evaluator_id": evaluator,
                    "evaluator_template": template,
                    "n_questions": QUESTIONS,
                    "n_answers": 2 * QUESTIONS,
                    "score_a": score,
                    "score_b": score + change,
                    **band("difference", change, 0.09),
                    "effect_size": change / 0.3,
                    "p": 0.0004 if clear else 0.31,
                    "p_adjusted": 0.0009 if clear else 0.4,
                    "p_kind": "paired t" if metric == PD else "exact",
                    "family_id": model.judge_id,
                    "mean_word_count_a": model.words,
                    "mean_word_count_b": model.words * longer,
                    "length_overlap_share": 0.0 if alone else 0.4,
                    **band(
                        "difference_at_equal_length", None if alone or metric == DA else 0.02, 0.1
                    ),
                    "length_reason": "lengths do not overlap" if alone else None,
                },
            )


def _place(condition: str, model: Model, metric: str) -> dict[str, Any]:
    sign = 1 if metric == "pd" else -1
    if getattr(model, metric) is None:
        return {"place": None, "place_label": None, "norm_place": None, "norm_place_label": None}
    place = 1 + sum(
        sign * getattr(one, metric) < sign * getattr(model, metric)
        for one in MODELS
        if getattr(one, metric) is not None
    )
    return {
        "place": place,
        "place_label": str(place),
        "norm_place": place,
        "norm_place_label": str(place),
    }


def _weighted(
    keys: dict[str, Any], diverse: dict[str, Any], aware: dict[str, Any]
) -> Iterator[Row]:
    names = [one for one in diverse if diverse[one] is not None and aware.get(one) is not None]
    inverse = np.array([1 / diverse[one] for one in names])
    shares = np.array([aware[one] for one in names])
    pd_z = (inverse - inverse.mean()) / inverse.std()
    da_z = (shares - shares.mean()) / shares.std()
    for step in range(21):
        k = step / 20
        score = np.round(k * pd_z + (1 - k) * da_z, 12)
        for at, name in enumerate(names):
            place = 1 + int((score > score[at]).sum())
            tied = int((score == score[at]).sum()) > 1
            yield (
                "rpt_debateqa_weighted_rank",
                {
                    **keys,
                    "judge_id": name,
                    "k": k,
                    "n_models": len(names),
                    "pd_score": diverse[name],
                    "da_score": aware[name],
                    "pd_z": pd_z[at],
                    "da_z": da_z[at],
                    "score": score[at],
                    "place": place,
                    "place_label": f"{place}{'=' if tied else ''}",
                },
            )


def printed_rows() -> Iterator[Row]:
    """Yield the printed scores of the paper at every weight, which need no answers."""
    seed = PROJECT_ROOT / "dbt_project" / "seeds" / "published" / "debateqa_table_2.csv"
    with seed.open(encoding="utf-8") as file:
        printed = list(csv.DictReader(file))
    scores: dict[tuple[str, str], dict[str, float]] = {}
    tokens = {row["model"]: float(row["avg_len_tokens"]) for row in printed}
    for row in printed:
        mine = scores.setdefault((row["metric"], row["evaluator_model"]), {})
        mine[row["model"]] = float(row["score"])
    for (first, pd_evaluator), (second, da_evaluator) in product(scores, scores):
        if (first, second) == (PD, DA):
            keys = {
                "origin": "published",
                "ground": "each",
                "condition_id": "table_2",
                "dataset_id": "debateqa",
                "pd_evaluator_id": pd_evaluator,
                "pd_evaluator_template": "as printed",
                "da_evaluator_id": da_evaluator,
                "da_evaluator_template": "as printed",
            }
            for mart, weighted in _weighted(
                keys, scores[PD, pd_evaluator], scores[DA, da_evaluator]
            ):
                yield mart, weighted | {"mean_answer_tokens": tokens[weighted["judge_id"]]}
