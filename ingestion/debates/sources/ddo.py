"""Source `ddo`: debates of debate.org, with the votes of its readers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ingestion.errors import UnknownSource
from ingestion.registry import Settings, setting, source

if TYPE_CHECKING:
    from ingestion.debates.batch import DebateSource
    from warehouse.home import Home

PAGE = "https://esdurmus.github.io/ddo.html"
_DEBATES, _USERS = ("debates.json", "debates.json.gz"), ("users.json", "users.json.gz")


@dataclass(frozen=True)
class VoteSettings(Settings):
    """What a debate must have to be used."""

    margin: int = setting(2, "the winner must be ahead by more votes than this")
    min_rounds: int = setting(3, "fewest rounds")
    max_rounds: int = setting(5, "most rounds")

    def __post_init__(self) -> None:
        if self.min_rounds > self.max_rounds:
            raise UnknownSource(
                f"ingestion: min_rounds {self.min_rounds} is more than max_rounds "
                f"{self.max_rounds}; no debate could be kept"
            )


@source(
    "ddo",
    about="debates of debate.org, with the votes of its readers",
    where=f"fetch debates.json (and users.json) from {PAGE} and name it with --from, or give its "
    "https:// address",
    settings=VoteSettings,
)
def ddo(home: Home, location: str, settings: VoteSettings) -> DebateSource:
    """Return the debates of a file, with what is known of the people beside it."""
    from ingestion.debates.batch import DebateSource
    from ingestion.debates.readers import ddo
    from ingestion.debates.readers.ddo import read_users
    from ingestion.debates.vote_rules import vote_rules
    from ingestion.oversight.reading import Reading
    from ingestion.sources.parts import Parts

    parts = Parts(home, location, ddo.DATASET)
    debates = parts.one(_DEBATES)
    users = parts.beside(_USERS) if parts.is_one_file else parts.find(_USERS)
    reading = Reading(debates.landed.shown)
    people = Reading(f"{users.landed.shown} ({users.name})") if users else None
    files = [debates.landed.source_file(0)]
    if users and people:
        files.append(replace(users.landed.source_file(0), shown=people.shown))
    else:
        reading.note("no users.json: nothing is known about the people but their names")
    return DebateSource(
        dataset=ddo.DATASET,
        rules=vote_rules(settings),
        files=files,
        reading=reading,
        records=ddo.read_ddo(debates.opener, reading, settings),
        participants=read_users(users.opener, people) if users and people else (),
        people=people,
    )
