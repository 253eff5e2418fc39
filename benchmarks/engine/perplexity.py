"""How fast continuations are scored: the context computed once, beside one padded row per pair.

Run `python -m benchmarks.engine.perplexity [--quick] [--device cuda --dtype bfloat16]`. The model
has GPT-2's shape and seeded random weights; tokens and lengths are drawn from a seed and printed.
The other way is the straightforward one: for each context a right-padded batch of context and
continuation, the logits of every token. Both ways take turns, context by context, and must agree.
The limit is what the arithmetic costs at this machine's matrix product rate, measured in between.
Results: `benchmarks/results/`.
"""

import argparse
import json
import statistics
from typing import Any, NamedTuple

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from benchmarks.engine.diversity import SPREAD, Case, Spent, engine, interleaved, timed
from benchmarks.report import write_result
from inference.questions.perplexity import ContinuationScorer

SEED = 20
WINDOW = 1024


class Size(NamedTuple):
    """How many contexts and continuations, and how long they are in the median."""

    contexts: int
    continuations: int
    context_tokens: int
    continuation_tokens: int


MAIN = Size(40, 4, 430, 60)
# Fewer contexts, for the straightforward way takes most of a minute for each of the longest.
GROWTH = (Size(6, 2, 200, 60), Size(6, 8, 430, 60), Size(6, 4, 846, 60), Size(6, 8, 846, 60))


def draw(case: Size, vocabulary: int) -> list[Case]:
    """Return seeded random tokens whose lengths have the case's medians."""
    rng = np.random.default_rng(SEED)

    def lengths(count: int, median: int, most: int) -> np.ndarray:
        drawn = np.exp(rng.normal(0, SPREAD, size=count))
        return np.clip(np.rint(drawn / np.median(drawn) * median).astype(int), 8, most)

    total = case.contexts * case.continuations
    each = lengths(total, case.continuation_tokens, 120).reshape(case.contexts, -1)
    starts = lengths(case.contexts, case.context_tokens, WINDOW - 120)
    return [
        Case(
            rng.integers(vocabulary, size=start).tolist(),
            [rng.integers(vocabulary, size=size).tolist() for size in sizes],
        )
        for start, sizes in zip(starts, each, strict=True)
    ]


def straightforward(model: Any, pairs: Case) -> list[float]:
    """Score one context's continuations as a right-padded batch with full logits."""
    rows = [pairs.answer + text for text in pairs.partial_answers]
    width = max(map(len, rows))
    ids = torch.tensor([row + [0] * (width - len(row)) for row in rows], device=model.device)
    mask = torch.tensor(
        [[1] * len(row) + [0] * (width - len(row)) for row in rows], device=model.device
    )
    logits = model(ids, attention_mask=mask).logits
    loss = torch.nn.functional.cross_entropy(
        logits[:, :-1].reshape(-1, logits.shape[-1]).float(),
        ids[:, 1:].reshape(-1),
        reduction="none",
    ).view(len(rows), -1)
    start = len(pairs.answer)
    return [
        -float(loss[row, start - 1 : start - 1 + len(text)].double().sum())
        for row, text in enumerate(pairs.partial_answers)
    ]


def product_rate(model: Any) -> float:
    """Return floating-point operations per second of matrix products of this model's kind."""
    rows, wide = 512, 3072
    left = torch.randn(rows, 768, device=model.device, dtype=model.dtype)
    right = torch.randn(768, wide, device=model.device, dtype=model.dtype)
    count = 200 if model.device.type == "cuda" else 8

    def multiply() -> None:
        for _ in range(count):
            left @ right

    return count * 2 * rows * 768 * wide / timed(multiply)[0].wall


def operations(model: Any, pairs: Case) -> float:
    """Return the floating-point operations the engine's way cannot do without."""
    config = model.config
    width, layers = config.n_embd, config.n_layer
    start, fed = len(pairs.answer), [len(text) - 1 for text in pairs.partial_answers]
    tokens = start + sum(fed)
    # Queries, keys, values and their output: 4 width^2; the two layers behind them: 8 width^2.
    dense = 2 * 12 * layers * width**2 * tokens
    seen = start * (start + 1) / 2 + sum(n * start + n * (n + 1) / 2 for n in fed)
    scored = 1 + sum(fed)
    return dense + 4 * layers * width * seen + 2 * width * config.vocab_size * scored


def measure(case: Size, model: Any, scorer: ContinuationScorer) -> dict[str, Any]:
    """Time both ways in turn over one case."""
    drawn = draw(case, model.config.vocab_size)
    spent: dict[str, list[Spent]] = {"straightforward": [], "engine": []}
    rates, worst = [], 0.0
    with torch.inference_mode():
        for one in interleaved(("straightforward", straightforward, model), scorer, drawn):
            for name, taken in one.spent.items():
                spent[name].append(taken)
            rates.append(product_rate(model))
            worst = max(worst, one.apart)
    assert model.dtype != torch.float32 or worst < 1e-5, worst
    pair_tokens = sum(len(p.answer) + len(t) for p in drawn for t in p.partial_answers)
    own_tokens = sum(len(p.answer) + sum(map(len, p.partial_answers)) for p in drawn)
    saving = pair_tokens / own_tokens
    pairs = zip(spent["straightforward"], spent["engine"], strict=True)
    ratios = [slow.wall / fast.wall for slow, fast in pairs]
    total = {name: sum(each.wall for each in those) for name, those in spent.items()}
    rate = max(rates)
    limit = sum(operations(model, pairs) for pairs in drawn) / rate
    ratio = total["straightforward"] / total["engine"]
    result = {
        **case._asdict(),
        "context_lengths": " ".join(str(len(p.answer)) for p in drawn),
        "continuation_lengths": " ".join(str(len(t)) for p in drawn for t in p.partial_answers),
        "straightforward_s": round(total["straightforward"], 2),
        "engine_s": round(total["engine"], 2),
        "ratio": round(ratio, 2),
        "ratio_median_of_contexts": round(statistics.median(ratios), 2),
        "token_saving_ratio": round(saving, 2),
        "share_of_token_saving": round(ratio / saving, 2),
        "pair_tokens_per_s": round(pair_tokens / total["engine"]),
        "tokens_through_the_model_per_s": round(own_tokens / total["engine"]),
        "largest_relative_difference": float(f"{worst:.1e}"),
        "matrix_product_gflop_per_s": round(rate / 1e9, 1),
        "limit_s": round(limit, 2),
        "share_of_limit": round(limit / total["engine"], 2),
    }
    print(json.dumps(result), flush=True)
    return result


def make_model(device: str, dtype: str) -> tuple[Any, Any]:
    """Return a model of GPT-2's shape with seeded weights, and a tokenizer of single bytes."""
    torch.manual_seed(SEED)
    model = GPT2LMHeadModel(GPT2Config(n_positions=WINDOW)).eval()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    raw = Tokenizer(models.BPE({letter: n for n, letter in enumerate(alphabet)}, []))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return model.to(device, getattr(torch, dtype)), PreTrainedTokenizerFast(tokenizer_object=raw)


def main() -> None:
    """Measure, print, and write one dated result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--quick", action="store_true", help="a few contexts; writes no result")
    options = parser.parse_args()
    model, tokenizer = make_model(options.device, options.dtype)
    scorer = ContinuationScorer(model, tokenizer)
    assert scorer.is_packing
    cases = [MAIN, *GROWTH]
    if options.quick:
        cases = [case._replace(contexts=2) for case in cases]
    # The first pass allocates memory and starts threads.
    with torch.inference_mode():
        engine(scorer, draw(MAIN, 1000)[0])
    main_case, *growth = [measure(case, model, scorer) for case in cases]
    for case in growth:
        del case["context_lengths"], case["continuation_lengths"]
    found = {
        "torch": f"{torch.__version__}, {options.device}, {options.dtype}, "
        f"{torch.get_num_threads()} threads",
        "model": f"GPT-2's shape, {sum(p.numel() for p in model.parameters()) / 1e6:.0f} M "
        f"parameters; weights, tokens and lengths from seed {SEED}",
        **main_case,
        "growth": growth,
        "limit": "the engine's own multiplications (each context once, logits where scored) at the "
        "best rate of 512 x 768 x 3072 products seen between the contexts",
    }
    if options.quick:
        print(json.dumps(found))
    else:
        write_result("engine_perplexity", found, options.device)


if __name__ == "__main__":
    main()
