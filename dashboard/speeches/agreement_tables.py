"""The rows behind the agreement charts, with everything the marts know of them."""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import HUMAN, interval, judge_name
from dashboard.core.tables import Column, Of, formed, listing
from dashboard.core.widgets import COEFFICIENT

_WHO: Mapping[str, Column] = {
    "judge": lambda row: judge_name(row["judge_id"]),
    "prompt": lambda row: None if row["judge_id"] == HUMAN else row["template"],
}
_ANSWERS: Mapping[str, Column] = {
    "answers": "n_answers",
    "unparsed": "unparsed_count",
    "not answered": "unanswered_count",
}


def _ends(low: str, high: str) -> Of:
    """Return an interval by the columns of its ends; the lower explains the heading."""

    def show(row: Row) -> str | None:
        return interval(row[low], row[high]) or None

    return Of(low, show)


_KAPPAS: Mapping[str, Column] = {
    **_WHO,
    "mean κ": formed("mean_kappa", COEFFICIENT),
    "95 % interval": _ends("kappa_low", "kappa_high"),
    "against people": formed("kappa_minus_human", COEFFICIENT),
    "its interval": _ends("kappa_minus_human_low", "kappa_minus_human_high"),
    "median κ": formed("median_kappa", COEFFICIENT),
    "as in the released program": formed("mean_kappa_released", COEFFICIENT),
    "pairs of people": "pair_count",
    "speeches per pair": formed("mean_support", "%.1f"),
    "people": "n_units",
    **_ANSWERS,
    "undefined pairs": "undefined_pair_count",
    "pairs dropped": "dropped_pair_count",
    "why unknown": "undefined_reason",
}
_RANKS: Mapping[str, Column] = {
    **_WHO,
    "τ-c": formed("tau_c", COEFFICIENT),
    "95 % interval": _ends("tau_c_low", "tau_c_high"),
    "on people's speeches": formed("tau_c_on_human_items", COEFFICIENT),
    "against one person": formed("tau_c_minus_human", COEFFICIENT),
    "its interval": _ends("tau_c_minus_human_low", "tau_c_minus_human_high"),
    "τ-b": formed("tau_b", COEFFICIENT),
    "Spearman": formed("spearman", COEFFICIENT),
    "Pearson": formed("pearson", COEFFICIENT),
    "speeches": "n_items",
    "motions": "n_units",
    **_ANSWERS,
    "why unknown": "undefined_reason",
}


def kappa_table(answer: Answer) -> None:
    """Show the rows behind the kappa chart."""
    listing(answer.rows, _KAPPAS, raw=answer, name="rater_agreement")


def tau_c_table(answer: Answer) -> None:
    """Show the rows behind the tau-c chart, with the other correlations."""
    listing(answer.rows, _RANKS, raw=answer, name="rank_agreement")
