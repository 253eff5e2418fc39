"""Source `judgebench`: debates of models, each judged by several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingestion.registry import Settings, source

if TYPE_CHECKING:
    from ingestion.batch import Loadable
    from warehouse.home import Home


@source(
    "judgebench",
    about="debates of models, each judged by several",
    where="name debates.jsonl of https://github.com/MrinalA2009/DebateBench",
)
def judgebench(home: Home, location: str, settings: Settings) -> Loadable:
    """Return the debates and speeches of the file."""
    del settings
    from ingestion.debates.readers import judgebench as reader
    from ingestion.sources.parts import read_file

    parse = reader.parse_judgebench
    return read_file(home, location, reader.DATASET, parse, file_name="debates.jsonl")
