"""Which addresses may be fetched: public ones, checked where they are, not by what they are called.

A page of search results, or a redirect, can name any address: one of this machine's services, of
its network, or of its cloud provider. Each address is therefore taken apart, its host is resolved,
every address it resolves to must be public, and the connection goes to one of exactly these.
"""

import ipaddress
import socket
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLong
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote, urlsplit

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
        OSError: It has none, or nobody answers.
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
