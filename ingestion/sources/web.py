"""Files from an address that the user named, into the landing."""

from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

import httpx2

from ingestion.errors import SourceUnreadable, explained_when_full
from ingestion.landing import Landed, land, unfinished
from ingestion.sources.containers import max_source_bytes, refuse_larger
from warehouse.home import Home

_TIMEOUT_S = 60.0


def is_web_address(location: str) -> bool:
    """Return whether a location is an address on the web, not a path."""
    return location.startswith(("https://", "http://"))


def fetch_web(home: Home, address: str, *, source: str, licence: str) -> Landed:
    """Fetch a file into the landing; `source` and `licence` are for its manifest.

    Raises:
        SourceUnreadable: The transfer failed, or the file is too large.
        NoSpace: The disk is full.
    """
    name = PurePosixPath(unquote(urlsplit(address).path)).name or "download"
    with unfinished(home, "web") as folder:
        path = folder / name
        with explained_when_full(f"fetching {address}", home.landing):
            _download(address, path)
        return land(home, path, source=source, licence=licence, origin=address, shown=address)


def _download(address: str, path: Path) -> None:
    try:
        with (
            httpx2.stream("GET", address, follow_redirects=True, timeout=_TIMEOUT_S) as answer,
            path.open("wb") as target,
        ):
            if answer.status_code != httpx2.codes.OK:
                raise SourceUnreadable(
                    f"ingestion: {address} answered {answer.status_code}; check the address, or "
                    "fetch the file yourself and name it with --from"
                )
            size, limit = 0, max_source_bytes()
            for chunk in answer.iter_bytes():
                size += len(chunk)
                refuse_larger(size, address, limit)
                target.write(chunk)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise SourceUnreadable(
            f"ingestion: {address} could not be fetched whole ({type(error).__name__}: {error}); "
            "nothing was loaded: try again, or fetch the file yourself and name it with --from"
        ) from error
