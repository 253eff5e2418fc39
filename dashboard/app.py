"""Navigation, and the footer that says which published version a page shows. Nothing else."""

from collections.abc import Callable

import streamlit as st

from dashboard.core import queries
from dashboard.core.access import is_admitted, show_entrance, show_reader
from dashboard.core.choices import NotThere, not_there
from dashboard.core.data import newest_version, one_version, version_of_run
from dashboard.core.labels import code_span
from dashboard.core.widgets import is_whole
from warehouse.errors import NothingPublished, VersionGone, WarehouseError
from warehouse.home import find_home
from warehouse.reader import Version

SECONDS_BETWEEN_LOOKS = 20
_OWN_STUDY = "rostrum ingest study --name my-study --items items.csv --ratings ratings.csv"
_STYLE = (
    "<style>.stMainBlockContainer { padding-top: 4rem; }"
    ".stSelectbox input { text-overflow: ellipsis; }"
    ".stHorizontalBlock > :only-child > .stVerticalBlock:has(.stMetric) {"
    " flex-flow: row wrap; align-items: baseline; gap: 0 1rem; border: none; padding: 0;"
    " > * { width: auto; } }</style>"
)


def main() -> None:
    """Run one page over one published version."""
    st.set_page_config(page_title="Rostrum", layout="wide")
    # Streamlit leaves a tenth of the first screen empty above a page, cuts a choice that is longer
    # than its box without a sign, and gives a figure that stands alone a card as wide as the page;
    # it has no setting for any of these. Such a figure reads as a line.
    st.html(_STYLE)
    # Before anything is read. What is drawn for others comes after the navigation: the first run of
    # a page by itself would give it another key, and its first click would be lost.
    may_enter = is_admitted()
    start_run = st.Page("pages/start_run.py", title="Start a run")
    has_transcripts = may_enter and _has_transcripts()
    page = st.navigation(
        {
            "Start": [st.Page("pages/start.py", title="Start", default=True)],
            "Judges": [
                st.Page("pages/judge.py", title="A judge's profile"),
                st.Page("pages/decide.py", title="Decide"),
                st.Page("pages/judge_against_judge.py", title="Judge against judge"),
                st.Page("pages/bias_lab.py", title="Bias lab"),
                st.Page("pages/why.py", title="Why"),
            ],
            "Subjects": [
                st.Page("pages/speech_judges.py", title="Speech judges"),
                st.Page("pages/parliamentary.py", title="Parliamentary"),
                st.Page("pages/debatable_questions.py", title="Debatable questions"),
                st.Page("pages/metric_trust.py", title="Can this metric be trusted?"),
                st.Page("pages/oversight.py", title="Oversight"),
            ],
            "Read": [
                st.Page("pages/search.py", title="Search"),
                st.Page("pages/review.py", title="Review"),
                st.Page("pages/request.py", title="One request", visibility="hidden"),
                st.Page("pages/debate_reader.py", title="Debate reader"),
                st.Page("pages/judge_yourself.py", title="Judge it yourself"),
                st.Page(
                    "pages/transcripts.py",
                    title="Transcripts",
                    visibility="visible" if has_transcripts else "hidden",
                ),
            ],
            "Runs and data": [
                start_run,
                st.Page("pages/runs.py", title="Runs"),
                st.Page("pages/replication.py", title="Replication"),
                st.Page("pages/sql.py", title="SQL"),
                st.Page("pages/glossary.py", title="Glossary"),
            ],
        },
        position="top" if may_enter else "hidden",
    )
    if not may_enter:
        show_entrance()
        return
    try:
        with one_version() as version:
            page.run()
            if not is_whole():
                _footer(version, is_source=page is not start_run)
    except NothingPublished:
        _nothing_published(page.title)
        show_reader()
    except VersionGone:
        # Pruned while it was read. The next run looks up the newest, which is never a pruned one.
        st.rerun()
    except WarehouseError as error:
        st.error("This page could not be read from the published warehouse:")
        st.code(str(error), language=None, wrap_lines=True)
        st.markdown("Build and publish again with this command, then reload the page:")
        st.code("rostrum build", language="shell")
        show_reader()


def _has_transcripts() -> bool:
    """Whether anything was transcribed: else its page is reached by its address alone."""
    try:
        return not queries.any_transcript(newest_version()).frame.empty
    except WarehouseError:
        return False


def draw(page: Callable[[Version], None]) -> None:
    """Draw a page over the version of this run.

    Streamlit takes any folder named `pages` for its older kind of app. When the first page that a
    server is asked for is one of its files, that file runs alone, without navigation or version;
    then the whole app is run from here, which comes back to the page.

    Args:
        page: The page's own function.
    """
    version = version_of_run()
    if version is None:
        main()
    else:
        try:
            page(version)
        except NotThere as missing:
            not_there(missing)


def _nothing_published(title: str) -> None:
    st.header(title)
    st.markdown(
        "**Nothing is published yet, so there is nothing to show.** This command loads the bundled "
        "sample, runs judges that need no key and no network, and publishes the result:"
    )
    st.code("rostrum demo", language="shell")
    st.markdown("With data of your own, load it:")
    st.code(_OWN_STUDY, language="shell")
    st.caption(f"Home: {code_span(find_home().root)}")
    _wait_for_first_version()


@st.fragment(run_every=SECONDS_BETWEEN_LOOKS)
def _wait_for_first_version() -> None:
    try:
        newest_version()
    except NothingPublished:
        st.caption("This page looks again by itself.")
        return
    st.rerun()


def _footer(version: Version, *, is_source: bool) -> None:
    st.divider()
    row = queries.publication(version).frame.to_dict("records")[0]
    st.caption(
        f"Published warehouse {code_span(version.name)}, "
        f"{version.published_at:%Y-%m-%d %H:%M} UTC, made by Rostrum "
        f"{code_span(row['code_version'])}."
        f"{' All numbers on this page come from it.' if is_source else ''}"
    )
    show_reader()
    _newer_version_notice(version)


@st.fragment(run_every=SECONDS_BETWEEN_LOOKS)
def _newer_version_notice(shown: Version) -> None:
    try:
        newest = newest_version()
    except NothingPublished:
        return
    if newest.name == shown.name:
        return
    st.info(f"A newer version has been published: {code_span(newest.name)}.")
    if st.button("Show the newer version", key="app_newer"):
        st.rerun()


if __name__ == "__main__":
    main()
