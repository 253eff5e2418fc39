"""Score files with something wrong in them: a row is named and set aside, or the file refused."""

from pathlib import Path

import pytest

from ingestion.errors import TooManyRejected
from ingestion.imports import import_file
from tests.ingestion.ingestion_files import check_rejects, one, query, unchanged, write_jsonl
from tests.ingestion.score_rows import import_rows, score_row
from warehouse.home import Home

BAD_ROWS = [
    ({"item": "speeches:s-99"}, "item", "unknown item 'speeches:s-99'"),
    ({"item": "x-39"}, "item", "expected an id such as 'speeches:<the file's id>'"),
    ({"item": None}, "item", "is missing; expected on every row"),
    ({"item": 39}, "item", "should be a valid string; found 39"),
    ({"judge": None}, "judge", "is missing; expected on every row"),
    ({"judge": "gpt-4"}, "judge", "such as openai/gpt-4.1-mini: it has no '/'"),
    ({"judge": "OpenAI/gpt-4"}, "judge", "the provider 'OpenAI' is not of small letters"),
    ({"judge": "z.ai/glm-4.5"}, "judge", "the provider 'z.ai' is not of small letters"),
    ({"judge": "a/b c"}, "judge", "the model 'b c' is not of letters, digits and . _ : / -"),
    ({"judge": "a/../b"}, "judge", "it has '..' in it"),
    ({"judge": "openai/гпт"}, "judge", "it has 'г' (CYRILLIC SMALL LETTER GHE)"),
    ({"judge": "human/anna"}, "judge", "imported with --format human-verdicts"),
    ({"judge": "ensemble/all"}, "judge", "is reserved"),
    ({"value": None}, "value", "is missing, and so is 'response'; expected one"),
    ({"value": 6}, "value", "is off the scale 1 to 5: 6"),
    ({"value": -1}, "value", "is off the scale 1 to 5: -1"),
    ({"value": "four"}, "value", "should be a valid number"),
    ({"value": "NaN"}, "value", "should be a finite number"),
    ({"value": True}, "value", "should be a number, not a truth value"),
    ({"value": [4]}, "value", "should be a valid number"),
    ({"dimension": "wit"}, "dimension", "no dimension 'wit'; it has: goodopeningspeech"),
    ({"template": " "}, "template", "should not be blank"),
    ({"sample": -1}, "sample", "should be greater than or equal to 0"),
    ({"sample": 1.5}, "sample", "should be a valid integer"),
    ({"tokens_in": "many"}, "tokens_in", "should be a valid integer"),
    ({"latency_s": -0.1}, "latency_s", "should be greater than or equal to 0"),
    ({"cost_usd": "Infinity"}, "cost_usd", "should be a finite number"),
    ({"at": "yesterday"}, "at", "should be a time between 1970 and 2200"),
    ({"at": 1_700_000_000_000}, "at", "should be a time between 1970 and 2200"),
    ({"response": {"text": "4"}}, "response", "should be a valid string"),
    ({"response": "half \ud83d pair"}, "response", "should be valid Unicode text"),
    ({"item": "speeches:s-3"}, "item", "duplicate key: record 4 (line 4) has the same item"),
]


def test_bad_rows_are_quarantined_by_name(loaded: Home, tmp_path: Path) -> None:
    rows = [score_row(number) for number in range(39)]
    bad = [score_row(39, **changes) for changes, *_ in BAD_ROWS]
    report = import_rows(loaded, tmp_path, [*rows, *bad], max_rejected=1)
    assert report.tables["scores"].new == 39
    check_rejects(report.rejects, BAD_ROWS, first=40)
    assert one(loaded, "select count(*) from raw.quarantine") == len(BAD_ROWS)


def test_malformed_lines_are_quarantined_with_their_text(loaded: Home, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [score_row(n) for n in range(39)])
    path.write_text(path.read_text() + '{"item": "speeches:s-39", "judge"\n')
    report = import_file(loaded, path)
    assert report.tables["scores"].new == 39
    assert query(loaded, "select record, original from raw.quarantine") == [
        ("record 40 (line 40)", '{"item": "speeches:s-39", "judge"\n')
    ]


def test_over_the_limit_the_whole_file_is_refused(loaded: Home, tmp_path: Path) -> None:
    import_rows(loaded, tmp_path, [score_row(0)])
    with unchanged(loaded):
        rows = [
            *(score_row(n) for n in range(18)),
            score_row(0, item="speeches:x"),
            score_row(0, value=9),
        ]
        with pytest.raises(TooManyRejected) as caught:
            import_rows(loaded, tmp_path, rows)
        assert "2 of 20 records break the contract, at most 5% may" in str(caught.value)
        assert "record 19 (line 19), field 'item': unknown item 'speeches:x'" in str(caught.value)
        assert "record 20 (line 20), field 'value': is off the scale" in str(caught.value)
    assert import_rows(loaded, tmp_path, rows, max_rejected=0.1).tables["scores"].new == 18


def test_an_import_into_an_empty_home_says_what_is_missing(home: Home, tmp_path: Path) -> None:
    with pytest.raises(TooManyRejected, match="data sets loaded: none; load one with 'rostrum ing"):
        import_rows(home, tmp_path, [score_row(0)])
