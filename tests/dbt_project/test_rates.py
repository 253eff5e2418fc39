"""Rates from few labels, against the papers' formulas written again in NumPy."""

import math
from dataclasses import dataclass
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from tests.dbt_project import question_data
from tests.dbt_project.compiled_models import EXAMPLES, Built, one

Floats = NDArray[np.float64]
Z = float(stats.norm.ppf(0.975))
# Each builds a chain of models from the raw tables on.
FEW = settings(EXAMPLES, max_examples=5)


@dataclass(frozen=True)
class Study:
    """Items of one frame: what people say of the drawn ones, and what a judge says of all."""

    labels: Floats
    labelled: Floats
    others: Floats

    @property
    def count(self) -> int:
        """Items of the frame."""
        return len(self.labels) + len(self.others)


@st.composite
def studies(draw: st.DrawFn, values: st.SearchStrategy[float]) -> Study:
    labelled = draw(st.integers(6, 20))
    others = draw(st.integers(2, 25))
    numbers = [draw(values) for _ in range(2 * labelled + others)]
    return Study(
        np.array(numbers[:labelled]),
        np.array(numbers[labelled : 2 * labelled]),
        np.array(numbers[2 * labelled :]),
    )


def prediction_powered(study: Study) -> tuple[float, float, float]:
    """Return the weight, the estimate and its error: PPI++ of a mean, as `ppi_py` computes it."""
    n, others = len(study.labels), len(study.others)
    both = np.concatenate([study.labelled, study.others])
    covariance = np.mean(
        (study.labels - study.labels.mean()) * (study.labelled - study.labelled.mean())
    )
    variance = both.var(ddof=1)
    weight = 0.0
    if np.ptp(both) > 0:
        weight = float(np.clip(covariance / (variance * (1 + n / others)), 0, 1))
    estimate = float(weight * study.others.mean() + (study.labels - weight * study.labelled).mean())
    error = math.sqrt(
        (study.labels - weight * study.labelled).var() / n + (weight * study.others).var() / others
    )
    return weight, estimate, error


def corrected(study: Study) -> tuple[float, float, float]:
    """Return Rogan and Gladen's estimate and the interval of Lee et al. (2025)."""
    positive = study.labels == 1
    n, m1, m0 = len(study.others), int(positive.sum()), int((~positive).sum())
    share, sensitivity = study.others.mean(), study.labelled[positive].mean()
    specificity = 1 - study.labelled[~positive].mean()
    estimate = (share + specificity - 1) / (sensitivity + specificity - 1)
    share = (n * share + Z**2 / 2) / (n + Z**2)
    specificity = (m0 * specificity + 1) / (m0 + 2)
    sensitivity = (m1 * sensitivity + 1) / (m1 + 2)
    youden = sensitivity + specificity - 1
    middle = (share + specificity - 1) / youden
    of_specificity = specificity * (1 - specificity) / (m0 + 2)
    of_sensitivity = sensitivity * (1 - sensitivity) / (m1 + 2)
    shift = 2 * Z**2 * (middle * of_sensitivity - (1 - middle) * of_specificity)
    error = math.sqrt(
        share * (1 - share) / (n + Z**2)
        + (1 - middle) ** 2 * of_specificity
        + middle**2 * of_sensitivity
    )
    ends = (middle + shift + sign * Z * error / youden for sign in (-1, 1))
    return tuple(float(np.clip(one, 0, 1)) for one in (estimate, *ends))  # type: ignore[return-value]


def sampled(study: Study, task: str = "speeches") -> dict[str, Any]:
    """Return the raw rows of a sample whose first items are the labelled ones."""
    dimension = "q" if task == "speeches" else "winner"
    return {
        "samples": [
            {
                "sample_id": "d-00000000",
                "task": task,
                "dimension": dimension,
                "labels": "people",
                "size": len(study.labels),
                "raters": 1,
            }
        ],
        "sampled_items": [
            {
                "sample_id": "d-00000000",
                "item_id": f"x{at:03d}",
                "position": at + 1,
                "stratum": "all",
            }
            for at in range(study.count)
        ],
    }


def rated(built: Built, study: Study, topics: int | None = None) -> dict[str, Any]:
    """Return the row of `rpt_rates` for speeches with these scores."""
    said = np.concatenate([study.labelled, study.others])
    models = built(
        speeches=[
            (f"x{at:03d}", f"m{at % topics if topics else at}", "s") for at in range(study.count)
        ],
        ratings=[(f"x{at:03d}", "h", float(one)) for at, one in enumerate(study.labels)],
        scores=[("j/a", f"x{at:03d}", float(one), None) for at, one in enumerate(said)],
        scale=(-1e6, 1e6),
        raw=sampled(study),
    )
    return one(models, "from rpt_rates")


@FEW
@given(studies(st.floats(1, 9).map(lambda one: round(one, 2))))
def test_a_mean_is_that_of_ppi_plus_plus(built: Built, study: Study) -> None:
    row = rated(built, study)
    weight, estimate, error = prediction_powered(study)
    n = len(study.labels)
    assert row["judge_weight"] == pytest.approx(weight, abs=1e-9)
    assert row["true_rate"] == pytest.approx(estimate, abs=1e-9)
    assert row["human_rate"] == pytest.approx(study.labels.mean(), abs=1e-9)
    # The asymptotic error, with n - 1 for n and t for the normal: the cluster is the item here.
    width = stats.t.ppf(0.975, n - 1) * error * math.sqrt(n / (n - 1))
    if width > 1e-6:
        assert row["true_rate_high"] - row["true_rate"] == pytest.approx(width, abs=1e-7)
    said = np.concatenate([study.labelled, study.others])
    assert row["naive_rate"] == pytest.approx(said.mean(), abs=1e-9)


@FEW
@given(studies(st.floats(1, 9).map(lambda one: round(one, 2))), st.integers(5, 9))
def test_items_of_one_topic_are_one_cluster(built: Built, study: Study, topics: int) -> None:
    row = rated(built, study, topics)
    weight, _, _ = prediction_powered(study)
    n, others = len(study.labels), len(study.others)
    labelled = study.labels - weight * study.labelled
    parts = np.concatenate(
        [(labelled - labelled.mean()) / n, weight * (study.others - study.others.mean()) / others]
    )
    topic = np.arange(study.count) % topics
    squares = sum(parts[topic == one].sum() ** 2 for one in range(topics))
    groups = len(set(topic[:n]))
    width = stats.t.ppf(0.975, groups - 1) * math.sqrt(groups / (groups - 1) * squares)
    if width > 1e-6:
        assert row["true_rate_high"] - row["true_rate"] == pytest.approx(width, abs=1e-7)


@FEW
@given(studies(st.sampled_from([0.0, 1.0])))
def test_a_share_is_corrected_as_rogan_and_gladen_do(built: Built, study: Study) -> None:
    said = np.concatenate([study.labelled, study.others])
    side = ("pro", "con")
    models = built(
        raw={
            "verdicts": [
                {"judge_id": "j/a", "debate_id": f"x{at:03d}", "winner": side[int(one)]}
                for at, one in enumerate(said)
            ],
            "debates": [{"debate_id": f"x{at:03d}"} for at in range(study.count)],
            "debate_outcomes": [
                {"debate_id": f"x{at:03d}", "winner": side[int(one)]}
                for at, one in enumerate(study.labels)
            ],
            **sampled(study, task="debates"),
        }
    )
    found = models.execute(
        "select corrected_rate, corrected_rate_low, corrected_rate_high, corrected_rate_reason, "
        "sensitivity, specificity from rpt_rates"
    ).fetchall()
    assert len(found) == 1
    *numbers, reason, sensitivity, specificity = found[0]
    if len(set(study.labels)) < 2:
        assert reason == "all labels are alike"
    elif numbers[0] is None:
        assert sensitivity + specificity - 1 < 0.5
        assert "tells no winner" in reason
    else:
        assert numbers == pytest.approx(corrected(study), abs=1e-9)


def test_without_a_recorded_sample_nothing_but_the_judges_mean_is_given(built: Built) -> None:
    models = built(
        speeches=[(f"x{at}", f"m{at}", "s") for at in range(9)],
        ratings=[(f"x{at}", "h", at % 5 + 1.0) for at in range(9)],
        scores=[("j/a", f"x{at}", at % 3 + 1.0, None) for at in range(9)],
    )
    (row,) = models.execute(
        "select true_rate, human_rate, naive_rate, null_reason from rpt_rates"
    ).fetchall()
    assert row[:3] == (None, None, 2.0)
    assert "no labels of people on a recorded random sample" in row[3]


@pytest.mark.parametrize("policy", [None, "guide 2"])
def test_labels_under_a_policy_of_their_own_are_not_those_of_the_page(
    built: Built, policy: str | None
) -> None:
    study = Study(np.array([1.0, 3.0, 5.0]), np.zeros(3), np.zeros(0))
    raw = sampled(study)
    raw["samples"][0] |= {"labels": "campaign", "policy": policy}
    raw["sample_labels"] = [
        {"sample_id": "d-00000000", "item_id": "x000", "annotator_id": "d:a", "value": 1.0}
    ]
    models = built(
        speeches=[(f"x{at:03d}", f"m{at}", "s") for at in range(3)],
        ratings=[("x001", "d:dashboard/ada", 3.0)],
        scores=[("j/a", f"x{at:03d}", 2.0, None) for at in range(3)],
        raw=raw,
    )
    found = models.execute("select item_id from int_sample_labels order by all").fetchall()
    assert found == ([("x000",), ("x001",)] if policy is None else [("x000",)])
    told = "select label_policy, is_open from rpt_samples inner join rpt_sample_items "
    told += "using (sample_id) where position = 1"
    assert models.execute(told).fetchall() == [(policy, policy is None)]


@FEW
@given(
    labels=st.lists(
        st.lists(st.one_of(st.none(), st.integers(1, 5)), min_size=3, max_size=3),
        min_size=2,
        max_size=8,
    )
)
def test_people_of_a_sample_agree_by_krippendorffs_alpha(
    built: Built, labels: list[list[int | None]]
) -> None:
    raw = sampled(Study(np.zeros(len(labels)), np.zeros(0), np.zeros(0)))
    raw["samples"][0] |= {"labels": "campaign", "raters": 3}
    raw["sample_labels"] = [
        {
            "sample_id": "d-00000000",
            "item_id": f"x{at:03d}",
            "annotator_id": f"d:{who}",
            "value": None if value is None else float(value),
        }
        for at, values in enumerate(labels)
        for who, value in enumerate(values)
    ]
    row = one(built(speeches=[("x000", "m", "s")], raw=raw), "from rpt_samples")
    units = [values for values in labels if 3 - values.count(None) > 1]
    assert row["n_items"] == len(units)
    if len({value for values in units for value in values} - {None}) < 2:
        assert (row["label_alpha"], row["label_alpha_reason"] is None) == (None, False)
    else:
        data = np.array(units, dtype=float).T
        expected = krippendorff.alpha(data, level_of_measurement="interval")
        assert row["label_alpha"] == pytest.approx(expected)


def test_dispute_awareness_of_each_model_has_its_true_rate(built: Built) -> None:
    answers = [
        question_data.answer(f"q{number:02d}", model) for model in "xy" for number in range(24)
    ]
    raw: dict[str, Any] = question_data.questions({f"q{number:02d}": 2 for number in range(24)})
    # The judge is wrong about every fifth answer; x is aware of a dispute more often than y.
    truth = [(at % 24) % (2 if at < 24 else 4) == 0 for at in range(48)]
    scores = [
        question_data.score(each, float(truth[at] != (at % 5 == 0)))
        for at, each in enumerate(answers)
    ]
    order = np.random.default_rng(3).permutation(48)
    labels = [
        question_data.label(answers[at], who, int(truth[at])) for at in order[:40] for who in "ab"
    ]
    sample = sampled(Study(np.zeros(40), np.zeros(40), np.zeros(8)), task="questions")
    sample["samples"][0]["dimension"] = "dispute_awareness"
    for row, at in zip(sample["sampled_items"], order, strict=True):
        row["item_id"] = answers[at]["answer_id"]
    models = built(
        raw=raw | sample | {"answers": answers, "human_ratings": labels, "scores": scores}
    )
    found = {
        row[0]: row[1:]
        for row in models.execute(
            "select source, n_items, n_labelled, human_rate, naive_rate, sensitivity, true_rate "
            "from rpt_rates"
        ).fetchall()
    }
    assert set(found) == {None, "m/x", "m/y"}
    for source, among in ((None, range(48)), ("m/x", range(24)), ("m/y", range(24, 48))):
        drawn = [truth[at] for at in order[:40] if at in among]
        said = [truth[at] != (at % 5 == 0) for at in among]
        right = [at % 5 != 0 for at in order[:40] if at in among and truth[at]]
        wanted = (len(among), len(drawn), np.mean(drawn), np.mean(said), np.mean(right))
        assert found[source][:5] == pytest.approx(wanted)
        assert found[source][5] == pytest.approx(np.mean([truth[at] for at in among]), abs=0.1)
    asked = "select question from int_decisions_rate where question like '%m/y%'"
    assert "share of answers of m/y that are aware" in models.execute(asked).fetchall()[0][0]


@FEW
@given(studies(st.sampled_from([0.0, 0.5, 1.0])), st.integers(0, 1))
def test_the_win_rate_of_a_pair_of_debaters_is_that_of_ppi_plus_plus(
    built: Built, study: Study, first: int
) -> None:
    """m/a argues for either side in turn; its share is what Con's is where it is Con."""
    said = np.concatenate([study.labelled, study.others])

    def verdict(at: int, judge: str, share: float) -> dict[str, Any]:
        is_pro = at % 2 == first
        return {
            "debate_id": f"x{at:03d}",
            "motion": f"m{at}",
            "pro_debater": "m/a" if is_pro else "m/b",
            "con_debater": "m/b" if is_pro else "m/a",
            "judge": judge,
            "winner": "tie" if share == 0.5 else "pro" if is_pro == (share == 1) else "con",
        }

    people = [verdict(at, "human/r", one) for at, one in enumerate(study.labels)]
    models = built(
        raw=sampled(study, task="debates")
        | {"logged_verdicts": people + [verdict(at, "j/a", one) for at, one in enumerate(said)]}
    )
    rows = models.execute(
        "select source, judge_id, n_items, judge_weight, true_rate, human_rate, naive_rate "
        "from rpt_rates order by source nulls first"
    ).fetchall()
    weight, estimate, _ = prediction_powered(study)
    assert [row[:3] for row in rows] == [
        (None, "j/a", study.count),
        ("m/a against m/b", "j/a", study.count),
    ]
    wanted = (weight, np.clip(estimate, 0, 1), study.labels.mean(), said.mean())
    assert rows[1][3:] == pytest.approx(wanted, abs=1e-9)
    asked = "select question from int_decisions_rate where question like '%against%'"
    assert models.execute(asked).fetchall()[0][0] == (
        "Is the judge's share of wins of m/a against m/b people's? (sample d-00000000)"
    )
