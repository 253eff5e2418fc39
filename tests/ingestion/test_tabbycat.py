"""Tabbycat tournaments: which ballot counts, what a panel's result is, and what is refused."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import SourceUnreadable
from ingestion.parliamentary.batch import ParliamentaryBatch, ParliamentaryDebate
from ingestion.parliamentary.readers.tabbycat import open_tabbycat
from ingestion.parliamentary.settings import TranscribedSettings
from tests.ingestion.tab_files import (
    BASE,
    HOUSES,
    RANKS,
    SCORES,
    as_file,
    as_folder,
    ballot,
    documents,
    pairing,
    said,
    scores,
    sheet,
)
from warehouse.home import Home

ROLES = {"pm": 75, "dpm": 75, "lo": 78, "dlo": 77, "mg": 72, "gw": 73, "mo": 80, "ow": 80}


def _batch(home: Home, tmp_path: Path, found: dict[str, Any], **more: Any) -> ParliamentaryBatch:
    path = as_file(tmp_path / "tab.json", found)
    return open_tabbycat(home, str(path), TranscribedSettings(**more))


def _one(home: Home, tmp_path: Path, *ballots: dict[str, Any], **more: Any) -> ParliamentaryDebate:
    (debate,) = _batch(home, tmp_path, documents({7: ballots}, **more)).debates
    return debate


def _ranks(debate: ParliamentaryDebate, by: str = "panel") -> dict[str, int | None]:
    return {each.house: each.team_rank for each in debate.teams if each.decided_by == by}


def test_a_consensus_ballot_is_the_panels_result(home: Home, tmp_path: Path) -> None:
    debate = _one(home, tmp_path, ballot(sheet()))
    about = debate.debate
    assert about.debate_id == "tabbycat:tab.example.org/spring/7"
    assert (about.tournament, about.round, about.room) == ("Spring Open", "Round 1", "Hall 7")
    assert str(about.start_date) == "2026-03-07"
    assert about.motion == "This house would open all parks at night"
    assert about.info_slide == "Parks close at dusk.\n\n- Some & others"
    assert _ranks(debate) == RANKS
    assert scores(debate) == ROLES
    names = {each.role: each.speaker for each in debate.speakers}
    assert (names["pm"], names["dpm"], names["ow"]) == ("Speaker 1.1", "Speaker 1.2", "Speaker 4.2")
    assert {each.house: each.is_swing for each in debate.teams} == {
        "og": False,
        "oo": False,
        "cg": False,
        "co": True,
    }
    assert [(each.name, each.is_chair, each.is_trainee) for each in debate.adjudicators] == [
        ("Judge 1", True, False),
        ("Judge 2", False, False),
        ("Judge 3", False, False),
        ("Judge 4", False, True),
    ]
    assert debate.removal is not None
    assert (debate.removal.rule, debate.removal.reason) == ("eight_speeches", "no transcript")


@pytest.mark.parametrize("sides", [(0, 1, 2, 3), ("OG", "OO", "CG", "CO"), ("0", "1", "2", "3")])
def test_sides_are_read_in_every_form_and_order(
    home: Home, tmp_path: Path, sides: tuple[int | str, ...]
) -> None:
    one = sheet(sides=sides)
    one["teams"].reverse()
    debate = _one(home, tmp_path, ballot(one), pairings=[pairing(7, sides=sides)])
    assert _ranks(debate) == RANKS
    assert scores(debate) == ROLES


def test_a_panel_with_an_unknown_score_has_no_mean_of_the_rest(home: Home, tmp_path: Path) -> None:
    unknown = sheet(SCORES, adjudicator=2)
    unknown["teams"][0]["speeches"][0]["score"] = None
    unknown["teams"][0]["score"] = None
    debate = _one(home, tmp_path, ballot(sheet(adjudicator=1), unknown))
    assert scores(debate)["pm"] is None
    assert scores(debate)["dpm"] == 75
    assert set(_ranks(debate).values()) == {None}


def test_without_points_houses_rank_by_their_sums_and_it_is_said(
    home: Home, tmp_path: Path
) -> None:
    debate = _one(home, tmp_path, ballot(sheet(points=dict.fromkeys(HOUSES))))
    assert _ranks(debate) == RANKS
    assert all("rank_from" in (each.extra or "") for each in debate.teams)


@pytest.mark.parametrize(
    ("ballots", "reason"),
    [
        ([], "no ballot"),
        ([ballot(sheet(), confirmed=False)], "no ballot is confirmed"),
        ([ballot(sheet(), discarded=True)], "a confirmed ballot was discarded"),
        (
            [ballot(sheet()), ballot(sheet(SCORES | {"og": (76, 75)}), version=2)],
            "2 ballots are confirmed and differ",
        ),
        (
            [ballot(sheet()), ballot(sheet(), motion=f"{BASE}/motions/6")],
            "2 ballots are confirmed and differ",
        ),
        ([ballot(result=None)], "the confirmed ballot holds no result"),
        ([ballot(sheet(), forfeit=True)], "a team forfeited, so nobody judged eight speeches"),
        ([ballot(sheet(), sheet())], "2 sheets are each the panel's"),
    ],
)
def test_a_room_without_one_result_is_kept_and_removed(
    home: Home, tmp_path: Path, ballots: list[dict[str, Any]], reason: str
) -> None:
    batch = _batch(
        home, tmp_path, documents({7: ballots}), transcripts=said(tmp_path, "Round 1 Hall 7")
    )
    (debate,) = batch.debates
    assert [each for each in debate.teams if each.decided_by == "panel"] == []
    assert debate.removal == ("one_result", reason)


def test_an_older_unconfirmed_ballot_and_a_repeated_one_change_nothing(
    home: Home, tmp_path: Path
) -> None:
    newer = ballot(sheet(SCORES | {"og": (60, 60)}), version=3, confirmed=False)
    debate = _one(home, tmp_path, ballot(sheet()), ballot(sheet(), version=2), newer)
    assert scores(debate) == ROLES
    assert '"ballot_version": 2' in (debate.debate.extra or "")


def test_an_elimination_room_says_who_goes_on_and_ranks_nobody(home: Home, tmp_path: Path) -> None:
    one = sheet({}, points=dict.fromkeys(HOUSES))
    for line, won in zip(one["teams"], (True, False, False, True), strict=True):
        line["win"] = won
    batch = _batch(
        home, tmp_path, documents({7: [ballot(one)]}), transcripts=said(tmp_path, "spring_7")
    )
    (debate,) = batch.debates
    assert set(_ranks(debate).values()) == {None}
    assert [json.loads(each.extra or "{}")["is_winner"] for each in debate.teams] == [
        True,
        False,
        False,
        True,
    ]
    assert debate.speakers == []
    assert debate.removal is not None
    assert debate.removal.rule == "one_result"
    assert batch.rejects == []


def test_scores_of_an_elimination_room_are_a_result_of_their_own(
    home: Home, tmp_path: Path
) -> None:
    found = documents({7: [ballot(sheet(points=dict.fromkeys(HOUSES)))]})
    found["rounds"][0]["stage"] = "E"
    (debate,) = _batch(home, tmp_path, found, transcripts=said(tmp_path, "spring_7")).debates
    assert scores(debate) == ROLES
    assert set(_ranks(debate).values()) == {None}
    assert debate.removal is None


def test_one_who_spoke_twice_is_named_twice_and_the_ghost_is_marked(
    home: Home, tmp_path: Path
) -> None:
    found = documents({7: [ballot(sheet(iron=["cg"], ghosts=["cg"]))]})
    batch = _batch(home, tmp_path, found)
    closing = {each.role: each for each in batch.debates[0].speakers if each.role in ("mg", "gw")}
    assert closing["mg"].speaker == closing["gw"].speaker == "Speaker 3.1"
    assert (closing["mg"].is_ghost, closing["gw"].is_ghost) == (False, True)
    assert "houses for which one person spoke twice: 1" in batch.notes


@pytest.mark.parametrize(
    "score", [49.5, 101, "78", "n/a", True, [78], pytest.param(10**400, id="fits no float")]
)
def test_what_is_no_score_is_rejected_alone(home: Home, tmp_path: Path, score: Any) -> None:
    one = sheet()
    one["teams"][0]["speeches"][0]["score"] = score
    batch = _batch(home, tmp_path, documents({7: [ballot(one)]}))
    (debate,) = batch.debates
    assert scores(debate) == ROLES | {"pm": None}
    assert _ranks(debate) == RANKS
    (reject,) = batch.rejects
    assert reject.field == "score of PM"
    assert "should be a number from 50 to 100" in reject.reason


@pytest.mark.parametrize(
    "points",
    [
        {"og": 3, "oo": 3, "cg": 1, "co": 0},
        {"og": 3, "oo": 2, "cg": 1, "co": None},
        {"og": 3, "oo": 2, "cg": 1, "co": 4},
        {"og": 3, "oo": 2, "cg": 1, "co": 0.5},
        {"og": 3, "oo": 2, "cg": 1, "co": -(10**400)},
    ],
)
def test_points_that_are_no_ranking_rank_nobody(
    home: Home, tmp_path: Path, points: dict[str, Any]
) -> None:
    batch = _batch(home, tmp_path, documents({7: [ballot(sheet(points=points))]}))
    assert set(_ranks(batch.debates[0]).values()) == {None}
    assert [each.field for each in batch.rejects] == ["ranks of the houses"]


def test_ranks_against_the_sums_are_kept_and_counted(home: Home, tmp_path: Path) -> None:
    other = {"og": 3, "oo": 2, "cg": 1, "co": 0}
    batch = _batch(home, tmp_path, documents({7: [ballot(sheet(points=other))]}))
    assert _ranks(batch.debates[0]) == {"og": 1, "oo": 2, "cg": 3, "co": 4}
    assert any("otherwise than their scores do" in note for note in batch.notes)


def test_byes_are_counted_and_two_teams_a_room_are_refused(home: Home, tmp_path: Path) -> None:
    bye = pairing(8, sides=["bye"])
    batch = _batch(home, tmp_path, documents({7: [ballot(sheet())]}, pairings=[pairing(7), bye]))
    assert len(batch.debates) == 1
    assert "rooms with a bye, not read: 1" in batch.notes
    for sides in (("aff", "neg"), (0, 1)):
        with pytest.raises(SourceUnreadable, match="four teams a room"):
            _batch(home, tmp_path, documents({}, pairings=[pairing(9, sides=sides)]))


@pytest.mark.parametrize(
    "sides", [("og", "og", "cg", "co"), ("og", "oo", "cg"), ("og", "oo", "cg", "xx"), ({}, 1, 2, 3)]
)
def test_a_room_without_the_four_houses_is_quarantined(
    home: Home, tmp_path: Path, sides: tuple[Any, ...]
) -> None:
    batch = _batch(home, tmp_path, documents({}, pairings=[pairing(7), pairing(9, sides=sides)]))
    assert [each.debate.debate_id[-2:] for each in batch.debates] == ["/7"]
    assert [each.record for each in batch.rejects] == ["round 1, pairing 9"]


@pytest.mark.parametrize(
    ("path", "value", "field", "reason"),
    [
        (
            ("teams", 2, "speeches"),
            [{"score": 38}] * 3,
            "speeches",
            "CG has 3 speeches; a house has two, and no reply",
        ),
        (
            ("teams", 2, "speeches", 1),
            5,
            "result.sheets[0].teams[2].speeches[1]",
            "should be an object; found 5",
        ),
        (("teams", 2), None, "result.sheets[0].teams[2]", "should be an object; found None"),
        (("teams",), "all", "result.sheets[0].teams", "should be a valid list; found 'all'"),
    ],
)
def test_a_broken_sheet_quarantines_its_room_and_names_the_field(
    home: Home, tmp_path: Path, path: tuple[Any, ...], value: Any, field: str, reason: str
) -> None:
    one = part = sheet()
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = value
    batch = _batch(home, tmp_path, documents({7: [ballot(one)], 8: [ballot(sheet())]}))
    assert [(each.field, each.reason) for each in batch.rejects] == [(field, reason)]
    assert len(batch.debates) == 1


def test_a_ballot_of_other_teams_is_no_result(home: Home, tmp_path: Path) -> None:
    one = sheet()
    one["teams"][0]["team"], one["teams"][1]["team"] = (
        one["teams"][1]["team"],
        one["teams"][0]["team"],
    )
    assert _one(home, tmp_path, ballot(one)).teams == []


def test_the_motion_is_the_ballots_or_the_rounds_only_one(home: Home, tmp_path: Path) -> None:
    nothing = ballot(sheet(), motion=None)
    assert _one(home, tmp_path, nothing).debate.motion is not None
    found = documents({7: [nothing]})
    rounds = [{"round": f"{BASE}/rounds/1", "seq": 2}]
    found["motions"].append({"id": 6, "text": "This house would not", "rounds": rounds})
    batch = _batch(home, tmp_path, found)
    assert batch.debates[0].debate.motion is None
    assert any(note.startswith("rooms of rounds with several motions") for note in batch.notes)


def test_folder_archive_and_file_hold_the_same_tournament(home: Home, tmp_path: Path) -> None:
    found = documents({7: [ballot(sheet())], 8: [ballot(sheet())]})
    found["rounds/1/pairings"] = {"results": found["rounds/1/pairings"], "next": None}
    folder = as_folder(tmp_path / "spring" / "api" / "v1" / "tournaments" / "spring", found)
    path = tmp_path / "spring.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for each in sorted(folder.rglob("*.json")):
            archive.write(each, each.relative_to(tmp_path))
    read = [
        open_tabbycat(home, str(location), TranscribedSettings())
        for location in (as_file(tmp_path / "one.json", found), folder, tmp_path / "spring", path)
    ]
    assert all(each.debates == read[0].debates for each in read)
    assert len(read[0].debates) == 2
    # The folder is one entry of the landing, the same whenever it is read.
    before = sorted(each.name for each in home.landing.iterdir())
    open_tabbycat(home, str(folder), TranscribedSettings())
    assert sorted(each.name for each in home.landing.iterdir()) == before


def test_pages_are_joined_and_a_missing_one_is_noticed(home: Home, tmp_path: Path) -> None:
    found = documents({7: [ballot(sheet())], 8: [ballot(sheet())]})
    first, second = found.pop("rounds/1/pairings")
    folder = as_folder(tmp_path / "spring", found)
    one = folder / "rounds/1/pairings.json"
    one.write_text(json.dumps({"results": [first], "next": f"{BASE}/rounds/1/pairings?offset=1"}))
    with pytest.raises(SourceUnreadable, match="in pages, of which some are missing"):
        open_tabbycat(home, str(folder), TranscribedSettings())
    (folder / "rounds/1/pairings.page-2.json").write_text(
        json.dumps({"results": [second], "next": None})
    )
    assert len(open_tabbycat(home, str(folder), TranscribedSettings()).debates) == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is no JSON"),
        (b"[" * 100_000, "nested too deep|is no JSON"),
        (b'{"rounds": [{"seq": NaN}], "teams": []}', "NaN is no JSON number"),
        (b'{"rounds": {"a": 1}, "teams": []}', "rounds, which should be a list"),
        (b'{"rounds": ["one"], "teams": []}', r"rounds\[0\] should be an object"),
        (b'{"rounds": [], "teams": []}', "rounds and no pairings"),
        (b'{"motions": []}', "no rounds and no teams"),
    ],
)
def test_what_is_no_tournament_is_refused(
    home: Home, tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "tab.json"
    path.write_bytes(content)
    with pytest.raises(SourceUnreadable, match=message):
        open_tabbycat(home, str(path), TranscribedSettings())


def test_a_live_site_is_refused_and_not_asked(home: Home) -> None:
    address = "http://127.0.0.1:9/api/v1/tournaments/spring"
    with pytest.raises(SourceUnreadable, match="save the tournament's documents"):
        open_tabbycat(home, address, TranscribedSettings())


@pytest.mark.parametrize(
    ("path", "key"), [("teams", "speakers"), ("rounds", "motions"), ("motions", "rounds")]
)
def test_a_list_that_is_none_is_no_list(home: Home, tmp_path: Path, path: str, key: str) -> None:
    found = documents({7: [ballot(sheet(), motion=None)]})
    found[path][0][key] = 5
    (debate,) = _batch(home, tmp_path, found).debates
    assert scores(debate) == ROLES


def test_a_file_of_another_name_says_what_it_lacks(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "tab.txt"
    path.write_text("{}")
    with pytest.raises(SourceUnreadable, match=r"no rounds and no teams; it has tab\.txt"):
        open_tabbycat(home, str(path), TranscribedSettings())
