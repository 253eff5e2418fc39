import math
import os
import signal
from pathlib import Path
from typing import Any

import inference_fixtures
import pytest
import tiny_models
from answer_fixtures import POINTS, answer, partial_answers, request, write_questions

from inference.errors import RunInterrupted
from inference.experiments import load_experiment
from inference.journal import read_journal
from inference.judges.base import Reply
from inference.questions.answers import Comparison
from inference.registry import JudgeSpec
from inference.runner import run
from inference.runs.history import own_answers
from tests.late import imported_late

torch = imported_late("torch")
transformers = imported_late("transformers")
perplexity = imported_late("inference.questions.perplexity")

TEXT = "We should ban cars from the inner city. Some say that shops would lose."
PD = Comparison("perspective_diversity")


@pytest.fixture(scope="module")
def causal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.save(
        tmp_path_factory.mktemp("causal") / "tiny",
        tiny_models.model("qwen2", seed=4),
        tiny_models.tokenizer("bytes", chat=True),
    )


def ask(
    judge_spec: JudgeSpec,
    text: str = TEXT,
    wording: str = "pd_none",
    comparison: Comparison = PD,
    points: Any = None,
) -> Reply:
    asked = request(answer(text), comparison, wording, points or partial_answers())
    (reply,) = inference_fixtures.ask(judge_spec, asked, metric=comparison.metric)
    return reply


def released(folder: Path, text: str) -> list[float]:
    """Return what the released program computes: one batch, right padding, the whole text's length.

    The loss of the tokens behind the context is summed, and divided by the number of all tokens of
    context and continuation but the first.
    """
    model, tokenizer = (
        each.from_pretrained(folder)
        for each in (transformers.AutoModelForCausalLM, transformers.AutoTokenizer)
    )
    tokenizer.pad_token = tokenizer.eos_token
    tokenizer.padding_side = "right"
    chat = tokenizer.apply_chat_template([{"role": "user", "content": text}], tokenize=False)
    joined = [f"{chat}{view}. {why}" for view, why in POINTS]
    batch = tokenizer(joined, return_tensors="pt", padding=True)
    labels = batch.input_ids.clone()
    labels[:, : len(tokenizer.encode(chat, add_special_tokens=False))] = -100
    with torch.no_grad():
        logits = model(batch.input_ids, attention_mask=batch.attention_mask).logits
    mask = batch.attention_mask[:, 1:]
    losses = torch.nn.functional.cross_entropy(
        logits[:, :-1].transpose(1, 2), labels[:, 1:], reduction="none"
    )
    return ((losses * mask).sum(dim=1) / mask.sum(dim=1)).exp().tolist()


def test_the_answer_alone_gives_the_released_programs_value(causal: Path) -> None:
    found = ask(tiny_models.spec(causal)).outcome.likelihoods
    ours = [
        math.exp(-(each.logprob_sum or 0) / (each.context_token_count + each.token_count - 1))
        for each in found
        if each.context_token_count is not None and each.token_count is not None
    ]
    assert ours == pytest.approx(released(causal, TEXT), rel=1e-5)
    assert {each.token_count for each in found} != {None}


def test_only_the_points_tokens_count_behind_the_wording_in_the_chat_template(causal: Path) -> None:
    reply = ask(tiny_models.spec(causal), wording="pd_restate")
    tokenizer = tiny_models.tokenizer("bytes", chat=True)
    model = tiny_models.model("qwen2", seed=4)
    context = tokenizer(f"[user]{TEXT} Please restate.[end]")["input_ids"]
    for (view, why), each in zip(POINTS, reply.outcome.likelihoods, strict=True):
        point = tokenizer(f"{view}. {why}")["input_ids"]
        assert (each.context_token_count, each.token_count) == (len(context), len(point))
        by_hand = tiny_models.plain_logprob(model, context, point)
        assert each.logprob_sum == pytest.approx(by_hand, rel=1e-5)
        assert each.value is None
    assert reply.outcome.answer_token_count == len(tokenizer(TEXT)["input_ids"])


def test_without_a_chat_template_the_text_stands_plain(tmp_path: Path) -> None:
    folder = tiny_models.save(
        tmp_path / "plain", tiny_models.model("gpt2"), tiny_models.tokenizer("bytes")
    )
    found = ask(tiny_models.spec(folder)).outcome.likelihoods
    plain = len(tiny_models.tokenizer("bytes")(TEXT)["input_ids"])
    assert {each.context_token_count for each in found} == {plain}
    assert {each.status for each in found} == {"scored"}


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_answer_has_no_score_and_no_perfect_one(causal: Path, text: str) -> None:
    for each in ask(tiny_models.spec(causal), text).outcome.likelihoods:
        assert (each.status, each.logprob_sum, each.value) == ("empty_answer", None, None)


def test_what_is_longer_than_the_window_is_not_cut(causal: Path) -> None:
    found = ask(tiny_models.spec(causal), TEXT * 20).outcome.likelihoods
    assert {(each.status, each.logprob_sum) for each in found} == {("context_overflow", None)}


@pytest.fixture(scope="module")
def translator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(1)
    parts = {"layers": 1, "attention_heads": 2, "ffn_dim": 16}
    sizes: dict[str, Any] = {"d_model": 16, "vocab_size": 400, "max_position_embeddings": 128}
    sizes |= {f"{side}_{name}": n for side in ("encoder", "decoder") for name, n in parts.items()}
    sizes |= {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "init_std": 0.5}
    sizes |= {"decoder_start_token_id": 2, "forced_eos_token_id": None}
    made = transformers.AutoModelForSeq2SeqLM.from_config(
        transformers.AutoConfig.for_model("bart", **sizes)
    ).eval()
    folder = tmp_path_factory.mktemp("bart") / "tiny"
    return tiny_models.save(folder, made, tiny_models.tokenizer("bytes with bos and eos"))


def test_bart_score_is_the_mean_log_probability_of_the_answers_tokens(translator: Path) -> None:
    reply = ask(tiny_models.spec(translator), comparison=Comparison("bart_score"))
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(translator).eval()
    tokenizer = tiny_models.tokenizer("bytes with bos and eos")
    said = tokenizer(TEXT)["input_ids"]
    for point, each in zip(partial_answers(), reply.outcome.likelihoods, strict=True):
        read = torch.tensor([tokenizer(point.text)["input_ids"]])
        # The decoder begins with its start token, and sees what it has said so far.
        with torch.no_grad():
            logits = model(input_ids=read, decoder_input_ids=torch.tensor([[2, *said[:-1]]])).logits
        logprobs = torch.log_softmax(logits[0].double(), dim=-1)
        mean = sum(float(logprobs[place, token]) for place, token in enumerate(said)) / len(said)
        assert each.value == pytest.approx(mean, rel=1e-5)
        assert each.logprob_sum is None


def test_an_answer_longer_than_the_encoder_decoder_is_not_cut(translator: Path) -> None:
    found = (
        ask(
            tiny_models.spec(translator), TEXT * 9, comparison=Comparison("bart_score")
        ).outcome.likelihoods
        or ()
    )
    assert {(each.status, each.value) for each in found} == {("context_overflow", None)}


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tiny_models.model("bert", seed=2, spread=0.5, made_as=transformers.AutoModel)
    tokenizer = tiny_models.tokenizer("bytes with bos and eos")
    return tiny_models.save(tmp_path_factory.mktemp("bert") / "tiny", made, tokenizer)


def test_sem_score_is_the_cosine_of_the_mean_vectors(encoder: Path) -> None:
    same = partial_answers([(TEXT.removesuffix("."), "")])
    (alike, *_) = (
        ask(
            tiny_models.spec(encoder), f"{TEXT} ", comparison=Comparison("sem_score"), points=same
        ).outcome.likelihoods
        or ()
    )
    assert alike.value == pytest.approx(1.0, abs=1e-6)

    model = transformers.AutoModel.from_pretrained(encoder).eval()
    tokenizer = tiny_models.tokenizer("bytes with bos and eos")

    def mean(text: str) -> Any:
        with torch.no_grad():
            states = model(torch.tensor([tokenizer(text)["input_ids"]])).last_hidden_state[0]
        return states.double().mean(dim=0)

    reply = ask(tiny_models.spec(encoder), comparison=Comparison("sem_score"))
    for point, each in zip(partial_answers(), reply.outcome.likelihoods, strict=True):
        one, two = mean(TEXT), mean(point.text)
        assert each.value == pytest.approx(float(one @ two / (one.norm() * two.norm())), rel=1e-5)


def test_a_run_goes_on_with_what_is_missing_when_stopped_and_when_answers_arrive(
    causal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored: list[Any] = []
    whole = perplexity.ContinuationScorer.score

    def counted(scorer: Any, context: Any, continuations: Any) -> Any:
        scored.append(context)
        if len(scored) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return whole(scorer, context, continuations)

    monkeypatch.setattr(perplexity.ContinuationScorer, "score", counted)
    said, journals = ["We should ban cars.", "", "Shops lose."], tmp_path / "journal"
    experiment = load_experiment("perspective-diversity")
    source = write_questions(tmp_path / "items", 2, answers=said)
    with pytest.raises(RunInterrupted):
        run(experiment, tiny_models.spec(causal), [source], journal_root=journals, environ={})
    # Two questions, two answers with a text and two wordings: some of the eight are not scored yet.
    assert 2 <= len(scored) < 8
    first = run(experiment, tiny_models.spec(causal), [source], journal_root=journals, environ={})
    assert (first.status, first.answered + first.already_answered, dict(first.unparsed)) == (
        "complete",
        12,
        {"empty_answer": 4},
    )
    assert first.already_answered > 0
    assert len(scored) == 8
    grown = write_questions(tmp_path / "items", 2, answers=[*said, "The buses are late."])
    second = run(experiment, tiny_models.spec(causal), [grown], journal_root=journals, environ={})
    assert (second.answered, second.reused) == (4, 12)
    assert len(scored) == 12
    lines = list(read_journal(journals / second.run_ids[0] / "responses.jsonl"))
    found = [line for line in lines if line["kind"] == "answer"]
    assert len(own_answers(journals / second.run_ids[0]).answers) == 16
    assert {line["template"] for line in found} == {"pd_restate", "pd_none"}
    (new,) = (
        line
        for line in found
        if line["item_id"].endswith("0@0000000000000003") and line["template"] == "pd_none"
    )
    assert new["metric"] == "perspective_diversity"
    assert [each["status"] for each in new["likelihoods"]] == ["scored"] * 3
    assert all(each["logprob_sum"] < 0 for each in new["likelihoods"])
