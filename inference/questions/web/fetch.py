"""Fetching one page that nobody vouches for, within limits of size and time.

The connection goes to an address that was checked, and the name is not resolved again. Redirects
are followed one by one, each checked like the first. No proxy of the environment is used: it would
resolve the name again, out of sight.
"""

import http.client
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urldefrag, urljoin

from inference.questions.web.guard import Guard, Refused, Target

_PIECE = 64 * 1024
_REDIRECTS = 5
_REDIRECTED = frozenset({301, 302, 303, 307, 308})
_OK = 200
# For both the stream of gzip and that of zlib.
_ANY_ZLIB = 47
_HEADERS = {
    "User-Agent": "Rostrum (research; reads single pages)",
    "Accept-Encoding": "gzip, deflate, identity",
    "Connection": "close",
}


@dataclass(frozen=True)
class Limits:
    """How much of a page is borne: bytes, packed or unpacked, and seconds with redirects."""

    max_bytes: int = 2_000_000
    timeout_s: float = 20.0


@dataclass(frozen=True)
class Fetched:
    """A page as it came.

    Attributes:
        address: Where it came from in the end, after redirects.
        media_type: What the server calls it, in small letters, such as `text/html`.
        charset: The encoding the server names; None where it names none.
        body: Its bytes, unpacked.
    """

    address: str
    media_type: str
    charset: str | None
    body: bytes


def fetch(
    address: str,
    guard: Guard,
    limits: Limits,
    *,
    headers: Mapping[str, str] | None = None,
    media_types: frozenset[str],
    redirects: int = _REDIRECTS,
) -> Fetched:
    """Return a page.

    Args:
        guard: Decides what may be fetched.
        limits: Its size and time.
        headers: What to tell the first server besides, and no other.
        media_types: What it may be.
        redirects: The most redirects to follow.

    Raises:
        Refused: It may not be fetched, or did not come whole and within the limits.
    """
    deadline = time.monotonic() + limits.timeout_s
    for _ in range(redirects + 1):
        target = guard.check(address)
        found = _one(target, address, limits, deadline, headers or {}, media_types)
        if isinstance(found, Fetched):
            return found
        address = urldefrag(urljoin(address, found)).url
        # A key is for who was named, not for whom that one names.
        headers = {}
    raise Refused("too_many_redirects", f"led through more than {redirects} redirects")


class _Pinned(http.client.HTTPConnection):
    """A connection to one IP address, whatever its host's name resolves to by now."""

    def __init__(self, target: Target, timeout_s: float) -> None:
        super().__init__(target.host, target.port, timeout=timeout_s)
        self._target = target
        self.default_port = 443 if target.scheme == "https" else 80

    def connect(self) -> None:
        """Connect to the first of the checked addresses that takes the connection."""
        for place, ip in enumerate(self._target.ips, start=1):
            try:
                self.sock = socket.create_connection((ip, self.port), self.timeout)
                break
            except OSError:
                if place == len(self._target.ips):
                    raise
        if self._target.scheme == "https":
            self.sock = ssl.create_default_context().wrap_socket(
                self.sock, server_hostname=self.host, do_handshake_on_connect=False
            )
            self.sock.do_handshake()

    def cut(self) -> None:
        """End the connection from another thread: what waits for it comes back at once."""
        if self.sock is not None:
            try:
                # Not the method of an encrypted socket, which takes its cipher from the reader.
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)
            except OSError:
                return


def _one(
    target: Target,
    address: str,
    limits: Limits,
    deadline: float,
    headers: Mapping[str, str],
    media_types: frozenset[str],
) -> Fetched | str:
    """Return what one server sent: the page, or where it sends us."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise _too_slow(limits)
    connection = _Pinned(target, left)
    # A server that sends a byte now and then never runs into a socket's own timeout.
    watch = threading.Timer(left, connection.cut)
    watch.daemon = True
    watch.start()
    try:
        connection.request("GET", target.path, headers={**_HEADERS, **headers})
        answer = connection.getresponse()
        if answer.status in _REDIRECTED and (place := answer.getheader("Location")):
            return place
        if answer.status != _OK:
            raise Refused("http_error", f"answered {answer.status}")
        media_type = answer.headers.get_content_type()
        if media_type not in media_types:
            raise Refused(
                "wrong_type", f"is {media_type}; read are {', '.join(sorted(media_types))}"
            )
        body = _body(answer, limits)
        if time.monotonic() >= deadline:
            raise _too_slow(limits)
        if answer.length:
            raise Refused("not_reached", f"broke off {answer.length} bytes before its end")
        return Fetched(address, media_type, answer.headers.get_content_charset(), body)
    except Refused:
        raise
    except (OSError, http.client.HTTPException, zlib.error, ValueError) as error:
        if time.monotonic() >= deadline:
            raise _too_slow(limits) from None
        raise Refused("not_reached", f"{type(error).__name__}: {error}") from None
    finally:
        watch.cancel()
        connection.close()


def _too_slow(limits: Limits) -> Refused:
    return Refused("too_slow", f"took longer than {limits.timeout_s:g} s")


def _body(answer: http.client.HTTPResponse, limits: Limits) -> bytes:
    """Return the body, unpacked."""
    packed = answer.getheader("Content-Encoding", "identity").strip().lower()
    if packed not in ("identity", "gzip", "x-gzip", "deflate", ""):
        raise Refused("wrong_type", f"is packed as {packed}")
    if answer.length is not None and answer.length > limits.max_bytes:
        raise _too_large(limits)
    unpack = None if packed in ("identity", "") else zlib.decompressobj(_ANY_ZLIB)
    taken, body = 0, bytearray()
    while piece := answer.read(_PIECE):
        taken += len(piece)
        room = limits.max_bytes - len(body) + 1
        body += piece if unpack is None else unpack.decompress(piece, room)
        if max(taken, len(body)) > limits.max_bytes:
            raise _too_large(limits)
    if unpack is not None and taken and not unpack.eof:
        raise Refused("not_reached", "broke off within what was packed")
    return bytes(body)


def _too_large(limits: Limits) -> Refused:
    return Refused("too_large", f"has more than {limits.max_bytes:,} bytes")
