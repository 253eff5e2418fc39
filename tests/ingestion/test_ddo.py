"""DDO: every quirk of the release, the rules in their order, and what bad input gets."""

import gzip
import json
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import SourceUnreadable, TooManyRejected, UnknownSource
from ingestion.ingest import ingest
from tests.ingestion.debate_files import (
    ANN,
    BEN,
    ddo_debate,
    ddo_file,
    ddo_user,
    removed_by,
    rounds,
    vote,
    votes,
    write_json,
)
from tests.ingestion.ingestion_files import check_rejects, is_empty, one, query, unchanged
from warehouse.home import Home


def _outcomes(home: Home, criterion: str = "more_convincing_arguments") -> list[tuple[Any, ...]]:
    return query(
        home,
        "select winner, margin, votes_pro, votes_con, votes_tie from raw.debate_outcomes "
        f"where criterion = '{criterion}'",
    )


def _outcome(home: Home, criterion: str = "more_convincing_arguments") -> tuple[Any, ...]:
    (row,) = _outcomes(home, criterion)
    return row


def test_a_debate_keeps_its_turns_its_votes_and_what_else_the_file_says(
    home: Home, tmp_path: Path
) -> None:
    report = ingest(home, "ddo", ddo_file(tmp_path, {"Trees-think/1/": ddo_debate()}))
    assert report.quarantined == 0
    assert query(
        home,
        "select debate_id, motion, category, round_count, end_side, start_date, voter_count "
        "from raw.debates",
    ) == [("ddo:Trees-think/1/", "Trees think", "Science", 3, "con", date(2012, 3, 14), 6)]
    turns = query(
        home,
        "select speech_order, round, side, speaker, speaker_role, word_count, text "
        "from raw.speeches order by 1",
    )
    assert turns[0] == (1, "1", "pro", ANN, "debater", 6, "Pro in round 1, with reasons.")
    assert [(turn[0], turn[1], turn[2], turn[3]) for turn in turns[1:3]] == [
        (2, "1", "con", BEN),
        (3, "2", "pro", ANN),
    ]
    assert _outcome(home) == ("pro", 4.0, 5, 1, 0)
    assert query(home, "select criterion from raw.debate_outcomes where is_primary") == [
        ("more_convincing_arguments",)
    ]
    points = "select winner, margin, score_pro, score_con, votes_pro from raw.debate_outcomes "
    assert query(home, f"{points} where criterion = 'total_points'") == [
        ("pro", 28.0, 35.0, 7.0, None)
    ]
    assert one(home, "select count(*) from raw.debate_outcomes") == 7
    extra = json.loads(one(home, "select extra from raw.debates"))
    assert (extra["debate_status"], extra["number_of_views"]) == ("Post Voting Period", 812)


def test_loading_twice_changes_nothing_and_what_a_debate_has_lost_goes(
    home: Home, tmp_path: Path
) -> None:
    path = ddo_file(tmp_path, {"a": ddo_debate(), "b": ddo_debate()})
    ingest(home, "ddo", path)
    with unchanged(home):
        assert ingest(home, "ddo", path).load_id is None
    shorter = ddo_debate(rounds=rounds(2), number_of_rounds=2, votes=[])
    report = ingest(home, "ddo", ddo_file(tmp_path / "later", {"a": shorter}))
    assert report.tables["speeches"].updated == 2
    assert query(home, "select debate_id, count(*) from raw.speeches group by 1 order by 1") == [
        ("ddo:a", 4),
        ("ddo:b", 6),
    ]
    assert query(home, "select distinct debate_id from raw.debate_outcomes") == [("ddo:b",)]
    assert removed_by(home) == {"a": "round_count", "b": "kept"}


def test_participant_1_need_not_be_pro(home: Home, tmp_path: Path) -> None:
    turned = ddo_debate(participant_1_position="Con", participant_2_position="Pro")
    ingest(home, "ddo", ddo_file(tmp_path, {"a": turned}))
    # Five votes for Ann, who is con here.
    assert _outcome(home) == ("con", 4.0, 1, 5, 0)
    assert query(home, "select distinct side, speaker from raw.speeches order by 1") == [
        ("con", ANN),
        ("pro", BEN),
    ]


RULED = [
    ({}, "kept"),
    ({"votes": votes(3, 0)}, "kept"),
    ({"votes": votes(0, 3)}, "kept"),
    # Strictly more than two.
    ({"votes": votes(5, 3)}, "margin"),
    ({"votes": votes(3, 5)}, "margin"),
    ({"votes": votes(4, 4)}, "margin"),
    ({"votes": votes(0, 0, 3)}, "margin"),
    ({"votes": []}, "no_votes"),
    ({"votes": None}, "no_votes"),
    ({"number_of_rounds": 2, "rounds": rounds(2)}, "round_count"),
    ({"number_of_rounds": 6, "rounds": rounds(6)}, "round_count"),
    ({"number_of_rounds": 5, "rounds": rounds(5)}, "kept"),
    ({"forfeit_label": True, "forfeit_side": BEN}, "forfeit_label"),
    ({"forfeit_label": "true"}, "forfeit_label"),
    ({"rounds": [*rounds(2), [{"side": "Pro", "text": "forfeit"}]]}, "forfeit_turn"),
    ({"rounds": [*rounds(2), [{"side": "Pro", "text": "I do not forfeit"}]]}, "kept"),
    ({"rounds": [*rounds(2), [{"side": None, "text": "Who am I?"}]]}, "turn_without_side"),
    ({"rounds": [*rounds(2), [{"text": "Who am I?"}]]}, "turn_without_side"),
    ({"rounds": [[{"side": "Pro", "text": "Alone"}]] * 3}, "silent_side"),
    # The first rule in order gets the debate, whatever else is wrong with it.
    ({"forfeit_label": 1, "votes": [], "number_of_rounds": 1}, "forfeit_label"),
]


def test_each_rule_removes_what_it_says_and_keeps_it_in_the_warehouse(
    home: Home, tmp_path: Path
) -> None:
    rules = {f"d{number}": rule for number, (_, rule) in enumerate(RULED)}
    debates = [ddo_debate(**changes) for changes, _ in RULED]
    report = ingest(home, "ddo", ddo_file(tmp_path, dict(zip(rules, debates, strict=True))))
    assert report.quarantined == 0
    assert removed_by(home) == rules
    assert one(home, "select count(distinct debate_id) from raw.speeches") == len(RULED)
    removed = query(home, "select is_removed, reason is not null, rule from raw.debate_filters")
    assert all(found[:2] == (found[2] != "kept",) * 2 for found in removed)
    for rule, count in Counter(rules.values()).items():
        assert f"{'' if rule == 'kept' else 'removed by '}{rule}: {count}" in report.notes


def test_the_funnel_knows_rules_that_removed_nothing(home: Home, tmp_path: Path) -> None:
    ingest(home, "ddo", ddo_file(tmp_path, {"a": ddo_debate()}))
    assert query(home, "select rule_order, rule, setting from raw.filter_rules order by 1") == [
        (1, "forfeit_label", None),
        (2, "forfeit_turn", None),
        (3, "round_count", "3 to 5"),
        (4, "turn_without_side", None),
        (5, "silent_side", None),
        (6, "no_votes", None),
        (7, "margin", "more than 2"),
    ]
    assert one(home, "select rule_order from raw.debate_filters") == 8


def test_the_margin_and_the_rounds_are_settings(home: Home, tmp_path: Path) -> None:
    path = ddo_file(tmp_path, {"a": ddo_debate(), "b": ddo_debate(votes=votes(2, 1))})
    ingest(home, "ddo", path)
    assert removed_by(home) == {"a": "kept", "b": "margin"}
    ingest(home, "ddo", path, settings={"margin": "0"})
    assert removed_by(home) == {"a": "kept", "b": "kept"}
    ingest(home, "ddo", path, settings={"margin": "4", "min_rounds": "3"})
    assert removed_by(home) == {"a": "margin", "b": "margin"}
    assert one(home, "select setting from raw.filter_rules where rule = 'margin'") == "more than 4"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"margin": "-1"}, "margin should be greater than or equal to 0; found '-1'"),
        ({"min_rounds": "9"}, "min_rounds 9 is more than max_rounds 5"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(
    home: Home, tmp_path: Path, settings: dict[str, str], message: str
) -> None:
    with pytest.raises(UnknownSource, match=message):
        ingest(home, "ddo", ddo_file(tmp_path, {"a": ddo_debate()}), settings=settings)


def test_the_known_corrupt_side_is_read_as_con_and_counted(home: Home, tmp_path: Path) -> None:
    corrupt = rounds()
    corrupt[1][1]["side"] = "Cry Me a River,"
    report = ingest(home, "ddo", ddo_file(tmp_path, {"a": ddo_debate(rounds=corrupt)}))
    assert "turns with the known corrupt side, read as con: 1" in report.notes
    assert one(home, "select side from raw.speeches where speech_order = 4") == "con"
    assert removed_by(home) == {"a": "kept"}


def test_select_winner_votes_count_as_their_own_criterion(home: Home, tmp_path: Path) -> None:
    short = [
        {
            "user_name": f"v{n}",
            "votes_map": {
                ANN: {"Who won the debate": n < 4},
                BEN: {"Who won the debate": n == 4},
                "Tied": {"Who won the debate": 0},
            },
        }
        for n in range(5)
    ]
    ingest(home, "ddo", ddo_file(tmp_path, {"a": ddo_debate(votes=short)}))
    assert _outcome(home, "who_won") == ("pro", 3.0, 4, 1, 0)
    assert removed_by(home) == {"a": "no_votes"}


def test_a_person_who_votes_several_times_counts_once(home: Home, tmp_path: Path) -> None:
    repeated = [*votes(2, 1), *[vote("v2", BEN)] * 4, vote("v0", BEN), vote("", BEN)]
    report = ingest(home, "ddo", ddo_file(tmp_path, {"a": ddo_debate(votes=repeated)}))
    assert _outcome(home) == ("tie", 0, 2, 2, 0)
    assert one(home, "select voter_count from raw.debates") == 4
    assert not report.rejects
    assert any(note.startswith("votes of people who had voted") for note in report.notes)


def test_votes_written_as_numbers_and_words_count_like_truth_values(
    home: Home, tmp_path: Path
) -> None:
    label = "Made more convincing arguments"
    given: list[Any] = [True, 1, "true", 0, None, "False"]
    written = [
        {
            "user_name": f"v{n}",
            "votes_map": {ANN: {label: value}, BEN: {label: False}, "Tied": None},
        }
        for n, value in enumerate(given)
    ]
    ingest(home, "ddo", ddo_file(tmp_path, {"a": ddo_debate(votes=written)}))
    assert _outcome(home) == ("pro", 3.0, 3, 0, 0)
    assert one(home, "select voter_count from raw.debates") == 6


def _odd_vote(**names: Any) -> dict[str, Any]:
    return {"user_name": "odd", "votes_map": names}


ODD_VOTES = [
    (vote("odd", "Carl", con="Carl"), "names 'Carl', who is neither of the debaters"),
    (_odd_vote(**{ANN: {"Who had better conduct": "perhaps"}}), "should be true or false"),
    (_odd_vote(**{ANN: {"Total points awarded": "many"}}), "should be a number"),
    (
        _odd_vote(**{n: {"Made more convincing arguments": True} for n in (ANN, BEN)}),
        "chooses pro and con at once",
    ),
    ({"user_name": "odd"}, "is missing"),
    (_odd_vote(**{ANN: ["Who had better conduct"]}), "should be a valid dictionary"),
]


def test_a_vote_that_cannot_be_counted_is_quarantined_and_the_debate_stays(
    home: Home, tmp_path: Path
) -> None:
    debates = [ddo_debate(votes=[*votes(5, 1), odd]) for odd, _ in ODD_VOTES]
    path = ddo_file(tmp_path, {f"d{number}": each for number, each in enumerate(debates)})
    rejects = ingest(home, "ddo", path, max_rejected=1).rejects
    assert [each.field for each in rejects] == ["votes[6].votes_map"] * len(ODD_VOTES)
    assert all(said in each.reason for each, (_, said) in zip(rejects, ODD_VOTES, strict=True))
    assert _outcomes(home) == [("pro", 4.0, 5, 1, 0)] * len(ODD_VOTES)


def test_a_third_name_that_got_nothing_does_no_harm(home: Home, tmp_path: Path) -> None:
    third = vote("v9", ANN) | {}
    third["votes_map"]["Carl"] = {"Made more convincing arguments": False}
    report = ingest(home, "ddo", ddo_file(tmp_path, {"a": ddo_debate(votes=[*votes(3, 0), third])}))
    assert report.quarantined == 0
    assert _outcome(home) == ("pro", 4.0, 4, 0, 0)


BROKEN = [
    ({"participant_2_position": "Pro"}, "participant_2_position", "'pro' for both debaters"),
    ({"participant_1_position": None}, "participant_1_position", "should be Pro or Con"),
    ({"participant_2_name": ANN}, "participant_2_name", "votes name debaters, not sides"),
    ({"participant_1_name": " "}, "participant_1_name", "should be the debater's name"),
    ({"rounds": []}, "rounds", "at least 1 item"),
    ({"rounds": ["text"]}, "rounds[0]", "should be a valid list"),
    ({"rounds": [[{"side": "Pro", "text": 7}]]}, "rounds[0][0].text", "should be text"),
    ({"rounds": [["Pro"]]}, "rounds[0][0]", "should be an object"),
    ({"forfeit_label": "perhaps"}, "forfeit_label", "is no truth value"),
]


def test_broken_debates_are_quarantined_with_their_places(home: Home, tmp_path: Path) -> None:
    bad = {f"d{number}": ddo_debate(**row[0]) for number, row in enumerate(BROKEN, start=2)}
    path = ddo_file(tmp_path, {"good": ddo_debate(), **bad})
    with pytest.raises(TooManyRejected, match="9 of 10 records"):
        ingest(home, "ddo", path)
    report = ingest(home, "ddo", path, max_rejected=1)
    check_rejects(report.rejects, BROKEN, first=2, place="record {0} ('d{0}')")
    assert query(home, "select debate_id from raw.debates") == [("ddo:good",)]


def test_a_debate_that_is_no_object_is_quarantined(home: Home, tmp_path: Path) -> None:
    path = ddo_file(tmp_path, {"good": ddo_debate(), "bad": ["Pro", "Con"]})
    (found,) = ingest(home, "ddo", path, max_rejected=0.5).rejects
    assert "should be an object" in found.reason


def test_a_name_that_is_there_twice_is_loaded_once(home: Home, tmp_path: Path) -> None:
    debate = json.dumps(ddo_debate())
    path = tmp_path / "debates.json"
    path.write_text(f'{{"a": {debate}, "b": {debate}, "a": {debate}}}')
    (found,) = ingest(home, "ddo", path, max_rejected=0.5).rejects
    assert found.record == "record 3 ('a')"
    assert "duplicate id" in found.reason
    assert one(home, "select count(*) from raw.speeches") == 12


def test_texts_stay_as_they_are_markup_control_characters_and_all(
    home: Home, tmp_path: Path
) -> None:
    text = '<script>alert("x")</script>\x00\x1b[31m &amp; \r\n\u202e "q"'
    said = rounds()
    said[0][0]["text"] = text
    title = "<b>Trees</b>\x07 think"
    report = ingest(home, "ddo", ddo_file(tmp_path, {"a": ddo_debate(title=title, rounds=said)}))
    assert report.quarantined == 0
    assert one(home, "select text from raw.speeches where speech_order = 1") == text
    assert one(home, "select motion from raw.debates") == title


def test_repairs_are_counted(home: Home, tmp_path: Path) -> None:
    said = rounds()
    said[2][1]["text"] = " "
    odd = ddo_debate(rounds=said, number_of_rounds=None, start_date="yesterday", title=None)
    report = ingest(
        home, "ddo", ddo_file(tmp_path, {"Trees-think": odd, "b": ddo_debate(number_of_rounds=4)})
    )
    assert set(report.notes) >= {
        "turns without any text, not loaded: 1",
        "debates whose number_of_rounds is missing, rounds counted instead: 1",
        "debates with other rounds than number_of_rounds says, that one kept: 1",
        "start dates that are no month/day/year, left empty: 1",
    }
    # Nothing was said by con at the end, so pro had the last word.
    assert query(
        home,
        "select motion, round_count, end_side, start_date from raw.debates "
        "where debate_id = 'ddo:Trees-think'",
    ) == [("Trees think", 3, "pro", None)]


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.97, 0.9999])
def test_a_file_cut_anywhere_loads_nothing_and_says_the_byte(
    home: Home, tmp_path: Path, keep: float
) -> None:
    path = ddo_file(tmp_path, {f"d{n}": ddo_debate() for n in range(60)})
    content = path.read_bytes()
    cut = int(len(content) * keep)
    path.write_bytes(content[:cut])
    with pytest.raises(SourceUnreadable, match=f"is cut off.*at byte {cut:,}\\. Nothing"):
        ingest(home, "ddo", path)
    assert is_empty(home)
    assert list(home.landing.glob(".*")) == []


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_a_file_broken_in_the_middle_says_the_byte(
    home: Home, tmp_path: Path, packed: Callable[[bytes], bytes]
) -> None:
    path = ddo_file(tmp_path, {f"d{n}": ddo_debate() for n in range(60)})
    content = bytearray(path.read_bytes())
    at = content.index(b'"votes"', 100_000) + len('"votes"')
    assert content[at : at + 1] == b":"
    content[at : at + 1] = b"?"
    path.write_bytes(packed(bytes(content)))
    with pytest.raises(SourceUnreadable, match=f"not valid JSON at byte {at:,} "):
        ingest(home, "ddo", path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"  [1, 2]", r"byte 2 is b'\[' where '{' was expected"),
        (b"<html>not found</html>", "byte 0 is b'<'"),
    ],
)
def test_what_is_no_object_is_refused(
    home: Home, tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "debates.json"
    path.write_bytes(content)
    with pytest.raises(SourceUnreadable, match=message):
        ingest(home, "ddo", path)


def test_users_beside_the_debates_are_loaded_without_what_identifies_them(
    home: Home, tmp_path: Path
) -> None:
    ddo_file(tmp_path, {"a": ddo_debate()})
    write_json(
        tmp_path / "users.json", {ANN: ddo_user(), "v0": ddo_user(elo_ranking=None, win_ratio="-")}
    )
    report = ingest(home, "ddo", tmp_path)
    assert report.tables["participants"].new == 2
    rows = query(home, "from raw.participants order by name")
    assert rows[0][:10] == ("ddo:Ann.A", "ddo", ANN, 9, 6, 3, 0, 41, 2134.0, 66.67)
    assert rows[1][8:10] == (None, None)
    assert "a@b.example" not in str(rows)
    assert "1990" not in str(rows)
    # Named alone, the file finds the users beside it.
    assert ingest(home, "ddo", tmp_path / "debates.json").load_id is None


def test_a_folder_without_debates_is_refused_by_name(home: Home, tmp_path: Path) -> None:
    write_json(tmp_path / "files" / "users.json", {})
    with pytest.raises(SourceUnreadable, match=r"has no debates\.json; it has users\.json"):
        ingest(home, "ddo", tmp_path / "files")


@pytest.mark.parametrize("points", ["NaN", "Infinity", "1e999"])
def test_points_that_are_no_finite_number_cost_one_vote(
    home: Home, tmp_path: Path, points: str
) -> None:
    wrong = {"votes_map": {ANN: {"Total points awarded": points}}}
    path = ddo_file(tmp_path, {"a": ddo_debate(votes=[*votes(5, 1), wrong])})
    report = ingest(home, "ddo", path, max_rejected=1.0)
    assert [each.field for each in report.rejects] == ["votes[6].votes_map"]
    assert _outcome(home) == ("pro", 4, 5, 1, 0)


def test_a_rating_that_is_no_finite_number_is_unknown(home: Home, tmp_path: Path) -> None:
    ddo_file(tmp_path, {"a": ddo_debate()})
    write_json(tmp_path / "users.json", {ANN: ddo_user(elo_ranking="1e999", win_ratio="NaN")})
    assert ingest(home, "ddo", tmp_path).quarantined == 0
    assert query(home, "select name, elo, win_ratio from raw.participants") == [(ANN, None, None)]


def test_what_is_nested_too_deep_is_refused(home: Home, tmp_path: Path) -> None:
    path = ddo_file(tmp_path, {"a": ddo_debate()})
    # As deep as a small file can be, it takes more memory than there is.
    path.write_text(path.read_text().replace("812", "[" * 200 + "]" * 200))
    with pytest.raises(SourceUnreadable, match="is nested more than 100 deep"):
        ingest(home, "ddo", path)
    assert is_empty(home)


@pytest.mark.parametrize("text", ["[", '{"', "[\\", '\\"[', "{\\\\"])
def test_brackets_in_texts_nest_nothing(home: Home, tmp_path: Path, text: str) -> None:
    # Wherever the pieces in which the file is read begin and end.
    comments = [{"comment_text": text * 30_000}, {"comment_text": "x" + text * 30_000}]
    ingest(home, "ddo", ddo_file(tmp_path, {"a": ddo_debate(comments=comments)}))
    assert query(home, "select count(*) from raw.debates") == [(1,)]


def test_a_number_too_large_is_no_cut_off_file(home: Home, tmp_path: Path) -> None:
    path = ddo_file(tmp_path, {"a": ddo_debate(number_of_views=10**30)})
    with pytest.raises(SourceUnreadable, match=r"not valid JSON at byte \d+ .*integer overflow"):
        ingest(home, "ddo", path)
