"""What does P.D. of the study's size cost: 1,000 answers, each against its 3.7 partial answers?

Answers are as long as the twelve models' were on average (DebateQA paper, Table
2), three to five partial answers each, 3.7 on average; words are drawn from a seed, a token each,
and models of Qwen2's shape have seeded random weights. With a file of real answers (JSON lines with
`generation`) those are scored, over and again until there are 1,000, in the tokens of a vocabulary
trained on them; a partial answer is then a piece of another answer. The other way is the released
program's: a pass for each answer and partial answer, without batches, and the logits of every
token. Both take turns, answer by answer, and must agree to 1e-5 in float32.

The smallest model scores all 1,000 answers, the larger ones the first of them; what all would cost
there is the counted arithmetic over the rate that these few reached. The limit is whichever takes
longer on this machine: the multiplications at its matrix product rate, or reading the weights once
a pass at its memory's; both are measured in between. On a processor all rates are by its own time,
which others who use the machine slow down less than the clock's. On an accelerator larger models
are measured, and the engine alone scores all answers, and two labels behind each, as a judge's
that are scored by log-probability.
"""

import itertools
import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

from inference.questions.perplexity import ContinuationScorer

NEEDS = "the extra of local models, and an hour on a processor"
SEED = 31
ANSWERS = 1000
# Average tokens of each model's answers, as printed.
PUBLISHED_LENGTHS = (434, 432, 412, 395, 381, 255, 252, 218, 199, 169, 141, 72)
# How many of 1,000 questions have so many partial answers: 3.7 on average, as printed.
PARTIAL_ANSWERS = {3: 450, 4: 400, 5: 150}
# Nobody printed how long partial answers are; their prompt asks for 300 words at most.
PARTIAL_ANSWER_TOKENS = 150
# Of lengths around their middle, on the log scale.
SPREAD = 0.3
SHORTEST, LONGEST = 16, 900


class Shape(NamedTuple):
    """A model's size, and on how many answers it is timed, in how many blocks."""

    name: str
    hidden: int
    inner: int
    layers: int
    heads: int
    groups: int
    vocabulary: int
    answers: int
    blocks: int


SHAPES = (
    Shape("tiny", 64, 176, 2, 4, 2, 2048, ANSWERS, 5),
    Shape("mid-size", 384, 2080, 12, 6, 2, 32768, 24, 4),
    Shape("Qwen2-0.5B's shape", 896, 4864, 24, 14, 2, 151936, 4, 4),
)
# Of an accelerator; the vocabularies of GPT-2 (rounded up), Qwen2 and Phi-3.
LARGE_SHAPES = (
    Shape("0.1 B", 768, 2048, 12, 12, 12, 50304, 40, 4),
    Shape("Qwen2-0.5B's shape", 896, 4864, 24, 14, 2, 151936, 40, 4),
    Shape("3.8 B", 3072, 8192, 32, 32, 32, 32064, 20, 4),
)
# Of the vocabulary trained on real answers.
TRAINED_VOCABULARY = 16384
# What a judge's labels are as tokens: one each.
LABELS = ([1], [2])


class Case(NamedTuple):
    """An answer and the partial answers on its question, as tokens."""

    answer: list[int]
    partial_answers: list[list[int]]


def _length(rng: np.random.Generator, middle: float) -> int:
    return int(np.clip(round(middle * np.exp(rng.normal(0, SPREAD))), SHORTEST, LONGEST))


def _counts(rng: np.random.Generator) -> list[int]:
    counts = np.repeat(list(PARTIAL_ANSWERS), list(PARTIAL_ANSWERS.values()))
    return [int(count) for count in rng.permutation(counts)]


def draw(vocabulary: int) -> list[Case]:
    """Return the seeded answers; lengths are the same for every vocabulary."""
    rng = np.random.default_rng(SEED)
    counts = _counts(rng)
    lengths = [
        (
            _length(rng, rng.choice(PUBLISHED_LENGTHS)),
            [_length(rng, PARTIAL_ANSWER_TOKENS) for _ in range(n)],
        )
        for n in counts
    ]
    return [
        Case(
            rng.integers(vocabulary, size=first).tolist(),
            [rng.integers(vocabulary, size=size).tolist() for size in rest],
        )
        for first, rest in lengths
    ]


def real(path: Path, vocabulary: int) -> list[Case]:
    """Return a file's answers as tokens, each against pieces of others.

    Args:
        path: JSON lines with `generation`.
        vocabulary: Tokens of the model; those trained on the answers are no more.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["generation"] for line in lines if line.strip()]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    size = min(vocabulary, TRAINED_VOCABULARY)
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    answers = [each.ids[:LONGEST] for each in tokenizer.encode_batch(texts) if each.ids]
    rng = np.random.default_rng(SEED)

    def piece(but: int) -> list[int]:
        other = answers[(but + rng.integers(1, len(answers))) % len(answers)]
        count = min(_length(rng, PARTIAL_ANSWER_TOKENS), len(other))
        start = rng.integers(len(other) - count + 1)
        return other[start : start + count]

    places = itertools.cycle(range(len(answers)))
    return [
        Case(answers[place], [piece(place) for _ in range(count)])
        for place, count in zip(places, _counts(rng), strict=False)
    ]


def released(model: Any, case: Case) -> list[float]:
    """Score an answer as the released program does: a pass for each pair, all logits of it."""
    sums = []
    for text in case.partial_answers:
        ids = torch.tensor([case.answer + text], device=model.device)
        labels = ids.clone()
        labels[:, : len(case.answer)] = -100
        logits = model(ids, attention_mask=torch.ones_like(ids)).logits
        losses = torch.nn.functional.cross_entropy(
            logits[:, :-1].transpose(1, 2).float(), labels[:, 1:], reduction="none"
        )
        sums.append(-float(losses.double().sum()))
    return sums


def engine(scorer: ContinuationScorer, case: Case) -> list[float]:
    """Score an answer as this project does."""
    scores = scorer.score_tokens(case.answer, case.partial_answers)
    return [score.logprob_sum or float("nan") for score in scores]


def timed(function: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Return the seconds of a call and its result: on a processor those of its own time."""
    if not torch.cuda.is_available():
        began = time.process_time()
        result = function(*arguments)
        return time.process_time() - began, result
    torch.cuda.synchronize()
    began = time.perf_counter()
    result = function(*arguments)
    torch.cuda.synchronize()
    return time.perf_counter() - began, result


def product_rate(model: Any) -> float:
    """Return floating-point operations a second of products with this model's inner layers."""
    is_cuda = model.device.type == "cuda"
    config, rows = model.config, 16384 if is_cuda else 512
    left = torch.randn(rows, config.hidden_size, device=model.device, dtype=model.dtype)
    right = torch.randn(config.hidden_size, config.intermediate_size).to(left)
    operations = 2 * rows * config.hidden_size * config.intermediate_size
    count = max(4, int((2e13 if is_cuda else 2e10) / operations))

    def multiply() -> None:
        for _ in range(count):
            left @ right

    return count * operations / timed(multiply)[0]


def memory_rate(device: torch.device) -> float:
    """Return bytes a second read from memory, of more than a cache holds."""
    read = torch.ones(2**30 if device.type == "cuda" else 2**27, device=device)
    read.sum()
    return read.numel() * read.element_size() / timed(lambda: float(read.sum()))[0]


class Work(NamedTuple):
    """What one way cannot do without: multiplications and additions, and passes."""

    operations: float
    passes: int


def work_of(model: Any, case: Case, *, is_shared: bool) -> Work:
    """Count the work of scoring an answer, its context shared by all pairs or not."""
    config, start = model.config, len(case.answer)
    dense = sum(p.numel() for name, p in model.model.layers.named_parameters() if p.dim() == 2)
    width = config.hidden_size
    sizes = [len(text) for text in case.partial_answers]
    if is_shared:
        fed = [size - 1 for size in sizes]
        tokens, scored = start + sum(fed), 1 + sum(fed)
        seen = start * (start + 1) / 2 + sum(n * start + n * (n + 1) / 2 for n in fed)
    else:
        fed = [start + size for size in sizes]
        tokens = scored = sum(fed)
        seen = sum(n * (n + 1) / 2 for n in fed)
    attended = 4 * config.num_hidden_layers * width * seen
    operations = 2 * dense * tokens + attended + 2 * width * config.vocab_size * scored
    return Work(operations, 1 if is_shared else len(sizes))


class Limits(NamedTuple):
    """Seconds that work takes at least."""

    by_products: float
    by_memory: float


def limits_of(works: Sequence[Work], weights: int, rate: float, read_rate: float) -> Limits:
    """Return the least seconds of some work, by a machine's rates of products and of reading."""
    return Limits(
        sum(work.operations for work in works) / rate,
        sum(work.passes for work in works) * weights / read_rate,
    )


def beside(limits: Limits, seconds: float) -> dict[str, Any]:
    """Return the limits of what took so many seconds, and the share that was reached."""
    by_products, by_memory = limits
    return {
        "limit_by_products_s": round(by_products, 3),
        "limit_by_memory_s": round(by_memory, 3),
        "bound_by": "products" if by_products > by_memory else "memory",
        "share_of_limit": round(max(limits) / seconds, 3),
    }


def make_model(shape: Shape, device: str, dtype: str) -> tuple[Any, ContinuationScorer]:
    """Return a seeded model of Qwen2's architecture, and its scorer."""
    torch.manual_seed(SEED)
    config = Qwen2Config(
        vocab_size=shape.vocabulary,
        hidden_size=shape.hidden,
        intermediate_size=shape.inner,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.groups,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
    )
    # Made where it is used: a processor takes minutes to draw billions of weights.
    with torch.device(device):
        model = Qwen2ForCausalLM(config).eval().to(getattr(torch, dtype))
    raw = Tokenizer(models.WordLevel({"a": 0}, unk_token="a"))
    raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    scorer = ContinuationScorer(model, PreTrainedTokenizerFast(tokenizer_object=raw))
    assert scorer.is_packing
    return model, scorer


class BothWays(NamedTuple):
    """Seconds of another way and the engine over an answer, and how far apart the values were."""

    spent: dict[str, float]
    apart: float


def interleaved(
    other: tuple[str, Callable[..., Any], Any], scorer: ContinuationScorer, cases: Sequence[Case]
) -> Iterator[BothWays]:
    """Score some answers both ways, in turn.

    Args:
        other: The other way: its name, its function, and the model that this takes.
        scorer: The engine's.
        cases: The answers.
    """
    for number, case in enumerate(cases):
        ways = [other, ("engine", engine, scorer)]
        spent, found = {}, {}
        # Whichever goes first finds the caches cold.
        for name, way, owner in ways if number % 2 else ways[::-1]:
            spent[name], found[name] = timed(way, owner, case)
        pairs = zip(found["engine"], found[other[0]], strict=True)
        yield BothWays(spent, max(abs(ours - theirs) / abs(theirs) for ours, theirs in pairs))


def whole(
    scorer: ContinuationScorer,
    model: Any,
    cases: Sequence[Case],
    rate: float,
    read_rate: float,
) -> dict[str, Any]:
    """Return what the engine alone took over all cases, and the share of the limit it reached."""
    works = [work_of(model, case, is_shared=True) for case in cases]
    weights = sum(p.numel() * p.element_size() for p in model.parameters())
    limits = limits_of(works, weights, rate, read_rate)

    def score() -> None:
        for case in cases:
            engine(scorer, case)

    seconds = timed(score)[0]
    return {
        "s": round(seconds, 2),
        "answers_per_s": round(len(cases) / seconds, 1),
        "ms_per_answer": round(1000 * seconds / len(cases), 2),
        **beside(limits, seconds),
    }


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return the least, the middle and the most."""
    named = {"min": min(values), "median": statistics.median(values), "max": max(values)}
    return {name: round(value, 2) for name, value in named.items()}


def both_ways(shape: Shape, device: str, dtype: str, answers: Path | None) -> dict[str, Any]:
    """Time both ways in turn with one model, and work out what all answers would cost."""
    model, scorer = make_model(shape, device, dtype)
    drawn = real(answers, shape.vocabulary) if answers else draw(shape.vocabulary)
    cases = drawn[: shape.answers]
    blocks = [cases[place :: shape.blocks] for place in range(shape.blocks)]
    products, reads, rounds, worst = [], [], [], 0.0
    other = ("released", released, model)
    torch.backends.cuda.enable_cudnn_sdp(False)
    with torch.inference_mode():
        # The first pass allocates memory and starts threads.
        first = Case(drawn[-1].answer[:64], drawn[-1].partial_answers[:2])
        list(interleaved(other, scorer, [first]))
        for block in blocks:
            products += [product_rate(model) for _ in range(3)]
            reads += [memory_rate(model.device) for _ in range(3)]
            both = list(interleaved(other, scorer, block))
            rounds.append({way: sum(each.spent[way] for each in both) for way in both[0].spent})
            worst = max(worst, *(each.apart for each in both))
    assert model.dtype != torch.float32 or worst < 1e-5, worst
    rate, read_rate = max(products), max(reads)
    weights = sum(p.numel() * p.element_size() for p in model.parameters())
    ways = {}
    for name, is_shared in (("released", False), ("engine", True)):
        counted = [work_of(model, case, is_shared=is_shared) for case in drawn]
        done = counted[: shape.answers]
        seconds = sum(each[name] for each in rounds)
        operations = sum(each.operations for each in done)
        limits = limits_of(done, weights, rate, read_rate)
        everything = sum(each.operations for each in counted)
        ways[name] = {
            "s": round(seconds, 2),
            "tera_operations": round(operations / 1e12, 3),
            "giga_operations_per_s": round(operations / seconds / 1e9, 1),
            **beside(limits, seconds),
            "all_answers_tera_operations": round(everything / 1e12, 2),
            "all_answers_extrapolated_s": round(everything / operations * seconds),
        }
    pair_tokens = sum(len(c.answer) + len(text) for c in cases for text in c.partial_answers)
    own_tokens = sum(len(c.answer) + sum(map(len, c.partial_answers)) for c in cases)
    clock = ways["engine"]["s"]
    result = {
        "model": shape.name,
        "million_parameters": round(sum(p.numel() for p in model.parameters()) / 1e6, 1),
        "answers": len(cases),
        "pairs": sum(len(case.partial_answers) for case in cases),
        "answer_tokens": sum(len(case.answer) for case in cases),
        "partial_answer_tokens": own_tokens - sum(len(case.answer) for case in cases),
        "pair_tokens_per_s": round(pair_tokens / clock),
        "tokens_through_the_model_per_s": round(own_tokens / clock),
        "token_saving_ratio": round(pair_tokens / own_tokens, 2),
        "operation_saving_ratio": round(
            ways["released"]["tera_operations"] / ways["engine"]["tera_operations"], 2
        ),
        "ratio_by_block": spread([each["released"] / each["engine"] for each in rounds]),
        "largest_relative_difference": float(f"{worst:.1e}"),
        "product_gflop_per_s": spread([each / 1e9 for each in products]),
        "memory_gb_per_s": spread([each / 1e9 for each in reads]),
        **ways,
    }
    if model.device.type != "cpu":
        judged = [Case(case.answer, list(LABELS)) for case in drawn]
        result["engine_all_answers"] = whole(scorer, model, drawn, rate, read_rate)
        result["engine_all_labels"] = whole(scorer, model, judged, rate, read_rate)
    print(json.dumps(result), flush=True)
    return result


def _name(device: str) -> str:
    return device if device == "cpu" else str(torch.cuda.get_device_name(device))


def measure(
    device: str = "cpu",
    dtype: str = "float32",
    threads: int = 0,
    answers: Path | None = None,
    quick: bool = False,
) -> dict[str, Any]:
    """Measure each shape; with `quick`, a few answers of two."""
    torch.set_num_threads(threads or torch.get_num_threads())
    shapes: Sequence[Shape] = SHAPES if device == "cpu" else LARGE_SHAPES
    if quick:
        shapes = tuple(shape._replace(answers=4, blocks=2) for shape in SHAPES[:2])
    measured = [both_ways(shape, device, dtype, answers) for shape in shapes]
    drawn = real(answers, TRAINED_VOCABULARY) if answers else draw(2)
    return {
        "torch": f"{torch.__version__}, {device}, {dtype}, {torch.get_num_threads()} threads",
        "device": _name(device),
        "texts": "real answers" if answers else "drawn from a seed",
        "all_answers": len(drawn),
        "all_pairs": sum(len(case.partial_answers) for case in drawn),
        "mean_answer_tokens": round(statistics.mean(len(case.answer) for case in drawn), 1),
        "mean_partial_answer_tokens": round(
            statistics.mean(len(text) for case in drawn for text in case.partial_answers), 1
        ),
        "models": measured,
        "extrapolated": "all answers' operations over the operations a second that the timed "
        "answers reached, so processor seconds on a processor; one wording, and each wording more "
        "costs as much again",
        "limit": "the larger of operations over the best product rate and of weights read once a "
        "pass over the best rate of memory; the engine's least is one pass an answer",
        "variant": f"{device}-quick" if quick else device,
    }
