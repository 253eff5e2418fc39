"""Plain text of HTML."""

from html.parser import HTMLParser

_BLOCKS = {"p", "div", "br", "hr", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote"}
_HIDDEN = {"script", "style", "head"}


def text_of(html: str) -> str:
    """Return the text that HTML shows, blocks on lines of their own."""
    parser = _Text()
    parser.feed(html)
    parser.close()
    lines = [" ".join(line.split()) for line in "".join(parser.parts).split("\n")]
    text = "\n".join(lines).strip()
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text


class _Text(HTMLParser):
    """Collects what is shown."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag in _HIDDEN:
            self._hidden += 1
        if tag in _BLOCKS:
            self.parts.append("\n" if tag == "br" else "\n\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        if tag in _BLOCKS and tag != "br":
            self.parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            # A line end inside a paragraph is a space.
            self.parts.append(data.replace("\r", " ").replace("\n", " "))
