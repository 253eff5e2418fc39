"""Source `panelbench`: the British Parliamentary debates of PanelBench."""

from ingestion.parliamentary.settings import TabSettings
from ingestion.registry import declare

URL = "https://github.com/ljcleo/debatrix"


declare(
    "panelbench",
    about="the British Parliamentary debates of PanelBench",
    where=f"fetch BP-Competition from {URL} and name the archive or folder",
    reader="ingestion.parliamentary.readers.panelbench.open_panelbench",
    settings=TabSettings,
)
