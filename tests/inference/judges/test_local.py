import asyncio
import json
import math
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiny_models
from inference_fixtures import ask, replies, speech_request, write_items
from parliamentary_fixtures import request as adjudication

from inference.errors import ModelUnavailable
from inference.experiment import Decoding
from inference.experiments import load_experiment
from inference.judges import make_judge
from inference.judges.base import Reply
from inference.judges.request import Request
from inference.local.models import count_tokens, fingerprint, load_tokenizer, load_window
from inference.parliamentary.items import Adjudication
from inference.providers import REMOTE_CODE
from inference.registry import JudgeSpec
from inference.runner import RunSummary, run
from tests.late import imported_late

torch = imported_late("torch")
transformers = imported_late("transformers")
generation = imported_late("inference.local.generation")

LABELS = ("1", "2", "3", "-1", "10")
PROMPTS = [
    "late",
    "The buses are late, and the people who need them are poor. " * 3,
    "We should ban cars",
    "Some say that shops would lose; the numbers say otherwise. Score:",
    "a",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.save(
        tmp_path_factory.mktemp("model") / "tiny",
        tiny_models.model("llama", seed=3),
        tiny_models.tokenizer("bytes with bos", chat=True),
    )


def request(
    prompt: str = PROMPTS[0], number: int = 0, labels: tuple[str, ...] = (), **decoding: float
) -> Request:
    used = {"temperature": 0.0, "max_tokens": 12, **decoding}
    return speech_request(prompt, number, labels=labels, decoding=used)


def ask_alone(judge_spec: JudgeSpec, *requests: Request) -> list[Reply]:
    return replies(make_judge(judge_spec, None), *requests)


def by_hand(folder: Path, text: str, count: int) -> list[int]:
    """Return the greedy tokens, one full pass a token."""
    made = transformers.AutoModelForCausalLM.from_pretrained(folder)
    ids = transformers.AutoTokenizer.from_pretrained(folder)(text, add_special_tokens=False)[
        "input_ids"
    ]
    start = len(ids)
    with torch.no_grad():
        while len(ids) < start + count:
            ids.append(int(made(torch.tensor([ids])).logits[0, -1].argmax()))
            if ids[-1] == made.config.eos_token_id:
                break
    return ids[start:]


def test_a_greedy_answer_takes_the_likeliest_token_each_time(folder: Path) -> None:
    reply = ask(tiny_models.spec(folder), request("The buses"))[0]
    expected = by_hand(folder, "[user]The buses[end][assistant]", 12)
    tokenizer = load_tokenizer(tiny_models.spec(folder))
    assert reply.response == tokenizer.decode(expected, skip_special_tokens=True)
    assert (reply.error_kind, reply.cost_usd, reply.tokens_out) == (None, 0.0, len(expected))
    assert reply.tokens_in == len(tokenizer("[user]The buses[end][assistant]").input_ids) - 1
    assert reply.tokens_in == count_tokens(tokenizer, tiny_models.spec(folder), "The buses")
    assert reply.finish_reason == "length"
    assert reply.model_version == f"sha256:{fingerprint(folder)[:16]}"


@pytest.mark.parametrize("temperature", [0.0, 0.01, 1.0])
def test_a_mixed_batch_answers_as_single_requests_do(folder: Path, temperature: float) -> None:
    requests = [request(text, n, temperature=temperature) for n, text in enumerate(PROMPTS)]
    together = ask(tiny_models.spec(folder, batch_size=4), *requests)
    alone = ask_alone(tiny_models.spec(folder, batch_size=1), *requests)
    assert [each.response for each in together] == [each.response for each in alone]
    assert [each.tokens_in for each in together] == [each.tokens_in for each in alone]
    assert len({each.response for each in together}) > 1


@pytest.mark.parametrize("family", ["gpt2", "qwen2", "mistral"])
def test_batches_are_right_with_every_kind_of_position(family: str, tmp_path: Path) -> None:
    tiny_models.save(tmp_path, tiny_models.model(family), tiny_models.tokenizer())
    requests = [request(text, n) for n, text in enumerate(PROMPTS)]
    together = ask(tiny_models.spec(tmp_path), *requests)
    alone = ask_alone(tiny_models.spec(tmp_path), *requests)
    assert [each.response for each in together] == [each.response for each in alone]
    assert together[0].response == load_tokenizer(tiny_models.spec(tmp_path)).decode(
        by_hand(tmp_path, PROMPTS[0], 12), skip_special_tokens=True
    )


def test_sampling_repeats_with_its_seed_and_differs_between_seeds_and_samples(folder: Path) -> None:
    first = request(temperature=1.0)
    second = replace(first, sample=1)
    texts = [each.response for each in ask(tiny_models.spec(folder), first, second, first)]
    assert texts[0] == texts[2] != texts[1]
    assert ask(tiny_models.spec(folder, seed=5), first)[0].response != texts[0]


def test_what_is_drawn_follows_the_probabilities_and_top_p() -> None:
    made = tiny_models.model("llama", seed=3, spread=0.1)
    with torch.no_grad():
        probabilities = torch.softmax(made(torch.tensor([[1, 9, 8]])).logits[0, -1], dim=-1)
    top = int(probabilities.argmax())

    def share(count: int, **more: Any) -> float:
        answers = [generation.Answer([1, 9, 8], 1, seed=seed, **more) for seed in range(count)]
        generation.generate(made, answers, [], 256, threading.Event())
        return sum(each.tokens == [top] for each in answers) / count

    assert share(50, temperature=1.0, top_p=1e-6) == 1.0
    expected = float(torch.softmax(probabilities.log() / 0.5, dim=-1)[top])
    # Four standard errors of a share over 2,000 draws.
    assert share(2000, temperature=0.5) == pytest.approx(
        expected, abs=4 * (expected * (1 - expected) / 2000) ** 0.5
    )


def test_an_answer_ends_at_the_end_of_text_and_says_so(tmp_path: Path) -> None:
    made = tiny_models.model("llama", seed=3)
    made.generation_config.eos_token_id = list(range(3, 203))
    tiny_models.save(tmp_path, made, tiny_models.tokenizer())
    found = ask(tiny_models.spec(tmp_path), *(request(text, n) for n, text in enumerate(PROMPTS)))
    ended = [each for each in found if each.finish_reason == "stop"]
    assert ended
    for each in found:
        assert each.tokens_out is not None
        assert (each.finish_reason == "length") == (each.tokens_out == 12) or each in ended


def test_a_prompt_over_the_window_is_refused_with_both_counts(folder: Path) -> None:
    reply = ask(tiny_models.spec(folder), request("late " * 300))[0]
    assert reply.error_kind == "context_overflow"
    assert reply.error is not None
    assert str(reply.tokens_in) in reply.error
    assert "256" in reply.error


def test_an_answer_has_the_room_the_window_leaves_and_says_that_it_was_cut(tmp_path: Path) -> None:
    # Learned positions: a row that went past the window would fail, whatever its neighbours do.
    tiny_models.save(tmp_path, tiny_models.model("gpt2", n_positions=64), tiny_models.tokenizer())
    tokenizer = load_tokenizer(tiny_models.spec(tmp_path))
    texts = ["late " * n for n in (1, 10, 25, 30)]
    requests = [request(text, n, max_tokens=4096) for n, text in enumerate(texts)]
    found = ask(tiny_models.spec(tmp_path), *requests)
    for text, reply in zip(texts, found, strict=True):
        assert reply.error_kind is None
        assert reply.tokens_in == len(tokenizer(text)["input_ids"])
        assert reply.finish_reason == "length"
        assert reply.tokens_in + (reply.tokens_out or 0) == 64
    alone = ask_alone(tiny_models.spec(tmp_path), *requests)
    assert [each.response for each in alone] == [each.response for each in found]


def test_a_ruling_that_may_not_fit_is_not_begun(tmp_path: Path) -> None:
    tiny_models.save(tmp_path, tiny_models.model("gpt2"), tiny_models.tokenizer())
    (tmp_path / "short.txt").write_text("{manual}{speeches}\n=== turn ===\n{speaker}{speech}")
    (tmp_path / "manuals").mkdir()
    (tmp_path / "manuals" / "brief.md").write_text("Be fair.")
    made = adjudication(way=Adjudication("short", manual="brief"), prompts_folder=tmp_path)
    judge_spec = tiny_models.spec(tmp_path)
    tokens = count_tokens(load_tokenizer(judge_spec), judge_spec, made.prompt, made.system)
    room = load_window(judge_spec)
    assert room == 256
    fits = replace(made, decoding={"temperature": 0.0, "max_tokens": room - tokens})
    over = replace(made, decoding={"temperature": 0.0, "max_tokens": room - tokens + 1})
    sent, unsent = ask(judge_spec, fits, over)
    assert (sent.error_kind, sent.tokens_in) == (None, tokens)
    assert (unsent.error_kind, unsent.tokens_in) == ("context_overflow", tokens)
    words = f"has {tokens} tokens and the answer may have {room - tokens + 1}, and the model takes"
    assert words in str(unsent.error)


def test_label_scores_are_those_of_one_plain_pass_per_label(folder: Path) -> None:
    labels = tuple(label for label in LABELS if label != "10")
    judge_spec = tiny_models.spec(folder, mode="label_scoring")
    reply = ask(judge_spec, request("The buses. Score: ", labels=labels))[0]
    tokenizer = load_tokenizer(judge_spec)
    made = tiny_models.model("llama", seed=3)
    text = "[user]The buses. Score: [end][assistant]"
    context = tokenizer(text, add_special_tokens=False)["input_ids"]
    expected = {
        label: tiny_models.plain_logprob(
            made, context, tokenizer(label, add_special_tokens=False)["input_ids"]
        )
        for label in labels
    }
    assert reply.label_logprobs == pytest.approx(expected, rel=1e-5)
    assert reply.response == max(expected, key=lambda label: expected[label])
    assert (reply.answer_format, reply.finish_reason) == ("label_scoring", "stop")
    assert (reply.tokens_in, reply.tokens_out) == (len(context), 0)
    assert len(tokenizer("-1", add_special_tokens=False)["input_ids"]) == 2


def test_a_label_excludes_its_extensions_and_follows_the_prefix(folder: Path) -> None:
    judge_spec = tiny_models.spec(folder, mode="label_scoring", answer_prefix="so ")
    labels = ("1", "10", "100")
    reply = ask(judge_spec, request("The buses.", labels=labels))[0]
    tokenizer = load_tokenizer(judge_spec)
    made = tiny_models.model("llama", seed=3)
    context = tokenizer("[user]The buses.[end][assistant]", add_special_tokens=False)["input_ids"]
    context += tokenizer("so ", add_special_tokens=False)["input_ids"]
    ids = [tokenizer(label, add_special_tokens=False)["input_ids"] for label in labels]
    assert ids[1][: len(ids[0])] == ids[0]
    assert ids[2][: len(ids[1])] == ids[1]
    one, ten, hundred = (math.exp(tiny_models.plain_logprob(made, context, each)) for each in ids)
    assert reply.label_logprobs == pytest.approx(
        {"1": math.log(one - ten), "10": math.log(ten - hundred), "100": math.log(hundred)},
        rel=1e-5,
    )


def test_label_scoring_says_what_it_cannot_score(folder: Path) -> None:
    judge_spec = tiny_models.spec(folder, mode="label_scoring")
    long, none = ask(judge_spec, request("late " * 300, labels=LABELS), request("late"))
    assert long.error_kind == "context_overflow"
    assert none.error_kind == "bad_request"


def test_a_system_prompt_is_a_turn_of_its_own_or_goes_before_the_prompt(folder: Path) -> None:
    with_turns = tiny_models.spec(folder, system_prompt="be brief")
    tokenizer = load_tokenizer(with_turns)
    turns = tokenizer("[system]be brief[end][user]late[end][assistant]", add_special_tokens=False)
    assert count_tokens(tokenizer, with_turns, "late") == len(turns["input_ids"])
    plain = tiny_models.spec(folder, system_prompt="be brief", use_chat_template=False)
    assert count_tokens(tokenizer, plain, "late") == len(tokenizer("be brief\n\nlate")["input_ids"])


def test_the_identity_covers_the_settings_and_needs_no_torch(folder: Path, tmp_path: Path) -> None:
    def identity(where: Path = folder, ask_for: Request | None = None, **settings: Any) -> str:
        judge = make_judge(tiny_models.spec(where, **settings), None)
        return json.dumps(judge.identity(ask_for or request()), sort_keys=True)

    base = identity()
    assert identity() == base
    assert identity(device="cpu") == base
    changed = [
        identity(dtype="bfloat16"),
        identity(quantization="4bit"),
        identity(revision="v2"),
        identity(use_chat_template=False),
        identity(system_prompt="be brief"),
        identity(temperature=0.5),
        identity(seed=2),
        identity(mode="label_scoring"),
        identity(ask_for=request("another")),
        identity(ask_for=request(max_tokens=13)),
    ]
    assert len({base, *changed}) == len(changed) + 1
    other = tiny_models.save(
        tmp_path / "other", tiny_models.model("llama", seed=4), tiny_models.tokenizer()
    )
    before = identity(other)
    (other / "chat_template.jinja").write_text("{{ messages[0].content }}")
    assert identity(other) != before
    code = (
        "import sys, inference.judges, inference.judges.local; "
        "sys.exit('torch' in sys.modules or 'transformers' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def refusal(judge_spec: JudgeSpec) -> str:
    with pytest.raises(ModelUnavailable) as caught:
        ask(judge_spec, request())
    return str(caught.value)


def test_weights_that_are_not_safetensors_are_refused(folder: Path, tmp_path: Path) -> None:
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    torch.save(tiny_models.model("llama", seed=3).state_dict(), tmp_path / "pytorch_model.bin")
    assert "no *.safetensors file (it has pytorch_model.bin)" in refusal(tiny_models.spec(tmp_path))


def test_a_models_own_code_runs_only_with_consent(folder: Path, tmp_path: Path) -> None:
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    config = json.loads((folder / "config.json").read_text())
    config |= {
        "model_type": "homemade",
        "auto_map": {
            "AutoConfig": "homemade.HomemadeConfig",
            "AutoModelForCausalLM": "homemade.HomemadeModel",
        },
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    trace = tmp_path / "it_ran"
    (tmp_path / "homemade.py").write_text(
        f"open({str(trace)!r}, 'w').close()\n"
        "from transformers import LlamaConfig, LlamaForCausalLM\n"
        "class HomemadeConfig(LlamaConfig):\n    model_type = 'homemade'\n"
        "class HomemadeModel(LlamaForCausalLM):\n    config_class = HomemadeConfig\n"
    )
    message = refusal(tiny_models.spec(tmp_path))
    assert "brings code of its own" in message
    assert REMOTE_CODE in message
    assert not trace.exists()
    assert ask(tiny_models.spec(tmp_path, remote_code=REMOTE_CODE), request())[0].error_kind is None
    assert trace.exists()


def test_missing_models_are_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelUnavailable, match="there is no folder"):
        make_judge(tiny_models.spec(str(tmp_path / "nowhere")), None).identity(request())
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    assert "PyTorch sees 0 CUDA devices" in refusal(tiny_models.spec(folder, device="cuda:1"))
    assert "expected auto, cpu, cuda or cuda:N" in refusal(
        tiny_models.spec(folder, device="toaster")
    )
    assert "pip install bitsandbytes accelerate" in refusal(
        tiny_models.spec(folder, quantization="4bit")
    )
    monkeypatch.setitem(sys.modules, "torch", None)
    assert "pip install -c constraints.txt -e '.[local]'" in refusal(tiny_models.spec(folder))


def test_closing_stops_a_long_answer_within_a_token(tmp_path: Path) -> None:
    made = tiny_models.model("llama", max_position_embeddings=100_000)
    made.generation_config.eos_token_id = None
    tiny_models.save(tmp_path, made, tiny_models.tokenizer())

    passes = 0

    def count(module: Any, *_: Any) -> None:
        nonlocal passes
        passes += type(module) is type(made)

    async def run() -> int:
        async with make_judge(tiny_models.spec(tmp_path), None) as judge:
            asking = asyncio.create_task(judge.ask(request(max_tokens=50_000)))
            await asyncio.sleep(0.5)
            assert not asking.done()
            asking.cancel()
            before = passes
        return passes - before

    with torch.nn.modules.module.register_module_forward_hook(count):
        more = asyncio.run(run())
    assert 0 < passes < 50_000
    assert more < 1_000


@pytest.mark.parametrize("mode", ["generate", "label_scoring"])
def test_a_run_with_a_local_judge_is_complete_and_the_next_start_loads_no_model(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tiny_models.model("llama", max_position_embeddings=1024)
    folder = tiny_models.save(tmp_path / "model", made, tiny_models.tokenizer())
    source = write_items(tmp_path, 4, texts=["a", "b b", "c c c", "too long " * 400])
    experiment = replace(load_experiment("speech-score"), decoding=Decoding(max_tokens=6))
    judge_spec = tiny_models.spec(folder, batch_size=2, mode=mode)

    def go() -> RunSummary:
        return run(experiment, judge_spec, [source], journal_root=tmp_path / "journal")

    first = go()
    assert (first.answered, first.errors, first.cost_usd) == (3, {"context_overflow": 1}, 0.0)
    journal = next((tmp_path / "journal").glob("*/responses.jsonl")).read_text()
    answers = [json.loads(line) for line in journal.splitlines() if '"answered"' in line]
    (unsent,) = (json.loads(line) for line in journal.splitlines() if '"context_overflow"' in line)
    assert (unsent["attempts"], unsent["cost_usd"]) == (0, 0.0)
    assert {line["attempts"] for line in answers if "response" in line} == {1}
    if mode == "label_scoring":
        assert all(
            set(line["label_logprobs"]) == set("12345") for line in answers if "labels" in line
        )
        assert not first.unparsed
    monkeypatch.setattr("inference.judges.local.load_model", lambda _: pytest.fail("loaded again"))
    again = go()
    assert (again.answered, again.already_answered) == (0, 3)
