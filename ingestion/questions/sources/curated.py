"""Source `curated`: a folder in which `rostrum curate` made a set of debatable questions."""

from ingestion.registry import DatasetName, Settings, declare, setting

WHERE = "name a folder that 'rostrum curate' has worked in, and the data set with --dataset"


class CuratedSettings(Settings):
    """Settings of a curated set."""

    dataset: DatasetName = setting(..., "the data set to load into, such as my-questions")


declare(
    "curated",
    about="debatable questions that you curated",
    where=WHERE,
    reader="ingestion.questions.readers.curated.open_curated",
    settings=CuratedSettings,
)
