"""Two judges, or two ways of asking one: who is better, where they differ, what fools them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from dashboard.core.charts import estimates, point
from dashboard.core.data import Answer
from dashboard.core.findings import Finding, Row
from dashboard.core.glossary import meaning
from dashboard.core.labels import (
    HUMAN,
    basis,
    count,
    escape_markdown,
    estimate,
    interval_in,
    is_missing,
    joined,
    number,
    p_value,
    percent,
    plural,
)
from dashboard.core.panels import Panel
from dashboard.core.tables import band, formed, listing, p_of, percent_of
from dashboard.core.widgets import COEFFICIENT, draw_chart, figure, figure_row
from dashboard.debates import battery as verdict_battery
from dashboard.debates import evidence as verdict_evidence
from dashboard.debates import findings as words
from dashboard.debates.labels import BATTERY, effect_in, points, setting_name
from dashboard.debates.queries import Side
from warehouse.reader import Version

PAIRS_DRAWN = 20
FACTORS = ("template", "verbalizer", "position", "outcome")
_AXIS = "accuracy of the first minus the second, percentage points (right = the first is better)"


class Chosen(NamedTuple):
    """Which two are compared."""

    dataset_id: str
    experiment: str
    comparison: str
    is_sample: bool
    pairs: Answer
    pair: Row


def side_names(row: Row) -> tuple[str, str]:
    """Return what the two sides are called, as plain text."""
    if row["judge_a"] != row["judge_b"]:
        return str(row["judge_a"]), str(row["judge_b"])
    sides = _sides(row)
    differ = [name for name in FACTORS if sides[0][name] != sides[1][name]]
    first, second = (setting_name({name: side[name] for name in differ}) for side in sides)
    return (first, second) if first != second else (f"{first} (1)", f"{second} (2)")


def pair_of_judges(row: Row) -> str:
    """Return who is compared with whom, as plain text."""
    if row["judge_a"] == row["judge_b"]:
        return str(row["judge_a"])
    return f"{row['judge_a']} against {row['judge_b']}"


def _sides(row: Row) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return how each side was asked."""
    first, second = ({name: row[f"{name}_{part}"] for name in FACTORS} for part in ("a", "b"))
    return first, second


def asked(row: Row, several: Mapping[str, bool] | None = None) -> str:
    """Return how the two sides were asked, as plain text.

    Args:
        row: A comparison.
        several: Which of `template` and `outcome` differ in view; without it both are said.
    """
    first, second = (setting_name(side, several=several) for side in _sides(row))
    return first if row["variant_a"] == row["variant_b"] else f"{first} against {second}"


def _same_winner(row: Row, agreement: Sequence[Row]) -> str:
    """Return the interval of how often both name the same winner; known of two asked alike."""
    for one in agreement:
        if one["raw_agreement"] == row["agreement"]:
            return interval_in(one, "raw_agreement", 100)
    return ""


def finding(row: Row, names: tuple[str, str], agreement: Sequence[Row] = ()) -> Finding:
    """Return which side names people's winner more often, in Markdown."""
    first, second = (escape_markdown(one) for one in names)
    same = (
        ""
        if is_missing(row["agreement"])
        else f"They name the same winner in {percent(row['agreement'])} "
        f"{_same_winner(row, agreement) or '(no interval is computed here)'} of "
        f"{plural(int(row['n_shared']), 'debate')} both gave a verdict on."
    )
    if is_missing(row["difference"]):
        reason = "" if is_missing(row["reason"]) else f": {escape_markdown(row['reason'])}"
        return Finding(
            f"{first} and {second} cannot be compared with people's winner{reason}.", same
        )
    clear = not is_missing(row["p_adjusted"]) and row["p_adjusted"] < 0.05
    verb = (
        "names people's winner as often as"
        if not clear
        else "names people's winner more often than"
        if row["difference"] > 0
        else "names people's winner less often than"
    )
    lead = (
        f"{first} {verb} {second}, as far as these debates tell"
        if not clear
        else (f"{first} {verb} {second}")
    )
    return Finding(
        f"{lead}: {percent(row['accuracy_a'])} against {percent(row['accuracy_b'])} of "
        f"{basis(row, 'debate')}, a difference of "
        f"{effect_in(row, 'difference')} "
        f"({p_value(row['p_adjusted'], adjusted=True)}).",
        same,
    )


def figures(row: Row, agreement: Sequence[Row]) -> None:
    """Show the differences of the two sides, and how far they agree beyond chance."""
    shared = _resting_on(row, "n_shared")
    with figure_row():
        figure(
            "Accuracy difference",
            points(row["difference"]),
            joined([interval_in(row, "difference", 100), basis(row, "debate")]),
            meaning("verdict_comparison_difference"),
        )
        figure(
            "Difference in Con",
            points(row["con_share_difference"]),
            joined([interval_in(row, "con_share_difference", 100), shared]),
            meaning("con_share_difference"),
        )
        lead = next((one for one in agreement if not is_missing(one["cohen_kappa"])), None)
        if lead is None:
            figure(
                "Cohen's κ", "–", "known for two judges asked alike only", meaning("cohen_kappa")
            )
            return
        low, high = lead["krippendorff_alpha_low"], lead["krippendorff_alpha_high"]
        value = lead["krippendorff_alpha"]
        alpha = "" if is_missing(value) else f" · α {estimate(value, low, high)}"
        figure(
            "Cohen's κ",
            number(lead["cohen_kappa"]),
            f"{interval_in(lead, 'cohen_kappa')} · {basis(lead, 'debate')}{alpha}",
            meaning("cohen_kappa"),
        )


def _resting_on(row: Row, n: str) -> str:
    """Return on how many debates a difference rests, with clusters where they are of the same."""
    if row[n] != row["n_units"]:
        return plural(int(row[n] or 0), "debate")
    return basis(row, "debate", n=n)


_DIFFERENCES = (
    ("names people's winner", "difference", "n_units"),
    ("names Con", "con_share_difference", "n_shared"),
)


def differences(row: Row, names: tuple[str, str]) -> None:
    """Draw what differs between the two sides, each with its interval."""
    data = [
        {
            "label": f"{what}\n{effect_in(row, column)}, {plural(int(row[n]), 'debate')}",
            "which": "difference",
            **point(row, column, 100),
            "hover": f"{effect_in(row, column)}, {_resting_on(row, n)}",
        }
        for what, column, n in _DIFFERENCES
        if not is_missing(row[column])
    ]
    if not data:
        st.text(f"– no difference is known: {row['reason'] or 'no value'}")
        return
    clear = [
        what
        for what, column, _ in _DIFFERENCES
        if not is_missing(row[f"{column}_low"])
        and (row[f"{column}_low"] > 0 or row[f"{column}_high"] < 0)
    ]
    draw_chart(
        estimates,
        data,
        axis="first minus second, percentage points (right = more with the first)",
        title=(
            f"They differ in how often each {' and '.join(clear)}"
            if clear
            else "No clear difference between the two"
        ),
        note=f"First: {names[0]}. Second: {names[1]}. Lines: 95 % intervals, paired by debate.",
    )


def comparisons(answer: Answer, comparison: str) -> None:
    """Draw and list the same two in every way both were asked."""
    rows = answer.rows
    if len(rows) > 1:
        known = [row for row in rows if not is_missing(row["difference"])][:PAIRS_DRAWN]
        if known:
            clear = [
                row
                for row in known
                if not is_missing(row["p_adjusted"]) and row["p_adjusted"] < 0.05
            ]
            sides = [side for row in known for side in _sides(row)]
            several = {
                name: len({side[name] for side in sides}) > 1 for name in ("template", "outcome")
            }
            draw_chart(
                estimates,
                [
                    {
                        "label": f"{asked(row, several)}\n{effect_in(row, 'difference')}, "
                        f"{plural(int(row['n_units']), 'debate')}",
                        "which": "difference",
                        **point(row, "difference", 100),
                        "hover": f"{effect_in(row, 'difference')}, "
                        f"{p_value(row['p_adjusted'], adjusted=True)}, {basis(row, 'debate')}",
                    }
                    for row in known
                ],
                axis=_AXIS,
                title=(
                    f"Accuracy differs clearly in {len(clear)} of {len(known)} ways of asking"
                    " after correction"
                ),
                note="The same two, compared in every variant that both were asked in.",
            )
    listing(
        rows,
        {
            "asked": asked,
            "difference (pp)": percent_of("difference"),
            "95 % interval": band("difference", 100),
            "adjusted p": p_of("p_adjusted"),
            "p": p_of("p"),
            "which p": "p_kind",
            "accuracy, first (%)": percent_of("accuracy_a"),
            "accuracy, second (%)": percent_of("accuracy_b"),
            "Con, difference (pp)": percent_of("con_share_difference"),
            "its interval": band("con_share_difference", 100),
            "same winner (%)": percent_of("agreement"),
            "debates": "n_units",
            "clusters": "n_clusters",
            "why unknown": "reason",
        },
        raw=answer,
        name=f"comparison_{comparison}",
        tall=(9, 380),
    )


def effects(answer: Answer) -> None:
    """Draw and list the biases of both sides."""
    st.subheader("Do the same things fool them?", anchor=False)
    rows = answer.rows
    if not rows:
        st.markdown("No bias has been tested for the ways of asking that are compared here.")
        return
    st.caption(
        f"{BATTERY.line} Each side's effect has its own interval; where two intervals overlap, the "
        "two may still differ, and the battery has no test of that."
    )
    several = {
        "template": len({row["template"] for row in rows}) > 1,
        "outcome": len({row["outcome"] for row in rows}) > 1,
    }
    verdict_battery.battery(rows, several, title=words.battery_title(rows))
    verdict_battery.battery_table(answer, several)


def splits(page: str, version: Version, chosen: Chosen, names: tuple[str, str]) -> None:
    """Show who is right where, and list the debates of a cell."""
    row = chosen.pair
    st.subheader("Who is right where?", anchor=False)
    first, second = (escape_markdown(one) for one in names)
    opens = {
        "by": row["judge_a"],
        "with": row["judge_b"],
        "a": row["variant_a"],
        "b": row["variant_b"],
    }
    verdict_evidence.contingency(
        page,
        [
            [(f"compare.{cell}", row[cell]) for cell in line]
            for line in (("both_right", "only_a_right"), ("only_b_right", "both_wrong"))
        ],
        [f"{first} right", f"{first} wrong"],
        [f"{second} right", f"{second} wrong"],
        opens,
    )
    if not is_missing(row["difference"]):
        st.markdown(
            f"{plural(int(row['only_a_right']), 'debate')} only the first has right, "
            f"{count(row['only_b_right'])} only the second. If both were equally good, these would "
            f"balance. McNemar's test says: {words.p_words(row)}; "
            f"{p_value(row['p_adjusted'], adjusted=True)} over its family of comparisons. χ² "
            f"{number(row['mcnemar'])} ({p_value(row['p_mcnemar'])}), exact "
            f"{p_value(row['p_exact'])}."
        )
    human = chosen.comparison == HUMAN
    verdict_evidence.opened(
        page,
        version,
        chosen.dataset_id,
        HUMAN if human else chosen.experiment,
        other=chosen.experiment,
        default=(
            "compare.split",
            Side(
                HUMAN if human else chosen.experiment,
                chosen.dataset_id,
                row["judge_a"],
                row["variant_a"],
            ),
            Side(chosen.experiment, chosen.dataset_id, row["judge_b"], row["variant_b"]),
        ),
    )


people = Panel(
    "verdict_people",
    {
        "judge": "judge_id",
        "asked": lambda row: None if row["is_human"] else setting_name(row),
        "compared with": "compared_with",
        "same winner (%)": percent_of("agreement"),
        "95 % interval": band("agreement", 100),
        "kappa": formed("kappa", COEFFICIENT),
        "kappa's interval": band("kappa"),
        "debates": "n_units",
        "pairs": "pair_count",
        "left out, split": "split_count",
        "why unknown": "reason",
    },
    heading="Beside the people who said who won",
    line="Rows whose judge is a person are people among themselves: a judge whose agreement lies "
    "there agrees with people as people do. Intervals are over debates.",
    may_be_absent=True,
)
