"""Source `tabbycat`: a tournament of Tabbycat, saved or live."""

from ingestion.parliamentary.settings import TranscribedSettings
from ingestion.registry import declare

declare(
    "tabbycat",
    about="a tournament of Tabbycat, saved or live",
    where="name a saved tournament, or https://<site>/api/v1/tournaments/<slug> of a live one, "
    "with a token in TABBYCAT_TOKEN",
    reader="ingestion.parliamentary.readers.tabbycat.rooms.open_tabbycat",
    settings=TranscribedSettings,
)
