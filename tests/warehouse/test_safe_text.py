"""Texts from elsewhere neither steer a terminal nor run in a spreadsheet."""

import json
from typing import Any

import pytest

from warehouse.safe_text import json_printable, latex, printable, without_formula

STEERING = {
    "\x1b]0;title\x07": r"\x1b]0;title\x07",
    "\x1b[2J\x1b[H": r"\x1b[2J\x1b[H",
    "a\rb": r"a\x0db",
    "\x9b31m": r"\x9b31m",
    "\x7f\x00": r"\x7f\x00",
    "safe\u202egnp.exe": r"safe\u202egnp.exe",
    "\u2028\ud800": r"\u2028\ud800",
}


@pytest.mark.parametrize(("text", "shown"), STEERING.items())
def test_what_steers_a_terminal_is_written_out(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_ordinary_text_stays_as_it_is() -> None:
    text = "Größe – “4” 😀\n\tκ = 0.5 \\x1b"
    assert printable(text) == text


@pytest.mark.parametrize("text", STEERING)
def test_json_says_the_same_without_steering(text: str) -> None:
    written = json_printable(json.dumps({text: text}, ensure_ascii=False))
    assert written == printable(written)
    assert json.loads(written) == {text: text}


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ('=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("a=1", "a=1"),
        ("", ""),
        (-1, -1),
        (-0.5, -0.5),
        (None, None),
    ],
)
def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe_and_numbers_stay(
    value: Any, cell: Any
) -> None:
    assert without_formula(value) == cell


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "a_b & 5 % − χ² <x>\nnext",
            r"a\_b \& 5 \% $-$ $\chi$$^2$ \textless{}x\textgreater{} next",
        ),
        ("#1 {$2} ~ ^ \\", r"\#1 \{\$2\} \textasciitilde{} \textasciicircum{} \textbackslash{}"),
        # After the end of a row LaTeX would read either as an option of it.
        ("[1,\u00a02] *", "{[}1,~2] {*}"),
        ("é “q” 水", "é “q” U+6C34"),
    ],
)
def test_text_prints_in_latex_as_it_is(text: str, shown: str) -> None:
    assert latex(text) == shown
