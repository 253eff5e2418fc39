"""Which lake a trial's home has, if any: a file beside the home says so, as each trial has its own."""

import json
from pathlib import Path

from warehouse.home import Home
from warehouse.lake.settings import DATA_SETTING, SETTING, Lake, parse_lake

_FILE = "lake.json"


def write_lake(home: Home, postgres: str, data: Path) -> None:
    said = {SETTING: f"ducklake:postgres:{postgres}", DATA_SETTING: str(data)}
    (home.root.parent / _FILE).write_text(json.dumps(said))


def environ_of(home: Home) -> dict[str, str]:
    """Return what the environment of a home's commands has besides: where its lake is."""
    path = home.root.parent / _FILE
    found: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    return found


def lake_beside(home: Home) -> Lake | None:
    """Return the lake of a home; None where the warehouse is a file in it."""
    said = environ_of(home)
    return parse_lake(said[SETTING], said[DATA_SETTING]) if said else None
