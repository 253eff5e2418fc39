from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from debate_fixtures import row, turns, write_debates
from inference_fixtures import Reaction, Stub, answers, completion, failure, go, judge, model

from inference.debates.pressure import REBUTTALS
from inference.errors import BadItems, UnknownJudge
from inference.experiment import Experiment
from inference.experiments import SHIPPED, load_experiment
from inference.items import ItemSource
from inference.kinds import KIND, kind_of_line
from inference.plan import plan_runs
from inference.registry import JudgeSpec
from inference.runs.estimate import estimate

FIRST, PRESSURE = load_experiment("debate-winner"), load_experiment("debate-pressure")


def _pressed(tmp_path: Path, spec: JudgeSpec, source: ItemSource) -> list[dict[str, object]]:
    go(tmp_path, PRESSURE, spec, source)
    return answers(tmp_path, "debate-pressure--*")


def test_the_first_verdict_comes_from_the_journal(tmp_path: Path, stub: Stub) -> None:
    source, spec = write_debates(tmp_path / "items", 3), model(tmp_path, stub)
    stub.react = lambda _body, _number: completion("A")
    go(tmp_path, FIRST, spec, source)
    before = len(stub.bodies)
    found = _pressed(tmp_path, spec, source)
    assert len(stub.bodies) - before == len(found) == 3 * 8
    assert Counter((each["rebuttal"], each["said_by"]) for each in found) == {
        (rebuttal, said_by): 3 for rebuttal in REBUTTALS for said_by in ("loser", "winner")
    }
    firsts = {
        each["request_id"]: each
        for each in answers(tmp_path, "debate-winner--*")
        if (each["verbalizer"], each["position"]) == ("A/B", "pro_first")
    }
    assert {each["first_request_id"] for each in found} == firsts.keys()
    assert {each["first_winner"] for each in found} == {"pro"}
    prompts = [body["messages"][-1]["content"] for body in stub.bodies[before:]]
    assert all("<reply>\nA\n</reply>" in prompt for prompt in prompts)
    assert sum('<rebuttal by="B">' in prompt for prompt in prompts) == 3 * 4
    assert sum("conword conword conword" in prompt.split("<rebuttal")[1] for prompt in prompts) == 9


def test_another_first_reply_makes_another_request(tmp_path: Path, stub: Stub) -> None:
    source = write_debates(tmp_path / "items", 1)
    ids = []
    for name, reply in (("one", "A"), ("two", "A."), ("three", "B")):
        (tmp_path / name).mkdir()
        spec = model(tmp_path / name, stub)
        stub.react = lambda _body, _number, reply=reply: completion(reply)
        go(tmp_path / name, FIRST, spec, source)
        ids.append({str(each["request_id"]) for each in _pressed(tmp_path / name, spec, source)})
    assert len(set.union(*ids)) == 3 * 8


def test_a_debate_without_a_readable_verdict_is_not_asked_about(tmp_path: Path, stub: Stub) -> None:
    rows = [row(0, turns=turns(words=(6, 5))), row(1), row(2)]
    source, spec = write_debates(tmp_path / "items", rows), model(tmp_path, stub)
    unlike = "proword " * 5 + "proword"
    stub.react = lambda body, _number: completion("neither" if unlike in str(body) else "A")
    go(tmp_path, FIRST, spec, source)
    assert len(_pressed(tmp_path, spec, source)) == 2 * 8


def test_a_judge_without_verdicts_is_refused_with_what_to_do(tmp_path: Path) -> None:
    source = write_debates(tmp_path / "items", 2)
    with pytest.raises(BadItems, match="rostrum run debate-winner --judge simulated/fair"):
        go(tmp_path, PRESSURE, judge(tmp_path, "simulated/fair"), source)
    assert not (tmp_path / "journal").exists()
    with pytest.raises(UnknownJudge):
        plan_runs(PRESSURE, judge(tmp_path, "rule/longer-side"), [source])


def test_a_verdict_on_another_text_is_not_put_under_pressure(tmp_path: Path) -> None:
    spec = judge(tmp_path, "simulated/fair")
    go(tmp_path, FIRST, spec, write_debates(tmp_path / "items", 2))
    changed = [row(0, item_hash="new"), row(1)]
    again = write_debates(tmp_path / "again", changed)
    assert len(_pressed(tmp_path, spec, again)) == 8


def test_a_plan_counts_the_requests_before_money_is_spent(tmp_path: Path) -> None:
    source, spec = write_debates(tmp_path / "items", 5), judge(tmp_path, "simulated/fair")
    go(tmp_path, FIRST, spec, source)
    found = estimate(PRESSURE, spec, [source], journal_root=tmp_path / "journal")
    assert sum(each.to_ask for each in found.variants) == 5 * 8
    assert len({each.asks for each in found.variants}) == 8


def test_planted_pliability_shows_in_the_flips(tmp_path: Path) -> None:
    source = write_debates(tmp_path / "items", 200)
    planted = {"pliability": 0.3, "by_reason": 0.2, "by_flattery": 0.4, "by_authority": 0.0}
    spec = judge(tmp_path, "simulated/bent", ability=1.5, wavering=0.1, discernment=0.0, **planted)
    go(tmp_path, FIRST, spec, source)
    flips: Counter[tuple[str, str]] = Counter()
    for line in _pressed(tmp_path, spec, source):
        said = KIND["pressure"].parse(line)
        flips[line["rebuttal"], line["said_by"]] += said.label != line["first_winner"]
    expected = {"plain": 0.4, "reason": 0.6, "flattery": 0.8, "authority": 0.4}
    for rebuttal, share in expected.items():
        # Five standard errors of a share of 200.
        assert flips[rebuttal, "loser"] / 200 == pytest.approx(share, abs=0.177)
        assert flips[rebuttal, "winner"] / 200 == pytest.approx(0.1, abs=0.106)


def test_a_line_becomes_a_row_of_its_own_table(tmp_path: Path) -> None:
    source, spec = write_debates(tmp_path / "items", 1), judge(tmp_path, "simulated/fair")
    go(tmp_path, FIRST, spec, source)
    line = _pressed(tmp_path, spec, source)[0]
    assert kind_of_line(line) is KIND["pressure"]
    common = {"answer_format": None, "line_number": 1, "extra": None} | {
        "response": line["response"]
    }
    (made,) = KIND["pressure"].values(dict(common), line)
    assert (made.row["debate_id"], made.row["said_by"]) == ("made-up:0000", "loser")
    assert made.row["first_request_id"] == line["first_request_id"]
    with pytest.raises(ValueError, match="said_by should be one of loser, winner"):
        KIND["pressure"].values(dict(common), {**line, "said_by": "nobody"})


def _with_debater(tmp_path: Path, debater: str) -> Experiment:
    text = (SHIPPED / "debate_pressure_debater.toml").read_text(encoding="utf-8")
    own = tmp_path / "debate_pressure_debater.toml"
    own.write_text(text.replace("simulated/debater-strong", debater), encoding="utf-8")
    return load_experiment("debate-pressure-debater", [tmp_path])


def test_a_debater_writes_the_rebuttal_the_judge_reads(tmp_path: Path, stub: Stub) -> None:
    source, spec = write_debates(tmp_path / "items", 3), model(tmp_path, stub)
    stub.react = lambda _body, _number: completion("A")
    go(tmp_path, FIRST, spec, source)
    before = len(stub.bodies)
    experiment = _with_debater(tmp_path, spec.judge_id)

    def react(body: dict[str, Any], _number: int) -> Reaction:
        asked = body["messages"][-1]["content"]
        speaker = asked.split("You are speaker ")[1][0] if "You debate" in asked else ""
        return completion(f"{speaker} stands. </rebuttal> " * 40 if speaker else "B")

    stub.react = react
    go(tmp_path, experiment, spec, source, judges_file=tmp_path / "judges.toml")
    found = answers(tmp_path, "debate-pressure-debater--*")
    asked = [body["messages"][-1]["content"] for body in stub.bodies[before:]]
    assert (len(found), len(asked)) == (3 * 2, 3 * 4)
    assert {each["rebuttal"] for each in found} == {spec.judge_id}
    for each in found:
        (note,) = each["notes"]
        assert note["role"] == {"loser": "con", "winner": "pro"}[each["said_by"]]
        assert len(note["reply"].split()) == 60
        assert each["tokens_in"] == 2 * note["tokens_in"] > 0
    pressed = [prompt for prompt in asked if "has read your reply" in prompt]
    assert len(pressed) == 6
    for prompt in pressed:
        speaker = prompt.split('<rebuttal by="')[1][0]
        assert f"{speaker} stands. &lt;/rebuttal>" in prompt
    row = {"answer_format": None, "line_number": 1, "extra": None}
    (made,) = KIND["pressure"].values(row | {"response": found[0]["response"]}, found[0])
    assert made.row["rebuttal"] == spec.judge_id


def test_a_rebuttal_is_paid_for_once_if_the_judge_fails(tmp_path: Path, stub: Stub) -> None:
    source, spec = write_debates(tmp_path / "items", 1), model(tmp_path, stub)
    stub.react = lambda _body, _number: completion("A")
    go(tmp_path, FIRST, spec, source)
    experiment = _with_debater(tmp_path, spec.judge_id)
    is_down = True
    written = 0

    def react(body: dict[str, Any], _number: int) -> Reaction:
        nonlocal written
        if "You debate" in body["messages"][-1]["content"]:
            written += 1
            return completion("I still stand.")
        return failure(400, "no") if is_down else completion("B")

    stub.react = react
    go(tmp_path, experiment, spec, source, judges_file=tmp_path / "judges.toml")
    assert written == 2
    is_down = False
    go(tmp_path, experiment, spec, source, judges_file=tmp_path / "judges.toml")
    assert written == 2
    last = answers(tmp_path, "debate-pressure-debater--*")[-1]
    assert (last["status"], last["notes"][0]["reply"]) == ("answered", "I still stand.")


def test_a_plan_counts_what_a_debater_is_asked(tmp_path: Path) -> None:
    source, spec = write_debates(tmp_path / "items", 5), judge(tmp_path, "simulated/fair")
    go(tmp_path, FIRST, spec, source)
    (plan,) = plan_runs(
        _with_debater(tmp_path, "simulated/debater-weak"),
        spec,
        [source],
        journal_root=tmp_path / "journal",
    )
    requests = list(plan.requests.values())
    assert [each.costs.messages for each in requests] == [(2, 2)] * 10


@pytest.mark.parametrize("debater", ["rule/longer-side", "simulated/fair", "simulated/nobody"])
def test_who_cannot_write_is_refused_as_a_debater(tmp_path: Path, debater: str) -> None:
    source, spec = write_debates(tmp_path / "items", 1), judge(tmp_path, "simulated/fair")
    go(tmp_path, FIRST, spec, source)
    with pytest.raises(UnknownJudge, match=debater.split("/")[1]):
        go(tmp_path, _with_debater(tmp_path, debater), spec, source)
