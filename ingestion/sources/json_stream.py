"""One JSON object too large for memory, member by member; a broken one says at which byte."""

import codecs
import re
from collections.abc import Iterator
from typing import IO, Any

import ijson

from ingestion.errors import SourceUnreadable
from ingestion.sources.containers import Opener, refuse_long

_CHUNK = 1 << 16
_WHITE = b" \t\r\n"
# The parser keeps the path of every open bracket, whose sum grows with the square: 40 kB took 1 GB.
_MAX_DEPTH = 100
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
# A string, or one that the chunk's end cuts off, which takes the mark of the end with it.
_END = b"\0"
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)


def iter_members(opener: Opener, shown: str) -> Iterator[tuple[str, Any]]:
    """Yield the members of the object a file holds, one in memory at a time.

    A name that is there twice is yielded twice.

    Args:
        opener: Opens the file's bytes; used again to find the place of an error.

    Raises:
        SourceUnreadable: It is no JSON object, a member is too large, or it breaks off; says the
            byte, counted from 0.
    """
    with opener() as stream:
        rest = _Rest(_skip_to_object(stream, shown), stream, shown)
        try:
            for member in ijson.kvitems(rest, "", use_float=True, buf_size=_CHUNK):
                rest.size = 0
                yield member
        except ijson.JSONError as error:
            raise _broken(opener, shown, error) from error
        except (EOFError, OSError) as error:
            message = f"ingestion: cannot read {shown}: {error}; fetch it again"
            raise SourceUnreadable(message) from error


class _Rest:
    """A stream whose first bytes were read already, which refuses large or deeply nested members.

    Attributes:
        size: Bytes read since the last member.
    """

    def __init__(self, start: bytes, stream: IO[bytes], shown: str) -> None:
        self._start, self._stream, self._shown = start, stream, shown
        self.size, self._depth, self._unclosed = 0, 0, b""

    def read(self, size: int) -> bytes:
        if self._start and size:
            chunk, self._start = self._start, b""
        else:
            chunk = self._stream.read(size)
        self.size += len(chunk)
        refuse_long(self.size, f"a member of {self._shown}")
        self._refuse_deep(chunk)
        return chunk

    def _refuse_deep(self, chunk: bytes) -> None:
        text = self._unclosed + chunk
        outside = _STRING.sub(b"", text + _END)
        self._unclosed = b""
        if not outside.endswith(_END):
            backslashes = len(text) - len(text.rstrip(b"\\"))
            self._unclosed = b'"\\' if backslashes % 2 else b'"'
        for bracket in outside.translate(None, _NO_BRACKETS):
            self._depth += 1 if bracket in b"[{" else -1
            if self._depth > _MAX_DEPTH:
                raise SourceUnreadable(
                    f"ingestion: {self._shown} is nested more than {_MAX_DEPTH} deep. Nothing of "
                    "it was loaded; check that it is the file the source releases"
                )


def _skip_to_object(stream: IO[bytes], shown: str) -> bytes:
    """Read past a byte order mark and white space; return the object's first bytes."""
    head = stream.read(_CHUNK)
    if not head:
        raise SourceUnreadable(f"ingestion: {shown} is empty; expected one JSON object")
    rest = head.removeprefix(codecs.BOM_UTF8).lstrip(_WHITE)
    if not rest.startswith(b"{"):
        at = len(head) - len(rest)
        raise SourceUnreadable(
            f"ingestion: {shown} is not one JSON object: byte {at:,} is {rest[:1]!r} where '{{' "
            "was expected; check that it is the file the source releases"
        )
    return rest


def _broken(opener: Opener, shown: str, error: Exception) -> SourceUnreadable:
    at, is_cut = _place(opener)
    if is_cut:
        return SourceUnreadable(
            f"ingestion: {shown} is cut off: its JSON ends in the middle, at byte {at:,}. Nothing "
            "of it was loaded; fetch it again"
        )
    why = str(error.args[0] if error.args else error)
    why = why.removeprefix("b'").partition("\\n")[0].splitlines()[0].strip()
    return SourceUnreadable(
        f"ingestion: {shown} is not valid JSON at byte {at:,} ({why}). Nothing of it was loaded; "
        "fetch it again, or correct it there"
    )


def _place(opener: Opener) -> tuple[int, bool]:
    """Return the byte at which the JSON breaks, and whether it just ends there.

    The parser tells only in which chunk, so it is fed that one again byte by byte.
    """
    good = _good_chunks(opener)
    with opener() as stream:
        parser = ijson.basic_parse_coro(_Nowhere(), use_float=True)
        start = _skip_to_object(stream, "")
        at = stream.tell() - len(start)
        chunk = start
        for _ in range(good):
            parser.send(chunk)
            at += len(chunk)
            chunk = stream.read(_CHUNK)
        for place in range(len(chunk)):
            try:
                parser.send(chunk[place : place + 1])
            except ijson.JSONError:
                return at + place, False
        return at + len(chunk), True


def _good_chunks(opener: Opener) -> int:
    with opener() as stream:
        parser = ijson.basic_parse_coro(_Nowhere(), use_float=True)
        chunk, good = _skip_to_object(stream, ""), 0
        while chunk:
            try:
                parser.send(chunk)
            except ijson.JSONError:
                break
            good += 1
            chunk = stream.read(_CHUNK)
        return good


class _Nowhere:
    """Takes the parser's events."""

    def send(self, event: object) -> None:
        del event
