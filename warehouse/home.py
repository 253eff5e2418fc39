"""Where everything lives: one home folder, found once, never guessed again."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Home:
    """One Rostrum home. Every path of the state on disk is a property of it.

    Attributes:
        root: The folder that holds all state.
    """

    root: Path

    @property
    def landing(self) -> Path:
        """Source files as fetched, named by their content, with a manifest each."""
        return self.root / "landing"

    @property
    def items(self) -> Path:
        """What judges may read, one folder per data set."""
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
        """The working database as it was before whoever writes in it now, or was killed at it."""
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
        """Which judges exist, and their settings."""
        return self.root / "judges.toml"

    @property
    def prices_file(self) -> Path:
        """What tokens cost, where the user knows better than the shipped price file."""
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
        """Transcripts on their way from a recording to eight speeches, one folder each."""
        return self.root / "transcripts"

    @property
    def tournaments(self) -> Path:
        """The user's own tournament files, and beside each what has been played of it."""
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
        """Where a paper's printed cells are built: a home within this one, apart from its data.

        Args:
            paper: The paper's id, such as `llm_debate_bias`.
        """
        return Home(self.root / "replication" / paper)

    @property
    def is_apart(self) -> bool:
        """Whether this is a home within another one, for printed cells."""
        return self.root.parent.name == "replication"

    def ensure(self) -> Home:
        """Make the folders that do not exist yet, and return this home."""
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
    """Return the home to use: the one named, else `ROSTRUM_HOME`, else `.rostrum` in the project.

    Args:
        explicit: What the user said with `--home`, if anything.
    """
    if explicit is None:
        named = os.environ.get("ROSTRUM_HOME")
        explicit = Path(named) if named else PROJECT_ROOT / ".rostrum"
    return Home(explicit.expanduser().resolve())
