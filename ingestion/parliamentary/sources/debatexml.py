"""Source `debatexml`: a tournament exported as DebateXML."""

from ingestion.parliamentary.settings import TranscribedSettings
from ingestion.registry import declare

declare(
    "debatexml",
    about="a tournament exported as DebateXML",
    where="export the tournament as XML (DebateXML) and name the file",
    reader="ingestion.parliamentary.readers.debatexml.open_debatexml",
    settings=TranscribedSettings,
)
