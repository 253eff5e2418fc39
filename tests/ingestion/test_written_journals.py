"""From a request for a speech to an item that judges score, and what happens to it afterwards."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import inference.kinds.speeches
from inference.experiments import load_experiment
from inference.items import find_item_sources
from inference.registry import spec_for
from inference.runner import RunSummary, run
from inference.speeches.written import TOPICS, WrittenSpeech, read_speech
from ingestion.ingest import ingest
from ingestion.journals import load_journals
from ingestion.reparse import reparse
from tests.ingestion.ingestion_files import (
    one,
    pointer,
    query,
    speech,
    speeches,
    unchanged,
    write_csv,
)
from tests.ingestion.journal_lines import HEADER, unscored_line, write_journal
from warehouse.home import Home

MODEL = HEADER["judge_id"]
ABOUT = {**HEADER, "experiment": "speech-writing"}
TEXT = "Trees give shade. Shade is good."
ITEMS = "select item_id, debate_id, source, text, word_count from raw.speeches where item_id like "


def asked(home: Home, number: int, topic: int = 100, **changes: Any) -> dict[str, Any]:
    """A line of a run that has speeches written, as the runner writes it."""
    debate_id = f"speeches:topic-{topic}"
    motion_hash = one(
        home, f"select sha256(motion) from raw.debates where debate_id = '{debate_id}'"
    )
    line = unscored_line(
        number,
        request_id=f"{number:016d}abc",
        item_id=debate_id,
        item_hash=motion_hash,
        item_kind="topic",
        template="speech_writing",
        word_limit=600,
        response=f"<speech>{TEXT}</speech>",
    )
    return {**line, **changes}


def item(number: int, topic: int = 100) -> str:
    return f"speeches:topic-{topic}@{number:016d}"


def texts(home: Home) -> dict[str, str]:
    return dict(query(home, "select item_id, text from raw.speeches where item_id like '%@%'"))


def exported(home: Home) -> set[str]:
    (source,) = find_item_sources(home.items, ["speeches"])
    return {row["item_id"] for row in pq.read_table(source.items_file).to_pylist()}


def ask(home: Home, experiment: str, judge: str) -> RunSummary:
    return run(
        load_experiment(experiment),
        spec_for(judge, None),
        find_item_sources(home.items, ["speeches"]),
        journal_root=home.journal,
    )


def test_topics_are_the_motions_of_scored_speeches_whoever_spoke(
    home: Home, tmp_path: Path
) -> None:
    machine = speech(2, topic_id="200", topic="A motion no person spoke on", source="Pipeline")
    ingest(home, "speeches", write_csv(tmp_path / "s.csv", [*speeches(2), machine]))
    (source,) = find_item_sources(home.items, ["speeches"])
    found = list(TOPICS.read(source))
    assert [(each.item_id, each.motion) for each in found] == [
        ("speeches:topic-100", "We should plant tree number 0"),
        ("speeches:topic-200", "A motion no person spoke on"),
    ]
    assert len({each.item_hash for each in found}) == 2


def test_every_reply_is_kept_and_every_speech_is_an_item(loaded: Home) -> None:
    html = "<script>alert('x')</script> Trees & <b>shade</b>."
    write_journal(
        loaded,
        ABOUT,
        asked(loaded, 1),
        asked(loaded, 2, response=f"<speech>{html}</speech>", word_limit=300),
        asked(loaded, 3, response="I am sorry, I cannot.", finish_reason="refusal"),
        asked(loaded, 4, response="<speech>cut o", finish_reason="length"),
        asked(loaded, 5, response=None, status="error", error_kind="timeout"),
        asked(loaded, 6, topic=101, item_id="speeches:nowhere", item_hash="other"),
    )
    before = exported(loaded)
    report = load_journals(loaded)
    assert [reject.field for reject in report.rejects] == ["debate_id"]
    assert query(
        loaded,
        "select item_id, parse_status, parse_reason, word_count_written, word_count, cost_usd "
        "from raw.written_speeches order by 1",
    ) == [
        (item(1), "parsed", None, 6, 6, 0.001),
        (item(2), "parsed", None, 4, 4, 0.001),
        (item(3), "unparsed", "refused", None, None, 0.001),
        (item(4), "unparsed", "truncated", None, None, 0.001),
        (item(5), "not_answered", None, None, None, 0.001),
    ]
    assert query(loaded, ITEMS + "'%@%' order by 1") == [
        (item(1), "speeches:topic-100", MODEL, TEXT, 6),
        (item(2), "speeches:topic-100", f"{MODEL} (speech_writing, 300 words)", html, 4),
    ]
    assert exported(loaded) - before == {item(1), item(2)}
    with unchanged(loaded):
        assert load_journals(loaded).tables == {}


def test_loading_the_data_set_again_leaves_its_written_speeches(
    loaded: Home, tmp_path: Path
) -> None:
    write_journal(loaded, ABOUT, asked(loaded, 1), asked(loaded, 2, topic=101))
    load_journals(loaded)
    before = query(loaded, ITEMS + "'%@%' order by 1")
    rows = speeches(40)
    rows[0]["text"] = "Changed."
    ingest(loaded, "speeches", write_csv(tmp_path / "again.csv", rows))
    assert query(loaded, ITEMS + "'%@%' order by 1") == before
    assert {item(1), item(2, 101)} <= exported(loaded)

    # A speech on a motion that is another now says nothing of this one.
    for row in rows[:2]:
        row["topic"] = "We should fell tree number 0"
    ingest(loaded, "speeches", write_csv(tmp_path / "moved.csv", rows))
    assert texts(loaded).keys() == {item(2, 101)}
    assert item(1) not in exported(loaded)


def test_a_topic_known_by_its_motion_alone_keeps_its_speeches_when_it_gets_an_id(
    home: Home, tmp_path: Path
) -> None:
    unrated = [
        {name: row[name] for name in ("id", "topic", "source", "text")} for row in speeches(2)
    ]
    ingest(home, "speeches", write_csv(tmp_path / "unrated.csv", unrated))
    ask(home, "speech-writing", "simulated/speaker-skilled")
    load_journals(home)
    written = texts(home)
    assert len(written) == 2
    ingest(home, "speeches", write_csv(tmp_path / "rated.csv", speeches(2)))
    assert texts(home) == written
    assert one(home, "select distinct debate_id from raw.speeches") == "speeches:topic-100"
    assert one(home, "select distinct debate_id from raw.written_speeches") == "speeches:topic-100"
    # The journal is read again where it has grown, and names the id of before.
    ask(home, "speech-writing", "simulated/speaker-plain")
    load_journals(home)
    assert len(texts(home)) == 4
    assert one(home, "select count(*) from raw.quarantine") == 0


def test_a_judge_is_asked_about_new_speeches_alone(loaded: Home) -> None:
    first = ask(loaded, "speech-score", "simulated/faithful")
    ask(loaded, "speech-writing", "simulated/speaker-reluctant")
    load_journals(loaded)
    written = len(texts(loaded))
    assert 20 < written < 40
    again = ask(loaded, "speech-score", "simulated/faithful")
    assert (first.answered, again.answered, again.reused) == (40, written, 40)
    load_journals(loaded)
    counts = query(
        loaded,
        "select count(*), count(distinct item_id), count(distinct request_id), "
        "count(*) filter (value is null) from raw.scores",
    )
    assert counts == [(80 + written, 40 + written, 40 + written, 0)]


def test_reading_again_updates_the_items(loaded: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    long = "One two three. " * 5

    def worse(response: str, word_limit: int, finish_reason: str | None) -> WrittenSpeech:
        """Cuts within a sentence, and finds a speech in every refusal."""
        if "sorry" in response:
            return WrittenSpeech(response, "parsed", None, 2, 2, 0)
        found = read_speech(response, 600, finish_reason)
        return found._replace(text=str(found.text)[:11], words=3)

    write_journal(
        loaded,
        ABOUT,
        asked(loaded, 1, response=f"<speech>{long}</speech>", word_limit=10),
        asked(loaded, 2, response="I am sorry."),
    )
    with monkeypatch.context() as patch:
        patch.setattr(inference.kinds.speeches, "read_speech", worse)
        load_journals(loaded)
    assert texts(loaded) == {item(1): "One two thr", item(2): "I am sorry."}
    assert reparse(loaded, is_dry=True).changed == 2
    assert len(texts(loaded)) == 2
    report = reparse(loaded)
    assert [(change.before, change.after) for change in report.changes] == [
        ("3 words", "9 words"),
        ("2 words", "unparsed: refused"),
    ]
    assert texts(loaded) == {item(1): "One two three. One two three. One two three."}
    assert item(2) not in exported(loaded)
    assert reparse(loaded).changed == 0


def test_of_two_replies_to_one_request_the_later_is_the_item(loaded: Home) -> None:
    write_journal(loaded, ABOUT, asked(loaded, 1))
    fresh = {**ABOUT, "run_id": f"{ABOUT['run_id']}2"}
    later = asked(
        loaded,
        1,
        response="<speech>A second thought.</speech>",
        answered_at="2026-02-01T10:00:01.500000+00:00",
    )
    write_journal(loaded, fresh, later, run_id=fresh["run_id"])
    load_journals(loaded)
    assert texts(loaded) == {item(1): "A second thought."}
    assert pointer(loaded, "speeches")["rows"] == 41
