"""Full-text search: whatever holds a word is found, and nothing else of the machine is opened."""

import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from warehouse import search
from warehouse.errors import QueryFailed
from warehouse.free_sql.queries import Limits, run_freely
from warehouse.reader import Version, connect, run_query
from warehouse.search import index_texts

RARE = "florbglarg"
SEARCH = (
    "select text_id from (select text_id, fts_main_search.match_bm25(text_id, ?) as score "
    "from dim_search_text) where score is not null order by text_id"
)
_TEXTS = st.lists(
    st.tuples(
        st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40),
        st.sampled_from(["", RARE, RARE.upper(), f"<b>{RARE}</b>", f"{RARE}s,", "florb glarg"]),
        st.text("ab .,!?-", max_size=20),
    ),
    min_size=1,
    max_size=12,
)


def _published(folder: Path, texts: list[str], kind: str = "speech") -> Version:
    path = folder / "v000001-20260101T000000Z.duckdb"
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "create table dim_search_text (text_id varchar, text_kind varchar, text varchar)"
        )
        connection.executemany(
            "insert into dim_search_text values (?, ?, ?)",
            [[f"{at:03}", kind, text] for at, text in enumerate(texts)] or [["-", kind, ""]],
        )
    index_texts(path)
    return Version("v000001-20260101T000000Z", path, datetime(2026, 1, 1, tzinfo=UTC))


def _found(version: Version, words: str) -> list[str]:
    with connect(version, can_search=True) as connection:
        return [row[0] for row in connection.execute(SEARCH, [words]).fetchall()]


@given(_TEXTS)
@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_every_text_that_holds_a_rare_word_is_found_and_no_other(
    tmp_path: Path, parts: list[tuple[str, str, str]]
) -> None:
    texts = [" ".join(one) for one in parts]
    holding = [
        f"{at:03}"
        for at, text in enumerate(texts)
        if {RARE, f"{RARE}s"} & set(re.findall(r"[^\W_]+", text.lower()))
    ]
    assert _found(_published(tmp_path, texts), RARE) == holding


def test_word_forms_accents_and_other_scripts_are_found(tmp_path: Path) -> None:
    version = _published(tmp_path, ["They banned cafés.", "日本語 2030", "The second home"])
    assert _found(version, "banning") == ["000"]
    assert _found(version, "cafe") == ["000"]
    assert _found(version, "日本語") == ["001"]
    assert _found(version, "2030") == ["001"]
    assert _found(version, "second") == ["002"]


def test_a_reader_that_can_search_reaches_no_other_file(tmp_path: Path) -> None:
    version = _published(tmp_path, ["one"])
    other = tmp_path / "secret.csv"
    other.write_text("a\n1\n")
    with connect(version, can_search=True) as connection, connect(version) as second:
        for one in (connection, second):
            with pytest.raises(duckdb.PermissionException):
                one.execute(f"from '{other}'")
            with pytest.raises(duckdb.InvalidInputException):
                one.execute("set enable_external_access = true")
            with pytest.raises(duckdb.Error):
                one.execute("create table mine (a integer)")
        # They share an instance, which can search.
        assert second.execute(SEARCH, ["one"]).fetchall() == [("000",)]


def test_a_reader_without_search_reads_an_indexed_version_all_the_same(tmp_path: Path) -> None:
    version = _published(tmp_path, ["one", "two"])
    assert run_query(version, "select count(*) from dim_search_text").rows == [(2,)]
    with pytest.raises(QueryFailed, match="stem"):
        run_query(version, SEARCH, ["one"])


def test_free_sql_searches(tmp_path: Path) -> None:
    version = _published(tmp_path, ["one", "two"])
    query = SEARCH.replace("?", "'two'")
    assert run_freely(version, query, Limits()).rows == [("001",)]
    with pytest.raises(QueryFailed, match=r"disabled|not allowed|Permission"):
        run_freely(version, f"from ({query}), '{tmp_path / 'x.csv'}'", Limits())


def test_without_the_extension_a_version_has_no_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "extension_file", lambda _: None)
    version = _published(tmp_path, ["one"])
    found = run_query(version, "select count(*) from duckdb_tables() where table_name = 'docs'")
    assert found.rows == [(0,)]


def test_a_version_without_texts_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "v.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table t as select 1 as a")
    before = tmp_path / "before.duckdb"
    shutil.copy(path, before)
    index_texts(path)
    with duckdb.connect(str(path)) as connection:
        assert connection.execute("show tables").fetchall() == [("t",)]


def test_what_is_too_much_is_left_out_by_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "_MOST_CHARACTERS", 5)
    assert _found(_published(tmp_path, ["one"], "motion"), "one") == ["000"]
    assert _found(_published(tmp_path, ["one", "two more"], "reply"), "one") == []
