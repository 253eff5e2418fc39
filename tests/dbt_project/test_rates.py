"""Rates from few labels, against the papers' formulas written again item by item."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import krippendorff
import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import optimize, stats
from statsmodels.stats.proportion import proportion_confint

from tests.dbt_project import question_data
from tests.dbt_project.compiled_models import EXAMPLES, Built, one
from warehouse.fits import rates
from warehouse.fits.rates import Leverage, Sums, degrees_of_freedom, frame_rates

Floats = NDArray[np.float64]
# Each builds a chain of models from the raw tables on.
FEW = settings(EXAMPLES, max_examples=5)
SCORES = st.floats(1, 9).map(lambda score: round(score, 2))


@dataclass(frozen=True)
class Study:
    """Items of one frame: the labels of the first ones, and a judge's answers to all.

    Attributes:
        cluster: Of each item.
        stratum: Of each item.
    """

    labels: Floats
    labelled: Floats
    others: Floats
    cluster: NDArray[np.int64]
    stratum: NDArray[np.int64]

    @property
    def count(self) -> int:
        """Items of the frame."""
        return len(self.labels) + len(self.others)

    @cached_property
    def answers(self) -> Floats:
        """The judge's answers to all items."""
        return np.concatenate([self.labelled, self.others])

    @cached_property
    def is_known(self) -> NDArray[np.bool_]:
        """Whether each item has a label."""
        return np.arange(self.count) < len(self.labels)

    @cached_property
    def weight(self) -> Floats:
        """Share of each stratum in the frame."""
        return np.bincount(self.stratum) / self.count

    def sums(self) -> Sums:
        """What the warehouse sums of the items; answers are less their mean."""
        known, answer = self.is_known, self.answers - self.answers.mean()
        label = np.concatenate([self.labels, np.zeros(len(self.others))])
        values = (
            *(known, ~known, label, known * answer, ~known * answer, label * answer),
            *(label**2, known * answer**2, ~known * answer**2, known & (label % 1 != 0)),
        )
        shape = (self.cluster.max() + 1, self.stratum.max() + 1)
        dense = np.zeros((len(values), *shape))
        for row, value in zip(dense, values, strict=True):
            np.add.at(row, (self.cluster, self.stratum), value)
        return Sums(dict(zip(rates.SUMS, dense, strict=True)), self.weight)

    def estimates(self, cluster: int | None = None) -> Floats:
        """Prediction-powered mean, mean of labels, and the three means of a corrected share.

        Args:
            cluster: Of items that are left out.
        """
        use = self.cluster != cluster
        gain = cost = human = shift = share = 0.0
        by_label = np.zeros((2, 2))
        for stratum, weight in enumerate(self.weight):
            here = use & (self.stratum == stratum)
            known = here & self.is_known
            others, label = (
                self.answers[here & ~self.is_known],
                self.labels[known[: len(self.labels)]],
            )
            answer, n = self.answers[known], int(known.sum())
            human += weight * label.mean()
            share += weight * (others if len(others) else answer).mean()
            for side in (0, 1):
                chance = label if side else 1 - label
                by_label[side] += weight * chance.mean(), weight * (chance * answer).mean()
            if len(others):
                shift += weight * (others.mean() - answer.mean())
                gain += weight**2 * np.cov(label, answer, ddof=0)[0, 1] / n
                both = np.var(self.answers[here], ddof=1)
                cost += weight**2 * both * (1 / n + 1 / len(others))
        tuning = float(np.clip(gain / cost, 0, 1)) if cost > 1e-12 else 0.0
        with np.errstate(invalid="ignore", divide="ignore"):
            negative, positive = by_label[:, 1] / by_label[:, 0]
        return np.array([human + tuning * shift, human, share, negative, positive, tuning])

    def has_deletions(self) -> bool:
        """Whether every stratum has labels in two clusters."""
        return all(
            len(set(self.cluster[self.is_known & (self.stratum == one)])) > 1
            for one in range(len(self.weight))
        )

    def jackknife(self) -> tuple[Floats, Floats, Floats]:
        """What each cluster contributes to the errors, its leverage, and the factor of the first."""
        parts, leverages, factors = [], [], []
        for cluster in range(self.cluster.max() + 1):
            weights = leverage = correction = 0.0
            for item in np.flatnonzero(self.is_known & (self.cluster == cluster)):
                known = self.is_known & (self.stratum == self.stratum[item])
                weight = self.weight[self.stratum[item]] / known.sum()
                weights += weight
                leverage += weight * (known & (self.cluster == cluster)).sum() / known.sum()
                correction += weight / len(set(self.cluster[known]))
            leverages.append(leverage / (weights or 1.0))
            factors.append(np.sqrt(1 - correction / (weights or 1.0)))
            parts.append((self.estimates() - self.estimates(cluster)) * factors[-1])
        return np.array(parts), np.array(leverages), np.array(factors)

    def freedom(self, tuning: float, parts: Floats, leverage: Floats, factor: Floats) -> float:
        """Satterthwaite's degrees of freedom from the covariance matrix of all items."""
        known = self.is_known
        residual = -tuning * self.answers
        residual[known] += self.labels
        own, size = np.zeros(self.count), np.zeros(self.count)
        centring = np.eye(self.count)
        for stratum, weight in enumerate(self.weight):
            for group in (known, ~known):
                here = group & (self.stratum == stratum)
                if here.any():
                    own[here] = residual[here].var()
                    size[here] = weight / here.sum()
            here = known & (self.stratum == stratum)
            centring -= np.outer(here, here) / here.sum()
        same = (self.cluster[:, None] == self.cluster) & np.outer(known, known)
        np.fill_diagonal(same, val=False)
        excess = (parts**2 * (1 - leverage)).sum() - (size**2 * own).sum()
        pairs = (np.outer(size, size) * same).sum()
        most = (size**2 * own)[known].sum() / (size**2)[known].sum()
        covariance = np.clip(excess / pairs, 0, most) if pairs > 1e-12 else 0.0
        of_items = centring @ (np.diag(own) + covariance * same) @ centring
        member = (np.arange(self.cluster.max() + 1)[:, None] == self.cluster) * size
        member = member * (factor / (1 - leverage))[:, None]
        matrix = member @ of_items @ member.T
        assume(np.trace(matrix) > 1e-9)
        return float(max(np.trace(matrix) ** 2 / (matrix**2).sum(), 1.0))


@st.composite
def studies(
    draw: st.DrawFn,
    values: st.SearchStrategy[float],
    clusters: int | None = None,
    strata: int = 1,
    sizes: tuple[int, int] = (6, 20),
) -> Study:
    labelled, others = draw(st.integers(*sizes)), draw(st.integers(2, 25))
    count = labelled + others
    numbers = [draw(values) for _ in range(labelled + count)]
    places = [draw(st.integers(0, (clusters or count) - 1)) for _ in range(count)]
    return Study(
        np.array(numbers[:labelled]),
        np.array(numbers[labelled : 2 * labelled]),
        np.array(numbers[2 * labelled :]),
        np.unique(places, return_inverse=True)[1] if clusters else np.arange(count),
        np.array([at % strata for at in range(count)]),
    )


@given(studies(SCORES | st.sampled_from([1.0, 9.0]), clusters=9, strata=2), st.booleans())
def test_errors_are_those_of_a_jackknife_over_clusters(study: Study, with_judge: bool) -> None:
    assume(study.has_deletions())
    sums, (parts, leverage, factor) = study.sums(), study.jackknife()
    found = frame_rates(sums, is_share=False)
    estimates = study.estimates()
    name, column = ("rate", 0) if with_judge else ("human", 1)
    assert found["tuning"] == pytest.approx(estimates[5], abs=1e-9)
    assert found[name] == pytest.approx(estimates[column], abs=1e-9)
    error = np.sqrt((parts[:, column] ** 2).sum())
    assume(error > 1e-3)
    assert found[f"{name}_error"] == pytest.approx(error, rel=1e-6)
    tuning = estimates[5] if with_judge else 0.0
    df = study.freedom(tuning, parts[:, column], leverage, factor)
    squares = parts[:, column] ** 2
    assert degrees_of_freedom(sums, Leverage.from_sums(sums), tuning, squares) == pytest.approx(
        df, rel=1e-5
    )


@given(st.lists(SCORES, min_size=40, max_size=40, unique=True))
def test_of_equal_clusters_the_variance_is_the_usual_robust_one(labels: list[float]) -> None:
    cluster = np.arange(40) % 8
    study = Study(np.array(labels), np.zeros(40), np.zeros(0), cluster, np.zeros(40, dtype=int))
    fitted = sm.OLS(labels, np.ones(40)).fit(cov_type="cluster", cov_kwds={"groups": cluster})
    error = frame_rates(study.sums(), is_share=False)["human_error"]
    assert error == pytest.approx(fitted.bse[0], rel=1e-9)
    sums, parts = study.sums(), study.jackknife()[0]
    df = degrees_of_freedom(sums, Leverage.from_sums(sums), 0.0, parts[:, 1] ** 2)
    assert df == pytest.approx(7)


@given(st.lists(st.floats(-1, 1), min_size=5, max_size=20), st.floats(1, 30))
def test_a_mean_has_the_wider_of_two_intervals(parts: list[float], df: float) -> None:
    each = np.array(parts)
    error = np.sqrt((each**2).sum())
    assume(error > 0.01)
    low, high = rates.mean_interval(3.0, each, df)
    t = stats.t.ppf(0.975, df)
    skewness = (each**3).sum() / error**3

    def transformed(statistic: float, wanted: float) -> float:
        cubic = statistic + skewness * statistic**2 / 3 + skewness**2 * statistic**3 / 27
        return float(cubic + skewness / 6 - wanted)

    far = 1e4 * (1 + t) ** 3
    hall = [3 - error * optimize.brentq(transformed, -far, far, args=(end,)) for end in (t, -t)]
    assert low == pytest.approx(min(3 - t * error, hall[0]), abs=1e-6)
    assert high == pytest.approx(max(3 + t * error, hall[1]), abs=1e-6)


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.3), st.floats(1, 60))
def test_a_share_has_wilsons_interval_with_the_items_it_is_worth(
    share: float, error: float, df: float
) -> None:
    worth = share * (1 - share) / error**2
    alpha = 2 * stats.norm.sf(stats.t.ppf(0.975, df))
    wanted = proportion_confint(share * worth, worth, alpha=alpha, method="wilson")
    assert rates.share_interval(share, error, df, 100) == pytest.approx(wanted, abs=1e-9)


@given(
    st.tuples(st.floats(-1, 1), st.floats(0, 1)),
    st.lists(st.tuples(st.floats(-0.2, 0.2), st.floats(-0.2, 0.2)), min_size=5, max_size=12),
    st.floats(2, 30),
)
def test_the_ends_of_a_ratio_are_just_rejected(
    pair: tuple[float, float], parts: list[tuple[float, float]], df: float
) -> None:
    each, t = np.array(parts), stats.t.ppf(0.975, df)
    found = rates.ratio_interval(np.array(pair), each, df)
    if found is None:
        assert pair[1] <= t * np.sqrt((each[:, 1] ** 2).sum()) + 1e-6
        return
    for end in found:
        error = np.sqrt(((each[:, 0] - end * each[:, 1]) ** 2).sum())
        assert abs(pair[0] - end * pair[1]) == pytest.approx(t * error, rel=1e-4, abs=1e-6)


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
                "stratum": f"k{study.stratum[at]}",
            }
            for at in range(study.count)
        ],
    }


def alone(labelled: int, others: int) -> Study:
    """Return items that stand alone, all of which have the label and answer 0."""
    count = labelled + others
    zeros = np.zeros(count, dtype=int)
    return Study(np.zeros(labelled), np.zeros(labelled), np.zeros(others), np.arange(count), zeros)


def rated(built: Built, study: Study) -> dict[str, Any]:
    """Return the row of `rpt_rates` for speeches with these scores."""
    models = built(
        speeches=[(f"x{at:03d}", f"m{topic}", "s") for at, topic in enumerate(study.cluster)],
        ratings=[(f"x{at:03d}", "h", float(one)) for at, one in enumerate(study.labels)],
        scores=[("j/a", f"x{at:03d}", float(one), None) for at, one in enumerate(study.answers)],
        scale=(-1e6, 1e6),
        raw=sampled(study),
    )
    return one(models, "from rpt_rates")


@given(studies(st.sampled_from([0.0, 1.0]), clusters=12, sizes=(50, 70)), st.booleans())
def test_a_corrected_share_has_fiellers_interval(study: Study, is_good: bool) -> None:
    assume(0 < study.labels.sum() < len(study.labels) and study.has_deletions())
    if is_good:
        study.labelled[:] = np.where(np.arange(len(study.labels)) % 9 == 0, 0.0, study.labels)
    sums, parts = study.sums(), study.jackknife()[0]
    _, _, share, negative, positive, _ = study.estimates()
    found = frame_rates(sums, is_share=True)
    low, high = found.get("corrected_low"), found.get("corrected_high")
    if low is None or high is None:
        assert found.get("corrected_reason") or found.get("corrected_interval_reason")
        return
    df = degrees_of_freedom(sums, Leverage.from_sums(sums), 0.0, parts[:, 1] ** 2)
    pair = np.array([parts[:, 2] - parts[:, 3], parts[:, 4] - parts[:, 3]]).T
    wanted = rates.ratio_interval(np.array([share - negative, positive - negative]), pair, df)
    assert wanted
    assert (low, high) == pytest.approx(np.clip(wanted, 0, 1), abs=1e-6)


@FEW
@given(studies(SCORES, clusters=9, strata=2) | studies(SCORES))
def test_a_mean_is_that_of_ppi_plus_plus(built: Built, study: Study) -> None:
    row = rated(built, study)
    found = frame_rates(study.sums(), is_share=False)
    if row["null_reason"]:
        assert "fewer than" in row["null_reason"]
        return
    rate, human, *_, weight = study.estimates()
    assert row["judge_weight"] == pytest.approx(weight, abs=1e-9)
    assert row["true_rate"] == pytest.approx(rate, abs=1e-9)
    assert row["human_rate"] == pytest.approx(human, abs=1e-9)
    assert row["naive_rate"] == pytest.approx(study.answers.mean(), abs=1e-9)
    assert row["sensitivity"] is row["specificity"] is row["corrected_rate"] is None
    # Of items that stand alone both variances are the papers'.
    of_labels = study.labels.var() / len(study.labels)
    of_rate = (study.labels - weight * study.labelled).var() / len(study.labels)
    of_rate += weight**2 * study.others.var() / len(study.others)
    if not study.stratum.any() and of_rate > 1e-6:
        saved = len(study.labels) * (of_labels / of_rate - 1)
        assert row["labels_saved"] == pytest.approx(saved, abs=1e-6)
    for name, column in (("true_rate", "rate"), ("human_rate", "human")):
        for end in ("low", "high"):
            wanted = found.get(f"{column}_{end}")
            assert row[f"{name}_{end}"] == (wanted and pytest.approx(wanted, abs=1e-6))


@FEW
@given(studies(st.sampled_from([0.0, 1.0])))
def test_a_share_is_corrected_as_rogan_and_gladen_do(built: Built, study: Study) -> None:
    side = ("pro", "con")
    models = built(
        raw={
            "verdicts": [
                {"judge_id": "j/a", "debate_id": f"x{at:03d}", "winner": side[int(one)]}
                for at, one in enumerate(study.answers)
            ],
            "debates": [{"debate_id": f"x{at:03d}"} for at in range(study.count)],
            "debate_outcomes": [
                {"debate_id": f"x{at:03d}", "winner": side[int(one)]}
                for at, one in enumerate(study.labels)
            ],
            **sampled(study, task="debates"),
        }
    )
    row = one(models, "from rpt_rates")
    rate, human, share, negative, positive, _ = study.estimates()
    wanted = frame_rates(study.sums(), is_share=True)
    for name, column, value in (("true_rate", "rate", rate), ("human_rate", "human", human)):
        assert row[name] == pytest.approx(np.clip(value, 0, 1), abs=1e-9)
        for end in ("low", "high"):
            bound = wanted[f"{column}_{end}"]
            assert row[f"{name}_{end}"] == (bound if bound is None else pytest.approx(bound))
    if len(set(study.labels)) < 2:
        t = stats.t.ppf(0.975, row["n_clusters"] - 1)
        ends = proportion_confint(
            human * row["n_clusters"], row["n_clusters"], 2 * stats.norm.sf(t), "wilson"
        )
        assert (row["human_rate_low"], row["human_rate_high"]) == pytest.approx(ends, abs=1e-9)
        assert row["corrected_rate_reason"] == "all labels are alike"
        return
    assert row["sensitivity"] == pytest.approx(positive, abs=1e-9)
    assert row["specificity"] == pytest.approx(1 - negative, abs=1e-9)
    if positive - negative < 1e-9:
        assert "tells no winner" in row["corrected_rate_reason"]
        return
    corrected = np.clip((share - negative) / (positive - negative), 0, 1)
    assert row["corrected_rate"] == pytest.approx(corrected, abs=1e-9)
    assert row["corrected_rate_low"] is row["corrected_rate_high"] is None
    assert row["corrected_rate_interval_reason"] == "fewer than 50 labels"


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
    study = alone(3, 0)
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
    raw = sampled(alone(len(labels), 0))
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
    sample = sampled(alone(40, 8), task="questions")
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
        | {
            "logged_verdicts": people
            + [verdict(at, "j/a", one) for at, one in enumerate(study.answers)]
        }
    )
    rows = models.execute(
        "select source, judge_id, n_items, judge_weight, true_rate, human_rate, naive_rate "
        "from rpt_rates order by source nulls first"
    ).fetchall()
    estimate, human, *_, weight = study.estimates()
    assert [row[:3] for row in rows] == [
        (None, "j/a", study.count),
        ("m/a against m/b", "j/a", study.count),
    ]
    wanted = (weight, np.clip(estimate, 0, 1), human, study.answers.mean())
    assert rows[1][3:] == pytest.approx(wanted, abs=1e-9)
    asked = "select question from int_decisions_rate where question like '%against%'"
    assert models.execute(asked).fetchall()[0][0] == (
        "Is the judge's share of wins of m/a against m/b people's? (sample d-00000000)"
    )
