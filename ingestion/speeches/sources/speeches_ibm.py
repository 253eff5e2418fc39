"""Source `speeches-ibm`: the same speeches as first released, with more questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingestion.registry import Settings, source

if TYPE_CHECKING:
    from ingestion.batch import Loadable
    from warehouse.home import Home


@source(
    "speeches-ibm",
    about="the same speeches as first released, with more questions",
    where="name opening_speeches.parquet, or fetch it with --from hf://datasets/ibm-research/debate_speeches",
)
def speeches_ibm(home: Home, location: str, settings: Settings) -> Loadable:
    """Return the debates and speeches of the file."""
    del settings
    from ingestion.sources.parts import read_file
    from ingestion.speeches.readers import speeches_ibm as reader

    parse = reader.parse_speeches_ibm
    return read_file(home, location, reader.DATASET, parse, file_name="opening_speeches.parquet")
