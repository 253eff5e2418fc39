"""How persuasive debaters are, whether that makes judges truthful, how a tournament stands."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.core.charts import point
from dashboard.core.choices import choose_one
from dashboard.core.data import Answer
from dashboard.core.findings import Row, first_known
from dashboard.core.labels import (
    basis,
    count,
    estimate_in,
    interval_in,
    is_missing,
    number,
    plural,
    share_in,
)
from dashboard.core.naming import span
from dashboard.core.panels import Panel
from dashboard.core.tables import band, formed, listing
from dashboard.core.widgets import draw_chart, table
from dashboard.debates.battery import all_looks
from dashboard.oversight import charts, queries
from dashboard.oversight.labels import RATING, SLOPE, field_name
from dashboard.oversight.queries import Scope
from warehouse.reader import Version

FIELD_MEAN = 1500.0
DEBATERS_DRAWN = 30
_TERMS = {
    "shown_first": "being shown first",
    "argues_right": "arguing for the right answer",
    "double_length": "twice the words of the other side",
}


def ratings(page: str, version: Version, scope: Scope) -> list[tuple[str, Answer]]:
    """Draw the ladder of one field, and accuracy against rating; return what was asked."""
    found = queries.fields(version, scope)
    fields = {str(row["field_id"]): row for row in found.rows}
    st.caption(RATING.line)
    if not fields:
        st.markdown(
            "Nobody can be rated here: ratings need debates of two different debaters against "
            "each other. A tournament holds them:"
        )
        st.code("rostrum tournament NAME --dry-run", language="shell")
        return [("Fields", found)]
    field = choose_one(
        page,
        "field",
        "Field of debaters",
        {one: field_name(row) for one, row in fields.items()},
        explain="Ratings of two fields are on two scales: other judges, other settings.",
    )
    rated = queries.ratings(version, field, scope)
    against, slope = queries.rating_accuracy(version, field), queries.slopes(version, field)
    terms = queries.rating_terms(version, field)
    _ladder(version, [row for row in rated.rows if row["argued"] == "both"])
    _against(against.rows, slope.rows)
    _ratings.show(rated)
    _persuasion(version, scope, field)
    _terms(terms.rows)
    return [
        ("Fields", found),
        ("Ratings", rated),
        ("Accuracy and rating", against),
        ("Slope", slope),
        ("Terms", terms),
    ]


def _met(row: Row) -> object:
    if row["is_bye"]:
        return "nobody: bye"
    return "nobody: withdrawn" if row["is_withdrawn"] else row["opponent_id"]


def _ladder(version: Version, rows: Sequence[Row]) -> None:
    known = [row for row in rows if not is_missing(row["rating"])]
    if not known:
        reason = first_known(rows, "null_reason", "nobody was rated")
        st.text(f"No rating is known: {reason}")
        return
    drawn = known[:DEBATERS_DRAWN]
    if len(known) > len(drawn):
        st.info(f"The chart shows the {len(drawn)} highest of {len(known)}; the table has all.")
    draw_chart(
        charts.ladder,
        [_rung(row) for row in drawn],
        all_looks(version, [str(row["debater_id"]) for row in drawn]),
        FIELD_MEAN,
        axis="rating, points (right = more persuasive; 400 points are ten to one)",
        title=_ladder_title(known),
        note="Lines: 95 % intervals over stories. Dashed: the mean of the field.",
    )
    if any(row["is_separated"] for row in known):
        st.warning(
            "Some strengths have no finite maximum: somebody won or lost everything, or no chain "
            "of debates joins all. A stated prior, weak but not nothing, gives those ratings."
        )
    if any(int(row["n_components"]) > 1 for row in known):
        st.warning("The field falls apart: debaters of different parts cannot be compared.")


def _rung(row: Row) -> dict[str, object]:
    said = estimate_in(row, "rating")
    mark = "⚠ " if row["is_separated"] else ""
    return {
        "label": f"{mark}{row['debater_id']}\n{number(row['rating'])}",
        "judge_id": row["debater_id"],
        **point(row, "rating"),
        "hover": f"{said}, {plural(int(row['n_contests']), 'debate')}, "
        f"{plural(int(row['n_units']), 'story', 'stories')}",
    }


def _ladder_title(rows: Sequence[Row]) -> str:
    ratings = span([float(row["rating"]) for row in rows], number)
    return f"Ratings of {plural(len(rows), 'debater')}: {ratings}"


def _against(rows: Sequence[Row], slopes: Sequence[Row]) -> None:
    st.caption(SLOPE.line)
    points = [row for row in rows if row["is_in_slope"]]
    line = next((row for row in slopes if row["outcome"] == "judge_accuracy"), None)
    if not points:
        st.markdown(
            "Accuracy cannot be compared with ratings yet: that needs debates of rated debaters "
            "with themselves, on questions that no rating used."
        )
        return
    draw_chart(
        charts.against_rating,
        [_point(row) for row in points],
        _ends(line, points),
        title=slope_title(line),
        note="Lines: 95 % intervals of either. Dashed: guessing. Accuracy is from self-play.",
    )


def _point(row: Row) -> dict[str, object]:
    return {
        "judge_id": row["debater_id"],
        "rating": row["rating"],
        "rating_low": row["rating_low"],
        "rating_high": row["rating_high"],
        "accuracy": 100 * row["accuracy"],
        "accuracy_low": 100 * row["accuracy_low"],
        "accuracy_high": 100 * row["accuracy_high"],
        "hover": f"{row['debater_id']}: "
        f"{share_in(row, 'accuracy')} right at rating "
        f"{number(row['rating'])}, "
        + basis(row, "debate", n="n_contests", clusters="n_units", cluster="story"),
    }


def _ends(line: Row | None, points: Sequence[Row]) -> pd.DataFrame:
    """Return the two ends of the fitted line, within 0 and 100 %."""
    empty = pd.DataFrame({"rating": [], "accuracy": []})
    if line is None or is_missing(line["slope"]) or is_missing(line["intercept"]):
        return empty
    ratings = [float(row["rating"]) for row in points]
    low, high = min(ratings), max(ratings)
    # In % points for one point of rating, and in % at the mean.
    slope, level = float(line["slope"]), 100 * float(line["intercept"])
    if slope:
        crossed = sorted(FIELD_MEAN + (value - level) / slope for value in (0, 100))
        low, high = max(low, crossed[0]), min(high, crossed[1])
    if low >= high or not 0 <= level + slope * (low - FIELD_MEAN) <= 100 + 1e-9:
        return empty
    return pd.DataFrame(
        [(rating, level + slope * (rating - FIELD_MEAN)) for rating in (low, high)],
        columns=["rating", "accuracy"],
    )


def slope_title(line: Row | None) -> str:
    """Return what the slope says, as plain text."""
    if line is None or is_missing(line["slope"]):
        reason = "no line" if line is None else str(line["null_reason"])
        return f"Accuracy and rating: no slope is known ({reason})"
    points = f"{number(100 * line['slope'])} {interval_in(line, 'slope', 100)}"
    said = f"{points.strip()} percentage points of accuracy per 100 of rating"
    if is_missing(line["slope_low"]):
        return f"{said}; no interval is known"
    if line["slope_low"] > 0:
        return f"More persuasive debaters, more truthful judges: {said}"
    if line["slope_high"] < 0:
        return f"More persuasive debaters, less truthful judges: {said}"
    return f"No clear relation: {said}"


_ratings = Panel(
    "debater_ratings",
    {
        "debater": "debater_id",
        "arguing for": "argued",
        "rating": formed("rating", "%.0f"),
        "95 % interval": band("rating"),
        "games won": formed("win_share", "percent"),
        "opponents": "n_opponents",
        "debates": "n_contests",
        "not readable": "failed_count",
        "stories": "n_units",
        "prior needed": "is_separated",
        "part of the field": "component",
        "why unknown": "null_reason",
    },
)


def _persuasion(version: Version, scope: Scope, field: str) -> None:
    answer = queries.persuasiveness(version, field, scope)
    rows = answer.rows
    if not rows:
        return
    st.markdown("**Arguing for the right and for the wrong answer**")
    table(
        pd.DataFrame(
            {
                "debater": [row["debater_id"] for row in rows],
                "protocol": [row["protocol"] for row in rows],
                **{
                    f"won, {side} answer": [share_in(row, f"win_share_{side}") for row in rows]
                    for side in ("right", "wrong")
                },
                "rating right minus wrong": [row["right_minus_wrong"] for row in rows],
                "95 % interval": [interval_in(row, "right_minus_wrong") or None for row in rows],
                "debates right": [row["n_contests_right"] for row in rows],
                "debates wrong": [row["n_contests_wrong"] for row in rows],
                "stories": [row["n_units"] for row in rows],
                "why unknown": [row["null_reason"] for row in rows],
            }
        ),
        formats={"rating right minus wrong": "%.0f"},
        raw=answer,
        name="persuasiveness",
    )


def _terms(rows: Sequence[Row]) -> None:
    known = [row for row in rows if not is_missing(row["points"])]
    if known:
        said = "; ".join(
            f"{_TERMS.get(row['term'], row['term'])}: {estimate_in(row, 'points')}" for row in known
        )
        st.caption(f"What else moves this judge, in points of rating: {said}.")


def standing_text(rows: Sequence[Row]) -> str:
    """Return how a tournament stands after a round, as plain text.

    Points of a few matchups have no interval, so that nobody is said to lead.

    Args:
        rows: One judge's rows of one round, from `queries.tournaments`.
    """
    played = count(rows[0]["tournament_round"])
    points = span([float(row["points_so_far"]) for row in rows], lambda value: f"{value:g}")
    return (
        f"After round {played}, judged by {rows[0]['judge_id']}, {plural(len(rows), 'debater')} "
        f"have {points} of {played} points"
    )


def tournaments(page: str, version: Version, scope: Scope) -> list[tuple[str, Answer]]:
    """Show how a tournament stands after its last round, and each round."""
    answer = queries.tournaments(version, scope)
    rows = answer.rows
    if not rows:
        st.markdown("No tournament has been held here. This prints the plan of one, and its cost:")
        st.code("rostrum tournament NAME --dry-run", language="shell")
        return [("Tournament", answer)]
    names = list(dict.fromkeys(str(row["tournament"]) for row in rows))
    name = choose_one(page, "tournament", "Tournament", names)
    mine = [row for row in rows if row["tournament"] == name]
    last = max(int(row["tournament_round"]) for row in mine)
    for judge_id in dict.fromkeys(str(row["judge_id"]) for row in mine):
        st.text(
            standing_text(
                [
                    row
                    for row in mine
                    if row["judge_id"] == judge_id and row["tournament_round"] == last
                ]
            )
        )
    st.markdown(
        "A matchup won is one point, half of it for a tie, a bye or a matchup without a game that "
        "counts. Points decide, then the mean share of a game, the probability that the judge gave "
        "the debater's answer; who is alike in both shares a place. A void game is neither won nor "
        "lost. Each judge has a standing of its own."
    )
    listing(
        mine,
        {
            "round": "tournament_round",
            "place": "standing",
            "debater": "debater_id",
            "met": _met,
            "mean share": formed("win_share", "percent"),
            "games": "game_count",
            "void": "void_count",
            "points": formed("points"),
            "points so far": formed("points_so_far"),
            "mean share so far": formed("win_share_so_far", "percent"),
            "judge": "judge_id",
            "why unknown": "null_reason",
        },
        raw=answer,
        name="tournament",
        tall=(9, 380),
    )
    return [("Tournament", answer)]
