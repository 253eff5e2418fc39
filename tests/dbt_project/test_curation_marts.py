"""The marts of curation against NumPy, SciPy and statsmodels, question by question."""

from collections.abc import Sequence
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats import inter_rater

from tests.dbt_project.compiled_models import EXAMPLES, Built, one
from tests.dbt_project.question_data import questions
from tests.dbt_project.references import check_mean, check_share

TASKS = ("grounded", "addressing", "ethical")
COSINES = st.sampled_from([0.0, 0.25, 0.5, 0.625, 0.75, 1.0])


def by_question(values: Sequence[Sequence[float]]) -> tuple[list[float], list[int]]:
    """Return all values, and the question that each is of."""
    return (
        [float(value) for own in values for value in own],
        [number for number, own in enumerate(values) for _ in own],
    )


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
    connection = built(raw=raw_of(made))
    cosines = [[cosine for cosine, _ in each["chunks"]] for each in made]
    by_chunk = one(connection, "from rpt_document_relevance where averaged_over = 'chunks'")
    check_mean(by_chunk, "mean_similarity", *by_question(cosines))
    of_questions = one(connection, "from rpt_document_relevance where averaged_over = 'questions'")
    check_mean(of_questions, "mean_similarity", *by_question([[np.mean(own)] for own in cosines]))

    coverage = one(connection, "from rpt_view_coverage")
    looked = [[float(said) for _, said in each["chunks"] if said is not None] for each in made]
    check_share(coverage, "covered_share", *by_question(looked))
    check_mean(coverage, "mean_nearest_similarity", *by_question(cosines))
    assert coverage["n_examined"] == sum(map(len, looked))

    distinctness = one(connection, "from rpt_view_distinctness")
    far = [[is_distinct for _, is_distinct in each["pairs"]] for each in made]
    check_share(distinctness, "distinct_share", *by_question(far))
    pairs = [[cosine for cosine, _ in each["pairs"]] for each in made]
    check_mean(distinctness, "mean_similarity", *by_question(pairs))

    for place, task in enumerate([*TASKS, "faultless"]):
        yes = [
            [
                [all(said) if task == "faultless" else said[place] for said in people]
                for people in each["said"]
            ]
            for each in made
        ]
        outcome = one(connection, f"from rpt_annotation_outcomes where task = '{task}'")
        passed = [[sum(each) >= 2 for each in own] for own in yes]
        check_share(outcome, "passed_share", *by_question(passed))
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
        alpha = one(
            connection,
            f"from rpt_annotation_agreement where task = '{task}' "
            "and measure = 'krippendorff_alpha'",
        )
        labels = np.array([each for own in yes for each in own], dtype=float)
        assert alpha["estimate"] == (
            pytest.approx(krippendorff.alpha(labels.T, level_of_measurement="nominal"), abs=1e-9)
            if table.shape[1] == 2
            else None
        )

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
        check_share({"s": share, "s_low": low, "s_high": high}, "s", *by_question(inside))
        assert mean == pytest.approx(np.mean(by_question(cosines)[0]))
