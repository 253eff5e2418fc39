"""A judge's card as files: one HTML page that needs nothing else, and LaTeX tables."""

from __future__ import annotations

from typing import Any

from dashboard.core.html_file import WIDTH, cells, document, safe, svg, table
from dashboard.core.labels import is_missing
from dashboard.core.widgets import SAMPLE_NOTE
from dashboard.judges.card import Card, Section
from warehouse import safe_text

_MATRIX_WIDTH = 300
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
        f'<p><span class="badge">Sample data</span> {safe(SAMPLE_NOTE)}</p>'
        if card.is_sample
        else ""
    )
    parts = [
        f'<p class="quiet">{safe(card.about)}</p>{badge}',
        f"<p><strong>{safe(card.headline)}</strong></p>",
        *(_section(section) for section in card.sections),
    ]
    return document(f"Judge card: {card.judge_id}", parts, source=card.source)


def _section(section: Section) -> str:
    parts = [f"<h2>{safe(section.title)}</h2>"]
    parts += [f"<p>{safe(sentence)}</p>" for sentence in section.sentences]
    width = WIDTH if len(section.charts) == 1 else _MATRIX_WIDTH
    parts += [f"<figure>{svg(chart.spec(width), width)}</figure>" for chart in section.charts]
    if section.table.empty:
        parts.append(f"<p>{safe(section.missing)}</p>")
    else:
        parts.append(table(section.table))
    return "\n".join(parts)


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
            *(" & ".join(latex(cell) for cell in cells) + r" \\" for cells in cells(frame)),
            r"\bottomrule",
            r"\end{longtable}",
        ]
    return ("\n".join(lines) + "\n").encode()


def latex(text: Any) -> str:
    """Return text that LaTeX prints as it is."""
    return safe_text.latex(_one_line(text), _LATEX)


def _one_line(text: Any) -> str:
    return " ".join(str(text).split(" ")).replace("\n", " ").replace("\r", " ")
