import math
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from debate_fixtures import debate, request, row, turns, write_debates
from inference_fixtures import judge as spec
from inference_fixtures import replies as ask

from inference.debates.items import DEBATES, Debate
from inference.debates.variants import Variant
from inference.debates.verdicts import read_reply
from inference.errors import BadItems, BadSettings, UnknownJudge
from inference.judges import check_kind, make_judge
from inference.judges.base import Judge, Reply
from inference.judges.request import Request
from inference.registry import spec_for

ARMS = [(pair, position) for pair in ("A/B", "B/A") for position in ("pro_first", "con_first")]


def winner(asked: Request, reply: Reply) -> str | None:
    variant = asked.way(Variant)
    return read_reply(
        reply.response,
        variant.pro_label,
        variant.con_label,
        variant.outcome,
        is_justified=asked.template.is_justified,
    ).label


def named_by(judge_id: str, asked: Request, reference: Path | None = None) -> str | None:
    (reply,) = ask(make_judge(spec_for(judge_id, None, {}), reference), asked)
    return winner(asked, reply)


@pytest.mark.parametrize("template", ["winner_vanilla", "winner_eval"])
@pytest.mark.parametrize("outcome", ["winner", "loser"])
@pytest.mark.parametrize(("labels", "position"), ARMS)
def test_rules_name_a_side_whatever_it_is_called_and_whatever_is_asked(
    labels: str, position: str, outcome: str, template: str
) -> None:
    asked = request(
        debate(end_side="pro", words_pro=3, words_con=9),
        labels=labels,
        position=position,
        outcome=outcome,
        template=template,
    )
    assert named_by("rule/concluding-side", asked) == "pro"
    assert named_by("rule/longer-side", asked) == "con"


def test_a_rule_that_favours_nobody_names_nobody() -> None:
    assert named_by("rule/longer-side", request(debate(words_pro=4, words_con=4))) is None
    assert named_by("rule/concluding-side", request(debate(end_side=None))) is None


def test_the_majority_is_the_side_that_wins_more_often(tmp_path: Path) -> None:
    source = write_debates(tmp_path / "a", 5, winners=["con", "pro", "con", "tie", None])
    even = write_debates(tmp_path / "b", 3, winners=["con", "pro", "tie"])
    assert named_by("rule/majority", request(), source.file("debates_reference")) == "con"
    assert named_by("rule/majority", request(), even.file("debates_reference")) is None
    with pytest.raises(BadItems, match="'rule/majority' needs to know who won"):
        named_by("rule/majority", request())


def test_a_coin_is_the_same_for_a_debate_and_even_over_many(tmp_path: Path) -> None:
    asked = [request(debate(item_id=f"d:{number}")) for number in range(1000)]
    judge = make_judge(spec_for("rule/random", None, {}), None)
    won = [winner(each, reply) for each, reply in zip(asked, ask(judge, *asked), strict=True)]
    assert abs(won.count("con") - 500) < 64
    flipped = request(debate(item_id="d:1"), labels="B/A", position="con_first", outcome="loser")
    assert winner(flipped, ask(judge, flipped)[0]) == won[1]
    other = make_judge(spec(tmp_path, "rule/random", seed=2), None)
    assert won != [winner(a, r) for a, r in zip(asked, ask(other, *asked), strict=True)]


@pytest.mark.parametrize(
    ("judge_id", "kind"),
    [
        ("rule/length", "debate"),
        ("rule/constant-3", "debate"),
        ("simulated/faithful", "debate"),
        ("rule/longer-side", "speech"),
        ("simulated/fair", "speech"),
    ],
)
def test_a_judge_of_the_other_kind_is_refused_by_name(judge_id: str, kind: str) -> None:
    with pytest.raises(UnknownJudge, match=f"'{judge_id}'.*asks about a {kind}; those that do"):
        check_kind(spec_for(judge_id, None, {}), kind)
    check_kind(spec_for("openai/any", None, {}), kind)


def test_settings_of_both_kinds_do_not_mix(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=r"judges a debate.*unknown key 'slope'"):
        spec(tmp_path, "simulated/mine", slope=0.5, position=1.0, ability=1.0)
    assert "slope" not in spec(tmp_path, "simulated/mine", position=1.0).settings
    assert "ability" not in spec_for("simulated/faithful", None, {}).settings


def test_judges_of_speeches_keep_their_identity() -> None:
    # As released: an answer of before debates were judged is still its judge's.
    assert spec_for("simulated/faithful", None, {}).settings_hash == "a706a3ac203a4514"
    assert spec_for("rule/length", None, {}).settings_hash == "def541800e9c9b5c"


class Many(NamedTuple):
    debates: list[Debate]
    reference: Path | None


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Many:
    rows = [
        row(
            number,
            turns=turns(1, row(number)["end_side"], ((2, 8), (8, 2), (4, 4))[number // 4 % 3]),
        )
        for number in range(600)
    ]
    source = write_debates(tmp_path_factory.mktemp("debates"), rows)
    return Many(list(DEBATES.read(source)), source.file("debates_reference"))


@pytest.fixture(scope="module")
def every_arm(many: Many) -> list[Request]:
    return [
        request(each, labels=pair, position=position)
        for each in many.debates
        for pair, position in ARMS
    ]


def log_odds_of_con(judge: Judge, asked: list[Request]) -> tuple[float, float]:
    """Log-odds of naming Con, and their standard error."""
    won = [winner(each, reply) for each, reply in zip(asked, ask(judge, *asked), strict=True)]
    con, pro = won.count("con"), won.count("pro")
    return math.log(con / pro), math.sqrt(1 / con + 1 / pro)


def con_is_longer(each: Request) -> int:
    words = each.about(Debate)
    return (words.words_con > words.words_pro) - (words.words_con < words.words_pro)


@pytest.mark.parametrize(
    ("setting", "value", "direction", "expected"),
    [
        ("position", 1.0, lambda each: 1 if each.way(Variant).first_side == "pro" else -1, 0.5),
        ("label", 1.0, lambda each: 1 if each.way(Variant).con_label == "B" else -1, 0.5),
        ("order", 1.0, lambda each: 1 if each.about(Debate).end_side == "con" else -1, 0.5),
        ("stance", 1.0, lambda each: 1, 1.0),
        ("length", 0.5, con_is_longer, 1.0),
    ],
)
def test_planted_biases_are_there_in_log_odds(
    tmp_path: Path,
    many: Many,
    every_arm: list[Request],
    setting: str,
    value: float,
    direction: Any,
    expected: float,
) -> None:
    planted = {"ability": 0.0, "debate_sd": 0.0, setting: value}
    judge = make_judge(spec(tmp_path, "simulated/mine", **planted), many.reference)
    for sign in {direction(each) for each in every_arm}:
        found, error = log_odds_of_con(
            judge, [each for each in every_arm if direction(each) == sign]
        )
        assert abs(found - sign * expected) < 4 * error


def test_asking_for_the_loser_reverses_position_bias(tmp_path: Path, many: Many) -> None:
    debates, reference = many
    fair = make_judge(spec(tmp_path, "simulated/able", ability=20.0, debate_sd=0.0), reference)
    pulled = make_judge(
        spec(tmp_path, "simulated/mine", ability=0.0, debate_sd=0.0, position=1.0), reference
    )
    asked = [request(each, outcome="loser") for each in debates]
    won = [winner(each, reply) for each, reply in zip(asked, ask(fair, *asked), strict=True)]
    assert won.count("con") == won.count("pro") == len(asked) / 2
    # Con is named second, so it is answered more often: as the loser.
    found, error = log_odds_of_con(pulled, asked)
    assert abs(found + 0.5) < 4 * error


def test_answers_ignore_order_and_share_the_debates_draw(tmp_path: Path, many: Many) -> None:
    debates, reference = many
    planted = {"ability": 0.0, "debate_sd": 30.0}
    judge = make_judge(spec(tmp_path, "simulated/mine", **planted), reference)
    first = [request(each) for each in debates]
    second = [request(each, labels="B/A", position="con_first", sample=1) for each in debates]
    won = [winner(a, r) for a, r in zip(first, ask(judge, *first), strict=True)]
    again = [winner(a, r) for a, r in zip(second, ask(judge, *second), strict=True)]
    assert sum(a == b for a, b in zip(won, again, strict=True)) > 555
    backwards = ask(judge, *reversed(first))
    assert won == [winner(a, r) for a, r in zip(reversed(first), backwards, strict=True)][::-1]


def test_the_stated_share_is_unreadable_and_probabilities_match(tmp_path: Path, many: Many) -> None:
    debates, reference = many
    settings = {"failure_rate": 0.25, "ability": 2.0, "debate_sd": 0.0, "probabilities": True}
    judge = make_judge(spec(tmp_path, "simulated/mine", **settings), reference)
    asked = [request(each) for each in debates]
    replies = ask(judge, *asked)
    unread = [winner(each, reply) is None for each, reply in zip(asked, replies, strict=True)]
    assert abs(sum(unread) / len(unread) - 0.25) < 0.05
    shares = {
        round(math.exp(reply.label_logprobs["B"]), 6) for reply in replies if reply.label_logprobs
    }
    assert shares == {round(1 / (1 + math.exp(sign)), 6) for sign in (-1.0, 1.0)}


def test_a_debate_nobody_decided_has_nothing_to_draw_from(tmp_path: Path) -> None:
    source = write_debates(tmp_path, 1, winners=[None])
    judge = make_judge(spec_for("simulated/fair", None, {}), source.file("debates_reference"))
    (reply,) = ask(judge, request(debate(item_id="made-up:0000")))
    assert reply.error_kind == "no_reference"
