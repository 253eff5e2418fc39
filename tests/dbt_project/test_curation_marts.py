"""The marts of curation against NumPy, SciPy and statsmodels, question by question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats import inter_rater
from statsmodels.stats.proportion import proportion_confint

from tests.dbt_project.compiled_models import EXAMPLES, Built, one
from tests.dbt_project.question_data import questions

TASKS = ("grounded", "addressing", "ethical")
COSINES = st.sampled_from([0.0, 0.25, 0.5, 0.625, 0.75, 1.0])


def mean_and_half(by_question: Sequence[Sequence[float]]) -> tuple[float, float | None]:
    """Return the mean of all values, and half its interval clustered by question."""
    groups = [np.array(values, dtype=float) for values in by_question if len(values)]
    everything = np.concatenate(groups)
    mean, size, count = everything.mean(), len(everything), len(groups)
    residuals = np.array([(values - mean).sum() for values in groups])
    variance = count / (count - 1) * (residuals**2).sum() / size**2 if count > 1 else 0.0
    half = stats.t.ppf(0.975, count - 1) * np.sqrt(variance) if count >= 5 else 0.0
    return float(mean), float(half) if half > 1e-9 else None


def check_mean(row: dict[str, Any], name: str, by_question: Sequence[Sequence[float]]) -> None:
    mean, half = mean_and_half(by_question)
    assert row[name] == pytest.approx(mean, abs=1e-9)
    if half is None:
        assert row[f"{name}_low"] is None
    else:
        assert row[f"{name}_low"] == pytest.approx(max(-1, mean - half), abs=1e-9)
        assert row[f"{name}_high"] == pytest.approx(min(1, mean + half), abs=1e-9)


def check_share(row: dict[str, Any], name: str, by_question: Sequence[Sequence[float]]) -> None:
    groups = [values for values in by_question if len(values)]
    if not groups:
        assert row[name] is None
        return
    share, half = mean_and_half(groups)
    assert row[name] == pytest.approx(share, abs=1e-9)
    if len(groups) < 5:
        assert row[f"{name}_low"] is None
        return
    # As many independent observations as would vary as much; the questions where all are alike.
    size = len(groups)
    if half is not None and 0 < share < 1:
        size = share * (1 - share) * (stats.t.ppf(0.975, len(groups) - 1) / half) ** 2
    low, high = proportion_confint(share * size, size, method="wilson")
    assert (row[f"{name}_low"], row[f"{name}_high"]) == pytest.approx((low, high), abs=1e-7)


@st.composite
def curations(draw: st.DrawFn) -> list[dict[str, Any]]:
    """One to seven questions, each with chunks, pairs, and partial answers three people annotated."""
    chunk = st.tuples(COSINES, st.sampled_from([True, True, False, None]))
    pair = st.tuples(COSINES, st.booleans())
    said = st.lists(st.tuples(*[st.booleans()] * 3), min_size=3, max_size=3)
    return draw(
        st.lists(
            st.fixed_dictionaries(
                {
                    "chunks": st.lists(chunk, min_size=1, max_size=4),
                    "pairs": st.lists(pair, min_size=1, max_size=4),
                    "said": st.lists(said, min_size=1, max_size=4),
                }
            ),
            min_size=1,
            max_size=7,
        )
    )


def raw_of(made: list[dict[str, Any]]) -> dict[str, Any]:
    names = [f"d:q{number}" for number in range(len(made))]
    numbered = list(zip(names, made, strict=True))
    return questions({name: len(each["said"]) for name, each in numbered}) | {
        "curation_steps": [
            {"step": "examination", "step_order": 6, "is_done": True, "embedder": "tfidf"}
        ],
        "curation_chunks": [
            {
                "chunk_id": f"{name}/d1/c{place}",
                "question_id": name,
                "document_id": f"{name}/d1",
                "position": place,
                "similarity": cosine,
                "chunk_rank": place,
                "nearest_partial_answer_id": f"{name}/p1",
                "nearest_similarity": cosine,
                "is_covered": covered,
            }
            for name, each in numbered
            for place, (cosine, covered) in enumerate(each["chunks"], start=1)
        ],
        "curation_pairs": [
            {
                "question_id": name,
                "first_id": f"{name}/p{place}",
                "second_id": f"{name}/p0",
                "similarity": cosine,
                "is_distinct": is_distinct,
            }
            for name, each in numbered
            for place, (cosine, is_distinct) in enumerate(each["pairs"], start=1)
        ],
        "curation_annotations": [
            {
                "partial_answer_id": f"{name}/p{place}",
                "question_id": name,
                "annotator_id": f"d:{person}",
                "task": task,
                "is_met": is_met,
            }
            for name, each in numbered
            for place, said in enumerate(each["said"], start=1)
            for person, answers in enumerate(said)
            for task, is_met in zip(TASKS, answers, strict=True)
        ],
    }


@EXAMPLES
@given(made=curations())
def test_means_shares_and_kappas_are_those_of_the_libraries(
    built: Built, made: list[dict[str, Any]]
) -> None:
    connection = built(speeches=[], ratings=[], raw=raw_of(made))
    cosines = [[cosine for cosine, _ in each["chunks"]] for each in made]
    by_chunk = one(connection, "from rpt_document_relevance where averaged_over = 'chunks'")
    check_mean(by_chunk, "mean_similarity", cosines)
    by_question = one(connection, "from rpt_document_relevance where averaged_over = 'questions'")
    check_mean(by_question, "mean_similarity", [[float(np.mean(each))] for each in cosines])

    coverage = one(connection, "from rpt_view_coverage")
    looked = [[float(said) for _, said in each["chunks"] if said is not None] for each in made]
    check_share(coverage, "covered_share", looked)
    check_mean(coverage, "mean_nearest_similarity", cosines)
    assert coverage["n_examined"] == sum(map(len, looked))

    distinctness = one(connection, "from rpt_view_distinctness")
    check_share(
        distinctness, "distinct_share", [[float(far) for _, far in each["pairs"]] for each in made]
    )
    check_mean(
        distinctness, "mean_similarity", [[cosine for cosine, _ in each["pairs"]] for each in made]
    )

    for place, task in enumerate([*TASKS, "faultless"]):
        yes = [
            [
                [all(said) if task == "faultless" else said[place] for said in people]
                for people in each["said"]
            ]
            for each in made
        ]
        outcome = one(connection, f"from rpt_annotation_outcomes where task = '{task}'")
        check_share(
            outcome, "passed_share", [[float(sum(each) >= 2) for each in own] for own in yes]
        )
        assert outcome["removed_count"] == sum(sum(each) < 2 for own in yes for each in own)
        kappa = one(
            connection,
            f"from rpt_annotation_agreement where task = '{task}' and measure = 'fleiss_kappa'",
        )
        table, _ = inter_rater.aggregate_raters(
            np.array([e for own in yes for e in own], dtype=int)
        )
        if table.shape[1] == 2:
            assert kappa["estimate"] == pytest.approx(inter_rater.fleiss_kappa(table), abs=1e-9)
        else:
            assert (kappa["estimate"], kappa["reason"]) == (None, "one label only")

    bins = connection.execute(
        "select value, share, share_low, share_high, mean_value from rpt_curation_distributions "
        "where quantity = 'chunk_similarity'"
    ).fetchall()
    assert sum(share for _, share, *_ in bins) == pytest.approx(1)
    for value, share, low, high, mean in bins:
        inside = [
            [float(min(int(cosine * 10), 9) == int(float(value) * 10)) for cosine in own]
            for own in cosines
        ]
        check_share({"s": share, "s_low": low, "s_high": high}, "s", inside)
        assert mean == pytest.approx(mean_and_half(cosines)[0])
