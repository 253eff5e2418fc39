"""dbt-duckdb plugin: registers the warehouse's SQL functions in dbt's connection."""

from __future__ import annotations

import duckdb
from dbt.adapters.duckdb.plugins import BasePlugin

from warehouse import functions


class Plugin(BasePlugin):  # type: ignore[misc]
    """Make `warehouse.functions` callable from every model."""

    def configure_connection(self, conn: duckdb.DuckDBPyConnection) -> None:
        """Register the functions in a connection dbt has just opened."""
        functions.register(conn)
