"""Source `speeches-ibm`: the same speeches as first released, with more questions."""

from ingestion.registry import declare

LICENCE = "CDLA-Permissive-2.0"

declare(
    "speeches-ibm",
    about="the same speeches as first released, with more questions",
    where="name opening_speeches.parquet, or fetch it with --from hf://datasets/ibm-research/debate_speeches",
    reader="ingestion.speeches.readers.speeches_ibm.parse_speeches_ibm",
    file="opening_speeches.parquet",
    licence=LICENCE,
)
