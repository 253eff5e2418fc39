"""Settings of sources of parliamentary debates."""

from ingestion.registry import NamedSettings, setting


class TranscribedSettings(NamedSettings):
    """Settings of a source of results without motions and speeches."""

    motions: str | None = setting(None, "a file of motions")
    transcripts: str | None = setting(
        None, "a folder or archive of tagged transcripts, where the source has none beside"
    )


class AliasSettings(TranscribedSettings):
    """Settings of a source where transcripts and results have names of their own."""

    aliases: str | None = setting(
        None, "a file that says which transcript belongs to which row of results"
    )
