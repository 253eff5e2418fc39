"""One HTML file that needs nothing else: charts are SVG inside it, nothing is fetched or run.

Text goes in by `safe` or `prose`, so that what a stranger wrote stays text. The file's own policy
forbids scripts and requests, whatever is in it.
"""

import hashlib
import html
import re
from collections.abc import Iterable
from typing import Any

import pandas as pd
import vl_convert
from markdown_it import MarkdownIt

from dashboard.core.labels import RESTS_ON, UNKNOWN, count, is_missing, number

WIDTH = 760
_LONG = 60
# Nothing is fetched and no script runs, whatever a text in the file says.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; background: white; max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.3rem; margin-top: 2.4rem; }
h3 { font-size: 1.1rem; margin-top: 1.8rem; } h4 { font-size: 1rem; margin-bottom: .3rem; }
.badge { background: #b45309; color: white; border-radius: .4rem; padding: .1rem .5rem; }
.finding { font-weight: 600; } .note { border-left: 3px solid #b45309; padding-left: .7rem; }
.quiet { color: #57606a; font-size: .85rem; } .wide { overflow-x: auto; }
.row { display: flex; flex-wrap: wrap; gap: 0 2rem; }
.row > div { flex: 1 1 12rem; max-width: 24rem; }
.row p { margin: .2rem 0; } .value { font-size: 1.3rem; }
table { border-collapse: collapse; font-size: .8rem; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid #d0d7de;
  vertical-align: top; white-space: nowrap; }
td.long { white-space: normal; min-width: 18rem; }
figure { margin: 1rem 0; display: inline-block; max-width: 100%; }
svg { max-width: 100%; height: auto; }
pre { font-size: .75rem; white-space: pre-wrap; overflow-wrap: anywhere; background: #f6f8fa;
  padding: .6rem; }
@page { margin: 14mm; }
@media print {
  body { margin: 0; max-width: none; font-size: 10pt; }
  h1, h2, h3, h4 { break-after: avoid; } figure, tr { break-inside: avoid; }
  .wide { overflow: visible; } table { font-size: 6.5pt; }
  th, td { white-space: normal; overflow-wrap: anywhere; padding: .15rem .3rem; }
  td.long { min-width: 0; }
}
"""
# Colours and badges of Streamlit's own Markdown, and its icons.
_COLOURED = re.compile(r"(?<!\\):[a-z]+(?:-badge|-background)?\[((?:[^\]\\]|\\.)*)\]")
_ICON = re.compile(r"(?<!\\):material/\w+:")


def document(title: str, parts: Iterable[str], *, source: str) -> bytes:
    """Return a whole file.

    Args:
        title: What it is called; plain text.
        parts: Its body as HTML, in which every text is escaped.
        source: The published version that its numbers come from; plain text.
    """
    whole = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{safe(title)}</title>",
        f"<style>{_STYLE}</style>\n</head>\n<body>",
        f"<h1>{safe(title)}</h1>",
        *parts,
        f'<p class="quiet">From the warehouse {safe(source)}, by Rostrum. Brackets and lines: '
        f"95 % intervals. {safe(RESTS_ON)}</p>\n</body>\n</html>\n",
    ]
    return "\n".join(whole).encode()


def safe(text: Any) -> str:
    """Return text as HTML that shows it as it is."""
    return html.escape(str(text), quote=True)


def prose(markdown: str) -> str:
    """Return a page's Markdown as HTML; HTML in it stays text, a link is its words alone."""
    plain = _ICON.sub("", _COLOURED.sub(r"\1", markdown))
    return str(_markdown().render(plain))


def _markdown() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False}).disable("image")
    for name in ("link_open", "link_close"):
        made.add_render_rule(name, lambda *_: "")
    return made


def svg(spec: dict[str, Any], width: int = WIDTH) -> str:
    """Return a chart as SVG that can stand in a file beside others; text in it is text.

    Args:
        spec: The chart as Vega-Lite.
        width: Of its plot, in pixels.
    """
    drawn: str = vl_convert.vegalite_to_svg(alone(spec, width))
    # Every drawing counts its clipping paths from 0, and a file has many drawings.
    own = hashlib.sha256(drawn.encode()).hexdigest()[:12]
    drawn = re.sub(r'\bid="([^"]+)"', rf'id="{own}-\1"', drawn)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{own}-\1)", drawn)


def alone(spec: dict[str, Any], width: int = WIDTH) -> dict[str, Any]:
    """Return a chart of a page as one that stands alone: as wide as told, on white."""
    # `fit-x` makes room for labels inside the width; alone in a file, the plot keeps its width.
    autosize = {"type": "pad", "contains": "padding"}
    return {**spec, "width": width, "background": "white", "autosize": autosize}


def table(frame: pd.DataFrame, *, most: int | None = None) -> str:
    """Return rows as a table, in a box that scrolls where it is wider than the page.

    Args:
        most: How many are shown; the file says how many more there are.
    """
    head = "".join(f"<th>{safe(name)}</th>" for name in frame.columns)
    rows = "\n".join(f"<tr>{''.join(map(_td, row))}</tr>" for row in cells(frame.head(most)))
    said = ""
    if most is not None and len(frame) > most:
        said = f'\n<p class="quiet">The first {count(most)} of {count(len(frame))} rows.</p>'
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{rows}</tbody></table></div>{said}"
    )


def _td(cell: str) -> str:
    kind = ' class="long"' if len(cell) > _LONG else ""
    return f"<td{kind}>{safe(cell)}</td>"


def cells(frame: pd.DataFrame) -> Iterable[list[str]]:
    """Return the rows of a table as texts: three significant digits, a dash for the unknown."""
    for row in frame.itertuples(index=False):
        yield [_cell(value) for value in row]


def _cell(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if is_missing(value):
        return UNKNOWN
    if isinstance(value, float) and not value.is_integer():
        return number(value)
    if isinstance(value, float):
        return f"{int(value):,}"
    return str(value)
