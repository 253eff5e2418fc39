"""What people decide about disagreements: kept whole with author and time, or refused."""

import contextlib
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.reviews.form import hand_in, is_waiting
from ingestion.batch import Counts
from ingestion.errors import SourceUnreadable
from ingestion.imports import import_file
from ingestion.reviews import DOCUMENT, read_review
from orchestration.loads import settle
from tests.ingestion.ingestion_files import query
from warehouse.errors import InboxRefused
from warehouse.home import Home
from warehouse.writer import open_writer

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
ROW = {
    "disagreement_id": "0123456789abcdef",
    "disagreement_kind": "people",
    "unit_kind": "speech",
    "unit_id": "speeches:s-3",
    "dataset_id": "speeches",
    "judge_id": "openai/x",
    "template": "speech_score",
    "dimension": "goodopeningspeech",
    "response_id": "run#1",
    "size": 0.5,
}
COLUMNS = "disagreement_id, person, decision, tags, comment, decided_at"


@pytest.fixture
def judged(loaded: Home) -> Home:
    """A home with speeches, and a judge."""
    with open_writer(loaded, "test") as connection:
        connection.execute(
            "insert into raw.judges (judge_id, provider, model, settings, settings_hash, "
            "_source_file, _loaded_at) values ('openai/x', 'openai', 'x', '{}', 'h', 'f', now())"
        )
    return loaded


def _load(home: Home, path: Path) -> Any:
    with settle(home, path, is_inbox=True):
        return import_file(home, path)


def test_a_decision_keeps_author_time_tags_and_comment(judged: Home) -> None:
    path = hand_in(judged, ROW, "Ada", "both", ["close call", " a  b "], " It's <b>hard</b>. ", AT)
    assert DOCUMENT.is_in(path)
    assert is_waiting({path.name}, ROW["disagreement_id"], "Ada")
    assert not is_waiting({path.name}, ROW["disagreement_id"], "Bob")
    assert _load(judged, path).tables == {"reviews": Counts(new=1)}
    kept = ("Ada", "both", '["close call", "a b"]', "It's <b>hard</b>.", AT.replace(tzinfo=None))
    assert query(judged, f"select {COLUMNS} from raw.reviews") == [(ROW["disagreement_id"], *kept)]
    assert not path.exists()


def test_a_later_decision_is_kept_beside_the_earlier_one(judged: Home) -> None:
    for at, decision in ((AT, "judge"), (AT + timedelta(seconds=1), "others")):
        _load(judged, hand_in(judged, ROW, "Ada", decision, at=at))
    found = query(judged, "select decision from raw.reviews order by decided_at")
    assert found == [("judge",), ("others",)]


def test_loading_a_decision_again_changes_nothing(judged: Home) -> None:
    first = hand_in(judged, ROW, "Ada", "judge", at=AT)
    assert _load(judged, first).load_id is not None
    assert _load(judged, hand_in(judged, ROW, "Ada", "judge", at=AT)).load_id is None
    assert query(judged, "select count(*) from raw.reviews") == [(1,)]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"unit_id": "speeches:none"}, "speeches:none"),
        ({"judge_id": "openai/nobody"}, "openai/nobody"),
        ({"unit_kind": "debate"}, "speeches:s-3"),
        ({"decision": "nobody"}, "decision"),
        ({"disagreement_id": "../../x"}, "disagreement_id"),
        ({"person": "x" * 61}, "person"),
    ],
)
def test_what_cannot_be_loaded_is_refused_and_loses_nothing(
    judged: Home, changes: dict[str, str], told: str
) -> None:
    _load(judged, hand_in(judged, ROW, "Ada", "judge", at=AT))
    good = json.loads(hand_in(judged, ROW, "Ada", "both", at=AT).read_text("utf-8"))
    bad = judged.inbox / "review-bad.json"
    bad.write_text(json.dumps({**good, **changes}), encoding="utf-8")
    with pytest.raises(SourceUnreadable, match=told):
        _load(judged, bad)
    assert told in (judged.inbox / "rejected" / "review-bad.json.reason.txt").read_text("utf-8")
    assert query(judged, "select person, decision from raw.reviews") == [("Ada", "judge")]


def test_two_decisions_at_the_same_moment_do_not_lose_one(judged: Home) -> None:
    hand_in(judged, ROW, "Ada", "judge", at=AT)
    with pytest.raises(InboxRefused):
        hand_in(judged, ROW, "Ada", "both", at=AT)


@given(
    st.dictionaries(st.text(max_size=8), st.text(max_size=8))
    | st.lists(st.integers())
    | st.text()
    | st.builds(
        lambda name, value: {
            "kind": "disagreement_review",
            "schema_version": 1,
            **{key: one for key, one in ROW.items() if key != "size"},
            "person": "Ada",
            "decision": "both",
            "tags": [],
            "comment": None,
            "at": "2026-03-01",
            name: value,
        },
        st.sampled_from([*ROW, "person", "at", "tags", "comment"]),
        st.none() | st.integers() | st.lists(st.integers(), min_size=1) | st.just("\ud800"),
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_file_holds_is_a_decision_or_says_why_it_is_none(content: Any) -> None:
    with contextlib.suppress(SourceUnreadable):
        assert read_review(json.dumps(content).encode(), "review.json").decision == "both"
