from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import inference_fixtures
import pytest
from inference_fixtures import HANG_UP, Stub, answers, completion, go
from parliamentary_fixtures import RULING, debate, request, row, write_parliamentary

from inference.errors import BadSettings
from inference.experiments import load_experiment
from inference.judges.noting import NotingJudge
from inference.judges.openai_chat import Chat
from inference.parliamentary.items import ASKED_TASKS, Adjudication
from inference.parliamentary.prompts import load_manual
from inference.parliamentary.rulings import ruling_schema
from inference.plan import plan_runs
from inference.prices import load_prices
from inference.registry import JudgeSpec, spec_for
from inference.runs.estimate import estimate
from inference.runs.terms import Terms
from inference.tokens import TokenCounter
from warehouse.records.bp import ROLES

ALL = load_experiment("bp-adjudication")
NOTES = load_experiment("bp-notes")


def judge(folder: Path, judge_id: str = "openai/mini", **settings: Any) -> JudgeSpec:
    return inference_fixtures.judge(folder, judge_id, **{"max_retries": 0, **settings})


def prompts(bodies: Sequence[dict[str, Any]]) -> list[str]:
    return [body["messages"][-1]["content"] for body in bodies]


def test_a_debate_is_sent_behind_the_manual(tmp_path: Path, stub: Stub) -> None:
    source = write_parliamentary(tmp_path, [row(motion=None)])
    stub.react = lambda *_: completion(RULING)
    summary = go(tmp_path, ALL, judge(tmp_path, base_url=stub.url), source)
    assert (summary.status, summary.answered, dict(summary.unparsed)) == ("complete", 1, {})
    system, user = stub.bodies[0]["messages"]
    assert load_manual("bp_manual").text in system["content"]
    said = [user["content"].index(f"I, {role}0, speak.") for role in ROLES]
    assert said == sorted(said)
    assert "<motion>" not in user["content"]
    assert stub.bodies[0]["temperature"] == 0.0
    (line,) = answers(tmp_path, summary.run_ids[0])
    about = {"item_id": "made-up:0000", "item_hash": "hash0000", "dataset_id": "made-up"}
    way = {"template": "bp_all", "task": "all", "strategy": "whole", "manual": "bp_manual"}
    way |= dict.fromkeys(("house_order", "named_order"), "og-oo-cg-co")
    shown = {"has_motion": False, "has_info_slide": True, "response": RULING}
    # What the endpoint counted comes before what was estimated.
    counted = {"context_tokens": 100, "is_context_exact": True}
    assert {
        "item_kind": "parliamentary",
        **about,
        **way,
        **shown,
        **counted,
    }.items() <= line.items()
    assert "notes" not in line


def test_an_endpoint_that_counts_nothing_leaves_an_estimate(tmp_path: Path, stub: Stub) -> None:
    source = write_parliamentary(tmp_path, 1)
    stub.react = lambda *_: completion(RULING, usage=None)
    summary = go(tmp_path, ALL, judge(tmp_path, base_url=stub.url), source)
    (line,) = answers(tmp_path, summary.run_ids[0])
    sent = sum(len(each["content"]) for each in stub.bodies[0]["messages"])
    assert line["is_context_exact"] is False
    assert line["context_tokens"] == pytest.approx(sent / 4, abs=20)


def test_a_ruling_that_is_not_whole_is_counted_by_its_reason(tmp_path: Path, stub: Stub) -> None:
    source = write_parliamentary(tmp_path, 2)
    replies = ["I cannot decide.", RULING.replace("Second: OG", "Second: CG")]
    stub.react = lambda _, number: completion(replies[number - 1])
    summary = go(tmp_path, ALL, judge(tmp_path, base_url=stub.url, concurrency=1), source)
    assert (summary.answered, sum(summary.unparsed.values())) == (2, 2)


@pytest.mark.parametrize("task", ASKED_TASKS)
def test_an_endpoint_can_be_held_to_a_ruling(tmp_path: Path, task: str) -> None:
    spec = judge(tmp_path, answer_format="json_schema")
    template = "bp_all" if task == "all" else f"bp_{task}"
    made = request(way=Adjudication(template, task))
    sent = Chat(spec, None).body(made)["response_format"]["json_schema"]["schema"]
    assert sent == ruling_schema(task)
    names = {"house_ranks": "houses", "speaker_scores": "scores", "speaker_ranks": "speakers"}
    wanted = list(names.values()) if task == "all" else [names[task]]
    assert sent["required"] == list(sent["properties"]) == wanted
    if "scores" in wanted:
        assert sent["properties"]["scores"]["required"] == list(ROLES)
    # A choice of labels says nothing of a ruling.
    plain = Chat(judge(tmp_path, answer_format="choice"), None).body(made)
    assert not {"guided_choice", "response_format"} & set(plain)


def exact(tokens: int) -> TokenCounter:
    return TokenCounter(lambda *_: tokens, is_exact=True, method="by hand")


@pytest.mark.parametrize(("tokens", "is_sent"), [(84, True), (85, False)])
def test_a_debate_without_room_is_not_sent(tmp_path: Path, tokens: int, is_sent: bool) -> None:
    terms = Terms.of(judge(tmp_path, context_window=100), None, None, exact(tokens))
    # The answer may have 16.
    made = request()
    unsent = terms.unsent(made, terms.context(made))
    assert (unsent is None) == is_sent
    if unsent is not None:
        assert unsent.error_kind == "context_overflow"
        assert "85 tokens and the answer may have 16" in str(unsent.error)
        assert "window is 100" in str(unsent.error)


def test_an_estimate_refuses_nothing_that_may_fit(tmp_path: Path) -> None:
    counted = TokenCounter(lambda *_: 10**6, is_exact=False, method="by guess")
    terms = Terms.of(judge(tmp_path, context_window=2_000), None, None, counted)
    made = request()
    assert len(made.sent) / 4 > 1_500
    assert terms.unsent(made, terms.context(made)) is None


def test_a_tokenizer_at_hand_counts_what_an_endpoint_is_sent(tmp_path: Path, stub: Stub) -> None:
    pytest.importorskip("transformers")
    import tiny_models

    tokenizer = tiny_models.tokenizer("bytes", chat=True)
    tokenizer.save_pretrained(tmp_path / "its")
    source = write_parliamentary(tmp_path, 2)
    stub.react = lambda *_: completion(RULING)
    settings = {"base_url": stub.url, "tokenizer": str(tmp_path / "its"), "system_prompt": "Be."}
    first = answers(tmp_path, go(tmp_path, ALL, judge(tmp_path, **settings), source).run_ids[0])
    counts = {}
    for body in stub.bodies:
        said = tokenizer.apply_chat_template(
            body["messages"], add_generation_prompt=True, tokenize=False
        )
        counts[body["messages"][1]["content"]] = len(tokenizer(said)["input_ids"])
    assert sorted(line["context_tokens"] for line in first) == sorted(counts.values())
    assert all(line["is_context_exact"] for line in first)
    # One more token than there is room for, and nothing is sent.
    window = min(counts.values()) + 1024 - 1
    spec = judge(tmp_path, "openai/small", context_window=window, **settings)
    plan = estimate(ALL, spec, [source], journal_root=tmp_path / "none", prompts_folder=tmp_path)
    (lengths,) = plan.debates
    assert (lengths.tokens, lengths.is_exact) == (tuple(sorted(counts.values())), True)
    assert (lengths.overflowing, lengths.window) == (2, window)
    assert plan.variants[0].overflowing == 2
    sent = len(stub.bodies)
    summary = go(tmp_path, ALL, spec, source)
    assert (dict(summary.errors), len(stub.bodies)) == ({"context_overflow": 2}, sent)
    (line, _) = answers(tmp_path, summary.run_ids[0])
    assert (line["status"], line["cost_usd"]) == ("error", 0.0)
    assert line["context_tokens"] in counts.values()


def test_a_plan_estimates_the_length_of_each_debate_once(tmp_path: Path) -> None:
    long = row(1)
    long["speeches"][0]["text"] = "word " * 4_000
    source = write_parliamentary(tmp_path, [row(), long, row(2)])
    spec = judge(tmp_path, context_window=2_500)
    plan = estimate(
        load_experiment("bp-tasks"), spec, [source], journal_root=tmp_path, prompts_folder=tmp_path
    )
    (lengths,) = plan.debates
    assert (len(lengths.tokens), lengths.is_exact, lengths.overflowing) == (3, False, 1)
    # 20,000 characters more, and four characters a token.
    assert lengths.tokens[-1] - lengths.tokens[0] == pytest.approx(5_000, abs=10)
    assert sum(each.overflowing for each in plan.variants) == 3


def noting(body: dict[str, Any], failing: str = "") -> Any:
    said = body["messages"][-1]["content"]
    if "Take your notes" not in said:
        return completion(RULING)
    role = next(role for role in ROLES if f"I, {role}0, speak." in said)
    return HANG_UP if role == failing else completion(f"The {role} did well.</notes>")


def test_a_ruling_from_notes_reads_each_speech_once(tmp_path: Path, stub: Stub) -> None:
    source = write_parliamentary(tmp_path, 1)
    stub.react = lambda body, _: noting(body)
    prices: dict[str, Any] = {"usd_per_million_tokens_in": 1.0, "usd_per_million_tokens_out": 2.0}
    spec = judge(tmp_path, base_url=stub.url, answer_format="json_schema", **prices)
    summary = go(tmp_path, NOTES, spec, source)
    assert (summary.answered, len(stub.bodies)) == (1, 9)
    *steps, ruling = prompts(stub.bodies)
    for role, step in zip(ROLES, steps, strict=True):
        assert f"I, {role}0, speak." in step
        assert sum(f"I, {other}0, speak." in step for other in ROLES) == 1
    assert ", speak." not in ruling
    notes = [ruling.index(f"The {role} did well.&lt;/notes>") for role in ROLES]
    assert notes == sorted(notes)
    # Notes have no form to be held to, and everything begins with the manual.
    assert [("response_format" in body) for body in stub.bodies] == [False] * 8 + [True]
    assert len({body["messages"][0]["content"] for body in stub.bodies}) == 1
    (line,) = answers(tmp_path, summary.run_ids[0])
    assert (line["strategy"], line["template"], line["response"]) == ("notes", "bp_notes", RULING)
    assert [each["role"] for each in line["notes"]] == list(ROLES)
    assert line["notes"][0]["reply"] == "The pm did well.</notes>"
    # A note that was cut shows as such.
    assert line["notes"][0]["finish_reason"] == "stop"
    assert (line["tokens_in"], line["tokens_out"]) == (900, 45)
    assert line["cost_usd"] == pytest.approx((900 * 1.0 + 45 * 2.0) / 1e6)
    # No prompt holds the whole debate.
    assert "context_tokens" not in line


def test_a_late_failure_does_not_pay_for_notes_twice(tmp_path: Path, stub: Stub) -> None:
    source = write_parliamentary(tmp_path, 1)
    prices: dict[str, Any] = {"usd_per_million_tokens_in": 1.0, "usd_per_million_tokens_out": 0.0}
    spec = judge(tmp_path, base_url=stub.url, **prices)
    stub.react = lambda body, _: noting(body, failing="mo")
    first = go(tmp_path, NOTES, spec, source)
    assert (dict(first.errors), len(stub.bodies)) == ({"connection": 1}, 6)
    (failed,) = answers(tmp_path, first.run_ids[0])
    assert [each["role"] for each in failed["notes"]] == list(ROLES[:5])
    stub.react = lambda body, _: noting(body)
    second = go(tmp_path, NOTES, spec, source)
    assert (second.status, len(stub.bodies)) == ("complete", 6 + 4)
    line = answers(tmp_path, second.run_ids[0])[-1]
    assert [each["role"] for each in line["notes"]] == list(ROLES)
    assert all(f"The {role} did well." in prompts(stub.bodies)[-1] for role in ROLES)
    # Each reply is counted in one line: five notes in the first, four replies in the second.
    assert (failed["tokens_in"], line["tokens_in"]) == (500, 400)


@pytest.mark.parametrize(
    ("text", "reason", "kind"),
    [(" ", "stop", "empty_choices"), ("I will not.", "content_filter", "filtered")],
)
def test_a_note_that_is_none_is_a_failure_and_not_a_speech_without_merit(
    tmp_path: Path, stub: Stub, text: str, reason: str, kind: str
) -> None:
    source = write_parliamentary(tmp_path, 1)
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": reason, "message": message}
    stub.react = lambda *_: completion(choices=[choice])
    summary = go(tmp_path, NOTES, judge(tmp_path, base_url=stub.url), source)
    assert (dict(summary.errors), len(stub.bodies)) == ({kind: 1}, 1)


def test_notes_are_refused_to_a_batch_and_spared_to_who_reads_no_prompt(tmp_path: Path) -> None:
    source = write_parliamentary(tmp_path, 1)
    with pytest.raises(BadSettings, match="take notes before they rule, and 'batch/mini' sends"):
        plan_runs(NOTES, spec_for("batch/mini", None, {}), [source])
    (plan,) = plan_runs(NOTES, spec_for("openai/mini", None, {}), [source])
    assert isinstance(plan.judge, NotingJudge)
    recorded = tmp_path / "responses.jsonl"
    recorded.write_text("{}")
    played = inference_fixtures.judge(tmp_path, "replay/x", file=str(recorded))
    (plan,) = plan_runs(NOTES, played, [source])
    assert not isinstance(plan.judge, NotingJudge)


def test_other_notes_are_other_requests(tmp_path: Path) -> None:
    source = write_parliamentary(tmp_path, 1)
    spec = spec_for("openai/mini", None, {})

    def ids() -> set[str]:
        (plan,) = plan_runs(NOTES, spec, [source], prompts_folder=tmp_path)
        return {plan.run_id, *plan.requests}

    first = ids()
    (tmp_path / "bp_note.txt").write_text("{motion} {info_slide} {speaker} {speech} Be brief.")
    assert not first & ids()
    way = Adjudication("bp_notes", strategy="notes")
    other = debate(speeches=tuple(replace(each, text="Else.") for each in debate().speeches))
    assert request(debate(), way).note_prompts != request(other, way).note_prompts


def test_a_budget_covers_the_notes(tmp_path: Path, stub: Stub) -> None:
    prices: dict[str, Any] = {"usd_per_million_tokens_in": 1.0, "usd_per_million_tokens_out": 10.0}
    spec = judge(tmp_path, base_url=stub.url, max_tokens=5, **prices)
    made = request(way=Adjudication("bp_notes", strategy="notes"))
    terms = Terms.of(spec, load_prices().price_for(spec), 1.0)
    # Nine replies of five tokens; eight notes that are read again; nine prompts of a byte a token.
    sent = len(made.sent) + sum(len(f"{made.system}{step}") for step in made.note_prompts)
    least = (sent + 8 * 5) * 1e-6 + 9 * 5 * 1e-5
    assert least <= terms.most_usd(made) <= least * 1.05
    source = write_parliamentary(tmp_path, 1)
    stub.react = lambda body, _: noting(body)
    short = go(tmp_path, NOTES, spec, source, budget_usd=least / 2)
    assert (short.status, len(stub.bodies)) == ("over_budget", 0)
