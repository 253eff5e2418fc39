"""Source `nyu-debates`: people who debate and consult about stories, with their judges' beliefs."""

from ingestion.registry import declare

URL = "https://github.com/julianmichael/debate"
LICENCE = "CC-BY-4.0"


declare(
    "nyu-debates",
    about="people who debate and consult about stories, with their judges' beliefs",
    where=f"name rooms.jsonl.gz, or the folder debates/official of {URL}",
    reader="ingestion.oversight.readers.nyu.open_nyu",
    has_parts=True,
    licence=LICENCE,
)
