"""P.D. and D.A. of models, their places and lengths, against SciPy, statsmodels and plain loops."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from tests.dbt_project.compiled_models import EXAMPLES, Built, Models, rows_of
from tests.dbt_project.question_data import Likelihood, answer, likelihoods, questions, score

LEADERBOARD = "rpt_debateqa_leaderboard"


def perplexity(found: list[Likelihood]) -> float:
    """Return equation 1 as a mean."""
    return float(np.mean([np.exp(-one.logprob_sum / one.token_count) for one in found]))


@dataclass(frozen=True)
class Field:
    """Two to four models, three to eight questions, one to four perspectives each.

    Attributes:
        raw: Its rows of the raw tables.
        found: Perplexities of each question, by model, evaluator and wording.
        released: Those of the released program, by model.
        aware: Scores of D.A., by model.
    """

    raw: dict[str, list[dict[str, Any]]]
    found: dict[tuple[str, str, str], dict[str, float]]
    released: dict[str, dict[str, float]]
    aware: dict[str, dict[str, float]]


def made_up(dataset: str, draw: Random) -> Field:
    """Return a field that is a data set of its own."""
    names = [f"{dataset}:q{number}" for number in range(draw.randint(3, 8))]
    counts = {name: draw.randint(1, 4) for name in names}
    made = Field(questions(counts) | {"answers": [], "likelihoods": [], "scores": []}, {}, {}, {})
    for model in [f"m{number}" for number in range(draw.randint(2, 4))]:
        for name in names:
            answered = answer(name, model)
            if draw.random() < 1 / 6:
                answered |= {
                    "response": None,
                    "answer_hash": None,
                    "word_count": None,
                    "request_status": "error",
                    "error_kind": "timeout",
                }
            made.raw["answers"].append(answered)
            if answered["response"] is not None:
                _evaluate(made, draw, model, answered, counts[name])
    for rows in made.raw.values():
        for row in rows:
            row["dataset_id"] = dataset
    return made


def _evaluate(
    made: Field, draw: Random, model: str, answered: Mapping[str, Any], perspectives: int
) -> None:
    """Add what two evaluators in two wordings, and a judge of D.A., find of an answer."""
    name = answered["question_id"]
    for evaluator in ("e/a", "e/b"):
        for template in ("pd_restate", "pd_none"):
            # Whole numbers: places tie often.
            tokens = draw.randint(1, 3)
            each = [
                Likelihood(-float(draw.randint(0, 3) * tokens), tokens) for _ in range(perspectives)
            ]
            failed = draw.random() < 1 / 8
            if failed:
                each[0] = each[0]._replace(status="context_overflow")
            made.raw["likelihoods"] += likelihoods(
                answered, each, evaluator=evaluator, template=template
            )
            if not failed:
                made.found.setdefault((model, evaluator, template), {})[name] = perplexity(each)
                if template == "pd_none" and evaluator == "e/a":
                    made.released.setdefault(model, {})[name] = float(
                        np.mean(
                            [np.exp(-one.logprob_sum / (one.token_count + 7 - 1)) for one in each]
                        )
                    )
    value = draw.choice([0.0, 1.0, 1.0, None])
    made.raw["scores"].append(score(answered, value))
    if value is not None:
        made.aware.setdefault(model, {})[name] = value


class Fields(NamedTuple):
    """Many fields, and the models built over all of them at once."""

    models: Models
    fields: dict[str, Field]


@pytest.fixture(scope="module")
def many(built: Built) -> Fields:
    """A hundred fields: building the models takes as long for one."""
    draw = Random(20260101)
    fields = {dataset: made_up(dataset, draw) for dataset in (f"d{n}" for n in range(100))}
    raw: dict[str, list[dict[str, Any]]] = {}
    for field in fields.values():
        for table, rows in field.raw.items():
            raw.setdefault(table, []).extend(rows)
    return Fields(built(raw=raw), fields)


def test_scores_intervals_and_places_are_those_of_scipy(many: Fields) -> None:
    found: dict[str, dict[tuple[str, str, str], dict[str, Any]]] = {}
    for row in rows_of(many.models, f"from {LEADERBOARD}"):
        key = (row["judge_id"][2:], row["evaluator_id"], row["evaluator_template"])
        found.setdefault(row["dataset_id"], {})[key] = row
    for dataset, field in many.fields.items():
        check_field(field, found[dataset])
    # Wide intervals that P.D. bounds at 1, and those it does not, are both among them.
    ends = [
        row["score_low"]
        for rows in found.values()
        for row in rows.values()
        if row["metric"] == "perspective_diversity" and row["score_low"] is not None
    ]
    assert 1.0 in ends
    assert max(ends) > 1


def check_field(field: Field, rows: dict[tuple[str, str, str], dict[str, Any]]) -> None:
    for key, values in field.found.items():
        check(rows[key], list(values.values()), is_share=False)
    for model, values in field.aware.items():
        check(rows[model, "j/judge", "dispute"], list(values.values()), is_share=True)
    for model, values in field.released.items():
        row = rows[model, "e/a", "pd_none"]
        assert row["score_released"] == pytest.approx(np.mean(list(values.values())))
        assert rows[model, "e/a", "pd_restate"]["score_released"] is None
    for template in ("pd_restate", "pd_none"):
        places: dict[str, list[float]] = {}
        for evaluator in ("e/a", "e/b"):
            scored = {
                key[0]: round(row["score"], 9)
                for key, row in rows.items()
                if key[1:] == (evaluator, template) and row["score"] is not None
            }
            ranks = stats.rankdata(list(scored.values()), method="min")
            for model, rank in zip(scored, ranks, strict=True):
                row = rows[model, evaluator, template]
                assert row["place"] == rank
                assert row["place_label"].endswith("=") == (list(ranks).count(rank) > 1)
                places.setdefault(model, []).append(rank)
        n_evaluators = len({key[1] for key in field.found if key[2] == template})
        means = {
            model: np.mean(each) for model, each in places.items() if len(each) == n_evaluators
        }
        for model, rank in zip(means, stats.rankdata(list(means.values()), "min"), strict=True):
            assert rows[model, "e/a", template]["norm_place"] == rank


def check(row: dict[str, Any], values: list[float], *, is_share: bool) -> None:
    left_out = [
        name
        for name in row
        if name.endswith("_count") and name not in ("mean_word_count", "reference_word_count")
    ]
    assert row["n_scored"] + sum(row[name] for name in left_out) == row["n_answers"]
    assert row["n_questions"] == row["n_scored"] == len(values)
    assert row["score"] == pytest.approx(np.mean(values))
    found = (row["score_low"], row["score_high"])
    if len(values) < 5:
        assert found == (None, None)
    elif is_share:
        # The spread between questions has n - 1 in place of n, but where they are all alike.
        size = len(values) - (np.mean(values) not in (0, 1))
        expected = proportion_confint(np.mean(values) * size, size, method="wilson")
        assert found == pytest.approx(expected, abs=1e-6)
    elif np.ptp(values) < 1e-9:
        assert found == (None, None)
    else:
        # No perplexity is under 1, so neither is a mean of them.
        low, high = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
        assert found == pytest.approx((max(low, 1.0), high))


@EXAMPLES
@given(
    drawn=st.lists(
        st.tuples(st.integers(4, 9), st.integers(4, 9), st.floats(1, 6), st.floats(1, 6)),
        min_size=5,
        max_size=9,
    )
)
def test_the_slope_on_length_is_that_of_a_regression_with_a_level_for_each_question(
    built: Built, drawn: list[tuple[int, int, float, float]]
) -> None:
    raw = questions({f"q{number}": 1 for number in range(len(drawn))})
    answers, found, table = [], [], []
    for number, (short, long, one, other) in enumerate(drawn):
        for target, doublings, value in ((50, short, one), (100, long, other)):
            made = answer(f"q{number}", "a", words=2**doublings, target_tokens=target)
            answers.append(made)
            found += likelihoods(made, [Likelihood(-value, 1)])
            table.append((number, doublings, float(np.exp(value))))
    connection = built(raw=raw | {"answers": answers, "likelihoods": found})
    rows = rows_of(connection, f"from {LEADERBOARD}")
    varied = {number for number, (short, long, *_) in enumerate(drawn) if short != long}
    if not varied:
        assert {row["length_slope"] for row in rows} == {None}
        assert {row["length_reason"] for row in rows} == {"no question has answers of two lengths"}
        return
    question, doublings, values = (np.array(column) for column in zip(*table, strict=True))
    design = np.column_stack(
        [doublings, *(question == number for number in range(len(drawn)))]
    ).astype(float)
    slope = sm.OLS(values, design).fit().params[0]
    for row in rows:
        assert row["length_slope"] == pytest.approx(slope, abs=1e-6)
        assert row["n_slope_questions"] == len(varied)
        # One model asked in one way is its own reference: at its own length nothing changes.
        assert row["score_adjusted"] == pytest.approx(row["score"])


def test_no_score_is_guessed_beyond_the_lengths_a_model_wrote(built: Built) -> None:
    raw = questions({f"q{number}": 1 for number in range(6)})
    answers, found = [], []
    for number in range(6):
        for model, sizes in (("short", (16, 32)), ("long", (512, 1024))):
            for target, words in zip((50, 100), sizes, strict=True):
                made = answer(f"q{number}", model, words=words, target_tokens=target)
                answers.append(made)
                found += likelihoods(made, [Likelihood(-1.0 - number / 10 + words / 4096, 1)])
    connection = built(raw=raw | {"answers": answers, "likelihoods": found})
    for row in rows_of(connection, f"from {LEADERBOARD}"):
        assert row["length_slope"] is not None
        assert row["score_adjusted"] is None
        assert row["length_reason"].startswith("the model wrote no answer as short or as long")


def test_the_weighted_score_is_that_of_standardised_columns(many: Fields) -> None:
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in rows_of(
        many.models,
        "from rpt_debateqa_weighted_rank where origin = 'own' and ground = 'each' "
        "and pd_evaluator_id = 'e/a' and pd_evaluator_template = 'pd_restate' order by k, judge_id",
    ):
        rows.setdefault(row["dataset_id"], []).append(row)
    for dataset, field in many.fields.items():
        check_weighted(field, rows.get(dataset, []))


def check_weighted(field: Field, rows: list[dict[str, Any]]) -> None:
    diverse = {
        key[0]: np.mean(list(each.values()))
        for key, each in field.found.items()
        if key[1:] == ("e/a", "pd_restate")
    }
    aware = {model: np.mean(list(each.values())) for model, each in field.aware.items()}
    models = sorted(set(diverse) & set(aware))
    assert len(rows) == 21 * len(models)
    columns = []
    for values in ([1 / diverse[model] for model in models], [aware[model] for model in models]):
        varied = len(values) > 1 and np.std(values) > 1e-9
        columns.append(stats.zscore(values) if varied else None)
    for place, row in enumerate(rows):
        parts = [(row["k"], columns[0]), (1 - row["k"], columns[1])]
        used = [(weight, column) for weight, column in parts if weight > 0]
        if any(column is None for _, column in used):
            assert row["score"] is None
            assert row["reason"] is not None
        else:
            expected = sum(weight * column[place % len(models)] for weight, column in used)
            assert row["score"] == pytest.approx(expected, abs=1e-6)
