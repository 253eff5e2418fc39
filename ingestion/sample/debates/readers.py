"""Two made-up people who read seventy-five of the sample's debates each and say who won."""

from dataclasses import dataclass

from ingestion.sample.debates.composed import Side, sample_debates
from ingestion.sample.draws import Draws

_SEED = 20_260_612
READERS = ("reader-1", "reader-2")
PER_READER = 75
# In so many of a hundred debates a reader sides with who argues better, else with the other.
_FOLLOWING_PERCENT = (78, 80)


@dataclass(frozen=True)
class SampleReader:
    """What one reader says about one debate."""

    debate_id: str
    reader: str
    choice: Side


def sample_readers() -> list[SampleReader]:
    """Return the readers' verdicts, always the same. Both read the same debates."""
    draws = Draws(_SEED)
    kept = [debate for debate in sample_debates() if debate.removed_by is None]
    chosen = sorted(draws.shuffled(kept)[:PER_READER], key=lambda debate: debate.debate_id)
    verdicts = []
    for reader, percent in zip(READERS, _FOLLOWING_PERCENT, strict=True):
        for debate in chosen:
            other: Side = "con" if debate.better_side == "pro" else "pro"
            choice = debate.better_side if draws.below(100) < percent else other
            verdicts.append(SampleReader(debate.debate_id, reader, choice))
    return verdicts
