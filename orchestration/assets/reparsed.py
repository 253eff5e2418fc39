"""Reparsed: stored replies read again by the present parser."""

import dagster as dg

from inference.parsing import PARSER_VERSION
from ingestion.reparse import reparse
from orchestration.commands.reparse import change_table
from orchestration.instance import tag_process
from orchestration.progress import notice
from warehouse.home import find_home


@dg.asset(
    key=["model_runs", "reparsed"],
    group_name="model_runs",
    deps=[dg.AssetKey(["model_runs", "scores"]), dg.AssetKey(["sources", "imports"])],
    description=(
        "Every stored reply, read again by the present parser. Nobody is asked and nothing is "
        "paid. Reading twice changes nothing."
    ),
)
def reparsed(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
    """Read stored replies again, and update the answers that are read differently now."""
    tag_process(context)
    report = reparse(find_home().ensure(), notify=notice(context.log.info))
    return dg.MaterializeResult(
        metadata={
            "read": report.read,
            "changed": report.changed,
            "skipped": report.skipped,
            "older_runs": report.runs,
            "parser_version": PARSER_VERSION,
            "newest_load": report.newest_load,
            "newest_other_load": report.newest_other_load,
            "seconds": round(report.seconds, 2),
            "changes": dg.MetadataValue.json([list(change) for change in report.changes]),
            "differences": dg.MetadataValue.md(change_table(report.changes)),
        }
    )
