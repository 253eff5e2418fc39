"""Files of Hugging Face hub data sets, at a pinned revision that the manifest records.

The token comes from `HF_TOKEN` only. `HF_ENDPOINT` names another hub.
"""

import fnmatch
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from huggingface_hub import HfApi, hf_hub_download
from huggingface_hub.errors import (
    EntryNotFoundError,
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from ingestion.dataset_batch import DatasetBatch
from ingestion.errors import SourceUnreadable, UnknownSource, explained_when_full
from ingestion.landing import Landed, land, unfinished
from ingestion.speeches.readers import speeches, speeches_ibm
from warehouse.home import Home

SCHEME = "hf://datasets/"
_ADDRESS = re.compile(r"hf://datasets/(?P<repo>[^/@\s]+/[^/@\s]+?)(?:@(?P<revision>\S+))?/?")


@dataclass(frozen=True)
class HubSource:
    """A hub data set of a known shape; the first pattern that fits any file decides."""

    patterns: tuple[str, ...]
    licence: str
    parse: Callable[[Landed], DatasetBatch]


HUB_SOURCES = {
    "noystl/speech-quality-dataset": HubSource(
        ("data.csv", "*.csv", "data/train-*.parquet", "*.parquet"),
        speeches.DATASET.licence,
        speeches.parse_speeches,
    ),
    "ibm-research/debate_speeches": HubSource(
        ("opening_speeches/train-*.parquet", "opening_speeches/*.parquet"),
        speeches_ibm.DATASET.licence,
        speeches_ibm.parse_speeches_ibm,
    ),
}


def fetch(home: Home, location: str) -> tuple[Landed, HubSource]:
    """Fetch the file of a hub data set of a known shape into the landing.

    Args:
        location: `hf://datasets/<owner>/<name>`, with `@revision` if it is not the newest.

    Raises:
        UnknownSource: The address is malformed, or names a data set of unknown shape.
        SourceUnreadable: The hub cannot be reached, or has no such data set, revision or file.
    """
    repo, revision = _parsed(location, tuple(HUB_SOURCES), "a file with the same columns")
    source = HUB_SOURCES[repo]

    def choose(names: list[str]) -> list[str]:
        for pattern in source.patterns:
            fitting = [name for name in names if fnmatch.fnmatchcase(name, pattern)]
            if len(fitting) > 1:
                raise SourceUnreadable(
                    f"ingestion: {location} has {len(fitting)} files like {pattern} where one was "
                    f"expected ({', '.join(sorted(fitting)[:4])}); fetch them and join them "
                    "yourself"
                )
            if fitting:
                return fitting
        raise SourceUnreadable(
            f"ingestion: {location} has no file like {' or '.join(source.patterns)}; it has "
            f"{', '.join(sorted(names)[:8]) or 'none'}"
        )

    (landed,) = _fetch(home, location, repo, revision, source.licence, choose).values()
    return landed, source


def fetch_files(
    home: Home, location: str, *, repo: str, suffixes: tuple[str, ...], licence: str
) -> dict[str, Landed]:
    """Fetch the files with some suffixes of the hub data set `repo`, by their names there.

    Raises:
        UnknownSource: The address is malformed, or names another data set.
        SourceUnreadable: The hub cannot be reached, or has no such data set or revision.
    """
    _, revision = _parsed(location, (repo,), "a folder with the same files")

    def choose(names: list[str]) -> list[str]:
        return [name for name in names if name.casefold().endswith(suffixes)]

    return _fetch(home, location, repo, revision, licence, choose)


def _parsed(location: str, repos: Sequence[str], instead: str) -> tuple[str, str | None]:
    """Return the data set and the revision of an address."""
    found = _ADDRESS.fullmatch(location)
    if found is None or found["repo"] not in repos:
        names = ", ".join(SCHEME + repo for repo in repos)
        wanted = f"one of {names}" if len(repos) > 1 else names
        raise UnknownSource(f"ingestion: cannot read '{location}'; expected {wanted}, or {instead}")
    return found["repo"], found["revision"]


def _fetch(
    home: Home,
    location: str,
    repo: str,
    revision: str | None,
    licence: str,
    choose: Callable[[list[str]], list[str]],
) -> dict[str, Landed]:
    endpoint = os.environ.get("HF_ENDPOINT") or None
    # False: never the token of an earlier login on this machine.
    token = os.environ.get("HF_TOKEN") or False
    with unfinished(home, "hub") as folder:
        with explained_when_full(f"fetching {location}", home.landing), _explained(location):
            api = HfApi(endpoint=endpoint, token=token)
            pinned = api.dataset_info(repo, revision=revision).sha
            if not pinned:
                raise SourceUnreadable(
                    f"ingestion: the hub names no revision of {location}; try again later"
                )
            names = choose(api.list_repo_files(repo, revision=pinned, repo_type="dataset"))
            paths = {
                name: hf_hub_download(
                    repo,
                    name,
                    repo_type="dataset",
                    revision=pinned,
                    local_dir=folder,
                    token=token,
                    endpoint=endpoint,
                )
                for name in names
            }
        return {
            name: land(
                home,
                Path(path),
                source=repo,
                licence=licence,
                origin=f"{SCHEME}{repo}@{pinned}/{name}",
                shown=location,
            )
            for name, path in paths.items()
        }


@contextmanager
def _explained(location: str) -> Iterator[None]:
    """Turn an error of the hub into a message with the next step."""
    try:
        yield
    except (LocalEntryNotFoundError, OfflineModeIsEnabled) as error:
        raise _unreachable(location, error) from error
    except GatedRepoError as error:
        message = f"ingestion: {location} is gated: accept its terms, and set HF_TOKEN"
        raise SourceUnreadable(message) from error
    except (RepositoryNotFoundError, RevisionNotFoundError, EntryNotFoundError) as error:
        raise SourceUnreadable(
            f"ingestion: {location} was not found: check the name and the revision; a private one "
            "needs HF_TOKEN"
        ) from error
    except HFValidationError as error:
        raise SourceUnreadable(f"ingestion: {location} is no valid address: {error}") from error
    except HfHubHTTPError as error:
        status = error.response.status_code
        message = f"ingestion: the hub answered {status} for {location}; try again later"
        raise SourceUnreadable(message) from error
    except httpx2.HTTPError as error:
        raise _unreachable(location, error) from error


def _unreachable(location: str, error: Exception) -> SourceUnreadable:
    return SourceUnreadable(
        f"ingestion: the hub cannot be reached for {location} ({type(error).__name__}); check the "
        "network and HF_HUB_OFFLINE, or fetch the file yourself and name it with --from"
    )
