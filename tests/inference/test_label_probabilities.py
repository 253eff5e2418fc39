import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.labels import label_probabilities


@given(
    seen=st.lists(st.floats(1e-4, 0.4), min_size=1, max_size=2),
    n_unseen=st.integers(1, 3),
    ceiling=st.none() | st.floats(0, 1),
    shares=st.lists(st.floats(0, 1), min_size=3, max_size=3),
)
def test_bounds_hold_for_every_mass_the_unseen_can_have_and_are_reached(
    seen: list[float], n_unseen: int, ceiling: float | None, shares: list[float]
) -> None:
    known = {f"s{at}": p for at, p in enumerate(seen)}
    unknown = [f"u{at}" for at in range(n_unseen)]
    total = sum(seen)
    left = 1 - total
    # An unseen label is no likelier than the least likely one that was reported.
    cap = left if ceiling is None else min(seen) * max(ceiling, 1e-6)
    found = label_probabilities(
        [*known, *unknown],
        {label: math.log(p) for label, p in known.items()},
        None if ceiling is None else math.log(cap),
    )
    most = min(cap, left)

    def shares_of(masses: list[float]) -> dict[str, float]:
        everything = total + sum(masses)
        return {
            **{label: p / everything for label, p in known.items()},
            **{label: mass / everything for label, mass in zip(unknown, masses, strict=True)},
        }

    def fitted(masses: list[float]) -> list[float]:
        over = sum(masses) / left
        return masses if over <= 1 else [mass / over for mass in masses]

    worlds = [
        fitted([most * share for share in shares[:n_unseen]]),
        [0.0] * n_unseen,
        fitted([most] * n_unseen),
        *([most if at == alone else 0.0 for at in range(n_unseen)] for alone in range(n_unseen)),
    ]
    possible = [shares_of(world) for world in worlds]
    for label, bounds in found.items():
        values = [world[label] for world in possible]
        assert min(values) >= bounds.low - 1e-12
        assert max(values) <= bounds.high + 1e-12
        assert min(values) == pytest.approx(bounds.low, abs=1e-9)
        assert max(values) == pytest.approx(bounds.high, abs=1e-9)


def test_a_label_outside_the_top_tokens_is_not_impossible() -> None:
    """A has 0.6; the least likely token reported has 0.1, so B has at most that.

    A: from 0.6 / 0.7 to 0.6 / 0.6. B: from 0 to 0.1 / 0.7.
    """
    found = label_probabilities(["A", "B"], {"A": math.log(0.6)}, math.log(0.1))
    assert found["A"] == (None, pytest.approx(6 / 7), pytest.approx(1))
    assert found["B"] == (None, 0, pytest.approx(1 / 7))


def test_where_every_label_was_seen_they_share_what_they_have() -> None:
    # 0.3 and 0.1 of the model's own probability are 3/4 and 1/4 of the labels'.
    found = label_probabilities(["A", "B"], {"A": math.log(0.3), "B": math.log(0.1)}, None)
    assert found["A"] == tuple([pytest.approx(3 / 4)] * 3)
    assert found["B"] == tuple([pytest.approx(1 / 4)] * 3)


def test_where_no_label_was_seen_nothing_is_said() -> None:
    assert label_probabilities(["A", "B"], {}, -2.0) == {}
    assert label_probabilities(["A", "B"], {"A": -math.inf}, None) == {}
