"""What the rules of `inference.parsing` make of a fixed set of replies, recorded with their version.

`python -m tests.inference.record_parsing` records replies that are new here. It refuses to
overwrite an outcome under the same `PARSER_VERSION`: whoever changes what a reply is read as raises
the version, so that stored scores say which rules made them.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

from inference.parsing import (
    PARSER_VERSION,
    parse_score_released,
    parse_verdict_json,
    read_score,
    read_verdict,
)
from inference.verdicts import read_reply

RECORDED = Path(__file__).with_name("parsing_outcomes.json")
_PIECES = (
    "<score>", "</score>", "<Score >", "<scratchpad>", "</scratchpad>", "<think>", "</think>", "4",
    "5", "3.5", "/5", "/10", "**", "[", "]", "`", ".", "-", " ", "\n", "score", '{"score": 4}',
    '{"score": ', '"3"', "}", "```json\n", "```", '{"winner": "PRO"}', '{"winner": "', 'CON"', "PRO ",
)  # fmt: skip
_WHOLE = (
    "", "4", "<score>4</score>", "<score>4/5</score>", "<score>**4**</score>", "Score: 4",
    "<scratchpad>2</scratchpad><score>3</score>", "<think><score>1</score></think><score>3</score>",
    '{"reasons": "x", "score": 2}', '```json\n{"score": 2}\n```', '{"score": "5"}', '{"score": 4.5}',
    'x\n```json\n{"winner": "CON"}\n```', '{"winner": "TIE"}', "Pro.", "**CON**", '{"loser": "PRO"}', '{"winner": "PRO or CON"}',
    "PRO", "'con'", "(Pro)", "Pro or Con", "Neither.", "Pro wins", "Because.\n\nCON.\n", "<think>pro</think>con",
)  # fmt: skip


def replies() -> list[str]:
    """The same replies on every machine."""
    draw = random.Random(20260101)
    made = [
        "".join(_PIECES[int(draw.random() * len(_PIECES))] for _ in range(int(draw.random() * 9)))
        for _ in range(400)
    ]
    return sorted({*_WHOLE, *made})


def outcome(reply: str) -> list[Any]:
    """What each rule makes of one reply."""
    scores = [
        list(read_score(reply, 1, 5, how, finish))
        for how, finish in (
            ("text", None), ("json_schema", None), ("choice", None), ("text", "length"),
        )
    ]  # fmt: skip
    verdicts = [
        list(parse_verdict_json(reply)), list(read_verdict(reply)),
        list(read_verdict(reply, "4", "5", "loser")),
    ]  # fmt: skip
    labels = [
        list(read_reply(reply, pro, con, outcome, is_justified=last, answer_format=how))
        for pro, con, outcome, last, how in (
            ("Pro", "Con", "winner", False, "text"), ("Pro", "Con", "winner", True, "text"),
            ("4", "5", "loser", True, "text"), ("Con", "Pro", "winner", False, "json_schema"),
        )
    ]  # fmt: skip
    return [*scores, parse_score_released(reply), *verdicts, *labels]


def changed(recorded: dict[str, Any]) -> list[str]:
    """The recorded replies that are read differently now."""
    return [reply for reply, before in recorded["outcomes"].items() if outcome(reply) != before]


def main() -> None:
    """Write the record anew."""
    recorded = json.loads(RECORDED.read_text("utf-8")) if RECORDED.exists() else {"outcomes": {}}
    if recorded.get("version") == PARSER_VERSION and (differing := changed(recorded)):
        sys.exit(f"raise PARSER_VERSION first: {len(differing)} replies differ: {differing[:3]}")
    content = {"version": PARSER_VERSION, "outcomes": {each: outcome(each) for each in replies()}}
    lines = json.dumps(content, ensure_ascii=True).replace('"outcomes": {', '"outcomes": {\n')
    RECORDED.write_text(lines.replace("]], ", "]],\n") + "\n")


if __name__ == "__main__":
    main()
