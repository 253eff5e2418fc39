"""dbt-duckdb plugin: registers the warehouse's SQL functions in dbt's connection."""

from __future__ import annotations

import gc

import duckdb
from dbt.adapters.duckdb.plugins import BasePlugin

from warehouse import functions

# dbt keeps all it has parsed to the end; looking through it for garbage took a twelfth of a build.
gc.set_threshold(100_000, 50, 100)


class Plugin(BasePlugin):  # type: ignore[misc]
    """Make `warehouse.functions` callable from every model."""

    def configure_connection(self, conn: duckdb.DuckDBPyConnection) -> None:
        """Register the functions in a connection dbt has just opened."""
        functions.register(conn)
