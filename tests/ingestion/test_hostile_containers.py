"""Archives and workbooks made to cost memory or time, or damaged: a named error, and soon."""

import io
import tarfile
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from ingestion.errors import SourceUnreadable
from ingestion.parliamentary import files as bp_files
from ingestion.parliamentary.files import read_small_files
from ingestion.parliamentary.readers.debatebench import read_workbook
from ingestion.sources.containers import opener_of
from warehouse.home import Home
from warehouse.records.core import Dataset

OF = Dataset("tabbycat", "Tabs", "none")
SHEET = "xl/worksheets/sheet1.xml"
NAMESPACE = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
LAUGHS = (
    b'<!DOCTYPE x [<!ENTITY a "ha">'
    + b"".join(
        b'<!ENTITY %c "%s">' % (name, b"&%c;" % (name - 1) * 10)
        for name in range(ord("b"), ord("k"))
    )
    + b"]>"
)


def workbook() -> bytes:
    book, content = openpyxl.Workbook(), io.BytesIO()
    assert book.active is not None
    for row in (["Tourney", "PM"], ["A", 78]):
        book.active.append(row)
    book.save(content)
    return content.getvalue()


def with_member(content: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w", 8) as new:
        for member in old.namelist():
            new.writestr(member, change(old.read(member)) if member == name else old.read(member))
    return made.getvalue()


def with_entities(member: bytes) -> bytes:
    """Define entities before a member's root, and use them within."""
    body = member[member.index(b"?>") + 2 :] if member.startswith(b"<?xml") else member
    return LAUGHS + body.replace(b">Tourney<", b">&j;<").replace(b'"Sheet"', b'"&j;"')


def members() -> list[str]:
    return zipfile.ZipFile(io.BytesIO(workbook())).namelist()


@pytest.mark.parametrize("name", members())
@pytest.mark.parametrize(
    "change",
    [
        with_entities,
        lambda member: member[: len(member) // 2],
        lambda _: b"<a>" * 50_000,
        lambda _: b"",
        lambda _: bytes(range(256)),
    ],
    ids=["entities", "cut", "deep", "empty", "binary"],
)
def test_a_damaged_workbook_is_read_as_it_was_or_a_named_error(
    name: str, change: Callable[[bytes], bytes]
) -> None:
    started = time.monotonic()
    tracemalloc.start()
    try:
        (row,) = read_workbook(with_member(workbook(), name, change), "a.xlsx", ("tourney",))
    except SourceUnreadable:
        pass
    else:
        assert row.cells == {"tourney": "A", "pm": 78}
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50 * 2**20
    assert time.monotonic() - started < 5


def test_bytes_of_a_workbook_that_are_damaged_are_a_named_error() -> None:
    whole = workbook()
    at = whole.find(SHEET.encode())
    damaged = whole[: at + 60] + b"\xff" * 40 + whole[at + 100 :]
    with pytest.raises(SourceUnreadable, match="cannot be read as a workbook"):
        read_workbook(damaged, "a.xlsx", ("tourney",))


def test_a_workbook_whose_rows_end_far_to_the_right_costs_no_memory() -> None:
    rows = b"".join(
        b'<row r="%d"><c r="XFD%d"><v>1</v></c></row>' % (n, n) for n in range(1, 3_000)
    )
    wide = b"<worksheet %s><sheetData>%s</sheetData></worksheet>" % (NAMESPACE, rows)
    content = with_member(workbook(), SHEET, lambda _: wide)
    tracemalloc.start()
    with pytest.raises(SourceUnreadable, match="expected each of tourney once"):
        read_workbook(content, "a.xlsx", ("tourney",))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * 2**20


@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz"])
def test_the_header_of_a_tar_member_is_not_unpacked_past_the_limit(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setattr(bp_files, "MAX_ALL", 2**20)
    path = tmp_path / "tab.tar"
    with tarfile.open(path, mode, format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("rounds.json")
        # Nothing of it is content: it is all said in the member's header.
        member.pax_headers = {"comment": "x" * 32 * 2**20}
        archive.addfile(member, io.BytesIO())
    tracemalloc.start()
    with pytest.raises(SourceUnreadable, match="larger than any such source"):
        read_small_files(home, str(path), OF, (".json",))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * 2**20


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_a_tar_archive_is_read_whatever_packs_it(home: Home, tmp_path: Path, mode: str) -> None:
    path = tmp_path / "tab.tar"
    with tarfile.open(path, mode) as archive:
        for name, content in (("a/rounds.json", b"[]"), ("a/note.txt", b"x"), ("b.json", b"{}")):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    found = read_small_files(home, str(path), OF, (".json",))
    assert found.files == {"a/rounds.json": b"[]", "b.json": b"{}"}
    assert found.others == ("a/note.txt",)


def test_a_zip_member_with_a_password_is_a_named_error(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.json", "{}")
    content = bytearray(path.read_bytes())
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.find(mark) + flags] |= 1
    path.write_bytes(content)
    with (
        pytest.raises(SourceUnreadable, match="is encrypted in a way that cannot be read"),
        opener_of(path, "a.json", "a.zip")(),
    ):
        pass
