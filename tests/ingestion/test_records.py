"""Reading rows: every way a file can be broken is told apart and named."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingestion.batch import Reject
from ingestion.errors import SourceUnreadable
from ingestion.records import Format, Record, file_format, read_rows
from tests.ingestion.ingestion_files import write_csv, write_jsonl, write_parquet


def _rows(
    path: Path, kind: Format = "csv", required: tuple[str, ...] = ()
) -> list[Record | Reject]:
    return list(read_rows(path, kind, shown=path.name, required=required))


def _file(tmp_path: Path, content: bytes, name: str = "a.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def test_line_ends_inside_quotes_belong_to_the_text(tmp_path: Path) -> None:
    path = _file(tmp_path, b'id,#n,text\r\n1,2,"one\ntwo\r\nthree"\r\n2,3,last')
    assert _rows(path) == [
        Record("record 1 (line 2)", {"id": "1", "#n": "2", "text": "one\ntwo\r\nthree"}),
        Record("record 2 (line 5)", {"id": "2", "#n": "3", "text": "last"}),
    ]


def test_a_byte_order_mark_is_not_part_of_the_first_name(tmp_path: Path) -> None:
    assert _rows(_file(tmp_path, b"\xef\xbb\xbfid\n1\n")) == [
        Record("record 1 (line 2)", {"id": "1"})
    ]


def test_blank_lines_are_no_records(tmp_path: Path) -> None:
    assert [row[0] for row in _rows(_file(tmp_path, b"id,b\n\n1,2\n\n3,4\n\n"))] == [
        "record 1 (line 3)",
        "record 2 (line 5)",
    ]


def test_a_row_with_too_many_or_too_few_fields_is_rejected_with_its_text(tmp_path: Path) -> None:
    rows = _rows(_file(tmp_path, b"a,b\n1,2,3\n4\n5,6\n"))
    assert [type(row) for row in rows] == [Reject, Reject, Record]
    assert rows[0][1:5] == (
        "record 1 (line 2)",
        None,
        "has 3 fields where the header has 2",
        "1,2,3\n",
    )


def test_a_quote_that_never_closes_counts_every_line_it_swallowed(tmp_path: Path) -> None:
    (good, bad) = _rows(_file(tmp_path, b'a,b\n1,2\n3,"4\n5,6\n7,8\n'))
    assert isinstance(good, Record)
    assert isinstance(bad, Reject)
    assert bad.weight == 3
    assert bad.original == '3,"4\n5,6\n7,8\n'
    assert "is not valid CSV" in bad.reason


def test_text_after_a_closing_quote_is_rejected_and_reading_goes_on(tmp_path: Path) -> None:
    rows = _rows(_file(tmp_path, b'a,b\n"1"x,2\n3,4\n'))
    assert [type(row) for row in rows] == [Reject, Record]


def test_a_field_longer_than_the_csv_module_likes_is_read(tmp_path: Path) -> None:
    (row,) = _rows(write_csv(tmp_path / "a.csv", [{"text": "x" * 500_000}]))
    assert isinstance(row, Record)
    assert len(row.fields["text"]) == 500_000


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        (b"", "csv", "a.csv is empty"),
        (b"", "jsonl", "a.csv is empty"),
        (b"", "parquet", "a.csv is empty"),
        (b"id,text\n", "csv", "a.csv holds no records"),
        (b"\n\n", "jsonl", "a.csv holds no records"),
        (b"a,a\n1,2\n", "csv", "has the column 'a' twice"),
        (b"a;b\n1;2\n", "csv", "lacks the columns 'id', 'text'; it has 'a;b'"),
        (b"PAR1nonsense", "parquet", "cannot be read as Parquet .* truncated"),
        (b"id,text\n1,caf\xe9\n", "csv", r"not UTF-8 text: byte 13 \(0xe9\)"),
        ("id,text\n1,2\n".encode("utf-16"), "csv", r"byte 0 \(0xff\) \(it looks like UTF-16\)"),
        (b'{"id": "\xff"}\n', "jsonl", r"byte 8 \(0xff\)"),
    ],
)
def test_a_file_that_is_not_what_it_should_be_is_refused(
    tmp_path: Path, content: bytes, kind: Format, message: str
) -> None:
    with pytest.raises(SourceUnreadable, match=message):
        _rows(_file(tmp_path, content), kind, ("id", "text"))


def test_the_wrong_byte_is_found_far_into_the_file_and_across_pieces(tmp_path: Path) -> None:
    # The two bytes of the letter lie on both sides of the reader's first mebibyte.
    start = b"a\n" + b"x" * (2**20 - 3)
    whole = _file(tmp_path, start + "é".encode() + b"\n")
    assert len(_rows(whole)) == 1
    offset = len(start) + 2 + 5000
    broken = _file(tmp_path, start + "é".encode() + b"y" * 5000 + b"\xff")
    with pytest.raises(SourceUnreadable, match=f"byte {offset} "):
        _rows(broken)
    cut = _file(tmp_path, b"a\n" + b"x" * 10 + "é".encode()[:1])
    with pytest.raises(SourceUnreadable, match="byte 12 "):
        _rows(cut)


@pytest.mark.parametrize("keep", [0.3, 0.9, 0.999])
def test_a_truncated_parquet_is_refused(tmp_path: Path, keep: float) -> None:
    path = write_parquet(tmp_path / "a.parquet", [{"id": str(n), "v": n} for n in range(2000)])
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * keep)])
    with pytest.raises(SourceUnreadable, match="it may be truncated: fetch it again"):
        _rows(path, "parquet")


def test_a_parquet_with_a_damaged_page_is_refused(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "a.parquet", [{"id": f"id-{n}"} for n in range(5000)])
    content = bytearray(path.read_bytes())
    content[8:2000] = b"\xff" * 1992
    path.write_bytes(bytes(content))
    with pytest.raises(SourceUnreadable, match="cannot be read as Parquet"):
        _rows(path, "parquet")


def test_each_broken_json_line_is_rejected_with_its_number(tmp_path: Path) -> None:
    path = _file(tmp_path, b'{"a": 1}\n{"a": \n\n[1]\n"x"\n{"a": 2}', "a.jsonl")
    rows = _rows(path, "jsonl")
    assert [row[1 if isinstance(row, Reject) else 0] for row in rows] == [
        "record 1 (line 1)",
        "record 2 (line 2)",
        "record 3 (line 4)",
        "record 4 (line 5)",
        "record 5 (line 6)",
    ]
    assert [row.reason.split(":")[0] for row in rows if isinstance(row, Reject)] == [
        "is not valid JSON",
        "is a JSON list; expected one object on the line",
        "is a JSON str; expected one object on the line",
    ]


@pytest.mark.parametrize(
    ("line", "is_read"),
    [
        ('{"a": 1, "a": 2}', False),
        ('{"a": true, "a": 1}', False),
        ('{"b": [{"a": [0], "a": [false]}]}', False),
        ('{"a": [1, {"c": 2}], "a": [1, {"c": 2}]}', True),
    ],
)
def test_a_key_that_is_given_twice_must_have_one_value(
    tmp_path: Path, line: str, is_read: bool
) -> None:
    (row,) = _rows(_file(tmp_path, line.encode(), "a.jsonl"), "jsonl")
    assert isinstance(row, Record) == is_read


def test_json_nested_beyond_reason_is_one_bad_line(tmp_path: Path) -> None:
    path = _file(tmp_path, b"[" * 100_000 + b'\n{"a": 1}\n', "a.jsonl")
    assert [type(row) for row in _rows(path, "jsonl")] == [Reject, Record]


def test_unicode_line_separators_do_not_end_a_json_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": "x\u2028y\u0085z"}\n', encoding="utf-8")
    assert _rows(path, "jsonl") == [Record("record 1 (line 1)", {"a": "x\u2028y\u0085z"})]


def test_a_file_that_vanished_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceUnreadable, match=r"cannot read gone.csv: No such file"):
        _rows(tmp_path / "gone.csv")


@pytest.mark.parametrize(
    ("name", "expected"), [("a.CSV", "csv"), ("a.ndjson", "jsonl"), ("a.parquet", "parquet")]
)
def test_the_format_is_that_of_the_ending(name: str, expected: str) -> None:
    assert file_format(Path(name)) == expected


@pytest.mark.parametrize("name", ["a.txt", "a"])
def test_an_unknown_format_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(SourceUnreadable, match="expected one of csv, jsonl, parquet"):
        file_format(Path(name))


# Everything UTF-8 can hold, line ends and quotes more often than not.
_TEXT = st.text(
    st.one_of(st.sampled_from('",\r\n\0 \ufeff'), st.characters(exclude_categories=["Cs"])),
    max_size=30,
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.fixed_dictionaries({"a": _TEXT, "b": _TEXT}), min_size=1, max_size=5))
def test_any_text_is_read_as_it_was_written(tmp_path: Path, rows: list[dict[str, str]]) -> None:
    for kind, write in (("csv", write_csv), ("jsonl", write_jsonl), ("parquet", write_parquet)):
        path = write(tmp_path / f"a.{kind}", rows)
        read = _rows(path, file_format(path))
        assert [row.fields for row in read if isinstance(row, Record)] == rows
