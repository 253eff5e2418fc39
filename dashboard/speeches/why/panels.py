"""Figures, charts and tables of the page on judges' reasons."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.core.charts import point
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.glossary import meaning
from dashboard.core.labels import (
    count,
    interval_in,
    intervals,
    is_missing,
    joined,
    number,
    percent,
    plural,
    scaled,
    share_in,
    sides,
)
from dashboard.core.naming import span
from dashboard.core.series import GREY
from dashboard.core.tables import band, formed, listed
from dashboard.core.widgets import ANY_SIZE, draw_chart, figure, figure_row, table, unfolding
from dashboard.speeches.why import charts as why_charts
from dashboard.speeches.why.labels import (
    CHECK,
    COUNTED,
    LEFT_OUT,
    MEASURES,
    NONE,
    PRO,
    SPLITS,
    TOP_DRAWN,
)


def figures(covered: Row | None, check: Sequence[Row]) -> None:
    """Show the share positive, coverage, what has no key point, and the check of polarity."""
    with figure_row():
        if covered is not None:
            for label, column, (counts, *noun), measure in (
                (
                    "Share positive",
                    "positive_share",
                    ("matched_count", "sentence"),
                    "_positive_share",
                ),
                (
                    "Coverage",
                    "matched_share",
                    ("n_held", "sentence for or against", "sentences for or against"),
                    "",
                ),
                (
                    "Say no key point",
                    "unexplained_share",
                    ("reasoned_count", "justification with reasons", "justifications with reasons"),
                    "_unexplained_share",
                ),
            ):
                # The headline says so, and an interval would be about other sentences.
                if column == "matched_share" and covered[column] == 1:
                    continue
                counted = plural(int(covered[counts]), *noun)
                _figure(label, covered, column, counted, meaning(f"key_point_coverage{measure}"))
        for row in check:
            if row["measure"] == "polarity_accuracy" and row["split"] == "test":
                counted = f"{plural(int(row['n']), 'labelled sentence')}, held out"
                _figure("Polarity told right", row, "estimate", counted, CHECK.line)


def _figure(label: str, row: Row, column: str, counted: str, explained: str) -> None:
    ends = interval_in(row, column, 100)
    figure(label, percent(row[column]), joined((ends, counted)), explained)


def by_source(sources: Answer, parts: Answer, scale: tuple[float, float] | None) -> None:
    """Show what is said of each source, and whether it is positive.

    Args:
        sources: From `queries.polarity`.
        parts: From `queries.by_source`.
    """
    order = [str(row["source"]) for row in sources.rows]
    rows, colours = _parts(parts.rows)
    if rows.empty:
        st.markdown("No justification here has sentences.")
    else:
        known = [row for row in sources.rows if not is_missing(row["positive_share"])]
        said = sides(known, "positive_share", "praised more than faulted", "faulted more", 0.5)
        draw_chart(
            why_charts.parts,
            rows,
            colours,
            [one for one in order if one in set(rows["source"])],
            title=f"Of {plural(len(known), 'source')}, {said}",
            note="Blue speaks for the speech, orange against it; grey is under no key point. "
            "+1 and −1 are said the most. Intervals are in the table.",
        )
        left, right = st.columns(2)
        with left:
            _source_dots(
                known,
                "positive_share",
                100,
                "share positive (%)",
                (0, 100),
                "Share of sentences under key points that praise",
            )
        with right:
            if any(not is_missing(row["mean_score"]) for row in known) and scale:
                _source_dots(
                    known,
                    "mean_score",
                    1,
                    "mean score, higher = better",
                    scale,
                    "Mean score by the same judge",
                )
            else:
                st.caption("Choose one judge to see its mean scores beside the share positive.")
    _polarity_table(sources)
    unfolding("Every share of the chart, with its interval", _parts_table, parts)


def _parts(rows: Sequence[Row]) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the parts with where they lie, and the colour of each in the legend's order."""
    made: list[dict[str, Any]] = []
    colours: dict[str, str] = {}
    for row in rows:
        if is_missing(row["sentence_share"]):
            continue
        name, mark, place, colour = _part(row)
        colours.setdefault(name, colour)
        made.append(
            {
                "source": row["source"],
                "part": name,
                "mark": mark,
                "place": place,
                "share": 100 * row["sentence_share"],
                "ink": "white"
                if colour in (*why_charts.PRO_COLOURS[:2], *why_charts.CON_COLOURS[:2])
                else "#10243A",
                "hover": f"{name}: "
                + share_in(row, "sentence_share")
                + f", {count(row['sentence_count'])} of "
                + plural(int(row["n_sentences"]), "sentence"),
            }
        )
    made.sort(key=lambda part: (part["source"], part["place"]))
    ends: dict[str, float] = {}
    for part in made:
        start = ends.get(part["source"], 0.0)
        part["middle"] = start + part["share"] / 2
        ends[part["source"]] = start + part["share"]
    frame = pd.DataFrame(made)
    if made:
        # A name's place is the same in every bar.
        in_order = frame.drop_duplicates("part").sort_values("place")["part"]
        colours = {name: colours[name] for name in in_order}
    return frame, colours


def _part(row: Row) -> tuple[str, str, int, str]:
    """Return a part's name, mark, place along the bar and colour."""
    if row["group_kind"] == NONE:
        return "under no key point", "", 4, GREY
    is_pro = row["polarity"] == PRO
    sign, colours = ("+", why_charts.PRO_COLOURS) if is_pro else ("−", why_charts.CON_COLOURS)
    if row["group_kind"] == "other":
        place = TOP_DRAWN
        name, mark = f"other ({row['polarity']})", sign
    else:
        place = int(row["polarity_rank"]) - 1
        mark = f"{sign}{place + 1}"
        name = f"{mark} {row['key_point']}"
    return name, mark, place if is_pro else 2 * (TOP_DRAWN + 1) - place, colours[place]


def _source_dots(
    rows: Sequence[Row],
    column: str,
    by: float,
    axis: str,
    domain: tuple[float, float],
    what: str,
) -> None:
    shown = [row for row in rows if not is_missing(row[column])]
    if shown:
        values = span([float(row[column]) for row in shown], percent if by != 1 else number)
        draw_chart(
            why_charts.dots,
            [
                {
                    "label": row["source"],
                    **point(row, column, by),
                    "colour": why_charts.PRO_COLOURS[1],
                    "shape": "circle",
                    "hover": f"{number(by * row[column])} " + interval_in(row, column, by),
                }
                for row in shown
            ],
            axis=axis,
            domain=domain,
            title=f"{what}: {values}",
            note="Lines: 95 % intervals.",
        )


def _polarity_table(answer: Answer) -> None:
    rows = answer.rows
    scored = any(not is_missing(row["mean_score"]) for row in rows)
    scores = {
        "mean score": [row["mean_score"] for row in rows],
        "95 % of it": intervals(rows, "mean_score"),
        "speeches scored": [row["n_scored_items"] for row in rows],
    }
    table(
        pd.DataFrame(
            {
                "source": [row["source"] for row in rows],
                "positive (%)": [scaled(row["positive_share"]) for row in rows],
                "95 %": intervals(rows, "positive_share", 100),
                "sentences under key points": [row["n_matched"] for row in rows],
                **(scores if scored else {}),
                "justifications": [row["n_justifications"] for row in rows],
                "with sentences": [row["n_explained"] for row in rows],
                "motions": [row["n_units"] for row in rows],
                "why unknown": [row["undefined_reason"] for row in rows],
            }
        ),
        formats=dict.fromkeys(("positive (%)", *(["mean score"] if scored else ())), ANY_SIZE),
        raw=answer,
        name="justification_polarity",
    )


def _parts_table(answer: Answer) -> None:
    rows = answer.rows
    table(
        pd.DataFrame(
            {
                "source": [row["source"] for row in rows],
                "said": [_part(row)[0] for row in rows],
                "of sentences (%)": [scaled(row["sentence_share"]) for row in rows],
                "95 %": intervals(rows, "sentence_share", 100),
                "n": _of(rows, "sentence_count", "n_sentences"),
                "of justifications (%)": [scaled(row["justification_share"]) for row in rows],
                "95 % of them": intervals(rows, "justification_share", 100),
                "n of them": _of(rows, "justification_count", "n_justifications"),
            }
        ),
        formats=dict.fromkeys(("of sentences (%)", "of justifications (%)"), ANY_SIZE),
        raw=answer,
        name="key_points_by_source",
        height=380,
    )


def trust(covered: Answer, check: Answer) -> None:
    """Show what an analysis leaves out, and how its method does on labelled sentences."""
    label = "How far to trust this: what is left out, and agreement with labels"
    unfolding(label, _trust, covered, check)


def _trust(covered: Answer, check: Answer) -> None:
    st.caption(meaning("key_point_coverage"))
    rows = covered.rows
    there = [name for name in LEFT_OUT if any(row[name] for row in rows)]
    table(
        pd.DataFrame(
            {
                "judge": [row["judge_id"] for row in rows],
                "justifications": [row["n_justifications"] for row in rows],
                "with sentences": [row["sentences_count"] for row in rows],
                "sentences": [row["n_sentences"] for row in rows],
                "for or against": [row["n_held"] for row in rows],
                "coverage (%)": [scaled(row["matched_share"]) for row in rows],
                "95 %": intervals(rows, "matched_share", 100),
                "for (%)": [scaled(row["pro_share"]) for row in rows],
                "against (%)": [scaled(row["con_share"]) for row in rows],
                "neither (%)": [scaled(row["neutral_share"]) for row in rows],
                "may be key points": [row["candidate_count"] for row in rows],
                **{LEFT_OUT[name]: [row[name] for row in rows] for name in there},
                "why unknown": [row["undefined_reason"] for row in rows],
            }
        ),
        formats=dict.fromkeys(("coverage (%)", "for (%)", "against (%)", "neither (%)"), ANY_SIZE),
        raw=covered,
        name="key_point_coverage",
    )
    st.caption(f"{CHECK.line} One reading by the people who wrote the rules, so it flatters.")
    rows = check.rows
    order = list(MEASURES)
    rows.sort(key=lambda row: (row["split"] != "test", order.index(row["measure"])))
    table(
        listed(
            rows,
            {
                "measure": lambda row: MEASURES[row["measure"]],
                "sentences that were": lambda row: SPLITS.get(row["split"], row["split"]),
                "value": formed("estimate"),
                "95 %": band("estimate"),
                "n": lambda row: f"{count(row['n'])} {COUNTED.get(row['measure'], 'pairs')}",
                "labelled sentences": "n_units",
                "why unknown": "undefined_reason",
            },
        ),
        raw=check,
        name="key_point_check",
        height=380,
    )


def _of(rows: Sequence[Row], column: str, total: str) -> list[str]:
    return [f"{count(row[column])} of {count(row[total])}" for row in rows]
