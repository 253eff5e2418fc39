"""The verification queue: what a correction changed, and what a person's decision hands in."""

import json
from datetime import UTC, datetime

import pytest
from changes import ROLES, TRANSCRIPT, transcripts, update
from hypothesis import given
from hypothesis import strategies as st
from shown import text

from dashboard.core import handing_in
from dashboard.parliamentary.transcripts import review as transcript_review
from dashboard.parliamentary.transcripts.diff import Piece, diff_markdown, word_diff
from dashboard.parliamentary.transcripts.verification import (
    REJECT,
    VERIFY,
    Segment,
    hand_in,
    problems,
    waiting,
)

WHOLE = [Segment(at, role, f"I am {role}.") for at, role in enumerate(ROLES, start=1)]


@pytest.fixture
def queued(publish):
    return publish(*transcripts())


def _decide(app, name: str, *, by: str = "Ada"):
    box = next(one for one in app.text_input if one.label == "Your name")
    box.set_value(by)
    next(one for one in app.button if one.label == name).click()
    return app.run()


def _field(boxes, label: str):
    return next(one for one in boxes if one.label == label)


def _inbox(home) -> list[dict]:
    return [json.loads(path.read_text("utf-8")) for path in sorted(home.inbox.iterdir())]


def test_the_queue_says_what_waits_and_shows_error_rates_beside_their_limit(shown_page, queued):
    app = shown_page("transcripts")
    assert "#### 2 of 3 transcripts wait for a person to verify them; in 1 not all" in text(app)
    table = app.dataframe[0].value
    assert list(table["transcript"]) == [TRANSCRIPT, "quarter-final", "semi-final"]
    assert list(table["word error rate"]) == [0.042] * 3
    assert list(table["limit of a segment"]) == [0.1] * 3
    # Two wait, one of them whole: no figure may say that one waits.
    assert "Waiting" not in [one.label for one in app.metric]


def test_a_diff_marks_content_apart_from_dress():
    pieces = word_diff("we must not right this down", "We must not write this down.")
    assert pieces == [
        Piece("dressed", "We"),
        Piece("same", "must not"),
        Piece("removed", "right"),
        Piece("added", "write"),
        Piece("same", "this"),
        Piece("dressed", "down."),
    ]
    assert diff_markdown(pieces[1:4]) == (
        "must not :orange-background[~~right~~] :blue-background[**write**]"
    )


WORDS = st.lists(st.text(alphabet="abAB.,-é1", min_size=1, max_size=4), max_size=12).map(" ".join)


@given(WORDS, WORDS)
def test_a_diff_loses_no_word_of_either_text(raw, corrected):
    pieces = word_diff(raw, corrected)
    after = " ".join(piece.text for piece in pieces if piece.kind != "removed")
    assert after.split() == corrected.split()
    before = sum(len(piece.text.split()) for piece in pieces if piece.kind != "added")
    assert before == len(raw.split())
    removed = [word for piece in pieces if piece.kind == "removed" for word in piece.text.split()]
    assert all(word in raw.split() for word in removed)


def test_a_waiting_transcript_shows_each_part_with_its_text_role_and_times(shown_page, queued):
    app = shown_page("transcripts", transcript=TRANSCRIPT)
    titles = [one.label for one in app.expander]
    assert titles[0] == "1. Prime Minister (PM) · 0:00–7:00 · 1 word changed"
    assert titles[1].endswith("4 words changed · ⚠ correction not used")
    assert ":orange-background[~~write~~] :blue-background[**right**]" in text(app)
    # A correction over the limit does not stand: the raw text is what the person begins with.
    assert _field(app.text_area, "Text of part 1").value.startswith("Madam Speaker, we propose")
    assert _field(app.text_area, "Text of part 2").value.startswith("madam speaker we propose")


def test_verifying_hands_in_what_the_person_left(open_page, queued, home):
    app = open_page("transcripts", transcript=TRANSCRIPT)
    _field(app.text_area, "Text of part 2").set_value("Madam Speaker, no.")
    _decide(app, "Verify", by=" Ada ")
    assert not app.exception
    assert not app.error
    assert app.success[0].value.startswith("Handed in as verified: `")
    (content,) = _inbox(home)
    assert datetime.fromisoformat(content.pop("at")).tzinfo is not None
    segments = content.pop("segments")
    assert content == {
        "kind": "transcript_verification",
        "transcript_id": TRANSCRIPT,
        "decision": "verify",
        "by": "Ada",
    }
    assert [(one["position"], one["role"]) for one in segments] == list(enumerate(ROLES, start=1))
    assert segments[1]["text"] == "Madam Speaker, no."
    assert segments[2]["text"] == "Madam Speaker, we propose that dpm is right about this."
    assert any(code.value.startswith(f"rostrum import {home.inbox}") for code in app.code)


def test_rejecting_needs_a_name_and_no_roles(open_page, queued, home):
    app = open_page("transcripts", transcript="quarter-final")
    _decide(app, "Reject", by="  ")
    assert "Nobody is named" in app.error[0].value
    assert _inbox(home) == []
    _decide(app, "Reject")
    assert [one["decision"] for one in _inbox(home)] == ["reject"]


def test_a_missing_speech_is_refused_until_the_person_cuts_it_out(open_page, queued, home):
    app = open_page("transcripts", transcript="quarter-final")
    _decide(app, "Verify")
    assert "No part is the speech of the Opposition Whip (OW)." in app.error[0].value
    assert _inbox(home) == []
    _field(app.selectbox, "Part 8 is the speech of").set_value("ow")
    _field(app.text_area, "Text of part 8").set_value("We close.")
    _decide(app, "Verify")
    (content,) = _inbox(home)
    assert content["segments"][-1] == {"position": 8, "role": "ow", "text": "We close."}


def test_a_transcript_that_was_decided_can_be_read_and_not_decided_again(open_page, queued):
    app = open_page("transcripts", transcript="semi-final")
    assert "Decided by Ada, 2026-03-01 12:00 UTC." in text(app)
    assert not app.text_area
    assert [one.label for one in app.button if one.label in ("Verify", "Reject")] == []


def test_a_home_that_cannot_be_written_to_can_still_be_read(open_page, queued, home, monkeypatch):
    with monkeypatch.context() as closed:
        closed.setattr(handing_in.os, "access", lambda *_: False)
        app = open_page("transcripts", transcript=TRANSCRIPT)
    assert "cannot write to the inbox of its home, so transcripts can be read but not" in text(app)
    assert all(one.disabled for one in app.button if one.label in ("Verify", "Reject"))

    def refuse(*_):
        raise PermissionError(f"no write to {home.inbox}")

    monkeypatch.setattr(transcript_review, "hand_in", refuse)
    app = _decide(open_page("transcripts", transcript=TRANSCRIPT), "Verify")
    assert not app.exception
    assert "nothing was handed in" in app.error[0].value
    assert not app.success


def test_a_text_that_changed_meanwhile_is_never_handed_in_as_the_one_that_was_read(
    open_page, queued, home, publish
):
    app = open_page("transcripts", transcript=TRANSCRIPT)
    _field(app.text_area, "Text of part 1").set_value("An edit of the old text.")
    heard = dict.fromkeys(("corrected_text", "current_text"), "Heard anew.")
    anew = update("dim_transcript_segment", "position = 1", **heard)
    publish(*transcripts(), anew, number=2)
    _decide(app, "Verify")
    assert _inbox(home) == []
    assert _field(app.text_area, "Text of part 1").value == "Heard anew."


def test_each_role_is_there_once_and_has_a_text():
    assert problems(VERIFY, "Ada", WHOLE) == []
    twice = [*WHOLE[:-1], Segment(8, "pm", "Me again.")]
    said = " ".join(problems(VERIFY, "Ada", twice))
    assert "Parts 1 and 8 are both the speech of the Prime Minister (PM)" in said
    assert "No part is the speech of the Opposition Whip (OW)" in said
    empty = [WHOLE[0]._replace(text=" \n"), *WHOLE[1:]]
    assert problems(VERIFY, "Ada", empty) == ["The speech of the Prime Minister (PM) is empty."]
    assert problems(REJECT, "Ada", []) == []


def test_a_decision_waits_under_its_own_transcript_and_what_is_no_speech_is_left_out(home):
    home.ensure()
    at = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
    talk = Segment(9, None, "Order, order.")
    path = hand_in(home, "../a b/ü", VERIFY, "Ada", [*WHOLE, talk], at)
    assert path.parent == home.inbox
    assert path.name == "verification-..-a-b--20260301T123000Z.json"
    content = json.loads(path.read_text("utf-8"))
    assert content["transcript_id"] == "../a b/ü"
    assert [one["position"] for one in content["segments"]] == list(range(1, 9))
    hand_in(home, "cup-final", REJECT, "Ada", [], at)
    assert [one.name for one in waiting(home, "cup")] == []
    assert [one.name for one in waiting(home, "cup-final")] == [
        "verification-cup-final-20260301T123000Z.json"
    ]
