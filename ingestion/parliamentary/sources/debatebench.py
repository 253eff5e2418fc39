"""Source `debatebench`: tournament debates with transcripts and results."""

from ingestion.parliamentary.settings import AliasSettings
from ingestion.registry import declare

REPO = "utkarsh2105/DebateBench"
HUB = f"hf://datasets/{REPO}"
URL = f"https://huggingface.co/datasets/{REPO}"


declare(
    "debatebench",
    about="tournament debates with transcripts and results",
    where=f"'--from {HUB}' fetches it; or fetch scores.xlsx and 'Cleaned Speeches.zip' from {URL} "
    "into a folder of their own and name the folder",
    reader="ingestion.parliamentary.readers.debatebench.open_debatebench",
    settings=AliasSettings,
)
