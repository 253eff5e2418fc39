"""Quotes, judges' biases, votes of several judges, and which questions were left."""

from collections.abc import Sequence

import streamlit as st

from dashboard.core.charts import estimates, point
from dashboard.core.findings import Row
from dashboard.core.labels import (
    basis,
    count,
    is_missing,
    number,
    p_value,
    percent,
    plural,
    share_in,
    signed_in,
)
from dashboard.core.naming import span
from dashboard.core.panels import Panel
from dashboard.core.tables import band, formed, p_of, percent_of
from dashboard.core.widgets import draw_chart
from dashboard.core.words import prompt_name
from dashboard.debates import charts as verdict_charts
from dashboard.oversight import charts as oversight_charts
from dashboard.oversight import findings as words
from dashboard.oversight.labels import BIAS, BIASES, ENSEMBLE, QUOTES
from dashboard.oversight.panels import setting_label

ROWS_DRAWN, LINES_DRAWN = 16, 6


def _quote_row(row: Row) -> dict[str, object]:
    said = share_in(row, "verified_share")
    return {
        "label": f"{row['debater_id']}\n{row['protocol']}, {prompt_name(row['debater_template'])}",
        "which": "both answers",
        **point(row, "verified_share", 100),
        "hover": f"{said} of {plural(int(row['quote_count']), 'quote')}, "
        f"{plural(int(row['n_units']), 'story', 'stories')}",
    }


def _bias_row(row: Row) -> dict[str, object]:
    by = "" if row["debater"] == words.NOBODY else f" by {row['debater']}"
    where = f"{row['protocol']}{by}, asked for a {row['asked_for']}"
    return {
        "label": f"{BIASES.get(row['effect'], row['effect'])}\n{where}",
        "judge_id": str(row["judge_id"]),
        **point(row, "estimate", 100),
        "mark": "significant" if row["is_significant"] is True else "not significant",
        "judge": row["judge_id"],
        "compared": row["contrast"],
        "effect": f"{signed_in(row, 'estimate', 100)} percentage points",
        "adjusted p": p_value(row["p_adjusted"], adjusted=True),
        "n": f"{plural(int(row['n_units']), 'pair')}, "
        f"{plural(int(row['n_clusters']), 'story', 'stories')}",
    }


def _vote_name(row: Row, beside: Sequence[Row]) -> str:
    return setting_label(row, beside).replace("\n", " ").strip()


def _vote(row: Row, beside: Sequence[Row]) -> dict[str, object]:
    said = share_in(row, "accuracy")
    return {
        "line": _vote_name(row, beside),
        "k": int(row["k"]),
        **point(row, "accuracy", 100),
        "hover": f"{plural(int(row['k']), 'judge')}: {said}, "
        f"{basis(row, 'transcript', cluster='story')}",
    }


def _votes_title(rows: Sequence[Row]) -> str:
    known = [row for row in rows if int(row["k"]) > 1 and not is_missing(row["gain"])]
    if not known:
        return "Votes of several judges: nothing to compare with one judge"
    gains = span([100 * float(row["gain"]) for row in known], number)
    return f"Votes of several judges against one judge: {gains} percentage points"


def _draw_quotes(rows: Sequence[Row]) -> None:
    drawn = [
        row for row in rows if row["argued"] == "both" and not is_missing(row["verified_share"])
    ][:ROWS_DRAWN]
    if not drawn:
        st.markdown("No debater has quoted anything here; in rooms of people quotes are copied.")
    else:
        draw_chart(
            estimates,
            [_quote_row(row) for row in drawn],
            axis="quotes that stand in the story, % (higher = truer to it)",
            title=(
                f"{span([float(row['verified_share']) for row in drawn], percent)} stand in the "
                "story"
            ),
            note="Lines: 95 % intervals over stories. Dashed: half.",
            top=100.0,
        )


_SHARES = {
    "in the story": "verified_share",
    "words quoted": "quoted_words_share",
    "words in verified quotes": "verified_words_share",
}
_COUNTS = {
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
quotes = Panel(
    "quote_use",
    {
        "debater": "debater_id",
        "protocol": "protocol",
        "arguing for": "argued",
        **{name: formed(column, "percent") for name, column in _SHARES.items()},
        "95 % interval": band("verified_share", 100),
        "likeness of the others": formed("mean_similarity"),
        "quotes a turn": formed("quotes_per_turn"),
        "words a turn": formed("mean_words"),
        **_COUNTS,
        "prompt": "debater_template",
        "why unknown": "null_reason",
    },
    line=QUOTES,
    draw=_draw_quotes,
)


def _draw_biases(rows: Sequence[Row]) -> None:
    known = [row for row in rows if not is_missing(row["estimate"])]
    if known:
        drawn = known[:ROWS_DRAWN]
        if len(known) > len(drawn):
            st.info(f"{len(drawn)} of {len(known)} effects are drawn; the table has all.")
        draw_chart(
            verdict_charts.effects,
            [_bias_row(row) for row in drawn],
            axis="change of probability, percentage points (0 = not moved)",
            title=words.effect_title(drawn),
        )
    else:
        st.markdown("No effect is known here. This asks with one side padded, or unquoted:")
        st.code("rostrum run story-judgement-probes --judge JUDGE", language="shell")


biases = Panel(
    "judge_biases_oversight",
    {
        "judge": "judge_id",
        "what moves it": lambda row: BIASES.get(row["effect"], row["effect"]),
        "protocol": "protocol",
        "effect, points": percent_of("estimate"),
        "95 % interval": band("estimate", 100),
        "debater": "debater",
        "compared": "contrast",
        "adjusted p": p_of("p_adjusted"),
        "p": p_of("p"),
        "verdicts flipped": formed("flip_share", "percent"),
        "flips": "flip_count",
        "compared pairs": "n_units",
        "stories": "n_clusters",
        "why unknown": "reason",
    },
    line=BIAS,
    draw=_draw_biases,
)


def _draw_votes(rows: Sequence[Row]) -> None:
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
            [one for one in points if one["line"] in names[:LINES_DRAWN]],
            title=_votes_title(known),
            note="Over every choice of k judges, exactly. Lines: 95 % intervals over stories.",
        )


votes = Panel(
    "judge_ensemble",
    {
        "protocol": "protocol",
        "debater": "debater",
        "judges who vote": "k",
        "of": "judge_count",
        "right": formed("accuracy", "percent"),
        "95 % interval": band("accuracy", 100),
        "more than one judge, points": percent_of("gain"),
        "its interval": band("gain", 100),
        "choices": formed("subset_count", "%.0f"),
        "judged": "n_units",
        "left out": "dropped_count",
        "stories": "n_clusters",
        "who": "judges",
        "why unknown": "reason",
    },
    line=ENSEMBLE,
    draw=_draw_votes,
)


def _draw_funnel(rows: Sequence[Row]) -> None:
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


funnel = Panel(
    "reading_funnel",
    {
        "rule": "rule",
        "removes": "description",
        "setting": "setting",
        "before": "questions_before",
        "removed": "removed_count",
        "left": "questions_after",
        "right answer withheld": "withheld_count",
        "stories": "story_count",
    },
    line="A question is removed by the first rule it breaks, and stays in the warehouse with the "
    "reason.",
    empty="This data set has no rules: every question may be debated.",
    draw=_draw_funnel,
    tall=None,
)
