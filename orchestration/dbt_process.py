"""dbt's own program, for which a parsed project holds in every home.

dbt parses a project anew whenever its connection differs from the one it was parsed with, and that
names the build database's file. No model asks where that lies.
"""

from __future__ import annotations

from dbt.adapters.duckdb.credentials import DuckDBCredentials
from dbt.cli.main import cli


def main() -> None:
    """Run dbt with this process's arguments."""
    keys = DuckDBCredentials._connection_keys
    DuckDBCredentials._connection_keys = lambda self: tuple(
        key for key in keys(self) if key != "path"
    )
    cli()


if __name__ == "__main__":
    main()
