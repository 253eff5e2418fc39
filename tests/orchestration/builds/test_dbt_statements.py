"""What dbt rendered once is run again as it was, and rendered anew where anything decides otherwise."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tests.late import imported_late

if TYPE_CHECKING:
    from orchestration.builds.statements import Statements

# It imports dbt.
dbt_statements = imported_late("orchestration.builds.statements")


class _Node(SimpleNamespace):
    """A model or test, as much of it as is asked for."""

    def get_materialization(self) -> str:
        return str(self.materialized)


def _node(name: str, kind: str, materialized: str, language: str = "sql", **meta: str) -> _Node:
    return _Node(
        unique_id=name,
        resource_type=kind,
        materialized=materialized,
        language=language,
        compiled_code=None,
        config=SimpleNamespace(meta=meta),
    )


class _Relation(str):
    type: str

    def incorporate(self, **_: Any) -> _Relation:
        return self


class _Adapter:
    """Stands in for dbt's: it writes down what it is told to run."""

    def __init__(self, existing: dict[str, str], found: tuple[int, bool, bool] = (0, False, False)):
        self.said: list[str] = []
        self._found = found
        relations = {
            name: SimpleNamespace(inner=SimpleNamespace(type=kind))
            for name, kind in existing.items()
        }
        self.cache = SimpleNamespace(relations=relations)
        self.Relation = SimpleNamespace(
            create_from=lambda _config, node, **_: _Relation(node.unique_id)
        )
        self.connections = SimpleNamespace(
            begin=lambda: self.said.append("begin"),
            commit=lambda: self.said.append("commit"),
            add_query=self._add_query,
        )
        self.type = lambda: "duckdb"
        self.cache_added = lambda relation: self.said.append(f"cached {relation}")

    def _add_query(self, sql: str, *, auto_begin: bool) -> tuple[None, Any]:
        assert not auto_begin
        self.said.append(sql)
        return None, SimpleNamespace(fetchone=lambda: self._found)


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Take dbt's place in rendering; return the names of what is rendered."""
    done: list[str] = []

    def compile_node(statements: Statements, node: _Node, *_: Any) -> _Node:
        done.append(node.unique_id)
        node.compiled_code = f"select {node.unique_id}"
        statements.write(node, "", "compiled/it", node.compiled_code)
        return node

    def execute(runner: Any, node: _Node, _manifest: Any) -> str:
        runner.statements.write(node, "", "run/it", f"make {node.unique_id}")
        return "by dbt"

    monkeypatch.setattr("orchestration.builds.statements._compile_node", compile_node)
    monkeypatch.setattr("orchestration.builds.statements._execute_model", execute)
    monkeypatch.setattr("orchestration.builds.statements._execute_test", execute)
    monkeypatch.setattr("orchestration.builds.statements._write_node", lambda *_: None)
    monkeypatch.setattr("orchestration.builds.statements._make_ref_key", str)
    return done


def _build(
    statements: Statements, adapter: _Adapter, package: str = "rostrum", **meta: str
) -> list[Any]:
    """Build a table, a view, a Python model and a test; return what came of each."""
    config = SimpleNamespace(project_name="rostrum")
    runner = SimpleNamespace(statements=statements, adapter=adapter, config=config)
    macro = SimpleNamespace(package_name=package)
    manifest = SimpleNamespace(find_materialization_macro_by_name=lambda *_: macro)
    found: list[Any] = []
    for node in (
        _node("table", "model", "table", **meta),
        _node("view", "model", "view"),
        _node("fitted", "model", "table", "python"),
    ):
        compiled = statements.compile(statements, node)
        assert compiled.compiled_code == f"select {node.unique_id}"
        found.append(statements.execute_model(runner, node, manifest))
    test = statements.compile(statements, _node("test", "test", "test"))
    found.append(statements.execute_test(runner, test, manifest))
    statements.keep()
    return found


def test_what_was_rendered_is_run_as_it_was_in_one_transaction_each(
    tmp_path: Path, rendered: list[str]
) -> None:
    path = tmp_path / "statements.json"
    assert _build(dbt_statements.Statements(path, "a"), _Adapter({})) == ["by dbt"] * 4
    assert rendered == ["table", "view", "fitted", "test"]
    rendered.clear()

    adapter = _Adapter({"table": "view"}, found=(3, True, True))
    table, view, fitted, test = _build(dbt_statements.Statements(path, "a"), adapter)
    # A Python model is run by dbt, which keeps no text of it.
    assert (rendered, fitted) == (["fitted"], "by dbt")
    assert adapter.said == [
        *("begin", "drop view if exists table", "make table", "commit", "cached table"),
        *("begin", "make view", "commit", "cached view"),
        "make test",
    ]
    assert table.status == view.status == "success"
    assert (test.failures, test.should_warn, test.should_error) == (3, True, True)


@pytest.mark.parametrize("torn", [None, b"", b"{", b"[]", b'{"made_from": "b", "rendered": [1]}'])
def test_all_is_rendered_anew_where_anything_else_decides_or_the_file_is_torn(
    tmp_path: Path, rendered: list[str], torn: bytes | None
) -> None:
    path = tmp_path / "statements.json"
    _build(dbt_statements.Statements(path, "a"), _Adapter({}))
    if torn is not None:
        path.write_bytes(torn)
    rendered.clear()
    assert _build(dbt_statements.Statements(path, "b"), _Adapter({})) == ["by dbt"] * 4
    assert len(rendered) == 4


def test_a_statement_that_was_not_rendered_whole_is_not_known(
    tmp_path: Path, rendered: list[str]
) -> None:
    path = tmp_path / "statements.json"
    before = dbt_statements.Statements(path, "a")
    before.compile(before, _node("table", "model", "table"))
    before.keep()
    after = dbt_statements.Statements(path, "a")
    after.compile(after, _node("table", "model", "table"))
    assert rendered == ["table", "table"]


def test_a_model_that_another_materialization_makes_is_left_to_dbt(
    tmp_path: Path, rendered: list[str]
) -> None:
    path = tmp_path / "statements.json"
    _build(dbt_statements.Statements(path, "a"), _Adapter({}), package="dbt_duckdb")
    rendered.clear()
    _build(dbt_statements.Statements(path, "a"), _Adapter({}), package="dbt_duckdb")
    assert rendered == ["table", "view", "fitted"]


def test_a_model_that_is_made_in_parts_is_rendered_anew_each_time(
    tmp_path: Path, rendered: list[str]
) -> None:
    path = tmp_path / "statements.json"
    _build(dbt_statements.Statements(path, "a"), _Adapter({}), parts_of="fct_verdict")
    rendered.clear()
    _build(dbt_statements.Statements(path, "a"), _Adapter({}), parts_of="fct_verdict")
    assert rendered == ["table", "fitted"]
