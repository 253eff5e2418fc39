"""The rows behind the agreement charts, with everything the marts know of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dashboard.core.data import Answer
from dashboard.core.labels import HUMAN, interval, judge_name
from dashboard.core.tables import Value, columns_behind
from dashboard.core.widgets import BEHIND, COEFFICIENT, table

# What stands under the headings, for what they say on hover.
_OF_BOTH: Mapping[str, Value] = {
    "answers": "n_answers",
    "unparsed": "unparsed_count",
    "not answered": "unanswered_count",
    "why unknown": "undefined_reason",
}
_OF_KAPPAS: Mapping[str, Value] = {
    "mean κ": "mean_kappa",
    "95 % interval": "kappa_low",
    "against people": "kappa_minus_human",
    "its interval": "kappa_minus_human_low",
    "median κ": "median_kappa",
    "as in the released program": "mean_kappa_released",
    "pairs of people": "pair_count",
    "speeches per pair": "mean_support",
    "people": "n_units",
    "undefined pairs": "undefined_pair_count",
    "pairs dropped": "dropped_pair_count",
    **_OF_BOTH,
}
_OF_RANKS: Mapping[str, Value] = {
    "τ-c": "tau_c",
    "95 % interval": "tau_c_low",
    "on people's speeches": "tau_c_on_human_items",
    "against one person": "tau_c_minus_human",
    "its interval": "tau_c_minus_human_low",
    "τ-b": "tau_b",
    "Spearman": "spearman",
    "Pearson": "pearson",
    "speeches": "n_items",
    "motions": "n_units",
    **_OF_BOTH,
}


def kappa_table(answer: Answer) -> None:
    """Show the rows behind the kappa chart."""
    kappas = answer.frame
    shown = pd.DataFrame(
        {
            **_who(kappas),
            "mean κ": kappas["mean_kappa"],
            "95 % interval": _intervals(kappas, "kappa_low", "kappa_high"),
            "against people": kappas["kappa_minus_human"],
            "its interval": _intervals(kappas, "kappa_minus_human_low", "kappa_minus_human_high"),
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
    )
    shown.attrs[BEHIND] = columns_behind(_OF_KAPPAS)
    table(
        shown,
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
    shown = pd.DataFrame(
        {
            **_who(ranks),
            "τ-c": ranks["tau_c"],
            "95 % interval": _intervals(ranks, "tau_c_low", "tau_c_high"),
            "on people's speeches": ranks["tau_c_on_human_items"],
            "against one person": ranks["tau_c_minus_human"],
            "its interval": _intervals(ranks, "tau_c_minus_human_low", "tau_c_minus_human_high"),
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
    )
    shown.attrs[BEHIND] = columns_behind(_OF_RANKS)
    table(
        shown,
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
