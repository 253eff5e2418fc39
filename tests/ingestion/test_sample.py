"""The bundled sample: its shape, its texts, its raters, and that it never changes by accident."""

import hashlib
import statistics
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import astuple
from itertools import combinations, pairwise

import pytest
from numpy.random import PCG64
from sklearn.metrics import cohen_kappa_score

from ingestion.sample.draws import Draws
from ingestion.sample.ratings import DIMENSION, SCALE_MAX, SCALE_MIN, SampleRating, sample_ratings
from ingestion.sample.speeches import SampleSpeech, sample_speeches
from ingestion.speeches.readers.sample_speeches import DATASET

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


def test_the_sample_is_marked_as_sample() -> None:
    assert DATASET.is_sample
    assert DATASET.dataset_id == "sample"
    assert "not real data" in DATASET.title
    assert DATASET.licence == "Apache-2.0"


def test_every_motion_has_one_speech_from_every_source(speeches: list[SampleSpeech]) -> None:
    assert len(speeches) == 72
    assert len({speech.item_id for speech in speeches}) == 72
    sources: dict[str, list[str]] = defaultdict(list)
    for speech in speeches:
        sources[speech.debate_id].append(speech.source)
    assert len(sources) == 12
    assert all(found == BEST_FIRST for found in sources.values())


def test_a_debate_has_one_motion_and_a_motion_one_debate(speeches: list[SampleSpeech]) -> None:
    pairs = {(speech.debate_id, speech.motion) for speech in speeches}
    assert len(pairs) == len({debate for debate, _ in pairs}) == len({text for _, text in pairs})


def test_item_ids_are_built_from_the_debate_and_the_source(speeches: list[SampleSpeech]) -> None:
    for speech in speeches:
        assert speech.debate_id.startswith("sample:")
        slug = speech.source.removeprefix("Sample ")
        assert speech.item_id == f"{speech.debate_id}-{slug}"


def test_every_speech_has_120_to_200_words(speeches: list[SampleSpeech]) -> None:
    counts = {speech.item_id: len(speech.text.split()) for speech in speeches}
    assert {item: count for item, count in counts.items() if not 120 <= count <= 200} == {}


def test_texts_are_plain_and_tidy(speeches: list[SampleSpeech]) -> None:
    for speech in speeches:
        assert speech.text == speech.text.strip()
        assert "  " not in speech.text
        assert speech.text[-1] in ".?!"
        assert all(char.isprintable() or char == "\n" for char in speech.text)


def test_no_two_speeches_share_a_sentence_between_motions(speeches: list[SampleSpeech]) -> None:
    owners: dict[str, set[str]] = defaultdict(set)
    for speech in speeches:
        for sentence in speech.text.replace("\n", " ").replace("? ", ". ").split(". "):
            owners[sentence.strip(". ")].add(speech.debate_id)
    shared = {sentence for sentence, debates in owners.items() if len(debates) > 1}
    assert {sentence for sentence in shared if len(sentence.split()) > 3} == set()
    assert len({speech.text for speech in speeches}) == 72


def test_the_speeches_are_the_same_everywhere(speeches: list[SampleSpeech]) -> None:
    assert _sha256(speeches) == SPEECHES_SHA256


def test_the_ratings_are_the_same_everywhere(ratings: list[SampleRating]) -> None:
    assert _sha256(ratings) == RATINGS_SHA256


def test_a_second_call_returns_the_same_sample(
    speeches: list[SampleSpeech], ratings: list[SampleRating]
) -> None:
    assert sample_speeches() == speeches
    assert sample_ratings() == ratings


def test_every_rater_rates_66_speeches_once(
    ratings: list[SampleRating], by_rater: dict[str, dict[str, int]]
) -> None:
    assert sorted(by_rater) == [f"sample:rater-{number:02d}" for number in range(1, 16)]
    assert {len(values) for values in by_rater.values()} == {66}
    # A duplicate would be lost in the table but not in the list.
    assert len(ratings) == 15 * 66


def test_ratings_are_of_known_speeches_on_the_one_dimension(
    speeches: list[SampleSpeech], ratings: list[SampleRating]
) -> None:
    assert {rating.item_id for rating in ratings} == {speech.item_id for speech in speeches}
    assert {rating.dimension for rating in ratings} == {DIMENSION}


def test_any_two_raters_share_at_least_60_speeches(by_rater: dict[str, dict[str, int]]) -> None:
    shared = [len(one.keys() & other.keys()) for one, other in combinations(by_rater.values(), 2)]
    assert len(shared) == 105
    assert min(shared) >= 60


def test_every_speech_has_at_least_12_ratings(ratings: list[SampleRating]) -> None:
    counts = Counter(rating.item_id for rating in ratings)
    assert min(counts.values()) >= 12


def test_ratings_are_whole_numbers_using_the_whole_scale(ratings: list[SampleRating]) -> None:
    assert {type(rating.value) for rating in ratings} == {int}
    scale = set(range(SCALE_MIN, SCALE_MAX + 1))
    assert {rating.value for rating in ratings} == scale == {1, 2, 3, 4, 5}


def test_no_rater_gives_everything_the_same_value(by_rater: dict[str, dict[str, int]]) -> None:
    assert min(len(set(values.values())) for values in by_rater.values()) >= 4


def test_some_rater_is_harsh_and_some_rater_lenient(by_rater: dict[str, dict[str, int]]) -> None:
    means = [statistics.mean(values.values()) for values in by_rater.values()]
    overall = statistics.mean(means)
    assert min(means) < overall - 0.5
    assert max(means) > overall + 0.5


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


def test_draws_are_remainders_of_the_raw_stream() -> None:
    raw = PCG64(5)
    draws = Draws(5)
    assert [draws.below(10) for _ in range(20)] == [raw.random_raw() % 10 for _ in range(20)]


def test_shuffling_keeps_every_value_and_leaves_the_input_alone() -> None:
    values = list(range(50))
    shuffled = Draws(1).shuffled(values)
    assert sorted(shuffled) == values == list(range(50))
    assert shuffled != values


def test_bell_draws_have_the_stated_centre_and_spread() -> None:
    draws = Draws(2)
    values = [draws.bell(1000) for _ in range(4000)]
    # Standard errors: 1000 / sqrt(4000) = 16 for the mean, about 11 for the deviation.
    assert statistics.mean(values) == pytest.approx(0, abs=64)
    assert statistics.stdev(values) == pytest.approx(1000, abs=50)


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
