"""DebateXML tournaments: sides by their place, panels of both kinds, and no entities."""

import json
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import SourceUnreadable
from ingestion.parliamentary.batch import ParliamentaryBatch, ParliamentaryDebate
from ingestion.parliamentary.readers.debatexml import open_debatexml
from ingestion.parliamentary.settings import TranscribedSettings
from tests.ingestion.tab_files import RANKS, SCORES, said, scores
from warehouse.home import Home

# Whose ballot it is, with what it adds to the team's ballot and takes from each score.
ALL = ("A1 A2 A3", "", 0)
TEAMS = """
<participants>
  <team id="T1" name="North A" code="Owls"><speaker id="S11">Ann</speaker><speaker id="S12">Bo</speaker></team>
  <team id="T2" name="South A"><speaker id="S21">Cy</speaker><speaker id="S22">Di</speaker></team>
  <team id="T3" name="East A"><speaker id="S31">Ed</speaker><speaker id="S32">Flo</speaker></team>
  <team id="T4" name="West A"><speaker id="S41">Gus</speaker><speaker id="S42">Hal</speaker></team>
  <adjudicator id="A1" name="Ida" core="True" independent="False" score="8.0"/>
  <adjudicator id="A2" name="Jo" core="False" independent="True" score="6.0"/>
  <adjudicator id="A3" name="Kit" core="False" independent="True" score="6.0"/>
</participants>
<motion id="M5" reference="Parks"><info-slide>Parks close at dusk.</info-slide>This house would open all parks at night</motion>
<venue id="V26">Hall 7</venue>
"""


def _side(
    number: int, house: str, ballots: tuple[tuple[str, str, float], ...], *, more: str = ""
) -> str:
    totals = "".join(
        f'<ballot adjudicators="{who}" rank="{RANKS[house]}" {about}>'
        f"{sum(SCORES[house]) - 2 * less}</ballot>"
        for who, about, less in ballots
    )
    speeches = "".join(
        f'<speech speaker="S{number}{place}" reply="False">'
        + "".join(
            f'<ballot adjudicators="{who}">{score - less}</ballot>' for who, _, less in ballots
        )
        + "</speech>"
        for place, score in enumerate(SCORES[house], start=1)
    )
    return f'<side team="T{number}" {more}>{totals}{speeches}</side>'


def _debate(*ballots: tuple[str, str, float], identity: str = "D12", forfeit: int = 0) -> str:
    sides = "".join(
        _side(number, house, ballots or (ALL,), more='forfeit="True"' * (number == forfeit))
        for number, house in enumerate(("og", "oo", "cg", "co"), start=1)
    )
    return (
        f'<debate id="{identity}" adjudicators="A1 A2 A3" chair="A1" venue="V26" motion="M5">'
        f"{sides}</debate>"
    )


def _tournament(*debates: str, about: str = 'style="bp"', elimination: str = "False") -> str:
    return (
        f'<?xml version="1.0"?><tournament name="Spring Open" short="Spring" {about}>'
        f'<round name="Round 1" abbreviation="R1" elimination="{elimination}" '
        f'start="2026-03-07T10:00:00+00:00">{"".join(debates)}</round>{TEAMS}</tournament>'
    )


def _batch(home: Home, tmp_path: Path, text: str, **more: Any) -> ParliamentaryBatch:
    path = tmp_path / "tab.xml"
    path.write_text(text)
    return open_debatexml(home, str(path), TranscribedSettings(**more))


def _one(home: Home, tmp_path: Path, text: str) -> ParliamentaryDebate:
    (debate,) = _batch(home, tmp_path, text).debates
    return debate


def test_a_consensus_panel_is_read_with_sides_by_their_place(home: Home, tmp_path: Path) -> None:
    debate = _one(home, tmp_path, _tournament(_debate()))
    about = debate.debate
    assert about.debate_id == "debatexml:Spring/D12"
    assert (about.round, about.room, str(about.start_date)) == ("Round 1", "Hall 7", "2026-03-07")
    assert about.motion == "This house would open all parks at night"
    assert about.info_slide == "Parks close at dusk."
    assert {each.house: (each.team, each.team_rank) for each in debate.teams} == {
        "og": ("North A", 3),
        "oo": ("South A", 2),
        "cg": ("East A", 4),
        "co": ("West A", 1),
    }
    assert {each.role: (each.speaker, each.score) for each in debate.speakers} == {
        "pm": ("Ann", 75),
        "dpm": ("Bo", 75),
        "lo": ("Cy", 78),
        "dlo": ("Di", 77),
        "mg": ("Ed", 72),
        "gw": ("Flo", 73),
        "mo": ("Gus", 80),
        "ow": ("Hal", 80),
    }
    assert {each.decided_by for each in debate.teams} == {"panel"}
    assert [(each.name, each.is_chair) for each in debate.adjudicators] == [
        ("Ida", True),
        ("Jo", False),
        ("Kit", False),
    ]


def test_a_voting_panel_leaves_ignored_ballots_out_of_its_result(
    home: Home, tmp_path: Path
) -> None:
    text = _tournament(
        _debate(
            ("A1", 'minority="False" ignored="False"', 0),
            ("A2", 'minority="False" ignored="False"', 1),
            ("A3", 'minority="True" ignored="True"', 5),
        )
    )
    debate = _one(home, tmp_path, text)
    # PM: (75 + 74) / 2, without the third's 70.
    assert scores(debate)["pm"] == 74.5
    assert scores(debate, "debatexml:Spring/A3")["pm"] == 70
    own = [each for each in debate.teams if each.decided_by == "debatexml:Spring/A3"]
    assert {each.house: each.team_rank for each in own} == RANKS
    assert json.loads(own[0].extra or "{}") == {"is_ignored": True, "is_minority": True}
    panel = [each for each in debate.teams if each.decided_by == "panel"]
    assert {each.house: each.team_rank for each in panel} == RANKS
    assert "from 2 ballots" in (panel[0].extra or "")


def test_a_ballot_of_two_is_each_ones_own(home: Home, tmp_path: Path) -> None:
    debate = _one(home, tmp_path, _tournament(_debate(("A1 A3", "", 0), ("A2", "", 3))))
    assert scores(debate, "debatexml:Spring/A1") == scores(debate, "debatexml:Spring/A3")
    # (75 + 75 + 72) / 3
    assert scores(debate)["pm"] == 74


def test_elimination_ballots_of_truths_rank_nobody(home: Home, tmp_path: Path) -> None:
    sides = "".join(
        f'<side team="T{number}"><ballot adjudicators="A1 A2 A3" rank="{2 - won}" '
        f'ignored="False">{won}</ballot></side>'
        for number, won in enumerate((True, False, True, False), start=1)
    )
    text = _tournament(f'<debate id="D1" motion="M5">{sides}</debate>', elimination="True")
    debate = _one(home, tmp_path, text)
    assert [json.loads(each.extra or "{}")["is_winner"] for each in debate.teams] == [
        True,
        False,
        True,
        False,
    ]
    assert {each.team_rank for each in debate.teams} == {None}
    assert debate.speakers == []


def test_a_forfeit_is_kept_and_removed(home: Home, tmp_path: Path) -> None:
    batch = _batch(
        home, tmp_path, _tournament(_debate(forfeit=3)), transcripts=said(tmp_path, "r1_hall_7")
    )
    (debate,) = batch.debates
    assert len(debate.speeches) == 8
    assert debate.removal == ("one_result", "a team forfeited, so nobody judged eight speeches")
    assert debate.teams == []


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('reply="False"', 'reply="True"', "OG has a reply speech, which no house has"),
        ('<side team="T4" >', '<side team="T4" ><speech speaker="S41"/>', "CO has 3 speeches"),
        ("<debate ", "<debate><side/></debate><debate ", "should be letters and digits"),
    ],
)
def test_a_debate_of_another_shape_is_quarantined(
    home: Home, tmp_path: Path, old: str, new: str, reason: str
) -> None:
    text = _tournament(_debate(), _debate(identity="D13")).replace(old, new, 1)
    batch = _batch(home, tmp_path, text)
    assert [reason in each.reason for each in batch.rejects] == [True]
    assert "D13" in {each.debate.debate_id.rpartition("/")[2] for each in batch.debates}


@pytest.mark.parametrize(("score", "kept"), [("49", None), ("n/a", None), ("78.5", 78.5)])
def test_a_score_that_is_none_is_rejected_alone(
    home: Home, tmp_path: Path, score: str, kept: float | None
) -> None:
    text = _tournament(_debate()).replace(">75<", f">{score}<", 1)
    batch = _batch(home, tmp_path, text)
    assert scores(batch.debates[0])["pm"] == kept
    assert [each.field for each in batch.rejects] == ([] if kept else ["score of PM"])


def test_a_tournament_without_a_style_is_told_by_its_sides(home: Home, tmp_path: Path) -> None:
    batch = _batch(home, tmp_path, _tournament(_debate(), about=""))
    assert any("name no style" in note for note in batch.notes)
    two = f'<debate id="D1">{_side(1, "og", (ALL,))}{_side(2, "oo", (ALL,))}</debate>'
    with pytest.raises(SourceUnreadable, match="no debate of four sides"):
        _batch(home, tmp_path, _tournament(two, about=""))


LAUGHS = "".join(f'<!ENTITY a{number} "{f"&a{number - 1};" * 10}">' for number in range(1, 10))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (_tournament(_debate(), about='style="australs"'), "style 'australs'; expected bp"),
        (
            f'<!DOCTYPE tournament [<!ENTITY a0 "ha">{LAUGHS}]><tournament name="&a9;"/>',
            "document type or entities",
        ),
        (
            '<!DOCTYPE tournament [<!ENTITY file SYSTEM "file:///etc/passwd">]>'
            '<tournament name="x">&file;</tournament>',
            "document type or entities",
        ),
        ('<!DOCTYPE tournament SYSTEM "http://127.0.0.1:9/x"><tournament/>', "document type"),
        ("<tournament><round>", "no XML that can be read"),
        ("", "no XML that can be read"),
        ("<html/>", "a document of <html>"),
        ('<tournament style="bp"/>', "has no debates"),
    ],
)
def test_what_is_no_tournament_is_refused(
    home: Home, tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(SourceUnreadable, match=message):
        _batch(home, tmp_path, text)


def test_tournaments_written_in_any_script_stay_apart(home: Home, tmp_path: Path) -> None:
    ids = {
        _one(
            home, tmp_path, _tournament(_debate()).replace('"Spring"', f'"{short}"')
        ).debate.debate_id
        for short in ("東京", "大阪", "Über", "Öber", "U\u0308ber")
    }
    assert ids == {f"debatexml:{short}/D12" for short in ("東京", "大阪", "Über", "Öber")}


def test_a_ballot_of_nobody_among_others_is_not_left_out_in_silence(
    home: Home, tmp_path: Path
) -> None:
    ballots = (("A1", "", 0), ("", "", 1), ("A3", "", 2))
    batch = _batch(home, tmp_path, _tournament(_debate(*ballots), _debate(identity="D13")))
    assert [each.debate.debate_id for each in batch.debates] == ["debatexml:Spring/D13"]
    assert [each.reason for each in batch.rejects] == [
        "one of 3 for one place names no adjudicator"
    ]


def test_an_id_of_two_teams_names_neither(home: Home, tmp_path: Path) -> None:
    text = _tournament(_debate()).replace("</tournament>", '<team id="{}" name="{}"/></tournament>')
    with pytest.raises(SourceUnreadable, match="two of <team> with the id 'T2'"):
        _batch(home, tmp_path, text.format("T2", "South B"))
    assert len(_batch(home, tmp_path, text.format("T5", "South B")).debates) == 1
