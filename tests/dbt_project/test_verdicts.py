"""Verdicts from SQL against plain loops: which one counts, where it came from, how sure it was."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.labels import label_probabilities
from ingestion.debates.turns import debate_hash
from tests.dbt_project.compiled_models import EXAMPLES, Built, one

FACTORS = ("template", "pro_label", "con_label", "first_side", "reasoning", "answer_order")
SPEECHES = [("i1", "d1", "s"), ("i2", "d2", "s")]


@st.composite
def verdicts(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Verdicts on two debates and one nobody knows, asked for again and again."""
    rows = []
    for _ in range(draw(st.integers(1, 12))):
        answered = draw(st.booleans())
        read = answered and draw(st.booleans())
        rows.append(
            {
                "judge_id": draw(st.sampled_from(["j/a", "j/b"])),
                "debate_id": draw(st.sampled_from(["d1", "d1", "d2", "gone"])),
                "pro_label": draw(st.sampled_from(["A", None])),
                "con_label": "B",
                "reasoning": draw(st.sampled_from([True, None])),
                "sample": draw(st.integers(0, 1)),
                "request_status": "answered" if answered else "error",
                "error_kind": None if answered else "timeout",
                "winner": draw(st.sampled_from(["pro", "con", "tie"])) if read else None,
                "parse_status": "parsed" if read else "unparsed" if answered else "not_answered",
                "parse_reason": None if read or not answered else "no_label",
                "answered_at": f"2026-01-{draw(st.integers(1, 3)):02d} 00:00:00",
                "_loaded_at": f"2026-02-{len(rows) + 1:02d} 00:00:00",
                "source_record": f"line {len(rows) + 1}",
            }
        )
    return rows


def question(row: dict[str, Any]) -> tuple[Any, ...]:
    return (row["judge_id"], row["debate_id"], row["sample"], *(row.get(name) for name in FACTORS))


@EXAMPLES
@given(rows=verdicts())
def test_of_each_question_the_latest_answered_verdict_counts(
    built: Built, rows: list[dict[str, Any]]
) -> None:
    connection = built(speeches=SPEECHES, raw={"verdicts": rows})
    counting: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        rank = (row["request_status"] == "answered", row["answered_at"], row["_loaded_at"])
        held = counting.get(question(row))
        if held is None or rank > held["rank"]:
            counting[question(row)] = {**row, "rank": rank}
    found = connection.execute(
        "select source_record, is_current, is_stale, winner, source_file from fct_verdict"
    ).fetchall()
    assert {record for record, current, *_ in found if current} == {
        row["source_record"] for row in counting.values()
    }
    by_record = {row["source_record"]: row for row in rows}
    assert len(found) == len(rows)
    for record, _, stale, winner, file in found:
        assert stale == (by_record[record]["debate_id"] == "gone")
        assert winner == by_record[record]["winner"]
        assert file == "f"
    variants = {tuple(row.get(name) for name in FACTORS) for row in rows}
    assert connection.execute("select count(*) from dim_variant").fetchone() == (len(variants),)


def test_a_score_and_a_verdict_of_one_run_lead_back_to_their_lines(built: Built) -> None:
    verdicts = [
        {
            "judge_id": "j/a",
            "debate_id": "d1",
            "winner": "con",
            "source_record": "line 7",
            "attempts": 3,
            "extra": '{"error": "no", "omitted_parameters": ["seed"]}',
        },
        {"judge_id": "j/a", "debate_id": "d2", "winner": "pro", "extra": '{"cut off'},
    ]
    scores = [("j/a", "i1", 3.0, 3.0)]
    connection = built(speeches=SPEECHES, scores=scores, raw={"verdicts": verdicts})
    kinds = connection.execute(
        "select answer_kind, error_message, omitted_parameters, source_record from dim_response "
        "order by all"
    ).fetchall()
    assert kinds == [
        ("score", None, None, None),
        ("verdict", "no", '["seed"]', "line 7"),
        ("verdict", None, None, None),
    ]
    run = one(connection, "from rpt_run_health")
    assert (run["request_count"], run["parsed_count"], run["template"]) == (3, 3, "t")
    assert (run["attempt_count"], run["retry_count"]) == (3, 2)
    assert run["omitted_parameters"] == "seed"


def test_a_verdict_on_a_debate_that_has_changed_is_stale(built: Built) -> None:
    about = {"judge_id": "j/a", "debate_id": "d1", "winner": "con"}
    debate = one(built(speeches=SPEECHES), "from dim_debate where debate_id = 'd1'")
    assert (debate["speech_count"], debate["word_count"]) == (1, 1)
    verdicts = [
        {**about, "item_hash": found, "sample": sample}
        for sample, found in enumerate((debate["debate_hash"], "another", None))
    ]
    connection = built(speeches=SPEECHES, raw={"verdicts": verdicts})
    found = connection.execute("select is_stale from fct_verdict order by sample").fetchall()
    assert found == [(False,), (True,), (False,)]


@EXAMPLES
@given(masses=st.lists(st.floats(0.01, 0.3), min_size=3, max_size=3), n_seen=st.integers(1, 3))
def test_label_probabilities_arrive_as_they_were_computed_and_leave_room_for_one(
    built: Built, masses: list[float], n_seen: int
) -> None:
    labels = ["A", "B", "tie"]
    logprobs = {
        label: math.log(mass) for label, mass in list(zip(labels, masses, strict=True))[:n_seen]
    }
    known = label_probabilities(labels, logprobs, math.log(min(masses)))
    connection = built(
        speeches=SPEECHES,
        raw={
            "verdicts": [{"judge_id": "j/a", "debate_id": "d1", "winner": "pro"}],
            "label_probabilities": [
                {
                    "run_id": "run-j/a",
                    "request_id": "v0",
                    "label": label,
                    "logprob": logprobs.get(label),
                    "p": found.p,
                    "p_low": found.low,
                    "p_high": found.high,
                }
                for label, found in known.items()
            ],
        },
    )
    rows = connection.execute(
        "select label, p, p_low, p_high from fct_label_probability where is_current"
    ).fetchall()
    assert {row[0]: row[1:] for row in rows} == {
        label: tuple(found) for label, found in known.items()
    }
    assert sum(row[2] for row in rows) <= 1 + 1e-9
    assert sum(row[3] for row in rows) >= 1 - 1e-9
    if n_seen == len(labels):
        assert sum(row[1] for row in rows) == pytest.approx(1)


def test_the_marts_and_ingestion_agree_on_a_debates_hash(built: Built) -> None:
    """Ingestion writes it into verdicts, the marts compare it: two formulas would make all stale."""
    connection = built(speeches=[*SPEECHES, ("i3", "d1", "s")])
    assert (
        connection.execute(
            f"select debate_id, debate_hash from ({debate_hash('raw.speeches')}) order by all"
        ).fetchall()
        == connection.execute(
            "select debate_id, debate_hash from dim_debate order by all"
        ).fetchall()
    )
