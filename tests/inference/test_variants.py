import pytest
from inference_fixtures import cases

from inference.debates.variants import Arm, Labels, Variant, read_labels, realise

IDS = [f"d:{number}" for number in range(2000)]


@pytest.mark.parametrize("pair", ["A/B", "B/A", "P/C", "C/P", "1/-1", "-1/1", "Pro/Con", "M/N"])
def test_the_studys_labels_are_read(pair: str) -> None:
    pro, con = pair.split("/")
    assert read_labels(pair) == Labels(pro, con, is_random=False)
    assert read_labels(f"random {pair}") == Labels(pro, con, is_random=True)


@pytest.mark.parametrize(
    ("pair", "words"),
    cases(
        {
            "equal labels": "A/A|pro/PRO|random A/A",
            "empty label": "A/|/B| /B||AB",
            "more than one slash": "A/B/C",
            "cannot be told from the signs": "A./B|[A]/B|A/{B}|A/<b|A\n/B|A/B\x00",
            "contains the other": "side one/side",
            "cannot be told": f"{'x' * 21}/B",
            "others in a debate are called": "Host/Guest",
        }
    ),
)
def test_labels_that_cannot_be_told_apart_are_refused(pair: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_labels(pair)


def test_a_fixed_arm_is_the_same_for_every_debate() -> None:
    arm = Arm("t", "B/A", "con_first", "loser")
    found = {realise(arm, seed, one) for seed in (1, 2) for one in IDS[:50]}
    assert found == {Variant("B/A", "con_first", "loser", "B", "A", "con")}
    (variant,) = found
    assert variant.labels == ("A", "B")
    assert (variant.answer_for("pro"), variant.answer_for("con")) == ("A", "B")


def test_what_is_left_to_chance_is_drawn_by_seed_and_debate_evenly_and_apart() -> None:
    arm = Arm("t", "random A/B", "shuffled")
    drawn = [realise(arm, 7, one) for one in IDS]
    assert drawn == [realise(arm, 7, one) for one in IDS]
    assert drawn != [realise(arm, 8, one) for one in IDS]
    cells = [(each.pro_label, each.first_side) for each in drawn]
    # Each of the four has a quarter of 2,000, give or take four standard deviations.
    assert all(abs(cells.count((a, b)) - 500) < 78 for a in "AB" for b in ("pro", "con"))
    assert {(each.verbalizer, each.position) for each in drawn} == {("random A/B", "shuffled")}
    # Another arm of the same debate draws the same order.
    other = [realise(Arm("t", "P/C", "shuffled"), 7, one).first_side for one in IDS]
    assert other == [each.first_side for each in drawn]
