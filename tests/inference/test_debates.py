import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import inference_fixtures
import pytest
from debate_fixtures import SENTINEL, row, turns, write_debates
from inference_fixtures import Stub, answers, completion, judge, lines, without

from inference.debates.variants import Arm
from inference.errors import BadItems, BadTemplate, UnknownExperiment
from inference.experiment import Decoding, Experiment
from inference.experiments import load_experiment
from inference.items import ItemSource
from inference.judges.openai_chat import Chat
from inference.kinds.debates import DebateOptions
from inference.plan import plan_runs
from inference.registry import JudgeSpec, spec_for
from inference.runner import RunSummary
from inference.runs.estimate import FORMAT, Estimate, estimate

WINNER = load_experiment("debate-winner")
EXPLAINED = load_experiment("debate-explained")
ARMS = (Arm("winner_vanilla", "A/B", "pro_first"),)


def model(tmp_path: Path, stub: Stub, **settings: Any) -> JudgeSpec:
    return inference_fixtures.model(tmp_path, stub, max_retries=0, **settings)


def go(
    tmp_path: Path,
    spec: JudgeSpec,
    *sources: ItemSource,
    experiment: Experiment = WINNER,
    **more: Any,
) -> RunSummary:
    return inference_fixtures.go(tmp_path, experiment, spec, *sources, **more)


def own_experiment(tmp_path: Path, text: str) -> Experiment:
    head = 'kind = "debate"\ntemplate = "winner_vanilla"\n'
    return inference_fixtures.own_experiment(tmp_path, head + text)


def test_every_arm_is_asked_of_every_debate_and_says_how(tmp_path: Path) -> None:
    source = write_debates(tmp_path / "items", 6)
    summary = go(tmp_path, judge(tmp_path, "simulated/fair"), source)
    assert (summary.status, summary.requests, summary.answered) == ("complete", 24, 24)
    header, *body, end = lines(tmp_path)
    assert header["item_file"] == "made-up/debates-abc.parquet"
    assert header["sampling"]["debates"] == 6
    assert [arm["verbalizer"] for arm in header["arms"]] == ["A/B", "A/B", "B/A", "B/A"]
    assert "dimension" not in header
    assert end["status"] == "complete"
    arms = Counter((line["verbalizer"], line["position"]) for line in body)
    assert set(arms.values()) == {6}
    assert len(arms) == 4
    for line in body:
        assert (line["pro_label"], line["con_label"]) == tuple(line["verbalizer"].split("/"))
        assert line["position"] == f"{line['first_side']}_first"
        assert (line["outcome"], line["reasoning"]) == ("winner", False)
        assert line["response"] in ("A", "B")
        assert not {"dimension", "scale_min"} & line.keys()
    assert len({line["request_id"] for line in body}) == 24


def test_arms_whose_prompts_come_out_the_same_are_asked_apart(tmp_path: Path, stub: Stub) -> None:
    stub.react = lambda body, number: completion("A")
    source = write_debates(tmp_path / "items", 10)
    mine = own_experiment(
        tmp_path,
        '[variants]\nlabels = ["A/B", "random A/B"]\nposition = ["pro_first", "shuffled"]\n',
    )
    summary = go(tmp_path, model(tmp_path, stub), source, experiment=mine)
    assert (summary.requests, len(stub.bodies)) == (40, 40)
    prompts = Counter(body["messages"][0]["content"] for body in stub.bodies)
    assert max(prompts.values()) > 1
    drawn = [line for line in answers(tmp_path) if line["position"] == "shuffled"]
    assert {line["first_side"] for line in drawn} == {"pro", "con"}
    assert {line["verbalizer"] for line in drawn} == {"A/B", "random A/B"}


def test_no_prompt_holds_anything_of_who_won(tmp_path: Path, stub: Stub) -> None:
    stub.react = lambda body, number: completion("A")
    winners = ["pro", "con"] * 4
    first = write_debates(tmp_path / "a", 8, winners=winners)
    go(tmp_path, model(tmp_path, stub), first)
    seen = sorted(body["messages"][0]["content"] for body in stub.bodies)
    assert all(SENTINEL not in prompt for prompt in seen)
    stub.bodies.clear()
    # Others won, or nobody knows: the same prompts.
    other = write_debates(tmp_path / "b", 8, winners=winners[::-1])
    for source in (other, without(other, "debates_reference")):
        go(tmp_path, model(tmp_path, stub), source, is_fresh=True)
        assert sorted(body["messages"][0]["content"] for body in stub.bodies) == seen
        stub.bodies.clear()


def test_models_and_other_rules_never_open_the_reference(tmp_path: Path, stub: Stub) -> None:
    stub.react = lambda body, number: completion("A")
    source = write_debates(tmp_path / "items", 2)
    assert source.file("debates_reference") is not None
    source.file("debates_reference").write_bytes(b"not for you")
    for spec in (model(tmp_path, stub), judge(tmp_path, "rule/longer-side")):
        assert go(tmp_path, spec, source).status == "complete"
    with pytest.raises(BadItems, match="cannot read"):
        go(tmp_path, judge(tmp_path, "simulated/fair"), source)


def test_replies_are_read_by_the_prompts_rule_and_counted(tmp_path: Path, stub: Stub) -> None:
    said = ["A", "[B].", "A or B", "Neither."]
    stub.react = lambda body, number: completion(said[number % 4])
    source = write_debates(tmp_path / "items", 4)
    summary = go(tmp_path, model(tmp_path, stub, concurrency=1), source)
    assert summary.unparsed == {"both_labels": 4, "not_a_label": 4}
    stub.react = lambda body, number: completion(f"B is weak.\n\n{said[number % 4]}\n")
    summary = go(tmp_path, model(tmp_path, stub, concurrency=1), source, experiment=EXPLAINED)
    assert summary.unparsed == {"both_labels": 2, "not_a_label": 2}
    # Counted the same when they are met again.
    again = go(tmp_path, model(tmp_path, stub), source)
    assert again.unparsed == {"both_labels": 4, "not_a_label": 4}


def test_an_endpoint_is_held_to_the_labels_in_order(tmp_path: Path, stub: Stub) -> None:
    stub.react = lambda body, number: completion('{"reasons": "x", "winner": "B"}')
    source = write_debates(tmp_path / "items", 1)
    spec = model(tmp_path, stub, answer_format="json_schema")
    assert go(tmp_path, spec, source, experiment=EXPLAINED).unparsed == {}
    schemas = [body["response_format"]["json_schema"]["schema"] for body in stub.bodies]
    assert [list(schema["properties"]) for schema in schemas] == [["reasons", "winner"]] * 2
    named = sorted(schema["properties"]["winner"]["enum"] for schema in schemas)
    assert named == [["A", "B"], ["B", "A"]]


@pytest.mark.parametrize("reply", ["B", '{"winner": "B"}', "They differ.\nB"])
def test_label_probabilities_are_the_answers(tmp_path: Path, stub: Stub, reply: str) -> None:
    def react(body: dict[str, Any], number: int) -> Any:
        tokens = [{"token": piece, "logprob": -0.1, "top_logprobs": []} for piece in reply[:-1]]
        if reply.endswith("}"):
            tokens = [{"token": piece, "logprob": -0.1, "top_logprobs": []} for piece in reply]
            place = len(reply) - 3
        else:
            tokens.append({})
            place = len(tokens) - 1
        listed = [{"token": "B", "logprob": -0.2}, {"token": "A", "logprob": -1.8}]
        tokens[place] = {"token": "B", "logprob": -0.2, "top_logprobs": listed}
        status, headers, text = completion(reply)
        content = json.loads(text)
        content["choices"][0]["logprobs"] = {"content": tokens}
        return status, headers, json.dumps(content)

    stub.react = react
    how = {"answer_format": "json_schema"} if reply.startswith("{") else {}
    source, spec = (
        write_debates(tmp_path / "items", 1),
        model(tmp_path, stub, top_logprobs=5, **how),
    )
    go(tmp_path, spec, source, experiment=EXPLAINED if "\n" in reply else WINNER)
    for line in answers(tmp_path):
        assert line["label_logprobs"] == pytest.approx({"B": -0.2, "A": -1.8})
        is_first = line["first_side"] == ("pro" if line["pro_label"] == "A" else "con")
        assert line["labels"] == (["A", "B"] if is_first else ["B", "A"])


def test_hosts_are_left_out_where_the_experiment_says_so(tmp_path: Path, stub: Stub) -> None:
    stub.react = lambda body, number: completion("A")
    host = {**turns()[0], "speech_order": 0, "side": None, "speaker_role": "host"}
    host |= {"text": "Good evening.", "word_count": 2}
    source = write_debates(tmp_path / "items", [row(0, turns=[host, *turns()])])
    spec = model(tmp_path, stub)
    grid = '[variants]\nlabels = ["A/B"]\n'
    for sampling in ("", "[sampling]\nwithout_other_turns = true\n"):
        go(tmp_path, spec, source, experiment=own_experiment(tmp_path, grid + sampling))
    whole, cut = (body["messages"][0]["content"] for body in stub.bodies)
    assert "Good evening." in whole
    assert "Good evening." not in cut


def test_verdicts_are_played_back_from_a_journal_and_from_a_verdict_file(tmp_path: Path) -> None:
    source = write_debates(tmp_path / "items", 6)

    def said(summary: RunSummary) -> dict[Any, str]:
        return {
            (line["item_id"], line["verbalizer"], line["position"]): line["response"]
            for line in answers(tmp_path, summary.run_ids[0])
            if line["status"] == "answered"
        }

    first = go(tmp_path, judge(tmp_path, "simulated/fair"), source)
    file = str(tmp_path / "journal" / first.run_ids[0])
    again = go(tmp_path, judge(tmp_path, "replay/journal", file=file), source)
    assert (again.status, again.errors) == ("complete", {})
    assert said(again) == said(first)
    path = tmp_path / "verdicts.jsonl"
    way = {"pro_label": "A", "con_label": "B", "first_side": "pro", "outcome": "winner"}
    rows = [
        {"item": "made-up:0000", "judge": "x/y", "winner": "con"},
        {"item": "made-up:0001", "judge": "x/y", **way, "response": "B."},
    ]
    path.write_text("\n".join(json.dumps(each) for each in rows))
    played = go(tmp_path, judge(tmp_path, "replay/file", file=str(path)), source)
    assert (played.answered, played.errors) == (5, {"no_recording": 19})
    assert said(played) == {
        ("made-up:0000", "A/B", "pro_first"): "B",
        ("made-up:0000", "A/B", "con_first"): "B",
        ("made-up:0000", "B/A", "pro_first"): "A",
        ("made-up:0000", "B/A", "con_first"): "A",
        ("made-up:0001", "A/B", "pro_first"): "B.",
    }


def test_prompts_and_experiments_must_be_about_the_same_thing(tmp_path: Path) -> None:
    source = write_debates(tmp_path / "items", 2)
    wrong = replace(
        WINNER,
        options=DebateOptions(
            variants=tuple(replace(arm, template="speech_score") for arm in WINNER.arms)
        ),
    )
    with pytest.raises(BadTemplate, match="asks about a debate, and prompt 'speech_score' about a"):
        plan_runs(wrong, judge(tmp_path, "simulated/fair"), [source])
    (tmp_path / "mine.txt").write_text("{debate} {side1} or {side2}, who wins?")
    loser = replace(
        WINNER,
        options=DebateOptions(
            variants=(replace(WINNER.arms[0], template="mine", outcome="loser"),)
        ),
    )
    with pytest.raises(BadTemplate, match=r"no slot \{outcome\}"):
        plan_runs(loser, judge(tmp_path, "simulated/fair"), [source], prompts_folder=tmp_path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[variants]\nlabels = ["A/A"]', "'A/A'; it has equal labels"),
        ('[variants]\nlabels = ["A/"]', "'A/'; it has an empty label"),
        ('[[arms]]\nlabels = "A./B"', "cannot be told"),
        ('[[arms]]\nposition = "shuffled"', r"lacks the key 'arms\[0\].labels'"),
        ('[variants]\nposition = ["pro_first"]', "lacks the key 'variants.labels'"),
        ("[sampling]\nseed = 1", r"neither \[variants\] and \[\[arms\]\]"),
        ('[variants]\nlabels = ["A/B"]\n[[arms]]\nlabels = "A/B"', "both"),
        ('[variants]\nlabels = ["A/B", "A/B"]', "twice"),
        ('[variants]\nlabels = ["A/B"]\nposition = ["first"]', "one of pro_first, con_first"),
        (
            '[variants]\nlabels = ["A/B"]\noutcome = "winner"',
            "outcome is 'winner'; it should be a list",
        ),
        ('dimension = "x"\n[variants]\nlabels = ["A/B"]', "says nothing of a debate"),
        ('[sampling]\nmethod = "even"\n[variants]\nlabels = ["A/B"]', "one of all, balanced"),
        ("[sampling]\nper_cell = {3 = 1}\n[variants]\nlabels = ['A/B']", "the method 'balanced'"),
        (
            '[sampling]\nmethod = "balanced"\nper_cell = {three = 1}\n[variants]\nlabels = ["A/B"]',
            "a table from round counts",
        ),
        ("[sampling]\nmax_words = 0\n[variants]\nlabels = ['A/B']", "1 or more"),
    ],
)
def test_a_wrong_debate_experiment_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UnknownExperiment, match=words):
        own_experiment(tmp_path, text)


def test_variants_are_crossed_and_arms_are_not(tmp_path: Path) -> None:
    grid = own_experiment(
        tmp_path,
        'repeats = 2\n[variants]\nlabels = ["A/B", "1/-1"]\nposition = ["pro_first", '
        '"shuffled"]\noutcome = ["winner", "loser"]\ntemplate = ["winner_vanilla", "winner_eval"]',
    )
    assert len(grid.arms) == len(set(grid.arms)) == 16
    (plan,) = plan_runs(
        grid, judge(tmp_path, "simulated/fair"), [write_debates(tmp_path / "items", 3)]
    )
    assert len(plan.requests) == 3 * 16 * 2
    apart = own_experiment(
        tmp_path, '[[arms]]\nlabels = "A/B"\n[[arms]]\nlabels = "P/C"\nposition = "shuffled"'
    )
    assert [arm.words for arm in apart.arms] == ["A/B, pro_first, winner", "P/C, shuffled, winner"]


def test_a_first_plan_of_one_word_answers_is_mostly_input(tmp_path: Path) -> None:
    source = write_debates(tmp_path / "items", 4)
    prices = {"usd_per_million_tokens_in": 1.0, "usd_per_million_tokens_out": 4.0}
    spec = judge(tmp_path, "openai/priced", **prices)

    def planned(**decoding: Any) -> Estimate:
        asked = Experiment(
            "mine",
            "winner_vanilla",
            options=DebateOptions(variants=ARMS),
            decoding=Decoding(**decoding),
        )
        return estimate(asked, spec, [source], journal_root=tmp_path / "journal")

    short, long = planned(max_tokens=16).variants[0], planned().variants[0]
    assert (short.basis, short.tokens_out) == (FORMAT, 4 * 1.5)
    assert (short.tokens_out_most, long.tokens_out_most) == (4 * 16, 4 * 4096)
    assert short.usd == pytest.approx((short.tokens_in + 4 * 6) / 1e6)
    assert long.usd == short.usd
    assert (long.usd_most or 0) > 20 * (short.usd_most or 0)


def test_the_studys_penalty_and_seed_are_sent_and_are_part_of_what_is_asked(tmp_path: Path) -> None:
    source = write_debates(tmp_path / "items", 1)
    spec = spec_for("openai/any", None, {})
    old = Experiment("a", "winner_vanilla", options=DebateOptions(variants=ARMS))
    ids = []
    for asked in (
        old,
        replace(old, name="b"),
        replace(old, decoding=Decoding(presence_penalty=0.7, answer_seed=1)),
    ):
        (plan,) = plan_runs(asked, spec, [source], environ={"OPENAI_API_KEY": "sk-made-up"})
        ids.append(next(iter(plan.requests)))
        (request,) = plan.requests.values()
    assert ids[0] == ids[1] != ids[2]
    body = Chat(spec, None).body(request)
    assert (body["presence_penalty"], body["seed"]) == (0.7, 1)
