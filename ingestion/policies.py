"""Label policies: which instructions people had. Labels under two of them are never pooled."""

import duckdb

from ingestion.errors import BadStudy
from warehouse.records.core import Dataset


def check_policy(connection: duckdb.DuckDBPyConnection, dataset: Dataset) -> None:
    """Refuse labels of a data set whose labels there were given under another policy.

    Raises:
        BadStudy: They were; says under which.
    """
    row = connection.execute(
        "select policy from raw.datasets where dataset_id = ?", [dataset.dataset_id]
    ).fetchone()
    if row is not None and row[0] != dataset.policy:
        there, given = (f"'{one}'" if one else "none stated" for one in (row[0], dataset.policy))
        raise BadStudy(
            f"study: the labels of {dataset.dataset_id} were given under the instructions {there}, "
            f"and these under {given}; figures over both would mix two questions: load these under "
            "another --name, or with the same --policy"
        )
