"""A chart to take along: as SVG and PNG, its data, the SQL behind it, a link that restores it."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st
from streamlit.errors import StreamlitDuplicateElementKey

from dashboard.core.data import Answer, asked_so_far
from warehouse.safe_text import without_formula

_PNG_SCALE = 2
_NAME_LENGTH = 60
_BEHIND: ContextVar[tuple[str, ...]] = ContextVar("behind", default=())


@contextmanager
def behind(*drawn: Any) -> Iterator[None]:
    """Name the queries that gave what is drawn inside; else it is all that the page asked.

    Args:
        drawn: The answers to them; what is no answer is passed over.
    """
    named = tuple(one.sql for one in drawn if isinstance(one, Answer))
    token = _BEHIND.set(named or _BEHIND.get())
    try:
        yield
    finally:
        _BEHIND.reset(token)


def chart_menu(digest: str, spec: Callable[[], dict[str, Any]]) -> None:
    """Offer a chart's files, data, SQL and link; they are made when a reader asks for them.

    Args:
        digest: Tells the chart from others.
        spec: Returns it as Vega-Lite with its rows.
    """
    _menu(digest[:16], spec, _BEHIND.get() or asked_so_far())


@st.fragment
def _menu(key: str, spec: Callable[[], dict[str, Any]], queries: Sequence[str]) -> None:
    label, explain = ":material/download:", "This chart as SVG, PNG or data, with its SQL and link"
    try:
        menu = st.popover(
            label, type="tertiary", help=explain, on_change="rerun", key=f"chart_{key}"
        )
    except StreamlitDuplicateElementKey:
        # Two charts that are equal in all, such as those of two constant judges, have one menu.
        return
    if menu.open:
        with menu:
            _offer(key, spec(), queries)


def _offer(key: str, spec: dict[str, Any], queries: Sequence[str]) -> None:
    name = file_name(spec)
    files: tuple[tuple[str, str, Callable[[], bytes]], ...] = (
        ("svg", "image/svg+xml", lambda: svg_file(spec)),
        ("png", "image/png", lambda: png_file(spec)),
        ("csv", "text/csv", lambda: csv_file(data_of(spec))),
    )
    for box, (ending, mime, made) in zip(st.columns(len(files)), files, strict=True):
        with box:
            st.download_button(
                ending.upper(),
                data=made,
                file_name=f"{name}.{ending}",
                mime=mime,
                key=f"chart_{key}_{ending}",
                on_click="ignore",
            )
    st.markdown("**A link to this view**")
    st.code(address(), language=None, wrap_lines=True)
    st.markdown("**The SQL behind it**")
    for sql in queries:
        st.code(sql, language="sql", height=200 if sql.count("\n") > 8 else "content")
        st.page_link("pages/sql.py", label="Open in SQL", query_params={"q": sql})


def address() -> str:
    """Return the address that restores what a reader looks at."""
    chosen = {name: st.query_params.get_all(name) for name in st.query_params}
    asked = urlencode(chosen, doseq=True)
    return f"{st.context.url or ''}{'?' * bool(asked)}{asked}"


def file_name(spec: dict[str, Any]) -> str:
    """Return what a chart's files are called, after its title."""
    title = spec.get("title") or "chart"
    text = title if isinstance(title, str) else title.get("text", "chart")
    plain = text if isinstance(text, str) else " ".join(text)
    words = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_")
    return words[:_NAME_LENGTH].strip("_").lower() or "chart"


def svg_file(spec: dict[str, Any]) -> bytes:
    """Return a chart as an SVG file."""
    from dashboard.core.html_file import svg

    return svg(spec).encode()


def png_file(spec: dict[str, Any]) -> bytes:
    """Return a chart as a PNG file, sharp enough for print."""
    import vl_convert

    from dashboard.core.html_file import alone

    drawn: bytes = vl_convert.vegalite_to_png(json.dumps(alone(spec)), scale=_PNG_SCALE)
    return drawn


def data_of(spec: dict[str, Any]) -> pd.DataFrame:
    """Return the rows that a chart draws; of several sets the longest, which are its marks."""
    rows: list[dict[str, Any]] = max(spec.get("datasets", {}).values(), key=len, default=[])
    return pd.DataFrame(rows)


def csv_file(frame: pd.DataFrame) -> bytes:
    """Return rows as CSV, whose text cells no spreadsheet runs as formulas."""
    safe = frame.map(without_formula).rename(columns=without_formula)
    text: str = safe.to_csv(index=False)
    return text.encode()
