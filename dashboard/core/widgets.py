"""Pieces that several pages show: figures, charts, tables, notes, downloads."""

import hashlib
import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

import altair as alt
import pandas as pd
import streamlit as st
from altair.utils import schemapi
from streamlit.dataframe_util import convert_anything_to_arrow_bytes
from streamlit.delta_generator import DeltaGenerator

from dashboard.core.chart_files import behind, chart_menu, csv_file
from dashboard.core.choices import change_url
from dashboard.core.data import LIFETIME, Answer
from dashboard.core.findings import Finding
from dashboard.core.glossary import explained, named
from dashboard.core.labels import (
    RESTS_ON,
    UNKNOWN,
    Metric,
    count,
    escape_markdown,
    is_missing,
    plural,
)
from dashboard.core.narrow import fitted
from dashboard.core.vega import as_vega_lite
from dashboard.core.words import EXPERIMENTS, PROMPTS, worded
from warehouse.errors import VersionGone

# Number formats of table columns: three significant digits of a coefficient, a score, anything.
COEFFICIENT, SCORE, ANY_SIZE = "%.3f", "%.2f", "%.3g"
CACHED_CHARTS = 500
# Set in the session of whoever takes a page as a whole, as for a file: then nothing is folded away.
WHOLE = "app_whole"
# Of a table: the column of the mart under each heading, and what of it.
BEHIND = "rostrum_behind"
# Likewise the formats of its columns of numbers.
FORMATS = "rostrum_formats"
HOW_COMPUTED = "How this is computed"
OPENED_COLUMNS = 7
# A table is sent whole: of more rows a page gets heavy, and nobody reads them one by one.
LISTED = 1_000
# How many an estimate rests on, in a table's own word, and why it has none.
COUNTS = (
    "n",
    "debates",
    "speeches",
    "questions",
    "stories",
    "answers",
    "requests",
    "justifications",
)
REASONS = ("why unknown", "why not")
# Text that is read at a glance, such as an interval, and how much longer than the mean is uneven.
_SHORT_TEXT, _UNEVEN = 40, 1.5
_WORDS = {"prompt": PROMPTS, "experiment": EXPERIMENTS}
Shown = TypeVar("Shown")
MakesChart = Callable[..., alt.LayerChart | alt.Chart]
ID_COLUMNS = ("judge", "model", "evaluator", "prompt")
SAMPLE_NOTE = (
    "Written for this project by a seeded generator. It shows how Rostrum works and says nothing "
    "about real debates or real judges."
)


# What the headline of the page says that is being drawn.
_HEADLINE: ContextVar[str] = ContextVar("headline", default="")
_INTERVAL = re.compile(r"\[[^\]]*\]")
# Else Altair checks each part of a chart as it is made; tests check the whole.
schemapi.disable_debug_mode()


class Chart(NamedTuple):
    """A chart before it is drawn, so that a page and an exported file draw the same.

    Attributes:
        make: One of the functions of the chart modules.
        frames: Its positional arguments.
        settings: Its other arguments.
    """

    make: MakesChart
    frames: tuple[Any, ...]
    settings: dict[str, Any]

    def spec(self, width: int) -> dict[str, Any]:
        """Return the chart as Vega-Lite, this wide in pixels."""
        return as_vega_lite(self.make(*self.frames, **self.settings).properties(width=width))


def page_title(title: str) -> DeltaGenerator:
    """Show what a page is called, and return the place beside it."""
    top = st.container(horizontal=True, vertical_alignment="center")
    top.header(title, width="content")
    return top


def sample_badge(place: DeltaGenerator) -> None:
    """Mark what is shown as sample data.

    Args:
        place: Where the mark goes, such as beside the page's title.
    """
    place.badge("Sample data", color="orange", help=SAMPLE_NOTE)


def figure_row() -> DeltaGenerator:
    """Return the place for figures side by side, which close up where one is not drawn."""
    return st.container(horizontal=True)


def figure(label: str, value: str, note: str, explain: str) -> None:
    """Show one figure with its interval and n, and its meaning on hover.

    What the page's headline gives already, with the same interval, is not drawn again.

    Args:
        label: What it is; Markdown, so text from data must be escaped.
        value: The number alone.
        note: Interval and n.
        explain: One line on what it means.
    """
    if _is_said(value, note):
        return
    with st.container(border=True, height="stretch", gap=None):
        # The metric's own label is cut where it is wider than its place.
        st.markdown(f":small[{label}]", help=explain)
        st.metric(label, value, label_visibility="collapsed")
        st.caption(note)


def headline(finding: Finding) -> None:
    """Show what the page found."""
    _HEADLINE.set(finding.headline)
    st.markdown(f"#### {finding.headline}")
    if finding.rest:
        st.markdown(finding.rest)


def _is_said(value: str, note: str) -> bool:
    said = _HEADLINE.get()
    if value == UNKNOWN:
        return note in said
    # A number alone may be that of something else; with its unit or its whole it is not.
    interval = _INTERVAL.search(note)
    if interval is None:
        return (value if " " in value else f"{value} {note}") in said
    return value in said and interval[0] in said


def draw_chart(
    make: Callable[..., alt.LayerChart | alt.Chart], *frames: Any, **settings: Any
) -> None:
    """Draw a chart as wide as its place.

    Args:
        make: One of the functions of `charts`.
        frames: Its positional arguments; rows become a frame.
        settings: Its other arguments.
    """
    frames = tuple(map(_framed, frames))
    # Pickled, as Streamlit takes ten times as long to look at frames column by column.
    key = pickle.dumps((make.__module__, make.__name__, frames, settings))
    digest = hashlib.sha256(key).hexdigest()
    st.vega_lite_chart(_chart_spec(digest, make, frames, settings), width="stretch")
    if not is_whole():
        chart_menu(digest, lambda: as_vega_lite(make(*frames, **settings)))


def _framed(one: Any) -> Any:
    is_rows = isinstance(one, list) and all(isinstance(row, Mapping) for row in one)
    return pd.DataFrame(one) if is_rows else one


# Altair takes 20 ms to build a chart, and a page has twenty. What it builds depends on
# nothing but the arguments, all of which are in the key. The rows are kept as Streamlit sends them,
# who would else turn them into Arrow each time.
@st.cache_resource(ttl=LIFETIME, max_entries=CACHED_CHARTS, show_spinner=False)
def _chart_spec(
    key: str,  # noqa: ARG001 - the digest of all the rest
    _make: MakesChart,
    _frames: tuple[Any, ...],
    _settings: dict[str, Any],
) -> dict[str, Any]:
    spec = as_vega_lite(_make(*_frames, **_settings))
    rows = spec.get("datasets", {})
    sent = {name: convert_anything_to_arrow_bytes(one) for name, one in rows.items()}
    return {**fitted(spec), "description": spoken_name(spec), "datasets": sent}


def spoken_name(spec: Mapping[str, Any]) -> str:
    """Return what a screen reader calls a chart: what it shows, and where its rows can be read.

    Args:
        spec: The chart as Vega-Lite takes it.
    """
    text = _first_title(spec)
    named = f"Chart: {text.rstrip('.')}." if text else "Chart."
    return f"{named} Its rows are a table under Show data."


def _first_title(part: Any) -> str:
    """Return a chart's title; where it has none, that of its first part or axis that has one."""
    if isinstance(part, Mapping):
        title = part.get("title") or ""
        said = title.get("text", "") if isinstance(title, Mapping) else title
        own = " ".join(said) if isinstance(said, list) else str(said)
        skipped = ("data", "datasets", "config")
        parts = [value for name, value in part.items() if name not in skipped]
        return own or next(filter(None, map(_first_title, parts)), "")
    if isinstance(part, list):
        return next(filter(None, map(_first_title, part)), "")
    return ""


def table(
    shown: pd.DataFrame,
    *,
    formats: Mapping[str, str] | None = None,
    raw: Answer | None = None,
    name: str = "",
    height: int | None = None,
    whole: int | None = None,
) -> None:
    """Show a sortable table; unknown values are a dash.

    Args:
        shown: What to show; of more than `LISTED` rows the first.
        formats: How to show columns of numbers; else as `tables.listed` was told.
        raw: What to offer for download: the mart's own columns, unrounded.
        name: Name of the downloaded file.
        height: In pixels; else as high as its rows.
        whole: How many rows there are, where `shown` has only the first of them.
    """
    formats = shown.attrs.get(FORMATS, {}) if formats is None else formats
    whole, shown = whole or len(shown), _in_words(shown.head(LISTED))
    st.dataframe(
        shown,
        hide_index=True,
        placeholder="–",
        column_config=column_config(shown, formats, raw.sql if raw else ""),
        column_order=opened_columns(shown),
        height=height or "auto",
    )
    _say_what_is_hidden(shown, whole)
    if raw is not None:
        download(raw.frame, name)


def _in_words(shown: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which no code of a prompt or experiment stands without its words."""
    worded_columns = {
        name: [one if is_missing(one) else worded(one, words) for one in shown[name]]
        for name, words in _WORDS.items()
        if name in shown
    }
    return shown.assign(**worded_columns) if worded_columns else shown


def opened_columns(shown: pd.DataFrame) -> list[str]:
    """Return the columns a table opens with, at most seven: the first, how many, and why unknown.

    Args:
        shown: The table, its most important columns first.
    """
    names = [str(name) for name in shown.columns]
    if len(names) <= OPENED_COLUMNS:
        return names
    ends = [name for name in names if name in COUNTS][:1]
    ends += [name for name in names if name in REASONS and shown[name].notna().any()]
    first = [name for name in names if name not in ends][: OPENED_COLUMNS - len(ends)]
    return [*first, *ends]


def _say_what_is_hidden(shown: pd.DataFrame, whole: int) -> None:
    said = []
    if whole > len(shown):
        said.append(f"The first {count(LISTED)} of {count(whole)} rows; a file or SQL has all.")
    opened, there = len(opened_columns(shown)), len(shown.columns)
    if opened < there and not is_whole():
        said.append(f"{opened} of {there} columns; the eye above the table shows the others.")
    if said:
        st.caption(" ".join(said))


def column_config(shown: pd.DataFrame, formats: Mapping[str, str], sql: str = "") -> dict[str, Any]:
    """Return how columns are shown: numbers by format, ids and short texts whole.

    A heading says on hover what it means, where it is known which column of a mart stands under
    it (`tables.listed`), or where it is the name of a measure.

    Args:
        shown: The table.
        formats: Number formats by column.
        sql: The query that gave its rows.
    """
    config: dict[str, Any] = {
        name: st.column_config.NumberColumn(format=form) for name, form in formats.items()
    }
    for name in shown.columns:
        lengths = [len(one) for one in shown[name] if isinstance(one, str)]
        if name in formats or not lengths:
            continue
        # A browser takes the few long texts among many short ones for outliers, and cuts them.
        is_uneven = max(lengths) > _UNEVEN * sum(lengths) / len(shown)
        if name in ID_COLUMNS or (is_uneven and max(lengths) <= _SHORT_TEXT):
            widest = max(len(str(name)), *lengths)
            config[name] = st.column_config.TextColumn(width=min(340, 30 + 6 * widest))
    behind_headings = shown.attrs.get(BEHIND, {})
    for name in shown.columns:
        column, what = behind_headings.get(name, ("", ""))
        text = explained(column, sql) if column else named(str(name))
        if text:
            text = f"{what}{text}"
            config.setdefault(name, st.column_config.Column())["help"] = escape_markdown(text)
    return config


def opening_table(
    page: str,
    shown: pd.DataFrame,
    opens: Mapping[str, Sequence[str]],
    *,
    wide: str = "",
    formats: Mapping[str, str] | None = None,
    height: int | None = None,
    name: str = "table",
    then_forget: Sequence[str] = ("answer",),
) -> None:
    """Show a table of which a selected row opens what the URL then names.

    Args:
        shown: What to show.
        opens: The URL parameter, and its value for each row.
        wide: The column that gets more room than its text asks for.
        formats: How to show columns of numbers.
        height: In pixels; else as high as its rows.
        name: What tells the tables of one page apart.
        then_forget: URL parameters that belong to what was open before.
    """
    key = f"{page}_{name}_{st.session_state.get(f'{page}_closed', 0)}"

    def follow() -> None:
        rows = st.session_state[key].selection.rows
        chosen = {one: values[rows[0]] if rows else None for one, values in opens.items()}
        change_url({**chosen, **dict.fromkeys(then_forget)})

    whole, shown = len(shown), shown.head(LISTED)
    config = column_config(shown, formats or {})
    if wide:
        config[wide] = {**config.get(wide, {}), **st.column_config.TextColumn(width="large")}
    st.dataframe(
        shown,
        hide_index=True,
        placeholder="–",
        height=height or "auto",
        key=key,
        selection_mode="single-row",
        on_select=follow,
        column_config=config,
        column_order=opened_columns(shown),
    )
    _say_what_is_hidden(shown, whole)


def close_button(page: str, opened: Iterable[str]) -> None:
    """Offer to close what the URL names.

    Args:
        opened: The URL parameters that name it.
    """
    st.button("Close", key=f"{page}_close", on_click=_close, args=(page, tuple(opened)))


def _close(page: str, opened: tuple[str, ...]) -> None:
    # A table keeps its selected row for as long as it keeps its key.
    st.session_state[f"{page}_closed"] = st.session_state.get(f"{page}_closed", 0) + 1
    change_url(dict.fromkeys(opened))


def next_steps(*steps: tuple[str, str], demo: str = "") -> None:
    """Say what to do where there is nothing to show yet.

    Args:
        steps: A sentence in Markdown, and the commands it speaks of.
        demo: Who answers in the demo, such as 'judges'; without it the demo is not offered.
    """
    if demo:
        sentence = f"Or see it at once, on the bundled sample and {demo} that need no key:"
        steps = (*steps, (sentence, "rostrum demo"))
    for sentence, commands in steps:
        st.markdown(sentence)
        st.code(commands, language="shell")


def download(frame: pd.DataFrame, name: str) -> None:
    """Offer a frame as CSV, whose text cells no spreadsheet runs as formulas.

    Args:
        name: Name of the file, without its ending.
    """
    st.download_button(
        "Download as CSV",
        data=lambda: csv_file(frame),
        file_name=f"{name}.csv",
        mime="text/csv",
        key=f"download_{name}",
        on_click="ignore",
    )


def is_whole() -> bool:
    """Whether everything on the page is drawn at once, also what is folded away."""
    return bool(st.session_state.get(WHOLE))


@st.fragment
def unfolding(label: str, draw: Callable[..., object], *shown: Any, key: str | None = None) -> None:
    """Offer something that is only worked out and sent when a reader unfolds it.

    Nothing in it may change what stands elsewhere on the page, which is not drawn again.

    Args:
        label: What it is; Markdown, so text from data must be escaped.
        shown: What it draws.
        key: Tells it from another of the same label.
    """
    with st.expander(label, on_change="rerun", key=key) as fold:
        if fold.open or is_whole():
            _drawn_alone(draw, shown)


def first_screen(
    rows: Sequence[Any], most: int, noun: str, draw: Callable[..., None], *shown: Any
) -> None:
    """Draw the first rows of a long chart, and the others for whoever unfolds them.

    Args:
        rows: The most telling first.
        most: How many end on the first screen.
        noun: What one of them is called.
        draw: Draws rows.
        shown: What else it draws.
    """
    draw(rows[:most], *shown)
    if others := rows[most:]:
        called = shown_of(most, len(rows), noun)
        unfolding(called, draw, others, *shown, key=f"others_{draw.__module__}_{draw.__name__}")


def shown_of(shown: int, whole: int, noun: str) -> str:
    """Return how many of many are shown, as the name of what has the others."""
    left = whole - shown
    the_others = "one" if left == 1 else count(left)
    return f"{count(shown)} of {plural(whole, noun)} shown; the other {the_others}"


def in_columns(shown: Sequence[Shown], across: int, **layout: Any) -> Iterator[Shown]:
    """Make a place for one after the other, row by row.

    Args:
        shown: What is drawn, each in a place of its own.
        across: How many stand beside each other.
        layout: More settings of the columns.
    """
    for start in range(0, len(shown), across):
        boxes = st.columns(across, **layout)
        for one, box in zip(shown[start : start + across], boxes, strict=False):
            with box:
                yield one


@st.fragment
def side_by_side(draw: Callable[..., None], tabs: Mapping[str, tuple[Any, ...]]) -> None:
    """Show tabs, of which only the one in front is worked out and sent.

    Nothing in them may change what stands elsewhere on the page, which is not drawn again.

    Args:
        draw: Draws a tab.
        tabs: What each shows, by name.
    """
    for tab, shown in zip(st.tabs(list(tabs), on_change="rerun"), tabs.values(), strict=True):
        if tab.open or is_whole():
            with tab:
                _drawn_alone(draw, shown)


def _drawn_alone(draw: Callable[..., object], shown: Sequence[Any]) -> None:
    try:
        with behind(*shown):
            draw(*shown)
    except VersionGone:
        # Pruned since the page was drawn, which begins again with the newest.
        st.rerun()


def how_computed(
    metrics: Sequence[Metric], answers: Sequence[tuple[str, Answer]], *, of: str = "page"
) -> None:
    """Offer definitions, where the paper has them, and the queries that gave the numbers.

    Args:
        metrics: What to define.
        answers: Name of each query, and its answer.
        of: What of a page was computed.
    """
    queries = [(name, answer.sql) for name, answer in answers]
    unfolding(HOW_COMPUTED, _computation, metrics, queries, key=f"computed_{of}")


def _computation(metrics: Sequence[Metric], queries: Sequence[tuple[str, str]]) -> None:
    for metric in metrics:
        st.markdown(f"**{metric.name}.** {metric.definition}")
        st.caption(f"{metric.place}.")
    st.markdown(
        "These queries gave the numbers above. Copy one, or open it on the SQL page. Nothing "
        "else is computed here: every number is a column of a published table, or a count or "
        "sum of its rows."
    )
    st.markdown(f"**Intervals.** {RESTS_ON}")
    for name, sql in queries:
        st.markdown(f"**{name}**")
        st.code(sql, language="sql")
        st.page_link("pages/sql.py", label="Open in SQL", query_params={"q": sql})
