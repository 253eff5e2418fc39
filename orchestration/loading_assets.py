"""Assets that write raw tables, and the notes of loads that Dagster is given.

dbt has a raw table only as a source, so its writers are declared here. No asset is imported.
"""

import fcntl
import json
import os
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Any

import dagster as dg

from orchestration.errors import NoWriter
from orchestration.loads import notes_of
from warehouse.home import Home

_SOURCES = ("sources/sample", "sources/dataset", "sources/study")
# What else than journals writes which raw tables. Tables of the kinds of answers name themselves.
_WRITES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (
        _SOURCES,
        (
            "datasets",
            "dimensions",
            "debates",
            "speeches",
            "human_ratings",
            "filter_rules",
            "debate_filters",
            "debate_outcomes",
            "human_verdicts",
            "logged_verdicts",
            "participants",
            "stories",
            "reading_questions",
            "questions",
            "partial_answers",
            "documents",
            "curation_steps",
            "curation_rules",
            "curation_removals",
            "curation_annotations",
            "curation_chunks",
            "curation_pairs",
            "team_results",
            "speaker_results",
            "adjudicators",
            "transcript_matches",
            # The bundled sample has answers and preferences, and releases have transcripts.
            "answers",
            "preferences",
            "oversight_transcripts",
            "oversight_turns",
            "oversight_quotes",
            "oversight_judgements",
        ),
    ),
    (("sources/annotations",), ("datasets", "annotations")),
    (
        ("sources/imports",),
        (
            "human_ratings",
            "human_verdicts",
            "preferences",
            "reviews",
            "samples",
            "sampled_items",
            "sample_labels",
            "transcripts",
            "transcript_segments",
        ),
    ),
    (("transcripts/queued",), ("transcripts", "transcript_segments")),
    (
        ("key_points/loaded",),
        (
            "key_point_analyses",
            "key_point_justifications",
            "key_point_sentences",
            "key_points",
            "key_point_matches",
            "key_point_labels",
        ),
    ),
    (
        ("oversight/tournament",),
        (
            "runs",
            "oversight_transcripts",
            "oversight_turns",
            "oversight_quotes",
            "oversight_judgements",
        ),
    ),
    ((*_SOURCES, "sources/annotations", "sources/imports", "model_runs/scores"), ("judges",)),
    ((*_SOURCES, "sources/imports", "model_runs/scores"), ("runs", "quarantine")),
    # Of the home's settings files at each build, and of a command that is no asset.
    ((), ("ensembles", "anchor_items", "anchor_answers")),
)
_ANSWERS = ("model_runs/scores", "model_runs/reparsed", "sources/imports")
_NOTHING = "nothing"
# The tag of an event that has the version of its asset.
DATA_VERSION_TAG = "dagster/data_version"


@cache
def raw_writers() -> Mapping[str, frozenset[str]]:
    """Return the assets that write each raw table."""
    from inference.kinds import raw_tables

    found: dict[str, set[str]] = defaultdict(set)
    for assets, tables in _WRITES:
        for table in tables:
            found[table].update(assets)
    for name, answers in raw_tables().items():
        for each in (name, *answers.parts):
            found[each].update(_ANSWERS)
    return {table: frozenset(assets) for table, assets in found.items()}


LOADERS = [
    dg.AssetKey(key.split("/"))
    for key in sorted({*_ANSWERS, *(key for keys, _ in _WRITES for key in keys)})
]


def loaders_of(raw_table: str) -> list[dg.AssetKey]:
    """Return the assets that write a raw table."""
    writers = raw_writers()
    if raw_table not in writers:
        raise NoWriter(
            f"dagster: no writer of raw.{raw_table} is declared; name the assets that write it in "
            "orchestration/loading_assets.py, or make it the table of a kind"
        )
    return [dg.AssetKey(key.split("/")) for key in sorted(writers[raw_table])]


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
                tags={DATA_VERSION_TAG: "INITIAL"},
            )
        )
    return absent


def metadata_of_load(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a load as metadata of the web interface."""
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
