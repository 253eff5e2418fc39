"""Fetching pages of strangers: public addresses only, within limits of size and time.

A page of search results, or a redirect, can name any address: one of this machine's services, of
its network, or of its cloud provider. Each address is therefore parsed, its host is resolved, every
address it resolves to must be public, and the connection goes to one of exactly these: the name is
not resolved again. Redirects are followed one by one, each checked like the first. No proxy of the
environment is used: it would resolve the name again.
"""

import hashlib
import http.client
import ipaddress
import json
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLong
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urldefrag, urljoin, urlsplit

from warehouse.files import write_atomically

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address

_DEFAULT_PORTS = {"http": 80, "https": 443}
# Addresses that carry an IPv4 address in their last 32 bits, which a gateway may deliver to.
_TRANSLATED = tuple(
    ipaddress.IPv6Network(each) for each in ("64:ff9b::/96", "64:ff9b:1::/48", "::ffff:0:0:0/96")
)
_LONGEST_ADDRESS = 2048
_RESOLVE_S = 10.0
_RESOLVERS = ThreadPoolExecutor(8, thread_name_prefix="resolve")


class Refused(Exception):
    """An address that is not fetched, or a page not taken, with a reason that is counted."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class Target(NamedTuple):
    """An address that may be fetched, and the IP addresses its connection may go to."""

    scheme: str
    host: str
    port: int
    path: str
    ips: tuple[str, ...]


def resolve(host: str, port: int) -> list[str]:
    """Return the IP addresses of a host.

    Raises:
        OSError: It has none, or there is no answer.
    """
    waiting = _RESOLVERS.submit(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    try:
        found = waiting.result(_RESOLVE_S)
    except TooLong:
        raise TimeoutError(f"no answer within {_RESOLVE_S:g} s") from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_public(ip: Ip) -> bool:
    """Return whether an address is one that anybody on the internet could reach.

    Not private, loopback, link-local, multicast, reserved, shared or unspecified; nor an IPv6
    address that stands for such an IPv4 address (mapped, 6to4, Teredo, NAT64).
    """
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.scope_id is not None or ip.is_site_local:
            return False
        if any(ip in network for network in _TRANSLATED):
            return ip in _TRANSLATED[0] and is_public(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF))
        inner = [ip.ipv4_mapped, ip.sixtofour, *(ip.teredo or ())]
        if any(each is not None for each in inner):
            return all(is_public(each) for each in inner if each is not None)
    refused = (
        ip.is_private,
        ip.is_loopback,
        ip.is_link_local,
        ip.is_multicast,
        ip.is_reserved,
        ip.is_unspecified,
    )
    return ip.is_global and not any(refused)


@dataclass(frozen=True)
class Guard:
    """Decides which addresses may be fetched; any port where `ports` is None."""

    resolver: Callable[[str, int], Sequence[str]] = resolve
    allows: Callable[[Ip], bool] = is_public
    ports: Collection[int] | None = frozenset(_DEFAULT_PORTS.values())

    def check(self, address: str) -> Target:
        """Return an address taken apart, with the IP addresses to connect to.

        Raises:
            Refused: It may not be fetched, or its host cannot be found.
        """
        if len(address) > _LONGEST_ADDRESS or not address.isprintable() or " " in address:
            raise Refused("refused_address", "is too long, or has characters no address has")
        try:
            parts = urlsplit(address)
            port, host = parts.port, (parts.hostname or "").rstrip(".")
            host = host if ":" in host else host.encode("idna").decode("ascii")
        except (ValueError, UnicodeError):
            raise Refused("refused_address", "is no web address") from None
        if parts.scheme not in _DEFAULT_PORTS or not host:
            raise Refused("refused_address", f"is no http or https address: {parts.scheme!r}")
        if parts.username is not None or parts.password is not None:
            raise Refused("refused_address", "holds a user name or password")
        port = _DEFAULT_PORTS[parts.scheme] if port is None else port
        if self.ports is not None and port not in self.ports:
            raise Refused("refused_address", f"names port {port}; only 80 and 443 are fetched from")
        path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
        query = quote(parts.query, safe="/%:@!$&'()*+,;=~-._?")
        target = f"{path}?{query}" if parts.query else path
        return Target(parts.scheme, host, port, target, self._ips(host, port))

    def _ips(self, host: str, port: int) -> tuple[str, ...]:
        try:
            found = tuple(self.resolver(host, port))
        except (OSError, UnicodeError) as error:
            raise Refused("not_found", f"host {host} cannot be found: {error}") from None
        if not found:
            raise Refused("not_found", f"host {host} has no address")
        for each in found:
            try:
                may = self.allows(ipaddress.ip_address(each))
            except ValueError:
                may = False
            # One that is not public spoils all: who controls the name controls which is taken.
            if not may:
                raise Refused("refused_address", f"host {host} is at {each}, which is not public")
        return found


PUBLIC = Guard()
# For the search service alone: the user names it, and it often runs on the same machine.
ANYWHERE = Guard(allows=lambda _: True, ports=None)


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
    """Limits of a page: bytes, packed or unpacked, and seconds with redirects."""

    max_bytes: int = 2_000_000
    timeout_s: float = 20.0


@dataclass(frozen=True)
class Fetched:
    """A page as it came.

    Attributes:
        address: Where it came from in the end, after redirects.
        media_type: What the server calls it, in small letters, such as `text/html`.
        charset: The encoding the server names; None where it names none.
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
        headers: More headers, for the first server alone.

    Raises:
        Refused: It may not be fetched, or did not come whole and within the limits.
    """
    deadline = time.monotonic() + limits.timeout_s
    for _ in range(redirects + 1):
        target = guard.check(address)
        found = _request(target, address, limits, deadline, headers or {}, media_types)
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


def _request(
    target: Target,
    address: str,
    limits: Limits,
    deadline: float,
    headers: Mapping[str, str],
    media_types: frozenset[str],
) -> Fetched | str:
    """Return the page from one server, or the address that it redirects to."""
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


SCHEMA_VERSION = 1
MANIFEST = "manifest.json"
LICENCE = "unknown: see the page"


class Snapshot:
    """Pages and search results that were fetched under one name."""

    def __init__(self, landing: Path, snapshot: str) -> None:
        self._landing = landing
        self._folder = landing / "web" / snapshot

    def read(self, kind: str, key: str) -> dict[str, Any] | None:
        """Return the record of a key; None without one."""
        try:
            found = json.loads(self._path(kind, key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) and found.get("key") == key else None

    def write(self, kind: str, key: str, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Keep something under a key, and return it."""
        known = {"schema_version": SCHEMA_VERSION, "key": key, **facts, "at": _now()}
        write_atomically(
            self._path(kind, key), json.dumps(known, indent=2, ensure_ascii=False) + "\n"
        )
        return known

    def land(self, page: Fetched, asked: str, name: str) -> str:
        """Keep the bytes of a page in the landing, and return their SHA-256."""
        sha256 = hashlib.sha256(page.body).hexdigest()
        folder = self._landing / sha256
        if not (folder / MANIFEST).is_file():
            write_atomically(folder / name, page.body)
            manifest = {
                "schema_version": SCHEMA_VERSION,
                "name": name,
                "source": "web",
                "licence": LICENCE,
                "sha256": sha256,
                "bytes": len(page.body),
                "fetched_at": _now(),
                "origin": asked,
                "final_address": page.address,
                "media_type": page.media_type,
                "charset": page.charset,
            }
            # Last: with it the file counts as landed.
            write_atomically(
                folder / MANIFEST, json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
            )
        return sha256

    def landed(self, sha256: str) -> bytes | None:
        """Return bytes that are in the landing; None where they are not, or have changed."""
        try:
            manifest = json.loads((self._landing / sha256 / MANIFEST).read_text(encoding="utf-8"))
            body = (self._landing / sha256 / str(manifest["name"])).read_bytes()
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return body if hashlib.sha256(body).hexdigest() == sha256 else None

    def _path(self, kind: str, key: str) -> Path:
        digest = hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
        return self._folder / kind / f"{digest}.json"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
