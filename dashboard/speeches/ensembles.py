"""The tab on ensembles: what judging together adds, on speeches the judges were not chosen on."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.core import charts
from dashboard.core.charts import point
from dashboard.core.data import Answer
from dashboard.core.findings import Finding, Row
from dashboard.core.glossary import meaning
from dashboard.core.labels import (
    Metric,
    code_span,
    count,
    escape_markdown,
    estimate,
    estimate_in,
    interval_in,
    intervals,
    is_missing,
    number,
    plural,
)
from dashboard.core.naming import enough_to_name, nobody, span
from dashboard.core.selection import Selection
from dashboard.core.series import looks
from dashboard.core.widgets import (
    ANY_SIZE,
    COEFFICIENT,
    draw_chart,
    figure,
    figure_row,
    headline,
    how_computed,
    table,
)
from dashboard.speeches import queries
from dashboard.speeches.agreement import no_judges_yet
from dashboard.speeches.findings import over_speeches
from warehouse.reader import Version

GAIN = Metric(
    name="gain over the best member",
    definition=(
        "Every subset of up to five judges is tried, on the speeches all of them scored. The "
        "topics are halved 200 times at random: on one half the subset with the highest τ-c, its "
        "best member and the best single judge are chosen, on the other their τ-c is taken, and "
        "then the halves change places. The gain is the mean of all of these; the interval is "
        "where 95 % of them lie. The best of many is flattered by having been chosen: on the "
        "speeches of the choice its τ-c is higher than it will be on others. A half is less than "
        "all to choose on, so the gain is rather understated. Scores are pooled by mean, median, "
        "or mean rounded to a whole score (a half to the even one). τ-c is higher for the coarser "
        "of two equal orders; so that rounding gains nothing by being coarse, its number of values "
        "m is here that of the scale's points for all. The list of subsets has τ-c with m as "
        "observed, too, which the other pages show."
    ),
    place="Not in the papers; ensembles are in section 4 of the one on judging debate speeches",
)
POOLINGS = {
    "mean": "mean",
    "median": "median",
    "rounded_mean": "rounded mean",
    "alone": "one judge",
    "any": "any pooling",
}
_CHARTED = ("mean", "median", "rounded_mean")


def draw(version: Version, chosen: Selection) -> None:
    """Draw the tab over what is chosen on the page.

    Args:
        chosen: What the page shows; all its judges are searched, whichever are picked.
    """
    searches = queries.searches(version, chosen.view)
    subsets = queries.subsets(version, chosen.view)
    rows = searches.rows
    if not rows:
        headline(Finding("No judge has scored these speeches, so there is no ensemble to search."))
        no_judges_yet(chosen.view)
        return
    templates = list(dict.fromkeys(row["template"] for row in rows))
    for template in templates:
        mine = [row for row in rows if row["template"] == template]
        if len(templates) > 1:
            st.markdown(f"Prompt {code_span(template)}")
        headline(finding(mine))
        _figures(mine)
        _chart(mine)
        _register(mine)
    _tables(searches, subsets)
    how_computed([GAIN], [("Searches", searches), ("Best subsets", subsets)])


def size_name(row: Row) -> str:
    """Return how many judges a search is over, as text."""
    size = str(row["search_size"])
    return "2 to 5 judges" if size == "any" else plural(int(size), "judge")


def finding(rows: Sequence[Row]) -> Finding:
    """Return what the best ensemble of all adds.

    Args:
        rows: One prompt's rows of `rpt_ensemble_search`, the best of all first.
    """
    best = rows[0]
    if is_missing(best["gain_over_member"]):
        reason = best["undefined_reason"] or best["held_out_reason"] or "no gain is known"
        return Finding(f"What an ensemble adds is unknown here: {escape_markdown(reason)}.")
    if not enough_to_name(best["n_items"], best["n_units"]):
        return Finding(f"What ensembles add is below; {nobody('ensemble')}.")
    low, high = best["gain_over_member_low"], best["gain_over_member_high"]
    gain = estimate(best["gain_over_member"], low, high)
    if is_missing(low):
        said = f"adds {gain} to its best member's τ-c, without an interval"
    elif low > 0:
        said = f"orders new speeches better than its best member: τ-c higher by {gain}"
    elif high < 0:
        said = f"orders new speeches less well than its best member: τ-c changes by {gain}"
    else:
        said = f"cannot be told from its best member on new speeches: τ-c changes by {gain}"
    flattered = best["tau_c_in_sample"] - best["held_out_tau_c"]
    return Finding(
        f"The ensemble of up to five judges chosen for its τ-c {said}, {over_speeches([best])}.",
        f"It was chosen from {count(best['n_subsets'])} subsets of "
        f"{plural(int(best['n_judges']), 'judge')}. On the speeches it was chosen on its τ-c is "
        f"{number(best['tau_c_in_sample'])}, on others {number(best['held_out_tau_c'])}: the "
        f"choice flatters it by {number(flattered)}.",
    )


def _figures(rows: Sequence[Row]) -> None:
    best = rows[0]
    if is_missing(best["held_out_tau_c"]):
        return
    on = (
        f"{plural(int(best['n_items']), 'speech', 'speeches')}, "
        f"{plural(int(best['n_units']), 'topic')}"
    )
    with figure_row():
        for label, name, note in (
            ("Chosen ensemble: τ-c", "held_out_tau_c", f"on other speeches · {on}"),
            ("Gain: best member", "gain_over_member", on),
            ("Gain: best judge", "gain_over_judge", on),
        ):
            ends = interval_in(best, name)
            figure(label, number(best[name]), f"{ends} · {note}" if ends else note, meaning(name))
        cost = best["cost_per_item_usd"]
        figure(
            "Cost of 1,000 speeches",
            "–" if is_missing(cost) else f"${number(cost * 1000)}",
            "unknown: a member has no price"
            if is_missing(cost)
            else f"all {plural(int(best['member_count']), 'member')}, repeats included",
            "What the members cost together. Where no price is known nothing is counted.",
        )


def _chart(rows: Sequence[Row]) -> None:
    st.subheader("Which size, and which pooling?", anchor=False)
    st.caption(meaning("gain_over_member"))
    drawn = [
        row
        for row in rows
        if row["search_pooling"] in _CHARTED and not is_missing(row["gain_over_member"])
    ]
    for row in rows:
        if row["undefined_reason"] and row["search_size"] != "any":
            st.text(f"– {size_name(row)}: {row['undefined_reason']}")
    if not drawn:
        return
    data = [
        {
            "label": f"{size_name(row)}, {POOLINGS[row['search_pooling']]}\n"
            f"{estimate_in(row, 'gain_over_member')}",
            "judge_id": row["search_pooling"],
            **point(row, "gain_over_member"),
            "gain": estimate_in(row, "gain_over_member"),
            "τ-c on other speeches": estimate_in(row, "held_out_tau_c"),
            "best over all speeches": row["members"],
            "n": f"{count(row['n_subsets'])} subsets, {count(row['n_items'])} speeches, "
            f"{count(row['n_units'])} topics",
        }
        for row in drawn
    ]
    draw_chart(
        charts.agreement,
        data,
        None,
        looks(_CHARTED),
        axis="gain in τ-c over the best member (higher = the ensemble is better)",
        title=gains_title(drawn),
        note="On speeches nobody was chosen on. Dashed: no gain. Lines: 95 % intervals.",
        tooltips=["gain", "τ-c on other speeches", "best over all speeches", "n"],
    )


def gains_title(rows: Sequence[Row]) -> str:
    """Return what the chart of gains over the best member shows, as plain text."""
    gains = span([float(row["gain_over_member"]) for row in rows], number)
    return f"Gains of {plural(len(rows), 'search', 'searches')} over the best member: {gains}"


def _register(rows: Sequence[Row]) -> None:
    best = rows[0]
    left_out = [
        (int(best["n_judges_left_out"]), "judge", "judges", "scored too few of the speeches"),
        (int(best["n_items_left_out"]), "speech", "speeches", "not scored by all judges"),
    ]
    for many, one, several, why in left_out:
        if many:
            st.caption(f"Left out: {plural(many, one, several)}, {why}.")
    if is_missing(best["members"]):
        return
    with st.expander("Keep the best ensemble as a judge of its own"):
        st.markdown(
            "Registered ensembles are pooled by the rounded mean. Add this to `ensembles.toml` in "
            "the home, under a name of your own; the next `rostrum build` reports it everywhere "
            "as `ensemble/best`."
        )
        names = ", ".join(f'"{one}"' for one in str(best["members"]).split(", "))
        st.code(f"[best]\njudges = [{names}]", language="toml")


def _tables(searches: Answer, subsets: Answer) -> None:
    rows = searches.rows
    st.subheader("All searches", anchor=False)
    table(
        pd.DataFrame(
            {
                "prompt": [row["template"] for row in rows],
                "size": [size_name(row) for row in rows],
                "pooling": [POOLINGS[row["search_pooling"]] for row in rows],
                "τ-c on other speeches": searches.frame["held_out_tau_c"],
                "95 % interval": intervals(rows, "held_out_tau_c"),
                "gain over best member": searches.frame["gain_over_member"],
                "95 % interval of it": intervals(rows, "gain_over_member"),
                "gain over best judge": searches.frame["gain_over_judge"],
                "95 % interval of that": intervals(rows, "gain_over_judge"),
                "τ-c where chosen": searches.frame["tau_c_in_sample"],
                "chosen again": searches.frame["chosen_share"],
                "best over all speeches": searches.frame["members"],
                "$ per 1,000": searches.frame["cost_per_item_usd"] * 1000,
                "subsets": searches.frame["n_subsets"],
                "speeches": searches.frame["n_items"],
                "topics": searches.frame["n_units"],
                "why not": searches.frame["held_out_reason"],
            }
        ),
        formats={
            "τ-c on other speeches": COEFFICIENT,
            "gain over best member": COEFFICIENT,
            "gain over best judge": COEFFICIENT,
            "τ-c where chosen": COEFFICIENT,
            "chosen again": "%.2f",
            "$ per 1,000": ANY_SIZE,
        },
        raw=searches,
        name="ensemble_searches",
    )
    if subsets.frame.empty:
        return
    st.subheader("The best subsets, where they were chosen", anchor=False)
    st.caption(
        "These values are flattered by the choice. The intervals are those of a subset named "
        "beforehand."
    )
    top = subsets.rows
    table(
        pd.DataFrame(
            {
                "prompt": subsets.frame["template"],
                "judges": subsets.frame["members"],
                "pooling": [POOLINGS[row["pooling"]] for row in top],
                "τ-c": subsets.frame["tau_c_on_scale"],
                "less its best member's": subsets.frame["tau_c_on_scale_minus_best_member"],
                "τ-c, m as observed": subsets.frame["tau_c"],
                "95 % interval": intervals(top, "tau_c"),
                "different scores": subsets.frame["value_count"],
                "best member": subsets.frame["best_member_id"],
                "its τ-c, m as observed": subsets.frame["best_member_tau_c"],
                "mean κ": subsets.frame["mean_kappa"],
                "pairs of people": subsets.frame["pair_count"],
                "$ per 1,000": subsets.frame["cost_per_item_usd"] * 1000,
            }
        ),
        formats={
            "τ-c": COEFFICIENT,
            "less its best member's": COEFFICIENT,
            "τ-c, m as observed": COEFFICIENT,
            "its τ-c, m as observed": COEFFICIENT,
            "mean κ": COEFFICIENT,
            "$ per 1,000": ANY_SIZE,
        },
        raw=subsets,
        name="ensemble_subsets",
        height=400,
    )
