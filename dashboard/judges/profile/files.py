"""A profile as files: one HTML page that needs nothing else, LaTeX tables, charts as PDF."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterable
from typing import Any

import pandas as pd
import vl_convert

from dashboard.core.labels import UNKNOWN, is_missing, number, plural
from dashboard.core.widgets import RESTS_ON, SAMPLE_NOTE, Chart
from dashboard.judges.profile.gather import Profile
from dashboard.judges.profile.parts import Section
from warehouse import safe_text

WIDTH = 760
_MATRIX_WIDTH = 300
_LONG = 60
# Nothing is fetched and no script runs, whatever a text in it says.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
.badge { background: #b45309; color: white; border-radius: .4rem; padding: .1rem .5rem; }
.quiet { color: #57606a; font-size: .85rem; } .wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .8rem; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid #d0d7de;
  vertical-align: top; white-space: nowrap; }
td.long { white-space: normal; min-width: 18rem; }
figure { margin: 1rem 0; display: inline-block; } svg { max-width: 100%; height: auto; }
@media print { figure, tr { break-inside: avoid; } h2 { break-after: avoid; }
  .wide { overflow: visible; } th, td { white-space: normal; } }
"""
# The PDF is one long page, as wide as the HTML file's text.
_PDF_WIDTH, _MARGIN, _LINE, _LETTERS, _ROWS = 900, 40, 18, 120, 30
_LATEX = {
    **safe_text.LATEX_SPECIAL,
    "−": "$-$",
    "χ": r"$\chi$",
    "²": "$^2$",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "φ": r"$\varphi$",
    "–": "--",
    "\u00a0": "~",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "⚠": "(!)",
}


def profile_html(profile: Profile) -> bytes:
    """Return a profile as one HTML page: charts as SVG inside it, no script, nothing fetched."""
    badge = (
        f'<p><span class="badge">Sample data</span> {_safe(SAMPLE_NOTE)}</p>'
        if profile.is_sample
        else ""
    )
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>Judge profile: {_safe(profile.title)}</title>",
        f"<style>{_STYLE}</style>\n</head>\n<body>",
        f"<h1>Judge profile: {_safe(profile.title)}</h1>",
        *(f'<p class="quiet">{_safe(one)}</p>' for one in profile.described),
        badge,
        f"<p><strong>{_safe(profile.headline)}</strong></p>\n<p>{_safe(profile.rest)}</p>",
        *(_section(section) for section in profile.sections),
        f'<p class="quiet">From the warehouse {_safe(profile.source)}, by Rostrum. Brackets and '
        f"lines: 95 % intervals. {_safe(RESTS_ON)}</p>\n</body>\n</html>\n",
    ]
    return "\n".join(parts).encode()


def _section(section: Section) -> str:
    parts = [f"<h2>{_safe(section.title)}</h2>"]
    parts += [f"<p>{_safe(sentence)}</p>" for sentence in section.sentences]
    width = WIDTH if len(section.charts) == 1 else _MATRIX_WIDTH
    parts += [f"<figure>{svg(chart, width)}</figure>" for chart in section.charts]
    if section.table.empty:
        parts.append(f"<p>{_safe(section.missing)}</p>")
    else:
        parts.append(_table(section.table))
    return "\n".join(parts)


def svg(chart: Chart, width: int) -> str:
    """Return a chart as SVG, this wide in pixels; text in it is text."""
    spec = chart.spec(width)
    spec["background"] = "white"
    # `fit-x` makes room for labels inside the width; alone in a file, the plot keeps its width.
    spec["autosize"] = {"type": "pad", "contains": "padding"}
    drawn: str = vl_convert.vegalite_to_svg(spec)
    return drawn


def _table(frame: pd.DataFrame) -> str:
    head = "".join(f"<th>{_safe(name)}</th>" for name in frame.columns)
    rows = "\n".join(f"<tr>{''.join(_td(cell) for cell in cells)}</tr>" for cells in _cells(frame))
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _td(cell: str) -> str:
    kind = ' class="long"' if len(cell) > _LONG else ""
    return f"<td{kind}>{_safe(cell)}</td>"


def _cells(frame: pd.DataFrame) -> Iterable[list[str]]:
    for row in frame.itertuples(index=False):
        yield [_cell(value) for value in row]


def _cell(value: Any) -> str:
    if is_missing(value):
        return UNKNOWN
    if isinstance(value, float) and not value.is_integer():
        return number(value)
    if isinstance(value, float):
        return f"{int(value):,}"
    return str(value)


def _safe(text: Any) -> str:
    return html.escape(str(text), quote=True)


def profile_pdf(profile: Profile) -> bytes:
    """Return a profile as a PDF of one long page: findings, charts, first rows of tables."""
    parts: list[str] = []
    down = _MARGIN

    def say(text: str, *, size: int = 12, weight: str = "normal") -> None:
        nonlocal down
        for line in textwrap.wrap(_one_line(text), _LETTERS * 12 // size) or [""]:
            down += _LINE * size // 12
            parts.append(
                f'<text x="{_MARGIN}" y="{down}" font-size="{size}" font-weight="{weight}">'
                f"{_safe(line)}</text>"
            )

    say(f"Judge profile: {profile.title}", size=22, weight="bold")
    for one in profile.described:
        say(one)
    if profile.is_sample:
        say(f"Sample data. {SAMPLE_NOTE}")
    say(profile.headline, size=14, weight="bold")
    say(profile.rest)
    for section in profile.sections:
        down += _LINE
        say(section.title, size=16, weight="bold")
        for sentence in section.sentences:
            say(sentence)
        for chart in section.charts:
            drawn = svg(chart, WIDTH if len(section.charts) == 1 else _MATRIX_WIDTH)
            placed, height = _placed(drawn, down + _LINE, len(parts))
            parts.append(placed)
            down += 2 * _LINE + height
        if section.table.empty:
            say(section.missing)
        for cells in list(_cells(section.table))[:_ROWS]:
            say(" · ".join(cell for cell in cells if cell != UNKNOWN), size=10)
        left_out = len(section.table) - _ROWS
        if left_out > 0:
            say(f"{plural(left_out, 'further row')}: the HTML and LaTeX files have them all.")
    down += _LINE
    say(f"From the warehouse {profile.source}, by Rostrum. Brackets and lines: 95 % intervals.")
    page = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_PDF_WIDTH}" height="{down + _MARGIN}" '
        f'font-family="sans-serif" fill="#1b1f24">'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>'
    )
    made: bytes = vl_convert.svg_to_pdf(page)
    return made


def _placed(drawn: str, down: int, number: int) -> tuple[str, int]:
    """Return a chart at its place on the PDF's page, and how high it is there."""
    # Charts name their parts alike, and here they stand in one document.
    apart = re.sub(r'(id="|url\(#)', rf"\1c{number}-", drawn)
    head = re.match(r'<svg (.*?)width="([0-9.]+)" height="([0-9.]+)"', apart)
    if head is None:
        return apart, 0
    width, height = float(head[2]), float(head[3])
    # A chart is as wide as its names need, beside the plot; the page is not.
    by = min(1.0, (_PDF_WIDTH - 2 * _MARGIN) / width)
    size = f'x="{_MARGIN}" y="{down}" width="{width * by:.1f}" height="{height * by:.1f}"'
    return f"<svg {head[1]}{size}{apart[head.end() :]}", round(height * by)


def profile_latex(profile: Profile) -> bytes:
    """Return the tables of a profile as LaTeX, one after the other, for booktabs and longtable."""
    lines = [
        f"% Judge profile: {_one_line(profile.title)}. "
        f"From the warehouse {_one_line(profile.source)}.",
        r"% Needs \usepackage{booktabs,longtable}.",
    ]
    for section in profile.sections:
        # What nobody knows of any row needs no column.
        known = [
            name
            for name in section.table.columns
            if not all(is_missing(one) for one in section.table[name])
        ]
        if not known:
            continue
        frame = section.table[known]
        columns = len(frame.columns)
        lines += [
            "",
            rf"\begin{{longtable}}{{{'l' * columns}}}",
            rf"\caption{{{latex(profile.title)}: {latex(section.title)} Brackets: 95\,\% "
            rf"intervals. Rostrum, {latex(profile.source)}.}}\label{{tab:{section.name}}}\\",
            r"\toprule",
            " & ".join(latex(name) for name in frame.columns) + r" \\",
            r"\midrule",
            r"\endhead",
            *(" & ".join(latex(cell) for cell in cells) + r" \\" for cells in _cells(frame)),
            r"\bottomrule",
            r"\end{longtable}",
        ]
    return ("\n".join(lines) + "\n").encode()


def latex(text: Any) -> str:
    """Return text that LaTeX prints as it is."""
    return safe_text.latex(_one_line(text), _LATEX)


def _one_line(text: Any) -> str:
    return " ".join(str(text).split(" ")).replace("\n", " ").replace("\r", " ")
