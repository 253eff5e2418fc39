import ipaddress

import pytest
from inference_fixtures import cases

from inference.questions.web.fetch import ANYWHERE, PUBLIC, Guard, Refused, is_public

PRIVATE = """
    127.0.0.1 127.8.9.1 0.0.0.0 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1
    192.0.2.1 198.18.0.1 203.0.113.9 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 :: ::1
    fe80::1 fe80::1%eth0 fc00::1 fd12::1 ff02::1 fec0::1 2001:db8::1 ::ffff:127.0.0.1
    ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::7f00:1
    2002:7f00:1:: 2002:a00:1:: ::ffff:0:127.0.0.1 2001:0:7f00:1::
"""


@pytest.mark.parametrize("ip", PRIVATE.split())
def test_an_address_of_no_public_host_is_not_public(ip: str) -> None:
    assert not is_public(ipaddress.ip_address(ip))


@pytest.mark.parametrize(
    "ip", ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_an_address_of_a_public_host_is_public(ip: str) -> None:
    assert is_public(ipaddress.ip_address(ip))


def guard(*ips: str) -> Guard:
    return Guard(resolver=lambda *_: ips)


def test_one_address_that_is_not_public_spoils_the_host() -> None:
    with pytest.raises(Refused, match=r"host a\.org is at 10\.0\.0\.1, which is not public"):
        guard("8.8.8.8", "10.0.0.1").check("https://a.org/")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        *cases(
            {
                "is no http or https address": "file:///etc/passwd|ftp://a.org/|gopher://a.org:80/_x"
                "|a.org/page|http://",
                "user name or password": "http://me:secret@a.org/",
                "names port 22": "http://a.org:22/",
                "is no web address": "http://a.org:99999/|http://[::1/",
                "characters no address has": "http://a.org/a b|http://a.org/\r\nHost: evil",
            }
        ),
        ("http://" + "a" * 3000, "is too long"),
    ],
)
def test_what_is_no_plain_web_address_is_refused(address: str, words: str) -> None:
    with pytest.raises(Refused, match=words) as caught:
        guard("8.8.8.8").check(address)
    assert caught.value.reason == "refused_address"
    assert "secret" not in caught.value.detail


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "2130706433", "0x7f.1", "127.1", "0177.0.0.1", "[::1]", "[::ffff:7f00:1]"]
)
def test_every_spelling_of_this_machine_is_refused(host: str) -> None:
    with pytest.raises(Refused) as caught:
        PUBLIC.check(f"http://{host}/")
    assert caught.value.reason in ("refused_address", "not_found")


def test_an_address_is_taken_apart_as_it_is_asked_for() -> None:
    found = guard("8.8.8.8", "2606:4700::1111").check("https://Bücher.example.org/ä?q=ö&x=%20#part")
    assert found.host == "xn--bcher-kva.example.org"
    assert (found.scheme, found.port, found.path) == ("https", 443, "/%C3%A4?q=%C3%B6&x=%20")
    assert found.ips == ("8.8.8.8", "2606:4700::1111")


def test_a_search_service_alone_may_be_on_this_machine_at_any_port() -> None:
    assert ANYWHERE.check("http://127.0.0.1:8080/search").ips == ("127.0.0.1",)
