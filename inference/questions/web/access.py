"""The way to the web that a run or a curation has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from inference.errors import BadSettings
from inference.questions.web.fetch import PUBLIC, Guard
from inference.questions.web.settings import ADDRESSES, SNAPSHOT, RetrievalSettings

if TYPE_CHECKING:
    from inference.questions.web.pages import Pages


@dataclass(frozen=True)
class Web:
    """The way to the web that a run or a curation has.

    Attributes:
        landing: The home's landing, where pages are kept.
        folder: Where files of addresses lie that are not named in full.
        guard: Decides which pages may be fetched.
        is_offline: Whether nothing is to be sent: only what is kept is read.
    """

    landing: Path
    folder: Path
    guard: Guard = PUBLIC
    is_offline: bool = False

    def pages(self, settings: RetrievalSettings, environ: Mapping[str, str] | None = None) -> Pages:
        """Return the pages that settings ask for."""
        # Most runs read no page, and a plan is shown sooner without what reads them.
        from inference.questions.web.fetch import Snapshot
        from inference.questions.web.pages import Pages
        from inference.questions.web.search import AddressFile, SearchService

        if SNAPSHOT.fullmatch(settings.snapshot) is None:
            raise BadSettings(
                f"search: the snapshot is '{settings.snapshot}'; expected small letters, digits "
                "and hyphens, such as 2026-11"
            )
        snapshot = Snapshot(self.landing, settings.snapshot)
        finder: AddressFile | SearchService
        if settings.retriever == ADDRESSES:
            finder = AddressFile(self.folder / Path(settings.addresses or "").expanduser())
            facts = finder.sha256
        else:
            finder = SearchService(settings, snapshot, environ, is_offline=self.is_offline)
            facts = ""
        return Pages(finder, settings, snapshot, self.guard, facts, is_offline=self.is_offline)
