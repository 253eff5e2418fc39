"""What a user may say about sources of parliamentary debates."""

from dataclasses import dataclass

from ingestion.registry import NamedSettings, setting


@dataclass(frozen=True)
class TranscribedSettings(NamedSettings):
    """Options of a source of results without motions and speeches."""

    motions: str | None = setting(None, "a file of motions")
    transcripts: str | None = setting(
        None, "a folder or archive of tagged transcripts, where the source has none beside"
    )


@dataclass(frozen=True)
class AliasSettings(TranscribedSettings):
    """What a user may say where transcripts and results have names of their own."""

    aliases: str | None = setting(
        None, "a file that says which transcript belongs to which row of results"
    )
