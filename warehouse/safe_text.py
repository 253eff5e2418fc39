"""Foreign texts made harmless for terminals, spreadsheets, SQL and LaTeX."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

# Control characters but line break and tab, lone surrogates, breaks that only some programs know,
# and changes of the direction of writing.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


# LaTeX prints letters up to here, and these marks, without a package.
_END_OF_LATIN = 0x180
_LATEX_QUOTES = "“”‘’„…†•€"
# Characters that LaTeX does not read as text.
LATEX_SPECIAL: Mapping[str, str] = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # After the end of a row they would be its options.
    "[": "{[}",
    "*": "{*}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "\u00a0": "~",
    "\u202f": "~",
    "−": "$-$",
    "–": "--",
    "—": "---",
    "²": "$^2$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≈": r"$\approx$",
    "→": r"$\rightarrow$",
    "α": r"$\alpha$",
    "ε": r"$\varepsilon$",
    "θ": r"$\theta$",
    "κ": r"$\kappa$",
    "λ": r"$\lambda$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "φ": r"$\varphi$",
    "χ": r"$\chi$",
    "ω": r"$\omega$",
    "Δ": r"$\Delta$",
    "⚠": "(!)",
}


def printable(text: str) -> str:
    r"""Return a text with control characters written out, such as `\x1b` for escape."""
    return _CONTROLS.sub(lambda found: _written_out(ord(found[0])), text)


def json_printable(text: str) -> str:
    r"""Return equal JSON with control characters escaped, such as `\u001b`."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def sql_text(value: object) -> str:
    """Return a text as a literal of SQL, for statements without parameters (attach, comment).

    Builds use no parameters either: for them DuckDB imports pandas, half a second.
    """
    return "'" + str(value).replace("'", "''") + "'"


def sql_list(values: Iterable[object]) -> str:
    """Return texts as a list literal of SQL."""
    return f"[{', '.join(map(sql_text, values))}]::varchar[]"


def without_formula(value: Any) -> Any:
    """Return a cell with an apostrophe before text that a spreadsheet would run."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def latex(text: str) -> str:
    """Return a text on one line as LaTeX, with letters that it has no font for such as U+6C34."""
    return "".join(map(_as_latex, re.sub(r"[ \t\r\n]+", " ", text)))


def _as_latex(character: str) -> str:
    if character in LATEX_SPECIAL:
        return LATEX_SPECIAL[character]
    if ord(character) < _END_OF_LATIN or character in _LATEX_QUOTES:
        return character if character.isprintable() else ""
    return f"U+{ord(character):04X}"


def _written_out(point: int) -> str:
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}"
