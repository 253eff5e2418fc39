"""Journals of rulings on parliamentary debates: each request, each value, each fault."""

import json
from typing import Any

import pytest

from inference.experiments import load_experiment
from inference.items import find_item_sources
from inference.parliamentary.rulings import ruling_text
from inference.registry import spec_for
from inference.runner import run
from ingestion.batch import Counts
from ingestion.journals import load_journals
from ingestion.load import load
from ingestion.parliamentary.readers.sample_parliamentary import sample_parliamentary_batch
from ingestion.raw_tables import change_rows, remove_rows
from ingestion.reparse import reparse
from tests.ingestion.ingestion_files import check_kept, one, query, row_of, unchanged
from tests.ingestion.journal_lines import HEADER, unscored_line, write_journal
from tests.ingestion.parliamentary_rows import add_debates
from warehouse.home import Home
from warehouse.records.bp import HOUSES, ROLES
from warehouse.writer import open_writer

SCORES = dict(zip(ROLES, (80, 77, 79, 76, 78, 74, 74.5, 73), strict=True))
WHOLE = ruling_text(
    "all", ("og", "oo", "cg", "co"), SCORES, sorted(ROLES, key=lambda role: -SCORES[role])
)


def ruling_line(number: int, **changes: Any) -> dict[str, Any]:
    """As the runner writes it."""
    about = {"item_kind": "parliamentary", "item_id": "bp:a", "dataset_id": "bp", "task": "all"}
    asked = {"template": "bp_all", "house_order": "shuffled", "named_order": "cg-og-oo-co"}
    asked |= {"strategy": "whole", "manual": "bp_manual", "response": WHOLE}
    shown = {"has_motion": True, "has_info_slide": False}
    shown |= {"context_tokens": 41000, "is_context_exact": True}
    return unscored_line(number) | about | asked | shown | changes


def rulings(home: Home) -> list[list[tuple[Any, ...]]]:
    tables = ("adjudications", "adjudication_values", "adjudication_faults")
    return [query(home, f"from raw.{table} order by all") for table in tables]


@pytest.fixture
def debates(home: Home) -> Home:
    """A home with one debate."""
    add_debates(home, "bp:a")
    return home


def test_a_ruling_is_kept_with_its_values_and_how_it_was_asked_for(debates: Home) -> None:
    write_journal(debates, HEADER, ruling_line(1))
    report = load_journals(debates)
    assert report.tables["adjudications"] == Counts(new=1)
    assert report.tables["adjudication_values"] == Counts(new=20)
    row = row_of(debates, "adjudications")
    check_kept(row, HEADER | ruling_line(1) | {"debate_id": "bp:a"})
    assert (row["parse_status"], row["parse_reason"], row["extra"]) == ("parsed", None, None)
    values = query(
        debates,
        "select place, value, reason from raw.adjudication_values "
        "where task = 'house_ranks' order by value",
    )
    assert values == [("og", 1, None), ("oo", 2, None), ("cg", 3, None), ("co", 4, None)]
    scores = "select place, value from raw.adjudication_values where task = 'speaker_scores'"
    assert dict(query(debates, scores)) == SCORES
    assert query(debates, "from raw.adjudication_faults") == []
    with unchanged(debates):
        assert load_journals(debates).load_id is None


def test_what_a_reply_lacks_is_a_value_with_its_reason_and_a_fault(debates: Home) -> None:
    twice = WHOLE.replace("Second: OO", "Second: OG").replace("MO: 74", "MO: good")
    write_journal(
        debates,
        HEADER,
        ruling_line(1, response=twice),
        ruling_line(2, task="speaker_scores", template="bp_speaker_scores", response="No."),
        ruling_line(3, response=None, status="error", error_kind="context_overflow"),
        # Half a character in what a judge names is no trouble.
        ruling_line(4, response='{"houses": ["\\ud800", "og", "oo", "cg"]}', task="house_ranks"),
    )
    load_journals(debates)
    statuses = query(
        debates,
        "select request_status, parse_status, parse_reason from raw.adjudications "
        "order by request_id",
    )
    assert statuses == [
        ("answered", "partly", "house_twice"),
        ("answered", "unparsed", "missing_section"),
        ("error", "not_answered", None),
        ("answered", "unparsed", "unknown_place"),
    ]
    reasons = query(
        debates,
        "select request_id, task, count(*), count(value), list(distinct reason) "
        "from raw.adjudication_values where request_id < 'request-4' group by all order by all",
    )
    assert reasons == [
        ("request-1", "house_ranks", len(HOUSES), 0, ["house_twice"]),
        ("request-1", "speaker_ranks", 8, 8, [None]),
        ("request-1", "speaker_scores", 8, 7, [None, "score_not_a_number"]),
        ("request-2", "speaker_scores", 8, 0, ["missing_section"]),
    ]
    faults = query(
        debates,
        "select request_id, task, fault, detail from raw.adjudication_faults "
        "where request_id < 'request-4' order by all",
    )
    assert faults == [
        ("request-1", "house_ranks", "house_missing", "OO has no rank"),
        ("request-1", "house_ranks", "house_twice", "OG has 1 and 2"),
        ("request-1", "speaker_scores", "score_not_a_number", "MO has 'good'"),
        ("request-2", "speaker_scores", "missing_section", "no speaker is given a score"),
    ]


def test_values_and_faults_go_with_the_answer_that_counts(debates: Home) -> None:
    write_journal(debates, HEADER, ruling_line(1, response="First: OG"))
    load_journals(debates)
    assert one(debates, "select count(*) from raw.adjudication_faults") == 5
    # Asked again: the later answer counts, and an error after it takes nothing away.
    write_journal(
        debates, ruling_line(1), ruling_line(1, response=None, status="error", error_kind="timeout")
    )
    load_journals(debates)
    assert query(debates, "select parse_status, source_record from raw.adjudications") == [
        ("parsed", "line 3")
    ]
    assert one(debates, "select count(*) from raw.adjudication_faults") == 0
    assert one(debates, "select count(value) from raw.adjudication_values") == 20


def test_what_another_run_paid_for_is_not_counted_twice(debates: Home) -> None:
    notes = [
        {
            "role": "pm",
            "reply": "Sets up the case.",
            "tokens_in": 9,
            "tokens_out": 4,
            "cost_usd": 0.1,
        }
    ]
    line = ruling_line(1, reused_from="another-run", strategy="notes", notes=notes)
    write_journal(debates, HEADER, line)
    load_journals(debates)
    [(cost, tokens, extra)] = query(
        debates, "select cost_usd, tokens_in, extra from raw.adjudications"
    )
    assert (cost, tokens) == (0.0, None)
    assert json.loads(extra) == {"notes": notes, "reused_from": "another-run"}


def test_rulings_on_an_unknown_debate_wait_in_quarantine_until_it_is_there(debates: Home) -> None:
    write_journal(debates, HEADER, ruling_line(1), ruling_line(2, item_id="bp:late"))
    report = load_journals(debates)
    assert [reject.reason for reject in report.rejects] == [
        "is a ruling on a debate that is not there; ingest its data set, then load again"
    ]
    assert one(debates, "select count(*) from raw.adjudications") == 1
    assert one(debates, "select count(*) from raw.adjudication_values") == 20
    assert load_journals(debates).load_id is None
    add_debates(debates, "bp:late")
    load_journals(debates)
    assert one(debates, "select count(*) from raw.adjudication_values") == 40
    assert load_journals(debates).load_id is None


DAMAGED: list[tuple[dict[str, Any], str]] = [
    ({"task": "winner"}, "task should be one of house_ranks"),
    ({"strategy": "guess"}, "strategy should be one of whole, notes"),
    ({"manual": None}, "manual should be text"),
    ({"has_motion": "yes"}, "has_motion should be true or false"),
    ({"context_tokens": "many"}, "context_tokens should be a whole number"),
    ({"response": None}, "response should be text"),
    ({"answer_format": "choice"}, "answer_format should be text or json_schema"),
]


def test_damaged_lines_are_quarantined_and_the_rest_is_loaded(debates: Home) -> None:
    damaged = [ruling_line(n, **changes) for n, (changes, _) in enumerate(DAMAGED, start=2)]
    write_journal(debates, HEADER, *damaged, ruling_line(1))
    rejects = load_journals(debates).rejects
    for reject, (_, words) in zip(rejects, DAMAGED, strict=True):
        assert words in reject.reason
    assert one(debates, "select count(*) from raw.adjudications") == 1


def test_rulings_are_read_again_with_their_values_and_faults(
    debates: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_journal(
        debates,
        HEADER,
        ruling_line(1),
        ruling_line(2, response=WHOLE.replace("PM: 80", "PM: 30")),
        ruling_line(3, response=None, status="error", error_kind="timeout"),
    )
    load_journals(debates)
    rightly_read = rulings(debates)
    assert reparse(debates, is_dry=True).changed == 0
    # As a worse parser would have left them: nothing of one read, a wrong score in the other.
    with open_writer(debates, "spoil", wait_s=5) as connection:
        first = "where request_id = 'request-1'"
        unread = {"value": "null", "reason": "'not_a_ranking'"}
        change_rows(connection, "adjudication_values", unread, first)
        unread = {"parse_status": "'unparsed'", "parse_reason": "'not_a_ranking'"}
        change_rows(connection, "adjudications", unread, first)
        change_rows(connection, "adjudication_values", {"value": "79::double"}, "where value = 77")
        remove_rows(connection, "adjudication_faults", "true")
    spoilt = rulings(debates)
    dry = reparse(debates, is_dry=True)
    assert rulings(debates) == spoilt
    report = reparse(debates)
    assert (dry.changed, report.changed, report.read) == (2, 2, 2)
    assert {(change.before, change.after) for change in report.changes} == {
        ("unparsed (not_a_ranking): 0 of 20 values, 0 faults", "parsed: 20 of 20 values, 0 faults"),
        (
            "partly (score_out_of_range): 19 of 20 values, 0 faults",
            "partly (score_out_of_range): 19 of 20 values, 1 faults",
        ),
    }
    assert rulings(debates) == rightly_read
    assert reparse(debates).changed == 0


def test_a_run_is_read_as_its_runner_counted(home: Home) -> None:
    load(home, sample_parliamentary_batch())
    sources = [each for each in find_item_sources(home.items) if each.file("parliamentary")]
    counted = {}
    for judge_id in ("rule/speaking-order", "simulated/chair", "simulated/wing"):
        summary = run(
            load_experiment("bp-adjudication"),
            spec_for(judge_id, None, {}),
            sources,
            journal_root=home.journal,
        )
        counted[judge_id] = (summary.answered, sum(summary.unparsed.values()))
    load_journals(home)
    stored = query(
        home,
        "select judge_id, count(*), count(*) filter (parse_status <> 'parsed') "
        "from raw.adjudications group by all",
    )
    assert {judge: counts for judge, *counts in stored} == {
        judge: list(counts) for judge, counts in counted.items()
    }
    assert counted["simulated/wing"][1] > 0
    assert counted["simulated/chair"] == (6, 0)
    counts = "select count(*), count(value), count(reason) from raw.adjudication_values"
    [(total, read, unread)] = query(home, counts)
    assert (total, read + unread) == (3 * 6 * 20, total)
