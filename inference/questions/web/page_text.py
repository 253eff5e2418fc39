"""What a page says, as plain text. Nothing in it is run, loaded or followed."""

import codecs
import re
from typing import NamedTuple

from lxml import etree, html

from inference.questions.web.fetch import Fetched

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
MEDIA_TYPES = HTML_TYPES | {"text/plain"}

_BLOCK_NAMES = """
    address article blockquote body br dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li main
    ol p pre section table td th tr ul
"""
# What is around a page's text, or is none.
_ASIDE_NAMES = """
    aside audio button canvas embed footer form head header iframe input math nav noscript object
    script select style svg template textarea video
"""
_BLOCKS, _ASIDE = frozenset(_BLOCK_NAMES.split()), frozenset(_ASIDE_NAMES.split())
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
_CHARSET_WITHIN = 4096
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# A shorter main part is none: some pages leave it empty for a script to fill.
_LEAST_MAIN = 200


class PageText(NamedTuple):
    """What a page says, its blocks as paragraphs, and its title where it has one."""

    text: str
    title: str | None


def page_text(page: Fetched) -> PageText:
    """Return what a page says, navigation, forms and scripts left out.

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
        found = _tidy(_shown(part))
        if len(found) >= _LEAST_MAIN:
            return PageText(found, title)
    return PageText(_tidy(_shown(root)), title)


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


def _shown(part: etree._Element) -> str:
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
