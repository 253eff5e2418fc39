"""A profile as files: one HTML page that needs nothing else, LaTeX tables, charts as PDF."""

import re
import textwrap
from typing import Any

import vl_convert

from dashboard.core.html_file import WIDTH, cells, document, safe, svg, table
from dashboard.core.labels import UNKNOWN, is_missing, plural
from dashboard.core.widgets import SAMPLE_NOTE
from dashboard.judges.profile.gather import Profile
from dashboard.judges.profile.parts import Section
from warehouse.safe_text import latex

_MATRIX_WIDTH = 300
# The PDF is one long page, as wide as the HTML file's text.
_PDF_WIDTH, _MARGIN, _LINE, _LETTERS, _ROWS = 900, 40, 18, 120, 30


def profile_html(profile: Profile) -> bytes:
    """Return a profile as one HTML page: charts as SVG inside it, no script, nothing fetched."""
    badge = (
        f'<p><span class="badge">Sample data</span> {safe(SAMPLE_NOTE)}</p>'
        if profile.is_sample
        else ""
    )
    parts = [
        *(f'<p class="quiet">{safe(one)}</p>' for one in profile.described),
        badge,
        f"<p><strong>{safe(profile.headline)}</strong></p>\n<p>{safe(profile.rest)}</p>",
        *(_section(section) for section in profile.sections),
    ]
    return document(f"Judge profile: {profile.title}", parts, source=profile.source)


def _section(section: Section) -> str:
    parts = [f"<h2>{safe(section.title)}</h2>"]
    parts += [f"<p>{safe(sentence)}</p>" for sentence in section.sentences]
    width = WIDTH if len(section.charts) == 1 else _MATRIX_WIDTH
    parts += [f"<figure>{svg(chart.spec(width), width)}</figure>" for chart in section.charts]
    if not section.rows:
        parts.append(f"<p>{safe(section.missing)}</p>")
    else:
        parts.append(table(section.table))
    return "\n".join(parts)


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
                f"{safe(line)}</text>"
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
            width = WIDTH if len(section.charts) == 1 else _MATRIX_WIDTH
            placed, height = _placed(svg(chart.spec(width), width), down + _LINE)
            parts.append(placed)
            down += 2 * _LINE + height
        if not section.rows:
            say(section.missing)
        for row in list(cells(section.table))[:_ROWS]:
            say(" · ".join(cell for cell in row if cell != UNKNOWN), size=10)
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


def _placed(drawn: str, down: int) -> tuple[str, int]:
    """Return a chart at its place on the PDF's page, and how high it is there."""
    head = re.match(r'<svg (.*?)width="([0-9.]+)" height="([0-9.]+)"', drawn)
    if head is None:
        return drawn, 0
    width, height = float(head[2]), float(head[3])
    # A chart is as wide as its names need, beside the plot; the page is not.
    by = min(1.0, (_PDF_WIDTH - 2 * _MARGIN) / width)
    size = f'x="{_MARGIN}" y="{down}" width="{width * by:.1f}" height="{height * by:.1f}"'
    return f"<svg {head[1]}{size}{drawn[head.end() :]}", round(height * by)


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
            rf"\caption{{{latex(profile.title)}: {_ended(latex(section.title))} Brackets: 95\,\% "
            rf"intervals. Rostrum, {latex(profile.source)}.}}\label{{tab:{section.name}}}\\",
            r"\toprule",
            " & ".join(latex(name) for name in frame.columns) + r" \\",
            r"\midrule",
            r"\endhead",
            *(" & ".join(latex(cell) for cell in cells) + r" \\" for cells in cells(frame)),
            r"\bottomrule",
            r"\end{longtable}",
        ]
    return ("\n".join(lines) + "\n").encode()


def _ended(title: str) -> str:
    return title if title.endswith("?") else f"{title}."


def _one_line(text: Any) -> str:
    return " ".join(str(text).split(" ")).replace("\n", " ").replace("\r", " ")
