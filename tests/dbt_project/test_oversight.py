"""Judgements on transcripts against NumPy, scikit-learn, SciPy and brute force over judges."""

from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics

from tests.dbt_project.compiled_models import EXAMPLES, Built, Compiled, over_home, rows_of
from tests.dbt_project.oversight_data import judgements, stories, transcript, turn
from tests.ingestion.test_nyu_debates import ingest, query
from warehouse import functions
from warehouse.home import Home

JUDGES = ("j/a", "j/b", "j/c")
# Both orders of three judges; None is a reply that cannot be read.
Pair = tuple[float | None, float | None]


@st.composite
def fields(draw: st.DrawFn) -> dict[str, tuple[str, int | None, list[Pair]]]:
    """Draw questions with their story, right answer and what three judges say in both orders."""
    p = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.5, 0.6, 0.75, 0.9, None])
    return {
        f"q{number:02d}": (
            f"s{draw(st.integers(0, 7))}",
            draw(st.sampled_from([0, 0, 1, 1, 1, None])),
            [(draw(p), draw(p)) for _ in JUDGES],
        )
        for number in range(draw(st.integers(1, 24)))
    }


def mean_of(pair: Pair) -> float | None:
    return (
        None
        if None in pair
        else round(float(np.mean([each for each in pair if each is not None])), 9)
    )


def score(p: float, right: int) -> float:
    return 0.5 if p == 0.5 else float((p < 0.5) == (right == 1))


@EXAMPLES
@given(field=fields())
def test_marts_are_what_numpy_scikit_learn_and_loops_give(
    built: Built, field: dict[str, tuple[str, int | None, list[Pair]]]
) -> None:
    debates = {name: transcript(name) for name in field}
    models = built(
        raw=stories({name: (story, right) for name, (story, right, _) in field.items()})
        | {
            "oversight_transcripts": list(debates.values()),
            "oversight_judgements": judgements(
                {
                    "judge_id": judge,
                    "question_id": name,
                    "protocol": "debate",
                    "transcript_id": debates[name]["transcript_id"],
                    "answer_order": order,
                    "p_answer_0": pair[place],
                }
                for name, (_, _, pairs) in field.items()
                for judge, pair in zip(JUDGES, pairs, strict=True)
                for place, order in enumerate(("01", "10"))
            ),
        },
    )
    accuracy = rows_of(models, "from rpt_protocol_accuracy where is_main_order")
    calibration = rows_of(models, "from rpt_calibration where is_main_order")
    biases = rows_of(models, "from rpt_judge_biases_oversight where effect = 'position'")
    bins = rows_of(models, "from rpt_reliability_bins where answer_order = 'both'")
    for place, judge in enumerate(JUDGES):
        known = [
            (name, story, right, p)
            for name, (story, right, pairs) in field.items()
            if right is not None and (p := mean_of(pairs[place])) is not None
        ]
        row = next(each for each in accuracy if each["judge_id"] == judge)
        assert row["answer_order"] == "both"
        assert row["n_units"] == len(known)
        failed = sum(None in pairs[place] for _, _, pairs in field.values())
        assert row["failed_count"] == failed
        scale = next(each for each in calibration if each["judge_id"] == judge)
        if not known:
            assert (row["accuracy"], scale["brier"]) == (None, None)
            continue
        scores = [score(p, right) for _, _, right, p in known]
        assert row["accuracy"] == pytest.approx(np.mean(scores))
        check_interval(row, known, scores)
        check_calibration(scale, [b for b in bins if b["judge_id"] == judge], known)
        check_position(
            next(each for each in biases if each["judge_id"] == judge),
            [
                (story, *pairs[place])
                for story, _, pairs in field.values()
                if None not in pairs[place]
            ],
        )
    check_votes(rows_of(models, "from rpt_judge_ensemble"), field)


def check_interval(row: dict[str, Any], known: list[Any], scores: list[float]) -> None:
    """Draw the stories again with the same generator."""
    names = sorted({story for _, story, _, _ in known})
    if len(names) < 5 or row["accuracy"] in (0, 1):
        assert len(names) >= 5 or row["accuracy_low"] is None
        return
    columns = [pa.chunked_array([[number] * 50]) for number in (20250611, len(names))]
    draws = functions.resample_counts(*columns, pa.chunked_array([list(range(1, 51))])).to_pylist()
    shares = []
    for counts in draws:
        weights = [counts[names.index(story)] for _, story, _, _ in known]
        shares.append(np.average(scores, weights=weights))
    assert (row["accuracy_low"], row["accuracy_high"]) == pytest.approx(
        tuple(np.quantile(shares, [0.025, 0.975]))
    )


def check_calibration(row: dict[str, Any], bins: list[dict[str, Any]], known: list[Any]) -> None:
    forecasts = np.array([p for *_, p in known])
    truth = np.array([1 - right for _, _, right, _ in known])
    assert row["brier"] == pytest.approx(
        metrics.brier_score_loss(truth, forecasts, pos_label=1)
        if len(set(truth)) > 1
        else np.mean((forecasts - truth) ** 2)
    )
    parts = ("reliability", "uncertainty", "within_bin_variance")
    total = sum(row[part] for part in parts) - row["resolution"] - row["within_bin_covariance"]
    assert total == pytest.approx(row["brier"], abs=1e-9)
    p_true = np.where(truth == 1, forecasts, 1 - forecasts)
    assert row["infinite_count"] == (p_true == 0).sum()
    expected = None if (p_true == 0).any() else pytest.approx(-np.log(p_true).mean())
    assert row["log_score"] == expected
    for event in ("answer_0", "max_p"):
        own = [each for each in bins if each["event"] == event]
        assert sum(each["n_units"] for each in own) == len(known)
        error = sum(each["n_units"] * abs(each["mean_p"] - each["share"]) for each in own)
        assert row[f"ece_{event}"] == pytest.approx(error / len(known), abs=1e-9)
        # No two bins share a forecast.
        edges = sorted((each["p_low"], each["p_high"]) for each in own)
        assert all(low[1] < high[0] for low, high in pairwise(edges))


def check_position(row: dict[str, Any], pairs: list[tuple[str, float, float]]) -> None:
    gains = np.array([first - second for _, first, second in pairs])
    assert row["estimate"] == pytest.approx(gains.mean(), abs=1e-12)
    assert row["flip_count"] == sum(
        np.sign(first - 0.5) != np.sign(second - 0.5) for _, first, second in pairs
    )
    by_story = {name: gains[[story == name for story, _, _ in pairs]] for name, _, _ in pairs}
    size = len(by_story)
    residuals = [values.sum() - gains.mean() * len(values) for values in by_story.values()]
    if size >= 5 and row["p"] is not None:
        error = np.sqrt(size / (size - 1) * np.square(residuals).sum()) / len(gains)
        assert row["p"] == pytest.approx(2 * stats.t.sf(abs(gains.mean() / error), size - 1))
    else:
        assert (row["p"], row["p_adjusted"]) == (None, None)


def check_votes(rows: list[dict[str, Any]], field: dict[str, Any]) -> None:
    units = [
        [score(p, right) for pair in pairs if (p := mean_of(pair)) is not None]
        for _, right, pairs in field.values()
        if right is not None
    ]
    full = [scores for scores in units if len(scores) == len(JUDGES)]
    assert [row["k"] for row in sorted(rows, key=lambda row: row["k"])] == [1, 2, 3]
    for row in rows:
        assert (row["n_units"], row["dropped_count"]) == (len(full), len(units) - len(full))
        votes = [
            (np.sign(sum(chosen) - len(chosen) / 2) + 1) / 2
            for scores in full
            for chosen in combinations(scores, row["k"])
        ]
        assert row["accuracy"] == (pytest.approx(np.mean(votes)) if votes else None)


@pytest.mark.parametrize("is_one_by_one", [False, True])
def test_one_row_stands_for_a_judge_asked_in_different_orders(
    built: Built, is_one_by_one: bool
) -> None:
    names = [f"q{number}" for number in range(8)]
    debates = {name: transcript(name) for name in names}
    # Both orders of three debates and one of the others; or an order for each repeat.
    asked = (
        [(name, order, int(order)) for name in names for order in ("01", "10")]
        if is_one_by_one
        else [(name, "01", 0) for name in names] + [(name, "10", 0) for name in names[:3]]
    )
    models = built(
        raw=stories({name: (f"s{number}", number % 2) for number, name in enumerate(names)})
        | {
            "oversight_transcripts": list(debates.values()),
            "oversight_turns": [
                turn(debates[name], side, word_count=10 + number * (1 if side else number))
                for number, name in enumerate(names)
                for side in (0, 1)
            ],
            "oversight_judgements": judgements(
                {
                    "question_id": name,
                    "protocol": "debate",
                    "transcript_id": debates[name]["transcript_id"],
                    "answer_order": order,
                    "sample": sample,
                    "p_answer_0": 0.3 + 0.05 * names.index(name) + int(order) / 100,
                }
                for name, order, sample in asked
            ),
        },
    )
    main, n_units, left_out = ("01", 8, 0) if is_one_by_one else ("both", 3, 5)
    for mart in ("rpt_protocol_accuracy", "rpt_calibration"):
        (row,) = rows_of(models, f"from {mart} where is_main_order")
        assert (row["answer_order"], row["n_units"]) == (main, n_units)
        assert row["other_order_count"] == left_out
    (headline,) = rows_of(models, "from rpt_protocol_accuracy where is_headline")
    assert headline["answer_order"] == main
    (length,) = rows_of(models, "from rpt_judge_biases_oversight where effect = 'verbosity'")
    assert (length["n_units"], length["n_answers"]) == (8, 16 if is_one_by_one else 8)


def test_health_of_a_run_counts_debates_of_stories_and_judgements(built: Built) -> None:
    asked = [
        transcript("q1", cost_usd=0.25, attempts=1),
        transcript("q2", status="void", reason="refused: debater_0 wrote nothing"),
        transcript(
            "q3",
            status="void",
            reason="endpoint: context_overflow: 9 over 8",
            request_status="error",
            error_kind="context_overflow",
        ),
        transcript("q4", status="partial", request_status="error", error_kind="timeout"),
    ]
    run = asked[0]["run_id"]
    said = {"is_chosen": False, "shown_text": "", "word_count": 2, "rejected_count": 3}
    judged = judgements(
        {
            "run_id": run,
            "question_id": "q1",
            "protocol": "debate",
            "cost_usd": 0.5,
            "transcript_id": asked[0]["transcript_id"],
            "answer_order": order,
            "p_answer_0": p,
        }
        for order, p in (("01", 0.75), ("10", None))
    )
    models = built(
        raw=stories({f"q{n}": ("s", 0) for n in range(1, 5)})
        | {
            "oversight_transcripts": asked,
            "oversight_judgements": judged,
            "oversight_turns": [
                turn(asked[1], 0, candidate=0, text="I will.", **said),
                turn(asked[1], 0, candidate=1, text="I won't.", **said),
            ],
        }
    )
    models.execute(
        "insert into raw.runs (run_id, experiment, judge_id, origin, settings_hash, settings, planned, "
        "code_version, status, _source_file, _loaded_at) "
        "values (?, 'e', 'm/x', 'run', 's', '{}', 7, 'v', 'partial', 'f', '2026-01-01')",
        [run],
    )
    (health,) = rows_of(models, "from rpt_run_health")
    expected = {
        "request_count": 6,
        "unasked_count": 1,
        "parsed_count": 2,
        "failure_count": 4,
        "unparsed_count": 2,
        "refused_count": 1,
        "unreadable_count": 1,
        "timeout_count": 1,
        "context_overflow_count": 1,
        "stale_count": 0,
        "sent_count": 6,
        "cost_usd": None,
        "cost_known_usd": 1.25,
        "cost_known_count": 3,
        "unparsed_by_reason": '{"no_probability":1,"refused":1}',
    }
    assert {name: health[name] for name in expected} == expected
    failures = rows_of(
        models,
        "select failures.answer_status, answer_kind, item_id, response from rpt_failures "
        "as failures join dim_response on example_response_id = response_id order by all",
    )
    assert [tuple(row.values()) for row in failures] == [
        ("context_overflow", "transcript", "q3", None),
        ("refused", "transcript", "q2", "I won't."),
        ("timeout", "transcript", "q4", None),
        ("unparsed", "judgement", asked[0]["transcript_id"], None),
    ]


def test_two_kinds_of_clusters_are_drawn_apart() -> None:
    """One cell a judge and story: weights are products of two independent draws."""
    rng = np.random.default_rng(3)
    places = [(story, judge) for story in range(1, 7) for judge in range(1, 5)]
    sums = rng.random(len(places)).tolist()
    cells = [[story for story, _ in places], [judge for _, judge in places], sums, [1.0] * 24]
    columns = [pa.chunked_array([[value]]) for value in (7, 200)]
    found = functions.resampled_ratios(*columns, *(pa.chunked_array([[cell]]) for cell in cells))
    values = np.array(sums).reshape(6, 4)
    for number, ratio in enumerate(found.to_pylist()[0], start=1):
        story, judge = (
            np.array(
                functions.resample_counts(
                    *(pa.chunked_array([[value]]) for value in (seed, size, number))
                ).to_pylist()[0]
            )
            for seed, size in ((7, 6), (8, 4))
        )
        assert ratio == pytest.approx(story @ values @ judge / 24)


def test_a_calibrated_judge_shows_the_error_that_chance_leaves() -> None:
    # Alone in its bin a forecast of p misses by 1 - p with chance p and by p otherwise: 2 p (1 - p).
    forecasts = [0.2, 0.5, 0.9, 0.5]
    columns = [[1], [20000], [forecasts], [[1, 2, 3, 4]], [[False, False, False, True]]]
    found = functions.calibrated_ece(*(pa.chunked_array([column]) for column in columns))
    assert found.to_pylist()[0] == pytest.approx((0.32 + 0.5 + 0.18) / 4, abs=0.005)


@pytest.mark.shared
def test_final_live_judgements_of_the_real_rooms_are_as_published(
    compiled: Compiled, home: Home, shared_data: Path
) -> None:
    ingest(home, "nyu-debates", shared_data / "nyu_debates" / "rooms.jsonl.gz")
    models = over_home(compiled, home)
    rows = {
        (row["debater"], row["protocol"]): row
        for row in rows_of(
            models,
            "from rpt_protocol_accuracy where is_pooled and is_headline and selection = 'all'",
        )
    }
    assert query(home, "select count(*) from raw.human_verdicts") == [(1607,)]
    for debater, n_units, accuracy in (("human", 114, 86.8), ("ai", 40, 82.5)):
        row = rows[debater, "debate"]
        assert (row["n_units"], round(100 * row["accuracy"], 1)) == (n_units, accuracy)
        assert row["accuracy_low"] < row["accuracy"] < row["accuracy_high"]
    for debater, honest, dishonest in (
        ("human", (23, 82.6), (31, 54.8)),
        ("ai", (27, 81.5), (20, 80.0)),
    ):
        row = rows[debater, "consultancy"]
        assert (row["n_honest"], round(100 * row["honest_accuracy"], 1)) == honest
        assert (row["n_dishonest"], round(100 * row["dishonest_accuracy"], 1)) == dishonest
        assert row["accuracy"] == pytest.approx(
            (row["honest_accuracy"] + row["dishonest_accuracy"]) / 2
        )
    assert {row["mode"] for row in rows.values()} == {"live"}
    # Whoever judges is in the dimension, people by name; and what is not known has its reason.
    unknown = (
        "select count(*) as n from fct_oversight_judgement anti join dim_judge using (judge_id)"
    )
    kinds = "select judge_kind, count(*) as n from dim_judge group by all order by all"
    assert rows_of(models, unknown) == [{"n": 0}]
    assert [row["judge_kind"] for row in rows_of(models, kinds)] == ["human", "imported"]
    for mart, why in (
        (
            "rpt_protocol_accuracy",
            "accuracy_low is null or honest_accuracy is not null and "
            "honest_low is null or dishonest_accuracy is not null and dishonest_low is null",
        ),
        ("rpt_calibration", "brier_low is null"),
    ):
        silent = f"select count(*) as n from {mart} where ({why}) and reason is null"
        assert rows_of(models, silent) == [{"n": 0}]
    silent = "from rpt_calibration where log_score is null and log_reason is null"
    assert rows_of(models, silent) == []
