"""The result of a voting panel, beside one worked out another way for every panel there may be."""

import json
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from ingestion.parliamentary.tab import Room, Seat, Sheet, SpeechLine, results_of
from ingestion.reading import Reading
from warehouse.records.bp import HOUSES, ROLES_OF

# Eight scores a ballot, in steps of a quarter, houses in the order of a tab.
BALLOTS = st.lists(st.lists(st.integers(200, 400), min_size=8, max_size=8), min_size=1, max_size=7)


def _room(ballots: list[list[int]], trainees: set[int]) -> Room:
    sheets = [
        Sheet(
            speeches={
                role: SpeechLine(f"{house}{place}", scores[2 * number + place] / 4)
                for number, house in enumerate(HOUSES)
                for place, role in enumerate(ROLES_OF[house])
            },
            adjudicator=f"A{judge}",
        )
        for judge, scores in enumerate(ballots)
    ]
    panel = [Seat(f"A{judge}", is_trainee=judge in trainees) for judge in range(len(ballots))]
    return Room(identity="t/1", panel=panel, sheets=sheets)


@settings(max_examples=150, deadline=None)
@given(BALLOTS, st.sets(st.integers(0, 6)))
def test_a_panel_gives_the_mean_of_those_who_count_and_ranks_by_sums(
    ballots: list[list[int]], trainees: set[int]
) -> None:
    sheets, problem = results_of(_room(ballots, trainees), Reading("tab"))
    counted = [scores for judge, scores in enumerate(ballots) if judge not in trainees]
    own = [each for each in sheets if each.adjudicator is not None]
    assert len(own) == len(ballots)
    if not counted:
        assert problem is not None
        assert len(sheets) == len(ballots)
        return
    panel = sheets[0]
    assert panel.adjudicator is None
    means = np.mean(np.array(counted) / 4, axis=0)
    roles = [role for house in HOUSES for role in ROLES_OF[house]]
    np.testing.assert_allclose([panel.speeches[role].score for role in roles], means)
    # Exact sums, so that a tie is one.
    sums = [
        Fraction(sum(scores[place] + scores[place + 1] for scores in counted), 4)
        for place in (0, 2, 4, 6)
    ]
    ranks = [panel.houses[house].rank for house in HOUSES]
    if len(set(sums)) < len(HOUSES):
        assert ranks == [None] * 4
    else:
        assert ranks == list(rankdata([-float(each) for each in sums]))
        assert [panel.houses[house].points for house in HOUSES] == [4 - rank for rank in ranks]


@settings(max_examples=50, deadline=None)
@given(BALLOTS, st.randoms(use_true_random=False))
def test_the_order_of_the_ballots_changes_nothing(ballots: list[list[int]], random: object) -> None:
    one = results_of(_room(ballots, set()), Reading("tab"))[0][0]
    shuffled = list(ballots)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    other = results_of(_room(shuffled, set()), Reading("tab"))[0][0]
    assert one == other
    assert json.dumps(one.extra) == json.dumps(other.extra)
