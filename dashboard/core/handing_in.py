"""Handing in what a person decides on a page: under which name, and whether the inbox takes it."""

from __future__ import annotations

import os
import re

from dashboard.core.access import is_read_only
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


def waiting(home: Home) -> set[str]:
    """Return the names of the files that wait in the inbox."""
    return {path.name for path in home.inbox.iterdir()} if home.inbox.is_dir() else set()


def why_not_writable(home: Home, so: str = "nothing can be handed in") -> str:
    """Return why nothing can be handed in; empty where it can.

    Args:
        home: The home.
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
