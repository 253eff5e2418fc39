"""How long the ratings of a field of debaters take with their intervals, beside loops with choix.

The usual way fits strengths to a list of who beat whom, anew for each resample of questions, and
knows no terms; its time for all resamples is extrapolated from a few. Both give the same strengths
where terms are left out. The limit is reading: a row has 40 bytes and is read some ten times by
each of the three or four steps that a fit takes from where the last one ended.
"""

import time

import choix
import numpy as np

from benchmarks.report import asked_for, write_result
from warehouse.fits.debaters import REPLICATES, Field, rated
from warehouse.fits.ratings import POINTS, Games, fit

_ORDERS = 2


def made_up(debaters: int, questions: int, rounds: int) -> Field:
    """Make up rounds in which one half meets the other, both sides of each question.

    Args:
        debaters: An even number.
        questions: Debated by each pair, each from both sides and judged in both orders.
        rounds: In each of them everybody meets somebody else.
    """
    generator = np.random.default_rng(11)
    strength = np.sort(generator.normal(0, 0.8, debaters))
    # Round by round the half of the field that stays seated meets the half that moves on.
    half = debaters // 2
    pairs = [(one, half + (one + number) % half) for number in range(rounds) for one in range(half)]
    place, question, side, order = (
        axis.ravel()
        for axis in np.meshgrid(
            np.arange(len(pairs)), np.arange(questions), [0, 1], [1.0, -1.0], indexing="ij"
        )
    )
    both = np.array(pairs)[place]
    first, second = both[np.arange(len(both)), side], both[np.arange(len(both)), 1 - side]
    right = (question % 2).astype(float)
    length = generator.normal(0, 0.3, len(first))
    logit = strength[first] - strength[second] + 0.2 * order + 0.3 * length + 0.4 * (1 - 2 * right)
    share = (generator.random(len(first)) < 1 / (1 + np.exp(-logit))).astype(float)
    return Field(
        tuple(f"made-up/{number:02}" for number in range(debaters)),
        first,
        second,
        share,
        np.full(len(first), 1 / _ORDERS),
        right,
        question,
        np.ones(len(first), dtype=bool),
        order,
        length,
        5,
        20250611,
    )


def games_of(field: Field, *, with_terms: bool) -> Games:
    """Return the games of a field, with all three terms or none."""
    terms = np.column_stack([field.shown_first, field.double_length, 1 - 2 * field.right])
    if not with_terms:
        terms = terms[:, :0]
    return Games(field.first, field.second, field.share, field.weight, terms, len(field.names))


def usual(field: Field, counts: np.ndarray) -> np.ndarray:
    """Fit strengths to a list of winners and losers, a resample as a longer or shorter list."""
    data = []
    for row, drawn in enumerate(counts[field.story]):
        one, other = int(field.first[row]), int(field.second[row])
        data += [(one, other) if field.share[row] > 0.5 else (other, one)] * int(drawn)
    found = choix.opt_pairwise(len(field.names), data, alpha=0)
    return np.asarray(found - found.mean())


def main() -> None:
    """Measure both ways, check that they agree, and write the result."""
    asked = asked_for(
        __doc__.splitlines()[0], debaters=30, questions=400, rounds=5, usual_replicates=1
    )
    field = made_up(asked.debaters, asked.questions, asked.rounds)
    counts = field.resamples()
    started = time.process_time()
    found = rated(games_of(field, with_terms=True), field.story, counts)
    fitted_s = time.process_time() - started
    started = time.process_time()
    expected = [usual(field, one) for one in counts[: asked.usual_replicates]]
    usual_s = (time.process_time() - started) / asked.usual_replicates
    bare = games_of(field, with_terms=False)
    apart = 0.0
    for drawn, strengths in zip(counts, expected, strict=False):
        resampled = Games(
            bare.first,
            bare.second,
            bare.share,
            bare.weight * drawn[field.story],
            bare.terms,
            bare.size,
        )
        apart = max(apart, float(np.abs(POINTS * (fit(resampled).values - strengths)).max()))
    if apart > 0.5:
        message = f"ratings: both ways must agree, they are {apart} points apart"
        raise ValueError(message)
    widths = np.nanquantile(found.replicates, [0.025, 0.975], axis=0)[:, : asked.debaters]
    write_result(
        "oversight_ratings",
        {
            "debaters": asked.debaters,
            "questions": asked.questions,
            "rounds": asked.rounds,
            "judgements": len(field.first),
            "replicates": REPLICATES,
            "processor_s": round(fitted_s, 1),
            "interval_points": round(float((widths[1] - widths[0]).mean()), 1),
            "usual_replicates": asked.usual_replicates,
            "usual_s_each": round(usual_s, 1),
            "usual_extrapolated_s": round(usual_s * (REPLICATES + 1), 1),
            "usual_extrapolated_over_ours": round(usual_s * (REPLICATES + 1) / fitted_s, 1),
            "apart_points": round(apart, 3),
        },
    )


if __name__ == "__main__":
    main()
