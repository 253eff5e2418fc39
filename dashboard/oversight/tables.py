"""Quotes, judges' biases, votes of several judges, and which questions were left."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.labels import (
    basis,
    count,
    interval,
    is_missing,
    number,
    p_cell,
    p_value,
    percent,
    plural,
    share,
)
from dashboard.core.naming import span
from dashboard.core.widgets import ANY_SIZE, draw_chart, table
from dashboard.debates import charts as verdict_charts
from dashboard.debates.battery import all_looks
from dashboard.oversight import charts as oversight_charts
from dashboard.oversight import findings as words
from dashboard.oversight.labels import BIAS, BIASES, ENSEMBLE, QUOTES
from dashboard.oversight.panels import setting_label
from dashboard.speeches.findings import Row, records
from warehouse.reader import Version

ROWS_DRAWN, LINES_DRAWN = 16, 6


def quotes(answer: Answer) -> None:
    """Draw how many quotes stand in the story, and list what debaters do with words."""
    rows = records(answer.frame)
    st.caption(QUOTES.line)
    drawn = [
        row for row in rows if row["argued"] == "both" and not is_missing(row["verified_share"])
    ][:ROWS_DRAWN]
    if not drawn:
        st.markdown("No debater has quoted anything here; in rooms of people quotes are copied.")
    else:
        draw_chart(
            verdict_charts.estimates,
            pd.DataFrame([_quote_row(row) for row in drawn]),
            axis="quotes that stand in the story, % (higher = truer to it)",
            title=_quotes_title(drawn),
            note="Lines: 95 % intervals over stories. Dashed: half.",
            top=100.0,
        )
    shares = {
        "in the story": "verified_share",
        "words quoted": "quoted_words_share",
        "words in verified quotes": "verified_words_share",
    }
    counts = {
        "quotes": "quote_count",
        "near misses": "near_miss_count",
        "repeated": "repeated_count",
        "turns": "turn_count",
        "without a quote": "turns_without_quote_count",
        "cut": "truncated_count",
        "too long, rejected": "rejected_count",
        "concede": "concession_count",
        "argue for the other side": "other_side_count",
        "not in form": "malformed_count",
        "transcripts": "n_transcripts",
        "stories": "n_units",
    }
    table(
        pd.DataFrame(
            {
                "debater": [row["debater_id"] for row in rows],
                "protocol": [row["protocol"] for row in rows],
                "arguing for": [row["argued"] for row in rows],
                **{name: [row[column] for row in rows] for name, column in shares.items()},
                "95 % interval": [
                    interval(row["verified_share_low"], row["verified_share_high"], 100) or None
                    for row in rows
                ],
                "likeness of the others": [row["mean_similarity"] for row in rows],
                "quotes a turn": [row["quotes_per_turn"] for row in rows],
                "words a turn": [row["mean_words"] for row in rows],
                **{name: [row[column] for row in rows] for name, column in counts.items()},
                "prompt": [row["debater_template"] for row in rows],
                "why unknown": [row["null_reason"] for row in rows],
            }
        ),
        formats=dict.fromkeys(shares, "percent")
        | dict.fromkeys(("likeness of the others", "quotes a turn", "words a turn"), ANY_SIZE),
        raw=answer,
        name="quote_use",
        height=320 if len(rows) > 8 else None,
    )


def _quote_row(row: Row) -> dict[str, object]:
    said = share(row["verified_share"], row["verified_share_low"], row["verified_share_high"])
    return {
        "label": f"{row['debater_id']}\n{row['protocol']}, {row['debater_template']}",
        "which": "both answers",
        "value": 100 * row["verified_share"],
        "low": 100 * row["verified_share_low"],
        "high": 100 * row["verified_share_high"],
        "hover": f"{said} of {plural(int(row['quote_count']), 'quote')}, "
        f"{plural(int(row['n_units']), 'story', 'stories')}",
    }


def _quotes_title(rows: Sequence[Row]) -> str:
    return f"{span([float(row['verified_share']) for row in rows], percent)} stand in the story"


def biases(version: Version, answer: Answer) -> None:
    """Draw what moves judges beside the truth, and list every test."""
    rows = records(answer.frame)
    st.caption(BIAS.line)
    known = [row for row in rows if not is_missing(row["estimate"])]
    if known:
        drawn = known[:ROWS_DRAWN]
        if len(known) > len(drawn):
            st.info(f"{len(drawn)} of {len(known)} effects are drawn; the table has all.")
        draw_chart(
            verdict_charts.effects,
            pd.DataFrame([_bias_row(row) for row in drawn]),
            all_looks(version, [str(row["judge_id"]) for row in drawn]),
            axis="change of probability, percentage points (0 = not moved)",
            title=words.effect_title(drawn),
            note=(
                "Filled: significant after correction (adjusted p < 0.05). Hollow: not, or not "
                "tested. Lines: 95 % intervals."
            ),
            tooltips=["judge", "compared", "effect", "adjusted p", "n"],
        )
    else:
        st.markdown("No effect is known here. This asks with one side padded, or unquoted:")
        st.code("rostrum run story-judgement-probes --judge JUDGE", language="shell")
    table(
        pd.DataFrame(
            {
                "judge": [row["judge_id"] for row in rows],
                "what moves it": [BIASES.get(row["effect"], row["effect"]) for row in rows],
                "compared": [row["contrast"] for row in rows],
                "protocol": [row["protocol"] for row in rows],
                "debater": [row["debater"] for row in rows],
                "effect, points": [100 * row["estimate"] for row in rows],
                "95 % interval": [
                    interval(row["estimate_low"], row["estimate_high"], 100) or None for row in rows
                ],
                "adjusted p": [p_cell(row["p_adjusted"]) for row in rows],
                "p": [p_cell(row["p"]) for row in rows],
                "verdicts flipped": [row["flip_share"] for row in rows],
                "flips": [row["flip_count"] for row in rows],
                "compared pairs": [row["n_units"] for row in rows],
                "stories": [row["n_clusters"] for row in rows],
                "why unknown": [row["reason"] for row in rows],
            }
        ),
        formats={"effect, points": ANY_SIZE, "verdicts flipped": "percent"},
        raw=answer,
        name="judge_biases_oversight",
        height=320 if len(rows) > 8 else None,
    )


def _bias_row(row: Row) -> dict[str, object]:
    by = "" if row["debater"] == words.NOBODY else f" by {row['debater']}"
    where = f"{row['protocol']}{by}, asked for {row['asked_for']}"
    return {
        "label": f"{BIASES.get(row['effect'], row['effect'])}\n{where}",
        "judge_id": str(row["judge_id"]),
        "value": 100 * row["estimate"],
        "low": 100 * row["estimate_low"],
        "high": 100 * row["estimate_high"],
        "mark": "significant" if row["is_significant"] is True else "not significant",
        "judge": row["judge_id"],
        "compared": row["contrast"],
        "effect": f"{words.points(row)} percentage points",
        "adjusted p": p_value(row["p_adjusted"], adjusted=True),
        "n": f"{plural(int(row['n_units']), 'pair')}, "
        f"{plural(int(row['n_clusters']), 'story', 'stories')}",
    }


def votes(answer: Answer) -> None:
    """Draw how often a vote of k judges is right, and list it."""
    rows = records(answer.frame)
    st.caption(ENSEMBLE.line)
    known = [row for row in rows if not is_missing(row["accuracy"])]
    if not known:
        st.markdown("A vote needs several models that judged the same transcripts in one way.")
    else:
        names = list(dict.fromkeys(_vote_name(row, known) for row in known))
        if len(names) > LINES_DRAWN:
            st.info(f"{LINES_DRAWN} of {len(names)} lines are drawn; the table has all.")
        points = [_vote(row, known) for row in known]
        draw_chart(
            oversight_charts.votes,
            pd.DataFrame([one for one in points if one["line"] in names[:LINES_DRAWN]]),
            title=_votes_title(known),
            note="Over every choice of k judges, exactly. Lines: 95 % intervals over stories.",
        )
    table(
        pd.DataFrame(
            {
                "protocol": [row["protocol"] for row in rows],
                "debater": [row["debater"] for row in rows],
                "judges who vote": [row["k"] for row in rows],
                "of": [row["judge_count"] for row in rows],
                "right": [row["accuracy"] for row in rows],
                "95 % interval": [
                    interval(row["accuracy_low"], row["accuracy_high"], 100) or None for row in rows
                ],
                "more than one judge, points": [100 * row["gain"] for row in rows],
                "its interval": [
                    interval(row["gain_low"], row["gain_high"], 100) or None for row in rows
                ],
                "choices": [row["subset_count"] for row in rows],
                "judged": [row["n_units"] for row in rows],
                "left out": [row["dropped_count"] for row in rows],
                "stories": [row["n_clusters"] for row in rows],
                "who": [row["judges"] for row in rows],
                "why unknown": [row["reason"] for row in rows],
            }
        ),
        formats={"right": "percent", "more than one judge, points": ANY_SIZE, "choices": "%.0f"},
        raw=answer,
        name="judge_ensemble",
        height=320 if len(rows) > 8 else None,
    )


def _vote_name(row: Row, beside: Sequence[Row]) -> str:
    return setting_label(row, beside).replace("\n", " ").strip()


def _vote(row: Row, beside: Sequence[Row]) -> dict[str, object]:
    said = share(row["accuracy"], row["accuracy_low"], row["accuracy_high"])
    return {
        "line": _vote_name(row, beside),
        "k": int(row["k"]),
        "value": 100 * row["accuracy"],
        "low": 100 * row["accuracy_low"],
        "high": 100 * row["accuracy_high"],
        "hover": f"{plural(int(row['k']), 'judge')}: {said}, "
        f"{basis(row, 'transcript', cluster='story')}",
    }


def _votes_title(rows: Sequence[Row]) -> str:
    known = [row for row in rows if int(row["k"]) > 1 and not is_missing(row["gain"])]
    if not known:
        return "Votes of several judges: nothing to compare with one judge"
    gains = span([100 * float(row["gain"]) for row in known], number)
    return f"Votes of several judges against one judge: {gains} percentage points"


def funnel(answer: Answer) -> None:
    """Show which rule removed how many questions."""
    rows = records(answer.frame)
    st.caption(
        "A question is removed by the first rule it breaks, and stays in the warehouse with the "
        "reason."
    )
    if not rows:
        st.markdown("This data set has no rules: every question may be debated.")
        return
    last = rows[-1]
    st.markdown(
        f"Of {plural(int(rows[0]['questions_before']), 'question')} "
        f"{count(last['questions_after'])} are left"
        + (
            ""
            if is_missing(last["story_count"])
            else f", about {plural(int(last['story_count']), 'story', 'stories')}"
        )
        + "."
    )
    table(
        pd.DataFrame(
            {
                "rule": [row["rule"] for row in rows],
                "removes": [row["description"] for row in rows],
                "setting": [row["setting"] for row in rows],
                "before": [row["questions_before"] for row in rows],
                "removed": [row["removed_count"] for row in rows],
                "left": [row["questions_after"] for row in rows],
                "right answer withheld": [row["withheld_count"] for row in rows],
                "stories": [row["story_count"] for row in rows],
            }
        ),
        raw=answer,
        name="reading_funnel",
    )
