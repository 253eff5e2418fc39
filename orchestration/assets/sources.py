"""Sources: data sets, and answers of judges from elsewhere, loaded into raw."""

import dagster as dg

from orchestration.commands.ingest import LOADS
from orchestration.instance import tag_process
from orchestration.loading_assets import metadata_of_load
from orchestration.loads import Load
from orchestration.operation import config_of
from orchestration.progress import notice
from warehouse.home import find_home


def _asset(operation: type[Load]) -> dg.AssetsDefinition:
    config_type = config_of(operation)

    @dg.asset(key=["sources", operation.asset], group_name="sources", description=operation.about)
    def load(
        context: dg.AssetExecutionContext,
        config: config_type,  # type: ignore[valid-type]
    ) -> dg.MaterializeResult[None]:
        tag_process(context)
        facts = operation.of(config).load(find_home().ensure(), notice(context.log.info))
        return dg.MaterializeResult(metadata=metadata_of_load(facts))

    return load


ASSETS = [_asset(operation) for operation in LOADS]
