"""Published: an audited build becomes the version that readers see."""

from importlib.metadata import version

import dagster as dg

from orchestration.assets.metrics import metrics
from orchestration.instance import tag_process
from orchestration.progress import notice
from warehouse.home import find_home
from warehouse.publish import publish
from warehouse.reader import run_query


@dg.asset(
    key=["published", "warehouse"],
    group_name="published",
    deps=[key for key in metrics.keys if key.path[-1].startswith(("dim_", "fct_", "rpt_"))],
    description=(
        "The immutable version the dashboard and SQL read. Refuses what the audit row does not "
        "vouch for, also when materialized alone."
    ),
)
def warehouse(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
    """Publish the build, if its audit row vouches for it."""
    tag_process(context)
    published = publish(
        find_home(), code_version=version("rostrum"), notify=notice(context.log.info)
    )
    counts = run_query(
        published,
        "select table_name, estimated_size from duckdb_tables() where schema_name = 'main' "
        "order by table_name",
    ).rows
    return dg.MaterializeResult(
        metadata={
            "version": published.name,
            "path": dg.MetadataValue.path(str(published.path)),
            "bytes": published.path.stat().st_size,
            "rows": dg.MetadataValue.md(
                "| table | rows |\n|---|---:|\n"
                + "\n".join(f"| {table} | {rows:,} |" for table, rows in counts)
            ),
        }
    )
