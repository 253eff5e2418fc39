"""What people judge on the dashboard: loaded once, as theirs, or refused with a reason."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingestion.batch import Counts
from ingestion.errors import SourceUnreadable
from ingestion.imports import import_file
from ingestion.ingest import ingest
from ingestion.oversight.human_judgements import read_human_judgement
from orchestration.commands.ingest import Import
from orchestration.loads import settle
from tests.ingestion.debate_files import ddo_debate
from tests.ingestion.ingestion_files import one, query
from tests.ingestion.transcript_rows import add_transcript
from warehouse.home import Home
from warehouse.raw import append_rows
from warehouse.writer import open_writer

AT = "2026-03-01T12:00:00+01:00"
SPEECH = "speeches:s-3"
TRANSCRIPT = "stories:q1@abc"
ROOM = "rooms:one"


def _judgement(task: str, item: str, item_hash: str, **changes: Any) -> dict[str, Any]:
    asked = {"story": "p_answer_0", "winner": "p_pro", "speech": "value"}[task]
    numbers = [4] if task == "speech" else [0.7, 0.5, 0.25]
    steps = [
        {"step": step, asked: number, "reason": f"reason {step}", "at": AT}
        for step, number in enumerate(numbers, start=1)
    ]
    whole = {
        "kind": "human_judgement",
        "schema_version": 1,
        "task": task,
        "item": item,
        "item_hash": item_hash,
        "person": "Ada",
        "steps": steps[:-1],
        "final": steps[-1],
    }
    if task == "speech":
        whole["dimension"] = "goodopeningspeech"
    return {**whole, **changes}


def _write(folder: Path, content: Any, name: str = "judgement.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(content, ensure_ascii=True), encoding="utf-8")
    return path


@pytest.fixture
def stories(loaded: Home) -> Home:
    """A home with speeches, a room of people, and a debate that models had."""
    with open_writer(loaded, "test") as connection:
        of_debate = (
            "select 'rooms:one' as debate_id, 'rooms' as dataset_id, 'f' as _source_file, "
            "now() as _loaded_at, "
        )
        append_rows(
            connection,
            "debates",
            f"{of_debate} 'Who?' as motion, 'story-consultancy' as format",
        )
        append_rows(
            connection,
            "speeches",
            f"{of_debate} 'rooms:one:1' as item_id, 's' as source, 'Me.' as text, "
            "1 as word_count, 'h' as item_hash",
        )
    add_transcript(loaded, TRANSCRIPT, "stories:q1")
    return loaded


def test_a_debate_about_a_story_becomes_a_row_per_step(stories: Home, tmp_path: Path) -> None:
    path = _write(tmp_path, _judgement("story", TRANSCRIPT, "whole"))
    assert import_file(stories, path).tables == {"human_verdicts": Counts(new=3)}
    noon = datetime(2026, 3, 1, 11)
    assert query(
        stories,
        "select step, is_final, choice, p_pro, explanation from raw.human_verdicts order by step",
    ) == [
        (1, False, "pro", 0.7, "reason 1"),
        (2, False, "tie", 0.5, "reason 2"),
        (3, True, "con", 0.25, "reason 3"),
    ]
    assert query(
        stories,
        "select distinct debate_id, judge_id, protocol, mode, is_interactive, judged_at, "
        "extra::json->>'item_hash' from raw.human_verdicts",
    ) == [(TRANSCRIPT, "stories:dashboard/Ada", "debate", "dashboard", False, noon, "whole")]


def test_the_first_judgement_stands_and_later_ones_are_counted(
    stories: Home, tmp_path: Path
) -> None:
    first = _judgement("speech", SPEECH, _hash(stories))
    path = _write(tmp_path, first)
    assert import_file(stories, path).load_id is not None
    assert import_file(stories, path).load_id is None
    later = _write(tmp_path, {**first, "final": {**first["final"], "value": 2}}, "later.json")
    report = import_file(stories, later)
    assert report.quarantined == 1
    assert "has judged speeches:s-3 already" in report.rejects[0].reason
    assert import_file(stories, later).load_id is None
    rated = "from raw.human_ratings where annotator_id = 'speeches:dashboard/Ada'"
    assert query(stories, f"select item_id, dimension, value {rated}") == [
        (SPEECH, "goodopeningspeech", 4)
    ]
    other = _write(tmp_path, {**first, "person": "Ben"}, "ben.json")
    assert import_file(stories, other).tables == {"human_ratings": Counts(new=1)}


def _hash(home: Home) -> str:
    return str(one(home, f"select item_hash from raw.speeches where item_id = '{SPEECH}'"))


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"item": "speeches:none"}, "nothing of that name is loaded"),
    ({"task": "winner", "dimension": None}, "p_pro"),
    ({"item_hash": "other"}, "not what stands there"),
    ({"final": {"step": 1, "value": 9, "at": AT}}, "expected 1 to 5"),
    ({"final": {"step": 1, "value": True, "at": AT}}, "truth value"),
    ({"final": {"step": 1, "value": 3, "p_pro": 0.5, "at": AT}}, "value alone"),
    ({"final": {"step": 1, "value": 3, "at": "yesterday"}}, "should be a time"),
    ({"dimension": "charm"}, "does not ask about"),
    ({"person": "a\nb"}, "control characters"),
    ({"person": "x" * 61}, "60"),
    ({"schema_version": 2}, "schema_version"),
    ({"models": "lab/model"}, "models"),
]


def test_what_cannot_be_used_is_refused_with_the_reason(stories: Home) -> None:
    stories.inbox.mkdir(exist_ok=True)
    good = _judgement("speech", SPEECH, _hash(stories))
    for number, (changes, reason) in enumerate(REFUSED):
        path = _write(stories.inbox, {**good, **changes}, f"{number}.json")
        with pytest.raises(SourceUnreadable, match=reason), settle(stories, path, is_inbox=True):
            import_file(stories, path)
        told = (stories.inbox / "rejected" / f"{number}.json.reason.txt").read_text()
        assert reason in told
    assert one(stories, "select count(*) from raw.loads where source = 'human_judgements'") == 0


def test_a_file_of_the_inbox_leaves_it_whoever_imports_it(stories: Home, tmp_path: Path) -> None:
    stories.inbox.mkdir(exist_ok=True)
    good = _judgement("speech", SPEECH, _hash(stories))
    waiting, elsewhere = _write(stories.inbox, good), _write(tmp_path, good)
    for path in (waiting, elsewhere):
        Import(path=path).load(stories, print)
    assert (waiting.exists(), elsewhere.exists()) == (False, True)


def test_a_task_takes_only_what_it_is_about(stories: Home, tmp_path: Path) -> None:
    winner = _judgement("winner", ROOM, "any")
    with pytest.raises(SourceUnreadable, match="the task 'winner' is about"):
        import_file(stories, _write(tmp_path, winner))
    hashes = one(stories, "select left(sha256('h'), 16)")
    room = _write(tmp_path, _judgement("story", ROOM, hashes), "room.json")
    import_file(stories, room)
    assert one(stories, "select any_value(protocol) from raw.human_verdicts") == "consultancy"


def test_a_source_that_comes_again_keeps_what_readers_judged(home: Home, tmp_path: Path) -> None:
    debates = tmp_path / "debates.json"
    users = tmp_path / "users.json"
    users.write_text("{}")
    debates.write_text(json.dumps({"one": ddo_debate()}))
    ingest(home, "ddo", debates)
    debate_id = one(home, "select debate_id from raw.debates")
    item_hash = one(
        home,
        "select left(sha256(string_agg(item_hash, chr(10) order by speech_order)), 16) "
        "from raw.speeches",
    )
    import_file(home, _write(tmp_path, _judgement("winner", debate_id, item_hash)))
    debates.write_text(json.dumps({"one": ddo_debate(category="Arts")}))
    assert ingest(home, "ddo", debates).updated
    assert one(home, "select count(*) from raw.human_verdicts where mode = 'dashboard'") == 3


_NUMBERS = st.floats(allow_nan=True, allow_infinity=True) | st.integers() | st.none() | st.text()


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(p=_NUMBERS, steps=st.lists(st.integers(-1, 5), max_size=3), person=st.text(max_size=5))
def test_whatever_a_file_holds_is_a_judgement_or_refused(
    p: Any, steps: list[int], person: str
) -> None:
    content = _judgement(
        "story",
        TRANSCRIPT,
        "h",
        person=person,
        steps=[{"step": step, "p_answer_0": 0.5, "at": AT} for step in steps],
        final={"step": 4, "p_answer_0": p, "at": AT},
    )
    try:
        found = read_human_judgement(json.dumps(content).encode(), "file")
    except SourceUnreadable:
        return
    assert 0 <= found.final.number <= 1
    assert [belief.step for belief, _ in found.beliefs] == [*steps, 4] == sorted({*steps, 4})
    assert found.person == found.person.strip() != ""
