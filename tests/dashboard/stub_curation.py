"""Made-up rows on how a set of questions was curated; the numbers are plausible and mean nothing.

Among them on purpose: a set that waits for its annotators, a kappa that is undefined, chunks nobody
has looked at, and text of strangers wherever they can write.
"""

from __future__ import annotations

from collections.abc import Iterator

from stub_questions import DATASET, band
from stub_rows import Row

CURATED, WAITING = "own-questions", "waiting-questions"


def curation_rows(strange: str = "") -> Iterator[Row]:
    """Yield one curated set, one that waits, and distributions of a set that came whole.

    Args:
        strange: Stands in questions, reasons and domains.
    """
    for dataset in (CURATED, WAITING):
        about = {"title": f"Questions of our own {strange}", "licence": "ours", "is_sample": False}
        yield "dim_dataset", {"dataset_id": dataset, **about}
        yield from _funnel(dataset)
    yield (
        "rpt_curation_removals",
        {
            "dataset_id": CURATED,
            "step_order": 2,
            "step": "deduplicate",
            "unit": "question",
            "item_id": f"{CURATED}:b:2",
            "rule": "near_duplicate",
            "text": f"Ban cars? {strange}",
            "detail": f"cosine 0.910 with 'Should towns ban cars?' {strange}",
            "because_of": f"{CURATED}:a:1",
        },
    )
    yield from _examinations()
    for task, kappa, removed in (
        ("grounded", 0.58, 3),
        ("addressing", 0.61, 2),
        ("ethical", None, 0),
        ("faultless", 0.5, 5),
    ):
        yield (
            "rpt_annotation_outcomes",
            {
                "dataset_id": CURATED,
                "task": task,
                "n_questions": 20,
                "n_partial_answers": 80,
                "n_annotators": 3,
                "removed_count": removed,
                "split_count": 9,
                **band("passed_share", 1 - removed / 80, 0.01),
                "published_value": 0.934 if task == "faultless" else None,
            },
        )
        yield (
            "rpt_annotation_agreement",
            {
                "dataset_id": CURATED,
                "task": task,
                "measure": "fleiss_kappa",
                "n_questions": 20,
                "n_items": 80,
                "excluded_count": 0,
                "n_annotators": 3,
                "n_undefined": 0,
                **band("estimate", kappa, 0.1),
                "reason": None if kappa else "one label only",
            },
        )
    for dataset in (CURATED, DATASET):
        for order, (value, n) in enumerate((("3", 6), ("4", 14)), start=1):
            yield (
                "rpt_curation_distributions",
                {
                    "dataset_id": dataset,
                    "quantity": "perspectives_per_question",
                    "value": value,
                    "value_order": order,
                    "n": n,
                    "n_total": 20,
                    "n_questions": 20,
                    **band("share", n / 20, 0.1),
                    "mean_value": 3.7,
                    "mean_low": 3.5,
                    "mean_high": 3.9,
                },
            )
    yield (
        "rpt_curation_distributions",
        {
            "dataset_id": CURATED,
            "quantity": "top_level_domain",
            "value": f".org{strange}",
            "value_order": 1,
            "n": 90,
            "n_total": 90,
            "n_questions": 20,
            **band("share", 1.0, 0.0),
        },
    )


def _funnel(dataset: str) -> Iterator[Row]:
    rules = (
        (1, "merge", "question", "blank_question", 30, 1, 4473),
        (2, "deduplicate", "question", "near_duplicate", 29, 4, 3216),
        (8, "annotation", "partial_answer", "not_grounded", 80, 3, None),
    )
    for order, step, unit, rule, before, removed, printed in rules:
        is_waiting = dataset == WAITING and step == "annotation"
        row = {"dataset_id": dataset, "step_order": order, "step": step, "embedder": "tfidf"}
        if is_waiting:
            yield "rpt_curation_funnel", {**row, "reason": "the step has not been done"}
            continue
        yield (
            "rpt_curation_funnel",
            {
                **row,
                "unit": unit,
                "rule_order": 1,
                "rule": rule,
                "effect": "removes",
                "n_before": before,
                "n_affected": removed,
                "n_after": before - removed,
                "affected_share": removed / before,
                "published_after": printed,
            },
        )


def _examinations() -> Iterator[Row]:
    shared = {"dataset_id": CURATED, "n_questions": 20, "embedder": "tfidf"}
    yield (
        "rpt_document_relevance",
        {
            **shared,
            "averaged_over": "chunks",
            "n_documents": 90,
            "n_chunks": 240,
            **band("mean_similarity", 0.41, 0.03),
            "published_value": 0.56,
        },
    )
    yield (
        "rpt_view_coverage",
        {
            **shared,
            "n_chunks": 100,
            "n_examined": 60,
            "n_covered": 51,
            "not_examined_count": 40,
            **band("covered_share", 0.85, 0.08),
            "published_value": 0.904,
        },
    )
    yield (
        "rpt_view_distinctness",
        {
            **shared,
            "n_questions": 0,
            "n_pairs": 0,
            "n_distinct": 0,
            "similar_question_count": 0,
            "distinct_share": None,
            "reason": "no two points of view of one question",
        },
    )
