"""The rows behind the agreement charts, with everything the marts know of them."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dashboard.core.data import Answer
from dashboard.core.labels import HUMAN, interval, judge_name
from dashboard.core.widgets import COEFFICIENT, table


def kappa_table(answer: Answer) -> None:
    """Show the rows behind the kappa chart."""
    kappas = answer.frame
    table(
        pd.DataFrame(
            {
                **_who(kappas),
                "mean κ": kappas["mean_kappa"],
                "95 % interval": _intervals(kappas, "kappa_low", "kappa_high"),
                "against people": kappas["kappa_minus_human"],
                "its interval": _intervals(
                    kappas, "kappa_minus_human_low", "kappa_minus_human_high"
                ),
                "median κ": kappas["median_kappa"],
                "as in the released program": kappas["mean_kappa_released"],
                "pairs of people": kappas["pair_count"],
                "speeches per pair": kappas["mean_support"],
                "people": kappas["n_units"],
                "answers": kappas["n_answers"],
                "unparsed": kappas["unparsed_count"],
                "not answered": kappas["unanswered_count"],
                "undefined pairs": kappas["undefined_pair_count"],
                "pairs dropped": kappas["dropped_pair_count"],
                "why unknown": kappas["undefined_reason"],
            }
        ),
        formats={
            **dict.fromkeys(
                ("mean κ", "against people", "median κ", "as in the released program"), COEFFICIENT
            ),
            "speeches per pair": "%.1f",
        },
        raw=answer,
        name="rater_agreement",
    )


def tau_c_table(answer: Answer) -> None:
    """Show the rows behind the tau-c chart, with the other correlations."""
    ranks = answer.frame
    table(
        pd.DataFrame(
            {
                **_who(ranks),
                "τ-c": ranks["tau_c"],
                "95 % interval": _intervals(ranks, "tau_c_low", "tau_c_high"),
                "on people's speeches": ranks["tau_c_on_human_items"],
                "against one person": ranks["tau_c_minus_human"],
                "its interval": _intervals(
                    ranks, "tau_c_minus_human_low", "tau_c_minus_human_high"
                ),
                "τ-b": ranks["tau_b"],
                "Spearman": ranks["spearman"],
                "Pearson": ranks["pearson"],
                "speeches": ranks["n_items"],
                "motions": ranks["n_units"],
                "answers": ranks["n_answers"],
                "unparsed": ranks["unparsed_count"],
                "not answered": ranks["unanswered_count"],
                "why unknown": ranks["undefined_reason"],
            }
        ),
        formats=dict.fromkeys(
            ("τ-c", "on people's speeches", "against one person", "τ-b", "Spearman", "Pearson"),
            COEFFICIENT,
        ),
        raw=answer,
        name="rank_agreement",
    )


def _who(frame: pd.DataFrame) -> dict[str, Any]:
    return {
        "judge": [judge_name(one) for one in frame["judge_id"]],
        "prompt": [None if one == HUMAN else one for one in frame["template"]],
    }


def _intervals(frame: pd.DataFrame, low: str, high: str) -> list[str | None]:
    return [
        interval(start, end) or None for start, end in zip(frame[low], frame[high], strict=True)
    ]
