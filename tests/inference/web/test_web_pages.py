import gzip
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from web_stub import Page, WebStub, page_of, serving

from inference.errors import BadItems, BadSettings, MissingKey, SearchFailed
from inference.questions.web.access import Web
from inference.questions.web.fetch import Guard, Limits, Refused, fetch
from inference.questions.web.pages import MEDIA_TYPES, Found
from inference.questions.web.settings import RetrievalSettings
from ingestion.landing import land
from warehouse.home import Home


@pytest.fixture
def stub() -> Iterator[WebStub]:
    with serving() as server:
        yield server


def find(
    stub: WebStub, home: Path, query: str = "cars", trusted: bool = False, **more: Any
) -> Found:
    settings = RetrievalSettings("web", search=stub.search, **more)
    pages = stub.web(home).pages(settings, {})
    return pages.find(query, settings.results, trusted_only=trusted, question_id="d:q1")


def statuses(found: Found) -> dict[str, str]:
    return {page.address.rsplit("/", 1)[1]: page.status for page in found.pages}


def test_a_query_brings_the_texts_of_the_pages_it_names(stub: WebStub, tmp_path: Path) -> None:
    stub.pages = {"/a": page_of("Cars are <b>loud</b>."), "/b": page_of("Cars are fast.")}
    stub.results = {"cars": [stub.site("a.example.org", "/a"), stub.site("b.example.com", "/b")]}
    found = find(stub, tmp_path)
    assert [each.text for each, _ in found.documents] == ["Cars are loud.", "Cars are fast."]
    assert [each.top_level_domain for each, _ in found.documents] == ["org", "com"]
    assert [owner for _, owner in found.documents] == ["d:q1", "d:q1"]
    assert set(statuses(found).values()) == {"taken"}


def test_what_was_found_is_found_again_without_asking(stub: WebStub, tmp_path: Path) -> None:
    stub.pages = {"/a": page_of("Cars."), "/gone": Page("", 404)}
    stub.results = {"cars": [stub.site("a.org", "/a"), stub.site("a.org", "/gone")]}
    first, asked = find(stub, tmp_path), len(stub.asked)
    stub.pages["/a"] = page_of("Other words.")
    assert find(stub, tmp_path) == first
    assert len(stub.asked) == asked
    # Another snapshot begins anew.
    anew = find(stub, tmp_path, snapshot="second")
    assert [each.text for each, _ in anew.documents] == ["Other words."]


def test_the_landing_records_each_pages_origin_and_time(stub: WebStub, tmp_path: Path) -> None:
    home = Home(tmp_path).ensure()
    stub.pages = {"/a": page_of("Cars.")}
    stub.results = {"cars": [stub.site("a.org", "/a")]}
    (page,) = find(stub, tmp_path).pages
    folder = home.landing / str(page.sha256)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["origin"] == manifest["final_address"] == page.address
    assert manifest["media_type"] == "text/html"
    assert manifest["bytes"] == (folder / "page.html").stat().st_size
    assert manifest["fetched_at"].endswith("+00:00")
    # Ingestion takes it for one of its own.
    again = land(home, folder / "page.html", source="x", licence="x", origin="x")
    assert (again.sha256, again.fetched_at) == (page.sha256, manifest["fetched_at"])


def slow(connection: Any) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    for _ in range(60):
        time.sleep(0.05)
        connection.sendall(b"x")


def slow_head(connection: Any) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for number in range(60):
        time.sleep(0.05)
        connection.sendall(f"X-{number}: y\r\n".encode())


def short(connection: Any) -> None:
    connection.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99\r\n\r\n<p>x"
    )


def header(name: str, value: str, *, kind: str = "text/html") -> tuple[tuple[str, str], ...]:
    return (("Content-Type", kind), (name, value))


PLAIN, JSON = ((("Content-Type", kind),) for kind in ("text/plain", "application/json"))
REFUSED = {
    "missing": (Page("", 404), "http_error"),
    "broken": (Page("", 500), "http_error"),
    "pdf": (Page("%PDF", headers=(("Content-Type", "application/pdf"),)), "wrong_type"),
    "packed": (Page("x", headers=header("Content-Encoding", "br")), "wrong_type"),
    "large": (Page("<p>" + "x" * 60_000), "too_large"),
    "bomb": (
        Page(gzip.compress(b"x" * 5_000_000), headers=header("Content-Encoding", "gzip")),
        "too_large",
    ),
    "half": (
        Page(gzip.compress(b"<p>words")[:-9], headers=header("Content-Encoding", "gzip")),
        "not_reached",
    ),
    "slow": (Page("", write=slow), "too_slow"),
    "slowhead": (Page("", write=slow_head), "too_slow"),
    "short": (Page("", write=short), "not_reached"),
    "silent": (Page("", write=lambda _: None), "not_reached"),
    "empty": (Page("<html><body><script>let a = 1</script></body></html>"), "no_text"),
    "marks": (Page("<p>!!! ???</p>"), "no_text"),
    "deep": (Page("<div>" * 4000 + "deep"), "no_text"),
    "loop": (Page("", 302, header("Location", "/loop")), "too_many_redirects"),
    "inside": (Page("", 302, header("Location", "http://router.test-lan/")), "refused_address"),
    "file": (Page("", 302, header("Location", "file:///etc/passwd")), "refused_address"),
}


def test_each_page_that_is_not_taken_says_why(stub: WebStub, tmp_path: Path) -> None:
    stub.pages = {f"/{name}": page for name, (page, _) in REFUSED.items()}
    stub.pages["/plain"] = Page("Plain words.", headers=PLAIN)
    stub.results = {"cars": [stub.site("a.org", path) for path in stub.pages]}
    private = stub.site("router.test-lan", "/private")
    stub.results["cars"][list(stub.pages).index("/large")] = private
    # Slow pages take three seconds; the others are answered at once, on a busy machine too.
    limits = {"results": 100, "page_timeout_s": 2.0, "max_page_bytes": 50_000}
    # A page of results has ten.
    stub.results["more"] = stub.results["cars"][10:]
    found = [find(stub, tmp_path, query, **limits) for query in ("cars", "more")]
    seen = {name: status for each in found for name, status in statuses(each).items()}
    expected = {name: status for name, (_, status) in REFUSED.items() if name != "large"}
    assert seen == {**expected, "private": "refused_address", "plain": "taken"}
    details = {page.detail for each in found for page in each.pages if page.status != "taken"}
    assert all(details)
    assert "/private" not in stub.asked


def test_a_large_page_is_refused_before_and_while_it_comes(stub: WebStub) -> None:
    stub.pages = {"/large": REFUSED["large"][0]}
    for size in (100, 59_999):
        address, limits = stub.site("a.org", "/large"), Limits(size, 5)
        with pytest.raises(Refused) as caught:
            fetch(address, stub.guard(), limits, media_types=MEDIA_TYPES)
        assert caught.value.reason == "too_large"


def test_the_connection_goes_to_the_address_that_was_checked(stub: WebStub) -> None:
    answers = [["127.0.0.1"], ["10.0.0.1"]]

    def rebinding(_host: str, _port: int) -> list[str]:
        return answers.pop(0)

    stub.pages = {"/a": page_of("Cars.")}
    guard = Guard(resolver=rebinding, allows=lambda ip: str(ip) == "127.0.0.1", ports=None)
    address = stub.site("rebinds.example.org", "/a")
    assert b"Cars." in fetch(address, guard, Limits(), media_types=MEDIA_TYPES).body
    # Resolved once for one fetch; the second answer is refused, and not connected to.
    with pytest.raises(Refused, match=r"10\.0\.0\.1, which is not public"):
        fetch(address, guard, Limits(), media_types=MEDIA_TYPES)
    assert stub.asked == ["/a"]


def test_trusted_domains_go_through_further_results(stub: WebStub, tmp_path: Path) -> None:
    stub.pages = {f"/{n}": page_of(f"Cars, page {n}.") for n in range(25)}
    hosts = ["shop.com"] * 10 + ["a.edu", "b.gov"] + ["shop.com"] * 8 + ["c.org"] * 5
    stub.results = {"cars": [stub.site(host, f"/{n}") for n, host in enumerate(hosts)]}
    found = find(stub, tmp_path, trusted=True, results=3)
    trusted = [("a.edu", "/10"), ("b.gov", "/11"), ("c.org", "/20")]
    assert [each.url for each, _ in found.documents] == [stub.site(*each) for each in trusted]
    assert list(statuses(found).values()).count("untrusted_domain") == 18
    # Of what is not trusted nothing was fetched.
    assert sorted(stub.fetched) == ["/10", "/11", "/20"]
    own = find(stub, tmp_path, trusted=True, results=2, domains=(".com",))
    assert [each.top_level_domain for each, _ in own.documents] == ["com", "com"]


def test_a_trusted_address_redirected_elsewhere_is_untrusted(stub: WebStub, tmp_path: Path) -> None:
    stub.pages = {"/b": page_of("Buy cars.")}
    stub.pages["/a"] = Page("", 301, header("Location", stub.site("shop.com", "/b")))
    stub.results = {"cars": [stub.site("a.edu", "/a")]}
    trusted, anyone = find(stub, tmp_path, trusted=True), find(stub, tmp_path)
    assert (len(trusted.documents), statuses(trusted)) == (0, {"a": "untrusted_domain"})
    assert [each.url for each, _ in anyone.documents] == [stub.site("shop.com", "/b")]


@pytest.mark.parametrize(
    "page",
    [
        Page("", 403),
        Page("<html>", 200),
        *(Page(text, headers=JSON) for text in ("not json", "[1, 2]", '{"results": [3]}')),
        Page("[" * 100_000, headers=JSON),
        Page("", 302, header("Location", "http://a.org/")),
    ],
)
def test_a_failed_search_is_no_empty_result(page: Page, stub: WebStub, tmp_path: Path) -> None:
    stub.search_page = page
    with pytest.raises(SearchFailed, match=f"search: {stub.search}"):
        find(stub, tmp_path)
    stub.search_page = None
    assert find(stub, tmp_path).pages == []


def test_the_key_goes_to_the_search_service_and_nowhere_else(stub: WebStub, tmp_path: Path) -> None:
    settings = RetrievalSettings("web", search=stub.search, key_env="SEARCH_KEY")
    with pytest.raises(MissingKey, match="SEARCH_KEY is not set"):
        stub.web(tmp_path).pages(settings, {})
    # A service may echo it.
    stub.results = {"cars": [stub.site("a.org", "/a"), stub.site("b.org", "/made-up-key")]}
    stub.pages = {"/a": page_of("Cars.")}
    pages = stub.web(tmp_path).pages(settings, {"SEARCH_KEY": "made-up-key"})
    pages.find("cars", 10, trusted_only=False, question_id=None)
    assert stub.headers["Authorization"] == "Bearer made-up-key"
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if "made-up-key" in path.read_text()]


@pytest.mark.parametrize("search", [None, "127.0.0.1/search", "http://me:secret@a.org/", "ftp://a"])
def test_a_search_service_needs_a_plain_address(search: str | None, tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="expected http:// or https://"):
        Web(tmp_path, tmp_path).pages(RetrievalSettings("web", search=search), {})


def test_offline_finds_only_what_was_kept_before(stub: WebStub, tmp_path: Path) -> None:
    stub.results = {"cars": [stub.site("a.org", "/a")]}
    stub.pages = {"/a": page_of("Cars.")}
    settings = RetrievalSettings("web", search=stub.search)
    offline = replace(stub.web(tmp_path), is_offline=True).pages(settings, {})
    assert offline.find("cars", 10, trusted_only=False, question_id=None).is_unknown
    assert stub.asked == []
    known = find(stub, tmp_path)
    again = offline.find("cars", 10, trusted_only=False, question_id="d:q1")
    assert again == known


def test_a_file_names_addresses_for_all_questions_or_for_one(stub: WebStub, tmp_path: Path) -> None:
    web = stub.web(tmp_path)
    stub.pages = {f"/{name}": page_of(f"Page {name}.") for name in "abc"}
    owners = (("d:q1", "/a"), ("d:q2", "/b"), ("", "/c"))
    rows = [f"{owner},{stub.site('a.org', path)}" for owner, path in owners]
    (web.folder / "own.csv").write_text("\n".join(["question_id,address", *rows]))
    pages = web.pages(RetrievalSettings("addresses", addresses="own.csv"), {})
    found = pages.find("anything", 1, trusted_only=False, question_id="d:q1")
    owned = [(each.text, owner) for each, owner in found.documents]
    assert owned == [("Page a.", "d:q1"), ("Page c.", None)]
    (web.folder / "all.txt").write_text(f"# mine\n{stub.site('a.org', '/b')}\n\n")
    pages = web.pages(RetrievalSettings("addresses", addresses="all.txt"), {})
    (document,) = pages.find("anything", 1, trusted_only=False, question_id="d:q1").documents
    assert (document[0].text, document[1]) == ("Page b.", None)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("none.txt", None, "cannot read the addresses"),
        ("empty.txt", "# nothing\n", "holds 0 addresses"),
        ("own.csv", "address\nhttp://a.org\n", "expected the header question_id,address"),
        ("own.csv", "question_id,address\nd:q1\n", "line 2"),
    ],
)
def test_a_wrong_address_file_is_refused(
    name: str, text: str | None, words: str, tmp_path: Path
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(BadItems, match=words):
        Web(tmp_path, tmp_path).pages(RetrievalSettings("addresses", addresses=name), {})
