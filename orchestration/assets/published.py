"""Published: an audited build becomes the version that readers see."""

from datetime import timedelta
from importlib.metadata import version

import dagster as dg

from orchestration.assets.audit import AUDIT
from orchestration.builds.progress import Building, tell
from orchestration.instance import tag_process
from orchestration.progress import notice
from orchestration.result_files import markdown_table
from warehouse.compare import compare, mart_keys
from warehouse.home import find_home
from warehouse.lake.versions import bytes_of
from warehouse.publish import publish
from warehouse.reader import published_versions, run_query

WAREHOUSE = dg.AssetKey(["published", "warehouse"])
# What is read is as old as this. A month without a build is no fault, and worth a look.
_FRESH = dg.FreshnessPolicy.time_window(
    warn_window=timedelta(days=30), fail_window=timedelta(days=90)
)


@dg.asset(
    key=WAREHOUSE,
    group_name="published",
    deps=[AUDIT],
    description=(
        "The immutable version the dashboard and SQL read. Refuses what the audit row does not "
        "vouch for, also when materialized alone. Said to be ageing after 30 days and old after "
        "90; the schedule `nightly_publication` keeps it new."
    ),
    freshness_policy=_FRESH,
)
def warehouse(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
    """Publish the build, if its audit row vouches for it."""
    tag_process(context)
    tell(Building("publishing"))
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
            "bytes": bytes_of(published.path),
            "rows": dg.MetadataValue.md(markdown_table("table", "rows:", rows=counts)),
        }
    )


@dg.asset(
    key=["published", "changes"],
    group_name="published",
    deps=[WAREHOUSE],
    description="What differs between the published version and the one before it.",
)
def changes(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
    """Compare the two newest published versions, number by number."""
    tag_process(context)
    home = find_home()
    versions = published_versions(home)[-2:]
    if len(versions) < 2:
        return dg.MaterializeResult(metadata={"before": "none", "changed": 0})
    before, after = versions
    found = compare(before.path, after.path, mart_keys(home.dbt_target / "manifest.json"))
    return dg.MaterializeResult(
        metadata={
            "before": before.name,
            "after": after.name,
            "changed": found.total.changed,
            "unchanged": found.total.unchanged,
            "rows_appeared": found.total.appeared,
            "rows_vanished": found.total.vanished,
            "largest": dg.MetadataValue.md(
                markdown_table(
                    *("report", "row", "number", "before:", "after:"),
                    rows=[
                        (each.mart, each.key, each.column or each.change, each.before, each.after)
                        for each in found.largest
                    ],
                )
            ),
        }
    )


ASSETS = [warehouse, changes]
