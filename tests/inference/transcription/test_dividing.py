from pathlib import Path

import pytest

from inference.errors import TranscriptionFailed
from inference.parliamentary.transcription.records import Utterance
from inference.parliamentary.transcription.segments import Segmented, read_turns, segment
from inference.parliamentary.transcription.transcript_files import read_transcript, role_of
from warehouse.records.bp import ROLES

TAGGED = "\n".join(f"<{role.upper()}>\nI am {role}.\n</{role.upper()}>" for role in ROLES)


def divided(tmp_path: Path, text: str, ending: str = ".txt") -> Segmented:
    path = tmp_path / f"a{ending}"
    path.write_text(text, encoding="utf-8")
    return segment(read_transcript(path))


def said(found: Segmented) -> dict[str | None, str]:
    return {each.role: each.raw_text for each in found.segments}


def speeches(starts: list[float], length: float = 5.0) -> list[Utterance]:
    return [Utterance(f"u{n}", start, start + length) for n, start in enumerate(starts)]


def test_tags_are_the_eight_speeches(tmp_path: Path) -> None:
    found = divided(tmp_path, f"Title of it\n{TAGGED}\nThank you all.")
    assert (found.segmenter, found.reason) == ("tags", None)
    assert said(found) == {role: f"I am {role}." for role in ROLES}
    assert found.notes == ("2 lines outside of tags are left out",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (TAGGED.replace("GW>", "MO>"), "no speech of GW; more than one segment of MO"),
        (TAGGED.replace("<OW>\nI am ow.\n</OW>", ""), "no speech of OW"),
        (TAGGED.replace("I am pm.", "  "), "no word in PM"),
        (
            TAGGED.replace("PM>", "XX>", 2).replace("LO>", "PM>", 2).replace("XX>", "LO>"),
            "stand in the order LO, PM, DPM",
        ),
    ],
)
def test_tags_that_are_not_eight_speeches_are_said(tmp_path: Path, text: str, reason: str) -> None:
    assert reason in (divided(tmp_path, text).reason or "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<PM>one <LO>two</LO>", "within <PM>"),
        ("one</PM>", "where no speech is open"),
        ("<PM>one", "has no end"),
        ("<PM>one</LO>", "within <PM>"),
        (" \n ", "no word"),
    ],
)
def test_tags_that_do_not_fit_are_refused(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(TranscriptionFailed, match=reason):
        divided(tmp_path, text)


def test_labels_that_name_roles_are_read_and_other_colons_are_speech(tmp_path: Path) -> None:
    names = "Prime Minister|Leader of the Opposition|DPM|dlo|Member for Government|MO|"
    names += "Government Whip|OW"
    said_by_each = (f"{name}: My point is: cars.\nThe cost: high." for name in names.split("|"))
    text = "\n\n".join(said_by_each)
    found = divided(tmp_path, text)
    assert (found.segmenter, found.reason) == ("labels", None)
    assert [each.role for each in found.segments] == list(ROLES)
    assert found.segments[3].raw_text == "My point is: cars.\nThe cost: high."
    assert role_of("The problem") is None


def test_an_interruption_is_left_to_a_person(tmp_path: Path) -> None:
    text = "\n".join(f"{role.upper()}: I am {role}." for role in ROLES)
    found = divided(tmp_path, "PM: Before.\nLO: Sir!\n" + text)
    assert found.reason == "more than one segment of PM, LO"


@pytest.mark.parametrize(("speakers", "is_whole"), [(8, True), (7, False), (9, False)])
def test_eight_nameless_speakers_get_roles(tmp_path: Path, speakers: int, is_whole: bool) -> None:
    cues = [
        f"00:0{n}:00.000 --> 00:0{n}:30.500\n<v Speaker {n}>I am {n}.</v>" for n in range(speakers)
    ]
    found = divided(tmp_path, "WEBVTT\n\n" + "\n\n".join(cues), ".vtt")
    assert (found.reason is None) == is_whole
    assert [each.role for each in found.segments] == (
        list(ROLES) if is_whole else [None] * speakers
    )
    last = found.segments[-1]
    assert (last.start_s, last.end_s) == ((speakers - 1) * 60.0, (speakers - 1) * 60 + 30.5)


def test_subrip_times_are_read_and_markup_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    path.write_text("1\r\n01:02:03,250 --> 01:02:04,5\r\n<i>Hear,</i> hear\r\n\r\n")
    assert read_transcript(path) == [Utterance("Hear, hear", 3723.25, 3724.5)]
    path.write_text("1\n00:00:05,0 --> 00:00:06,0\na\n\n2\n00:00:01,0 --> 00:00:02,0\nb\n")
    with pytest.raises(TranscriptionFailed, match="in order"):
        read_transcript(path)


@pytest.mark.parametrize(("count", "is_whole"), [(8, True), (7, False), (9, False)])
def test_silences_divide_only_into_eight(count: int, is_whole: bool) -> None:
    # Two utterances a turn with a short breath between, and ten seconds after each turn.
    starts = [at for turn in range(count) for at in (turn * 21.0, turn * 21.0 + 6)]
    found = segment(speeches(starts))
    assert found.segmenter == "pauses"
    assert [each.role for each in found.segments] == (list(ROLES) if is_whole else [None] * count)
    assert found.segments[1].raw_text == "u2 u3"
    assert (found.reason is None) == is_whole


def test_turns_of_a_file_take_what_lies_in_them_and_count_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "turns.csv"
    rows = "".join(f"{role.upper()},{n * 10},{n * 10 + 8}\n" for n, role in enumerate(ROLES))
    path.write_text("role,start_s,end_s\n" + rows)
    found = segment(speeches([*(n * 10 + 1 for n in range(8)), 77.5]), read_turns(path))
    assert (found.segmenter, found.reason) == ("turns", None)
    assert said(found) == {role: f"u{n}" for n, role in enumerate(ROLES)}
    assert found.notes == ("1 utterances lie in no turn and are left out",)
    without = segment([Utterance("no time")], read_turns(path))
    assert without.reason
    assert [each.role for each in without.segments] == [None]
    path.write_text("role,start_s,end_s\n" + rows.replace("LO,10", "LO,5"))
    with pytest.raises(TranscriptionFailed, match="before the next begins"):
        read_turns(path)


def test_a_text_that_says_nothing_of_turns_is_one_segment_without_a_role(tmp_path: Path) -> None:
    found = divided(tmp_path, "All of it.\nIn one.")
    assert said(found) == {None: "All of it.\nIn one."}
    assert found.reason
