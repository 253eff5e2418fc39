"""Settings of the lake, and advice when it cannot be used.

`ROSTRUM_WAREHOUSE=ducklake:postgres:host=… dbname=…` and `ROSTRUM_WAREHOUSE_DATA=s3://bucket/prefix`
(or a folder that every machine mounts) are the only settings. Without them the warehouse is a file
in the home. The keys of S3 have their usual names.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from warehouse.errors import LakeError
from warehouse.home import Home

# Suffixes of the catalog of a published version, and of its search index.
SUFFIX, INDEX_SUFFIX = ".ducklake", ".search"
SETTING, DATA_SETTING = "ROSTRUM_WAREHOUSE", "ROSTRUM_WAREHOUSE_DATA"
INSTALL = "pip install -c constraints.txt -e '.[lake]'"
_PREFIX = "ducklake:postgres:"
_SECRET = re.compile(r"(password\s*=\s*)('[^']*'|\S+)|(?<=://)([^/\s:@]*):[^/\s]*@", re.IGNORECASE)
# As a whole word: ports and file names have such digits.
_DENIED = re.compile(r"\b403\b|AccessDenied|NoSuchBucket|InvalidAccessKeyId|SignatureDoesNotMatch")
_UNREACHABLE = (
    "nable to connect to Postgres",
    "onnection refused",
    "onnection to server",
    "terminating connection",
    "server closed the connection",
    "no connection to the server",
    "SSL SYSCALL",
    "ould not connect to server",
    "ould not establish connection",
)


@dataclass(frozen=True)
class Lake:
    """A lake.

    Attributes:
        postgres: Address of the Postgres with its catalogs, without the password.
        data: Folder or S3 address of its rows, with a slash at the end.
        password: The password of the setting; empty if libpq finds it elsewhere.
    """

    postgres: str
    data: str
    password: str = field(default="", repr=False)

    def allow(self) -> None:
        """Put the password where libpq finds it and no error or table shows it."""
        if self.password:
            os.environ["PGPASSWORD"] = self.password

    @property
    def build_data(self) -> str:
        """Place of raw and of what is built from it."""
        return f"{self.data}build/"

    def version_data(self, name: str) -> str:
        """Place of the rows of a published version."""
        return f"{self.data}published/{name}/"


def lake_of(home: Home) -> Lake | None:
    """Return the lake of a home's warehouse, or None for a file, as printed cells have."""
    setting = os.environ.get(SETTING, "")
    if not setting or home.is_apart:
        return None
    return parse_lake(setting, os.environ.get(DATA_SETTING, ""))


def parse_lake(setting: str, data: str) -> Lake:
    """Return the lake that a setting names.

    Args:
        setting: `ducklake:postgres:` and an address of Postgres, as libpq has it or as a URL.

    Raises:
        LakeError: One of them is wrong, or what a lake needs is not installed.
    """
    if not setting.startswith(_PREFIX):
        raise LakeError(
            f"lake: {SETTING} is '{masked(setting)}'; expected '{_PREFIX}host=… dbname=…', or "
            "leave it out to keep the warehouse in a file"
        )
    try:
        import psycopg2.extensions
    except ImportError as error:
        raise not_installed() from error
    try:
        parts = psycopg2.extensions.parse_dsn(setting.removeprefix(_PREFIX))
    except psycopg2.ProgrammingError as error:
        raise LakeError(
            f"lake: {SETTING} is no address of Postgres ({masked(setting)}); expected "
            f"'{_PREFIX}host=… dbname=… user=…'"
        ) from error
    if not data:
        raise LakeError(
            f"lake: {DATA_SETTING} is not set; name a folder that every machine mounts, or "
            "s3://bucket/prefix"
        )
    password = parts.pop("password", "")
    place = data if "://" in data else str(Path(data).expanduser().resolve())
    return Lake(psycopg2.extensions.make_dsn(**parts), place.rstrip("/") + "/", password)


def extension_file(name: str) -> Path | None:
    """Return the file of an extension for this DuckDB, if installed."""
    from importlib.metadata import version

    try:
        package = import_module(f"duckdb_extension_{name}")
    except ImportError:
        return None
    folder = Path(str(package.__file__)).parent / "extensions" / f"v{version('duckdb')}"
    path = folder / f"{name}.duckdb_extension"
    return path if path.is_file() else None


def not_installed() -> LakeError:
    """Return the error for an installation without the lake's extras."""
    return LakeError(f"lake: {SETTING} names a lake, and what it needs is not installed; {INSTALL}")


def masked(text: str) -> str:
    """Return a text without the passwords in it."""
    return _SECRET.sub(
        lambda found: f"{found[1] or found[3] + ':'}***{'' if found[1] else '@'}", text
    )


@contextmanager
def explained(lake: Lake) -> Iterator[None]:
    """Turn an error of the lake's parts into advice; leave others as they are."""
    # Readers of the settings alone do not need it.
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        if message := explanation(lake, error):
            raise LakeError(message) from None
        raise


def explanation(lake: Lake, error: Exception) -> str | None:
    """Return advice on an error of the lake's parts, with its text; None for any other."""
    said = masked(str(error))
    message = _advice(lake, said)
    return message and f"{message} ({said.strip().splitlines()[0]})"


def _advice(lake: Lake, said: str) -> str | None:
    if message := other_version(said):
        return message
    # First: DuckDB's errors of the store and of Postgres are much alike.
    if lake.data.startswith("s3:") and "HTTP" in said and not _DENIED.search(said):
        return f"lake: the store of {lake.data} does not answer; check AWS_ENDPOINT_URL"
    if any(sign in said for sign in _UNREACHABLE):
        return unreachable(lake)
    if "permission denied for" in said:
        return (
            "lake: this role of Postgres may not do that; whoever loads or builds needs one that "
            "may create schemas in the database"
        )
    if lake.data.startswith("s3:") and _DENIED.search(said):
        return (
            f"lake: the store refuses {lake.data}; check that the bucket is there, and that "
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY may use it"
        )
    return None


def other_version(said: str) -> str | None:
    """Return advice on a catalog of another version; None for other errors."""
    if not ("DuckLake" in said and "version" in said.casefold() and "catalog" in said.casefold()):
        return None
    from importlib.metadata import version

    return (
        "lake: its catalog was written by another version of DuckLake; install on every "
        f"machine the same duckdb and extensions (here {version('duckdb')})"
    )


def unreachable(lake: Lake) -> str:
    """Return advice on a Postgres that does not answer."""
    return (
        f"lake: Postgres cannot be reached at '{masked(lake.postgres)}'; check that it runs and "
        f"that {SETTING} names it, then run this again"
    )
