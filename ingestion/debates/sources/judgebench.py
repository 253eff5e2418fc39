"""Source `judgebench`: debates of models, each judged by several."""

from ingestion.registry import declare

LICENCE = "MIT"

declare(
    "judgebench",
    about="debates of models, each judged by several",
    where="name debates.jsonl of https://github.com/MrinalA2009/DebateBench",
    reader="ingestion.debates.readers.judgebench.parse_judgebench",
    file="debates.jsonl",
    licence=LICENCE,
)
