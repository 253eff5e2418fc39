"""Made-up rows on whether the metrics of debatable questions can be trusted.

The numbers are plausible and mean nothing. Among them on purpose: a judge below always answering 1,
one with failed judgements, an undefined correlation, and a pair of orders that cannot be compared.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import product
from typing import Any

from stub_questions import DA, DA_EVALUATOR, DATASET, PD, PD_EVALUATORS, band, condition_of
from stub_rows import Row

from warehouse.home import PROJECT_ROOT

SEEDS = PROJECT_ROOT / "dbt_project" / "seeds" / "published"
POOR_JUDGE = "lab/terse-1b"


def trust_rows() -> Iterator[Row]:
    """Yield rows of alignment, dispute accuracy, stability and people's agreement."""
    yield from _missing_viewpoints()
    yield from _alignment()
    yield from _accuracy()
    yield from _stability()
    for task, measure, value, n in (
        (DA, "fleiss_kappa", 0.71, 90),
        (DA, "krippendorff_alpha", 0.7, 96),
        ("preference", "spearman", 0.82, 120),
    ):
        yield (
            "rpt_annotation_agreement",
            {
                "dataset_id": DATASET,
                "task": task,
                "measure": measure,
                "n_questions": 30,
                "n_items": n,
                "excluded_count": 2,
                "n_annotators": 3,
                "n_undefined": 0,
                **band("estimate", value, 0.07),
            },
        )


def _missing_viewpoints() -> Iterator[Row]:
    for model, share, n in (("lab/small-model", 0.1, 40), ("lab/never-answers", None, 0)):
        yield (
            "rpt_missing_viewpoints",
            {
                "setting_id": f"c-basic|{model}",
                "condition_id": "c-basic",
                "dataset_id": DATASET,
                "judge_id": model,
                "template": "qa_basic",
                "evaluator_id": DA_EVALUATOR,
                "evaluator_template": "missing_viewpoints",
                "n_questions": n,
                "n_answers": 40,
                "n_scored": n,
                "missing_count": n // 10,
                "mean_score": None if share is None else 2.2,
                **band("missing_share", share, 0.06),
                "reason": "no scored answer" if share is None else None,
            },
        )


def _alignment() -> Iterator[Row]:
    scored = (
        (PD, PD_EVALUATORS[0], "pd_restate", 0.74),
        (PD, PD_EVALUATORS[1], "pd_restate", 0.69),
        (PD, PD_EVALUATORS[1], "pd_none", 0.61),
        ("answer_quality", DA_EVALUATOR, "g_eval", 0.58),
        ("bleu", "rule/bleu", "bleu", 0.33),
        ("rouge_l", "rule/rouge-l", "rouge_l", 0.29),
        ("pov_count", DA_EVALUATOR, "num_of_povs", None),
    )
    for (metric, evaluator, template, value), method, scope in product(
        scored, ("wins", "bradley_terry", "elo"), ("within_question", "all_questions")
    ):
        within = scope == "within_question"
        half = 0.08 if within else 0.0
        row: dict[str, Any] = {
            "dataset_id": DATASET,
            "scope": scope,
            "ranking_method": method,
            "metric": metric,
            "evaluator_id": evaluator,
            "evaluator_template": template,
            "n_questions": 30 if within else None,
            "n_annotators": 3,
            "n_rankings": 90,
            "n_undefined": 90 if value is None else 4,
            "n_contestants": 450,
            "missing_count": 0,
            **band("spearman", value, half),
            **band("kendall", None if value is None else value - 0.08, half),
            "reason": "every ranking is tied" if value is None else None,
        }
        if not within:
            row |= dict.fromkeys(("spearman_low", "spearman_high", "kendall_low", "kendall_high"))
        yield "rpt_metric_alignment", row


def _accuracy() -> Iterator[Row]:
    for evaluator, template, value, failed in (
        (DA_EVALUATOR, DA, 0.86, 0),
        (POOR_JUDGE, DA, 0.66, 12),
        (DA_EVALUATOR, "dispute_awareness_zero_shot", 0.78, 0),
    ):
        yield (
            "rpt_dispute_accuracy",
            {
                "dataset_id": DATASET,
                "evaluator_id": evaluator,
                "evaluator_template": template,
                "n_labelled": 100,
                "label_tie_count": 0,
                "not_scored_count": 0,
                "failed_count": failed,
                "n_answers": 100 - failed,
                "n_questions": 30,
                "positive_count": 75,
                "tp": 70,
                "fn": 5,
                "fp": 9,
                "tn": 16,
                **band("accuracy", value, 0.07),
                **band("f1", value + 0.03),
                **band("auroc", value - 0.1),
                **band("mcc", 2 * value - 1.2),
                **band("gain", value - 0.75, 0.06),
                "accuracy_all_wrong": value * (1 - failed / 100),
                "accuracy_all_right": value * (1 - failed / 100) + failed / 100,
                "baseline_accuracy": 0.75,
                "baseline_f1": 0.857,
                "accuracy_released": 0.75,
            },
        )


def _stability() -> Iterator[Row]:
    pairs = (
        ("evaluator", PD, PD_EVALUATORS[0], "pd_restate", PD_EVALUATORS[1], "pd_restate", 1.0),
        ("wording", PD, PD_EVALUATORS[0], "pd_none", PD_EVALUATORS[0], "pd_restate", 0.6),
        ("wording", PD, PD_EVALUATORS[1], "pd_none", PD_EVALUATORS[1], "pd_restate", 0.8),
        ("evaluator", DA, DA_EVALUATOR, DA, POOR_JUDGE, DA, None),
    )
    for comparison, metric, first, first_template, second, second_template, value in pairs:
        yield (
            "rpt_backbone_stability",
            {
                **condition_of("c-basic"),
                "metric": metric,
                "comparison": comparison,
                "evaluator_a": first,
                "evaluator_template_a": first_template,
                "evaluator_b": second,
                "evaluator_template_b": second_template,
                "n_questions": 40,
                "n_models": 5 if value is not None else 1,
                "kendall": value,
                "kendall_low": None if value is None else value - 0.2,
                "kendall_high": None if value is None else min(1.0, value + 0.15),
                "undefined_replicate_count": 0,
                "reason": "fewer than two models" if value is None else None,
            },
        )


def printed_trust_rows() -> Iterator[Row]:
    """Yield what the paper prints, which needs no answers."""
    shared = {"paper_id": "debateqa", "note": None}
    for row in _seed("debateqa_table_14"):
        for statistic, column in (("spearman", "spearman_rho"), ("kendall", "kendall_tau")):
            yield (
                "rpt_debateqa_published",
                {
                    **shared,
                    "location": "table_14",
                    "subject": "alignment",
                    "metric": row["metric"],
                    "evaluator": row["backbone_model"] or None,
                    "statistic": statistic,
                    "value": float(row[column]),
                    "printed_text": row[column],
                },
            )
    lines = [dict(row) for row in _seed("debateqa_table_15")]
    always = {"metric": "always 1", "backbone_model": "", "accuracy": "0.76", "f1": "0.864"}
    for row in [*lines, always]:
        for statistic in ("accuracy", "f1", "auroc", "mcc"):
            if row.get(statistic):
                yield (
                    "rpt_debateqa_published",
                    {
                        **shared,
                        "location": "table_15",
                        "subject": "dispute_accuracy",
                        "metric": row["metric"],
                        "evaluator": row["backbone_model"] or None,
                        "statistic": statistic,
                        "value": float(row[statistic]),
                        "n": 100,
                    },
                )
    for row in _seed("debateqa_table_11"):
        yield (
            "rpt_debateqa_published",
            {
                **shared,
                "location": "table_11",
                "subject": "missing_viewpoints",
                "metric": "missing_viewpoints",
                "evaluator": "GPT-4o",
                "model": row["model"],
                "statistic": "share",
                "value": float(row["proportion_score_5"]),
                "value_low": 0.02,
                "value_high": 0.16,
                "n": 100,
            },
        )
    for metric, value in (
        ("annotation task 1 (grounded in documents)", 0.66),
        ("annotation task 2 (addresses the question)", 0.6),
    ):
        yield (
            "rpt_debateqa_published",
            {
                **shared,
                "location": "section_3.3",
                "subject": "people",
                "statistic": "fleiss_kappa",
                "metric": metric,
                "value": value,
                "printed_text": str(value),
            },
        )
    yield (
        "rpt_debateqa_published",
        {
            **shared,
            "location": "appendix_e1",
            "subject": "people",
            "statistic": "fleiss_kappa",
            "metric": "dispute-awareness labels",
            "value": 0.79,
            "printed_text": "0.79",
        },
    )


def _seed(name: str) -> list[dict[str, str]]:
    with (SEEDS / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))
