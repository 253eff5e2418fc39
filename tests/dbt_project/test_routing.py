"""Intervals, risk-coverage curve and thresholds of routing against NumPy."""

import hashlib
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.dbt_project.compiled_models import EXAMPLES, Built
from tests.dbt_project.references import clustered_half, share_interval
from tests.dbt_project.verdict_data import Debate, debate_rows

SEED = "20250611"
LOW, HIGH, WANTED = 1.0, 5.0, 0.1
FIXED = {"judge_id": "m/j", "pro_label": "Pro", "con_label": "Con", "first_side": "pro"}


def _order(name: str) -> tuple[str, str]:
    return hashlib.md5(f"{SEED} {name}".encode()).hexdigest(), name


def _study(n_topics: int, per_topic: int, seed: int) -> list[dict[str, Any]]:
    draws = np.random.Generator(np.random.Philox(seed))
    rows = []
    for topic in range(n_topics):
        for place in range(per_topic):
            mean = float(np.clip(3 + draws.normal(0, 0.8), LOW, HIGH))
            noise = draws.normal(0, 0.4 + 1.2 * abs(mean - 3))
            rows.append(
                {
                    "item": f"i{topic:02d}-{place}",
                    "topic": f"t{topic:02d}",
                    "people": round(mean, 1),
                    "judge": None
                    if draws.random() < 0.05
                    else round(float(np.clip(mean + noise, LOW, HIGH)), 1),
                }
            )
    return rows


def _by_numpy(rows: list[dict[str, Any]], form: str) -> list[dict[str, Any]]:
    """Rows with prediction, half width, whether it is covered, errors, and whether each is sent."""
    topics = sorted({row["topic"] for row in rows}, key=_order)
    fold = {topic: (place + 1) % 3 for place, topic in enumerate(topics)}
    known = [row | {"fold": fold[row["topic"]]} for row in rows if row["judge"] is not None]
    mean = np.mean([row["people"] for row in known])
    found = []
    for tested in range(3):
        fit = [row for row in known if row["fold"] == (tested + 1) % 3]
        x, y = (np.array([row[one] for row in fit]) for one in ("judge", "people"))
        slope, intercept = np.polyfit(x, y, 1) if form == "recalibrated" else (1.0, 0.0)
        edges = np.quantile(x, [0.2, 0.4, 0.6, 0.8]) + 1e-9
        off = np.abs(y - intercept - slope * x)
        bands = np.searchsorted(edges, x, side="left")

        def with_distance(row: dict[str, Any]) -> dict[str, Any]:
            mine = off[bands == np.searchsorted(edges, row["judge"], side="left")]  # noqa: B023
            spread = (mine.sum() + 5 * off.mean()) / (len(mine) + 5)  # noqa: B023
            prediction = float(intercept + slope * row["judge"])  # noqa: B023
            error = abs(row["people"] - np.clip(prediction, LOW, HIGH)) / (HIGH - LOW)
            return row | {
                "prediction": prediction,
                "half": float(spread),
                "distance": abs(row["people"] - prediction) / spread,
                "error": float(error),
                "baseline_error": float(abs(row["people"] - mean) / (HIGH - LOW)),
            }

        mine = [with_distance(row) for row in known if row["fold"] == tested]
        calibration = [with_distance(row) for row in known if row["fold"] == (tested + 2) % 3]
        drawn: dict[str, dict[str, Any]] = {}
        for row in sorted(calibration, key=lambda row: _order(row["item"])):
            drawn.setdefault(row["topic"], row)
        assume(len(drawn) >= 9)
        distances = sorted(row["distance"] for row in drawn.values())
        radius = distances[math.ceil(round((len(distances) + 1) * 0.9, 9)) - 1]
        for row in mine + calibration:
            row["half"] = float(radius * row["half"])
            row["covered"] = radius - row["distance"] >= -1e-12
        cutoff = _cutoff(calibration)
        found += [row | {"is_sent": row["half"] > cutoff + 1e-12} for row in mine]
    return found


def _cutoff(calibration: list[dict[str, Any]]) -> float:
    """The largest uncertainty up to which the error's upper end stays within the wanted error."""
    unsure, error = (np.array([row[one] for row in calibration]) for one in ("half", "error"))
    topics = [row["topic"] for row in calibration]
    best = -1.0
    for step in range(1, 21):
        cutoff = np.sort(unsure)[math.ceil(len(unsure) * step / 20) - 1]
        left = np.where(unsure <= cutoff, error, 0.0)
        half = (clustered_half(left, topics) or 0) / math.sqrt(3)
        if share_interval(left.mean(), half, 3 * len(set(topics)))[1] > WANTED:
            break
        best = float(cutoff)
    return best


def _built(built: Built, *judges: list[dict[str, Any]], names: Sequence[str] = ("m/j",)) -> Any:
    return built(
        speeches=[(row["item"], row["topic"], "expert") for row in judges[0]],
        ratings=[(row["item"], "r", row["people"]) for row in judges[0]],
        scores=[
            (name, row["item"], row["judge"], row["judge"])
            for name, rows in zip(names, judges, strict=True)
            for row in rows
        ],
        scale=(LOW, HIGH),
    )


@EXAMPLES
@given(n_topics=st.integers(33, 45), per_topic=st.integers(1, 3), seed=st.integers(0, 2**32 - 1))
@pytest.mark.parametrize("form", ["own", "recalibrated"])
def test_intervals_curve_and_threshold_are_numpys(
    built: Built, form: str, n_topics: int, per_topic: int, seed: int
) -> None:
    rows = _study(n_topics, per_topic, seed)
    models = _built(built, rows)
    expected = {row["item"]: row for row in _by_numpy(rows, form)}
    found = models.execute(
        "select instance_id, prediction, prediction_low, prediction_high, uncertainty, is_covered, "
        "error, baseline_error, is_for_people from rpt_routing_answers "
        "where uncertainty is not null and answer_form = ?",
        [form],
    ).fetchall()
    assert {row[0] for row in found} == expected.keys()
    for name, prediction, low, high, half, is_covered, error, baseline, is_sent in found:
        mine = expected[name]
        ends = [mine["prediction"] + sign * mine["half"] for sign in (-1, 1)]
        assert prediction == pytest.approx(np.clip(mine["prediction"], LOW, HIGH))
        assert (low, high) == pytest.approx(tuple(np.clip(ends, LOW, HIGH)))
        assert half == pytest.approx(mine["half"])
        assert (is_covered, is_sent) == (mine["covered"], mine["is_sent"])
        assert (error, baseline) == pytest.approx((mine["error"], mine["baseline_error"]))
    failed = models.execute(
        "select distinct is_for_people from rpt_routing_answers where judge_value is null"
    ).fetchall()
    assert failed in ([], [(True,)])

    by_topic: dict[str, list[bool]] = {}
    for mine in expected.values():
        by_topic.setdefault(mine["topic"], []).append(mine["covered"])
    coverage, n_units = models.execute(
        "select coverage, n_units from rpt_routing_coverage where part = 'all' and answer_form = ?",
        [form],
    ).fetchall()[0]
    assert coverage == pytest.approx(np.mean([np.mean(each) for each in by_topic.values()]))
    assert n_units == len(by_topic)

    # Equally uncertain answers stand by the share of them that annotators do not judge.
    unsure, wrong, constant, sent = (
        np.array([mine[one] for mine in expected.values()])
        for one in ("half", "error", "baseline_error", "is_sent")
    )
    topics = [mine["topic"] for mine in expected.values()]
    left = []
    for step in range(21):
        seen = math.ceil(len(wrong) * step / 20)
        last = (unsure[None] >= unsure[:, None] - 1e-9).sum(axis=1)
        alike = (np.abs(unsure[None] - unsure[:, None]) < 1e-9).sum(axis=1)
        left.append(float((wrong * np.clip((last - seen) / alike, 0, 1)).mean()))
    curve = models.execute(
        "select combined_error, combined_error_low, combined_error_high, baseline_error, "
        "baseline_error_low, baseline_error_high, baseline_gain, baseline_gain_low, "
        "baseline_gain_high from rpt_routing_curve where answer_form = ? order by wanted_share",
        [form],
    ).fetchall()
    gain, width = (constant - wrong).mean(), clustered_half(constant - wrong, topics) or 0.0
    assert curve[0] == pytest.approx(
        (
            wrong.mean(),
            *share_interval(wrong.mean(), clustered_half(wrong, topics), n_units),
            constant.mean(),
            *share_interval(constant.mean(), clustered_half(constant, topics), n_units),
            gain,
            gain - width,
            gain + width,
        )
    )
    assert curve[-1] == (0.0, None, None, 0.0, None, None, 0.0, None, None)
    assert [row[0] for row in curve] == pytest.approx(left)
    assert all(one[0] >= other[0] for one, other in pairwise(curve))

    kept = wrong * ~sent
    threshold = models.execute(
        "select achieved_error, achieved_error_high, sent_share, failed_count "
        f"from rpt_routing_thresholds where wanted_error = {WANTED} and answer_form = ?",
        [form],
    ).fetchall()[0]
    high = share_interval(kept.mean(), clustered_half(kept, topics), n_units)[1]
    assert threshold == pytest.approx(
        (
            kept.mean(),
            None if sent.all() else high,
            sent.mean(),
            sum(row["judge"] is None for row in rows),
        )
    )


def _planted() -> dict[str, list[dict[str, Any]]]:
    """Judges of 270 items whose annotators' means have a standard deviation of 0.55 points."""
    draws = np.random.Generator(np.random.Philox(8))
    ids = [(f"i{topic:02d}-{place}", f"t{topic:02d}") for topic in range(90) for place in range(3)]
    people = np.clip(3 + draws.normal(0, 0.55, len(ids)), LOW, HIGH)
    noise = draws.normal(0, 1, len(ids))
    hashes = [int(hashlib.md5(name.encode()).hexdigest(), 16) for name, _ in ids]
    said = {
        # One point too low for everything, and else nearly right.
        "m/offset": people - 1 + 0.1 * noise,
        "m/hash": np.array([1 + value % 5 for value in hashes]),
        # Nearly right where it says less than 3.2, and far less so above.
        "m/good": np.where(
            people + 0.05 * noise < 3.2, people + 0.05 * noise, people + 0.5 * noise
        ),
        # As noisy everywhere, so that no score says which is worse.
        "m/uninformative": people + 0.3 * noise,
        "m/constant": np.full(len(ids), people.mean()),
    }
    return {
        judge: [
            {
                "item": item,
                "topic": topic,
                "people": float(mean),
                "judge": float(np.clip(value, LOW, HIGH)),
            }
            for (item, topic), mean, value in zip(ids, people, scores, strict=True)
        ]
        for judge, scores in said.items()
    }


def test_only_a_judge_that_beats_a_constant_and_knows_its_errors_is_a_yes(built: Built) -> None:
    judges = _planted()
    models = _built(built, *judges.values(), names=list(judges))
    answers = dict(
        models.execute(
            "select judge_id, answer from rpt_decisions where topic = 'route'"
        ).fetchall()
    )
    alone = {
        row[:2]: row[2:]
        for row in models.execute(
            "select judge_id, answer_form, combined_error, baseline_error from rpt_routing_curve "
            "where wanted_share = 0"
        ).fetchall()
    }
    for judge, rows in judges.items():
        error = np.mean([abs(row["judge"] - row["people"]) for row in rows]) / (HIGH - LOW)
        assert alone[judge, "own"][0] == pytest.approx(error)
    assert answers == {
        "m/offset": "no",
        "m/hash": "no",
        "m/good": "yes",
        "m/uninformative": "cannot tell",
        "m/constant": "no",
    }
    assert alone["m/offset", "own"][0] > 0.24
    assert alone["m/offset", "recalibrated"][0] < 0.03
    # It keeps the wanted error, but there is nothing to sort its answers by.
    high, sent = models.execute(
        "select achieved_error_high, sent_share from rpt_routing_thresholds where "
        f"judge_id = 'm/uninformative' and answer_form = 'own' and wanted_error = {WANTED}"
    ).fetchall()[0]
    assert high <= WANTED
    assert sent == 0
    # Recalibrated, random scores are a constant.
    hashed, constant = alone["m/hash", "recalibrated"]
    assert hashed == pytest.approx(constant, abs=0.005)


def test_too_few_topics_are_refused_with_the_reason(built: Built) -> None:
    models = _built(built, _study(20, 2, 2))
    for mart, column in (
        ("rpt_routing_coverage", "coverage"),
        ("rpt_routing_thresholds", "achieved_error"),
    ):
        rows = models.execute(f"select {column}, reason from {mart}").fetchall()
        assert rows
        assert all(value is None and "fewer than 9 topics" in reason for value, reason in rows)
    assert models.execute("select count(*) from rpt_routing_curve").fetchall() == [(0,)]
    answers = models.execute(
        "select distinct answer, would_change from rpt_decisions where topic = 'route'"
    ).fetchall()
    assert [row[0] for row in answers] == ["cannot tell"]


def test_the_verdict_stands_and_the_more_probable_label_is_the_alternative(built: Built) -> None:
    draws = np.random.Generator(np.random.Philox(3))
    debates, verdicts, wrong = [], [], {"own": [], "most probable": []}
    for number in range(400):
        p_con = 1 / (1 + math.exp(-draws.normal(0, 2)))
        won, said = ("con" if draws.random() < p_con else "pro" for _ in range(2))
        debates.append(Debate(f"x:{number}", human=won))
        verdicts.append(FIXED | {"debate_id": f"x:{number}", "winner": said, "p_pro": 1 - p_con})
        wrong["own"].append(said != won)
        wrong["most probable"].append((p_con > 0.5) != (won == "con"))
    models = built(raw=debate_rows(debates) | {"verdicts": verdicts})
    curve = {
        (row[0], row[1]): row[2:]
        for row in models.execute(
            "select answer_form, wanted_share, combined_error, gain_low from rpt_routing_curve"
        ).fetchall()
    }
    for form, errors in wrong.items():
        assert curve[form, 0.0][0] == pytest.approx(np.mean(errors))
        assert curve[form, 0.2][0] < curve[form, 0.0][0]
        assert curve[form, 0.2][1] > 0
    rows = models.execute(
        "select people_value, prediction_set, is_covered from rpt_routing_answers"
    ).fetchall()
    assert len(rows) == 800
    for people, found, is_covered in rows:
        assert is_covered == (("con" if people else "pro") in found)


def test_equally_uncertain_answers_gain_nothing_over_random(built: Built) -> None:
    debates = [Debate(f"x:{at}", human="pro" if at % 2 else "con") for at in range(60)]
    # Wrong in the first three of sixty.
    verdicts = [
        FIXED | {"debate_id": f"x:{at}", "winner": "pro" if (at % 2) ^ (at < 3) else "con"}
        for at in range(60)
    ]
    models = built(raw=debate_rows(debates) | {"verdicts": verdicts})
    for share, error, gain, low in models.execute(
        "select sent_share, combined_error, gain, gain_low from rpt_routing_curve"
    ).fetchall():
        assert error == pytest.approx(0.05 * (1 - share))
        assert (gain, low) == (0, None)
    assert models.execute("select answer from rpt_decisions where topic = 'route'").fetchall() == [
        ("no",)
    ]
