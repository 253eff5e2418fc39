"""Tabs as a user loads them: with transcripts and motions of his own, once and again."""

import zipfile
from pathlib import Path

import pytest

from ingestion.errors import SourceUnreadable, TooManyRejected
from ingestion.ingest import ingest
from ingestion.parliamentary import files as bp_files
from ingestion.parliamentary.files import read_small_files
from ingestion.parliamentary.readers.tabbycat_documents import plain_text
from ingestion.parliamentary.tagged import name_of
from tests.ingestion.ingestion_files import query
from tests.ingestion.tab_files import as_file, ballot, documents, sheet, tagged
from warehouse.home import Home
from warehouse.records.core import Dataset

OF = Dataset("tabbycat", "Tabs", "none")
LOCAL = "tab.example.org/spring"
ID = f"tabbycat:{LOCAL}"
PANEL = {"pm": 75, "lo": 78, "dpm": 75, "dlo": 77, "mg": 72, "mo": 80, "gw": 73, "ow": 80}


@pytest.fixture
def tab(tmp_path: Path) -> Path:
    found = documents({number: [ballot(sheet())] for number in (7, 8, 9)})
    found["venues"][2]["display_name"] = "Hall 8"
    return as_file(tmp_path / "tab.json", found)


@pytest.fixture
def said(tmp_path: Path) -> Path:
    folder = tmp_path / "transcripts"
    folder.mkdir()
    (folder / "spring_open_round_1_hall_7.txt").write_text(tagged())
    (folder / "Round 1 Hall 8.txt").write_text(tagged())
    (folder / "Round 9 Hall 1.txt").write_text(tagged())
    return folder


def test_a_tab_is_loaded_with_transcripts_and_motions_and_again_without_a_trace(
    home: Home, tmp_path: Path, tab: Path, said: Path
) -> None:
    motions = tmp_path / "motions.csv"
    motions.write_text("title,info_slide,is_contentious\nR1 Hall 7,Parks are green.,true\n")
    settings = {"transcripts": str(said), "motions": str(motions)}
    report = ingest(home, "tabbycat", str(tab), settings=settings)
    assert report.tables["debates"].new == 3
    assert report.tables["speeches"].new == 8
    assert query(
        home,
        "select debate_id, rule, reason from raw.debate_filters order by debate_id",
    ) == [
        (f"{ID}/7", "kept", None),
        (f"{ID}/8", "eight_speeches", "no transcript"),
        (f"{ID}/9", "eight_speeches", "no transcript"),
    ]
    # Two rooms go by the name of the second transcript, and none by that of the third.
    assert query(
        home,
        "select status, transcript, result_row, debate_id from raw.transcript_matches "
        "order by status, transcript, result_row",
    ) == [
        ("ambiguous", "Round 1 Hall 8.txt", None, None),
        ("matched", "spring_open_round_1_hall_7.txt", f"{LOCAL}/7", f"{ID}/7"),
        ("missing", "Round 9 Hall 1.txt", None, None),
        ("missing", None, f"{LOCAL}/8", None),
        ("missing", None, f"{LOCAL}/9", None),
    ]
    assert query(
        home,
        "select motion, context, extra ->> 'is_contentious', extra ->> 'room' from raw.debates "
        f"where debate_id = '{ID}/7'",
    ) == [("This house would open all parks at night", "Parks are green.", "true", "Hall 7")]
    scores = "select role, score from raw.speaker_results where decided_by = 'panel'"
    assert dict(query(home, f"{scores} and debate_id = '{ID}/7'")) == PANEL
    again = ingest(home, "tabbycat", str(tab), settings=settings)
    assert all(each.new == each.updated == 0 for each in again.tables.values())


def test_two_transcripts_of_one_room_are_both_ambiguous(home: Home, tab: Path, said: Path) -> None:
    (said / "R1 Hall 7.txt").write_text(tagged())
    ingest(home, "tabbycat", str(tab), settings={"transcripts": str(said)})
    assert query(
        home, f"select rule, reason from raw.debate_filters where debate_id = '{ID}/7'"
    ) == [("eight_speeches", "2 transcripts have the name of this room")]
    assert query(home, "select count(*) from raw.speeches") == [(0,)]


def test_the_name_of_a_transcript_may_hold_anything(home: Home, tmp_path: Path, tab: Path) -> None:
    path = tmp_path / "said.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("Round\x1b[31m\n1 Hall 7.txt", tagged())
        archive.writestr("../../x.txt", tagged())
    ingest(home, "tabbycat", str(tab), settings={"transcripts": str(path)})
    assert query(
        home,
        "select transcript from raw.transcript_matches where transcript is not null order by 1",
    ) == [("../../x.txt",), ("Round [31m 1 Hall 7.txt",)]
    assert not (tmp_path.parent / "x.txt").exists()


def test_a_tab_may_be_a_data_set_of_its_own(home: Home, tab: Path) -> None:
    ingest(home, "tabbycat", str(tab), settings={"dataset": "spring-open"})
    assert query(home, "select distinct dataset_id from raw.team_results") == [("spring-open",)]


def test_what_is_larger_than_any_tab_is_refused_without_being_unpacked(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bp_files, "MAX_FILE", 1_000)
    monkeypatch.setattr(bp_files, "MAX_FILES", 3)
    bomb, many = tmp_path / "bomb.zip", tmp_path / "many.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rounds.json", b" " * 1_000_000)
    with zipfile.ZipFile(many, "w") as archive:
        for number in range(4):
            archive.writestr(f"{number}.json", b"[]")
    for path in (bomb, many):
        with pytest.raises(SourceUnreadable, match="is larger than any such source"):
            read_small_files(home, str(path), OF, (".json",))


def test_a_damaged_archive_and_a_missing_folder_are_named(home: Home, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.zip", tmp_path / "cut.zip"
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rounds.json", bytes(range(256)) * 40)
    content = bytearray(whole.read_bytes())
    content[60:80] = bytes(20)
    cut.write_bytes(content)
    with pytest.raises(SourceUnreadable, match="is a damaged archive"):
        read_small_files(home, str(cut), OF, (".json",))
    with pytest.raises(SourceUnreadable, match="does not exist"):
        read_small_files(home, str(tmp_path / "nowhere"), OF, (".json",))


def test_links_out_of_a_folder_are_not_followed(home: Home, tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('"mine"')
    folder = tmp_path / "tab"
    folder.mkdir()
    (folder / "rounds.json").symlink_to(secret)
    assert read_small_files(home, str(folder), OF, (".json",)).files == {}


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("This house would", "This house would"),
        ("<p>One</p><p>Two &lt; three</p>", "One\n\nTwo < three"),
        ("One<br/>Two", "One\nTwo"),
        ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
        ("Where 3 < 4 and 5 > 4", "Where 3 < 4 and 5 > 4"),
        ("<script>alert(1)</script>Words<style>p {}</style>", "Words"),
        ('<img src="https://elsewhere.example/x.png" onerror="x()">Words', "Words"),
        ("a<b>c</b> <!-- not this -->d", "ac d"),
        ("<a " * 30_000, "<a " * 29_999 + "<a"),
        ("  \n ", None),
        (None, None),
        (7, None),
    ],
)
def test_simple_html_becomes_text(text: object, plain: str | None) -> None:
    assert plain_text(text) == plain


def test_names_are_one_line_without_control_characters() -> None:
    assert name_of(" Ann\x1b[31m\nof\tNorth ") == "Ann [31m of North"
    assert name_of("\u202e") is None
    assert name_of(12) == "12"
    assert len(name_of("x" * 1_000) or "") == 300


def tab_with_bad_scores(path: Path, bad: int) -> Path:
    """A tab of three rooms, each with eight scores and four ranks; bad scores one a room."""
    ballots = {}
    for number in (1, 2, 3):
        one = sheet()
        if number <= bad:
            one["teams"][0]["speeches"][0]["score"] = 750
        ballots[number] = [ballot(one)]
    return as_file(path, documents(ballots))


def test_one_bad_score_is_quarantined_and_the_rest_of_its_tab_is_kept(
    home: Home, tmp_path: Path
) -> None:
    # One of three rooms, and one of 36 cells: at most 5 % may be rejected.
    report = ingest(home, "tabbycat", str(tab_with_bad_scores(tmp_path / "tab.json", 1)))
    assert (report.tables["debates"].new, report.quarantined) == (3, 1)
    assert query(
        home, "select count(*), count(score) from raw.speaker_results where decided_by = 'panel'"
    ) == [(24, 23)]
    assert query(home, "select record, field, reason from raw.quarantine") == [
        (
            "round 1, pairing 1, sheet of the panel",
            "score of PM",
            "should be a number from 50 to 100; found 750",
        ),
    ]


def test_a_tab_is_refused_by_its_share_of_bad_cells(home: Home, tmp_path: Path) -> None:
    # Two of 36 cells are 5.6 %.
    path = tab_with_bad_scores(tmp_path / "tab.json", 2)
    with pytest.raises(TooManyRejected, match="2 of 36 cells break the contract, at most 5% may"):
        ingest(home, "tabbycat", str(path))
    report = ingest(home, "tabbycat", str(path), max_rejected=0.06)
    assert (report.tables["debates"].new, report.quarantined) == (3, 2)
