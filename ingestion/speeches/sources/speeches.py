"""Source `speeches`: speeches on topics, each scored by people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingestion.registry import Settings, source

if TYPE_CHECKING:
    from ingestion.batch import Loadable
    from warehouse.home import Home


@source(
    "speeches",
    about="speeches on topics, each scored by people",
    where="name data.csv of the release, or fetch it with --from hf://datasets/noystl/speech-quality-dataset",
)
def speeches(home: Home, location: str, settings: Settings) -> Loadable:
    """Return the debates and speeches of the file."""
    del settings
    from ingestion.sources.parts import read_file
    from ingestion.speeches.readers import speeches as reader

    parse = reader.parse_speeches
    return read_file(home, location, reader.DATASET, parse, file_name="data.csv")
