"""Judging on the dashboard: blind, part by part, and handed in as one file that the import takes."""

import json
import threading

import pytest
from changes import update
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rooms import ROOM, SECRETS, TRANSCRIPT, rooms

from dashboard.core.handing_in import name_problem
from dashboard.core.labels import escape_markdown
from dashboard.oversight.judging.form import (
    Belief,
    Drafts,
    Key,
    file_name,
    hand_in,
    state_of,
)
from dashboard.oversight.judging.panels import prose
from dashboard.oversight.judging.queries import MOST_PARTS, in_parts
from ingestion.oversight.human_judgements import read_human_judgement
from warehouse.errors import InboxRefused


@pytest.fixture
def stories(publish):
    return publish(*rooms())


def _text(app) -> str:
    shown = [
        *app.markdown,
        *app.caption,
        *app.info,
        *app.warning,
        *app.error,
        *app.code,
        *app.text,
        *app.success,
    ]
    tables = [frame.value.to_csv() for frame in app.dataframe]
    labels = [one.label for one in [*app.number_input, *app.button, *app.radio]]
    text = "\n".join([*(str(element.value) for element in shown), *tables, *labels])
    return text.replace("\\", "")


def _say(app, percent, reason="", button=None):
    if percent is not None:
        app.number_input[0].set_value(percent)
    if reason:
        app.text_area[0].set_value(reason)
    names = (button,) if button else ("Hand in", "Go on to the next part")
    next(one for one in app.button if one.label in names).click()
    return app.run()


def _handed(home) -> list:
    files = sorted(home.inbox.glob("*.json"))
    return [read_human_judgement(path.read_bytes(), path.name) for path in files]


def test_a_story_is_read_blind_part_by_part_and_handed_in_whole(open_page, stories, home):
    app = open_page("judge_yourself", person="Ada", task="story", dataset="rooms")
    seen = _text(app)
    assert "1 item of 2 judged by you here" in seen
    assert "Round one for A" in seen
    assert "Round two" not in seen
    assert "Brier score 0.250" in seen
    assert "You less people: −0.500 points" in seen
    for refused in (None, 150):
        app = _say(app, refused)
        assert app.error
        assert "Round two" not in _text(app)
    app = _say(app, 70, "mud")
    seen += _text(app)
    assert "Round two for B" in seen
    assert "You said 70.0\xa0% for A: mud" in seen
    app = _say(app, 12.5, "flour")
    assert not app.exception
    assert "Handed in" in app.success[0].value
    seen += _text(app)
    assert "**queued** → building → published" in seen
    # Neither before nor after, until it is asked for.
    assert [secret for secret in (*SECRETS, "discarded", "By the source") if secret in seen] == []
    (found,) = _handed(home)
    assert (found.item, found.item_hash, found.person) == (ROOM, f"hash of {ROOM}", "Ada")
    told = [(one.step, one.p_answer_0, one.reason) for one, _ in found.beliefs]
    assert told == [(1, 0.7, "mud"), (2, 0.125, "flour")]
    app.toggle[0].set_value(True)
    assert "answer B is right" in _text(app.run())
    assert "lab/secret-judge" in _text(app)
    app = _say(app, None, button="Next")
    assert "You have judged 2 items here" in _text(app)


def test_a_judgement_is_queued_then_built_then_published_or_refused(home):
    key = Key("Ada", "story", "rooms:1")
    path = hand_in(home, key, "hash", [], Belief(1, 0.5, "", "2026-01-01T00:00:00+00:00"))
    assert state_of(home, key, 0, is_published=False) == "queued"
    path.unlink()
    assert state_of(home, key, 0, is_published=False) == "building"
    assert state_of(home, key, 0, is_published=True) == "published"
    reason = home.inbox / "rejected" / f"{path.name}.reason.txt"
    reason.parent.mkdir()
    reason.write_text("no such room")
    assert state_of(home, key, 0, is_published=False) == "refused"
    # Why another one was refused before says nothing of this one.
    assert state_of(home, key, reason.stat().st_mtime + 1, is_published=False) == "building"


def test_a_reload_goes_on_and_another_tab_cannot_answer_again(open_page, stories, home):
    link = {"person": "Ben", "task": "story", "dataset": "stories"}
    one, other = open_page("judge_yourself", **link), open_page("judge_yourself", **link)
    assert "Whose glove was it?" in _text(one)
    _say(one, 70)
    other = _say(other, 20)
    assert "answered in another tab" in other.warning[0].value
    assert "Part 2 of 2" in _text(other)
    other = _say(other, 60)
    assert "Handed in" in other.success[0].value
    assert "answered in another tab" in _say(one, 10).warning[0].value
    (found,) = _handed(home)
    assert [belief.p_answer_0 for belief, _ in found.beliefs] == [0.7, 0.6]
    assert (found.item, found.item_hash) == (TRANSCRIPT, "whole")
    # The one and only debate there is waits in the inbox, so there is nothing more to judge.
    assert "You have judged 1 item here" in _text(one)


def test_winners_and_scores_are_asked_for_in_their_own_words(open_page, stories, home):
    app = open_page("judge_yourself", person="Ada", task="winner")
    assert app.number_input[0].label == "How likely is it, in percent, that Pro won?"
    for _ in range(MOST_PARTS):
        if not app.success:
            app = _say(app, 50)
    app = open_page("judge_yourself", person="Ada", task="speech", dataset="sample")
    assert list(app.radio[0].options) == ["1", "2", "3", "4", "5"]
    assert "Human" not in _text(app).split("Speech", 1)[1].split("Your calibration")[0]
    app.radio[0].set_value(4)
    app = _say(app, None)
    assert not app.exception
    assert {found.task: found.final.number for found in _handed(home)} == {
        "winner": 0.5,
        "speech": 4.0,
    }


def test_a_campaign_shows_agreement_as_it_grows_and_no_interim_result(open_page, publish):
    sample = "labels = 'people' and dataset_id = 'sample-debates'"
    grown = {"labels": "campaign", "raters": 2, "is_complete": False, "n_full": 30}
    grown |= {"n_raters": 3, "n_items": 30, "label_alpha": 0.625}
    publish(update("rpt_samples", sample, **grown))
    app = open_page("judge_yourself", person="Ada", task="winner", dataset="sample-debates")
    assert "0.625 on 30 items" in _text(app)
    assert not app.metric


def test_what_a_person_handed_in_stands_first_in_the_comparison(open_page, stories, home):
    app = open_page("judge_yourself", person="Ada", task="story", dataset="stories")
    app = _say(_say(app, 70), 60)
    app.toggle[0].set_value(True)
    table = next(one.value for one in app.run().dataframe if "probability of A" in one.value)
    assert table["judge"].tolist() == ["you", "lab/secret-judge"]
    assert table["probability of A"].tolist() == [0.6, 0.125]


def test_a_judge_that_scored_twice_is_told_apart_by_its_prompt(open_page, demo):
    app = open_page("judge_yourself", person="Ada", task="speech")
    app.radio[0].set_value(4)
    app = _say(app, None)
    app.toggle[0].set_value(True)
    table = next(one.value for one in app.run().dataframe if "score" in one.value)
    assert table["judge"].iloc[0] == "you"
    assert not table.duplicated(["judge", "template"]).any()
    assert table["judge"].duplicated().any()


def test_no_folder_of_the_server_is_shown(open_page, stories, home):
    key = Key("Ada", "story", TRANSCRIPT)
    rejected = home.inbox / "rejected"
    rejected.mkdir(parents=True)
    (rejected / file_name(key)).write_text("{}")
    reason = f"ingestion: {home.inbox / file_name(key)} is of another day, as {home.root} says"
    (rejected / f"{file_name(key)}.reason.txt").write_text(reason)
    app = open_page("judge_yourself", person="Ada", task="story", dataset="stories")
    assert "is of another day, as the home says" in _text(app)
    seen = _text(app)
    app = _say(_say(app, 70), 60)
    seen += _text(app)
    assert f"rostrum import inbox/{file_name(key)}" in seen
    assert str(home.root) not in seen


def test_a_home_that_cannot_be_written_to_can_be_read(open_page, stories, monkeypatch, home):
    monkeypatch.setattr("dashboard.core.handing_in.os.access", lambda *_: False)
    app = open_page("judge_yourself", person="Cleo' or '1'='1", task="story")
    assert "nothing can be handed in" in app.info[0].value
    assert app.number_input[0].disabled
    assert "Nothing that you judged is published yet" in _text(app)
    app.text_input[0].set_value("x" * 61)
    app.run()
    assert "at most 60 characters" in app.info[1].value
    assert not app.number_input


CHEAP = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
WORDS = st.lists(st.text("ab<>/v_quote*[]:", min_size=1, max_size=9), max_size=6).map(" ".join)


@CHEAP
@given(WORDS, st.sampled_from(("v_quote", "u_quote", "quote")), WORDS)
def test_prose_marks_quotes_and_runs_nothing_else(before, tag, inside):
    shown = prose(f"{before} <{tag}>{inside}</{tag}>")
    for badge in (":green-badge[✓ stands in the story]", ":orange-badge[not found in the story]"):
        shown = shown.replace(badge, "")
    bare = shown.replace("\\\\", "").replace("“", "").replace("”", "")
    specials = [at for at, letter in enumerate(bare) if letter in "<>*[]_:/"]
    assert all(bare[at - 1] == "\\" for at in specials)
    assert escape_markdown(before) in shown or "quote" in before


ROUNDS = st.lists(st.sampled_from(["1", "2", "3", None]), min_size=1, max_size=40)


@CHEAP
@given(ROUNDS, st.sampled_from(("story", "winner")))
def test_parts_hold_every_turn_once_and_in_order(rounds, task):
    turns = [{"round": name, "speaker": "pro", "text": str(at)} for at, name in enumerate(rounds)]
    parts = in_parts(task, turns)
    said = [text for part in parts for _, text in part.turns]
    assert said == [str(at) for at in range(len(rounds))]
    assert all(part.turns for part in parts)
    assert task == "story" or len(parts) <= MOST_PARTS


def test_of_many_tabs_one_answers_a_part_and_one_hands_in(home):
    drafts, key, answered = Drafts(), Key("Ada", "story", ROOM), []

    def answer(number):
        answered.append(drafts.add(key, Belief(1, number / 10, "", "2026-01-01T00:00:00Z")))

    tabs = [threading.Thread(target=answer, args=(number,)) for number in range(8)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    assert sorted(answered) == [False] * 7 + [True]
    home.ensure()
    final = Belief(2, 1.0, "half \ud800 a letter", "2026-01-01T00:00:00Z")
    path = hand_in(home, key, "h", drafts.of(key), final)
    assert json.loads(path.read_text("utf-8"))["final"]["reason"] == "half ? a letter"
    assert hand_in(home, key, "h", drafts.of(key), final) == path
    with pytest.raises(InboxRefused, match="still waits"):
        hand_in(home, key, "h", (), final._replace(step=1))
    assert name_problem("") != "" == name_problem("Zoë O'Hara <b>")


def test_what_was_typed_outlives_a_reload_until_it_is_handed_in(open_page, stories, home):
    app = open_page("judge_yourself", person="Ada", task="story")
    app.number_input[0].set_value(65)
    app.text_area[0].set_value("The quote is real.").run()
    again = open_page("judge_yourself", person="Ada", task="story")
    assert not again.exception
    assert again.number_input[0].value == 65
    assert again.text_area[0].value == "The quote is real."
    _say(again, None)
    assert again.number_input[0].value is None
    assert again.text_area[0].value == ""
    other = open_page("judge_yourself", person="Grace", task="story")
    assert other.number_input[0].value is None


def test_a_name_with_a_passphrase_is_its_owners(open_page, stories, home):
    app = open_page("judge_yourself", person="Ada", task="story")
    next(one for one in app.text_input if one.label.startswith("A passphrase")).set_value(
        "correct horse"
    ).run()
    assert app.number_input
    stranger = open_page("judge_yourself", person="Ada", task="story")
    assert not stranger.number_input
    assert "Somebody goes by this name already" in _text(stranger)
    box = next(one for one in stranger.text_input if one.label.startswith("A passphrase"))
    box.set_value("wrong").run()
    assert not stranger.number_input
    assert "not the passphrase" in _text(stranger)
    next(one for one in stranger.text_input if one.label.startswith("A passphrase")).set_value(
        "correct horse"
    ).run()
    assert stranger.number_input
