"""The battery: every contrast of every judge, drawn side by side and listed."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.core import queries
from dashboard.core.charts import point
from dashboard.core.data import Answer
from dashboard.core.findings import Row, records
from dashboard.core.labels import (
    code_span,
    count,
    escape_markdown,
    interval_in,
    is_missing,
    p_value,
)
from dashboard.core.series import PERSON, Look, looks
from dashboard.core.tables import band, formed, listed, p_of, percent_of
from dashboard.core.widgets import LISTED, draw_chart, shown_of, table
from dashboard.core.words import PROMPTS, words_alone
from dashboard.debates import charts as verdict_charts
from dashboard.debates import findings as words
from dashboard.debates.labels import bias_name, effect_in, points, position_name
from warehouse.reader import Version

Several = Mapping[str, bool]
CONTRASTS_DRAWN, LEAST_CONTRASTS, LANES_DRAWN, JUDGES_DRAWN = 16, 5, 48, 12
# In pixels: what the first screen leaves for contrasts; a judge's row or a heading; a contrast with
# its numbers beside it, where there is one judge.
_FIRST_SCREEN, _ROW, _ALONE = 310, 17, 53
EFFECT_AXIS = "change in the share of verdicts for Con (side: for Pro), percentage points"


def all_looks(version: Version, judge_ids: Sequence[str]) -> dict[str, Look]:
    """Return how judges are drawn beside each other; people who judge are drawn as people."""
    known = looks(queries.judges(version).frame["judge_id"])
    return {one: known.get(one, PERSON) for one in judge_ids}


def contrast_label(row: Row, several: Several) -> str:
    """Return what one row of the battery compares, on two lines of plain text."""
    name = bias_name(row["bias"])
    joint = row["family"] == words.JOINT_MODEL
    first = name if joint else f"{name}: {contrast_name(row['contrast'])}"
    parts = []
    labels = [row[name] for name in ("verbalizer_a", "verbalizer_b") if not is_missing(row[name])]
    if labels and row["bias"] != "label":
        parts.append(str(labels[0]))
    if row["bias"] != "position" and not is_missing(row["position_a"]):
        parts.append(position_name(row["position_a"]))
    if not is_missing(row["arm_count"]) and row["arm_count"] > 1:
        parts.append(f"{int(row['arm_count'])} ways of asking together")
    if row["role"] == "test" and not is_missing(row["wording"]):
        parts.append(f"{row['wording']} prompts")
    if several.get("outcome") and not is_missing(row["outcome"]):
        parts.append(f"asked for the {row['outcome']}")
    if several.get("template") and not is_missing(row["template"]):
        parts.append(words_alone(row["template"], PROMPTS))
    return f"{first}\n{', '.join(parts)}" if parts else first


def contrast_name(contrast: Any) -> str:
    """Return what is compared with what: `con second - con first` is Con second against first."""
    text = re.sub(r"\b(con|pro)\b", lambda side: side[0].capitalize(), str(contrast))
    return text.replace(" - ", " against ")


def battery(rows: Sequence[Row], several: Several, *, title: str) -> None:
    """Draw effects with intervals, the largest first, every judge side by side.

    Args:
        rows: From `queries.battery`, of one family.
    """
    known = words.drawn(rows)
    judges = list(dict.fromkeys(row["judge_id"] for row in known))
    if len(judges) > JUDGES_DRAWN:
        st.info(
            f"The chart shows the {JUDGES_DRAWN} of {len(judges)} judges with the largest effects. "
            "The table below has all; choose judges to see others."
        )
        known = [row for row in known if row["judge_id"] in judges[:JUDGES_DRAWN]]
    labels = list(dict.fromkeys(contrast_label(row, several) for row in known))
    # As many as fit a screen or two, whatever the number of lanes in each.
    room = max(LEAST_CONTRASTS, LANES_DRAWN // max(1, len({row["judge_id"] for row in known})))
    kept = set(labels[: min(CONTRASTS_DRAWN, room)])
    if len(labels) > len(kept):
        st.info(
            f"The chart shows the {len(kept)} contrasts of {len(labels)} with the largest effects. "
            "The table below has all; choose fewer judges or prompts to see others."
        )
    shown = [row for row in known if contrast_label(row, several) in kept]
    if not shown:
        st.markdown("No contrast has an effect here; the table says what was missing.")
        return
    draw_chart(
        verdict_charts.effects,
        effect_rows(shown, several),
        axis=EFFECT_AXIS,
        title=title,
        note=(
            "Filled: significant after correction (adjusted p < 0.05). Hollow: not, or only "
            "described. Lines: 95 % intervals."
        ),
    )


def leading(rows: Sequence[Row], several: Several) -> tuple[list[Row], list[Row], str]:
    """Return the contrasts with the largest effects, the others, and what to call the others.

    The first end on the first screen; both may be drawn.

    Args:
        rows: From `queries.battery`, of one family.
    """
    known = words.drawn(rows)
    labels = list(dict.fromkeys(contrast_label(row, several) for row in known))
    judges = min(JUDGES_DRAWN, len({row["judge_id"] for row in known}))
    each = _ALONE if judges == 1 else _ROW * (1 + judges)
    first = set(labels[: max(1, _FIRST_SCREEN // each)])
    parts: tuple[list[Row], list[Row]] = ([], [])
    for row in known:
        parts[contrast_label(row, several) not in first].append(row)
    return *parts, shown_of(len(first), len(labels), "contrast")


def effect_rows(rows: Sequence[Row], several: Several) -> pd.DataFrame:
    """Return the rows of the battery as its chart draws them."""
    alone = len({row["judge_id"] for row in rows}) == 1
    data = []
    for row in rows:
        said = effect_in(row, "share_change")
        n = words.units(row)
        compared = contrast_label(row, several)
        data.append(
            {
                # With one judge, the numbers fit beside the row.
                "label": f"{compared}\n{said}, {n}" if alone else compared,
                "judge_id": row["judge_id"],
                **point(row, "share_change", 100),
                "mark": "significant" if words.significant([row]) else "not significant",
                "judge": row["judge_id"],
                "compared": compared.replace("\n", ", "),
                "effect": said,
                "adjusted p": p_value(row["p_adjusted"], adjusted=True),
                "n": f"{n}, {count(row['n_answers'])} answers",
            }
        )
    return pd.DataFrame(data)


def told_apart(frame: pd.DataFrame) -> tuple[Sequence[Row], Sequence[Row]]:
    """Return what charts and sentences are made of: contrasts, and estimates of the joint model.

    The arms that a test puts together are left out where anything was tested: there can be a
    hundred times as many, and only the table shows them.

    Args:
        frame: From `queries.battery`.
    """
    is_joint, is_arm = frame["family"] == words.JOINT_MODEL, frame["role"] == "arm"
    is_test = (frame["role"] == "test") & ~is_joint & frame["share_change"].notna()
    # A judge that has nothing else stays.
    has_more = frame["judge_id"].isin(frame.loc[~is_joint & ~is_arm, "judge_id"])
    left_out = is_arm & has_more & bool(is_test.any())
    return records(frame[~is_joint & ~left_out]), records(frame[is_joint])


def battery_table(answer: Answer, several: Several) -> None:
    """Show every contrast with its test."""
    whole = len(answer.frame)
    table(
        listed(
            records(answer.frame.head(LISTED)),
            {
                "judge": "judge_id",
                "bias": lambda row: bias_name(row["bias"]),
                "compared": lambda row: contrast_label(row, several).replace("\n", ", "),
                "effect (pp)": percent_of("share_change"),
                "95 % interval": band("share_change", 100),
                "verdict": _verdict,
                "adjusted p": p_of("p_adjusted"),
                "p": p_of("p"),
                "statistic": formed("statistic"),
                "of": "statistic_kind",
                "ways together": "arm_count",
                "ways differ, p": p_of("heterogeneity_p"),
                "I²": formed("i_squared"),
                "debates": "n_units",
                "clusters": "n_clusters",
                "answers": "n_answers",
                "left out": "incomplete_count",
                "in words": "finding",
                "why unknown": "reason",
            },
        ),
        raw=answer,
        name="bias_battery",
        height=380 if whole > 9 else None,
        whole=whole,
    )


def _verdict(row: Row) -> str:
    if row["role"] == "arm":
        return "part of a test"
    if row["role"] == "description":
        return "descriptive"
    if is_missing(row["p_adjusted"]):
        return "not tested"
    return "significant" if words.significant([row]) else "not significant"


def points_note(row: Row) -> tuple[str, str]:
    """Return the value and the note of the figure of one effect."""
    return points(row["share_change"]), (
        f"{escape_markdown(bias_name(row['bias']))}, {code_span(row['judge_id'])} · "
        f"{interval_in(row, 'share_change', 100) or 'no interval'} · "
        f"{words.units(row)}"
    )
