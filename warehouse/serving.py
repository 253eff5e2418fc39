"""The servers of a home: a kernel file lock, and their addresses."""

import fcntl
import json
import os
from pathlib import Path
from typing import NamedTuple

from warehouse.home import Home

# Set in the servers' environment to forbid every change.
READ_ONLY = "ROSTRUM_READ_ONLY"
# Address of a Dagster that is not served with the dashboard, and its address for people.
DAGSTER_URL = "ROSTRUM_DAGSTER_URL"
DAGSTER_LINK = "ROSTRUM_DAGSTER_LINK"


class Addresses(NamedTuple):
    """Addresses of a live Rostrum."""

    dashboard: str
    dagster: str


def is_read_only() -> bool:
    """Return whether this process serves readers alone."""
    return bool(os.environ.get(READ_ONLY))


class DagsterElsewhere(NamedTuple):
    """A Dagster that is served apart from the dashboard."""

    url: str
    link: str


def dagster_elsewhere() -> DagsterElsewhere | None:
    """Return the addresses of a separate Dagster, if any."""
    url = os.environ.get(DAGSTER_URL, "").rstrip("/")
    link = os.environ.get(DAGSTER_LINK, "").rstrip("/")
    return DagsterElsewhere(url, link or url) if url else None


def live_addresses(home: Home) -> Addresses | None:
    """Return the addresses of this home's servers, if they run."""
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
    """Return the file that a home's server holds a lock on."""
    return home.root / "serve.lock"


def read_addresses(home: Home) -> Addresses | None:
    """Return the addresses in the home's file, if any."""
    try:
        return Addresses(**json.loads(home.serve_file.read_bytes()))
    except FileNotFoundError:
        return None
