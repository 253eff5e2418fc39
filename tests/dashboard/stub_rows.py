"""Made-up rows for the marts that do not follow from others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

DIMENSION = "quality"
PROMPTS = ("speech_score", "speech_score_justified")
UNDEFINED = "every score is the same, so there is no order to compare"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC).replace(tzinfo=None)
SOURCES = {
    "Seasoned speaker": 4.3,
    "Student debater": 3.8,
    "Careful essay": 3.4,
    "Assembled arguments": 2.9,
    "First draft": 2.3,
    "Shuffled sentences": 1.6,
}
MOTIONS = (
    "Cities should close their centres to private cars",
    "Schools should start at ten in the morning",
    "Every museum should be free of charge",
    "Voting should be compulsory",
    "Zoos should be abolished",
    "Homework should be banned in primary school",
    "Tourist towns should limit the number of visitors",
    "Night trains should be paid for by a tax on flights",
    "Libraries should lend tools as well as books",
    "Public buildings should be built of wood",
    "Companies should publish every salary",
    "Streets should be named by lot",
)


@dataclass(frozen=True)
class Judge:
    """A made-up judge: what its marts say of it."""

    judge_id: str
    kind: str
    kappa: float | None
    tau: float | None
    shift: float
    noise: float
    unparsed: float = 0.0
    prompts: tuple[str, ...] = PROMPTS[:1]


JUDGES = (
    Judge("simulated/careful", "simulated", 0.34, 0.58, -0.1, 0.5, prompts=PROMPTS),
    Judge("simulated/harsh", "simulated", 0.12, 0.49, -1.2, 0.6),
    Judge("lab/small-model", "imported", 0.16, 0.23, 0.3, 1.6, 0.083, PROMPTS),
    Judge(
        "lab/quite-a-long-model-name-70b-instruct-4bit",
        "imported",
        0.25,
        0.44,
        -0.4,
        0.8,
        prompts=PROMPTS,
    ),
    Judge("rule/word-count", "rule", 0.05, 0.11, 0.0, 1.4),
    Judge("rule/always-three", "rule", 0.0, None, 0.0, 0.0),
    Judge("ensemble/panel", "ensemble", 0.29, 0.52, -0.5, 0.5),
)

Row = tuple[str, Mapping[str, Any]]


def stub_rows(judges: tuple[Judge, ...], strange: str) -> Iterator[Row]:
    draws = np.random.Generator(np.random.Philox(7))
    question = strange or "This speech is a good opening speech to support the motion."
    for dataset, is_sample in (("sample", True), ("city-council", False)):
        yield (
            "dim_dimension",
            {
                "dataset_id": dataset,
                "dimension": DIMENSION,
                "question": question,
                "scale_min": 1.0,
                "scale_max": 5.0,
            },
        )
        yield (
            "dim_dataset",
            {
                "dataset_id": dataset,
                "is_sample": is_sample,
                "licence": "Apache-2.0",
                "title": strange or ("Sample speeches" if is_sample else "City council speeches"),
                "citation": "Made up for this project",
                "item_count": 72,
                "debate_count": 12,
                "annotator_count": 15,
                "rating_count": 1080,
                "quarantined_count": 0,
                "loaded_at": NOON,
            },
        )
        yield from _speeches(draws, dataset, strange)
        yield from _agreement(dataset, "human", "human", 0.27, 0.41, None)
    yield "dim_judge", {"judge_id": "human", "judge_kind": "human"}
    for prompt in PROMPTS:
        yield (
            "dim_variant",
            {
                "variant_id": prompt,
                "answer_kind": "score",
                "template": prompt,
                "instrument": prompt,
                "wording": "equivalent",
                "is_justified": prompt != PROMPTS[0],
            },
        )
    for judge in judges:
        yield (
            "dim_judge",
            {
                "judge_id": judge.judge_id,
                "judge_kind": judge.kind,
                "family": judge.judge_id.split("/")[0],
                "members": "simulated/careful, simulated/harsh"
                if judge.kind == "ensemble"
                else None,
            },
        )
        for prompt in judge.prompts:
            lift = 0.03 if prompt == PROMPTS[1] else 0.0
            yield from _agreement(
                "sample",
                judge.judge_id,
                prompt,
                None if judge.kappa is None else judge.kappa + lift,
                None if judge.tau is None else judge.tau + lift,
                judge,
            )
            yield from _run(draws, judge, prompt, strange)
    for statistic, value, own, status in (
        ("speeches", 631.0, None, "no_data"),
        ("topics", 76.0, 76.0, "agrees"),
        ("words_per_speech_mean", 500.0, 512.4, "differs"),
    ):
        yield (
            "rpt_published_comparison",
            {
                "paper_id": "debatable_intelligence",
                "location": "Table 1",
                "statistic": statistic,
                "qualifier": "",
                "published_value": value,
                "published_text": f"{value:g}",
                "unit": statistic,
                "warehouse_value": own,
                "n": 631,
                "agreement_status": status,
            },
        )


def _speeches(draws: np.random.Generator, dataset: str, strange: str) -> Iterator[Row]:
    for topic, usual in enumerate(MOTIONS):
        for at, (source, quality) in enumerate(SOURCES.items()):
            words = strange or f"{usual}. " + "We have argued this with care. " * 12
            item = {
                "item_id": f"{dataset}:{topic:02d}-{at}",
                "dataset_id": dataset,
                "debate_id": f"{dataset}:topic-{topic:02d}",
            }
            yield (
                "dim_item",
                {
                    **item,
                    "motion": f"{strange} {topic}" if strange else usual,
                    "source": f"{strange} {at}" if strange else source,
                    "text": words,
                    "word_count": len(words.split()),
                    "is_sample": dataset == "sample",
                    "item_hash": f"hash-{topic:02d}-{at}",
                },
            )
            for person in range(15):
                value = quality + 0.15 * (person % 5 - 2) + draws.normal(0, 0.8)
                yield (
                    "fct_rating",
                    {
                        **item,
                        "annotator_id": f"{dataset}:rater-{person:02d}",
                        "dimension": DIMENSION,
                        "value": float(np.clip(round(value), 1, 5)),
                    },
                )


def _around(name: str, value: float | None, half: float) -> dict[str, float | None]:
    if value is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: value, f"{name}_low": value - half, f"{name}_high": value + half}


def _agreement(
    dataset: str,
    judge_id: str,
    prompt: str,
    kappa: float | None,
    tau: float | None,
    judge: Judge | None,
) -> Iterator[Row]:
    cell = {
        "dataset_id": dataset,
        "dimension": DIMENSION,
        "judge_id": judge_id,
        "template": prompt,
        "n_answers": 1080 if judge is None else 72,
        "unparsed_count": round(72 * judge.unparsed) if judge else 0,
        "unanswered_count": 0,
    }
    failed = judge is not None and judge.unparsed > 0
    for least in (20, 50, 100):
        value = kappa if least < 100 else None
        has = value is not None
        yield (
            "rpt_rater_agreement",
            {
                **cell,
                "min_shared_items": least,
                "mean_kappa": value,
                "kappa_low": value - 0.05 if has else None,
                "kappa_high": value + 0.05 if has else None,
                "median_kappa": value,
                "pair_count": 105 if has else 0,
                "comparison_count": 210,
                "undefined_pair_count": 0,
                "dropped_pair_count": 0 if has else 105,
                "mean_support": 64.2 if has else None,
                "n_units": 15,
                "mean_kappa_released": value,
                **_around("kappa_minus_human", value - 0.27 if has and judge else None, 0.045),
                "mean_kappa_failures_nearest": value + 0.03 if has and failed else value,
                "mean_kappa_failures_farthest": value - 0.09 if has and failed else value,
                "undefined_reason": None if has else "no two people share 100 speeches",
            },
        )
    yield (
        "rpt_rank_agreement",
        {
            **cell,
            **_around("tau_c", tau, 0.06),
            **_around("tau_b", tau, 0.06),
            **_around("spearman", tau and tau * 1.2, 0.07),
            **_around("pearson", tau and tau * 1.3, 0.07),
            "n_items": 72,
            "n_units": 12,
            "n_annotators": 15,
            "undefined_annotator_count": 0,
            "unparsed_share": judge.unparsed if judge else 0.0,
            "tau_c_failures_nearest": tau + 0.02 if tau and failed else tau,
            "tau_c_failures_farthest": tau - 0.1 if tau and failed else tau,
            "tau_c_released": tau,
            **_around("tau_c_on_human_items", tau if judge else None, 0.06),
            **_around("tau_c_minus_human", tau - 0.41 if tau is not None and judge else None, 0.05),
            "undefined_reason": UNDEFINED if tau is None else None,
        },
    )
    yield from _crowd(cell, tau, judge)
    if judge:
        yield (
            "rpt_source_agreement",
            {
                **cell,
                **_around("pearson", tau and min(0.9, tau * 1.6), 0.09),
                **_around("tau_b", tau and min(0.9, tau * 1.4), 0.09),
                "n_sources": 6,
                "n_items": 72,
                "n_units": 12,
                "undefined_reason": UNDEFINED if tau is None else None,
            },
        )


def _crowd(cell: dict[str, Any], tau: float | None, judge: Judge | None) -> Iterator[Row]:
    panel = {
        "dataset_id": cell["dataset_id"],
        "dimension": DIMENSION,
        "n_raters_measured": 2,
        "reference_raters": 8,
        "n_items": 72,
        "n_items_left_out": 0,
        "n_units": 12,
        "n_draws": 100,
    }
    if judge is None:
        for number, value in ((1, 0.5), (2, 0.6), (3, 0.7)):
            yield (
                "rpt_rater_count",
                {
                    **panel,
                    "measure": "pearson",
                    "n_raters": number,
                    "is_extrapolated": number > 2,
                    **_around("correlation", value, 0.04),
                },
            )
        for measure in ("alpha_interval", "icc_k"):
            yield (
                "rpt_crowd_agreement",
                {
                    **panel,
                    "measure": measure,
                    "min_shared_items": 1,
                    "value": 0.4,
                    "low": 0.3,
                    "high": 0.5,
                    "resampled_unit": "topics",
                    "pair_count": 0,
                    "n_raters": 15,
                    "n_ratings": 1080,
                    "mean_raters": 15.0,
                    "harmonic_raters": 15.0,
                },
            )
        for person, harshness in enumerate((0.4, -0.4)):
            yield (
                "rpt_rater_quality",
                {
                    **panel,
                    "annotator_id": f"rater-{person:02d}",
                    "n_ratings": 72,
                    "n_shared": 72,
                    **_around("harshness", harshness, 0.1),
                    "is_straight_lining": person == 1,
                },
            )
        return
    worth = {
        "worth": 1.5,
        "worth_status": "interpolated",
        "worth_low": None,
        "worth_low_status": "less_than_one",
        "worth_high": 2.5,
        "worth_high_status": "extrapolated",
    }
    for measure in ("pearson", "tau_c"):
        yield (
            "rpt_judge_worth",
            {
                **cell,
                **panel,
                **(worth if tau else {"worth_status": "undefined"}),
                "measure": measure,
                "failure_rule": "excluded",
                **_around("correlation", tau, 0.06),
                "undefined_reason": UNDEFINED if tau is None else None,
            },
        )


def _run(draws: np.random.Generator, judge: Judge, prompt: str, strange: str) -> Iterator[Row]:
    run_id = f"speech-score--{judge.judge_id.replace('/', '-')}--{prompt[-4:]}"
    failed = round(72 * judge.unparsed)
    if judge.kind != "ensemble":
        run = {
            "run_id": run_id,
            "experiment": "speech-score",
            "judge_id": judge.judge_id,
            "status": "complete",
            "planned_count": 72,
            "started_at": NOON,
            "ended_at": NOON,
        }
        yield "dim_run", {**run, "origin": "run"}
        yield (
            "rpt_run_health",
            {
                **run,
                "template": prompt,
                "request_count": 72,
                "answered_count": 72,
                "parsed_count": 72 - failed,
                "unparsed_count": failed,
                "unasked_count": 0,
                "failure_count": failed,
                "unreadable_count": failed,
                **_around("failure_share", failed / 72, failed / 144),
                **_around("unparsed_share", failed / 72, failed / 144),
                "unparsed_by_reason": '{"no score tag": 6}' if failed else "{}",
                "error_count": 0,
                "errors_by_kind": "{}",
                "stale_count": 0,
                "tokens_in": 21_600,
                "tokens_out": 720,
                "cost_usd": 0.0123 if judge.kind == "imported" else None,
                "cost_known_usd": 0.0123 if judge.kind == "imported" else None,
                "sent_count": 72,
                "cost_known_count": 72 if judge.kind == "imported" else 0,
                "latency_p50_s": 0.412,
                "latency_p90_s": 0.9,
                "latency_p99_s": 1.7,
                "latency_known_count": 72,
            },
        )
        if failed:
            yield (
                "rpt_failures",
                {
                    "run_id": run_id,
                    "judge_id": judge.judge_id,
                    "answer_status": "unparsed",
                    "failure_count": failed,
                    "answered_count": failed,
                    "request_count": 72,
                    **_around("share", failed / 72, failed / 144),
                    "example_response_id": f"{run_id}/0",
                },
            )
    for topic in range(len(MOTIONS)):
        for at, quality in enumerate(SOURCES.values()):
            nth = topic * len(SOURCES) + at
            raw = 3.0 if judge.noise == 0 else quality + judge.shift + draws.normal(0, judge.noise)
            unreadable = nth < failed
            value = None if unreadable else float(np.clip(round(raw), 1, 5))
            said = "A fine speech, on the whole." if unreadable else f"<score>{value:.0f}</score>"
            answer = {
                "response_id": f"{run_id}/{nth}",
                "run_id": run_id,
                "judge_id": judge.judge_id,
                "item_id": f"sample:{topic:02d}-{at}",
                "template": prompt,
                "dimension": DIMENSION,
                "sample": 0,
                "request_status": "answered",
                "answered_at": NOON,
                "parse_status": "unparsed" if unreadable else "parsed",
                "parse_reason": (strange or "no score tag") if unreadable else None,
                "answer_status": "unparsed" if unreadable else "parsed",
                "source_file": f"journal/{run_id}/responses.jsonl",
                "source_record": f"line {nth}",
            }
            yield "dim_response", {**answer, "request_id": str(nth), "response": strange or said}
            yield (
                "fct_score",
                {
                    **answer,
                    "dataset_id": "sample",
                    "debate_id": f"sample:topic-{topic:02d}",
                    "experiment": "speech-score",
                    "value": value,
                    "is_current": True,
                    "is_stale": False,
                },
            )
