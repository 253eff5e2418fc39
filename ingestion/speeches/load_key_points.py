"""Loading analyses of key points: one analysis and that of the labelled set, all or nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.metadata import version
from typing import Any

import duckdb

from inference.speeches.keypoints.results import (
    KEY_POINTS,
    RESERVED,
    Analysis,
    Found,
    labels,
    read_analysis,
)
from inference.steps.files import step_path
from ingestion.batch import Counts, Loadable, Rows, SourceFile, Step
from ingestion.load import load
from ingestion.raw_tables import LoadReport, remove_rows
from warehouse.files import sha256_file
from warehouse.home import Home
from warehouse.waiting import say_nothing

_Rows = Sequence[Mapping[str, Any]]
_TABLES = (
    "key_point_analyses",
    "key_point_justifications",
    "key_point_sentences",
    "key_points",
    "key_point_matches",
)


def load_key_points(
    home: Home,
    name: str,
    dimension: str | None = None,
    *,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load an analysis as its folder has it, in the place of what an earlier load of it brought.

    With it comes what the same method found in the labelled set. A load that changes nothing leaves
    no trace.

    Args:
        name: The analysis.
        dimension: What was scored; the data set's only dimension unless given.

    Raises:
        KeyPointsFailed: Its steps are not done, or not of one analysis.
        NoSpace: The disk is full.
    """
    folder = home.key_points / name
    path = step_path(folder, KEY_POINTS)
    file = SourceFile(str(path), str(path.relative_to(home.root)), sha256_file(path), 1)
    batch = KeyPointBatch(name, read_analysis(folder), [file], dimension)
    return load(home, batch, notify=notify)


@dataclass(frozen=True)
class KeyPointBatch(Loadable):
    """An analysis, and what the same method found in the labelled set.

    Attributes:
        analysis: What its folder has.
        files: The file of its last step.
        dimension: What was scored.
        labelled_since: When the labelled set was first analysed so, and by which version; None
            where it was not.
    """

    name: str
    analysis: Analysis
    files: Sequence[SourceFile]
    dimension: str | None
    labelled_since: tuple[datetime, str] | None = None
    items_of = None

    @property
    def source(self) -> str:
        """What the record of the load names."""
        return f"key_points/{self.name}"

    @property
    def task(self) -> str:
        """What other writers are told to wait for."""
        return f"key points {self.name}"

    @property
    def labelled_id(self) -> str:
        """What the analysis of the labelled set is called."""
        return f"{RESERVED}/{self.analysis.method_hash[:16]}"

    def checked(self, connection: duckdb.DuckDBPyConnection) -> KeyPointBatch:
        """Look up the dimension, and the analysis of the labelled set."""
        dimension = self.dimension
        if dimension is None:
            requests = [each["request_id"] for each in self.analysis.justifications]
            found = connection.execute(
                "select any_value(dimension) from raw.scores as scores where request_id in "
                "(select unnest(?)) and dataset_id = ?",
                [requests, self.analysis.settings["dataset"]],
            ).fetchone()
            dimension = found[0] if found else None
        # The first time is as good as any: what the same method finds in it never changes.
        since = connection.execute(
            "select made_at, code_version from raw.key_point_analyses where analysis_id = ?",
            [self.labelled_id],
        ).fetchone()
        return replace(self, dimension=dimension, labelled_since=since)

    def changes(self) -> Iterable[Rows | Step]:
        """Return both analyses, the labels, and the removal of what no analysis uses any more."""
        for about, found, justified in (
            (self._about(), self.analysis.found, self.analysis.justifications),
            (self._about_labelled(), self.analysis.labelled, ()),
        ):
            yield Rows("key_point_analyses", [about])
            for table, rows in {
                "key_point_justifications": _justifications(justified),
                **_found(found),
            }.items():
                own = [{"analysis_id": about["analysis_id"], **row} for row in rows]
                yield Rows(table, own, within="key_point_analyses")
        yield Step("key_point_labels", _remove_other_labels)
        yield Rows("key_point_labels", [each._asdict() for each in labels()])
        yield Step("key_point_analyses", _remove_unused)

    def _about(self) -> dict[str, Any]:
        settings = self.analysis.settings
        return self._method() | {
            "analysis_id": self.name,
            "name": self.name,
            "is_labelled": False,
            "dataset_id": settings["dataset"],
            "dimension": self.dimension,
            "template": settings["template"],
            "rephraser": settings["rephraser"],
            "settings": json.dumps(settings, sort_keys=True),
        }

    def _about_labelled(self) -> dict[str, Any]:
        settings = {
            key: self.analysis.settings[key] for key in ("embedder", "limits", "polarity_by")
        }
        since = self.labelled_since
        return self._method() | {
            "analysis_id": self.labelled_id,
            "name": RESERVED,
            "is_labelled": True,
            "rephraser": "none",
            "settings": json.dumps(settings, sort_keys=True),
            **(dict(zip(("made_at", "code_version"), since, strict=True)) if since else {}),
        }

    def _method(self) -> dict[str, Any]:
        settings, limits = self.analysis.settings, self.analysis.settings["limits"]
        return {
            "embedder": settings["embedder"],
            "polarity_by": settings["polarity_by"],
            "match_threshold": limits["match_threshold"],
            "redundancy_threshold": limits["redundancy_threshold"],
            "method_hash": self.analysis.method_hash,
            "seed": limits["seed"],
            "code_version": version("rostrum"),
            "made_at": datetime.fromisoformat(self.analysis.made_at).replace(tzinfo=None),
        }


def _justifications(rows: _Rows) -> list[dict[str, Any]]:
    return [
        {
            **{
                key: row[key]
                for key in (
                    "judge_id",
                    "item_id",
                    "request_id",
                    "run_id",
                    "sample",
                    "rephrased_by",
                    "status",
                    "reason",
                    "word_count",
                )
            },
            "justification": row["text"],
            "rephrased": "\n".join(row["rephrased"]) or None,
            "sentence_count": len(row["rephrased"]),
        }
        for row in rows
    ]


def _found(found: Found) -> dict[str, list[dict[str, Any]]]:
    sentences = [
        {
            **{key: value for key, value in row.items() if key not in ("motion", "stands_as")},
            "word_count": len(row["text"].split()),
            "is_candidate": row["candidate_reason"] is None,
        }
        for row in found.sentences
    ]
    return {
        "key_point_sentences": sentences,
        "key_points": [dict(row) for row in found.key_points],
        "key_point_matches": [dict(row) for row in found.matches],
    }


def _remove_other_labels(
    connection: duckdb.DuckDBPyConnection, source_file: str, now: datetime
) -> Counts:
    del source_file, now
    known = [each.sentence_id for each in labels()]
    gone = remove_rows(connection, "key_point_labels", "not list_contains(?, sentence_id)", known)
    return Counts(updated=gone)


def _remove_unused(
    connection: duckdb.DuckDBPyConnection, source_file: str, now: datetime
) -> Counts:
    """Remove analyses of the labelled set with methods that no analysis uses any more."""
    del source_file, now
    unused = (
        "(select analysis_id from raw.key_point_analyses where is_labelled and method_hash not in "
        "(select method_hash from raw.key_point_analyses where not is_labelled))"
    )
    # The analyses themselves go last: by them the rest is found.
    gone = sum(
        remove_rows(connection, table, f"analysis_id in {unused}") for table in reversed(_TABLES)
    )
    return Counts(updated=gone)
