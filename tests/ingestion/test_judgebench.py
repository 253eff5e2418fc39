"""DebateBench's debates as a source, and the verdicts on them, up to the real files."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ingestion.batch import Counts
from ingestion.imports import import_file
from ingestion.ingest import ingest
from tests.ingestion.answer_files import DEBATES, debate, import_lines, load_debates, verdict
from tests.ingestion.ingestion_files import (
    check_kept,
    check_rejects,
    one,
    query,
    row_of,
    unchanged,
    write_jsonl,
)
from warehouse.home import PROJECT_ROOT, Home


def test_a_debate_becomes_its_turns_in_order(home: Home, tmp_path: Path) -> None:
    load_debates(home, tmp_path, 2)
    assert query(home, "select debate_id, motion, format from raw.debates order by 1") == [
        (f"judgebench:{name}", "Resolved: Trees 0 are good.", "public-forum")
        for name in DEBATES[:2]
    ]
    turns = query(
        home,
        "select speech_order, round, side, speaker, source, item_id from raw.speeches "
        f"where debate_id = 'judgebench:{DEBATES[1]}' order by 1",
    )
    assert [turn[:5] for turn in turns] == [
        (1, "constructive", "pro", "vendor/model-b", "vendor/model-b"),
        (2, "constructive", "con", "vendor/model-a", "vendor/model-a"),
        (3, "rebuttal", "pro", "vendor/model-b", "vendor/model-b"),
        (4, "rebuttal", "con", "vendor/model-a", "vendor/model-a"),
        (5, "summary", "pro", "vendor/model-b", "vendor/model-b"),
        (6, "summary", "con", "vendor/model-a", "vendor/model-a"),
    ]
    assert turns[2][5] == f"judgebench:{DEBATES[1]}:pro_rebuttal"
    extra = json.loads(one(home, "select extra from raw.debates order by debate_id limit 1"))
    assert (extra["pro_model"], extra["pair_id"], extra["model_assignment"]) == (
        "vendor/model-a",
        DEBATES[1],
        "original",
    )
    assert query(home, "from raw.dimensions") == []
    with unchanged(home):
        load_debates(home, tmp_path, 2)


def test_twins_with_the_sides_swapped_name_each_other_and_share_a_cluster(
    home: Home, tmp_path: Path
) -> None:
    rows = [debate(number) for number in range(4)]
    rows[3]["pair_id"] = None
    ingest(home, "judgebench", write_jsonl(tmp_path / "debates.jsonl", rows))
    names = [f"judgebench:{name}" for name in DEBATES[:4]]
    assert sorted(query(home, "select debate_id, twin_id, cluster_id from raw.debates")) == sorted(
        [
            (names[0], names[1], min(names[:2])),
            (names[1], names[0], min(names[:2])),
            (names[2], names[3], min(names[2:])),
            (names[3], None, None),
        ]
    )


def _turn(**changes: Any) -> dict[str, Any]:
    speeches = debate(0)["speeches"]
    speeches[1] = {**speeches[1], **changes}
    return {"speeches": speeches, "debate": None}


BROKEN = [
    ({"id": None}, "id", "should be the debate's id"),
    ({"id": DEBATES[0]}, "id", f"duplicate id: judgebench:{DEBATES[0]} is record 1"),
    ({"resolution": None, "debate": None}, "resolution", "should be the motion"),
    ({"resolution": "Resolved: no."}, "resolution", "differs from its copy under 'debate'"),
    ({"pro_model": " "}, "pro_model", "should be the model that argued this side"),
    ({"speeches": []}, "speeches", "at least 1 item"),
    (_turn(side="BOTH"), "speeches[1].side", "should be PRO or CON; found 'BOTH'"),
    (_turn(side="PRO"), "speeches[1].speech_type", "should begin with the side"),
    (_turn(content=" "), "speeches[1].content", "should not be blank"),
    (_turn(content=None), "speeches[1].content", "should be text"),
    (_turn(speech_type="con_rebuttal"), "id", "duplicate turn: "),
]


def test_broken_debates_are_rejected_whole(home: Home, tmp_path: Path) -> None:
    rows = [debate(0), debate(1), *({**debate(2), **changes} for changes, *_ in BROKEN)]
    path = write_jsonl(tmp_path / "debates.jsonl", rows)
    check_rejects(ingest(home, "judgebench", path, max_rejected=1).rejects, BROKEN, first=3)
    assert one(home, "select count(*) from raw.speeches") == 12


def test_a_verdict_keeps_everything_and_finds_its_debate(home: Home, tmp_path: Path) -> None:
    load_debates(home, tmp_path)
    report = import_lines(
        home,
        tmp_path,
        [verdict(1, "CON", judge_prompt="p2", run_number=2, stability_check="done"), verdict(2)],
    )
    assert report.tables["verdicts"] == Counts(new=2)
    assert list(report.notes) == ["read as judgebench"]
    stored = row_of(home, "verdicts", f"debate_id like '%{DEBATES[1]}'")
    expected = {"judge_id": "vendor/judge", "dataset_id": "judgebench", "sample": 2}
    expected |= {"template": "judgebench_p2", "winner": "con", "parse_status": "supplied"}
    expected |= {"outcome": "winner", "source_record": "line 1", "experiment": "imported"}
    check_kept(stored, expected | {"first_side": None})
    assert stored["answered_at"] == datetime(2026, 1, 8, 5, 26, 40, 250000)
    response, extra = stored["response"], stored["extra"]
    assert response == verdict(1, "CON")["judgment"]
    kept = json.loads(extra)
    assert (kept["confidence"], kept["stability_check"]) == (0.7, "done")
    assert kept["scores"]["clash"] == {"PRO": 4, "CON": 4}


def test_the_hash_of_a_verdict_is_that_of_the_debates_turns(home: Home, tmp_path: Path) -> None:
    load_debates(home, tmp_path)
    import_lines(home, tmp_path, [verdict(0)])
    model = PROJECT_ROOT / "dbt_project" / "models" / "debates" / "int_debates_measured.sql"
    # The marts compute it anew, to know which verdicts are about a text that has changed.
    by_hand = one(
        home,
        "select left(sha256(string_agg(item_hash, chr(10) order by speech_order nulls last, "
        f"item_id)), 16) from raw.speeches where debate_id = 'judgebench:{DEBATES[0]}'",
    )
    assert one(home, "select item_hash from raw.verdicts") == by_hand
    said = " ".join(model.read_text(encoding="utf-8").split())
    assert "string_agg(item_hash, chr(10) order by speech_order nulls last, item_id)), 16" in said
    changed = debate(0)["speeches"]
    changed[3] = {**changed[3], "content": "Rewritten."}
    rows = [debate(0, speeches=changed, debate=None)]
    ingest(home, "judgebench", write_jsonl(tmp_path / "again.jsonl", rows))
    import_lines(home, tmp_path, [verdict(0)])
    assert one(home, "select item_hash from raw.verdicts") == by_hand
    import_lines(home, tmp_path, [verdict(0, confidence=0.6)], name="b.jsonl")
    assert one(home, "select count(distinct item_hash) from raw.verdicts") == 2


WINNERS = [
    ({"judgment": '{"winner": "PRO"}'}, "pro", "supplied", None),
    ({"judgment": 'Prose, then braces {"winner": "PRO"}'}, "pro", "supplied", None),
    ({"judgment": "I cannot say."}, "pro", "supplied", None),
    ({"winner": "TIE", "judgment": '{"winner": "TIE"}'}, "tie", "supplied", None),
    ({"winner": None}, "pro", "parsed", None),
    ({"winner": None, "judgment": "I cannot say."}, None, "unparsed", "not_a_label"),
    ({"winner": None, "judgment": ""}, None, "unparsed", "empty_response"),
    ({"winner": "PRO and CON"}, None, "unparsed", "both_labels"),
    ({"winner": "UNKNOWN"}, None, "unparsed", "not_a_label"),
]


def test_a_winner_is_what_the_object_says_and_never_derived_from_scores(
    home: Home, tmp_path: Path
) -> None:
    load_debates(home, tmp_path)
    rows = [
        {**verdict(0, run_number=number), **changes} for number, (changes, *_) in enumerate(WINNERS)
    ]
    assert import_lines(home, tmp_path, rows).quarantined == 0
    columns = "winner, parse_status, parse_reason"
    assert query(home, f"select {columns} from raw.verdicts order by sample") == [
        expected[1:] for expected in WINNERS
    ]


def test_a_winner_its_judgment_contradicts_is_quarantined(home: Home, tmp_path: Path) -> None:
    load_debates(home, tmp_path)
    rows = [verdict(0), {**verdict(1, "CON"), "winner": "PRO"}, verdict(2, judgment=None)]
    rejects = import_lines(home, tmp_path, rows, max_rejected=0.9).rejects
    assert [(each.record, each.field) for each in rejects] == [
        ("record 2 (line 2)", "winner"),
        ("record 3 (line 3)", "judgment"),
    ]
    assert "is 'PRO' where the judgment's own JSON says 'con'" in rejects[0].reason


@pytest.mark.shared
def test_the_real_files_load_whole(home: Home, shared_data: Path) -> None:
    folder = shared_data / "llm_verdicts"
    report = ingest(home, "judgebench", folder / "debates.jsonl")
    assert report.quarantined == 0
    assert (report.tables["debates"].new, report.tables["speeches"].new) == (50, 300)
    report = import_file(home, folder / "verdicts.jsonl")
    assert (report.quarantined, report.tables["verdicts"].new) == (0, 900)
    assert query(home, "select winner, count(*) from raw.verdicts group by 1 order by 1") == [
        ("con", 399),
        ("pro", 501),
    ]
    assert one(home, "select count(distinct item_hash) from raw.verdicts") == 50
    assert one(home, "select count(*) from raw.verdicts where extra like '%judgment_unread%'") == 0
    with unchanged(home):
        assert import_file(home, folder / "verdicts.jsonl").load_id is None


def test_an_import_counts_records_and_readable_answers_apart_from_rows(
    home: Home, tmp_path: Path
) -> None:
    load_debates(home, tmp_path)
    rows = [verdict(0), verdict(1, winner="NOBODY", judgment="Hard to say.", scores=None)]
    report = import_lines(home, tmp_path, rows, max_rejected=1.0)
    assert report.records == "2 records, 1 of 2 answers readable (1 not_a_label)"
    assert (report.tables["verdicts"].new, report.tables["runs"].new) == (2, 1)
    assert report.new_by_table.startswith("1 runs, 2 verdicts")
