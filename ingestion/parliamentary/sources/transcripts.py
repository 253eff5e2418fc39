"""Source `transcripts`: results for the transcripts that `rostrum transcribe` made."""

from ingestion.registry import NamedSettings, declare

declare(
    "transcripts",
    about="results for debates that you transcribed",
    where="name a csv file of results for the transcripts of 'rostrum transcribe'",
    reader="ingestion.parliamentary.readers.verified_transcripts.open_results",
    settings=NamedSettings,
)
