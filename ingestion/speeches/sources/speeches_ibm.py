"""Source `speeches-ibm`: the same speeches as first released, with more questions."""

from ingestion.registry import declare

declare(
    "speeches-ibm",
    about="the same speeches as first released, with more questions",
    where="name opening_speeches.parquet, or fetch it with --from hf://datasets/ibm-research/debate_speeches",
    reader="ingestion.speeches.readers.speeches_ibm.open_speeches_ibm",
)
