"""The alternative annotator test against its authors' procedure, written as plain loops."""

import math
from collections import defaultdict
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.dbt_project.compiled_models import EXAMPLES, Built, Models, rows_of

Row = dict[str, Any]
LEAST = 4
TIED = 1e-9


class Found(NamedTuple):
    """What the test gives at one margin; None where it cannot be told."""

    winning_rate: float | None
    advantage: float | None
    p: dict[str, float]


def score(said: Any, others: list[Any]) -> float:
    """Accuracy of a label, negative root mean square error of a score."""
    if isinstance(said, str):
        return sum(said == other for other in others) / len(others)
    return -math.sqrt(sum((said - other) ** 2 for other in others) / len(others))


def wins(
    candidate: dict[str, Any], people: dict[str, dict[str, Any]], excluded: str, *, lost: bool
) -> dict[str, tuple[int, int]]:
    """Of each instance, whether the candidate wins and whether the excluded person does."""
    found = {}
    for instance, own in people[excluded].items():
        others = [
            said[instance] for name, said in people.items() if name != excluded and instance in said
        ]
        if not others or instance not in candidate:
            continue
        if candidate[instance] is None:
            if lost:
                found[instance] = (0, 1)
            continue
        ahead = score(candidate[instance], others) - score(own, others)
        found[instance] = (int(ahead >= -TIED), int(ahead <= TIED))
    return found


def p_value(d: list[int], margin: float, groups: list[str]) -> float | None:
    """One-sided t-test of the mean below a margin, with the variance over groups."""
    sums: dict[str, list[float]] = defaultdict(list)
    mean = float(np.mean(d))
    for each, group in zip(d, groups, strict=True):
        sums[group].append(each - mean)
    count = len(sums)
    if count < 2:
        return None
    residuals = [sum(each) for each in sums.values()]
    variance = count / (count - 1) * float(np.sum(np.square(residuals))) / len(d) ** 2
    if variance < 1e-15:
        return 0.0 if mean < margin else 1.0
    return float(stats.t.cdf((mean - margin) / math.sqrt(variance), count - 1))


def rejected(p: dict[str, float]) -> int:
    """Benjamini and Yekutieli's number of rejections at 0.05."""
    m = len(p)
    harmonic = sum(1 / place for place in range(1, m + 1))
    passing = [
        place
        for place, value in enumerate(sorted(p.values()), start=1)
        if value <= place / m * 0.05 / harmonic
    ]
    return max(passing, default=0)


def reference(
    candidate: dict[str, Any],
    people: dict[str, dict[str, Any]],
    text_of: dict[str, str],
    margin: float,
    *,
    least_people: int,
    by_text: bool,
    lost: bool = False,
) -> Found:
    """The whole test of one candidate."""
    p, shares = {}, []
    for excluded in people:
        found = wins(candidate, people, excluded, lost=lost)
        if len(found) < LEAST:
            continue
        d = [person - judge for judge, person in found.values()]
        groups = [text_of[instance] if by_text else instance for instance in found]
        value = p_value(d, margin, groups)
        shares.append(float(np.mean([judge for judge, _ in found.values()])))
        if value is not None:
            p[excluded] = value
    rate = rejected(p) / len(p) if len(p) >= least_people else None
    return Found(rate, float(np.mean(shares)) if len(shares) >= least_people else None, p)


@st.composite
def studies(draw: st.DrawFn) -> dict[str, Any]:
    """People and a judge on instances of a few texts: labels, whole scores or shares of one."""
    kind = draw(st.sampled_from(["labels", "scores", "thirds"]))
    values: list[Any] = ["x", "y", "z"] if kind == "labels" else [1.0, 2.0, 3.0, 5.0]
    if kind == "thirds":
        values = [value / 3 for value in values]
    instances = [f"i{number:02d}" for number in range(draw(st.integers(4, 16)))]
    per_text = draw(st.sampled_from([1, 1, 2, 3]))
    text_of = {each: f"t{at // per_text}" for at, each in enumerate(instances)}
    some = st.sampled_from(values)
    people = {
        f"p{number}": {each: draw(some) for each in instances if draw(st.integers(0, 4)) > 0}
        for number in range(draw(st.integers(2, 5)))
    }
    fails = draw(st.booleans())
    judge = {
        each: None if fails and draw(st.integers(0, 4)) == 0 else draw(some) for each in instances
    }
    return {"people": people, "judge": judge, "text_of": text_of}


def warehouse(built: Built, study: dict[str, Any]) -> Models:
    def row(annotator: str, instance: str, said: Any, *, is_judge: bool) -> Row:
        return {
            "dimension": "q",
            "instance_id": instance,
            "text_id": study["text_of"][instance],
            "annotator_id": annotator,
            "is_judge": is_judge,
            "label": said if isinstance(said, str) else None,
            "value": said if isinstance(said, float) else None,
        }

    rows = [
        row(name, instance, said, is_judge=False)
        for name, answers in study["people"].items()
        for instance, said in answers.items()
    ]
    rows += [row("j/a", each, said, is_judge=True) for each, said in study["judge"].items()]
    return built(raw={"annotations": rows})


def expect(found: Any, wanted: float | None) -> None:
    assert (found is None) == (wanted is None), (found, wanted)
    if wanted is not None:
        assert found == pytest.approx(wanted, abs=1e-9)


@EXAMPLES
@given(study=studies())
def test_the_test_is_the_one_of_its_authors(built: Built, study: dict[str, Any]) -> None:
    models = warehouse(built, study)
    people, judge, text_of = study["people"], study["judge"], study["text_of"]
    answered = {name: said for name, said in judge.items() if said is not None}
    results = rows_of(models, "from rpt_judge_replacement where task = 'study'")
    beside = rows_of(models, "from rpt_replacement_people where task = 'study'")
    annotated = [
        instance for instance in text_of if sum(instance in said for said in people.values()) >= 2
    ]
    assert bool(results) == bool(annotated)
    for row in results:
        if row["judge_id"] == "j/a":
            candidate, others, least = judge, people, 3
            assert row["missing_count"] == sum(judge[each] is None for each in annotated)
            assert row["n_instances"] == sum(each in answered for each in annotated)
        else:
            candidate = people[row["annotator_id"]]
            others = {name: said for name, said in people.items() if name != row["annotator_id"]}
            least = 2
        ask = {"least_people": least}
        plain = reference(candidate, others, text_of, row["epsilon"], by_text=False, **ask)
        by_text = reference(candidate, others, text_of, row["epsilon"], by_text=True, **ask)
        lost = reference(candidate, others, text_of, row["epsilon"], by_text=True, lost=True, **ask)
        expect(row["winning_rate_paper"], plain.winning_rate)
        expect(row["winning_rate"], by_text.winning_rate)
        expect(row["winning_rate_failures_lost"], lost.winning_rate)
        expect(row["advantage_probability"], plain.advantage)
        if row["judge_id"] == "j/a":
            own = {one["annotator_id"]: one for one in beside if one["epsilon"] == row["epsilon"]}
            assert {name: one["p"] for name, one in own.items()} == pytest.approx(
                by_text.p, abs=1e-9
            )
            assert {name: one["p_paper"] for name, one in own.items()} == pytest.approx(
                {name: plain.p[name] for name in own}, abs=1e-9
            )


def half_width(study: dict[str, Any]) -> tuple[float, float, int]:
    """The advantage probability, its clustered half width, and the number of texts."""
    people, text_of = study["people"], study["text_of"]
    shares: dict[str, dict[str, int]] = {}
    for excluded in people:
        found = wins(study["judge"], people, excluded, lost=False)
        if len(found) >= LEAST:
            shares[excluded] = {instance: judge for instance, (judge, _) in found.items()}
    rho = float(np.mean([np.mean(list(each.values())) for each in shares.values()]))
    parts: dict[str, float] = defaultdict(float)
    for each in shares.values():
        mean = float(np.mean(list(each.values())))
        for instance, won in each.items():
            parts[text_of[instance]] += (won - mean) / len(each) / len(shares)
    count = len(parts)
    variance = count / (count - 1) * sum(part**2 for part in parts.values())
    return rho, float(stats.t.ppf(0.975, count - 1)) * math.sqrt(variance), count


def test_the_interval_of_the_advantage_probability_is_clustered_by_text(built: Built) -> None:
    rng = np.random.default_rng(20)
    instances = [f"i{text}-{part}" for text, part in product(range(12), range(3))]
    quality = {each: rng.normal() for each in instances}
    said = {
        name: {
            each: float(np.clip(round(3 + quality[each] + rng.normal()), 1, 5))
            for each in instances
        }
        for name in ("p1", "p2", "p3", "p4", "j")
    }
    judge = said.pop("j")
    study = {
        "people": said,
        "judge": judge,
        "text_of": {one: one.split("-")[0] for one in instances},
    }
    (row,) = rows_of(
        warehouse(built, study),
        "from rpt_judge_replacement where judge_id = 'j/a' and epsilon = 0.1",
    )
    rho, half, texts = half_width(study)
    # Wilson's interval over as few observations as make it as wide as Student's by text.
    z = float(stats.norm.ppf(0.975))
    n = rho * (1 - rho) * (z / half) ** 2
    middle = (rho + z**2 / 2 / n) / (1 + z**2 / n)
    reach = z * math.sqrt(rho * (1 - rho) / n + z**2 / 4 / n**2) / (1 + z**2 / n)
    assert row["advantage_probability"] == pytest.approx(rho, abs=1e-12)
    assert row["advantage_probability_low"] == pytest.approx(middle - reach, abs=1e-9)
    assert row["advantage_probability_high"] == pytest.approx(middle + reach, abs=1e-9)
    assert (row["n_units"], row["n_instances"]) == (texts, len(instances))


def test_sums_of_thirds_that_are_equal_are_a_tie(built: Built) -> None:
    third = 1 / 3
    people = {
        "p1": {f"i{at}": third + third + third for at in range(6)},
        "p2": {f"i{at}": 1.0 for at in range(6)},
        "p3": {f"i{at}": 0.1 + 0.2 for at in range(6)},
    }
    judge = {f"i{at}": 1.0 - third + third for at in range(6)}
    study = {"people": people, "judge": judge, "text_of": {f"i{at}": f"i{at}" for at in range(6)}}
    rows = rows_of(warehouse(built, study), "from rpt_replacement_people where annotator_id = 'p2'")
    assert {(row["mean_d"], row["judge_win_share"], row["p"]) for row in rows} == {(0.0, 1.0, 0.0)}
