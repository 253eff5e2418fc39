"""IQ2 in both of its forms: sides, roles, the swing of the polls, and what bad input gets."""

import json
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import SourceUnreadable
from ingestion.ingest import ingest
from tests.ingestion.debate_files import (
    convokit_folder,
    iq2_debate,
    iq2_turn,
    polls,
    removed_by,
    transcript,
    write_json,
)
from tests.ingestion.ingestion_files import check_rejects, is_empty, one, query, unchanged
from warehouse.home import Home

EARLY, LATE = "PerformanceEnhancingDrugs-011508", "040914%20Millennials"


def _original(folder: Path, **debates: Any) -> Path:
    return write_json(folder / "iq2_data_release.json", debates)


def test_everybody_who_speaks_is_kept_with_side_and_role(home: Home, tmp_path: Path) -> None:
    report = ingest(home, "iq2", _original(tmp_path, **{EARLY: iq2_debate()}))
    assert report.quarantined == 0
    assert query(
        home, "select side, speaker_role, round, speaker from raw.speeches order by speech_order"
    ) == [
        (None, "host", "introduction", "Robert R."),
        (None, "moderator", "introduction", "John D."),
        ("pro", "debater", "discussion", "Ann A."),
        ("con", "debater", "discussion", "Ben B."),
        (None, "audience", "discussion", "audience"),
        ("pro", "debater", "conclusion", "Ann A."),
        ("con", "debater", "conclusion", "Ben B."),
        (None, "moderator", "conclusion", "John D."),
    ]
    assert query(home, "select text, extra from raw.speeches where speech_order = 3") == [
        ("Trees think.\n\nThey do.", '{"nontext": {"applause": [[1, 2]]}}')
    ]
    assert query(
        home, "select debate_id, motion, end_side, round_count, start_date from raw.debates"
    ) == [(f"iq2:{EARLY}", "Trees Think", "con", 3, date(2008, 1, 15))]


def test_the_winner_is_the_side_that_gained_more(home: Home, tmp_path: Path) -> None:
    path = _original(
        tmp_path,
        # Con is ahead after the debate; pro gained more.
        swing=iq2_debate(results=polls((10, 30), (60, 61))),
        # 0.1 + 0.2 is not 0.3 in floating point.
        tie=iq2_debate(results=polls((20.1, 20.4), (30.2, 30.5))),
        con=iq2_debate(results=polls((40, 30), (40, 35))),
        none=iq2_debate(results={"pre": {"for": 1, "against": 2, "undecided": 97}}),
        missing=iq2_debate(results=None),
        bare=iq2_debate(
            results={
                "pre": {"for": 1, "against": 2},
                "post": {"for": "5", "against": 3},
            }
        ),
    )
    ingest(home, "iq2", path)
    assert query(
        home,
        "select debate_id, winner, margin, score_pro, score_con from raw.debate_outcomes "
        "where criterion = 'vote_swing' and decided_by = 'live_audience' and is_primary order by 1",
    ) == [
        ("iq2:bare", "pro", 3.0, 4.0, 1.0),
        ("iq2:con", "con", 5.0, -10.0, -5.0),
        ("iq2:swing", "pro", 19.0, 20.0, 1.0),
        ("iq2:tie", "tie", 0.0, 0.3, 0.3),
    ]
    assert removed_by(home) == {
        "swing": "kept",
        "con": "kept",
        "bare": "kept",
        "tie": "tie",
        "none": "no_votes",
        "missing": "no_votes",
    }
    extra = one(home, "select extra from raw.debate_outcomes where debate_id = 'iq2:swing'")
    assert json.loads(extra)["breakdown"] == {"against_against": 30}


def test_a_speaker_type_nobody_knows_is_kept_and_counted(home: Home, tmp_path: Path) -> None:
    said = [*transcript(), iq2_turn("panelist", speaker="Pat P."), iq2_turn("mod", " ")]
    report = ingest(home, "iq2", _original(tmp_path, a=iq2_debate(transcript=said)))
    assert "turns of speaker type 'panelist', kept without a side: 1" in report.notes
    assert "turns without any text, not loaded: 1" in report.notes
    assert query(
        home,
        "select speaker_role, side, speaker from raw.speeches order by speech_order desc limit 1",
    ) == [("other", None, "Pat P.")]


def test_a_debate_with_one_silent_side_is_kept_out_of_the_judges_sight(
    home: Home, tmp_path: Path
) -> None:
    said = [turn for turn in transcript() if turn["speakertype"] != "against"]
    ingest(home, "iq2", _original(tmp_path, a=iq2_debate(transcript=said)))
    assert query(home, "select rule, reason from raw.debate_filters") == [
        ("silent_side", "con says nothing")
    ]


@pytest.mark.parametrize("is_old", [False, True])
def test_both_forms_become_the_same_debates(home: Home, tmp_path: Path, is_old: bool) -> None:
    debates = {EARLY: iq2_debate(), LATE: iq2_debate(results=polls((30, 30), (40, 55)))}
    ingest(home, "iq2", _original(tmp_path, **debates))
    wanted = (
        "select debate_id, item_id, speech_order, round, side, speaker_role, text, item_hash "
        "from raw.speeches order by all"
    )
    before = query(home, wanted), query(home, "from raw.debate_filters order by all")
    report = ingest(home, "iq2", convokit_folder(tmp_path / "corpus", debates, is_old=is_old))
    assert (report.quarantined, "read as a ConvoKit corpus" in report.notes) == (0, True)
    assert report.tables["speeches"].new == 0
    after = query(home, wanted), query(home, "from raw.debate_filters order by all")
    assert [row[0] for row in after[1]] == [row[0] for row in before[1]]
    assert after[0] == before[0]


def test_a_corpus_in_a_zip_is_read_where_it_lies(home: Home, tmp_path: Path) -> None:
    folder = convokit_folder(tmp_path / "iq2-corpus", {EARLY: iq2_debate()})
    path = tmp_path / "iq2_corpus.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in folder.iterdir():
            archive.write(each, f"iq2-corpus/{each.name}")
            archive.writestr(f"__MACOSX/iq2-corpus/{each.name}", b"junk")
    assert ingest(home, "iq2", path).tables["speeches"].new == 8
    with unchanged(home):
        assert ingest(home, "iq2", path).load_id is None
    assert one(home, "select distinct _source_file from raw.speeches").endswith("/iq2_corpus.zip")


def test_a_winner_that_the_polls_contradict_is_counted_and_the_polls_decide(
    home: Home, tmp_path: Path
) -> None:
    folder = convokit_folder(tmp_path / "corpus", {EARLY: iq2_debate()})
    conversations = json.loads((folder / "conversations.json").read_text())
    conversations["0"]["meta"]["winner"] = "against"
    write_json(folder / "conversations.json", conversations)
    report = ingest(home, "iq2", folder)
    assert "debates whose named winner is not the polls', the polls counted: 1" in report.notes
    assert one(home, "select winner from raw.debate_outcomes") == "pro"


BROKEN = [
    ({"transcript": None}, "transcript", "should be a valid list"),
    ({"transcript": []}, "transcript", "is empty"),
    ({"transcript": [{"speaker": "A"}]}, "transcript[0].paragraphs", "is missing"),
    ({"title": None}, "title", "should be the motion"),
    ({"results": polls((10, 130))}, "results", "is no percentage"),
    ({"results": polls((60, 30), (60, 30))}, "results", "add up to 120 percent"),
]


def test_broken_debates_are_quarantined(home: Home, tmp_path: Path) -> None:
    bad = {f"d{number}": iq2_debate(**row[0]) for number, row in enumerate(BROKEN, start=2)}
    path = _original(tmp_path, good=iq2_debate(), **bad)
    rejects = ingest(home, "iq2", path, max_rejected=1).rejects
    check_rejects(rejects, BROKEN, first=2, place="record {0} ('d{0}')")


def test_an_utterance_of_no_conversation_is_quarantined(home: Home, tmp_path: Path) -> None:
    folder = convokit_folder(tmp_path / "corpus", {EARLY: iq2_debate()})
    with (folder / "utterances.jsonl").open("a") as file:
        file.write(json.dumps({"id": "x", "conversation_id": "lost", "text": "Hello?"}) + "\n")
    (found,) = ingest(home, "iq2", folder, max_rejected=0.5).rejects
    assert "'lost' is not among the conversations" in found.reason


def test_a_cut_corpus_loads_nothing_and_says_the_byte(home: Home, tmp_path: Path) -> None:
    folder = convokit_folder(tmp_path / "corpus", {EARLY: iq2_debate(), LATE: iq2_debate()})
    lines = folder / "utterances.jsonl"
    content = lines.read_bytes()
    start = content.rindex(b'{"id"')
    lines.write_bytes(content[: start + 20])
    with pytest.raises(SourceUnreadable, match=f"line 16 of the utterances, at byte {start:,}"):
        ingest(home, "iq2", folder)
    assert is_empty(home)


def test_a_corpus_without_conversations_is_refused(home: Home, tmp_path: Path) -> None:
    folder = convokit_folder(tmp_path / "corpus", {EARLY: iq2_debate()})
    (folder / "conversations.json").unlink()
    with pytest.raises(SourceUnreadable, match=r"has no conversations\.json; it has corpus\.json"):
        ingest(home, "iq2", folder)


@pytest.mark.parametrize("name", ["utterances.jsonl", "utterances.json"])
def test_utterances_nested_too_deep_are_refused(home: Home, tmp_path: Path, name: str) -> None:
    folder = convokit_folder(tmp_path / "corpus", {"a": iq2_debate()})
    (folder / "utterances.jsonl").unlink()
    (folder / name).write_text("[" * 100_000 + "]" * 100_000)
    with pytest.raises(SourceUnreadable, match=r"utterances.* not valid JSON"):
        ingest(home, "iq2", folder)
