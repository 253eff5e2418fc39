"""Record what the rules of `inference.parsing` make of the replies in `parsing_outcomes.json`.

To add a reply, give it the outcome `[]` and run `python -m tests.inference.record_parsing`. It
refuses to overwrite an outcome under the same `PARSER_VERSION`: a change to how a reply is read
raises the version, so that stored scores name the rules that made them.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inference.debates.verdicts import read_reply
from inference.parliamentary.rulings import read_ruling
from inference.parsing import (
    PARSER_VERSION,
    parse_score_released,
    parse_verdict_json,
    read_score,
    read_verdict,
)

RECORDED = Path(__file__).with_name("parsing_outcomes.json")


def outcome(reply: str) -> list[Any]:
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


def ruling_outcome(reply: str) -> list[Any]:
    found = [read_ruling(reply, "all", None, finish) for finish in (None, "length")]
    return [
        [
            ruling.status,
            [value if reason is None else reason for value, reason in ruling.values.values()],
            [fault for _, fault, _ in ruling.faults],
        ]
        for ruling in found
    ]


READERS: dict[str, Callable[[str], list[Any]]] = {"outcomes": outcome, "rulings": ruling_outcome}


def changed(recorded: dict[str, Any]) -> list[str]:
    return [
        reply
        for kind, read in READERS.items()
        for reply, before in recorded[kind].items()
        if before and read(reply) != before
    ]


def main() -> None:
    recorded = json.loads(RECORDED.read_text("utf-8"))
    if recorded["version"] == PARSER_VERSION and (differing := changed(recorded)):
        sys.exit(f"raise PARSER_VERSION first: {len(differing)} replies differ: {differing[:3]}")
    content = {"version": PARSER_VERSION} | {
        kind: {each: read(each) for each in sorted(recorded[kind])}
        for kind, read in READERS.items()
    }
    lines = json.dumps(content, ensure_ascii=True)
    for kind in READERS:
        lines = lines.replace(f'"{kind}": {{', f'"{kind}": {{\n')
    RECORDED.write_text(lines.replace("]], ", "]],\n").replace("]]]}, ", "]]]},\n") + "\n")


if __name__ == "__main__":
    main()
