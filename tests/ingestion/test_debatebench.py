"""DebateBench: transcripts and results that belong together for certain, and why others do not."""

import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import SourceUnreadable, UnknownSource
from ingestion.ingest import ingest
from ingestion.parliamentary.batch import ParliamentaryBatch
from ingestion.parliamentary.readers import debatebench
from ingestion.parliamentary.readers.debatebench import Row, open_debatebench, read_results
from ingestion.parliamentary.settings import AliasSettings
from ingestion.parliamentary.sources.debatebench import REPO
from ingestion.reading import Reading
from tests.ingestion.hub_stub import REVISION, serve_hub
from tests.ingestion.ingestion_files import item_rows, query, write_csv
from tests.ingestion.parliamentary_files import release, row, tagged, workbook
from warehouse.home import Home

Release = Callable[..., ParliamentaryBatch]


@pytest.fixture
def read(home: Home, tmp_path: Path) -> Release:
    """Reads a release of rows and transcripts, without loading it."""

    def read(
        rows: Sequence[Mapping[str, Any]], transcripts: Mapping[str, str], **settings: str
    ) -> ParliamentaryBatch:
        folder = release(tmp_path / "release", rows, transcripts)
        return open_debatebench(home, str(folder), AliasSettings(**settings))

    return read


def _matches(batch: ParliamentaryBatch) -> list[tuple[str | None, str | None, str, str]]:
    return [(each.transcript, each.result_row, each.status, each.reason) for each in batch.matches]


def _removals(batch: ParliamentaryBatch) -> dict[str, tuple[str, str] | None]:
    return {each.debate.debate_id.partition(":")[2]: each.removal for each in batch.debates}


def _counts(batch: ParliamentaryBatch) -> list[tuple[int, int, int]]:
    """How many speeches, results of houses and scores each debate has."""
    return [(len(each.speeches), len(each.teams), len(each.speakers)) for each in batch.debates]


def test_titles_are_compared_by_their_letters_and_digits(home: Home, tmp_path: Path) -> None:
    folder = release(
        tmp_path / "release",
        [row("LSE Open 2023 - Round 5"), row("Harbour Open 2023 Round 1")],
        {"lse_open_2023_round_5": tagged(), "Harbour Open 2023 Round 10": tagged("tea")},
    )
    report = ingest(home, "debatebench", folder)
    assert query(
        home,
        "select transcript, result_row, status from raw.transcript_matches order by match_order",
    ) == [
        ("Harbour Open 2023 Round 10", None, "missing"),
        ("lse_open_2023_round_5", "LSE Open 2023 - Round 5 (row 2)", "matched"),
        (None, "Harbour Open 2023 Round 1 (row 3)", "missing"),
    ]
    assert query(
        home, "select candidates from raw.transcript_matches where candidates is not null"
    ) == [('["Harbour Open 2023 Round 1"]',)]
    (debate,) = item_rows(home, "debatebench", "parliamentary")
    assert debate["debate_id"] == "debatebench:lse-open-2023-round-5"
    assert debate["motion"] is None
    assert query(home, "select house, team_rank from raw.team_results order by team_rank") == [
        ("cg", 1),
        ("og", 2),
        ("oo", 3),
        ("co", 4),
    ]
    # GW stands before MO in the workbook, and after it in the debate.
    assert query(
        home, "select role, score from raw.speaker_results where score > 77 order by 2"
    ) == [("gw", 78.0), ("mg", 79.0)]
    assert query(
        home,
        "select rule, reason from raw.debate_filters where is_removed",
    ) == [("one_result", "no row of results has this title")]
    assert "transcripts matched: 1" in report.notes
    assert "rows of results without a transcript: 1" in report.notes
    assert ingest(home, "debatebench", folder).load_id is None


def test_titles_with_strange_spaces_and_without_a_letter(read: Release) -> None:
    rows = [row("The Long\n\u00a0 Open Round 1"), row("--"), row("x" * 251), row(None)]  # type: ignore[arg-type]
    transcripts = {"the long open round 1": tagged(), "--": tagged(), "\ufdfa" * 60: tagged()}
    batch = read(rows, transcripts)
    assert _matches(batch) == [
        ("the long open round 1", "The Long Open Round 1 (row 2)", "matched", "the same title")
    ]
    assert [each.reason.partition(";")[0] for each in batch.rejects] == [
        *["should be the debate's title"] * 3,
        *["its file's name should be the debate's title"] * 2,
    ]


def test_an_alias_of_the_user_brings_them_together_and_one_of_no_row_is_rejected(
    read: Release, tmp_path: Path
) -> None:
    aliases = write_csv(
        tmp_path / "aliases.csv",
        [
            {"transcript": "dox_4_r1", "result": "Doxbridge 4, Round 1"},
            {"transcript": "B", "result": "A"},
            {"transcript": "x", "result": "Nowhere"},
        ],
    )
    rows = [row("Doxbridge 4 Round 1"), row("A")]
    transcripts = {"dox 4 R1": tagged(), "A": tagged("milk"), "B": tagged("tea")}
    batch = read(rows, transcripts, aliases=str(aliases))
    claimed = (None, "ambiguous", "2 transcripts claim this row")
    assert _matches(batch) == [
        ("A", *claimed),
        ("B", *claimed),
        ("dox 4 R1", "Doxbridge 4 Round 1 (row 2)", "matched", "named in the file of aliases"),
    ]
    assert _counts(batch) == [(8, 0, 0), (8, 0, 0), (8, 4, 8)]
    assert [each.reason for each in batch.rejects] == [
        "no row of results has this title; found 'Nowhere'"
    ]


def test_two_rows_of_one_title_are_ambiguous_unless_they_say_the_same(read: Release) -> None:
    rows = [row("A"), row("a", PM=70), row("B"), row("B ")]
    batch = read(rows, {"A": tagged(), "B": tagged()})
    assert _matches(batch) == [
        ("A", None, "ambiguous", "2 rows of this title have other results"),
        ("B", "B (row 4)", "matched", "the same title"),
    ]
    assert batch.matches[0].candidates == ("A (row 2)", "a (row 3)")
    assert _removals(batch)["a"] == ("one_result", "2 rows of this title have other results")
    assert "rows of results that are there more than once, read once: 1" in batch.notes


def test_a_transcript_with_seven_speeches_or_swapped_tags_is_kept_and_not_judged(
    read: Release,
) -> None:
    order = ["lo", "pm", "dpm", "dlo", "mg", "mo", "gw", "ow"]
    transcripts = {"A": tagged(order=["pm", *order[2:]]), "B": tagged(order=order)}
    batch = read([row("A"), row("B")], transcripts)
    assert _removals(batch) == {
        "a": ("eight_speeches", "no speech of LO"),
        "b": ("eight_speeches", "out of order: LO, PM, DPM, DLO, MG, MO, GW, OW"),
    }
    assert _counts(batch) == [(7, 4, 8), (8, 4, 8)]


def test_a_score_that_is_none_is_rejected_alone(read: Release) -> None:
    cells = {"A": "78", "B": "n/a", "C": 49.5, "D": 101, "E": True, "F": "=1+77"}
    rows = [row(title, DLO=cell) for title, cell in cells.items()]
    batch = read(rows, {title: tagged(title) for title in cells})
    assert _counts(batch) == [(8, 4, 7)] * 6
    assert not any(each.role == "dlo" for debate in batch.debates for each in debate.speakers)
    assert set(_removals(batch).values()) == {None}
    # A formula is never computed, and no value was stored with it.
    assert "scores that are blank: 1" in batch.notes
    assert [(each.record, each.field) for each in batch.rejects] == [
        (f"row {number}", "DLO") for number in range(2, 7)
    ]
    for reject in batch.rejects:
        assert reject.reason.startswith("should be a number from 50 to 100; found ")


def test_a_score_that_fits_no_float_is_rejected_alone() -> None:
    reading = Reading("scores.xlsx")
    cells = {name.casefold(): cell for name, cell in row("A", DLO=10**400).items()}
    ((result,),) = read_results([Row(2, cells)], reading).values()
    assert len(result.sheet.speeches) == 7
    assert [(each.record, each.field) for each in reading.rejects] == [("row 2", "DLO")]


def test_a_ranking_with_a_house_twice_is_none_and_one_against_the_scores_is_said_and_stays(
    read: Release,
) -> None:
    rows = [row("A", First="OG", Second="CG"), row("B", LO=76), row("C", Second="CG")]
    batch = read(rows, {title: tagged(title) for title in "ABC"})
    assert [each.reason for each in batch.rejects] == [
        "First to Fourth should name each of OG, OO, CG and CO once; found CG, CG, OO, CO"
    ]
    assert [note for note in batch.notes if "contradicts" in note] == [
        "A (row 2): the ranking contradicts the scores: OG is before CG with 151 to 157",
        "B (row 3): the ranking contradicts the scores: OG is before OO with 151 to 151",
    ]
    assert _counts(batch) == [(8, 4, 8), (8, 4, 8), (8, 0, 8)]
    first = [each.house for debate in batch.debates for each in debate.teams if each.team_rank == 1]
    assert first == ["og", "cg"]
    said = ["contradiction" in (each.debate.extra or "") for each in batch.debates]
    assert said == [True, True, False]


def test_transcripts_of_one_title_with_other_words_are_rejected(read: Release) -> None:
    transcripts = {"A": tagged(), "a_": tagged("tea"), "B": tagged(), "b_": tagged()}
    batch = read([row("A"), row("B")], transcripts)
    assert [each[:3] for each in _matches(batch)] == [
        ("A", None, "ambiguous"),
        ("B", "B (row 3)", "matched"),
    ]
    assert "transcripts that are there more than once, read once: 1" in batch.notes
    assert [each.record for each in batch.rejects] == ["transcript 'A'"]


def test_motions_come_from_a_file_and_those_of_nobody_are_said(
    read: Release, tmp_path: Path
) -> None:
    motions = tmp_path / "motions.csv"
    motions.write_text(
        "debate,motion,info_slide,is_contentious\n"
        "a,This house would,,yes\nZ,Unused,,\nB,One,,\nb,Two,,\nC,M,,perhaps\n"
    )
    batch = read([row("A"), row("B")], {"A": tagged(), "B": tagged()}, motions=str(motions))
    assert [
        (each.debate.motion, each.debate.info_slide, each.debate.is_contentious)
        for each in batch.debates
    ] == [("This house would", None, True), (None, None, None)]
    assert [each.field for each in batch.rejects] == ["motion", "is_contentious"]
    assert "rows of the motions file that name no debate: 1 (z)" in batch.notes


def _zip(path: Path | BytesIO, members: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def test_every_way_it_may_lie_there_gives_the_same(home: Home, tmp_path: Path) -> None:
    book = workbook(tmp_path / "scores.xlsx", [row("A")])
    text = {"Cleaned Speeches/A.txt": tagged().encode(), "__MACOSX/._A.txt": b"x"}
    inner = BytesIO()
    _zip(inner, text)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "scores.xlsx").write_bytes(book.read_bytes())
    (folder / "Cleaned Speeches.zip").write_bytes(inner.getvalue())
    (folder / "README.txt").write_text("not a transcript")
    _zip(tmp_path / "all.zip", {"x/scores.xlsx": book.read_bytes(), "x/s.zip": inner.getvalue()})
    assert ingest(home, "debatebench", folder).new == 1 + 2 + 1 + 8 + 1 + 4 + 8 + 1
    for place in (folder / "scores.xlsx", tmp_path / "all.zip"):
        assert ingest(home, "debatebench", place).load_id is None
    plain = {"transcripts": str(folder / "Cleaned Speeches.zip")}
    assert ingest(home, "debatebench", book, settings=plain).load_id is None


def test_it_is_fetched_from_the_hub_and_only_from_there(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = BytesIO()
    _zip(packed, {"Cleaned Speeches/A.txt": tagged().encode()})
    book = workbook(tmp_path / "scores.xlsx", [row("A")]).read_bytes()
    files = {"README.md": b"# a", "scores.xlsx": book, "Cleaned Speeches.zip": packed.getvalue()}
    with serve_hub(REPO, files) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        report = ingest(home, "debatebench", f"hf://datasets/{REPO}")
        asked = len(hub.requests)
        with pytest.raises(UnknownSource, match="expected hf://datasets/utkarsh2105/DebateBench"):
            ingest(home, "debatebench", "hf://datasets/MrinalA2009/DebateBench")
        assert len(hub.requests) == asked
    assert "transcripts matched: 1" in report.notes
    origins = {
        json.loads(path.read_text())["origin"] for path in home.landing.glob("*/manifest.json")
    }
    at = f"hf://datasets/{REPO}@{REVISION}"
    assert origins == {f"{at}/scores.xlsx", f"{at}/Cleaned Speeches.zip"}


def test_a_folder_that_is_another_debatebench_is_told_so(home: Home, tmp_path: Path) -> None:
    (tmp_path / "debates.json").write_text("[]")
    with pytest.raises(SourceUnreadable, match="Several things are called DebateBench"):
        ingest(home, "debatebench", tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    workbook(other / "scores.xlsx", [{"Model": "x", "Elo": 1}], ("Model", "Elo"))
    (other / "a.txt").write_text(tagged())
    with pytest.raises(SourceUnreadable, match="has the columns model, elo; expected each of"):
        ingest(home, "debatebench", other)


def test_a_workbook_without_transcripts_says_how_to_name_them(home: Home, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    book = workbook(tmp_path / "sub" / "scores.xlsx", [row("A")])
    with pytest.raises(SourceUnreadable, match="--transcripts FOLDER"):
        ingest(home, "debatebench", book)


def test_what_is_no_workbook_or_unpacks_to_too_much_is_refused(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = release(tmp_path / "release", [row("A")], {"A": tagged()})
    monkeypatch.setattr(debatebench, "_UNPACKED_AT_MOST", 300)
    with pytest.raises(SourceUnreadable, match="expected a table of results"):
        ingest(home, "debatebench", folder)
    monkeypatch.setattr(debatebench, "_UNPACKED_AT_MOST", 100)
    with pytest.raises(SourceUnreadable, match="files of transcripts"):
        ingest(home, "debatebench", folder)
    for content in (b"no zip", b"PK\x05\x06" + b"\0" * 18):
        (folder / "scores.xlsx").write_bytes(content)
        monkeypatch.undo()
        with pytest.raises(SourceUnreadable, match="cannot be read as a workbook"):
            ingest(home, "debatebench", folder)


def test_a_workbook_that_defines_entities_is_refused(home: Home, tmp_path: Path) -> None:
    folder = release(tmp_path / "release", [row("A")], {"A": tagged()})
    book = folder / "scores.xlsx"
    with zipfile.ZipFile(book) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    bomb = b'<!DOCTYPE x [<!ENTITY a "1"><!ENTITY b "&a;&a;">]>'
    members[sheet] = bomb + members[sheet].removeprefix(b"<?xml version='1.0' encoding='UTF-8'?>")
    _zip(book, members)
    with pytest.raises(SourceUnreadable, match="cannot be read as a workbook"):
        ingest(home, "debatebench", folder)
