"""Everything about one judge of debates on one page, to read here or to take along."""

from __future__ import annotations

import re

import streamlit as st

from dashboard.app import draw
from dashboard.core.findings import Finding
from dashboard.core.labels import escape_markdown
from dashboard.core.widgets import ANY_SIZE, draw_chart, headline, how_computed, sample_badge, table
from dashboard.debates import queries as verdict_queries
from dashboard.debates.labels import ACCURACY, AGREEMENT, BATTERY, CONSISTENCY, JOINT, RELEASED
from dashboard.debates.selection import nothing_judged, select
from dashboard.judges.card import Card, Section, make_card
from dashboard.judges.card_files import card_html, card_latex
from warehouse.reader import Version

PAGE = "judge_card"


def page(version: Version) -> None:
    """Draw the page over one published version."""
    st.header("Judge card")
    choices = verdict_queries.choices(version).frame
    if choices.empty:
        nothing_judged("everything about one judge")
        return
    chosen = select(PAGE, choices, one_judge=True)
    card = make_card(
        version, chosen.bench, chosen.title, chosen.several, is_sample=chosen.is_sample
    )
    if card.is_sample:
        sample_badge()
    headline(Finding(escape_markdown(card.headline)))
    st.caption(f"{escape_markdown(card.about)}.")
    _files(card)
    for section in card.sections:
        _section(section)
    how_computed([ACCURACY, RELEASED, BATTERY, JOINT, CONSISTENCY, AGREEMENT], card.answers)


def _files(card: Card) -> None:
    name = f"judge_card_{re.sub(r'[^A-Za-z0-9.-]+', '_', card.judge_id)}"
    left, right, _ = st.columns([2, 2, 5])
    # Made when asked for: drawing the charts for a file takes a second or two.
    with left:
        st.download_button(
            "Download as HTML",
            data=lambda: card_html(card),
            file_name=f"{name}.html",
            mime="text/html",
            key=f"{PAGE}_html",
            on_click="ignore",
            help="One file with its charts inside. It opens anywhere, without a network.",
        )
    with right:
        st.download_button(
            "Download LaTeX tables",
            data=lambda: card_latex(card),
            file_name=f"{name}.tex",
            mime="application/x-tex",
            key=f"{PAGE}_latex",
            on_click="ignore",
            help="Every table of this page, for booktabs and longtable.",
        )


def _section(section: Section) -> None:
    st.subheader(section.title, anchor=False)
    for sentence in section.sentences:
        st.markdown(escape_markdown(sentence))
    if section.table.empty:
        st.markdown(section.missing)
        return
    if len(section.charts) == 1:
        chart = section.charts[0]
        draw_chart(chart.make, *chart.frames, **chart.settings)
    elif section.charts:
        for start in range(0, len(section.charts), 3):
            for box, chart in zip(st.columns(3), section.charts[start : start + 3], strict=False):
                with box:
                    draw_chart(chart.make, *chart.frames, **chart.settings)
    numeric = [
        name
        for name in section.table.columns
        if section.table[name].dtype.kind == "f" and not name.startswith(("debates", "answers"))
    ]
    table(
        section.table,
        formats=dict.fromkeys(numeric, ANY_SIZE),
        height=380 if len(section.table) > 9 else None,
    )


if __name__ == "__main__":
    draw(page)
