"""An editor that colours a query and offers tables and columns while one types.

A component of Streamlit's second kind: its HTML, style and program are files of this folder, and
what comes from data is only ever put into it as text.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import streamlit as st

_FILES = Path(__file__).parent


def editor(
    text: str, tables: Mapping[str, Sequence[str]], *, key: str, on_run: Callable[[], None]
) -> None:
    """Show the editor; the session keeps the query that was run as `run` under the key.

    Args:
        text: The query to begin with.
        tables: The columns of each table.
        key: Under which the session keeps it.
        on_run: Is called when the reader runs the query.
    """
    html, css, js = (
        (_FILES / f"editor.{ending}").read_text("utf-8") for ending in ("html", "css", "js")
    )
    show = st.components.v2.component("rostrum_sql_editor", html=html, css=css, js=js)
    show(key=key, data={"text": text, "tables": tables}, on_run_change=on_run, height="content")
