"""Source `debate-log`: debates between models, each judged by several, as a log has them."""

from ingestion.registry import NamedSettings, declare, setting


class LogSettings(NamedSettings):
    """What the log's columns are called, where they are not called as here."""

    columns: str = setting(
        "", "what the file calls our columns, such as 'pro=model_a,con=model_b,winner=result'"
    )


declare(
    "debate-log",
    about="debates between models, one row per debate and judge",
    where="name a CSV, JSON lines or Parquet file with debate, motion, pro, con, judge, winner",
    reader="ingestion.debates.readers.debate_log.open_log",
    file="",
    settings=LogSettings,
)
