import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import inference_fixtures
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from inference.errors import BadItems
from inference.judges import make_judge
from inference.judges.base import Reply
from inference.judges.request import Request
from inference.judges.simulated.adjudicators import FAILURES
from inference.kinds import KIND
from inference.parliamentary.items import (
    HOUSE_RANKS,
    SPEAKER_RANKS,
    SPEAKER_SCORES,
    Adjudication,
    AskedAdjudication,
    ParliamentaryDebate,
    RoleSpeech,
    adjudicate,
)
from inference.parliamentary.rulings import PARSED, Ruling, read_ruling
from inference.registry import JudgeSpec
from inference.templates import load_template
from warehouse.records.bp import HOUSE_OF, HOUSES, ROLES

OFFICIAL = dict(zip(ROLES, (80, 76, 78, 75, 77, 72, 79, 71), strict=True))
# The sums are OG 158, CG 156, OO 151 and CO 143.
BEST_FIRST = ("og", "cg", "oo", "co")
WORDS = dict(zip(ROLES, (100, 200, 100, 200, 100, 200, 100, 200), strict=True))
TEMPLATE = load_template("bp_all")


def spec(tmp_path: Path, judge_id: str = "simulated/chair", **settings: Any) -> JudgeSpec:
    return inference_fixtures.judge(tmp_path, judge_id, **settings)


def reference(tmp_path: Path, rows: list[tuple[str, str, str, float]] | None = None) -> Path:
    if rows is None:
        rows = [("bp:a", role, SPEAKER_SCORES, float(score)) for role, score in OFFICIAL.items()]
    names = ("debate_id", "place", "task", "value")
    path = tmp_path / "parliamentary_reference.parquet"
    pq.write_table(pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows]), path)
    return path


def request(task: str = "all", sample: int = 0, order: str = "og-oo-cg-co") -> Request:
    speeches = tuple(RoleSpeech(role, " ".join(["word"] * WORDS[role])) for role in ROLES)
    debate = ParliamentaryDebate("bp", "bp:a", "hash", "A motion", "", 1200, speeches)
    way = adjudicate(Adjudication("bp_all", task=task, house_order=order), 1, debate, "bp_manual")
    return Request(KIND["parliamentary"], debate, way, TEMPLATE, sample, "", {})


def reply(judge: JudgeSpec, file: Path | None, asked: Request) -> Reply:
    return asyncio.run(make_judge(judge, file).ask(asked))


def ruling(judge: JudgeSpec, file: Path, asked: Request) -> Ruling:
    found = reply(judge, file, asked)
    return read_ruling(found.response, asked.way(AskedAdjudication).task, None, found.finish_reason)


def values(found: Ruling, task: str) -> dict[str, float | None]:
    return {place: each.value for (of, place), each in found.values.items() if of == task}


def test_without_noise_and_habits_a_judge_says_what_people_said(tmp_path: Path) -> None:
    found = ruling(spec(tmp_path, noise_sd=0.0), reference(tmp_path), request())
    assert values(found, SPEAKER_SCORES) == OFFICIAL
    assert values(found, HOUSE_RANKS) == {house: BEST_FIRST.index(house) + 1 for house in HOUSES}
    ranks = zip(["pm", "gw", "dpm", "mg", "lo", "dlo", "mo", "ow"], range(1, 9), strict=True)
    assert values(found, SPEAKER_RANKS) == dict(ranks)
    assert found.faults == ()


def by_place(*changes: int) -> dict[str, int]:
    return dict(zip(ROLES, changes, strict=True))


@pytest.mark.parametrize(
    ("settings", "changes"),
    [
        ({"shift": -3.0}, dict.fromkeys(ROLES, -3)),
        ({"opening": 4.0}, by_place(2, 2, 2, 2, -2, -2, -2, -2)),
        ({"government": 4.0}, by_place(2, -2, 2, -2, 2, -2, 2, -2)),
        ({"late": 2.0}, by_place(-7, -5, -3, -1, 1, 3, 5, 7)),
        # 50 words more or fewer than the mean of 150.
        ({"words": 4.0}, {role: 2 if WORDS[role] == 200 else -2 for role in ROLES}),
        # CO is named first and OG last; CG and OO are a third of the way apart.
        ({"named": 6.0}, by_place(-3, -1, -3, -1, 1, 3, 1, 3)),
    ],
)
def test_a_planted_habit_moves_the_scores_by_what_it_says(
    tmp_path: Path, settings: dict[str, float], changes: dict[str, int]
) -> None:
    judge = spec(tmp_path, noise_sd=0.0, **settings)
    found = ruling(judge, reference(tmp_path), request(order="co-cg-oo-og"))
    assert values(found, SPEAKER_SCORES) == {
        role: score + changes[role] for role, score in OFFICIAL.items()
    }


def test_a_flat_judge_stays_near_the_mean_and_scores_stay_on_the_scale(tmp_path: Path) -> None:
    file = reference(tmp_path)
    flat = values(ruling(spec(tmp_path, slope=0.0, noise_sd=0.0), file, request()), SPEAKER_SCORES)
    assert set(flat.values()) == {76}
    high = values(ruling(spec(tmp_path, shift=90.0), file, request()), SPEAKER_SCORES)
    assert set(high.values()) == {100}


def test_a_coherent_judge_never_ranks_speakers_against_its_scores(tmp_path: Path) -> None:
    file = reference(tmp_path)
    told: dict[float, Counter[str]] = {}
    for coherence in (0.0, 1.0):
        judge = spec(tmp_path, coherence=coherence, noise_sd=3.0)
        told[coherence] = Counter(
            fault.fault
            for sample in range(30)
            for fault in ruling(judge, file, request(sample=sample)).faults
        )
    assert told[1.0]["ranks_contradict_scores"] == 0
    assert told[0.0]["ranks_contradict_scores"] > 30
    assert told[0.0]["houses_contradict_scores"] > told[1.0]["houses_contradict_scores"]


@pytest.mark.parametrize("task", ["all", HOUSE_RANKS, SPEAKER_SCORES, SPEAKER_RANKS])
def test_every_damaged_reply_is_known_to_be_damaged(tmp_path: Path, task: str) -> None:
    judge, file = spec(tmp_path, failure_rate=1.0), reference(tmp_path)
    found = [ruling(judge, file, request(task, sample)) for sample in range(60)]
    assert PARSED not in {each.status for each in found}
    kinds = {fault.fault for each in found for fault in each.faults}
    ways = {
        HOUSE_RANKS: {"house_twice", "house_missing"},
        SPEAKER_RANKS: {"speaker_twice", "speaker_missing"},
        SPEAKER_SCORES: {"score_missing", "score_not_a_number", "score_out_of_range"},
    }
    for of, expected in ways.items():
        assert expected <= kinds if task in ("all", of) else not expected & kinds
    assert {"truncated", "empty_response", "missing_section"} <= {
        value.reason for each in found for value in each.values.values()
    }
    assert len(FAILURES) == 8


def test_of_a_damaged_share_about_that_share_is_damaged(tmp_path: Path) -> None:
    judge, file = spec(tmp_path, failure_rate=0.15), reference(tmp_path)
    damaged = sum(
        ruling(judge, file, request(sample=sample)).status != PARSED for sample in range(400)
    )
    # Three standard deviations of 400 draws are 21.
    assert 39 <= damaged <= 81


def test_draws_are_those_of_the_request_alone(tmp_path: Path) -> None:
    file = reference(tmp_path)
    judge = make_judge(spec(tmp_path), file)
    first, second = inference_fixtures.replies(judge, request(), request(sample=1))
    assert first != second
    backwards = inference_fixtures.replies(judge, request(sample=1), request())
    assert backwards == [second, first]
    other = judge.identity(request())
    reference(tmp_path, [("bp:a", "pm", SPEAKER_SCORES, 90.0)])
    assert make_judge(spec(tmp_path), file).identity(request()) != other


def test_what_nobody_scored_is_made_of_what_is_known(tmp_path: Path) -> None:
    quiet = spec(tmp_path, noise_sd=0.0)
    ranks = [
        ("bp:a", house, HOUSE_RANKS, rank)
        for house, rank in zip(("co", "og", "oo", "cg"), (1.0, 2.0, 3.0, 4.0), strict=True)
    ]
    found = ruling(quiet, reference(tmp_path, ranks), request())
    by_house = {"co": 78, "og": 76, "oo": 74, "cg": 72}
    assert values(found, SPEAKER_SCORES) == {role: by_house[HOUSE_OF[role]] for role in ROLES}
    one = reference(tmp_path, [("bp:a", "pm", SPEAKER_SCORES, 82.0)])
    assert set(values(ruling(quiet, one, request()), SPEAKER_SCORES).values()) == {82}
    undecided = reply(quiet, reference(tmp_path, [("bp:b", "pm", SPEAKER_SCORES, 82.0)]), request())
    assert (undecided.response, undecided.error_kind) == (None, "no_reference")
    with pytest.raises(BadItems, match="no parliamentary debates with any"):
        reply(quiet, None, request())


def test_the_rule_ranks_as_they_speak_and_gives_the_average(tmp_path: Path) -> None:
    rule = spec(tmp_path, "rule/speaking-order")
    found = read_ruling(reply(rule, None, request()).response, "all")
    assert values(found, HOUSE_RANKS) == {"og": 1, "oo": 2, "cg": 3, "co": 4}
    assert list(values(found, SPEAKER_RANKS).values()) == list(range(1, 9))
    assert set(values(found, SPEAKER_SCORES).values()) == {75}
    assert {fault.fault for fault in found.faults} == {"houses_tied_on_scores"}
