"""Source `speeches`: speeches on topics, each scored by people."""

from ingestion.registry import declare

declare(
    "speeches",
    about="speeches on topics, each scored by people",
    where="name data.csv of the release, or fetch it with --from hf://datasets/noystl/speech-quality-dataset",
    reader="ingestion.speeches.readers.speeches.open_speeches",
)
