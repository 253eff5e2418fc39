"""Source `speeches`: speeches on topics, each scored by people."""

from ingestion.registry import declare

LICENCE = "none stated; the parent data set ibm-research/debate_speeches is CDLA-Permissive-2.0"

declare(
    "speeches",
    about="speeches on topics, each scored by people",
    where="name data.csv of the release, or fetch it with --from hf://datasets/noystl/speech-quality-dataset",
    reader="ingestion.speeches.readers.speeches.parse_speeches",
    file="data.csv",
    licence=LICENCE,
)
