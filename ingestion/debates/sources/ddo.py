"""Source `ddo`: debates of debate.org, with the votes of its readers."""

from typing import Self

from pydantic import model_validator

from ingestion.registry import Settings, declare, setting

PAGE = "https://esdurmus.github.io/ddo.html"
LICENCE = "Not stated; see the source's page"


class VoteSettings(Settings):
    """Rules that a debate must pass to be used."""

    margin: int = setting(2, "the winner must be ahead by more votes than this", ge=0)
    min_rounds: int = setting(3, "fewest rounds", ge=0)
    max_rounds: int = setting(5, "most rounds", ge=0)

    @model_validator(mode="after")
    def _check_rounds(self) -> Self:
        if self.min_rounds > self.max_rounds:
            raise ValueError(
                f"min_rounds {self.min_rounds} is more than max_rounds {self.max_rounds}; no "
                "debate could be kept"
            )
        return self


declare(
    "ddo",
    about="debates of debate.org, with the votes of its readers",
    where=f"fetch debates.json (and users.json) from {PAGE} and name it with --from, or give its "
    "https:// address",
    reader="ingestion.debates.readers.ddo.open_ddo",
    settings=VoteSettings,
    has_parts=True,
    licence=LICENCE,
)
