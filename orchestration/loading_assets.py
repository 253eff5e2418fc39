"""Which assets write which raw tables, and what Dagster is told of what they have loaded, or not.

dbt knows a raw table only as a source; here stands who fills it. No asset is imported for it.
"""

import fcntl
import json
import os
from collections.abc import Mapping
from typing import Any

import dagster as dg
from dagster._core.definitions.data_version import DATA_VERSION_TAG, DEFAULT_DATA_VERSION

from orchestration.loads import notes_of
from warehouse.home import Home

_SOURCES = (("sources", "sample"), ("sources", "dataset"), ("sources", "study"))
_ANSWERS = (("model_runs", "scores"), ("sources", "imports"))
_READ_AGAIN = (*_ANSWERS, ("model_runs", "reparsed"))
_DEBATED = (*_ANSWERS, ("oversight", "tournament"))
_EXPLAINED = (("key_points", "loaded"),)
_RAW_WRITERS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "scores": _READ_AGAIN,
    "verdicts": _READ_AGAIN,
    "pressed_verdicts": (("model_runs", "scores"), ("model_runs", "reparsed")),
    "label_probabilities": _ANSWERS,
    "answers": _ANSWERS,
    "likelihoods": (("model_runs", "scores"),),
    "preferences": (("sources", "imports"),),
    "annotations": (("sources", "annotations"),),
    "human_ratings": (*_SOURCES, ("sources", "imports")),
    "human_verdicts": (*_SOURCES, ("sources", "imports")),
    "runs": (*_READ_AGAIN, ("oversight", "tournament")),
    "judges": _ANSWERS,
    "oversight_transcripts": _DEBATED,
    "oversight_turns": _DEBATED,
    "oversight_quotes": _DEBATED,
    "oversight_judgements": _DEBATED,
    **{
        f"key_point_{name}": _EXPLAINED
        for name in (
            "analyses",
            "justifications",
            "sentences",
            "matches",
            "labels",
        )
    },
    "key_points": _EXPLAINED,
}
LOADERS = sorted({dg.AssetKey(key) for keys in (_SOURCES, *_RAW_WRITERS.values()) for key in keys})
_NOTHING = "nothing"


def loaders_of(raw_table: str) -> list[dg.AssetKey]:
    """Return the assets that write a raw table."""
    return [dg.AssetKey(key) for key in _RAW_WRITERS.get(raw_table, _SOURCES)]


def note_absent(instance: dg.DagsterInstance) -> list[dg.AssetKey]:
    """Write down of each loader that has never run that it has loaded nothing; return those.

    The web interface warns of whatever stands before an asset and was never materialized: who has
    no study, or nothing from elsewhere, would be told at each build that it may fail. Nothing
    loaded is a state that a build can begin from, and is said as such.
    """
    found = instance.get_latest_materialization_events(LOADERS)
    absent = [key for key in LOADERS if found.get(key) is None]
    for key in absent:
        instance.report_runless_asset_event(
            dg.AssetMaterialization(
                key,
                description="Nothing has been loaded from here, and nothing needs to be.",
                metadata={"loaded": _NOTHING, "records": 0},
                # What Dagster writes down for an input that has none. With any other, all that was
                # built before this note would be shown as out of date.
                tags={DATA_VERSION_TAG: DEFAULT_DATA_VERSION.value},
            )
        )
    return absent


def metadata_of_load(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a load says of itself, as the web interface is to show it."""
    return {
        **facts,
        "rows": dg.MetadataValue.md(facts["rows"]),
        "rejects": dg.MetadataValue.md(facts["rejects"]),
        "notes": dg.MetadataValue.text(facts["notes"]),
    }


def has_loads(home: Home) -> bool:
    """Whether commands have loaded something that Dagster does not know yet."""
    folder = notes_of(home)
    return folder.is_dir() and any(folder.iterdir())


def tell_loads(home: Home, instance: dg.DagsterInstance) -> int:
    """Tell Dagster of the loads that commands did without it; return how many there were.

    A process that dies in between leaves a note that was told: its load is then shown twice.
    """
    if not has_loads(home):
        return 0
    folder = notes_of(home)
    place = os.open(folder, os.O_RDONLY)
    try:
        # Another process may be telling them.
        fcntl.flock(place, fcntl.LOCK_EX)
        notes = sorted(folder.glob("*.json"))
        for path in notes:
            note = json.loads(path.read_text(encoding="utf-8"))
            instance.report_runless_asset_event(
                dg.AssetMaterialization(
                    dg.AssetKey(note["asset"].split("/")),
                    description="Loaded by a command, which does without Dagster.",
                    metadata=metadata_of_load(note["facts"]) | {"loaded_at": note["at"]},
                )
            )
            path.unlink()
    finally:
        os.close(place)
    return len(notes)


def loaded_since(instance: dg.DagsterInstance, key: dg.AssetKey) -> list[dg.AssetKey]:
    """Return the loaders that have loaded something since an asset was last materialized."""
    found = instance.get_latest_materialization_events([key, *LOADERS])
    last = found.get(key)
    return [
        loader
        for loader in LOADERS
        if (event := found.get(loader)) is not None
        and (last is None or event.timestamp > last.timestamp)
        and not _is_note(event)
    ]


def _is_note(event: dg.EventLogEntry) -> bool:
    made = event.asset_materialization
    said = made.metadata.get("loaded") if made else None
    return said is not None and said.value == _NOTHING and event.run_id == ""
