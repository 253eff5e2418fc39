"""Speakers against people, by topic: judges' scores, self-preference and style, against plain loops."""

import hashlib
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ingestion.raw_tables import change_rows
from tests.dbt_project.compiled_models import EXAMPLES, Built, Models, one
from tests.dbt_project.references import check_mean

MODEL, PEOPLE = "gpt-4.1", "Human expert"
# Judges of the seed's model's family, of two others, and of nobody knows which.
FAMILIES = {"lab/gpt-4.1": MODEL, "other/a": "a", "other/b": "b", "rule/words": None}
# Of each topic the scores of the model's speeches and of people's; a missing score is a failure.
SCORE = st.one_of(st.none(), st.integers(1, 5))
TOPIC = st.tuples(st.lists(SCORE, max_size=2), st.lists(SCORE, max_size=2))


def speakers(built: Built, by_judge: dict[str, list[Any]]) -> Models:
    """Load what each judge gave to each side of each topic; all judges are asked about all."""
    speeches = {
        f"{topic}{side}{at}": (f"t{topic}", source)
        for drawn in by_judge.values()
        for topic, sides in enumerate(drawn)
        for side, source in enumerate((MODEL, PEOPLE))
        for at in range(len(sides[side]))
    }
    connection = built(
        speeches=[(item, topic, source) for item, (topic, source) in speeches.items()],
        scores=[
            (judge, f"{topic}{side}{at}", value, value)
            for judge, drawn in by_judge.items()
            for topic, sides in enumerate(drawn)
            for side in (0, 1)
            for at, value in enumerate(sides[side])
        ],
    )
    for judge, family in FAMILIES.items():
        connection.execute("update raw.judges set family = ? where judge_id = ?", [family, judge])
    return connection


def mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def differences(drawn: list[Any]) -> list[float | None]:
    means = [(mean(model), mean(people)) for model, people in drawn]
    return [None if None in pair else pair[0] - pair[1] for pair in means]  # type: ignore[operator]


def filled(values: list[float | None], failure: float) -> list[float | None]:
    return [failure if value is None else value for value in values]


@EXAMPLES
@given(drawn=st.lists(TOPIC, min_size=1, max_size=8))
def test_the_difference_is_a_paired_t_over_topics(built: Built, drawn: list[Any]) -> None:
    if not any(sides[0] for sides in drawn):
        drawn = [*drawn, ([3], [])]
    connection = speakers(built, {"other/a": drawn})
    row = one(connection, "from rpt_speaker_comparison")
    known = [value for value in differences(drawn) if value is not None]
    pairs = [(mean(model), mean(people)) for model, people in drawn if model or people]
    assert row["n_units"] == len(known)
    assert row["speaker_only_count"] == sum(a is not None and b is None for a, b in pairs)
    assert row["human_only_count"] == sum(a is None and b is not None for a, b in pairs)
    assert row["neither_count"] == sum(a is None and b is None for a, b in pairs)
    assert row["failure_count"] == sum(sides[0].count(None) for sides in drawn)
    assert row["human_failure_count"] == sum(sides[1].count(None) for sides in drawn)
    counts = [row[f"{name}_count"] for name in ("ahead", "tied", "behind")]
    assert counts == [
        sum(value > 1e-9 for value in known),
        sum(abs(value) < 1e-9 for value in known),
        sum(value < -1e-9 for value in known),
    ]
    lowest, highest = (
        [
            value
            for value in differences(
                [(filled(model, ends[0]), filled(people, ends[1])) for model, people in drawn]
            )
            if value is not None
        ]
        for ends in ((1, 5), (5, 1))
    )
    if row["failure_count"] + row["human_failure_count"] and lowest:
        assert row["difference_failures_lowest"] == pytest.approx(np.mean(lowest))
        assert row["difference_failures_highest"] == pytest.approx(np.mean(highest))
    else:
        assert row["difference_failures_lowest"] is None
    if not known:
        assert row["difference"] is None
        assert row["undefined_reason"]
        return
    assert row["difference"] == pytest.approx(np.mean(known), abs=1e-12)
    if len(known) < 5 or np.ptp(known) < 1e-9:
        assert row["difference_low"] is None
        assert row["interval_reason"]
    else:
        expected = stats.ttest_1samp(known, 0).confidence_interval()
        assert (row["difference_low"], row["difference_high"]) == pytest.approx(
            (expected.low, expected.high)
        )


def test_a_judge_of_the_family_is_held_against_those_of_other_families(built: Built) -> None:
    draws = np.random.Generator(np.random.Philox(3))
    by_judge: dict[str, list[Any]] = {
        judge: [
            (
                [float(one) for one in draws.integers(1, 6, 2)],
                [float(one) for one in draws.integers(1, 6, 2)],
            )
            for _ in range(7)
        ]
        for judge in FAMILIES
    }
    by_judge["other/b"][2] = ([None, None], [3.0, 3.0])
    by_judge["lab/gpt-4.1"][5] = ([4.0, None], [None, None])
    row = one(speakers(built, by_judge), "from rpt_self_preference")
    own, first, second = (
        differences(by_judge[judge]) for judge in ("lab/gpt-4.1", "other/a", "other/b")
    )
    expected = [
        mine - mean([one, other])  # type: ignore[operator]
        for mine, one, other in zip(own, first, second, strict=True)
        if mine is not None
    ]
    interval = stats.ttest_1samp(expected, 0).confidence_interval()
    assert (row["judge_id"], row["is_self"]) == ("lab/gpt-4.1", True)
    assert (row["n_other_judges"], row["n_judges_left_out"]) == (2, 1)
    assert (row["n_units"], row["incomplete_count"], row["failure_count"]) == (6, 1, 5)
    assert (
        row["self_preference_low"],
        row["self_preference"],
        row["self_preference_high"],
    ) == pytest.approx((interval.low, np.mean(expected), interval.high))
    assert row["self_preference_failures_lowest"] <= row["self_preference"]


def styled(built: Built, words: list[tuple[list[int], list[int]]], seed: int) -> pd.DataFrame:
    """Give speeches these numbers of words and random scores, and return them with the mart."""
    draws = np.random.Generator(np.random.Philox(seed))
    drawn = [
        tuple([float(draws.integers(1, 6)) for _ in side] for side in topic) for topic in words
    ]
    connection = speakers(built, {"other/a": drawn})
    rows = []
    for topic, sides in enumerate(words):
        for side in (0, 1):
            for at, size in enumerate(sides[side]):
                change_rows(
                    connection,
                    "speeches",
                    {"word_count": str(size)},
                    "where item_id = ?",
                    f"{topic}{side}{at}",
                )
                rows.append((f"t{topic}", 1 - side, size, drawn[topic][side][at]))
    frame = pd.DataFrame(rows, columns=["topic", "speaker", "words", "score"])
    frame.attrs["row"] = one(connection, "from rpt_style_effect where feature = 'word_count'")
    return frame


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_style_is_held_fixed_as_in_a_weighted_regression_of_statsmodels(
    built: Built, seed: int
) -> None:
    draws = np.random.Generator(np.random.Philox(100 + seed))
    words = [
        (
            [int(one) for one in draws.integers(300, 600, draws.integers(1, 3))],
            [int(one) for one in draws.integers(250, 500, draws.integers(1, 4))],
        )
        for _ in range(8)
    ]
    frame = styled(built, words, seed)
    row = frame.attrs["row"]
    frame["x"] = frame["words"] / frame["words"].std()
    frame["weight"] = 1 / frame.groupby(["topic", "speaker"])["score"].transform("size")
    clusters = {"groups": frame["topic"].astype("category").cat.codes, "use_correction": False}
    before, after = (
        smf.wls(f"score ~ C(topic) + speaker{term}", frame, weights=frame["weight"]).fit(
            cov_type="cluster", cov_kwds=clusters
        )
        for term in ("", " + x")
    )
    wide = stats.t.ppf(0.975, 7) * np.sqrt(8 / 7)
    for name, fitted, term in (
        ("difference", before, "speaker"),
        ("difference_adjusted", after, "speaker"),
        ("slope", after, "x"),
    ):
        middle, half = fitted.params[term], wide * fitted.bse[term]
        assert [row[name + end] for end in ("_low", "", "_high")] == pytest.approx(
            [middle - half, middle, middle + half]
        ), name
    assert row["explained"] == pytest.approx(before.params["speaker"] - after.params["speaker"])
    model, people = (frame.loc[frame["speaker"] == side, "words"] for side in (1, 0))
    above = stats.mannwhitneyu(model, people).statistic / (len(model) * len(people))
    assert row["overlap_share"] == pytest.approx(1 - abs(2 * above - 1))


def test_nothing_is_adjusted_for_where_the_feature_tells_the_speaker_from_people(
    built: Built,
) -> None:
    words = [([600 + at, 620], [300, 320 + 2 * at]) for at in range(6)]
    row = styled(built, words, 1).attrs["row"]
    assert row["overlap_share"] == 0
    assert (row["difference_adjusted"], row["explained"]) == (None, None)
    assert "do not overlap" in row["adjusted_reason"]
    assert row["slope"] is not None
    assert row["difference"] is not None


@EXAMPLES
@given(
    topics=st.lists(
        st.lists(st.one_of(st.none(), st.integers(5, 700)), min_size=2, max_size=2),
        min_size=1,
        max_size=9,
    )
)
def test_speeches_written_have_shares_and_lengths_over_topics(
    built: Built, topics: list[list[int | None]]
) -> None:
    debates = [{"debate_id": f"t{at}"} for at in range(len(topics))]
    motion = hashlib.sha256(b"m").hexdigest()
    written = [
        {
            "request_id": f"{at}-{sample}",
            "judge_id": "lab/writer",
            "debate_id": f"t{at}",
            "item_id": f"t{at}@{sample}",
            "item_hash": motion,
            "word_limit": 600,
            "sample": sample,
            "speech": None if words is None else "x",
            "word_count": None if words is None else min(words, 600),
            "word_count_written": words,
            "removed_sentence_count": None if words is None else int(words > 600),
            "parse_status": "unparsed" if words is None else "parsed",
            "parse_reason": "refused" if words is None else None,
        }
        for at, drawn in enumerate(topics)
        for sample, words in enumerate(drawn)
    ]
    connection = built(raw={"debates": debates, "written_speeches": written})
    row = one(connection, "from rpt_speech_writing")
    asked = [words for drawn in topics for words in drawn]
    there = [words for words in asked if words is not None]
    assert (row["n_requests"], row["n_units"]) == (len(asked), len(topics))
    assert (row["n_speeches"], row["refused_count"]) == (len(there), asked.count(None))
    assert row["cut_count"] == sum(words > 600 for words in there)
    assert row["speech_share"] == pytest.approx(len(there) / len(asked))
    if not there:
        assert row["mean_words"] is None
        assert row["words_reason"]
        return
    kept = [(at, min(words, 600)) for at, drawn in enumerate(topics) for words in drawn if words]
    topic_of, lengths = zip(*kept, strict=True)
    assert row["mean_words_written"] == pytest.approx(np.mean(there))
    check_mean(row, "mean_words", lengths, topic_of, within=(-math.inf, math.inf))
