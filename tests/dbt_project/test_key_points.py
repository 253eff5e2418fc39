"""Key points' marts against loops, statsmodels' clustered errors, and scikit-learn."""

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, adjusted_rand_score, f1_score
from sklearn.metrics.cluster import pair_confusion_matrix
from statsmodels.stats.proportion import proportion_confint

from tests.dbt_project.compiled_models import EXAMPLES, Built
from tests.dbt_project.references import check_mean, check_share

JUDGES, SOURCES = ("a/one", "b/two"), ("essay", "list")
SAID = (None, "pro/1", "pro/2", "pro/3", "pro/4", "con/1")
SENTENCES = st.lists(st.sampled_from(SAID), max_size=4)
ANALYSIS = {
    "name": "n",
    "is_labelled": False,
    "dataset_id": "d",
    "dimension": "q",
    "template": "t",
    "rephraser": "rules",
    "embedder": "tfidf",
    "polarity_by": "rules",
    "match_threshold": 0.5,
    "redundancy_threshold": 0.6,
    "method_hash": "m",
}
Unit = tuple[str, float]


def raw_of(made: dict[tuple[str, int, int], list[str | None]]) -> dict[str, Any]:
    """Return speeches and raw rows: of judge, topic and source, what its sentences are under."""
    justifications, sentences = [], []
    for (judge, topic, source), said in made.items():
        request = f"{judge}.{topic}.{source}"
        about = {
            "analysis_id": "x",
            "judge_id": judge,
            "item_id": f"i{topic}.{source}",
            "request_id": request,
        }
        justifications.append(
            {**about, "status": "sentences" if said else "empty", "sentence_count": len(said)}
        )
        sentences += [
            {
                **about,
                "sentence_id": f"{request}/{place}",
                "position": place,
                "polarity": point.split("/")[0] if point else "neutral",
                "is_candidate": False,
                "key_point_id": point,
                "removal_reason": None if point else "neutral",
            }
            for place, point in enumerate(said, start=1)
        ]
    points = [
        {
            "analysis_id": "x",
            "key_point_id": point,
            "polarity": point.split("/")[0],
            "text": point,
            "sentence_id": "s",
            "position": int(point[-1]),
            "gain": 2,
        }
        for point in SAID
        if point
    ]
    return {
        "speeches": [
            (f"i{topic}.{source}", f"t{topic}", SOURCES[source])
            for topic, source in sorted({key[1:] for key in made})
        ],
        "raw": {
            "key_point_analyses": [{"analysis_id": "x", **ANALYSIS}],
            "key_point_justifications": justifications,
            "key_point_sentences": sentences,
            "key_points": points,
        },
    }


def check_units(found: tuple[Any, ...], units: list[Unit]) -> None:
    hits, n, share, low, high = found
    values = [value for _, value in units]
    assert (hits, n) == (sum(values), len(values))
    row = {"share": share, "share_low": low, "share_high": high}
    check_share(row, "share", values, [topic for topic, _ in units])


KEYS = [(judge, topic, source) for judge in JUDGES for topic in range(7) for source in range(2)]


@EXAMPLES
@given(
    made=st.fixed_dictionaries({KEYS[0]: SENTENCES}, optional=dict.fromkeys(KEYS[1:], SENTENCES))
)
def test_shares_have_statsmodels_clustered_intervals(
    built: Built, made: dict[tuple[str, int, int], list[str | None]]
) -> None:
    connection = built(**raw_of(made))
    shares = {
        (judge, source, group): row
        for judge, source, group, *row in connection.execute(
            "select judge_id, source, group_id, sentence_count, n_sentences, sentence_share, "
            "sentence_share_low, sentence_share_high, justification_count, n_justifications, "
            "justification_share, justification_share_low, justification_share_high, is_drawn, "
            "polarity_rank from rpt_key_point_by_source"
        ).fetchall()
    }
    whole = {
        (judge, point): row
        for judge, point, *row in connection.execute(
            "select judge_id, key_point_id, justification_count, n_justifications, "
            "justification_share, justification_share_low, justification_share_high "
            "from rpt_key_points"
        ).fetchall()
    }
    for judge in (*JUDGES, "all"):
        mine = {key: said for key, said in made.items() if judge in (key[0], "all")}
        for point in SAID[1:]:
            if mine:
                check_units(
                    tuple(whole[judge, point]),
                    [(f"t{key[1]}", float(point in said)) for key, said in mine.items() if said],
                )
        others: set[str | None] = {
            point
            for source in SOURCES
            for point in SAID[1:]
            if (judge, source, point) in shares and shares[judge, source, point][-1] > 3
        }
        assert others <= {"pro/1", "pro/2", "pro/3", "pro/4"}
        for place, source in enumerate(SOURCES):
            here = {key: said for key, said in mine.items() if key[2] == place}
            groups: dict[str, set[str | None]] = {
                **{point: {point} for point in SAID[1:]},
                "none": {None},
                "other/pro": others,
                "other/con": set(),
            }
            for group, members in groups.items():
                if not here:
                    assert (judge, source, group) not in shares
                    continue
                row = shares[judge, source, group]
                sentences = [(f"t{key[1]}", one) for key, said in here.items() for one in said]
                check_units(
                    tuple(row[:5]), [(topic, float(one in members)) for topic, one in sentences]
                )
                told = [
                    (
                        f"t{key[1]}",
                        float(
                            set(said) == {None} if group == "none" else bool(members & set(said))
                        ),
                    )
                    for key, said in here.items()
                    if said
                ]
                check_units(tuple(row[5:10]), told)
            if here:
                drawn = [
                    row[0] for key, row in shares.items() if key[:2] == (judge, source) and row[10]
                ]
                assert sum(drawn) == sum(map(len, here.values()))
    reasoned = {key[0] for key, said in made.items() if any(said)}
    for judge, *found in connection.execute(
        "select judge_id, unexplained_count, reasoned_count, unexplained_share, "
        "unexplained_share_low, unexplained_share_high from rpt_key_point_coverage"
    ).fetchall():
        units = [
            (f"t{key[1]}", float(set(said) == {None}))
            for key, said in made.items()
            if said and (key[0] == judge or (judge == "all" and key[0] in reasoned))
        ]
        if units:
            check_units(tuple(found), units)
        else:
            assert found == [0, 0, None, None, None]
    pairs = connection.execute(
        "select key_point_id, n_items, difference, difference_low, difference_high "
        "from rpt_key_point_judges"
    ).fetchall()
    shared = [
        key[1:]
        for key, said in made.items()
        if key[0] == JUDGES[0] and said and made.get((JUDGES[1], *key[1:]))
    ]
    assert len(pairs) == (len(SAID) - 1 if shared else 0)
    for point, n_items, difference, low, high in pairs:
        units = [
            (
                f"t{key[0]}",
                float(point in made[JUDGES[0], *key]) - float(point in made[JUDGES[1], *key]),
            )
            for key in shared
        ]
        assert n_items == len(units)
        row = {"difference": difference, "difference_low": low, "difference_high": high}
        topics, values = zip(*units, strict=True)
        check_mean(row, "difference", values, topics, within=(-math.inf, math.inf))


LABEL = st.tuples(
    st.sampled_from(["pro", "con", "neutral"]),
    st.sampled_from(["pro", "con", "neutral"]),
    st.sampled_from(["x", "y", None]),
    st.sampled_from(["1", "2", None]),
)


@EXAMPLES
@given(labels=st.lists(LABEL, min_size=1, max_size=14))
def test_agreement_with_labels_is_scikit_learns(built: Built, labels: list[Any]) -> None:
    raw = {
        "key_point_analyses": [
            {"analysis_id": "x", **ANALYSIS},
            {"analysis_id": "labelled/m", **ANALYSIS, "is_labelled": True, "dataset_id": None},
        ],
        "key_point_labels": [
            {"sentence_id": f"s{place:02}", "polarity": gold, "key_point": point, "split": "test"}
            for place, (gold, _, point, _) in enumerate(labels)
        ],
        "key_point_sentences": [
            {
                "analysis_id": "labelled/m",
                "sentence_id": f"s{place:02}",
                "position": 1,
                "polarity": polarity,
                "is_candidate": False,
                "key_point_id": found,
                "removal_reason": None if found else "neutral",
            }
            for place, (_, polarity, _, found) in enumerate(labels)
        ],
    }
    connection = built(raw=raw)
    rows = {
        measure: (estimate, low, high, n, reason)
        for measure, estimate, low, high, n, reason in connection.execute(
            "select measure, estimate, estimate_low, estimate_high, n, undefined_reason "
            "from rpt_key_point_check where split = 'test'"
        ).fetchall()
    }
    gold, told = [one[0] for one in labels], [one[1] for one in labels]
    # Sentences under nothing are each by themselves.
    groups, found = (
        [one[column] or f"alone {place}" for place, one in enumerate(labels)] for column in (2, 3)
    )
    (_, only_found), (only_gold, both) = pair_confusion_matrix(groups, found) // 2
    right = accuracy_score(gold, told)
    expected = {
        "polarity_accuracy": right,
        "polarity_macro_f1": f1_score(gold, told, average="macro", zero_division=0),
        "pair_precision": both / (both + only_found) if both + only_found else None,
        "pair_recall": both / (both + only_gold) if both + only_gold else None,
        "pair_f1": 2 * both / (2 * both + only_found + only_gold)
        if both + only_found + only_gold
        else None,
        "adjusted_rand_index": adjusted_rand_score(groups, found)
        if both + only_found + only_gold
        else None,
        "coverage": np.mean([one[3] is not None for one in labels if one[0] != "neutral"])
        if set(gold) != {"neutral"}
        else None,
    }
    for measure, value in expected.items():
        estimate, low, high, _, reason = rows[measure]
        if measure == "adjusted_rand_index" and estimate is None:
            assert reason  # every sentence is under one: both groupings are the same by force
            continue
        assert estimate == (None if value is None else pytest.approx(value, abs=1e-9)), measure
        assert (reason is None) == (value is not None)
        assert len(labels) >= 5 or low is high is None
    if len(labels) >= 5:
        bounds = proportion_confint(round(right * len(labels)), len(labels), method="wilson")
        assert rows["polarity_accuracy"][1:3] == pytest.approx(bounds, abs=1e-9)
    _check_a_draw(connection, labels)


def _check_a_draw(connection: Any, labels: list[Any]) -> None:
    (counts,) = connection.execute(
        "select resample_counts(20250611::bigint, ?::bigint, 7::bigint)", [len(labels)]
    ).fetchone()
    drawn = [(place, one) for place, one in enumerate(labels) for _ in range(int(counts[place]))]
    pairs = [(a, b) for (at, a), (of, b) in combinations(drawn, 2) if at != of]
    expected = (
        len(pairs),
        sum(a[2] == b[2] is not None for a, b in pairs),
        sum(a[3] == b[3] is not None for a, b in pairs),
        sum(a[2] == b[2] is not None and a[3] == b[3] is not None for a, b in pairs),
    )
    row = connection.execute(
        "select all_pairs, gold_pairs, found_pairs, both_pairs from int_key_point_checks "
        "where replicate = 7"
    ).fetchone()
    assert all(math.isclose(a, b) for a, b in zip(row, expected, strict=True))
