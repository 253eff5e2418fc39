"""Assets of operations: the form is the operation's, the work is a function of its options."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import dagster as dg

from orchestration.instance import tag_process
from orchestration.operation import Operation, config_of
from warehouse.home import Home, find_home

Options = TypeVar("Options", bound=Operation)
Log = Callable[[str], None]


def asset_of(
    key: str,
    operation: type[Options],
    do: Callable[[Home, Options, Log], Mapping[str, Any]],
    description: str,
    after: Iterable[str] = (),
) -> dg.AssetsDefinition:
    """Return the asset of an operation.

    Args:
        do: Does the work with a home, the options and the run's log; returns the metadata.
        after: Keys of the assets that it comes after.
    """
    config_type = config_of(operation)

    @dg.asset(
        key=key.split("/"),
        group_name=key.partition("/")[0],
        deps=[dg.AssetKey(each.split("/")) for each in after],
        description=description,
    )
    def derived(
        context: dg.AssetExecutionContext,
        config: config_type,  # type: ignore[valid-type]
    ) -> dg.MaterializeResult[None]:
        tag_process(context)
        options = operation.of(config)
        metadata = do(find_home().ensure(), options, context.log.info)
        return dg.MaterializeResult(metadata=metadata)

    return derived
