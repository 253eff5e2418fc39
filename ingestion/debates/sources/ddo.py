"""Source `ddo`: debates of debate.org, with the votes of its readers."""

from dataclasses import dataclass

from ingestion.errors import UnknownSource
from ingestion.registry import Settings, declare, setting

PAGE = "https://esdurmus.github.io/ddo.html"


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


declare(
    "ddo",
    about="debates of debate.org, with the votes of its readers",
    where=f"fetch debates.json (and users.json) from {PAGE} and name it with --from, or give its "
    "https:// address",
    reader="ingestion.debates.readers.ddo.open_ddo",
    settings=VoteSettings,
)
