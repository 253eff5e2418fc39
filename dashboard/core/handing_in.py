"""Handing in what a person decides on a page: under which name, and whether the inbox takes it."""

import os
import re

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.core.access import is_read_only
from dashboard.core.choices import change_url
from warehouse.home import Home

LONGEST_NAME = 60
_UNFIT = re.compile(r"[\x00-\x1f\x7f]")


def name_problem(name: str) -> str:
    """Return why a name cannot be used; empty where it can."""
    if not name:
        return "Give a name first: any name you will give again next time."
    if len(name) > LONGEST_NAME or _UNFIT.search(name):
        return f"A name has at most {LONGEST_NAME} characters, all of them visible."
    try:
        name.encode()
    except UnicodeEncodeError:
        return "This name holds half a character; type it again."
    return ""


def asked_name(
    page: str, label: str, place: DeltaGenerator, explained: str, placeholder: str = ""
) -> str:
    """Let a reader give the name to hand in under; the URL keeps it.

    Args:
        place: Where the box goes.
        explained: What the box says on demand.
        placeholder: What an empty box says.
    """
    key = f"{page}_person"
    if key not in st.session_state:
        st.session_state[key] = st.query_params.get("person", "")

    def keep() -> None:
        change_url({"person": st.session_state[key].strip() or None})

    name = place.text_input(label, key=key, on_change=keep, help=explained, placeholder=placeholder)
    return name.strip()


def waiting(home: Home) -> set[str]:
    """Return the names of the files that wait in the inbox."""
    return {path.name for path in home.inbox.iterdir()} if home.inbox.is_dir() else set()


def why_not_writable(home: Home, so: str = "nothing can be handed in") -> str:
    """Return why nothing can be handed in; empty where it can.

    Args:
        so: What follows from it.
    """
    if is_read_only():
        return f"This dashboard is served read-only, so {so}."
    folder = home.inbox if home.inbox.exists() else home.root
    if os.access(folder, os.W_OK):
        return ""
    return (
        f"This dashboard cannot write to the inbox of its home, so {so}. Ask its owner to start it "
        "as the owner of that folder."
    )
