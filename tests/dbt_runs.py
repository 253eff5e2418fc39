"""dbt in a home, with the project parsed as the product's own commands leave it."""

import atexit
import re
import sys
from collections.abc import Sequence
from typing import Any

from orchestration.builds.dbt import dbt_command, dbt_environment, ensure_manifest
from tests.conftest import run_rostrum
from warehouse.home import Home

# A query that begins with `with`, up to the first name.
_BEGIN = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*with(?:\s+recursive)?\b", re.I | re.S)


def run_dbt(home: Home, *arguments: str) -> None:
    """Run dbt on the project as it is, which has to succeed.

    Args:
        home: The home.
        arguments: What dbt is to do. Other values of variables do not make it parse the project
            anew: only `raw_database` decides how it is parsed.
    """
    ensure_manifest(home)
    fork_dbt(home, *dbt_command(home.dbt_target, *arguments)[5:])


def fork_dbt(home: Home, *words: str) -> None:
    """Run dbt with these words in a process of its own, which has to succeed."""
    done = run_rostrum(home, *words, env=dbt_environment(home), call=f"{__name__}:main")
    assert done.returncode == 0, done.stdout + done.stderr


def main(*words: str) -> None:
    """Run dbt in this process on a project that may have been parsed with other variables."""
    from dbt.parser.manifest import ManifestLoader

    from orchestration.builds import process as dbt_process

    is_parsable = ManifestLoader.is_partial_parsable

    def is_parsable_by_its_files(loader: ManifestLoader, parsed: Any) -> tuple[bool, str | None]:
        loader.manifest.state_check.vars_hash = parsed.state_check.vars_hash
        return is_parsable(loader, parsed)

    if not any("raw_database" in word for word in words):
        ManifestLoader.is_partial_parsable = is_parsable_by_its_files
    _prepare_unit_tests_faster()
    sys.argv = ["dbt", *words]
    try:
        dbt_process.main()
    finally:
        # dbt closes its database there.
        atexit._run_exitfuncs()


def _prepare_unit_tests_faster() -> None:
    """Let dbt write the rows of unit tests in half the time, and run the same SQL.

    For each given table it asks for the columns anew and casts each value through four macros; and
    it parses the whole SQL to find its first `with`.
    """
    from dbt import compilation
    from dbt.adapters.duckdb.impl import DuckDBAdapter
    from dbt.clients.jinja import MacroGenerator

    call, columns_of = MacroGenerator.__call__, DuckDBAdapter.get_columns_in_relation
    known: dict[str, list[Any]] = {}

    def cast(macro: MacroGenerator, *args: Any, **named: Any) -> Any:
        if macro.macro.name == "safe_cast":
            return f"cast({args[0]} as {args[1]})"
        return call(macro, *args, **named)

    def columns(adapter: DuckDBAdapter, relation: Any) -> list[Any]:
        # What a test makes has its name.
        if relation.identifier.endswith("__dbt_tmp"):
            found: list[Any] = columns_of(adapter, relation)
            return found
        if str(relation) not in known:
            known[str(relation)] = columns_of(adapter, relation)
        return known[str(relation)]

    MacroGenerator.__call__ = cast  # type: ignore[method-assign]
    DuckDBAdapter.get_columns_in_relation = columns
    compilation.inject_ctes_into_sql = with_tables_before


def with_tables_before(sql: str, tables: Sequence[Any]) -> str:
    """Return a query with tables named before it.

    Args:
        sql: The query, perhaps behind comments, that may itself begin with `with`.
        tables: What dbt wants before it.
    """
    if not tables:
        return sql
    before = ", ".join(each.sql for each in tables)
    begun = _BEGIN.match(sql)
    if begun is None:
        return f"with {before} {sql}"
    return f"{begun[0]} {before}, {sql[begun.end() :]}"
