"""From a query to documents: search, fetch, read; and the outcome of every page.

    landing/<sha256>/                 the bytes of a page or of search results, and manifest.json
    landing/web/<snapshot>/pages/     per address its outcome: the bytes' hash, or the reason
    landing/web/<snapshot>/searches/  per query the results of the search service

What is kept is not fetched again, refusals included: an answer that was paid for stays the answer
to the same prompt. Another snapshot begins empty.
"""

import codecs
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from lxml import etree, html

from inference.questions.documents import Document, domain_of
from inference.questions.web.fetch import Fetched, Guard, Limits, Refused, Snapshot, fetch
from inference.questions.web.search import Finder, Result
from inference.questions.web.settings import ADDRESSES, RetrievalSettings

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
MEDIA_TYPES = HTML_TYPES | {"text/plain"}

_BLOCK_NAMES = """
    address article blockquote body br dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li main
    ol p pre section table td th tr ul
"""
# Elements around a page's text, or without text.
_ASIDE_NAMES = """
    aside audio button canvas embed footer form head header iframe input math nav noscript object
    script select style svg template textarea video
"""
_BLOCKS, _ASIDE = frozenset(_BLOCK_NAMES.split()), frozenset(_ASIDE_NAMES.split())
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
_CHARSET_WITHIN = 4096
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# A shorter main part does not count: some pages leave it empty for a script to fill.
_LEAST_MAIN = 200


class PageText(NamedTuple):
    """Text of a page, its blocks as paragraphs, and its title where it has one."""

    text: str
    title: str | None


def page_text(page: Fetched) -> PageText:
    """Return the text of a page, without navigation, forms and scripts.

    Of HTML it is the `main` or `article` part where there is one. The text is empty where there is
    none to be read.
    """
    text = _decoded(page)
    if page.media_type not in HTML_TYPES:
        return PageText(_tidy(text), None)
    # The page's size is bound already; without `huge_tree` what is nested deeply would be lost.
    parser = html.HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, no_network=True
    )
    try:
        root = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, AssertionError, ValueError):
        return PageText("", None)
    title = _tidy(" ".join(root.xpath("string(//title)").split())) or None
    for part in (*root.iter("main"), *root.iter("article")):
        found = _tidy(_block_text(part))
        if len(found) >= _LEAST_MAIN:
            return PageText(found, title)
    return PageText(_tidy(_block_text(root)), title)


def _decoded(page: Fetched) -> str:
    """Return the text: by the page's own mark, else as the server, else as the page says."""
    declared = _CHARSET.search(page.body[:_CHARSET_WITHIN])
    named = [page.charset, declared[1].decode("ascii") if declared else None]
    if page.body.startswith(codecs.BOM_UTF8):
        named = ["utf-8-sig"]
    for name in filter(None, named):
        try:
            return page.body.decode(name, "replace")
        except (LookupError, ValueError):
            continue
    return page.body.decode("utf-8", "replace")


def _block_text(part: etree._Element) -> str:
    """Return the text of a part, without what is around it."""
    pieces: list[str] = []
    walker = etree.iterwalk(part, events=("start", "end"))
    for event, element in walker:
        name = element.tag if isinstance(element.tag, str) else ""
        if event == "start":
            if name in _ASIDE or not name:
                walker.skip_subtree()
                continue
            pieces += ["\n\n" if name in _BLOCKS else "", _line(element.text)]
        else:
            pieces.append("\n\n" if name in _BLOCKS else "")
            if element is not part:
                pieces.append(_line(element.tail))
    return "".join(pieces)


def _line(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "")


def _tidy(text: str) -> str:
    """Return a text without control characters, its lines stripped, one empty line at most."""
    plain = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = [re.sub(r"[^\S\n]+", " ", line).strip() for line in plain.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


# What may become of a page. All but the first are counted as refused.
TAKEN, UNTRUSTED = "taken", "untrusted_domain"
REFUSED = (
    UNTRUSTED,
    "refused_address",
    "not_found",
    "not_reached",
    "too_slow",
    "too_large",
    "too_many_redirects",
    "wrong_type",
    "http_error",
    "no_text",
)
_AT_ONCE = 8
_DIGITS = 16


class PageSeen(NamedTuple):
    """Outcome of one address.

    Attributes:
        address: The address, as it was named.
        status: `TAKEN`, or one of `REFUSED`.
        detail: Why it was refused, for people; None where it was not.
        sha256: Of its bytes, by which the landing has it.
    """

    address: str
    status: str
    detail: str | None = None
    sha256: str | None = None


class Found(NamedTuple):
    """Results of a query.

    Attributes:
        documents: The pages, with the question each is about.
        pages: What happened to every address that was looked at.
        is_unknown: Whether something was not looked up, as nothing is to be sent.
    """

    documents: Sequence[tuple[Document, str | None]]
    pages: Sequence[PageSeen]
    is_unknown: bool = False


class Pages:
    """Documents for queries."""

    def __init__(
        self,
        finder: Finder,
        settings: RetrievalSettings,
        snapshot: Snapshot,
        guard: Guard,
        facts: str,
        *,
        is_offline: bool,
    ) -> None:
        self._finder = finder
        self._settings = settings
        self._snapshot = snapshot
        self._guard = guard
        self._is_offline = is_offline
        self._limits = Limits(settings.max_page_bytes, settings.page_timeout_s)
        self.identity = settings.identity(facts)

    def find(self, query: str, k: int, *, trusted_only: bool, question_id: str | None) -> Found:
        """Return the pages for a query, fetched at once where they are not kept.

        Where only trusted domains count, further pages of results are gone through for as many.
        A file's addresses are all looked at.

        Args:
            trusted_only: Whether only trusted domains count; of others nothing is fetched.
            question_id: The question it is for, where that is known.
        """
        trusted = {name.strip().lower().lstrip(".") for name in self._settings.domains}
        chosen: dict[str, Result] = {}
        passed: dict[str, PageSeen] = {}
        for number in range(1, (self._settings.search_pages if trusted_only else 1) + 1):
            results = self._finder.find(query, number, question_id=question_id)
            if results is None:
                return Found((), (), is_unknown=True)
            for each in results:
                if trusted_only and domain_of(each.address) not in trusted:
                    detail = f"is not under {', '.join(self._settings.domains)}"
                    passed[each.address] = PageSeen(each.address, UNTRUSTED, detail)
                else:
                    chosen.setdefault(each.address, each)
            if len(chosen) >= k or not results:
                break
        taken = list(chosen.values())
        if self._settings.retriever != ADDRESSES:
            taken = taken[:k]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            fetched = list(pool.map(self._page, taken))
        documents: dict[str, tuple[Document, str | None]] = {}
        seen: list[PageSeen] = []
        for result, (page, document) in zip(taken, fetched, strict=True):
            if page is None:
                continue
            if document is None:
                seen.append(page)
            elif trusted_only and not document.is_trusted(self._settings.domains):
                # Its address is trusted, and leads to one that is not.
                detail = f"leads to {document.url}"
                seen.append(page._replace(status=UNTRUSTED, detail=detail))
            else:
                seen.append(page)
                documents.setdefault(document.document_id, (document, result.question_id))
        is_unknown = any(page is None for page, _ in fetched)
        return Found(list(documents.values()), [*seen, *passed.values()], is_unknown)

    def _page(self, result: Result) -> tuple[PageSeen | None, Document | None]:
        """Return the outcome of an address, and its document; neither where nothing may be sent."""
        known = self._snapshot.read("pages", result.address)
        body = self._body(known)
        if known is None or (known["status"] == TAKEN and body is None):
            if self._is_offline:
                return None, None
            known = self._fetched(result.address)
            body = self._body(known)
        seen = PageSeen(result.address, known["status"], known["detail"], known["sha256"])
        if body is None:
            return seen, None
        page = Fetched(known["final_address"], known["media_type"], known["charset"], body)
        text = page_text(page)
        document = Document.of(
            {
                "document_id": f"web:{str(seen.sha256)[:_DIGITS]}",
                "text": text.text,
                "url": page.address,
                "title": text.title or result.title,
            }
        )
        return seen, document

    def _body(self, known: Mapping[str, Any] | None) -> bytes | None:
        """Return the bytes of a page that was taken; None where it was not, or they are gone."""
        if known is None or known["status"] != TAKEN:
            return None
        return self._snapshot.landed(str(known["sha256"]))

    def _fetched(self, address: str) -> dict[str, Any]:
        """Fetch a page, and keep its outcome."""
        facts: dict[str, Any] = {"status": TAKEN, "detail": None, "sha256": None}
        try:
            page = fetch(address, self._guard, self._limits, media_types=MEDIA_TYPES)
            name = "page.txt" if page.media_type == "text/plain" else "page.html"
            facts |= {
                "sha256": self._snapshot.land(page, address, name),
                "final_address": page.address,
                "media_type": page.media_type,
                "charset": page.charset,
            }
            if not re.search(r"\w", page_text(page).text):
                raise Refused("no_text", "has no text that can be read")
        except Refused as refused:
            facts |= {"status": refused.reason, "detail": refused.detail}
        return self._snapshot.write("pages", address, facts)
