"""Source `curated`: a folder in which `rostrum curate` made a set of debatable questions."""

from dataclasses import dataclass

from ingestion.errors import UnknownSource
from ingestion.registry import Settings, declare, is_dataset_name, setting

WHERE = "name a folder that 'rostrum curate' has worked in, and the data set with --set dataset="


@dataclass(frozen=True)
class CuratedSettings(Settings):
    """What a user has to say about a curated set."""

    dataset: str | None = setting(None, "the data set to load into, which has to be named")

    def __post_init__(self) -> None:
        if not is_dataset_name(self.dataset or ""):
            raise UnknownSource(
                f"ingestion: 'curated' needs the data set's name and found '{self.dataset or ''}'; "
                "give one of small letters, digits, _ and -, such as --set dataset=my-questions"
            )


declare(
    "curated",
    about="debatable questions that you curated",
    where=WHERE,
    reader="ingestion.questions.readers.curated.open_curated",
    settings=CuratedSettings,
)
