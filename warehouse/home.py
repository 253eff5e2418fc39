"""The home: one folder with all state."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Home:
    """One Rostrum home. Every path of the state on disk is a property of it."""

    root: Path

    @property
    def landing(self) -> Path:
        """Source files as fetched, named by their content, with a manifest each."""
        return self.root / "landing"

    @property
    def items(self) -> Path:
        """Item files for judges, one folder per data set."""
        return self.root / "items"

    @property
    def journal(self) -> Path:
        """Responses of model runs, one folder per run."""
        return self.root / "journal"

    @property
    def build_db(self) -> Path:
        """The working database. One writer at a time."""
        return self.root / "warehouse" / "build.duckdb"

    @property
    def build_copy(self) -> Path:
        """Copy of the working database before its present or killed writer."""
        return self.root / "warehouse" / "before.duckdb"

    @property
    def build_lock(self) -> Path:
        """The kernel file lock every writer holds; its text names the holder."""
        return self.root / "warehouse" / "build.lock"

    @property
    def published(self) -> Path:
        """Immutable published versions."""
        return self.root / "warehouse" / "published"

    @property
    def current(self) -> Path:
        """Symbolic link to the newest published version."""
        return self.published / "current"

    @property
    def dbt_target(self) -> Path:
        """dbt's compiled project and run results."""
        return self.root / "warehouse" / "dbt_target"

    @property
    def dagster(self) -> Path:
        """Dagster's instance: generated settings and SQLite storage."""
        return self.root / "dagster"

    @property
    def judges_file(self) -> Path:
        """Judges and their settings."""
        return self.root / "judges.toml"

    @property
    def prices_file(self) -> Path:
        """The user's own prices of tokens."""
        return self.root / "prices.toml"

    @property
    def ensembles_file(self) -> Path:
        """Named sets of judges."""
        return self.root / "ensembles.toml"

    @property
    def experiments(self) -> Path:
        """The user's own experiment files."""
        return self.root / "experiments"

    @property
    def prompts(self) -> Path:
        """The user's own prompt wordings."""
        return self.root / "prompts"

    @property
    def transcripts(self) -> Path:
        """Transcripts of recordings in progress, one folder each."""
        return self.root / "transcripts"

    @property
    def tournaments(self) -> Path:
        """The user's own tournament files, with the rounds played of each."""
        return self.root / "tournaments"

    @property
    def key_points(self) -> Path:
        """Analyses of key points, one folder each, and `replies/` of models for all of them."""
        return self.root / "key_points"

    @property
    def anchors(self) -> Path:
        """Anchor sets, one folder each: the frozen items, and the journals of their waves."""
        return self.root / "anchors"

    @property
    def inbox(self) -> Path:
        """Score files dropped by people, picked up by a sensor."""
        return self.root / "inbox"

    @property
    def logs(self) -> Path:
        """Logs of the commands and servers."""
        return self.root / "logs"

    @property
    def serve_file(self) -> Path:
        """Addresses of the servers that are live on this home."""
        return self.root / "serve.json"

    def replication(self, paper: str) -> Home:
        """Return the separate home for a paper's printed cells."""
        return Home(self.root / "replication" / paper)

    @property
    def is_apart(self) -> bool:
        """True for a home of printed cells."""
        return self.root.parent.name == "replication"

    def ensure(self) -> Home:
        """Make missing folders, and return this home."""
        for folder in (
            self.landing,
            self.items,
            self.journal,
            self.published,
            self.dagster,
            self.experiments,
            self.prompts,
            self.tournaments,
            self.inbox,
            self.logs,
        ):
            folder.mkdir(parents=True, exist_ok=True)
        return self


def find_home(explicit: Path | None = None) -> Home:
    """Return the named home, else `ROSTRUM_HOME`, else `.rostrum` in the project."""
    if explicit is None:
        named = os.environ.get("ROSTRUM_HOME")
        explicit = Path(named) if named else PROJECT_ROOT / ".rostrum"
    return Home(explicit.expanduser().resolve())
