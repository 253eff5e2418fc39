"""From a query to documents: search, fetch, read; and of every page its outcome."""

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from inference.questions.documents import Document, domain_of
from inference.questions.web.fetch import Fetched, Limits, fetch
from inference.questions.web.guard import Guard, Refused
from inference.questions.web.kept import Kept
from inference.questions.web.page_text import MEDIA_TYPES, page_text
from inference.questions.web.search import Finder, Result
from inference.questions.web.settings import ADDRESSES, RetrievalSettings

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
    """What happened to one address.

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
    """What a query brought.

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
        kept: Kept,
        guard: Guard,
        facts: str,
        *,
        is_offline: bool,
    ) -> None:
        self._finder = finder
        self._settings = settings
        self._kept = kept
        self._guard = guard
        self._is_offline = is_offline
        self._limits = Limits(settings.max_page_bytes, settings.page_timeout_s)
        self.identity = settings.identity(facts)

    def find(self, query: str, k: int, *, trusted_only: bool, question_id: str | None) -> Found:
        """Return the pages for a query, fetched at once where they are not kept.

        Where only trusted domains count, further pages of results are gone through for as many.
        A file's addresses are all looked at.

        Args:
            k: How many addresses are looked at.
            trusted_only: Whether only trusted domains count; of others nothing is fetched.
            question_id: The question it is for, where that is known.

        Raises:
            SearchFailed: The search service does not answer as it should.
        """
        chosen: dict[str, Result] = {}
        passed: dict[str, PageSeen] = {}
        for number in range(1, (self._settings.search_pages if trusted_only else 1) + 1):
            results = self._finder.find(query, number, question_id=question_id)
            if results is None:
                return Found((), (), is_unknown=True)
            for each in results:
                if trusted_only and not self._is_trusted(each.address):
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

    def _is_trusted(self, address: str) -> bool:
        names = {name.strip().lower().lstrip(".") for name in self._settings.domains}
        return domain_of(address) in names

    def _page(self, result: Result) -> tuple[PageSeen | None, Document | None]:
        """Return the outcome of an address, and its document; neither where nothing may be sent."""
        known = self._kept.read("pages", result.address)
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
        return self._kept.landed(str(known["sha256"]))

    def _fetched(self, address: str) -> dict[str, Any]:
        """Fetch a page, and keep its outcome."""
        facts: dict[str, Any] = {"status": TAKEN, "detail": None, "sha256": None}
        try:
            page = fetch(address, self._guard, self._limits, media_types=MEDIA_TYPES)
            name = "page.txt" if page.media_type == "text/plain" else "page.html"
            facts |= {
                "sha256": self._kept.land(page, address, name),
                "final_address": page.address,
                "media_type": page.media_type,
                "charset": page.charset,
            }
            if not re.search(r"\w", page_text(page).text):
                raise Refused("no_text", "has no text that can be read")
        except Refused as refused:
            facts |= {"status": refused.reason, "detail": refused.detail}
        return self._kept.write("pages", address, facts)
