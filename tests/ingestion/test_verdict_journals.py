"""Journals of verdicts: what the warehouse keeps of them, read again, and what is set aside."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import inference.kinds.debates
from inference.experiments import load_experiment
from inference.items import find_item_sources
from inference.parsing import ParsedLabel
from inference.registry import spec_for
from inference.runner import run
from ingestion.batch import Counts
from ingestion.ingest import ingest
from ingestion.journals import load_journals
from ingestion.reparse import reparse
from tests.ingestion.debate_files import ddo_debate, ddo_file
from tests.ingestion.ingestion_files import check_kept, check_rejects, one, query, row_of, unchanged
from tests.ingestion.journal_lines import (
    HEADER,
    failed_line,
    unscored_line,
    write_journal,
)
from warehouse.home import Home


def verdict_line(number: int, **changes: Any) -> dict[str, Any]:
    """As the runner writes it."""
    about = {"item_id": "ddo:a", "dataset_id": "ddo", "template": "winner_vanilla"}
    labels = {"verbalizer": "A/B", "pro_label": "A", "con_label": "B", "position": "pro_first"}
    asked = {"outcome": "winner", "first_side": "pro", "reasoning": False, "response": "A"}
    return unscored_line(number) | about | labels | asked | changes


@pytest.fixture
def debates(home: Home, tmp_path: Path) -> Home:
    ingest(home, "ddo", ddo_file(tmp_path, {"a": ddo_debate(), "b": ddo_debate()}))
    return home


def test_a_verdict_is_kept_with_all_that_was_chosen_and_drawn(debates: Home) -> None:
    turned = {"pro_label": "B", "con_label": "A", "first_side": "con", "position": "shuffled"}
    lines = [
        verdict_line(1),
        verdict_line(2, **turned, verbalizer="random A/B", outcome="loser", response="[A]."),
        verdict_line(3, reasoning=True, template="winner_eval", response="Because.\n\nB\n"),
        verdict_line(4, response="A or B"),
        verdict_line(5, response=None, status="error", error_kind="timeout"),
    ]
    write_journal(debates, HEADER, *lines)
    report = load_journals(debates)
    assert report.tables["verdicts"] == Counts(new=5)
    outcomes = [
        ("pro", "parsed", None),
        ("pro", "parsed", None),
        ("con", "parsed", None),
        (None, "unparsed", "both_labels"),
        (None, "not_answered", None),
    ]
    for number, (line, outcome) in enumerate(zip(lines, outcomes, strict=True), start=1):
        row = row_of(debates, "verdicts", f"request_id = 'request-{number}'")
        check_kept(row, HEADER | line | {"debate_id": "ddo:a"})
        assert (row["winner"], row["parse_status"], row["parse_reason"]) == outcome
    assert query(debates, "from raw.scores") == []
    with unchanged(debates):
        assert load_journals(debates).load_id is None


@pytest.mark.parametrize(
    ("outcome", "pro_label", "p_pro"),
    [("winner", "A", 0.8), ("loser", "A", 0.2), ("winner", "B", 0.2)],
)
def test_label_probabilities_become_those_of_pro(
    debates: Home, outcome: str, pro_label: str, p_pro: float
) -> None:
    asked = {"outcome": outcome, "pro_label": pro_label, "con_label": "AB"[pro_label == "A"]}
    asked |= {"labels": ["B", "A"]}
    seen = {"A": math.log(0.4), "B": math.log(0.1)}
    some, ceiling = {"A": math.log(0.5)}, math.log(0.125)
    write_journal(
        debates,
        HEADER,
        verdict_line(1, **asked, label_logprobs=seen),
        verdict_line(2, **asked, label_logprobs=some, label_logprob_ceiling=ceiling),
    )
    load_journals(debates)
    whole, bounded = query(
        debates, "select p_pro, p_pro_low, p_pro_high from raw.verdicts order by request_id"
    )
    assert whole == pytest.approx((p_pro, p_pro, p_pro))
    # B has at most 0.125 of 0.625: A at least four fifths.
    low, high = (0.8, 1.0) if p_pro == 0.8 else (0.0, 0.2)
    assert bounded[0] is None
    assert bounded[1:] == pytest.approx((low, high))
    assert one(debates, "select count(*) from raw.label_probabilities") == 4


def test_verdicts_on_an_unknown_debate_wait_in_quarantine_until_it_is_there(
    debates: Home, tmp_path: Path
) -> None:
    write_journal(debates, HEADER, verdict_line(1), verdict_line(2, item_id="ddo:late"))
    report = load_journals(debates)
    assert report.quarantined == 1
    (reject,) = report.rejects
    assert "line 3, field 'debate_id'" in reject.sentence
    assert "not there; ingest its data set" in reject.sentence
    assert query(debates, "select debate_id from raw.verdicts") == [("ddo:a",)]
    assert load_journals(debates).load_id is None
    ingest(debates, "ddo", ddo_file(tmp_path / "x", {"late": ddo_debate()}))
    load_journals(debates)
    assert one(debates, "select count(*) from raw.verdicts where debate_id = 'ddo:late'") == 1
    assert load_journals(debates).notes == ["0 journals read, 1 unchanged since they were loaded"]


DAMAGED = [
    ({"pro_label": "B"}, "has equal labels"),
    ({"con_label": ""}, "has an empty label"),
    ({"outcome": "draw"}, "outcome should be winner or loser"),
    ({"first_side": "left"}, "first_side pro or con"),
    ({"reasoning": "no"}, "reasoning should be true or false"),
    ({"verbalizer": None}, "verbalizer should be text"),
    ({"response": None}, "response should be text"),
    ({"labels": ["A", "A"], "label_logprobs": {"A": -0.1}}, "labels should be there once each"),
]


def test_damaged_verdicts_are_quarantined_and_the_rest_is_loaded(debates: Home) -> None:
    bad = [verdict_line(number, **row[0]) for number, row in enumerate(DAMAGED, start=1)]
    write_journal(debates, HEADER, *bad, verdict_line(9))
    faults = [(changes, None, words) for changes, words in DAMAGED]
    check_rejects(load_journals(debates).rejects, faults, first=2, place="line {0}")
    assert one(debates, "select count(*) from raw.verdicts") == 1


def test_verdicts_are_read_again_by_their_prompts_rule(
    debates: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_journal(
        debates,
        HEADER,
        verdict_line(1),
        verdict_line(2, outcome="loser"),
        verdict_line(3, reasoning=True, response="B, or not?\nA"),
        verdict_line(4, answer_format="json_schema", response='{"winner": "B"}'),
        verdict_line(5, response="neither"),
        failed_line(6, item_id="ddo:a"),
    )
    with monkeypatch.context() as patch:
        patch.setattr(
            inference.kinds.debates,
            "read_reply",
            lambda *args, **kwargs: ParsedLabel(None, "unparsed", "not_a_label"),
        )
        load_journals(debates)
    report = reparse(debates)
    assert report.changed == 4
    rows = query(debates, "select winner from raw.verdicts order by request_id")
    assert rows == [("pro",), ("con",), ("pro",), ("con",), (None,)]
    assert reparse(debates).changed == 0


def test_a_run_of_every_kind_reads_as_its_runner_counted(debates: Home) -> None:
    sources = find_item_sources(debates.items)
    for name, judge_id in (
        ("debate-winner", "simulated/fair"),
        ("debate-explained", "rule/majority"),
    ):
        run(
            load_experiment(name),
            spec_for(judge_id, None, {}),
            sources,
            journal_root=debates.journal,
        )
    load_journals(debates)
    assert query(
        debates,
        "select judge_id, wording, count(*), count(winner) from raw.verdicts group by all "
        "order by all",
    ) == [("rule/majority", "equivalent", 4, 4), ("simulated/fair", "equivalent", 8, 8)]
    hashes = query(
        debates,
        "select distinct item_hash from raw.verdicts",
    )
    assert len(hashes) <= 2
    header = json.loads(next(debates.journal.glob("*majority*/responses.jsonl")).open().readline())
    assert header["item_file"].endswith(".debates.parquet")
