"""Sources: data sets, and answers of judges from elsewhere, loaded into raw."""

from collections.abc import Mapping
from typing import Any

from orchestration.assets.derived import Log, asset_of
from orchestration.commands.ingest import LOADS
from orchestration.loading_assets import metadata_of_load
from orchestration.loads import Load
from orchestration.progress import notice
from warehouse.home import Home


def _load(home: Home, options: Load, log: Log) -> Mapping[str, Any]:
    return metadata_of_load(options.load(home, notice(log)))


ASSETS = [asset_of(f"sources/{each.asset}", each, _load, each.about) for each in LOADS]
