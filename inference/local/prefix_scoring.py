"""Log-probabilities of several continuations of one context, the context computed once.

The continuations go through the model side by side in one sequence: each token sees the context and
its own continuation, by a block mask, at the position it would have alone. Where all of it is short
the context goes through in the same pass; else before them, and its keys and values are kept. A
continuation's last token is predicted only, so it goes through nothing; logits are made only where
a token is scored.

Not every model can be asked this way: some ignore such a mask, some have no positions to give, some
carry a state from token to token. `fits_packing` tries it out on the model at hand. The others, and
lengths at which attention or positions change their meaning, take `score_alone`: one plain pass per
continuation, the logits of the scored tokens only.
"""

import inspect
from collections.abc import Sequence
from typing import Any

import torch

# Float32 is compared to its rounding, with room; the others round so coarsely that only a gross
# error, such as wrong positions, shows. What passes between continuations is checked exactly.
_TOLERANCE = {torch.float32: 1e-3, torch.float64: 1e-6}
_COARSE_TOLERANCE = 0.1
# Tokens up to which the context goes through together with its continuations. One pass has half the
# fixed cost of two, but its mask covers the context too. Processor time, context x continuations of
# 60 tokens, GPT-2's size: one pass 1.00 s and two 1.12 s at 200 x 3, equal at 430 x 4; two passes
# won by the clock at 846 x 8, 2.3 s to 2.8 s (November 2026).
_AT_ONCE = 768
# Long enough that a wrong position or mask shows in every continuation.
_TRIAL_CONTEXT, _TRIAL_CONTINUATIONS = 12, (5, 7, 4)


def score_packed(
    model: Any, context: Sequence[int], groups: Sequence[Sequence[Sequence[int]]]
) -> list[list[Any]]:
    """Return the log-probability of every token of every continuation, group by group.

    Args:
        model: A causal language model that `fits_packing`.
        groups: Continuations of at least one token; each group goes through the model at once.
    """
    if len(groups) == 1 and len(context) + sum(map(len, groups[0])) <= _AT_ONCE:
        return [_score_at_once(model, context, groups[0])]
    from transformers import DynamicCache

    # Without a configuration the cache keeps everything: a mask decides what is seen, no window.
    cache = DynamicCache()
    ids = torch.tensor([list(context)], device=model.device)
    first = _logits(
        model,
        1,
        input_ids=ids,
        past_key_values=cache,
        use_cache=True,
        position_ids=torch.arange(len(context), device=model.device)[None],
    )
    return [_score_group(model, cache, len(context), first, group) for group in groups]


def _score_at_once(model: Any, context: Sequence[int], group: Sequence[Sequence[int]]) -> list[Any]:
    start, fed = len(context), [len(each) - 1 for each in group]
    tokens = [*context, *(token for each in group for token in each[:-1])]
    logits = _logits(
        model,
        sum(fed) + 1,
        input_ids=torch.tensor([tokens], device=model.device),
        position_ids=torch.cat([torch.arange(start), _positions(start, fed)])[None].to(
            model.device
        ),
        attention_mask=block_mask(start, fed, model.dtype, model.device, with_context=True),
        use_cache=False,
    )
    return _gathered(logits, group)


def _score_group(
    model: Any, cache: Any, start: int, first: Any, group: Sequence[Sequence[int]]
) -> list[Any]:
    fed = [len(each) - 1 for each in group]
    total = sum(fed)
    if not total:
        return _gathered(first, group)
    rest = _logits(
        model,
        total,
        input_ids=torch.tensor([[t for each in group for t in each[:-1]]], device=model.device),
        position_ids=_positions(start, fed)[None].to(model.device),
        attention_mask=block_mask(start, fed, model.dtype, model.device),
        past_key_values=cache,
        use_cache=True,
    )
    cache.crop(-total)
    return _gathered(torch.cat([first, rest]), group)


def _positions(start: int, lengths: Sequence[int]) -> Any:
    return torch.cat([torch.arange(start, start + count) for count in lengths])


def _gathered(logits: Any, group: Sequence[Sequence[int]]) -> list[Any]:
    """Return each token's log-probability."""
    rows: list[int] = []
    at = 1
    for each in group:
        rows += [0, *range(at, at + len(each) - 1)]
        at += len(each) - 1
    index = torch.tensor(rows, device=logits.device)
    tokens = torch.tensor([token for each in group for token in each], device=logits.device)
    # One normaliser per position, gathered: the continuations share their first position.
    found = logits[index, tokens] - torch.logsumexp(logits, dim=-1)[index]
    return list(found.cpu().split([len(each) for each in group]))


def score_alone(model: Any, context: Sequence[int], continuation: Sequence[int]) -> Any:
    """Return the log-probability of every token of one continuation, by one plain pass."""
    ids = torch.tensor([[*context, *continuation]], device=model.device)
    # Padding, masks and caches: none of it, so that nothing can differ.
    logits = _logits(model, len(continuation) + 1, input_ids=ids, use_cache=False)[:-1]
    tokens = ids[0, -len(continuation) :]
    return (logits.gather(-1, tokens[:, None])[:, 0] - torch.logsumexp(logits, dim=-1)).cpu()


def block_mask(
    start: int,
    lengths: Sequence[int],
    dtype: Any,
    device: Any = None,
    *,
    with_context: bool = False,
) -> Any:
    """Return the mask added to attention scores: 0 where a token may look, else the minimum.

    Args:
        start: Tokens of the context, which every continuation's token sees.
        lengths: Tokens of each continuation; each sees itself up to the token.
        device: Where it is made, so that it need not be sent there; the processor unless given.
        with_context: Whether the context's tokens look, too, rather than being looked at only.
    """
    # The context is owner 0 of its tokens, and everybody's.
    owners = torch.repeat_interleave(
        torch.arange(len(lengths) + 1, device=device),
        torch.tensor([start, *lengths], device=device),
        output_size=start + sum(lengths),
    )
    place = torch.arange(len(owners), device=device)
    looking = slice(0 if with_context else start, None)
    shared = (owners == 0)[None] | (owners[looking, None] == owners[None])
    seen = shared & (place[None] <= place[looking, None])
    mask = torch.zeros(seen.shape, dtype=dtype, device=device).masked_fill_(
        ~seen, torch.finfo(dtype).min
    )
    return mask[None, None]


def packing_limit(config: Any) -> int | None:
    """Return up to how many tokens, context and continuation together, packing is exact.

    A sliding window or chunk of attention sees what full attention sees while everything fits in
    it. Rotary embeddings of the dynamic kinds change with the length once it passes the one they
    were trained on, and a pack has another length than its parts. None: no such limit.
    """
    text = config.get_text_config(decoder=True) if hasattr(config, "get_text_config") else config
    limits = [getattr(text, name, None) for name in ("sliding_window", "attention_chunk_size")]
    scaling = getattr(text, "rope_parameters", None) or getattr(text, "rope_scaling", None) or {}
    kinds = [scaling, *(each for each in scaling.values() if isinstance(each, dict))]
    limits += [
        rope.get("original_max_position_embeddings")
        or getattr(text, "original_max_position_embeddings", None)
        or getattr(text, "max_position_embeddings", None)
        for rope in kinds
        if rope.get("rope_type", rope.get("type")) in ("dynamic", "longrope")
    ]
    known = [int(limit) for limit in limits if limit]
    return min(known) if known else None


def fits_packing(model: Any) -> bool:
    """Return whether packed continuations come out as they do alone, tried out on made-up tokens.

    Two things must hold: what stands in one continuation changes nothing, to the last bit, in the
    others; and every value is that of the plain pass, within what rounding explains.
    """
    if "position_ids" not in inspect.signature(model.forward).parameters:
        return False
    generator = torch.Generator().manual_seed(7)
    size = model.get_input_embeddings().weight.shape[0]

    def draw(count: int) -> list[int]:
        return torch.randint(size, (count,), generator=generator).tolist()  # type: ignore[no-any-return]

    context = draw(_TRIAL_CONTEXT)
    texts = [draw(count) for count in _TRIAL_CONTINUATIONS]
    others = [draw(_TRIAL_CONTINUATIONS[0]), *texts[1:]]
    with torch.inference_mode():
        try:
            # One group goes through at once, two use the cache.
            found = [score_packed(model, context, [texts, texts][:ways])[0] for ways in (1, 2)]
            changed = [score_packed(model, context, [others, texts][:ways])[0] for ways in (1, 2)]
        # Whatever a model makes of a mask it does not know, it is asked the plain way.
        except Exception:
            return False
        alone = [score_alone(model, context, text) for text in texts]
    tolerance = _TOLERANCE.get(model.dtype, _COARSE_TOLERANCE)
    return all(
        all(
            torch.allclose(each, expected, rtol=tolerance, atol=tolerance)
            for each, expected in zip(packed, alone, strict=True)
        )
        and all(map(torch.equal, packed[1:], other[1:]))
        for packed, other in zip(found, changed, strict=True)
    )


def _logits(model: Any, count: int, **inputs: Any) -> Any:
    """Return the logits of the last so many positions, in float32."""
    can_keep = "logits_to_keep" in inspect.signature(model.forward).parameters
    keep = {"logits_to_keep": count} if can_keep else {}
    return model(**inputs, **keep).logits[0, -count:].float()
