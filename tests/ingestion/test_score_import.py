"""Importing score files: every row is loaded, or quarantined by name, or the whole file refused."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingestion.answers.imported import SETTINGS_HASH
from ingestion.imports import import_file
from ingestion.ingest import ingest
from tests.ingestion.ingestion_files import (
    check_kept,
    ibm_speech,
    one,
    query,
    row_of,
    speeches,
    unchanged,
    write_csv,
    write_jsonl,
    write_parquet,
)
from tests.ingestion.score_rows import JUDGE, import_rows, score_row, scores_in
from warehouse.home import Home


def test_item_judge_and_value_are_enough(loaded: Home, tmp_path: Path) -> None:
    report = import_rows(loaded, tmp_path, [score_row(0), score_row(1)])
    assert {name: counts.new for name, counts in report.tables.items()} == {
        "runs": 1,
        "scores": 2,
        "judges": 1,
    }
    stored = row_of(loaded, "scores", "item_id = 'speeches:s-1'")
    expected = dict.fromkeys(("experiment", "template", "wording"), "imported")
    expected |= {"judge_id": JUDGE, "settings_hash": SETTINGS_HASH, "dataset_id": "speeches"}
    expected |= {"dimension": "goodopeningspeech", "sample": 0, "response": None, "extra": None}
    expected |= {"value": 2.0, "value_released": 2.0, "parse_status": "supplied"}
    check_kept(stored, expected | {"request_status": "answered"})
    assert scores_in(loaded, "item_hash") == query(
        loaded,
        "select item_hash from raw.speeches where item_id in "
        "('speeches:s-0', 'speeches:s-1') order by item_id",
    )


def test_every_column_of_the_format_is_kept(loaded: Home, tmp_path: Path) -> None:
    asked = {"template": "speech_score", "dimension": "goodopeningspeech", "sample": 2}
    given = {"value": 4, "response": "<score>5</score>", "seed": 7, "note": "mine"}
    cost = {"tokens_in": 812, "tokens_out": 5, "latency_s": 0.8, "cost_usd": 0.0012}
    row = score_row(3, **asked, **given, **cost, at="2026-03-01T12:00:00+02:00")
    import_rows(loaded, tmp_path, [row])
    # The value that was supplied stands, whatever the response says.
    stored = row_of(loaded, "scores")
    check_kept(stored, row | {"value_released": 4.0, "parse_status": "supplied"})
    assert stored["answered_at"] == datetime(2026, 3, 1, 10, 0)
    assert json.loads(scores_in(loaded, "extra")[0][0]) == {"seed": 7, "note": "mine"}


def test_a_value_left_out_is_parsed_from_the_response_and_never_guessed(
    loaded: Home, tmp_path: Path
) -> None:
    replies = ["<score>4</score>", "<score>**4**</score>", "I say 4", "<score>9</score>", "", " "]
    rows = [
        {"item": f"speeches:s-{n}", "judge": JUDGE, "response": reply}
        for n, reply in enumerate(replies)
    ]
    assert import_rows(loaded, tmp_path, rows).quarantined == 0
    assert scores_in(loaded, "response, value, value_released, parse_status, parse_reason") == [
        ("<score>4</score>", 4.0, 4.0, "parsed", None),
        ("<score>**4**</score>", 4.0, None, "parsed", None),
        ("I say 4", None, None, "unparsed", "no_score_tag"),
        ("<score>9</score>", None, None, "unparsed", "out_of_range"),
        ("", None, None, "unparsed", "empty_response"),
        (" ", None, None, "unparsed", "empty_response"),
    ]


def test_each_judge_of_a_file_is_a_run(loaded: Home, tmp_path: Path) -> None:
    rows = [
        score_row(0, at=1_700_000_000),
        score_row(1, at=1_700_000_060),
        score_row(0, judge="local/a/b:c"),
    ]
    import_rows(loaded, tmp_path, rows)
    sha = one(loaded, "select sha256 from raw.loads where kind = 'scores'")[:12]
    assert query(loaded, "select run_id, judge_id, planned from raw.runs order by 1") == [
        (f"import-{sha}-local-a-b-c", "local/a/b:c", 1),
        (f"import-{sha}-openai-gpt-test", JUDGE, 2),
    ]
    assert query(
        loaded, "select distinct origin, experiment, settings_hash, status from raw.runs"
    ) == [("import", "imported", SETTINGS_HASH, "complete")]
    assert query(
        loaded, f"select started_at, ended_at from raw.runs where judge_id = '{JUDGE}'"
    ) == [(datetime(2023, 11, 14, 22, 13, 20), datetime(2023, 11, 14, 22, 14, 20))]
    assert query(
        loaded, "select judge_id, provider, model, settings from raw.judges order by 1"
    ) == [("local/a/b:c", "local", "a/b:c", "{}"), (JUDGE, "openai", "gpt-test", "{}")]


def test_judges_whose_names_fold_together_get_runs_of_their_own(
    loaded: Home, tmp_path: Path
) -> None:
    import_rows(loaded, tmp_path, [score_row(0, judge="a/b:c"), score_row(0, judge="a/b-c")])
    assert one(loaded, "select count(distinct run_id) from raw.runs") == 2
    assert one(loaded, "select count(*) from raw.scores") == 2


def test_importing_the_same_file_twice_changes_nothing(loaded: Home, tmp_path: Path) -> None:
    rows = [*(score_row(n) for n in range(39)), score_row(39, value=77)]
    import_rows(loaded, tmp_path, rows)
    with unchanged(loaded):
        report = import_rows(loaded, tmp_path, rows)
        assert (report.new, report.updated, report.unchanged, report.load_id) == (0, 0, 41, None)
        assert report.quarantined == 1


def test_an_answer_stays_with_the_text_it_was_first_imported_for(
    loaded: Home, tmp_path: Path
) -> None:
    import_rows(loaded, tmp_path, [score_row(0), score_row(1)])
    before = scores_in(loaded, "item_hash")
    rows = speeches(40)
    rows[0]["text"] = "Rewritten"
    ingest(loaded, "speeches", write_csv(tmp_path / "changed.csv", rows))
    assert import_rows(loaded, tmp_path, [score_row(0), score_row(1)]).load_id is None
    assert scores_in(loaded, "item_hash") == before
    # A file with other content is a new statement, made about the text as it is now.
    import_rows(loaded, tmp_path, [score_row(0, value=5), score_row(1)])
    renewed = scores_in(loaded, "item_hash", "item_id = 'speeches:s-0'")
    assert len(set(renewed)) == 2


def test_rows_that_were_unknown_are_taken_up_once_their_items_are_there(
    home: Home, tmp_path: Path
) -> None:
    ingest(home, "speeches", write_csv(tmp_path / "a.csv", speeches(2)))
    rows = [score_row(n) for n in range(4)]
    assert import_rows(home, tmp_path, rows, max_rejected=0.5).tables["scores"].new == 2
    ingest(home, "speeches", write_csv(tmp_path / "b.csv", speeches(4)))
    report = import_rows(home, tmp_path, rows)
    assert (report.tables["scores"].new, report.tables["scores"].unchanged) == (2, 2)


def test_csv_json_lines_and_parquet_say_the_same(loaded: Home, tmp_path: Path) -> None:
    rows = [
        score_row(
            n, response=f'Reply {n},\n"quoted"', tokens_in=n, at="2026-01-01", extra_column="x"
        )
        for n in range(5)
    ]
    columns = (
        "item_id, judge_id, template, dimension, sample, value, response, tokens_in, answered_at, "
        "extra, request_id"
    )
    seen = []
    for path in (
        write_csv(tmp_path / "a.csv", rows),
        write_jsonl(tmp_path / "a.jsonl", rows),
        write_parquet(tmp_path / "a.parquet", rows),
    ):
        import_file(loaded, path)
        run_id = one(
            loaded, f"select max(run_id) from raw.scores where _source_file like '%{path.name}'"
        )
        seen.append(scores_in(loaded, columns, f"run_id = '{run_id}'"))
    assert seen[0] == seen[1] == seen[2]
    assert len(seen[0]) == 5


def test_empty_cells_of_a_csv_are_absent(loaded: Home, tmp_path: Path) -> None:
    row = score_row(0, template="", dimension="", sample="", response="", tokens_in="", at="")
    assert import_file(loaded, write_csv(tmp_path / "a.csv", [row])).quarantined == 0
    assert scores_in(loaded, "template, sample, response, tokens_in") == [
        ("imported", 0, None, None)
    ]


def test_a_file_may_leave_out_the_usual_dimension_of_several(home: Home, tmp_path: Path) -> None:
    ingest(home, "speeches-ibm", write_parquet(tmp_path / "a.parquet", [ibm_speech(0)]))
    item = one(home, "select item_id from raw.speeches")
    import_rows(home, tmp_path, [{"item": item, "judge": JUDGE, "value": 2}])
    assert scores_in(home, "dimension") == [("goodopeningspeech",)]


_REPLY = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)


@settings(
    max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(replies=st.lists(_REPLY, min_size=1, max_size=20), order=st.randoms(use_true_random=False))
def test_any_reply_comes_through_in_any_row_order(
    loaded: Home, tmp_path: Path, replies: list[str], order: Any
) -> None:
    # Another judge each time: what is already loaded would not be loaded again.
    judge = f"acme/judge-{one(loaded, 'select count(*) from raw.loads')}"
    rows = [
        {"item": f"speeches:s-{n}", "judge": judge, "response": reply}
        for n, reply in enumerate(replies)
    ]
    columns = "item_id, response, value, parse_status, parse_reason, request_id"
    found = []
    for name, write in (("a.jsonl", write_jsonl), ("b.csv", write_csv)):
        path = write(tmp_path / name, rows)
        assert import_file(loaded, path).quarantined == 0
        source = one(loaded, "select file from raw.loads order by load_id desc limit 1")
        found.append(scores_in(loaded, columns, f"_source_file = '{source}'"))
        order.shuffle(rows)
    assert {row[0]: row[1] for row in found[0]} == {row["item"]: row["response"] for row in rows}
    assert found[0] == found[1]
