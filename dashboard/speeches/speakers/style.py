"""Style beside the difference: what of it goes with length, layout or easy sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.core import charts
from dashboard.core.charts import point
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import (
    count,
    escape_markdown,
    estimate_in,
    intervals,
    is_missing,
    number,
    percent,
    plural,
)
from dashboard.core.naming import span
from dashboard.core.widgets import ANY_SIZE, SCORE, draw_chart, table
from dashboard.core.words import prompt_name

FEATURES = {
    "word_count": "words",
    "paragraph_count": "paragraphs",
    "marker_count": "headings and list markers",
    "mean_sentence_words": "words per sentence",
    "reading_ease": "reading ease",
}
# Below this share hardly any speech of the one side is like one of the other.
LITTLE_OVERLAP = 0.1


def style(answer: Answer, speaker: str, look: Mapping[str, Any]) -> None:
    """Say, draw and list what style explains, as one judge scores.

    Args:
        answer: From `queries.style`.
        speaker: Whose speeches are compared with people's.
    """
    rows = answer.rows
    if not rows:
        st.markdown("This judge scored no topic with speeches of both.")
        return
    st.markdown(finding(rows, speaker))
    prompts = list(dict.fromkeys(row["template"] for row in rows))
    for prompt in prompts:
        _chart([row for row in rows if row["template"] == prompt], speaker, look)
    table(
        pd.DataFrame(
            {
                **({"prompt": answer.frame["template"]} if len(prompts) > 1 else {}),
                "feature": [FEATURES[row["feature"]] for row in rows],
                "speaker's mean": answer.frame["speaker_feature_mean"],
                "people's mean": answer.frame["human_feature_mean"],
                "overlap": [percent(row["overlap_share"]) for row in rows],
                "points per SD": answer.frame["slope"],
                "its interval": intervals(rows, "slope"),
                "as scored": answer.frame["difference"],
                "at equal value": answer.frame["difference_adjusted"],
                "its 95 % interval": intervals(rows, "difference_adjusted"),
                "explained": answer.frame["explained"],
                "interval of that": intervals(rows, "explained"),
                "SD": answer.frame["feature_sd"],
                "topics": answer.frame["n_units"],
                "speeches": answer.frame["n_speeches"],
                "people's speeches": answer.frame["n_human_speeches"],
                "why unknown": [row["adjusted_reason"] or row["slope_reason"] for row in rows],
            }
        ),
        formats={
            **dict.fromkeys(("speaker's mean", "people's mean", "SD"), ANY_SIZE),
            **dict.fromkeys(("points per SD", "as scored", "at equal value", "explained"), SCORE),
        },
        raw=answer,
        name="style_effect",
    )


def finding(rows: Sequence[Row], speaker: str) -> str:
    """Return how much of the difference goes with features, and which cannot be told, in Markdown.

    Args:
        rows: Of one judge, from `queries.style`.
        speaker: Whose speeches are compared with people's.
    """
    name, said = escape_markdown(speaker), []
    known = [row for row in rows if not is_missing(row["explained"])]
    if known:
        ordered = sorted(known, key=lambda row: float(row["explained"]))
        parts = dict.fromkeys(estimate_in(row, "explained") for row in (ordered[0], ordered[-1]))
        topics = span([int(row["n_units"]) for row in known], count)
        said.append(
            f"Of the difference of {number(known[0]['difference'])} points {' to '.join(parts)} go "
            f"with one of {plural(len(known), 'feature')} that can be adjusted for, each alone "
            f"({topics} topics)."
        )
    apart = [FEATURES[row["feature"]] for row in rows if row["overlap_share"] < 1e-9]
    if apart:
        each = " and ".join(dict.fromkeys(apart))
        said.append(
            f"In {each} no speech of {name} is like one of people, so whether judges like the "
            "style or the speaker cannot be told."
        )
    little = [
        FEATURES[row["feature"]] for row in rows if 1e-9 <= row["overlap_share"] < LITTLE_OVERLAP
    ]
    if little:
        said.append(
            f"In {' and '.join(dict.fromkeys(little))} hardly any is: what is left there rests on "
            "the few that are."
        )
    return " ".join(said) or f"Nothing can be adjusted for: {rows[0]['adjusted_reason']}."


def _chart(rows: Sequence[Row], speaker: str, look: Mapping[str, Any]) -> None:
    drawn = [("as scored", "difference", rows[0])] + [
        (f"at equal {FEATURES[row['feature']]}", "difference_adjusted", row)
        for row in rows
        if not is_missing(row["difference_adjusted"])
    ]
    draw_chart(
        charts.agreement,
        [
            {
                "label": f"{name}\n{estimate_in(row, value)}",
                "judge_id": row["judge_id"],
                **point(row, value),
                "overlap": percent(row["overlap_share"]) if value != "difference" else "–",
                "n": plural(int(row["n_units"]), "topic"),
            }
            for name, value, row in drawn
        ],
        None,
        look,
        axis="score points above people's speeches (higher = the speaker is put higher)",
        title=f"{speaker} against people, before and after style: {rows[0]['judge_id']}",
        note=f"Prompt: {prompt_name(rows[0]['template'])}. Dashed: no difference. "
        "Lines: 95 % intervals.",
        tooltips=["overlap", "n"],
    )
