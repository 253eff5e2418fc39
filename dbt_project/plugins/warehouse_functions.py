"""dbt-duckdb plugin: registers the warehouse's SQL functions in dbt's connection."""

import os

import duckdb
from dbt.adapters.duckdb.plugins import BasePlugin

from warehouse import functions
from warehouse.home import find_home
from warehouse.lake.engine import attach_build
from warehouse.lake.settings import lake_of
from warehouse.threads import threads_of

# Writing the catalogue of a thousand tables anew takes half a second, which with DuckDB's own 16 MB
# of log happens five times in a build of the demo.
_LOG_KEPT = "256MB"


class Plugin(BasePlugin):  # type: ignore[misc]
    """Make `warehouse.functions` callable from every model, with threads as there is work."""

    def configure_connection(self, conn: duckdb.DuckDBPyConnection) -> None:
        """Register the functions in a connection dbt has just opened."""
        functions.register(conn)
        if pin := os.environ.get("ROSTRUM_LAKE_SNAPSHOT"):
            attach_build(conn, lake_of(find_home()), int(pin))
        else:
            conn.execute(f"set threads = {threads_of(conn)}")
            conn.execute(f"set checkpoint_threshold = '{_LOG_KEPT}'")
