"""A judge's card as files: one HTML page that needs nothing else, and LaTeX tables."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any

import pandas as pd
import vl_convert

from dashboard.core.labels import UNKNOWN, is_missing, number
from dashboard.core.widgets import RESTS_ON, SAMPLE_NOTE, Chart
from dashboard.judges.card import Card, Section
from warehouse import safe_text

WIDTH = 760
_MATRIX_WIDTH = 300
_LONG = 60
# Nothing is fetched and no script runs, whatever a text in the card says.
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
"""
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


def card_html(card: Card) -> bytes:
    """Return a card as one HTML page: charts as SVG inside it, no script, nothing fetched."""
    badge = (
        f'<p><span class="badge">Sample data</span> {_safe(SAMPLE_NOTE)}</p>'
        if card.is_sample
        else ""
    )
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>Judge card: {_safe(card.judge_id)}</title>",
        f"<style>{_STYLE}</style>\n</head>\n<body>",
        f"<h1>Judge card: {_safe(card.judge_id)}</h1>",
        f'<p class="quiet">{_safe(card.about)}</p>{badge}',
        f"<p><strong>{_safe(card.headline)}</strong></p>",
        *(_section(section) for section in card.sections),
        f'<p class="quiet">From the warehouse {_safe(card.source)}, by Rostrum. Brackets and '
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


def card_latex(card: Card) -> bytes:
    """Return the tables of a card as LaTeX, one after the other; needs booktabs and longtable."""
    lines = [
        f"% Judge card: {_one_line(card.judge_id)}. From the warehouse {_one_line(card.source)}.",
        r"% Needs \usepackage{booktabs,longtable}.",
    ]
    for section in card.sections:
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
            rf"\caption{{{latex(card.judge_id)}: {latex(section.title)} Brackets: 95\,\% "
            rf"intervals. Rostrum, {latex(card.source)}.}}\label{{tab:{section.name}}}\\",
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
