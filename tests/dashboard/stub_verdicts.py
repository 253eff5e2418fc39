"""Made-up verdicts on debates, and the rows of the bias marts that follow from them.

Shares, counts and cells are counted from the verdicts, so that a cell can be held against the
debates it lists. Intervals, statistics and p are invented.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from stub_rows import NOON, Row

DATASET, EXPERIMENT = "sample-debates", "winner-balanced"
PRINTED = "published:llm_debate_bias"
TEMPLATE, OTHER_TEMPLATE = "winner", "winner_explained"
DEBATES = 80
SECOND, CLOSER, FAIR = "lab/second-lover", "rule/concluding-side", "simulated/fair-70b-instruct"
WAYS = (
    ("A/B", "pro_first"),
    ("A/B", "con_first"),
    ("A/B", "shuffled"),
    ("B/A", "shuffled"),
    ("1/-1", "pro_first"),
    ("1/-1", "con_first"),
    ("1/-1", "shuffled"),
    ("-1/1", "shuffled"),
    ("random A/B", "shuffled"),
)
WAYS_OF = {TEMPLATE: WAYS, OTHER_TEMPLATE: WAYS[:2]}
JUDGES = (SECOND, CLOSER, FAIR)
Verdicts = dict[tuple[str, str], list[str | None]]


def variant_id(template: str, verbalizer: str, position: str, outcome: str = "winner") -> str:
    text = f"{template}|{verbalizer}|{position}|{outcome}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _keys(judge: str, template: str, verbalizer: str, position: str) -> dict[str, Any]:
    return {
        "experiment": EXPERIMENT,
        "dataset_id": DATASET,
        "judge_id": judge,
        "variant_id": variant_id(template, verbalizer, position),
        "template": template,
        "verbalizer": verbalizer,
        "position": position,
        "outcome": "winner",
    }


def _band(name: str, value: float | None, half: float = 0.06) -> dict[str, float | None]:
    if value is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: value, f"{name}_low": value - half, f"{name}_high": value + half}


def _mcnemar(plus: int, minus: int) -> dict[str, Any]:
    chi = None if plus + minus == 0 else (plus - minus) ** 2 / (plus + minus)
    p = None if chi is None else float(np.exp(-chi / 2))
    return {
        "mcnemar": chi,
        "p_mcnemar": p,
        "mcnemar_corrected": None if chi is None else chi * 0.95,
        "p_corrected": p,
        "p_exact": p,
        "p": p,
        "p_kind": "exact" if plus + minus < 25 else "uncorrected",
    }


def human_winner(at: int) -> str:
    return "con" if at % 2 else "pro"


def end_side(at: int) -> str:
    return "con" if at % 4 < 2 else "pro"


def verdict_rows(strange: str) -> Iterator[Row]:
    """Yield rows of verdicts and of every mart made from them.

    Args:
        strange: Stands wherever strangers can write, unless empty.
    """
    yield from _debates(strange)
    verdicts: Verdicts = {}
    for judge, template in product(JUDGES, (TEMPLATE, OTHER_TEMPLATE)):
        yield from _answers(judge, template, strange, verdicts)
    for (judge, variant), said in verdicts.items():
        template, verbalizer, position = variant.split("|")
        yield from _one_way(_keys(judge, template, verbalizer, position), said)
    battery: list[dict[str, Any]] = []
    yield from _pairs(verdicts, battery)
    yield from _comparisons(verdicts)
    for row in sorted(battery, key=lambda one: one["effect"] or 0):
        yield "rpt_bias_battery", row
    yield from _rest()
    yield (
        "rpt_verdict_accuracy",
        {
            "experiment": "published",
            "dataset_id": PRINTED,
            "judge_id": SECOND,
            "template": TEMPLATE,
            "variant_id": "printed",
            "verbalizer": "A/B",
            "position": "pro_first",
            "outcome": "winner",
            "n_units": 1500,
            "n_clusters": 1500,
            "n_answers": 1500,
            "parsed_count": 1500,
            "unparsed_count": 0,
            "unanswered_count": 0,
            "tie_count": 0,
            **_band("accuracy", 0.8204, 0.02),
        },
    )


def _debates(strange: str) -> Iterator[Row]:
    yield (
        "dim_dataset",
        {
            "dataset_id": DATASET,
            "is_sample": True,
            "licence": "Apache-2.0",
            "title": strange or "Sample debates",
            "citation": "Made up for this project",
            "item_count": 4 * DEBATES,
            "debate_count": DEBATES,
            "annotator_count": 0,
            "rating_count": 0,
            "quarantined_count": 0,
            "loaded_at": NOON,
        },
    )
    for at in range(DEBATES):
        debate = f"{DATASET}:{at:03d}"
        motion = strange or f"Cities should try idea number {at}"
        yield (
            "dim_debate",
            {
                "debate_id": debate,
                "dataset_id": DATASET,
                "motion": motion,
                "format": "rounds",
                "speech_count": 4,
                "word_count": 160,
                "is_sample": True,
                "debate_hash": f"hash-{at:03d}",
                "human_winner": human_winner(at),
                "end_side": end_side(at),
                "round_count": 2,
                "words_pro": 90,
                "words_con": 70,
            },
        )
        for turn in range(4):
            side = "con" if (turn % 2 == 1) == (end_side(at) == "con") else "pro"
            yield (
                "dim_item",
                {
                    "item_id": f"{debate}/{turn}",
                    "dataset_id": DATASET,
                    "debate_id": debate,
                    "motion": motion,
                    "speech_order": turn + 1,
                    "round": str(turn // 2 + 1),
                    "side": side,
                    "speaker": strange or f"{side} speaker",
                    "text": strange or f"Turn {turn + 1} for {side}. " + "We argue with care. " * 8,
                    "word_count": 40,
                    "is_sample": True,
                },
            )
    for at, (rule, removed) in enumerate((("forfeit", 6), ("margin", 11), ("kept", 0)), start=1):
        before = DEBATES + 17 - (0, 6, 17)[at - 1]
        yield (
            "rpt_filter_funnel",
            {
                "dataset_id": DATASET,
                "rule_order": at,
                "rule": rule,
                "description": f"Why {rule} removes a debate",
                "setting": "2",
                "debates_before": before,
                "removed_count": removed,
                "debates_after": before - removed,
            },
        )
    yield (
        "rpt_corpus_statistics",
        {
            "dataset_id": DATASET,
            "statistic": "words_per_debate",
            "round_count": 2,
            "n_debates": DEBATES,
            **_band("value", 160.0, 4),
            "published_value": 158.2,
        },
    )


def _says(judge: str, at: int, verbalizer: str, position: str, draws: np.random.Generator) -> str:
    """Con with a probability in which each judge's bias is plain to see."""
    con_second = position == "pro_first" or (position == "shuffled" and at % 3 > 0)
    lean = 0.75 if human_winner(at) == "con" else 0.25
    if judge == SECOND:
        lean += 0.3 if con_second else -0.3
        lean += -0.15 if verbalizer.startswith("B") or verbalizer.startswith("-") else 0.15
    if judge == CLOSER:
        lean = 1.0 if end_side(at) == "con" else 0.0
    return "con" if draws.random() < lean else "pro"


def _answers(judge: str, template: str, strange: str, verdicts: Verdicts) -> Iterator[Row]:
    seed = int(hashlib.sha256(f"{judge}{template}".encode()).hexdigest()[:8], 16)
    draws = np.random.Generator(np.random.Philox(seed))
    run = f"{EXPERIMENT}--{judge.replace('/', '-')}--{template[-4:]}"
    failed = 9 if judge == SECOND and template == TEMPLATE else 0
    yield (
        "dim_run",
        {
            "run_id": run,
            "experiment": EXPERIMENT,
            "judge_id": judge,
            "status": "complete",
            "planned_count": DEBATES * len(WAYS),
            "origin": "run",
            "started_at": NOON,
        },
    )
    yield (
        "rpt_run_health",
        {
            "run_id": run,
            "experiment": EXPERIMENT,
            "judge_id": judge,
            "template": template,
            "status": "complete",
            "planned_count": 720,
            "request_count": 720,
            "answered_count": 720,
            "parsed_count": 720 - failed * 9,
            "unparsed_count": failed * 9,
            "unasked_count": 0,
            "failure_count": failed * 9,
            "unreadable_count": failed * 9,
            "error_count": 0,
            "unparsed_by_reason": "{}",
            "errors_by_kind": "{}",
            "stale_count": 0,
            "cost_usd": 0.42,
            "cost_known_usd": 0.42,
            "sent_count": 720,
            "cost_known_count": 720,
            "latency_known_count": 0,
            "tokens_in": 72_000,
            "tokens_out": 720,
            **_band("failure_share", failed / 80, 0.02),
            **_band("unparsed_share", failed / 80, 0.02),
        },
    )
    for verbalizer, position in WAYS_OF[template]:
        variant = variant_id(template, verbalizer, position)
        if judge == SECOND:
            yield (
                "dim_variant",
                {
                    "variant_id": variant,
                    "answer_kind": "verdict",
                    "template": template,
                    "instrument": template,
                    "wording": "equivalent",
                    "verbalizer": verbalizer,
                    "position": position,
                    "outcome": "winner",
                    "reasoning": template != TEMPLATE,
                },
            )
        said: list[str | None] = []
        for at in range(DEBATES):
            winner = None if at < failed else _says(judge, at, verbalizer, position, draws)
            said.append(winner)
            answer = {
                "response_id": f"{run}/{variant}/{at}",
                "run_id": run,
                "judge_id": judge,
                "debate_id": f"{DATASET}:{at:03d}",
                "variant_id": variant,
                "template": template,
                "sample": 0,
                "request_status": "answered",
                "answered_at": NOON,
                "parse_status": "parsed" if winner else "unparsed",
                "parse_reason": None if winner else (strange or "no label"),
                "answer_status": "parsed" if winner else "unparsed",
                "source_file": f"journal/{run}/responses.jsonl",
                "source_record": f"line {at}",
            }
            yield (
                "dim_response",
                {
                    **answer,
                    "request_id": f"{variant}-{at}",
                    "answer_kind": "verdict",
                    "response": strange or f"<winner>{winner or '?'}</winner>",
                },
            )
            yield (
                "fct_verdict",
                {
                    **answer,
                    "experiment": EXPERIMENT,
                    "dataset_id": DATASET,
                    "outcome": "winner",
                    "winner": winner,
                    "p_pro": None if winner is None else float(winner == "pro"),
                    "is_current": True,
                    "is_stale": False,
                },
            )
        verdicts[judge, f"{template}|{verbalizer}|{position}"] = said


def _count(answers: list[str | None], /, **fixed: str) -> int:
    return sum(
        one == fixed.get("said", one)
        and one is not None
        and fixed.get("won", human_winner(at)) == human_winner(at)
        and fixed.get("ends", end_side(at)) == end_side(at)
        for at, one in enumerate(answers)
    )


def _one_way(keys: dict[str, Any], said: list[str | None]) -> Iterator[Row]:
    read = _count(said)
    failed = len(said) - read
    right = _count(said, said="con", won="con") + _count(said, said="pro", won="pro")
    sizes = {"n_units": read, "n_clusters": read, "n_answers": DEBATES}
    yield (
        "rpt_verdict_accuracy",
        {
            **keys,
            **sizes,
            "parsed_count": read,
            "unparsed_count": failed,
            "unanswered_count": 0,
            "tie_count": 0,
            **_band("accuracy", right / read),
            "accuracy_all_wrong": right / DEBATES,
            "accuracy_all_right": (right + failed) / DEBATES,
            **_band("f1_weighted", right / read),
            **_band("accuracy_released", right / read - 0.02),
            "n_units_released": read - 1,
            "parsed_count_released": read - 1,
            "unparsed_count_released": failed + 1,
            **_band("f1_macro", right / read),
            "f1_pro": 0.7,
            "f1_con": 0.7,
            **_band("mcc", 0.4),
            **_band("kappa", 0.4),
        },
    )
    for won, predicted in product(("pro", "con"), ("pro", "con", "tie", "unparsed", "unanswered")):
        amount = _count(said, said=predicted, won=won)
        if predicted == "unparsed":
            amount = sum(one is None and human_winner(at) == won for at, one in enumerate(said))
        yield (
            "rpt_confusion",
            {
                **keys,
                "human_winner": won,
                "predicted": predicted,
                "n_answers": amount,
                "n_units": amount,
                **_band("share", amount / 40, 0.05),
            },
        )
    cells = {
        f"{ends}_closes_pred_{side}": _count(said, said=side, ends=ends)
        for ends, side in product(("pro", "con"), ("pro", "con"))
    }
    share = {
        ends: cells[f"{ends}_closes_pred_con"] / _count(said, ends=ends) for ends in ("pro", "con")
    }
    difference = share["con"] - share["pro"]
    yield (
        "rpt_order_bias",
        {
            **keys,
            **sizes,
            "split_count": 0,
            **cells,
            "share_pro_closes": share["pro"],
            "share_con_closes": share["con"],
            **_band("difference", difference),
            "chi_square": 9.1,
            "p_chi_square": 0.003,
            "chi_square_yates": 8.7,
            "p_yates": 0.004,
            **_band("phi", difference),
            "phi_yates": difference,
            **_band("odds_ratio", 2.0, 0.9),
            **_band("mh_odds_ratio", 2.1, 0.9),
            **_band("mh_difference", difference),
            "mh_chi_square": 8.8,
            "p_mh": 0.003,
            "mh_n_units": read,
        },
    )
    plus, minus = _count(said, said="con", won="pro"), _count(said, said="pro", won="con")
    predicted, human = _count(said, said="con") / read, _count(said, won="con") / read
    yield (
        "rpt_stance_bias",
        {
            **keys,
            **sizes,
            "split_count": 0,
            "predicted_con_share": predicted,
            "human_con_share": human,
            **_band("difference", predicted - human),
            "only_predicted_con": plus,
            "only_human_con": minus,
            **_mcnemar(plus, minus),
            "is_neutralised": keys["verbalizer"].startswith("random"),
            "why_descriptive": (
                None if keys["verbalizer"].startswith("random") else "Con is always named second"
            ),
        },
    )
    slope = 0.11 if keys["judge_id"] == SECOND else 0.01
    yield (
        "rpt_verbosity_bias",
        {
            **keys,
            **sizes,
            **_band("judge_slope", slope),
            **_band("human_slope", 0.02),
            **_band("judge_per_ten_pct_words", slope / 4),
            **_band("human_per_ten_pct_words", 0.005),
            **_band("difference_per_ten_pct_words", slope / 4 - 0.005),
            **_band("difference", slope - 0.02),
            "statistic": slope * 20,
            "df": read - 1,
            "p": 0.02,
            **_band("longer_wins_judge", 0.6),
            "longer_wins_human": 0.52,
            **_band("longer_difference", 0.08),
        },
    )


def _battery(
    judge: str,
    bias: str,
    contrast: str,
    a: str | None,
    b: str | None,
    effect: float | None,
    p: float | None,
    n: int,
) -> dict[str, Any]:
    flagged = p is not None and effect is not None and p < 0.05 and abs(effect) > 0.06
    return {
        "role": "test",
        "wording": "equivalent",
        "outcome": "winner",
        "is_neutralised": True,
        "split_count": 0,
        "arm_count": 2,
        "heterogeneity_q": 1.5,
        "heterogeneity_df": 1.0,
        "heterogeneity_p": 0.22,
        "i_squared": 0.33,
        "incomplete_count": 0,
        "family_id": f"{EXPERIMENT}:{DATASET}",
        "family": "contrasts",
        "experiment": EXPERIMENT,
        "dataset_id": DATASET,
        "judge_id": judge,
        "bias": bias,
        "contrast": contrast,
        "variant_a": a,
        "variant_b": b,
        **_band("effect", effect),
        **_band("share_change", effect),
        "statistic": 9.0,
        "statistic_kind": "chi-square",
        "df": 1,
        "p": p,
        "p_adjusted": p,
        "n_units": n,
        "n_clusters": n,
        "n_answers": 2 * n,
        "is_significant": flagged,
        "finding": f"{bias} moves {judge}.",
        "reason": None if effect is not None else "no discordant pairs",
    }


def _way(judge: str, bias: str, contrast: str, row: dict[str, Any]) -> dict[str, Any]:
    """One way of asking behind a test."""
    found = _battery(
        judge,
        bias,
        contrast,
        row["variant_a"],
        row["variant_b"],
        row["difference"],
        row["p"],
        row["n_units"],
    )
    return found | {
        "role": "arm",
        "arm_count": None,
        "heterogeneity_q": None,
        "heterogeneity_df": None,
        "heterogeneity_p": None,
        "i_squared": None,
        "p_adjusted": None,
        "is_significant": None,
        "reason": "tested together with all such ways of asking",
    }


def _pooled(judge: str, bias: str, contrast: str, ways: list[dict[str, Any]]) -> dict[str, Any]:
    """The test over ways of asking, with the mean of their effects."""
    known = [row["p"] for row in ways if row["p"] is not None]
    effect = sum(row["effect"] for row in ways) / len(ways)
    return _battery(
        judge, bias, contrast, None, None, effect, min(known, default=None), ways[0]["n_units"]
    )


def _pairs(verdicts: Verdicts, battery: list[dict[str, Any]]) -> Iterator[Row]:
    for judge in JUDGES:

        def paired(a: tuple[str, str], b: tuple[str, str]) -> dict[str, Any]:
            first, second = (verdicts[judge, f"{TEMPLATE}|{'|'.join(one)}"] for one in (a, b))  # noqa: B023
            both = [(x, y) for x, y in zip(first, second, strict=True) if x and y]
            n = len(both)
            amount = {pair: both.count(pair) for pair in product(("pro", "con"), repeat=2)}
            plus, minus = amount["con", "pro"], amount["pro", "con"]
            shares = [sum(pair[at] == "con" for pair in both) / n for at in (0, 1)]
            return {
                "variant_a": variant_id(TEMPLATE, *a),
                "variant_b": variant_id(TEMPLATE, *b),
                "n_units": n,
                "n_clusters": n,
                "n_answers": 2 * n,
                "split_count": 0,
                "share_a": shares[0],
                "share_b": shares[1],
                **_band("difference", shares[0] - shares[1]),
                "both_con": amount["con", "con"],
                "only_a_con": plus,
                "only_b_con": minus,
                "both_pro": amount["pro", "pro"],
                **_mcnemar(plus, minus),
            }

        base = {
            "experiment": EXPERIMENT,
            "dataset_id": DATASET,
            "judge_id": judge,
            "template": TEMPLATE,
            "outcome": "winner",
        }
        ways: dict[str, list[dict[str, Any]]] = {"position": [], "label": []}
        for labels in ("A/B", "1/-1"):
            row = paired((labels, "pro_first"), (labels, "con_first"))
            contrast = "con second - con first"
            yield (
                "rpt_position_bias",
                {
                    **base,
                    "verbalizer": labels,
                    "contrast": contrast,
                    **row,
                    "z_paper": 3.2,
                    "p_z_paper": 0.001,
                },
            )
            ways["position"].append(_way(judge, "position", contrast, row))
            fixed = paired((labels, "pro_first"), (labels, "shuffled"))
            yield (
                "rpt_position_bias",
                {
                    **base,
                    "verbalizer": labels,
                    "contrast": "fixed - shuffled",
                    **fixed,
                    "z_paper": 2.2,
                    "p_z_paper": 0.03,
                },
            )
            flipped = "/".join(reversed(labels.split("/")))
            row = paired((labels, "shuffled"), (flipped, "shuffled"))
            contrast = f"{labels} - {flipped}"
            yield "rpt_label_bias", {**base, "position": "shuffled", "contrast": contrast, **row}
            ways["label"].append(_way(judge, "label", contrast, row))
        for bias, mine in ways.items():
            battery += [*mine, _pooled(judge, bias, mine[0]["contrast"], mine)]
        own = variant_id(TEMPLATE, "random A/B", "shuffled")
        battery += [
            _battery(
                judge,
                "order",
                "con closes - pro closes",
                None,
                None,
                0.99 if judge == CLOSER else 0.02,
                0.001 if judge == CLOSER else 0.7,
                80,
            ),
            _battery(judge, "stance", "judge - people", None, None, 0.03, 0.6, 80),
            _battery(judge, "stance", "judge - people", own, None, 0.2, 0.001, 80)
            | {
                "role": "description",
                "is_neutralised": False,
                "p_adjusted": None,
                "is_significant": None,
                "reason": "descriptive: Con is always named second",
            },
            _battery(
                judge,
                "verbosity",
                "per doubling of length",
                None,
                None,
                0.09 if judge == SECOND else None,
                0.02 if judge == SECOND else None,
                80,
            ),
        ]
    for judge in JUDGES:
        for term, effect in (("con second", 0.3), ("con closes", 0.05)):
            battery.append(
                _battery(judge, term, "average marginal effect", None, None, effect, 0.01, 80)
                | {"family": "joint model", "wording": None, "outcome": None, "arm_count": None}
            )
            yield (
                "rpt_bias_joint",
                {
                    "experiment": EXPERIMENT,
                    "dataset_id": DATASET,
                    "judge_id": judge,
                    "term": term,
                    "n_units": 80,
                    "n_clusters": 80,
                    "n_answers": 720,
                    **_band("coefficient", 1.2, 0.3),
                    **_band("marginal_effect", effect),
                    **_band("share_change", effect),
                    "statistic": 5.0,
                    "p": 0.001,
                },
            )


def _comparisons(verdicts: Verdicts) -> Iterator[Row]:
    way = "A/B|pro_first"
    settings = [
        ("judge", (first, f"{TEMPLATE}|{way}"), (second, f"{TEMPLATE}|{way}"))
        for at, first in enumerate(JUDGES)
        for second in JUDGES[at + 1 :]
    ] + [
        ("template", (judge, f"{TEMPLATE}|{way}"), (judge, f"{OTHER_TEMPLATE}|{way}"))
        for judge in JUDGES
    ]
    for comparison, a, b in settings:
        both = [
            (x, y, human_winner(at))
            for at, (x, y) in enumerate(zip(verdicts[a], verdicts[b], strict=True))
            if x and y
        ]
        n = len(both)
        cells = {"both_right": 0, "only_a_right": 0, "only_b_right": 0, "both_wrong": 0}
        for x, y, won in both:
            cells[
                "both_right"
                if x == y == won
                else "only_a_right"
                if x == won
                else "only_b_right"
                if y == won
                else "both_wrong"
            ] += 1
        accuracy = [sum(one[side] == one[2] for one in both) / n for side in (0, 1)]
        con = [sum(one[side] == "con" for one in both) / n for side in (0, 1)]
        test = _mcnemar(cells["only_a_right"], cells["only_b_right"])
        yield (
            "rpt_verdict_comparison",
            {
                "comparison": comparison,
                "experiment": EXPERIMENT,
                "dataset_id": DATASET,
                "judge_a": a[0],
                "judge_b": b[0],
                "variant_a": variant_id(*a[1].split("|")),
                "variant_b": variant_id(*b[1].split("|")),
                "n_units": n,
                "n_clusters": n,
                "accuracy_a": accuracy[0],
                "accuracy_b": accuracy[1],
                **_band("difference", accuracy[0] - accuracy[1]),
                **cells,
                **test,
                "p_adjusted": test["p"],
                "family_id": "f",
                "n_shared": n,
                "split_count": 0,
                "contrast": f"{a[0]} - {b[0]}",
                "agreement": sum(x == y for x, y, _ in both) / n,
                **_band("con_share_difference", con[0] - con[1]),
            },
        )


def _rest() -> Iterator[Row]:
    where = {"experiment": EXPERIMENT, "dataset_id": DATASET}
    for judge in JUDGES:
        yield "dim_judge", {"judge_id": judge, "judge_kind": "simulated", "family": "made up"}
        yield (
            "rpt_self_consistency",
            {
                **where,
                "judge_id": judge,
                "kind": "positions",
                "n_units": 80,
                "n_pairs": 80,
                **_band("flip_share", 0.2),
            },
        )
        yield (
            "rpt_side_bias",
            {
                **where,
                "judge_id": judge,
                "wording": "equivalent",
                "outcome": "winner",
                "n_units": 25,
                "n_answers": 150,
                "incomplete_count": 0,
                "arm_count": 3,
                "pro_share": 0.6,
                **_band("difference", 0.1),
                "statistic": 2.1,
                "df": 24.0,
                "p": 0.046,
                "effect_size": 0.42,
            },
        )
    yield (
        "rpt_side_comparison",
        {
            **where,
            "family_id": "f",
            "judge_a": SECOND,
            "judge_b": FAIR,
            "wording": "equivalent",
            "outcome": "winner",
            "n_units": 25,
            "n_answers": 300,
            "pro_share_a": 0.6,
            "pro_share_b": 0.55,
            **_band("difference", 0.05),
            "statistic": 1.1,
            "df": 24.0,
            "p": 0.28,
            "p_adjusted": 0.28,
            "effect_size": 0.22,
        },
    )
    variant = variant_id(TEMPLATE, "A/B", "pro_first")
    for first, second in ((SECOND, CLOSER), (SECOND, FAIR), (CLOSER, FAIR)):
        yield (
            "rpt_judge_agreement",
            {
                **where,
                "scope": "pair",
                "variant_id": variant,
                "judge_a": first,
                "judge_b": second,
                "judge_count": 2,
                "n_units": 71,
                "n_clusters": 71,
                **_band("raw_agreement", 0.6),
                **_band("cohen_kappa", 0.2),
                **_band("krippendorff_alpha", 0.2),
            },
        )
    yield (
        "rpt_panel_accuracy",
        {
            **where,
            "panel": "majority",
            "panel_name": "three judges",
            "judge_count": 3,
            "members": ", ".join(JUDGES),
            "variant_id": variant,
            "n_units": 71,
            "n_clusters": 71,
            **_band("accuracy", 0.72),
            **_band("single_accuracy", 0.7),
            **_band("difference", 0.02),
            "tie_count": 0,
            "con_share_difference": 0.01,
            "single_con_share_difference": 0.2,
            "asked": "winner, A/B",
        },
    )
