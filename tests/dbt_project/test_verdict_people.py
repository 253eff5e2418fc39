"""People who said who won, beside models: scikit-learn on random verdicts, and the paper's Table 2."""

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, cohen_kappa_score, f1_score

from tests.dbt_project.compiled_models import Built
from tests.dbt_project.verdict_data import Debate, as_raw

ANN, BOB, EVE = PEOPLE = ("d:rater-ann", "d:rater-bob", "d:rater-eve")
SIDES = np.array(["pro", "con"])


def made_up(rng: np.random.Generator, size: int) -> list[Debate]:
    """Debates with a human winner and one verdict of a model each."""
    return [
        Debate(f"x{n:03d}", human=str(rng.choice(SIDES)), answers=(str(rng.choice(SIDES)),))
        for n in range(size)
    ]


def over(built: Built, debates: list[Debate], said: dict[str, list[str]]) -> Any:
    data = as_raw(debates)
    data["raw"]["human_verdicts"] = [
        {"judge_id": person, "debate_id": debate.name, "choice": choice}
        for person, choices in said.items()
        for debate, choice in zip(debates, choices, strict=True)
    ]
    return built(**data)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_agreement_with_people_is_what_scikit_learn_gives(built: Built, seed: int) -> None:
    rng = np.random.default_rng(seed)
    debates = made_up(rng, 30)
    said = {person: [str(one) for one in rng.choice(SIDES, 30)] for person in PEOPLE}
    models = over(built, debates, said)
    model = [debate.answers[0] for debate in debates]
    found = {
        (judge, other): (agreement, kappa, n)
        for judge, other, agreement, kappa, n in models.execute(
            "select judge_id, compared_with, agreement, kappa, n_units from rpt_verdict_people"
        ).fetchall()
    }
    of_model = [
        (accuracy_score(said[one], model), cohen_kappa_score(said[one], model)) for one in PEOPLE
    ]
    (judge,) = {name for name, _ in found} - {*PEOPLE, "human"}
    for person, expected in zip(PEOPLE, of_model, strict=True):
        assert found[judge, person] == pytest.approx((*expected, 30))
    assert found[judge, "each person"] == pytest.approx((*np.mean(of_model, axis=0), 30))
    majority = [
        max(SIDES, key=votes.count)
        for votes in ([said[one][place] for one in PEOPLE] for place in range(30))
    ]
    assert found[judge, "majority"] == pytest.approx(
        (accuracy_score(majority, model), cohen_kappa_score(majority, model), 30)
    )
    pairs = [(ANN, BOB), (ANN, EVE), (BOB, EVE)]
    among = [
        (accuracy_score(said[a], said[b]), cohen_kappa_score(said[a], said[b])) for a, b in pairs
    ]
    for pair, expected in zip(pairs, among, strict=True):
        assert found[pair] == pytest.approx((*expected, 30))
    assert found["human", "each person"] == pytest.approx((*np.mean(among, axis=0), 30))
    # The interval of a mean of kappas: every debate deleted in turn.
    kept = np.arange(30)
    left = [
        np.mean(
            [
                cohen_kappa_score(np.array(said[a])[kept != out], np.array(said[b])[kept != out])
                for a, b in pairs
            ]
        )
        for out in range(30)
    ]
    low, high = models.execute(
        "select kappa_low, kappa_high from rpt_verdict_people "
        "where judge_id = 'human' and compared_with = 'each person'"
    ).fetchone()
    t = 2.045229642132703
    half = t * np.sqrt(29 * np.var(left))
    mean = float(np.mean([kappa for _, kappa in among]))
    assert (low, high) == pytest.approx((mean - half, mean + half))


def test_two_annotators_of_75_debates_give_the_measures_of_table_2(built: Built) -> None:
    rng = np.random.default_rng(7)
    debates = made_up(rng, 75)
    winners = [str(debate.human) for debate in debates]
    other = {"pro": "con", "con": "pro"}
    # 58 and 59 of 75, as printed: 77.33 and 78.67 per cent.
    said = {
        person: [winner if place < right else other[winner] for place, winner in enumerate(winners)]
        for person, right in ((ANN, 58), (BOB, 59))
    }
    models = over(built, debates, said)
    for person, printed in ((ANN, 77.33), (BOB, 78.67)):
        accuracy, weighted, n = models.execute(
            "select accuracy, f1_weighted, n_units from rpt_verdict_accuracy "
            "where judge_id = ? and round_count is null",
            [person],
        ).fetchone()
        assert (round(100 * accuracy, 2), n) == (printed, 75)
        assert weighted == pytest.approx(f1_score(winners, said[person], average="weighted"))
