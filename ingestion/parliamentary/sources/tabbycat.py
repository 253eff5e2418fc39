"""Source `tabbycat`: a saved tournament of Tabbycat."""

from ingestion.parliamentary.settings import TranscribedSettings
from ingestion.registry import declare

declare(
    "tabbycat",
    about="a saved tournament of Tabbycat",
    where="save the documents of its API and name the folder, archive or file",
    reader="ingestion.parliamentary.readers.tabbycat.open_tabbycat",
    settings=TranscribedSettings,
)
