"""What the rules of `inference.parsing` make of a fixed set of replies, recorded with their version.

`python -m tests.inference.record_parsing` records replies that are new here. It refuses to
overwrite an outcome under the same `PARSER_VERSION`: whoever changes what a reply is read as raises
the version, so that stored scores say which rules made them.
"""

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inference.debates.verdicts import read_reply
from inference.parliamentary.rulings import read_ruling, ruling_text
from inference.parsing import (
    PARSER_VERSION,
    parse_score_released,
    parse_verdict_json,
    read_score,
    read_verdict,
)
from warehouse.records.bp import ROLES

RECORDED = Path(__file__).with_name("parsing_outcomes.json")
PIECES = (
    "<score>",
    "</score>",
    "<Score >",
    "<scratchpad>",
    "</scratchpad>",
    "<think>",
    "</think>",
    "4",
    "5",
    "3.5",
    "/5",
    "/10",
    "**",
    "[",
    "]",
    "`",
    ".",
    "-",
    " ",
    "\n",
    "score",
    '{"score": 4}',
    '{"score": ',
    '"3"',
    "}",
    "```json\n",
    "```",
    '{"winner": "PRO"}',
    '{"winner": "',
    'CON"',
    "PRO ",
)
_WHOLE = (
    "",
    "4",
    "<score>4</score>",
    "<score>4/5</score>",
    "<score>**4**</score>",
    "Score: 4",
    "<scratchpad>2</scratchpad><score>3</score>",
    "<think><score>1</score></think><score>3</score>",
    '{"reasons": "x", "score": 2}',
    '```json\n{"score": 2}\n```',
    '{"score": "5"}',
    '{"score": 4.5}',
    'x\n```json\n{"winner": "CON"}\n```',
    '{"winner": "TIE"}',
    "Pro.",
    "**CON**",
    '{"loser": "PRO"}',
    '{"winner": "PRO or CON"}',
    '{"score": true, "score": 1}',
    '{"score": 0, "score": false}',
    "PRO",
    "'con'",
    "(Pro)",
    "Pro or Con",
    "Neither.",
    "Pro wins",
    "Because.\n\nCON.\n",
    "<think>pro</think>con",
)
_LINES = (
    "First: OG",
    "Second: CG",
    "Third: OO",
    "Fourth: CO",
    "first: Opening Opposition (OO)",
    "Fourth: OG",
    "First: OG or CG",
    "Fifth: CO",
    "1: PM",
    "2: LO",
    "3: DPM",
    "4: DLO",
    "5: MG",
    "6: MO",
    "7: GW",
    "8: OW",
    "**8:** Deputy Leader of the Opposition",
    "9: OW",
    "1: OG",
    "PM: 78",
    "LO: 77/100",
    "DPM: 78.5",
    "DLO: 75.",
    "- MG: 80",
    "MO: seventy",
    "GW: 101",
    "OW: 7",
    "OW: [73]",
    "PM: 78",
    "PM: opens well.",
    "House ranking:",
    "",
    "<think>PM: 50</think>",
    '{"houses": ["og", "cg", "oo", "co"], "scores": {"pm": 78, "lo": true}}',
    "Closing Opposition won.",
    "1. PM",
    "PM 78",
    "-1: PM",
    "LO: 76-77",
)


def replies() -> list[str]:
    """The same replies on every machine."""
    draw = random.Random(20260101)
    made = [
        "".join(PIECES[int(draw.random() * len(PIECES))] for _ in range(int(draw.random() * 9)))
        for _ in range(400)
    ]
    return sorted({*_WHOLE, *made})


def outcome(reply: str) -> list[Any]:
    """What each rule makes of one reply."""
    scores = [
        list(read_score(reply, 1, 5, how, finish))
        for how, finish in (
            ("text", None),
            ("json_schema", None),
            ("choice", None),
            ("text", "length"),
        )
    ]
    verdicts = [
        list(parse_verdict_json(reply)),
        list(read_verdict(reply)),
        list(read_verdict(reply, "4", "5", "loser")),
    ]
    labels = [
        list(read_reply(reply, pro, con, outcome, is_justified=last, answer_format=how))
        for pro, con, outcome, last, how in (
            ("Pro", "Con", "winner", False, "text"),
            ("Pro", "Con", "winner", True, "text"),
            ("4", "5", "loser", True, "text"),
            ("Con", "Pro", "winner", False, "json_schema"),
        )
    ]
    return [*scores, parse_score_released(reply), *verdicts, *labels]


def ruling_replies() -> list[str]:
    """Replies about parliamentary debates, the same on every machine."""
    draw = random.Random(20260102)
    made = [
        "\n".join(_LINES[int(draw.random() * len(_LINES))] for _ in range(int(draw.random() * 24)))
        for _ in range(50)
    ]
    scores = dict(zip(ROLES, (78, 77, 78.5, 75, 80, 74, 76, 73), strict=True))
    whole = ruling_text("all", ("og", "cg", "oo", "co"), scores, ROLES)
    return sorted({whole, whole.lower(), f"{whole}\nFirst: GW and OW", *_LINES, *made})


def ruling_outcome(reply: str) -> list[Any]:
    """What is made of one reply, asked for everything and cut off or not."""
    found = [read_ruling(reply, "all", None, finish) for finish in (None, "length")]
    return [
        [
            ruling.status,
            [value if reason is None else reason for value, reason in ruling.values.values()],
            [fault for _, fault, _ in ruling.faults],
        ]
        for ruling in found
    ]


# What is recorded, by its name in the record: the replies, and what is made of one.
KINDS: dict[str, tuple[Callable[[], list[str]], Callable[[str], list[Any]]]] = {
    "outcomes": (replies, outcome),
    "rulings": (ruling_replies, ruling_outcome),
}


def changed(recorded: dict[str, Any]) -> list[str]:
    """The recorded replies that are read differently now."""
    return [
        reply
        for kind, (_, read) in KINDS.items()
        for reply, before in recorded.get(kind, {}).items()
        if read(reply) != before
    ]


def main() -> None:
    """Write the record anew."""
    recorded = json.loads(RECORDED.read_text("utf-8")) if RECORDED.exists() else {"outcomes": {}}
    if recorded.get("version") == PARSER_VERSION and (differing := changed(recorded)):
        sys.exit(f"raise PARSER_VERSION first: {len(differing)} replies differ: {differing[:3]}")
    content = {"version": PARSER_VERSION} | {
        kind: {each: read(each) for each in them()} for kind, (them, read) in KINDS.items()
    }
    lines = json.dumps(content, ensure_ascii=True)
    for kind in KINDS:
        lines = lines.replace(f'"{kind}": {{', f'"{kind}": {{\n')
    RECORDED.write_text(lines.replace("]], ", "]],\n").replace("]]]}, ", "]]]},\n") + "\n")


if __name__ == "__main__":
    main()
