"""JSON objects too large for memory, member by member, with the byte of an error."""

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
# A string; one cut off by the chunk's end includes the end's mark.
_END = b"\0"
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)


def iter_members(opener: Opener, shown: str) -> Iterator[tuple[str, Any]]:
    """Yield the members of a file's JSON object, one in memory at a time, duplicates included.

    Raises:
        SourceUnreadable: It is no JSON object, a member is too large, or it breaks off; the message
            names the byte, counted from 0.
    """
    with opener() as stream:
        rest = _Rest(*_skip_to_object(stream, shown), stream, shown)
        try:
            for member in ijson.kvitems(rest, "", use_float=True, buf_size=_CHUNK):
                rest.size = 0
                yield member
        except ijson.JSONError as error:
            raise _broken(opener, shown, error, rest.last_chunk) from error
        except (EOFError, OSError) as error:
            message = f"ingestion: cannot read {shown}: {error}; fetch it again"
            raise SourceUnreadable(message) from error


class _Rest:
    """A stream whose first bytes were read already, with limits on the size and depth of members.

    Attributes:
        size: Bytes read since the last member.
        last_chunk: Offset of the chunk read last.
    """

    def __init__(self, offset: int, start: bytes, stream: IO[bytes], shown: str) -> None:
        self._start, self._stream, self._shown = start, stream, shown
        self.size, self._depth, self._unclosed = 0, 0, b""
        self.last_chunk = self._end = offset

    def read(self, size: int) -> bytes:
        if self._start and size:
            chunk, self._start = self._start, b""
        else:
            chunk = self._stream.read(size)
        self.last_chunk, self._end = self._end, self._end + len(chunk)
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


def _skip_to_object(stream: IO[bytes], shown: str) -> tuple[int, bytes]:
    """Skip a byte order mark and white space; return the object's offset and first bytes."""
    head = stream.read(_CHUNK)
    if not head:
        raise SourceUnreadable(f"ingestion: {shown} is empty; expected one JSON object")
    rest = head.removeprefix(codecs.BOM_UTF8).lstrip(_WHITE)
    offset = len(head) - len(rest)
    if not rest.startswith(b"{"):
        raise SourceUnreadable(
            f"ingestion: {shown} is not one JSON object: byte {offset:,} is {rest[:1]!r} where "
            "'{' was expected; check that it is the file the source releases"
        )
    return offset, rest


def _broken(opener: Opener, shown: str, error: Exception, last_chunk: int) -> SourceUnreadable:
    """Return the error for a file with a fault in one chunk, with the byte of the fault.

    The parser does not report the byte, so it gets the chunk again byte by byte.
    """
    is_cut = True
    with opener() as stream:
        events = ijson.sendable_list()
        parser = ijson.basic_parse_coro(events, use_float=True)
        at, chunk = _skip_to_object(stream, shown)
        while at < last_chunk:
            parser.send(chunk)
            events.clear()
            at, chunk = at + len(chunk), stream.read(_CHUNK)
        for byte in chunk:
            try:
                parser.send(bytes([byte]))
            except ijson.JSONError:
                is_cut = False
                break
            at += 1
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
