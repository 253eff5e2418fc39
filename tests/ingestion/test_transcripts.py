"""Transcripts in the warehouse: they wait for a person, and only then are debates."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inference.errors import BadItems
from inference.items import find_item_sources
from inference.parliamentary.items import PARLIAMENTARY_DEBATES
from inference.parliamentary.transcription.pipeline import (
    PIPELINE,
    Task,
    Transcription,
    transcript_id,
)
from ingestion.errors import IngestionError, SourceUnreadable, TooManyRejected, UnknownSource
from ingestion.imports import import_file
from ingestion.ingest import ingest
from ingestion.parliamentary.transcripts.load import decision, load_transcript, refuse_verified
from tests.ingestion.ingestion_files import query
from warehouse.home import Home
from warehouse.inbox import drop
from warehouse.records.bp import ROLES
from warehouse.writer import open_writer

TAGGED = "\n".join(f"<{role}>well i am {role} and so on</{role}>" for role in ROLES)
RESULTS = "debate,first,second,third,fourth,pm,lo,dpm,dlo,mg,mo,gw,ow\n"
RESULT = "The Final!,OG,CO,OO,CG,80,77,81,76,74,78,75,79\n"


def made(home: Home, text: str = TAGGED, name: str = "final", **about: Any) -> str:
    """Make a transcript of a text, load it, and return its id."""
    path = home.root.parent / f"{name}.txt"
    path.write_text(text)
    task = Task(path, about.pop("title", "The final"), motion="This house would try.", **about)
    transcript = transcript_id(path)
    PIPELINE.run_all(Transcription(home.transcripts / transcript, task))
    load_transcript(home, transcript)
    return transcript


def verification(
    transcript: str, change: Callable[[dict[str, Any]], object] | None = None
) -> bytes:
    content = {
        "kind": "transcript_verification",
        "transcript_id": transcript,
        "decision": "verify",
        "by": "Ada",
        "at": "2026-03-01T10:00:00+00:00",
        "segments": [
            {"position": n, "role": role, "text": f"Well, I am {role}, and so on."}
            for n, role in enumerate(ROLES, start=1)
        ],
    }
    if change:
        change(content)
    return json.dumps(content).encode()


def import_verification(home: Home, content: bytes) -> None:
    path = drop(home, "verification-a-1.json", content)
    try:
        import_file(home, path)
    finally:
        path.unlink()


def read_by_judges(home: Home) -> list[str]:
    try:
        sources = find_item_sources(home.items, ["transcripts"])
        return [
            debate.item_id for source in sources for debate in PARLIAMENTARY_DEBATES.read(source)
        ]
    except BadItems:
        return []


def with_results(home: Home, text: str = RESULTS + RESULT) -> Any:
    path = home.root.parent / "results.csv"
    path.write_text(text)
    return ingest(home, "transcripts", path, max_rejected=1.0)


@pytest.fixture(scope="module")
def verified_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A home with one transcript that is verified, and its id."""
    home = Home(tmp_path_factory.mktemp("verified") / "home").ensure()
    transcript = made(home)
    import_verification(home, verification(transcript))
    return home.root, transcript


@pytest.fixture
def verified(verified_once: tuple[Path, str], tmp_path: Path) -> tuple[Home, str]:
    """A copy of it that a test may change."""
    root, transcript = verified_once
    shutil.copytree(root, tmp_path / "home")
    return Home(tmp_path / "home"), transcript


def test_a_transcript_waits_and_is_no_debate(home: Home) -> None:
    transcript = made(home)
    assert query(
        home, "select transcript_id, status, segmenter, verified_by from raw.transcripts"
    ) == [(transcript, "waiting", "tags", None)]
    assert query(
        home, "select role, raw_text, status from raw.transcript_segments order by position"
    ) == [(role, f"well i am {role} and so on", "raw") for role in ROLES]
    assert query(home, "select count(*) from raw.debates") == [(0,)]
    assert query(home, "select count(*) from raw.datasets") == [(0,)]
    assert load_transcript(home, transcript).load_id is None


def test_only_verified_transcripts_with_a_result_are_read_by_judges(home: Home) -> None:
    transcript, other = made(home), made(home, TAGGED + "\n", "second", title="Another")
    with_results(home)
    assert read_by_judges(home) == []
    import_verification(home, verification(transcript))
    assert read_by_judges(home) == [f"transcripts:{transcript}"]
    assert query(home, "select status from raw.transcripts order by transcript_id") == [
        ("verified",),
        ("waiting",),
    ]
    assert query(home, "select role, text from raw.speeches order by speech_order") == [
        (role, f"Well, I am {role}, and so on.") for role in ROLES
    ]
    assert query(home, "select house, team_rank, points from raw.team_results order by 2") == [
        ("og", 1, 3.0),
        ("co", 2, 2.0),
        ("oo", 3, 1.0),
        ("cg", 4, 0.0),
    ]
    assert query(home, "select score from raw.speaker_results where role = 'dlo'") == [(76.0,)]
    import_verification(home, verification(other))
    found = query(
        home, "select rule, is_removed from raw.debate_filters where debate_id like '%second%'"
    )
    assert found == [("one_result", True)]
    assert read_by_judges(home) == [f"transcripts:{transcript}"]


def test_results_can_come_after_the_verification_too(verified: tuple[Home, str]) -> None:
    home, transcript = verified
    assert read_by_judges(home) == []
    with_results(home)
    assert read_by_judges(home) == [f"transcripts:{transcript}"]


def test_what_the_verifier_left_as_it_was_keeps_its_status(home: Home) -> None:
    transcript = made(home)

    def edit_one(content: dict[str, Any]) -> None:
        for segment in content["segments"]:
            segment["text"] = f"well i am {segment['role']} and so on"
        content["segments"][2]["text"] = "Well, I am DPM."

    import_verification(home, verification(transcript, edit_one))
    found = query(home, "select role, status from raw.transcript_segments order by position")
    assert found == [(role, "edited" if role == "dpm" else "raw") for role in ROLES]


def test_a_person_divides_what_nobody_else_could(home: Home) -> None:
    transcript = made(home, "All of it in one.")
    assert query(home, "select status, reason is not null from raw.transcripts") == [
        ("incomplete", True)
    ]
    with pytest.raises(SourceUnreadable, match=r"is incomplete: .* --from"):
        decision(home, transcript, "Ada")
    import_verification(home, verification(transcript))
    found = query(
        home, "select position, role, raw_text, status from raw.transcript_segments order by 1"
    )
    assert found[:2] == [(1, "pm", "All of it in one.", "edited"), (2, "lo", "", "edited")]
    assert query(home, "select count(*) from raw.speeches") == [(8,)]


def test_a_rejected_transcript_is_withdrawn_from_judges(verified: tuple[Home, str]) -> None:
    home, transcript = verified
    with_results(home)
    assert read_by_judges(home) == [f"transcripts:{transcript}"]
    with pytest.raises(IngestionError, match="verified by Ada"):
        refuse_verified(home, transcript)
    import_verification(home, decision(home, transcript, "Grace", is_rejected=True))
    assert read_by_judges(home) == []
    assert query(home, "select status, verified_by from raw.transcripts") == [("rejected", "Grace")]
    assert query(home, "select count(*) from raw.speeches") == [(0,)]
    assert query(home, "select rule from raw.debate_filters") == [("verified",)]
    assert query(home, "select count(verified_text) from raw.transcript_segments") == [(0,)]
    refuse_verified(home, transcript)


def test_a_transcript_made_anew_after_a_rejection_waits_again(home: Home) -> None:
    transcript = made(home)
    import_verification(home, decision(home, transcript, "Ada", is_rejected=True))
    assert query(home, "select status from raw.transcripts") == [("rejected",)]
    turns = home.root.parent / "turns.csv"
    turns.write_text(
        "role,start_s,end_s\n" + "".join(f"{role},{n},{n + 1}\n" for n, role in enumerate(ROLES))
    )
    assert made(home, turns=turns) == transcript
    assert query(home, "select status from raw.transcripts") == [("incomplete",)]


def test_a_damaged_step_of_a_verified_transcript_can_be_made_again(
    verified: tuple[Home, str],
) -> None:
    home, transcript = verified
    step = home.transcripts / transcript / "corrected.json"
    step.write_text("{cut")
    with pytest.raises(SourceUnreadable, match="run rostrum transcribe"):
        load_transcript(home, transcript)
    refuse_verified(home, transcript)
    assert made(home) == transcript
    assert query(home, "select status from raw.transcripts") == [("verified",)]


BAD_DECISIONS: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda c: c["segments"].pop(3), "no speech of DLO"),
    (lambda c: c["segments"][3].update(role="pm"), "PM is there more than once"),
    (lambda c: c["segments"][0].update(text=" \n"), "no word in PM"),
    (lambda c: c["segments"][0].update(position=2), "same position"),
    (lambda c: c["segments"][0].update(role="chair"), "segments"),
    (lambda c: c.update(decision="maybe"), "decision"),
    (lambda c: c.update(by=" "), "by"),
    (lambda c: c.update(at="yesterday"), "time"),
    (lambda c: c.update(transcript_id="../../etc"), "transcript_id"),
]


def test_a_decision_that_cannot_hold_changes_nothing(home: Home) -> None:
    transcript = made(home)
    for change, message in BAD_DECISIONS:
        with pytest.raises(SourceUnreadable, match=message):
            import_verification(home, verification(transcript, change))
    with pytest.raises(UnknownSource, match="no transcript 'nobody-1'"):
        import_verification(
            home, verification(transcript, lambda c: c.update(transcript_id="nobody-1"))
        )
    assert query(home, "select status from raw.transcripts") == [("waiting",)]
    assert not (home.transcripts / transcript / "verification.json").exists()


def test_the_same_decision_twice_is_one_and_an_older_one_is_refused(
    verified: tuple[Home, str],
) -> None:
    home, transcript = verified
    loads = query(home, "select count(*) from raw.loads")
    import_verification(home, verification(transcript))
    assert query(home, "select count(*) from raw.loads") == loads

    def earlier(content: dict[str, Any]) -> None:
        content.update(at="2026-03-01T10:30:00+01:00", by="Grace")

    with pytest.raises(SourceUnreadable, match="Ada decided"):
        import_verification(home, verification(transcript, earlier))

    def later(content: dict[str, Any]) -> None:
        content.update(at="2026-03-02T09:00:00Z", by="Grace")

    import_verification(home, verification(transcript, later))
    assert query(home, "select verified_by from raw.transcripts") == [("Grace",)]


def test_the_command_lines_decision_is_the_text_as_it_stands_or_a_tagged_file(home: Home) -> None:
    transcript = made(home)
    import_verification(home, decision(home, transcript, "Ada"))
    assert query(home, "select distinct status from raw.transcript_segments") == [("raw",)]
    text = home.root.parent / "right.txt"
    text.write_text(TAGGED.replace("well i", "Well, I"))
    import_verification(home, decision(home, transcript, "Ada", text=text))
    assert query(home, "select text from raw.speeches where role = 'ow'") == [
        ("Well, I am ow and so on",)
    ]
    text.write_text(TAGGED.replace("<ow>", "<gw>"))
    with pytest.raises(SourceUnreadable, match="correct its tags"):
        decision(home, transcript, "Ada", text=text)


BAD_RESULTS = [
    (RESULT.replace("OG,CO,OO", "OG,OG,OO"), "four houses, once each"),
    (RESULT.replace(",80,", ",101,"), "score from 50 to 100"),
    (RESULT.replace(",79", ",nan"), "score from 50 to 100"),
    (RESULT.replace(",79", ","), "for each of the eight"),
    (RESULT.replace("The Final!", "Nobody's"), "no transcript has it"),
    ("The final" + "," * 12 + "\n", "neither a ranking nor a score"),
    (RESULT, "2 rows have results"),
    (RESULT.replace(",80,", ",90,"), "2 rows have results"),
]


def test_a_result_that_cannot_hold_is_quarantined(verified: tuple[Home, str]) -> None:
    home, _ = verified
    # The two of one transcript that could hold are found once all rows are read.
    report = with_results(home, RESULTS + "".join(row for row, _ in BAD_RESULTS))
    reasons = [each.reason for each in report.rejects]
    for reason, (_, expected) in zip(reasons, BAD_RESULTS, strict=True):
        assert expected in reason
    assert query(home, "select count(*) from raw.team_results") == [(0,)]
    assert read_by_judges(home) == []


def test_a_title_of_two_transcripts_names_neither(home: Home) -> None:
    made(home)
    second = made(home, TAGGED + "\n", "second")
    report = with_results(home)
    assert "2 transcripts have this title" in report.rejects[0].reason
    report = with_results(home, RESULTS + RESULT.replace("The Final!", second))
    assert report.quarantined == 0
    assert report.notes[0] == f"results kept until a person verifies: {second}"


def test_a_data_set_from_elsewhere_stays_as_it_is(verified: tuple[Home, str]) -> None:
    home, _ = verified
    with open_writer(home, "test") as connection:
        connection.execute(
            "insert into raw.datasets by name select 'other' as dataset_id, title, licence, "
            "is_sample, _source_file, _loaded_at from raw.datasets"
        )
    with pytest.raises(UnknownSource, match="'other' is a data set from elsewhere"):
        made(home, TAGGED + "\n", "second", dataset="other")


def test_results_of_a_refused_file_are_not_kept(verified: tuple[Home, str]) -> None:
    home, transcript = verified
    path = home.root.parent / "results.csv"
    path.write_text(RESULTS + RESULT + RESULT.replace("The Final!", "Nobody's"))
    with pytest.raises(TooManyRejected, match="nothing of it loaded"):
        ingest(home, "transcripts", path)
    load_transcript(home, transcript)
    assert query(home, "select count(*) from raw.team_results") == [(0,)]
