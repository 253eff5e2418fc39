"""Full-text search over a published version with DuckDB's extension and its index.

The index is the schema `fts_main_search` of the version. `match_bm25(text_id, words)` there is the
score of a text of `dim_search_text`, null without any of the words.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.files import temporary_of
from warehouse.lake.settings import INDEX_SUFFIX, SUFFIX, extension_file
from warehouse.safe_text import sql_list, sql_text

if TYPE_CHECKING:
    import duckdb

SCHEMA = "fts_main_search"
_MARKED = ("match_bm25", SCHEMA, "stem(")
# Ten million words are indexed in about a minute (November 2026, two cores). Beyond a hundred
# million characters the largest and least read kinds of texts are left out.
_MOST_CHARACTERS = 100_000_000
_FIRST_INDEXED = ("motion", "question", "story", "comment", "transcript", "speech", "reply")
# The extension's own list also leaves out "second", "appropriate" and 500 others.
_COMMON = (
    "a an and are as at be been but by for from has have he i if in is it its of on or she so than "
    "that the their them then there these they this to was we were which will with would you"
)
# Everything but letters and digits of any script separates words.
_BETWEEN_WORDS = r"[^\p{L}\p{N}]+"


def load_search(connection: duckdb.DuckDBPyConnection) -> bool:
    """Load the extension, which needs file access, and return whether it is installed."""
    path = extension_file("fts")
    if path is not None:
        connection.execute(f"load {sql_text(path)}")
    return path is not None


def is_search(query: str) -> bool:
    """Return whether a query may use the index or the extension."""
    return any(mark in query.casefold() for mark in _MARKED)


def index_texts(version_file: Path) -> None:
    """Index the texts of a new version, if it has any and the extension is installed."""
    import duckdb

    with duckdb.connect(str(version_file)) as connection:
        _write_index(connection, "dim_search_text")


def index_of(version_file: Path) -> Path | None:
    """Return the file with the index of a lake's version, and write it if it is missing.

    Returns:
        None if the index is in the version, or if there is none.
    """
    if version_file.suffix != SUFFIX:
        return None
    import duckdb

    from warehouse.lake.versions import attach_version

    path = version_file.with_suffix(INDEX_SUFFIX)
    if path.exists():
        return path
    part = temporary_of(path)
    try:
        with duckdb.connect(str(part)) as connection:
            attach_version(connection, version_file, "published")
            is_written = _write_index(connection, "published.main.dim_search_text")
        if is_written:
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path if is_written else None


def _write_index(connection: duckdb.DuckDBPyConnection, texts: str) -> bool:
    """Write the index of a table into the connection's file; return whether it could."""
    connection.execute("set enable_progress_bar = false")
    has_texts = connection.execute(
        "select 1 from duckdb_tables() where table_name = 'dim_search_text'"
    ).fetchone()
    if has_texts is None or not load_search(connection):
        return False
    # The extension indexes a whole table and does not need it afterwards.
    connection.execute(
        f"create table search as select text_id, text from {texts} "
        f"where list_contains({sql_list(_kinds_indexed(connection, texts))}, text_kind)"
    )
    connection.execute(
        f"create table common_words as select unnest({sql_list(_COMMON.split())}) as sw"
    )
    connection.execute(
        "pragma create_fts_index('search', 'text_id', 'text', stemmer = 'english', "
        f"stopwords = 'common_words', ignore = '{_BETWEEN_WORDS}')"
    )
    connection.execute("drop table search")
    connection.execute("drop table common_words")
    connection.execute("checkpoint")
    return True


def _kinds_indexed(connection: duckdb.DuckDBPyConnection, texts: str) -> list[str]:
    lengths = dict(
        connection.execute(
            f"select text_kind, sum(length(text)) from {texts} group by text_kind"
        ).fetchall()
    )
    kinds, total = [], 0
    for kind in _FIRST_INDEXED:
        total += lengths.get(kind, 0)
        if total <= _MOST_CHARACTERS:
            kinds.append(kind)
    return kinds
