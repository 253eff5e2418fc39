"""Why do judges score as they do? The few sentences that stand for most of their reasons."""

import pandas as pd
import streamlit as st

from dashboard.app import draw
from dashboard.core.choices import choose_one, filter_row
from dashboard.core.data import Answer
from dashboard.core.findings import Row, records
from dashboard.core.labels import code_span, escape_markdown, is_missing
from dashboard.core.widgets import headline, how_computed, next_steps, page_title, sample_badge
from dashboard.core.words import PROMPTS, prompt_name, worded
from dashboard.speeches.why import evidence as why_evidence
from dashboard.speeches.why import judges as why_judges
from dashboard.speeches.why import panels as why_panels
from dashboard.speeches.why import queries as why_queries
from dashboard.speeches.why.findings import why_finding
from dashboard.speeches.why.labels import ALL, METRICS, judge_label
from warehouse.reader import Version

PAGE = "why"


def page(version: Version) -> None:
    """Draw the page over one published version."""
    top = page_title("Why judges say what they say")
    analyses = why_queries.analyses(version).frame
    if analyses.empty:
        _nothing_analysed()
        return
    analysis, judge = _select(analyses)
    name = str(analysis["analysis_id"])
    if analysis["is_sample"]:
        sample_badge(top)
    covered = why_queries.coverage(version, name)
    points = why_queries.key_points(version, name)
    sources = why_queries.polarity(version, name, judge)
    parts = why_queries.by_source(version, name, judge)
    check = why_queries.check(version, name)
    mine = next((row for row in covered.rows if row["judge_id"] == judge), None)
    own = [row for row in points.rows if row["judge_id"] == judge]
    headline(why_finding(judge, sources.rows, own, mine))
    why_panels.figures(mine, check.rows)
    why_panels.by_source(sources, parts, _scale(analysis))
    _made(analysis)
    st.subheader("What do judges praise and fault most?", anchor=False)
    why_evidence.top_lists(PAGE, points, judge)
    answers: list[tuple[str, Answer]] = why_evidence.opened(PAGE, version, name, judge, points)
    st.subheader("Do judges give the same reasons?", anchor=False)
    answers += why_judges.judges_apart(PAGE, version, name, judge, points)
    why_panels.trust(covered, check)
    how_computed(
        METRICS,
        [
            ("Key points", points),
            ("By source", parts),
            ("Share positive", sources),
            ("Coverage", covered),
            ("Agreement with labels", check),
            *answers,
        ],
    )


def _made(row: Row) -> None:
    st.caption(
        f"Prompt: {escape_markdown(prompt_name(row['template']))}; sentences by "
        f"{code_span(row['rephraser'])}, polarity by {code_span(row['polarity_by'])}, compared by "
        f"{code_span(row['embedder'])} from {row['match_threshold']:g} on · made "
        f"{row['made_at']:%Y-%m-%d %H:%M} UTC"
    )


def _nothing_analysed() -> None:
    sentence = (
        "**No judge's reasons have been analysed yet.** Have a judge score speeches with a prompt "
        "that asks for reasons, then find what they have in common:"
    )
    commands = (
        "rostrum run speech-score-justified --judge JUDGE\nrostrum keypoints reasons --data DATASET"
    )
    next_steps((sentence, commands), demo="judges")


def _select(analyses: pd.DataFrame) -> tuple[Row, str]:
    rows = {str(row["analysis_id"]): row for row in records(analyses)}
    boxes, _ = filter_row(PAGE, [5, 4])
    with boxes[0]:
        name = choose_one(
            PAGE,
            "analysis",
            "Analysis",
            {
                one: f"{one}: {row['title']}, {worded(row['template'], PROMPTS)}"
                for one, row in rows.items()
            },
            then_forget=("judge", "with", "point", "sentence"),
        )
    judges = [str(one) for one in rows[name]["judge_ids"]]
    if len(judges) != 1:
        judges = [ALL, *judges]
    with boxes[1]:
        judge = choose_one(
            PAGE,
            "judge",
            "Judge",
            {one: judge_label(one) for one in judges},
            then_forget=("with", "point", "sentence"),
        )
    return rows[name], judge


def _scale(analysis: Row) -> tuple[float, float] | None:
    if is_missing(analysis["scale_min"]) or is_missing(analysis["scale_max"]):
        return None
    return float(analysis["scale_min"]), float(analysis["scale_max"])


if __name__ == "__main__":
    draw(page)
