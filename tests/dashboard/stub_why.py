"""Made-up rows of an analysis of judges' reasons.

The numbers are plausible and mean nothing. Among them on purpose: a judge whose justifications are all
empty, a source without a share positive, and a measure of agreement with labels that is undefined.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stub_questions import band
from stub_rows import DIMENSION, NOON, PROMPTS, SOURCES, Row

ANALYSIS, SILENT = "reasons", "rule/word-count"
WHY_JUDGES = ("lab/small-model", "simulated/careful", SILENT)
POINTS = {
    "pro/1": "The structure is easy to follow.",
    "pro/2": "The examples are well chosen.",
    "pro/3": "The stance is clear.",
    "pro/4": "The opening is strong.",
    "con/1": "The evidence is thin.",
    "con/2": "The points repeat each other.",
}
_EMPTY = "no justification of this judge has sentences"


def why_rows(strange: str) -> Iterator[Row]:
    """Yield one analysis with its key points, sentences, shares, coverage and check."""
    said = {name: f"{strange} {name}" if strange else text for name, text in POINTS.items()}
    yield (
        "dim_key_point_analysis",
        {
            "analysis_id": ANALYSIS,
            "dataset_id": "sample",
            "dimension": DIMENSION,
            "template": strange or PROMPTS[1],
            "judge_ids": list(WHY_JUDGES),
            "rephraser": "rules",
            "embedder": "tfidf",
            "polarity_by": "rules",
            "match_threshold": 0.5,
            "redundancy_threshold": 0.6,
            "method_hash": "m",
            "seed": 0,
            "code_version": "v",
            "made_at": NOON,
        },
    )
    for judge in (*WHY_JUDGES, "all"):
        yield from _of_judge(judge, said, strange)
    for place, (name, text) in enumerate(said.items()):
        polarity = name.split("/")[0]
        about = {"analysis_id": ANALYSIS, "key_point_id": name, "polarity": polarity}
        yield "dim_key_point", {**about, "key_point": text, "polarity_rank": int(name[-1])}
        for topic in range(2):
            request = f"r{place}-{topic}"
            told = {
                "analysis_id": ANALYSIS,
                "request_id": request,
                "judge_id": WHY_JUDGES[topic],
                "item_id": f"sample:{topic:02d}-0",
                "source": strange or "Seasoned speaker",
            }
            yield (
                "fct_justification",
                {
                    **told,
                    "score": 4.0,
                    "status": "sentences",
                    "sentence_count": 1,
                    "justification": strange or f"All in all: {text}",
                },
            )
            yield (
                "fct_justification_sentence",
                {
                    **told,
                    "sentence_id": f"{request}/1",
                    "position": 1,
                    "text": text,
                    "polarity": polarity,
                    "key_point_id": name,
                    "similarity": 0.9,
                },
            )
        yield (
            "rpt_key_point_judges",
            {
                **about,
                "judge_a": WHY_JUDGES[0],
                "judge_b": WHY_JUDGES[1],
                "key_point": text,
                "n_items": 60,
                "n_units": 12,
                "share_a": 0.3,
                "share_b": 0.2,
                **band("difference", 0.1, 0.02 * (1 + place)),
            },
        )
    for split in ("test", "dev"):
        for measure in (
            "polarity_accuracy",
            "polarity_macro_f1",
            "pair_precision",
            "pair_recall",
            "pair_f1",
            "adjusted_rand_index",
            "coverage",
        ):
            unknown = measure == "pair_precision" and split == "dev"
            yield (
                "rpt_key_point_check",
                {
                    "analysis_id": ANALYSIS,
                    "split": split,
                    "measure": measure,
                    "n": 102,
                    "n_units": 102,
                    **band("estimate", None if unknown else 0.8, 0.07),
                    "undefined_reason": "no two sentences are under one key point"
                    if unknown
                    else None,
                },
            )


def _of_judge(judge: str, said: dict[str, str], strange: str) -> Iterator[Row]:
    about: dict[str, Any] = {"analysis_id": ANALYSIS, "judge_id": judge}
    silent = judge == SILENT
    reason = _EMPTY if silent else None
    n = 0 if silent else 60
    for place, (name, text) in enumerate(said.items()):
        share = None if silent else 0.4 - 0.06 * place
        yield (
            "rpt_key_points",
            {
                **about,
                "key_point_id": name,
                "polarity": name.split("/")[0],
                "key_point": text,
                "polarity_rank": int(name[-1]),
                "sentence_count": round(n * (share or 0)),
                "n_sentences": 3 * n,
                **band("sentence_share", share and share / 3, 0.01),
                "justification_count": round(n * (share or 0)),
                "n_justifications": n,
                **band("justification_share", share, 0.05),
                "n_units": 12,
                "undefined_reason": reason,
            },
        )
    yield (
        "rpt_key_point_coverage",
        {
            **about,
            "n_justifications": 72,
            "sentences_count": n,
            "empty_count": 72 - n,
            "score_only_count": 0,
            "other_language_count": 0,
            "too_long_count": 0,
            "rephrasing_failed_count": 0,
            "n_sentences": 3 * n,
            "removed_neutral_count": n,
            "removed_no_words_count": 0,
            "removed_too_long_count": 0,
            "removed_polarity_unreadable_count": 0,
            "n_held": 2 * n,
            "candidate_count": n,
            "matched_count": n,
            **band("matched_share", None if silent else 0.5, 0.1),
            **band("pro_share", None if silent else 0.4, 0.1),
            **band("con_share", None if silent else 0.3, 0.1),
            **band("neutral_share", None if silent else 0.3, 0.1),
            **band("positive_share", None if silent else 0.55, 0.1),
            **band("unexplained_share", None if silent else 0.2, 0.1),
            "unexplained_count": n // 5,
            "n_units": 12,
            "undefined_reason": reason,
            "polarity_undefined_reason": reason,
            "positive_undefined_reason": reason,
        },
    )
    for at, (name, quality) in enumerate(SOURCES.items()):
        source = f"{strange} {at}" if strange else name
        positive = None if silent or at == 2 else quality / 6
        yield (
            "rpt_justification_polarity",
            {
                **about,
                "source": source,
                "n_justifications": 12,
                "n_explained": n // 6,
                "positive_count": 5,
                "n_matched": 0 if positive is None else 30,
                "n_units": 10,
                **band("positive_share", positive, 0.1),
                "n_scored_items": 0 if judge == "all" else 12,
                "undefined_reason": "no sentence on this source is under a key point"
                if positive is None
                else None,
                **band("mean_score", None if judge == "all" else quality, 0.3),
            },
        )
        groups: list[tuple[str, str, str | None, int | None]] = [
            (one, "key_point", said[one], int(one[-1])) for one in said if one != "pro/4"
        ]
        groups += [(one, one.split("/")[0], None, None) for one in ("other/pro", "other/con")]
        for group, kind, point, rank in [*groups, ("none", "none", None, None)]:
            yield (
                "rpt_key_point_by_source",
                {
                    **about,
                    "source": source,
                    "group_id": group,
                    "group_kind": kind,
                    "polarity": None if kind == "none" else "pro" if "pro" in group else "con",
                    "key_point": point,
                    "polarity_rank": rank,
                    "is_drawn": True,
                    "sentence_count": 4,
                    "n_sentences": n // 2,
                    **band("sentence_share", None if silent else 0.125, 0.05),
                    "justification_count": 4,
                    "n_justifications": n // 6,
                    **band("justification_share", None if silent else 0.3, 0.1),
                },
            )
