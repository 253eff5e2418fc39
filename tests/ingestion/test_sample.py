"""The bundled sample: its shape, its texts, its raters, and that it never changes by accident."""

import hashlib
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import astuple
from itertools import combinations, pairwise

import pytest
from sklearn.metrics import cohen_kappa_score

from ingestion.sample.ratings import SampleRating, sample_ratings
from ingestion.sample.speeches import SampleSpeech, sample_speeches

# Change these only together with an intended change of the sample: stored item hashes, and so
# the answers already paid for, depend on the texts.
SPEECHES_SHA256 = "a981aa599f563c34afc8b01982f136187c953fc5ce6f97ce3b03b0dad51513ff"
RATINGS_SHA256 = "3080c45d08a93bdfee68e45bf3efdb17069518994835b1cac81793ebe528cc5a"

BEST_FIRST = [
    "Sample expert",
    "Sample graduate",
    "Sample essay",
    "Sample list",
    "Sample rambler",
    "Sample scrambled",
]


@pytest.fixture(scope="module")
def speeches() -> list[SampleSpeech]:
    return sample_speeches()


@pytest.fixture(scope="module")
def ratings() -> list[SampleRating]:
    return sample_ratings()


@pytest.fixture(scope="module")
def by_rater(ratings: list[SampleRating]) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = defaultdict(dict)
    for rating in ratings:
        table[rating.annotator_id][rating.item_id] = rating.value
    return dict(table)


def _sha256(rows: Iterable[SampleSpeech | SampleRating]) -> str:
    return hashlib.sha256(repr([astuple(row) for row in rows]).encode("utf-8")).hexdigest()


def test_every_motion_has_one_speech_from_every_source(speeches: list[SampleSpeech]) -> None:
    assert len(speeches) == 72
    assert len({speech.item_id for speech in speeches}) == 72
    sources: dict[str, list[str]] = defaultdict(list)
    for speech in speeches:
        sources[speech.debate_id].append(speech.source)
    assert len(sources) == 12
    assert all(found == BEST_FIRST for found in sources.values())


def test_the_speeches_are_the_same_everywhere(speeches: list[SampleSpeech]) -> None:
    assert _sha256(speeches) == SPEECHES_SHA256


def test_the_ratings_are_the_same_everywhere(ratings: list[SampleRating]) -> None:
    assert _sha256(ratings) == RATINGS_SHA256


def test_every_rater_rates_66_speeches_once(
    ratings: list[SampleRating], by_rater: dict[str, dict[str, int]]
) -> None:
    assert sorted(by_rater) == [f"sample:rater-{number:02d}" for number in range(1, 16)]
    assert {len(values) for values in by_rater.values()} == {66}
    # A duplicate would be lost in the table but not in the list.
    assert len(ratings) == 15 * 66


def test_source_means_fall_in_clear_steps_from_expert_to_scrambled(
    speeches: list[SampleSpeech], ratings: list[SampleRating]
) -> None:
    source_of = {speech.item_id: speech.source for speech in speeches}
    values: dict[str, list[int]] = defaultdict(list)
    for rating in ratings:
        values[source_of[rating.item_id]].append(rating.value)
    means = [statistics.mean(values[source]) for source in BEST_FIRST]
    assert all(better - worse > 0.2 for better, worse in pairwise(means))
    assert means[0] == pytest.approx(4.3, abs=0.2)
    assert means[-1] == pytest.approx(1.8, abs=0.2)


def test_raters_agree_moderately(by_rater: dict[str, dict[str, int]]) -> None:
    kappas = []
    for one, other in combinations(by_rater.values(), 2):
        shared = sorted(one.keys() & other.keys())
        pair = ([one[item] for item in shared], [other[item] for item in shared])
        kappas.append(cohen_kappa_score(*pair, weights="quadratic", labels=[1, 2, 3, 4, 5]))
    assert 0.35 < statistics.mean(kappas) < 0.55


def test_the_sample_imports_nothing_else_of_the_project() -> None:
    code = (
        "import sys, ingestion.sample.debates, ingestion.sample.ratings; "
        "print(*[m for m in sys.modules if m.split('.')[0] in "
        "('ingestion', 'warehouse', 'inference', 'orchestration', 'dashboard')])"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    assert "ingestion.sample.speeches" in loaded
    assert [name for name in loaded if not name.startswith("ingestion.sample")] == ["ingestion"]
