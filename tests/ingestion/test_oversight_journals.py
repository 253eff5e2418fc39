"""Journals of debates about stories, and of judgements: from debate to transcript to judge."""

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from inference.experiments import load_experiment
from inference.items import find_item_sources
from inference.oversight.items import iter_transcripts
from inference.registry import spec_for
from inference.runner import run
from ingestion.batch import SourceFile
from ingestion.imports import import_file
from ingestion.journals import load_journals
from ingestion.load import load
from ingestion.oversight.batch import ReadingBatch
from ingestion.raw_tables import change_rows
from ingestion.reparse import reparse
from tests.ingestion.ingestion_files import one, query
from tests.ingestion.journal_lines import HEADER, unscored_line, write_journal
from warehouse.home import Home
from warehouse.records.core import Dataset
from warehouse.records.oversight import ReadingQuestion, Story
from warehouse.writer import open_writer

RUN = "story-debate--simulated-debater--0a1b2c3d"
DEBATES = {**HEADER, "run_id": RUN, "experiment": "story-debate", "dataset_id": "tales"}


def load_questions(home: Home, *numbers: int, text: str = "The keeper lit the lamp.") -> None:
    dataset = Dataset(dataset_id="tales", title="Tales", licence="own")
    stories = [Story(story_id="tales:s", dataset_id="tales", text=text)]
    questions = [
        ReadingQuestion(
            question_id=f"tales:{number}",
            dataset_id="tales",
            story_id="tales:s",
            question="Who lit the lamp?",
            answer_0="The keeper",
            answer_1="The boy",
            right_answer=number % 2,
        )
        for number in numbers
    ]
    file = SourceFile("tales.json", "tales.json", f"{text}{numbers}", len(numbers))
    load(home, ReadingBatch(dataset, [file], stories, questions))


def item_hash(home: Home, number: int) -> str:
    return str(
        one(
            home,
            f"select item_hash from raw.reading_questions where question_id = 'tales:{number}'",
        )
    )


def candidate(number: int, text: str, quotes: list[dict[str, Any]]) -> dict[str, Any]:
    flags = ["is_truncated", "is_refusal", "is_concession", "argues_other_side", "is_malformed"]
    own = {"candidate": number, "is_chosen": number == 1, "text": text, "shown_text": text}
    counts = {"word_count": len(text.split()), "rejected_count": 1, "refine_count": 0}
    costs = {"preference": 0.25, "tokens_in": 10, "tokens_out": 5, "cost_usd": 0.01}
    reasons = {"rejected_reasons": ["too_long"], "quotes": quotes}
    return dict.fromkeys(flags, False) | own | counts | costs | reasons


def quote(position: int, *, is_verified: bool) -> dict[str, Any]:
    found = {"position": position, "quote": "lit the lamp", "is_verified": is_verified}
    found |= {"similarity": 1.0, "story_start": 11, "story_end": 23, "written_as": "quote"}
    return found | {"is_example": not is_verified}


_DEBATE = """{
    "item_kind": "reading", "dataset_id": "tales", "template": "ov_debater", "protocol": "debate",
    "argues": 0, "opponent": "self", "opponent_id": "simulated/debater", "rounds": 1,
    "turn_order": "simultaneous", "asker": null, "is_interactive": false, "word_limit": 150,
    "best_of": 2, "preference_judge": "openai/judge", "preference_judge_id": "openai/judge",
    "refine": 0, "tournament": null, "tournament_round": null, "transcript_status": "complete",
    "transcript_hash": "shown"
}"""


def debate_line(request: int, question: int, hashed: str, **changes: Any) -> dict[str, Any]:
    """As the runner writes it."""
    said = "He <v_quote>lit the lamp</v_quote>."
    quotes = [quote(0, is_verified=True), quote(1, is_verified=False)]
    turns = [
        {
            "turn": turn,
            "round": 1,
            "speaker": f"debater_{turn}",
            "argued_answer": turn,
            "model_id": "simulated/debater",
            "candidates": [candidate(0, "A draft.", []), candidate(1, said, quotes)],
        }
        for turn in (0, 1)
    ]
    line = unscored_line(request, response=None) | json.loads(_DEBATE) | {"turns": turns}
    return line | {"item_id": f"tales:{question}", "item_hash": hashed} | changes


@pytest.fixture(scope="module")
def debated_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One complete debate about each of two questions, one void, one about nothing there."""
    home = Home(tmp_path_factory.mktemp("debated") / "home").ensure()
    load_questions(home, 1, 2)
    hashes = [item_hash(home, number) for number in (1, 2)]
    void = {"transcript_status": "void", "transcript_hash": None, "turns": []}
    broken = {"status": "error", "error_kind": "timeout", "transcript_status": "partial"}
    lines = [
        debate_line(1, 1, hashes[0]),
        debate_line(2, 2, hashes[1]),
        debate_line(3, 1, hashes[0], **void, transcript_reason="refused: No."),
        debate_line(4, 1, hashes[0], **broken, transcript_hash=None),
        debate_line(5, 3, "unknown"),
        debate_line(6, 1, hashes[0], argues=2),
    ]
    write_journal(home, DEBATES, *lines, run_id=RUN)
    report = load_journals(home)
    assert {(reject.record, reject.field) for reject in report.rejects} == {
        ("line 6", "question_id"),
        ("line 7", None),
    }
    return home.root


@pytest.fixture
def debated(debated_once: Path, tmp_path: Path) -> Home:
    """A copy of it that a test may change."""
    shutil.copytree(debated_once, tmp_path / "home")
    return Home(tmp_path / "home")


def test_a_debate_is_kept_with_every_candidate_and_quote(debated: Home) -> None:
    columns = "request_id, question_id, argued_answer, status, reason, preference_judge_id, extra"
    assert query(debated, f"select {columns} from raw.oversight_transcripts order by all") == [
        ("request-1", "tales:1", 0, "complete", None, "openai/judge", None),
        ("request-2", "tales:2", 0, "complete", None, "openai/judge", None),
        ("request-3", "tales:1", 0, "void", "refused: No.", "openai/judge", None),
        ("request-4", "tales:1", 0, "partial", "endpoint: timeout", "openai/judge", None),
    ]
    turns = query(
        debated,
        "select turn, candidate, is_chosen, rejected_count, preference, extra "
        "from raw.oversight_turns where request_id = 'request-1' order by all",
    )
    assert [each[:5] for each in turns] == [
        (0, 0, False, 1, 0.25),
        (0, 1, True, 1, 0.25),
        (1, 0, False, 1, 0.25),
        (1, 1, True, 1, 0.25),
    ]
    assert json.loads(turns[1][5]) == {"rejected_reasons": ["too_long"], "example_quotes": [1]}
    assert query(
        debated,
        "select turn, candidate, position, is_verified, story_start "
        "from raw.oversight_quotes where request_id = 'request-2' order by all",
    ) == [(0, 1, 0, True, 11), (0, 1, 1, False, 11), (1, 1, 0, True, 11), (1, 1, 1, False, 11)]
    # The question comes later: its debate is loaded then.
    load_questions(debated, 1, 2, 3)
    load_journals(debated)
    assert one(debated, "select count(*) from raw.oversight_transcripts") == 5
    assert load_journals(debated).load_id is None


def test_judges_are_shown_what_is_complete_and_about_the_question_as_it_is(debated: Home) -> None:
    (source,) = find_item_sources(debated.items, ["tales"])
    shown = list(iter_transcripts(source))
    assert [each.item_id for each in shown] == ["tales:1@request-1", "tales:2@request-2"]
    assert [turn.text for turn in shown[0].turns] == ["He <v_quote>lit the lamp</v_quote>."] * 2
    assert source.file("transcripts") is not None
    assert "right_answer" not in pq.read_schema(source.file("transcripts")).names
    load_questions(debated, 1, 2, text="The boy lit the lamp.")
    # Both debates are about a story that is no more.
    (source,) = find_item_sources(debated.items, ["tales"])
    assert source.file("transcripts") is None


def test_a_run_of_judges_is_loaded_and_read_again(debated: Home) -> None:
    spec = spec_for("simulated/oversight-first", None)
    for name, requests in (("story-baselines", 2 * 2 * 2), ("story-judgement", 2 * 2)):
        experiment = load_experiment(name)
        sources = find_item_sources(debated.items, ["tales"])
        summary = run(experiment, spec, sources, journal_root=debated.journal)
        assert summary.answered == requests
    load_journals(debated)
    judged = query(
        debated,
        "select protocol, transcript_id, answer_order, p_answer_0, is_final, parse_status "
        "from raw.oversight_judgements where question_id = 'tales:1' order by all",
    )
    assert [each[:3] for each in judged] == [
        ("debate", "tales:1@request-1", "01"),
        ("debate", "tales:1@request-1", "10"),
        ("expert", None, "01"),
        ("expert", None, "10"),
        ("naive", None, "01"),
        ("naive", None, "10"),
    ]
    assert all(is_final and status == "parsed" for *_, is_final, status in judged)
    # This judge favours what is shown first, which in the order 01 is answer 0; experts are certain.
    pairs = [(first[3], second[3]) for first, second in zip(judged[::2], judged[1::2], strict=True)]
    assert all(first >= second for first, second in pairs)
    assert pairs[-1][0] > pairs[-1][1]

    with open_writer(debated, "spoil") as connection:
        change_rows(
            connection, "oversight_judgements", {"p_answer_0": "1 - p_answer_0"}, "where true"
        )
    report = reparse(debated)
    assert report.changed == report.read == 12
    again = query(
        debated,
        "select protocol, transcript_id, answer_order, p_answer_0, is_final, parse_status "
        "from raw.oversight_judgements where question_id = 'tales:1' order by all",
    )
    assert again == judged


def test_a_judgement_waits_for_its_transcript(home: Home) -> None:
    item = {"item_kind": "oversight", "question_id": "tales:1", "dataset_id": "tales"}
    item |= dict.fromkeys(("item_id", "transcript_id"), "tales:1@request-1")
    asked_for = {"template": "ov_judge", "protocol": "debate", "answer_order": "01"}
    asked_for |= {"item_hash": "shown", "probe": "none", "asked_for": "probability"}
    reply = "Probability that A is right: 90%"
    judgement = unscored_line(1, response=reply) | item | asked_for
    load_questions(home, 1)
    # Its journal is read before that of the debates.
    header = {**DEBATES, "run_id": "a-judging", "experiment": "judging"}
    write_journal(home, header, judgement, run_id="a-judging")
    report = load_journals(home)
    (reject,) = report.rejects
    assert (reject.field, reject.original) == ("transcript_id", "tales:1@request-1")
    assert "a transcript that is not there" in reject.reason
    assert one(home, "select count(*) from raw.oversight_judgements") == 0
    assert load_journals(home).load_id is None
    write_journal(home, DEBATES, debate_line(1, 1, item_hash(home, 1)), run_id=RUN)
    load_journals(home)
    assert load_journals(home).rejects == []
    assert query(home, "select run_id, transcript_id from raw.oversight_judgements") == [
        ("a-judging", "tales:1@request-1")
    ]
    assert load_journals(home).load_id is None
    # A home that is loaded for the first time waits for nothing.
    with open_writer(home, "empty") as connection:
        for table in ("responses", "response_values", "quarantine", "loads"):
            connection.execute(f"delete from raw.{table}")
    assert load_journals(home).rejects == []
    assert one(home, "select count(*) from raw.oversight_judgements") == 1
    assert one(home, "select count(*) from raw.quarantine") == 0


def test_a_prompt_over_the_window_is_void_and_what_broke_off_costs_what_it_took(
    home: Home,
) -> None:
    load_questions(home, 1)
    hashed = item_hash(home, 1)
    said = "at least 9,000 tokens, and the judge's window is 8,000; it was not sent"
    failed = {"status": "error", "error_kind": "context_overflow", "error": said}
    over = debate_line(1, 1, hashed, **failed, cost_usd=None)
    for name in ("transcript_status", "transcript_hash", "turns"):
        del over[name]
    late = {"status": "error", "error_kind": "timeout", "error": "late", "turns": []}
    broken = debate_line(2, 1, hashed, **late, transcript_status="partial", transcript_hash=None)
    usage = {"cost_usd": 0.25, "tokens_in": 100, "tokens_out": 10}
    write_journal(
        home, DEBATES, over, broken | usage, debate_line(2, 1, hashed) | usage, run_id=RUN
    )
    load_journals(home)
    columns = "status, reason, cost_usd"
    assert query(home, f"select {columns} from raw.oversight_transcripts order by request_id") == [
        ("void", f"endpoint: context_overflow: {said}", None),
        ("complete", None, 0.5),
    ]
    tokens = "select tokens_in, tokens_out from raw.oversight_transcripts where cost_usd = 0.5"
    assert query(home, tokens) == [(200, 20)]


def test_judgements_made_elsewhere_are_imported(debated: Home, tmp_path: Path) -> None:
    shared = {"judge": "people/panel", "protocol": "debate", "item": "tales:1@request-1"}
    rows = [
        {**shared, "p_answer_0": 0.25},
        {**shared, "answer_order": "10", "response": "Probability that A is right: 90%"},
        {**shared, "sample": 1, "response": "Probability that A is right: 1.2"},
        {**shared, "protocol": "naive", "item": "1", "choice": 1},
        {**shared, "item": "tales:1@request-3", "p_answer_0": 0.5},
        {**shared, "p_answer_0": 1.2, "sample": 2},
        {**shared, "probe": "padded", "p_answer_0": 0.5},
    ]
    file = tmp_path / "judgements.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = import_file(debated, file, wanted_format="oversight", max_rejected=1.0)
    # A void debate was not there to judge.
    assert {each.field for each in report.rejects} == {"item", "p_answer_0", "probed_answer"}
    columns = "question_id, transcript_id, p_answer_0, choice, parse_status, parse_reason"
    assert query(debated, f"select {columns} from raw.oversight_judgements order by all") == [
        ("tales:1", "tales:1@request-1", 0.1, None, "parsed", None),
        ("tales:1", "tales:1@request-1", 0.25, None, "supplied", None),
        ("tales:1", "tales:1@request-1", None, None, "unparsed", "out_of_range"),
        ("tales:1", None, None, 1, "supplied", None),
    ]
