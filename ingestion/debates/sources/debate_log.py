"""Source `debate-log`: debates between models, each judged by several, as a log has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingestion.registry import NamedSettings, setting, source

if TYPE_CHECKING:
    from ingestion.debates.readers.debate_log import LogBatch
    from warehouse.home import Home


@dataclass(frozen=True)
class LogSettings(NamedSettings):
    """What the log's columns are called, where they are not called as here."""

    columns: str = setting(
        "", "what the file calls our columns, such as 'pro=model_a,con=model_b,winner=result'"
    )


@source(
    "debate-log",
    about="debates between models, one row per debate and judge",
    where="name a CSV, JSON lines or Parquet file with debate, motion, pro, con, judge, winner",
    settings=LogSettings,
)
def debate_log(home: Home, location: str, settings: LogSettings) -> LogBatch:
    """Return the verdicts of the file."""
    from ingestion.debates.readers import debate_log as reader

    return reader.open_log(home, location, settings.named(reader.DATASET), settings.columns)
