"""A judge's profile: can this one be trusted, for what, and where is the evidence?"""

import re
from functools import partial

import streamlit as st

from dashboard.app import draw
from dashboard.core.choices import choose_one, reset_button
from dashboard.core.findings import Finding
from dashboard.core.labels import KAPPA, LATENCY, TAU_C, code_span, escape_markdown
from dashboard.core.widgets import (
    draw_chart,
    headline,
    how_computed,
    next_steps,
    sample_badge,
    table,
    unfolding,
)
from dashboard.debates.labels import ACCURACY, AGREEMENT, BATTERY, CONSISTENCY, JOINT
from dashboard.judges.profile import findings, queries
from dashboard.judges.profile.files import profile_html, profile_latex, profile_pdf
from dashboard.judges.profile.gather import Profile, make_profile
from dashboard.judges.profile.parts import Section
from warehouse.reader import Version

PAGE = "judge"
NOBODY = "nobody"
_FILES = (
    ("HTML", profile_html, "html", "text/html", "One file with its charts inside, for any reader."),
    ("LaTeX tables", profile_latex, "tex", "application/x-tex", "For booktabs and longtable."),
    ("PDF", profile_pdf, "pdf", "application/pdf", "Findings and charts on one long page."),
)


def page(version: Version) -> None:
    """Draw the page over one published version."""
    st.header("A judge's profile")
    who = {str(row["judge_id"]): row for row in queries.judges(version).rows}
    if not who:
        next_steps(
            ("**No judge is known yet.** See which there are:", "rostrum judges"), demo="judges"
        )
        return
    names = {one: f"{one} ({_kind(one, who)})" for one in who}
    left, right, files, reset = st.columns([9, 9, 4, 5], vertical_alignment="bottom")
    with left:
        judge = choose_one(PAGE, "judge", "Judge", names)
    with right:
        second = choose_one(PAGE, "with", "Compared with", {NOBODY: "nobody"} | names)
    with reset:
        reset_button(PAGE)
    judges = (judge,) if second in (NOBODY, judge) else (judge, second)
    profile = make_profile(version, judges, who)
    with files:
        _files(profile)
    headline(Finding(_unbroken(profile.headline), _unbroken(profile.rest)))
    described = zip(judges, profile.about, strict=True)
    line = st.container(horizontal=True, vertical_alignment="center")
    if profile.is_sample:
        sample_badge(line)
    with line:
        st.caption(
            " · ".join(f"{code_span(one)} {escape_markdown(text)}" for one, text in described)
        )
    _section(profile.main)
    for section in profile.sections:
        if section is profile.main:
            continue
        if not section.rows:
            st.caption(f"**{section.title}** {section.missing}")
            continue
        brief = f" · {escape_markdown(section.brief)}" if section.brief else ""
        unfolding(f"**{section.title}**{brief}", _section, section, key=f"{PAGE}_{section.name}")
    how_computed(
        [KAPPA, TAU_C, ACCURACY, BATTERY, JOINT, CONSISTENCY, AGREEMENT, LATENCY], profile.answers
    )


def _unbroken(text: str) -> str:
    """Return plain text as Markdown; where a number must not break, it still does not."""
    return "\u00a0".join(escape_markdown(part) for part in text.split("\u00a0"))


def _kind(judge_id: str, who: dict[str, dict[str, object]]) -> str:
    return findings.about(judge_id, who[judge_id]).split(",")[0].split(":")[0]


def _files(profile: Profile) -> None:
    name = re.sub(r"[^A-Za-z0-9.-]+", "_", "_with_".join(profile.judges))
    with st.popover("Download", help="The profile as one file.", width="stretch"):
        # Made when asked for: drawing the charts for a file takes a second or two.
        for label, make, ending, mime, explain in _FILES:
            st.download_button(
                f"Download as {label}",
                data=partial(make, profile),
                file_name=f"judge_{name}.{ending}",
                mime=mime,
                key=f"{PAGE}_{ending}",
                on_click="ignore",
                help=explain,
            )


def _section(section: Section) -> None:
    for sentence in section.sentences:
        st.markdown(escape_markdown(sentence))
    if not section.rows:
        st.markdown(section.missing)
        return
    across = 3 if section.name == "confusion" else 1
    for start in range(0, len(section.charts), across):
        boxes = st.columns(across) if across > 1 else [st.container()]
        for box, chart in zip(boxes, section.charts[start : start + across], strict=False):
            with box:
                draw_chart(chart.make, *chart.frames, **chart.settings)
    for one in section.links:
        st.page_link(
            f"pages/{one.page}.py",
            label=escape_markdown(one.label),
            icon=":material/arrow_forward:",
            query_params=one.parameters,
        )
    table(section.table, height=380 if len(section.table) > 9 else None)


if __name__ == "__main__":
    draw(page)
