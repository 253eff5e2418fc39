"""NYU's rooms: beliefs as verdicts of people, roles, quotes, and the real rooms."""

import gzip
import json
import math
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import SourceUnreadable
from ingestion.ingest import ingest
from tests.ingestion.debate_files import (
    belief,
    removed_by,
    room,
    rooms_file,
    said,
    write_json,
)
from tests.ingestion.ingestion_files import check_rejects, is_empty, one, query, unchanged
from warehouse.home import Home

_VERDICTS = (
    "select judge_id, mode, is_interactive, step, is_final, choice, p_pro from raw.human_verdicts "
    "order by is_interactive desc, step"
)


def test_every_belief_of_every_judge_becomes_a_row(home: Home, tmp_path: Path) -> None:
    path = rooms_file(tmp_path, {"frost-0": room()})
    report = ingest(home, "nyu-debates", path)
    assert report.quarantined == 0
    with unchanged(home):
        assert ingest(home, "nyu-debates", path).load_id is None
    assert query(home, _VERDICTS) == [
        ("nyu-debates:Judy", "live", True, 0, False, "tie", 0.5),
        ("nyu-debates:Judy", "live", True, 1, False, "con", 0.3),
        ("nyu-debates:Judy", "live", True, 2, True, "con", 0.1),
        ("nyu-debates:Otto", "stepped", False, 0, False, "tie", 0.5),
        ("nyu-debates:Otto", "stepped", False, 1, False, "tie", 0.5),
        ("nyu-debates:Otto", "stepped", False, 2, True, "pro", 0.8),
    ]
    final = query(
        home,
        "select explanation, judged_at, protocol, extra from raw.human_verdicts "
        "where is_final and is_interactive",
    )[0]
    assert final[:3] == ("B it is.", datetime(2023, 3, 24, 21, 0, 49, 313000), "debate")
    assert json.loads(final[3]) == {"p_correct": 0.9}


def test_rooms_on_one_story_share_a_cluster(home: Home, tmp_path: Path) -> None:
    rooms = {"a": room(), "b": room(), "c": room()}
    for name, article in (("a", "51461"), ("b", "51461"), ("c", None)):
        (story,) = rooms[name]["setup"]["sourceMaterial"].values()
        story.update(articleId=article, title=None)
    ingest(home, "nyu-debates", rooms_file(tmp_path, rooms))
    assert query(home, "select debate_id, cluster_id from raw.debates order by 1") == [
        ("nyu-debates:a", "nyu-debates:story 51461"),
        ("nyu-debates:b", "nyu-debates:story 51461"),
        # Without a number or a title the text itself tells the story.
        ("nyu-debates:c", "nyu-debates:story e821fc8fbdfb"),
    ]
    assert query(home, "select count(*), count(distinct story_id) from raw.stories") == [(2, 2)]


def test_a_room_is_a_debate_between_its_two_answers(home: Home, tmp_path: Path) -> None:
    ingest(home, "nyu-debates", rooms_file(tmp_path, {"frost-0": room()}))
    motion, context, rounds, end_side, form = query(
        home, "select motion, context, round_count, end_side, format from raw.debates"
    )[0]
    assert (motion, rounds, end_side, form) == (" What is it? ", 2, "con", "story-debate")
    assert "Pro argues for the answer: Ice" in context
    assert query(
        home,
        "select side, speaker_role, speaker, round, text from raw.speeches order by speech_order",
    ) == [
        ("pro", "debater", "Ann", "1", "It is <quote>all ice</quote>"),
        ("con", "debater", "Ben", "1", "No."),
        (None, "judge", "Judy", "1", "Say more."),
        ("pro", "debater", "Ann", "2", "More."),
        ("con", "debater", "Ben", "2", "Less."),
        (None, "judge", "Judy", "2", "B it is."),
    ]
    assert query(
        home,
        "select criterion, decided_by, is_primary, winner, margin from raw.debate_outcomes "
        "order by 1",
    ) == [
        ("correct_answer", "answer_key", False, "con", None),
        ("live_judge", "live_judge", True, "con", 0.8),
    ]


def test_the_last_belief_of_a_room_that_goes_on_is_no_verdict(home: Home, tmp_path: Path) -> None:
    going = room()
    going["rounds"] = going["rounds"][:3]
    ingest(home, "nyu-debates", rooms_file(tmp_path, {"a": going}))
    assert one(home, "select count(*) from raw.human_verdicts where is_final") == 0
    assert query(home, "select criterion from raw.debate_outcomes") == [("correct_answer",)]
    assert removed_by(home) == {"a": "unfinished"}


def test_rooms_that_are_no_debate_say_why(home: Home, tmp_path: Path) -> None:
    alone = room(
        [
            {"SequentialSpeeches": {"speeches": {"1": said("Ben", "No.")}}},
            {"JudgeFeedback": belief(0.2, ends=True)},
        ],
        roles={"Debater B": "Ben", "Judge": "Judy"},
    )
    half = room([{"SimultaneousSpeeches": {"speeches": {"1": said("Ben", "No.")}}}])
    agreed = room([*room()["rounds"][1:2], {"NegotiateEnd": {"votes": {"0": True, "1": True}}}])
    ingest(
        home,
        "nyu-debates",
        rooms_file(tmp_path, {"alone": alone, "half": half, "waiting": room([]), "agreed": agreed}),
    )
    assert removed_by(home) == {
        "alone": "consultancy",
        "half": "silent_side",
        "waiting": "nothing_said",
        "agreed": "kept",
    }
    # A consultancy's judge is a person's verdict all the same.
    assert query(home, "select protocol, choice from raw.human_verdicts") == [
        ("consultancy", "con")
    ]


def test_the_repositorys_folder_is_read_with_its_metadata(home: Home, tmp_path: Path) -> None:
    write_json(tmp_path / "pub" / "official" / "frost-0.json", room())
    about = [{"name": "frost-0", "includedInPaper": True, "status": {"Complete": {}}}]
    write_json(tmp_path / "pub" / "debates-metadata.json", about)
    report = ingest(home, "nyu-debates", tmp_path / "pub")
    assert report.tables["debates"].new == 1
    extra = json.loads(one(home, "select extra from raw.debates"))
    assert (extra["included_in_paper"], extra["status"]) == (True, "Complete")


BROKEN: list[tuple[dict[str, Any], str, str]] = [
    ({"answers": ["one"]}, "setup.answers", "should be two answers"),
    ({"correctAnswerIndex": 2}, "setup.correctAnswerIndex", "should be 0 or 1"),
    ({"question": None}, "setup.question", "should be text"),
    ({"rounds_": [{"JudgeFeedback": {"distribution": [0.5, 0.6]}}]}, "rounds[0]", "sum to 1"),
    ({"rounds_": [{"JudgeFeedback": {"distribution": [1]}}]}, "rounds[0]", "two probabilities"),
    ({"rounds_": [{"JudgeFeedback": {}, "Other": {}}]}, "rounds[0]", "one kind of round"),
    (
        {"rounds_": [{"SequentialSpeeches": {"speeches": {"0": {"content": [{"Text": {}}]}}}}]},
        "rounds[0]",
        "a segment without text",
    ),
]


def test_broken_rooms_are_quarantined(home: Home, tmp_path: Path) -> None:
    broken = {f"bad-{n}": room(**changes) for n, (changes, _, _) in enumerate(BROKEN)}
    path = rooms_file(tmp_path, {"good": room(), **broken})
    report = ingest(home, "nyu-debates", path, max_rejected=0.9)
    assert report.tables["debates"].new == 1
    check_rejects(report.rejects, BROKEN, first=2, place="line {}")


def test_a_cut_file_of_rooms_loads_nothing_and_says_the_byte(home: Home, tmp_path: Path) -> None:
    path = rooms_file(tmp_path, {"a": room(), "b": room()})
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(SourceUnreadable, match=r"line 2: is not valid JSON at byte [\d,]+ "):
        ingest(home, "nyu-debates", path)
    packed = tmp_path / "cut.jsonl.gz"
    packed.write_bytes(gzip.compress(b'{"room": "a", "data": {}}\n' * 1000)[:-20])
    with pytest.raises(SourceUnreadable, match="damaged archive"):
        ingest(home, "nyu-debates", packed)
    assert is_empty(home)


@pytest.mark.shared
def test_the_real_rooms_load_whole_and_their_verdicts_are_as_published(
    home: Home, shared_data: Path
) -> None:
    path = shared_data / "nyu_debates" / "rooms.jsonl.gz"
    report = ingest(home, "nyu-debates", path)
    assert report.quarantined == 0
    counts = {
        table: report.tables[table].new for table in ("debates", "stories", "reading_questions")
    }
    assert counts == {"debates": 321, "stories": 91, "reading_questions": 214}
    assert query(
        home,
        "select mode, count(*), count(*) filter (where is_final) from raw.human_verdicts "
        "group by 1 order by 1",
    ) == [("live", 1213, 255), ("stepped", 372, 111), ("timed", 22, 22)]
    metadata = [json.loads(line) for line in (path.parent / "metadata.jsonl").open()]
    published = {
        f"nyu-debates:{row['name']}": (
            info["finalJudgement"],
            info["judgeReward"],
            info["numContinues"],
        )
        for row in metadata
        if (info := ((row["status"].get("Complete") or {}).get("result") or {}).get("judgingInfo"))
    }
    found = query(
        home,
        "select debate_id, p_pro, extra::json->>'p_correct', step from raw.human_verdicts "
        "where is_final and mode = 'live'",
    )
    assert len(found) == len(published) == 255
    for debate_id, p_pro, p_correct, step in found:
        judgement, reward, continues = published[debate_id]
        assert p_pro == pytest.approx(judgement[0], abs=1e-9)
        assert continues == step
        assert math.log2(float(p_correct)) - 0.05 * continues == pytest.approx(reward, abs=1e-6)
    assert (
        one(
            home,
            "select count(*) from raw.debates where extra::json->>'included_in_paper' = 'true'",
        )
        == 201
    )
