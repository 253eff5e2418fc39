from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inference_fixtures import cases, own_experiment

from inference.errors import BadItems, BadTemplate, UnknownExperiment
from inference.experiments import load_experiment
from inference.items import ItemSource
from inference.registry import spec_for
from inference.runner import run
from inference.speeches.written import REASONS, WrittenSpeech, read_speech, sentence_ends
from inference.templates import load_template, normalised_sha256

THREE = "One two three. Four five! Six seven eight nine?"


@pytest.mark.parametrize(
    ("reply", "reason"),
    cases(
        {
            "empty_response": "",
            "no_speech_tag": "A speech without tags.|<think><speech>a draft</speech></think>",
            "refused": "I’m sorry, but I can’t argue for this."
            "|<speech>I cannot write this speech.</speech>",
            "unclosed_speech": "<speech>Cut off in the mid|Only the end.</speech>"
            "|</speech>Turned round<speech>",
            "several_speeches": "<speech>One.</speech> Or: <speech>Two.</speech>"
            "|<speech>One <speech>within</speech> another.</speech>",
            "empty_speech": "<speech>  \n </speech>",
        }
    ),
)
def test_a_reply_without_one_whole_speech_is_none_and_says_why(reply: str, reason: str) -> None:
    found = read_speech(reply, 600, "stop")
    assert (found.text, found.status, found.reason) == (None, "unparsed", reason)
    assert found.words is None
    assert found.sentences_removed is None


@pytest.mark.parametrize(
    ("finish", "reason"),
    [("length", "truncated"), ("content_filter", "filtered"), ("refusal", "refused")],
)
def test_the_finish_reason_explains_only_an_unread_speech(finish: str, reason: str) -> None:
    assert read_speech("<speech>Cut off in", 600, finish).reason == reason
    assert read_speech("<speech>Whole.</speech> and on", 600, finish).text == "Whole."


@pytest.mark.parametrize(
    ("limit", "kept"),
    [
        (9, WrittenSpeech(THREE, "parsed", None, 9, 9, 0)),
        (8, WrittenSpeech("One two three. Four five!", "parsed", None, 9, 5, 1)),
        (3, WrittenSpeech("One two three.", "parsed", None, 9, 3, 2)),
        (2, WrittenSpeech(None, "unparsed", "sentence_over_limit", 9)),
    ],
)
def test_a_long_speech_loses_whole_sentences_at_its_end(limit: int, kept: WrittenSpeech) -> None:
    assert read_speech(f"Here it is:\n<Speech>\n{THREE}\n</SPEECH>", limit) == kept


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Dr. Ames spoke. He left.", ["Dr. Ames spoke.", "He left."]),
        ("It costs 3.5 pounds, e.g. here. Yes.", ["It costs 3.5 pounds, e.g. here.", "Yes."]),
        ('She said "Now." Then J. Doe left.', ['She said "Now."', "Then J. Doe left."]),
        # A small letter goes on behind a full stop alone.
        ("So it is … and more. so. End", ["So it is …", "and more. so.", "End"]),
        ("## A heading\n\n- a point\n- another", ["## A heading", "- a point", "- another"]),
        ("我们应该种树。树给人阴凉！好。", ["我们应该种树。", "树给人阴凉！", "好。"]),
        ("Wir sollten Bäume pflanzen. Ja!", ["Wir sollten Bäume pflanzen.", "Ja!"]),
        ("<script>alert(1)</script> Hello. Bye.", ["<script>alert(1)</script> Hello.", "Bye."]),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, sentences: list[str]) -> None:
    ends = sentence_ends(text)
    starts = [0, *ends[:-1]]
    found = [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    assert found == sentences


_WRITTEN = st.text(alphabet="ab .!?…\n。Éß<>/&\"'", max_size=200)


@given(written=_WRITTEN, limit=st.integers(1, 40), around=st.text(max_size=10))
def test_a_kept_speech_is_a_prefix_within_the_limit(written: str, limit: int, around: str) -> None:
    found = read_speech(f"{around}<speech>{written}</speech>", limit, "stop")
    assert (found.text is None) == (found.status == "unparsed")
    if found.text is None:
        assert found.reason in REASONS
        return
    whole = written.strip()
    assert whole.startswith(found.text)
    assert found.words == len(found.text.split()) <= limit
    assert found.words_written == len(whole.split())
    assert found.sentences_removed is not None
    assert (found.sentences_removed == 0) == (found.text == whole)
    if found.text != whole:
        ends = sentence_ends(whole)
        place = ends.index(len(found.text))
        assert found.sentences_removed == len(ends) - 1 - place
        # One sentence more would not have fitted.
        assert len(whole[: ends[place + 1]].split()) > limit


def test_the_prompt_asks_for_a_speech_and_knows_own_wordings(tmp_path: Path) -> None:
    shipped = load_template("speech_writing")
    assert (shipped.label, shipped.wording) == ("speech_writing", "equivalent")
    assert shipped.kind == "topic to speak on"
    prompt = shipped.render({"motion": "Ban <speech>tags</speech>", "word_limit": "300"})
    assert "Ban &lt;speech>tags&lt;/speech>" in prompt
    assert "about 300 words" in prompt
    own = tmp_path / "mine.txt"
    own.write_text("Speak for {TOPIC} within <speech> tags.", encoding="utf-8")
    label = f"mine@{normalised_sha256(own.read_text(encoding='utf-8'))[:8]}"
    assert load_template("mine", tmp_path).label == label
    own.write_text("Speak for {motion} and against {speech_of_con}.", encoding="utf-8")
    with pytest.raises(BadTemplate, match="speech_of_con"):
        load_template("mine", tmp_path)


def test_an_experiment_writes_two_speeches_a_topic_as_the_study_does(tmp_path: Path) -> None:
    shipped = load_experiment("speech-writing")
    assert (shipped.repeats, shipped.decoding.temperature) == (2, 1.0)
    assert (shipped.decoding.max_tokens, shipped.options.word_limit) == (1024, 600)
    with pytest.raises(UnknownExperiment, match="10 or more"):
        own_experiment(tmp_path, 'kind = "writing"\ntemplate = "x"\nword_limit = 5\n')
    with pytest.raises(UnknownExperiment, match='kind = "writing"'):
        own_experiment(tmp_path, 'template = "x"\nword_limit = 50\n')


def test_a_data_set_without_topics_is_named(tmp_path: Path) -> None:
    source = ItemSource("debates-only", tmp_path / "none.parquet")
    judge = spec_for("simulated/speaker-skilled", None)
    with pytest.raises(BadItems, match="debates-only' has no topics"):
        run(load_experiment("speech-writing"), judge, [source], journal_root=tmp_path)
