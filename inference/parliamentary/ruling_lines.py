"""What a reply about a parliamentary debate says, line by line; `rulings` has the rules.

Nothing is weighed here: what is said twice, or cannot be read, is handed on as it stands.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from inference.json_text import CONFLICT, last_object
from inference.parliamentary.items import HOUSE_RANKS, SPEAKER_RANKS, SPEAKER_SCORES
from warehouse.records.bp import HOUSES, ROLE_NAMES, ROLES, SCORE_MAX, SCORE_MIN

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_FULL_NAMES = {
    "opening government": "og",
    "opening opposition": "oo",
    "closing government": "cg",
    "closing opposition": "co",
    **ROLE_NAMES,
    "member for government": "mg",
    "member for opposition": "mo",
}
_NAMES = {name: name for name in (*HOUSES, *ROLES)} | _FULL_NAMES
NAMED = re.compile(rf"(?<!\w)(?:{'|'.join(_NAMES)})(?!\w)")
_RANK = {str(place): place for place in range(100)} | {
    word: place for place, word in enumerate(ORDINALS, start=1)
}
_WITH_SHORT_NAME = re.compile(r"([^()]+)\(([^()]+)\)")
_SCORE = re.compile(r"(-?[0-9]{1,15}(?:\.[0-9]{0,9})?)(?:\s*/\s*100)?")
_AROUND = "*_`[] \t"
_BULLET = re.compile(r"\s*[-+\u2022\u2013]\s+")
# No line of an answer is longer; a longer one is prose.
_LONGEST_LINE = 200


class Fault(NamedTuple):
    """One violation: of a task, one of `rulings.FAULTS`, and the same in words."""

    task: str
    fault: str
    detail: str


class Score(NamedTuple):
    """A content that stands where a score should; `fault` where it is none."""

    value: float | None
    fault: str | None
    shown: str


class Said:
    """What a reply says of its three tasks, however it says it.

    Attributes:
        ranked: By task and rank, the houses or speakers that are given it.
        unread: By task and rank, contents that name no house or speaker as a whole.
    """

    def __init__(self) -> None:
        self.ranked: dict[tuple[str, int], set[str]] = defaultdict(set)
        self.scored: dict[str, list[Score]] = defaultdict(list)
        self.unread: dict[tuple[str, int], list[str]] = defaultdict(list)
        self.faults: list[Fault] = []


def read_said(text: str, *, is_cut: bool) -> Said:
    """Return what a reply says in its lines, and in the JSON object that it ends with."""
    said = Said()
    _read_lines(text, said, is_cut=is_cut)
    if (found := last_object(text)) is not None:
        _read_object(found, said)
    return said


def place_of(name: str) -> str | None:
    """Return the house or speaker that a name as a whole stands for; None where it is none."""
    return _place(_bare(name))


def _read_lines(text: str, said: Said, *, is_cut: bool) -> None:
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        name, colon, content = line.partition(":")
        if not colon or len(line) > _LONGEST_LINE:
            continue
        bullet = _BULLET.match(name)
        key, content = _bare(name[bullet.end() if bullet else 0 :]), _bare(content)
        place = _place(key)
        if place in ROLES:
            is_last = is_cut and number == len(lines) and not text.endswith("\n")
            cut_off = Score(None, "score_missing", f"{content} (cut off)")
            said.scored[place].append(cut_off if is_last else _score(content))
        elif key in _RANK:
            _take_rank(said, _RANK[key], content, is_word=key in ORDINALS)


def _take_rank(said: Said, rank: int, content: str, *, is_word: bool) -> None:
    place = _place(content)
    if place is not None:
        task = HOUSE_RANKS if place in HOUSES else SPEAKER_RANKS
        said.ranked[task, rank].add(place)
    elif 1 <= rank <= len(ROLES):
        # The ranking that the prompts write so, and that of every name in it.
        tasks = {HOUSE_RANKS if is_word else SPEAKER_RANKS}
        for name in NAMED.findall(content):
            tasks.add(HOUSE_RANKS if _NAMES[name] in HOUSES else SPEAKER_RANKS)
        for task in tasks:
            said.unread[task, rank].append(content)


def _read_object(found: Mapping[str, Any], said: Said) -> None:
    for field, task in (("houses", HOUSE_RANKS), ("speakers", SPEAKER_RANKS)):
        if field not in found:
            continue
        listed = found[field]
        if not isinstance(listed, list):
            said.faults.append(Fault(task, "not_a_ranking", f"'{field}' is no list of names"))
            continue
        for rank, name in enumerate(listed, start=1):
            shown = _bare(str(name)[:_LONGEST_LINE])
            place = _place(shown) if isinstance(name, str) else None
            if place in (HOUSES if task == HOUSE_RANKS else ROLES):
                said.ranked[task, rank].add(str(place))
            else:
                fault = Fault(task, "unknown_place", f"'{shown}' stands in place {rank}")
                said.faults.append(fault)
    if "scores" not in found:
        return
    scores = found["scores"]
    if not isinstance(scores, dict):
        said.faults.append(Fault(SPEAKER_SCORES, "score_missing", "'scores' is no object"))
        return
    for name, value in scores.items():
        place = place_of(name)
        if place not in ROLES:
            shown = name[:_LONGEST_LINE]
            fault = Fault(SPEAKER_SCORES, "unknown_place", f"a score is given to '{shown}'")
            said.faults.append(fault)
        elif value is CONFLICT:
            said.scored[place].append(Score(None, "conflicting_scores", "two scores"))
        else:
            said.scored[place].append(_score(_bare(_content(value))))


def _content(value: Any) -> str:
    """Return the content that a field's value stands for; none where it is no text or number."""
    if isinstance(value, Decimal) and abs(value.adjusted()) < _LONGEST_LINE:
        whole, _, fraction = f"{value:f}".partition(".")
        value = f"{whole}.{fraction.rstrip('0')}"
    is_score = isinstance(value, str | int | Decimal) and not isinstance(value, bool)
    return str(value)[:_LONGEST_LINE] if is_score else ""


def _bare(text: str) -> str:
    bare = text.strip().strip(_AROUND).removesuffix(".").strip(_AROUND)
    return " ".join(bare.casefold().split())


def _place(name: str) -> str | None:
    name = name.replace(" of the ", " of ").replace(" for the ", " for ")
    if (both := _WITH_SHORT_NAME.fullmatch(name)) is not None:
        first, second = _NAMES.get(both[1].strip()), _NAMES.get(both[2].strip())
        return first if first == second else None
    return _NAMES.get(name)


def _score(content: str) -> Score:
    found = _SCORE.fullmatch(content)
    if found is None:
        return Score(None, "score_not_a_number", content)
    value = float(found[1])
    if not SCORE_MIN <= value <= SCORE_MAX:
        return Score(None, "score_out_of_range", content)
    return Score(value, None, content)


def is_prose(score: Score) -> bool:
    """Say whether this may be words on a speech that only begin as a line with a score does."""
    return score.fault == "score_not_a_number" and not re.search(r"\d", score.shown)
