"""The sample's ratings: fifteen simulated raters who differ in harshness, scale use and noise.

A rating is the speech's quality, stretched about the middle of the scale by the rater's scale use,
shifted by the rater's harshness, blurred by the rater's noise, rounded and clipped to the scale.
All quantities are whole thousandths of a scale point: see `draws`.
"""

from dataclasses import dataclass
from typing import NamedTuple

from ingestion.sample.draws import Draws
from ingestion.sample.speeches import NAME, SOURCES, SampleSpeech, sample_speeches

DIMENSION = "goodopeningspeech"
SCALE_MIN, SCALE_MAX = 1, 5
RATING_SEED = 20_240_608
RATER_COUNT = 15
# With six of 72 left out, any two raters still share at least 60 speeches.
OMITTED_PER_RATER = 6

POINT = 1000
MIDDLE = 3 * POINT
# Quality of the average speech of each source, best source first.
SOURCE_QUALITY = (4600, 3950, 3250, 2750, 2150, 1450)
ITEM_SPREAD = 300
# Each ladder is shuffled over the raters, so its two ends are always taken.
LENIENCE = tuple(range(-840, 841, 120))
SCALE_USE = tuple(range(650, 1351, 50))
NOISE = tuple(range(550, 1251, 50))


@dataclass(frozen=True)
class SampleRating:
    """One simulated rater's whole-number answer about one sample speech."""

    item_id: str
    annotator_id: str
    dimension: str
    value: int


class _Rater(NamedTuple):
    annotator_id: str
    lenience: int
    scale_use: int
    noise: int
    omitted: frozenset[str]


def sample_ratings() -> list[SampleRating]:
    """Return the 990 sample ratings, by rater and then in the order of the speeches."""
    draws = Draws(RATING_SEED)
    speeches = sample_speeches()
    base = dict(zip(SOURCES.values(), SOURCE_QUALITY, strict=True))
    quality = {speech.item_id: base[speech.source] + draws.bell(ITEM_SPREAD) for speech in speeches}
    ratings = []
    for rater in _raters(draws, speeches):
        for speech in speeches:
            if speech.item_id in rater.omitted:
                continue
            stretched = MIDDLE + (quality[speech.item_id] - MIDDLE) * rater.scale_use // POINT
            felt = stretched + rater.lenience + draws.bell(rater.noise)
            value = max(SCALE_MIN, min(SCALE_MAX, (felt + POINT // 2) // POINT))
            rating = SampleRating(speech.item_id, rater.annotator_id, DIMENSION, value)
            ratings.append(rating)
    return ratings


def _raters(draws: Draws, speeches: list[SampleSpeech]) -> list[_Rater]:
    item_ids = [speech.item_id for speech in speeches]
    # Two shuffled decks, dealt six at a time: no speech is left out by more than two raters.
    deck = draws.shuffled(item_ids) + draws.shuffled(item_ids)
    lenience, scale_use, noise = map(draws.shuffled, (LENIENCE, SCALE_USE, NOISE))
    return [
        _Rater(
            annotator_id=f"{NAME}:rater-{index + 1:02d}",
            lenience=lenience[index],
            scale_use=scale_use[index],
            noise=noise[index],
            omitted=frozenset(deck[index * OMITTED_PER_RATER : (index + 1) * OMITTED_PER_RATER]),
        )
        for index in range(RATER_COUNT)
    ]
