"""Which process serves a home: a kernel file lock, and the addresses beside it."""

import fcntl
import json
import os
from pathlib import Path
from typing import NamedTuple

from warehouse.home import Home

# Set in the servers' environment where nobody may start, hand in or change anything.
READ_ONLY = "ROSTRUM_READ_ONLY"
# Where Dagster answers, where it is not served beside the dashboard, and under which address people
# reach it, where that is another.
DAGSTER_URL = "ROSTRUM_DAGSTER_URL"
DAGSTER_LINK = "ROSTRUM_DAGSTER_LINK"


class Addresses(NamedTuple):
    """Where a live Rostrum answers."""

    dashboard: str
    dagster: str


def is_read_only() -> bool:
    """Whether this process serves readers alone."""
    return bool(os.environ.get(READ_ONLY))


class DagsterElsewhere(NamedTuple):
    """A Dagster that is served apart from the dashboard."""

    url: str
    link: str


def dagster_elsewhere() -> DagsterElsewhere | None:
    """Return where Dagster answers; None where it is served beside the dashboard, if at all."""
    url = os.environ.get(DAGSTER_URL, "").rstrip("/")
    link = os.environ.get(DAGSTER_LINK, "").rstrip("/")
    return DagsterElsewhere(url, link or url) if url else None


def live_addresses(home: Home) -> Addresses | None:
    """Return where this home is served, or None when it is not, or not yet.

    Args:
        home: The home that may be served.
    """
    try:
        descriptor = os.open(lock_file(home), os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return read_addresses(home)
    finally:
        os.close(descriptor)
    return None


def lock_file(home: Home) -> Path:
    """Return the file that whoever serves a home holds a lock on."""
    return home.root / "serve.lock"


def read_addresses(home: Home) -> Addresses | None:
    """Return the addresses in the home's file; None when there is none."""
    try:
        return Addresses(**json.loads(home.serve_file.read_bytes()))
    except FileNotFoundError:
        return None
