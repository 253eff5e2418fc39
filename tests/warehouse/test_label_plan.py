"""How many labels a mean needs, by hand and beside the variance it is about."""

import math

import pytest

from warehouse.power import half_width, labels_needed


def test_people_alone_need_the_textbook_number() -> None:
    # (1.96 * 0.5 / 0.03)^2 = 1067.1.
    assert labels_needed(0.03, math.inf, 0.5, 0.0) == 1068


def test_a_judge_with_endless_items_takes_off_the_square_of_its_correlation() -> None:
    # 1067.07 * (1 - 0.6^2) = 682.9.
    assert labels_needed(0.03, math.inf, 0.5, 0.6) == 683


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.9, -0.9])
def test_one_label_fewer_is_too_few(correlation: float) -> None:
    found = labels_needed(0.05, 3000, 0.5, correlation)
    assert found is not None
    assert half_width(found, 3000, 0.5, correlation) <= 0.05
    assert half_width(found - 1, 3000, 0.5, correlation) > 0.05


def test_a_frame_can_be_too_small() -> None:
    assert labels_needed(0.03, 400, 0.5, 0.9) is None
