"""Where an experiment or a curation takes documents from, as people set it."""

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, Strict

from inference.questions.documents import TRUSTED

# The documents that the data set names for a question.
DATA_SET: Final = "data_set"
# A search service that answers as SearXNG does; or addresses in a file.
SEARCH: Final = "web"
ADDRESSES: Final = "addresses"
RETRIEVERS = (DATA_SET, SEARCH, ADDRESSES)
# What a retriever needs, and no other takes.
NEEDS = {SEARCH: "search", ADDRESSES: "addresses"}
SNAPSHOT = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_Text = Annotated[str, Field(min_length=1)]


@dataclass(frozen=True)
class RetrievalSettings:
    """Where documents come from.

    Attributes:
        search: The search service's address, for `web`.
        addresses: The file of addresses, for `addresses`: as named, under the home's experiments/
            unless it is absolute.
        results: How many pages are looked at for each query; the paper's ten.
        search_pages: How many pages of results are gone through for as many of trusted domains.
        domains: The trusted top-level domains; the paper's Table 8.
        key_env: The environment variable that holds the search service's key; None for no key.
        max_page_bytes: The most bytes of a page.
        page_timeout_s: The most seconds for a page.
        snapshot: Under which name fetched pages are kept; another one fetches anew.
    """

    retriever: Literal["data_set", "web", "addresses"] = "data_set"
    search: _Text | None = None
    addresses: _Text | None = None
    results: Annotated[int, Strict(), Field(ge=1, le=100)] = 10
    search_pages: Annotated[int, Strict(), Field(ge=1, le=20)] = 3
    domains: Annotated[tuple[_Text, ...], Field(min_length=1)] = TRUSTED
    key_env: _Text | None = None
    max_page_bytes: Annotated[int, Strict(), Field(ge=1, le=50_000_000)] = 2_000_000
    page_timeout_s: Annotated[float, Strict(), Field(gt=0, le=300)] = 20.0
    snapshot: Annotated[str, Field(pattern=rf"^{SNAPSHOT.pattern}$")] = "first"

    def identity(self, *more: str) -> str:
        """Return a hash of the settings, and of what else decides which documents are found.

        The environment variable is none of them: another key finds the same. Nor is where a file
        of addresses lies.
        """
        facts = {name: value for name, value in asdict(self).items() if name != "key_env"}
        if self.addresses is not None:
            facts["addresses"] = Path(self.addresses).name
        return hashlib.sha256(json.dumps([facts, *more], sort_keys=True).encode()).hexdigest()
