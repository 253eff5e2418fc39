"""From an adjudicator's reply to a ruling: the houses' ranks, the speakers' scores, their ranks.

Stated rules, no guessing, in this order:

1. What a judge thought aloud between `<think>` or `<scratchpad>` tags is no part of its reply.
2. A line says something when it is a name, a colon and a content: a place of the ranking and a
   house (`First: OG`) or a speaker (`1: PM`), or a speaker and a score (`PM: 78`). A place of the
   ranking is a word or a number. Letter case, white space, Markdown emphasis, square brackets, a
   bullet before the line and a full stop behind it are passed over, and so are all other lines.
   Houses and speakers may be named in full, and with the short name in parentheses behind it.
3. A JSON object that the reply ends with says the same in its fields `houses` and `speakers`, lists
   from the best to the worst, and `scores`, an object of scores by speaker. What lines say beside
   it counts as well.
4. What is said twice must be the same. A content that cannot be read spoils what it is about where
   it names a house or speaker, or holds a digit; other prose only does where nothing else is said.
5. A ranking is read as a whole or not at all: each house or speaker once. Scores are read one by
   one; a score is a number from 50 to 100, such as `78`, `78.5` or `78/100`.
6. In a reply that was cut off, a score at the very end may lack digits, and is not read.

Every violation is a fault. Contradictions between tasks that can be read are faults that take
nothing away.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from inference.json_text import object_schema
from inference.parliamentary.items import (
    ALL,
    ASKED_TASKS,
    HOUSE_RANKS,
    SPEAKER_RANKS,
    SPEAKER_SCORES,
    TASKS,
)
from inference.parliamentary.ruling_lines import NAMED, ORDINALS, Fault, Said, is_prose, read_said
from inference.parsing import STOPPED, without_asides
from warehouse.records.bp import HOUSES, ROLES, SCORE_MAX, SCORE_MIN, house_sums

PARSED, PARTLY, UNPARSED = "parsed", "partly", "unparsed"
FAULTS = (
    "missing_section",
    "not_a_ranking",
    "house_twice",
    "house_missing",
    "speaker_twice",
    "speaker_missing",
    "unknown_place",
    "score_missing",
    "score_not_a_number",
    "score_out_of_range",
    "conflicting_scores",
    "ranks_contradict_scores",
    "houses_contradict_scores",
    "houses_tied_on_scores",
)
# Why a value may be missing, besides a fault.
EMPTY = "empty_response"
PLACES: Mapping[str, tuple[str, ...]] = {
    HOUSE_RANKS: HOUSES,
    SPEAKER_SCORES: ROLES,
    SPEAKER_RANKS: ROLES,
}
_HEADINGS = {
    HOUSE_RANKS: "House ranking:",
    SPEAKER_SCORES: "Speaker scores:",
    SPEAKER_RANKS: "Speaker ranking:",
}
# Faults that only say that something is not there.
_MISSING = ("missing_section", "score_missing", "house_missing", "speaker_missing")


class PlaceValue(NamedTuple):
    """What a ruling gives one house or speaker.

    Attributes:
        value: The rank, 1 for the best, or the score; None where none can be read.
        reason: Why there is none: one of `FAULTS`, `empty_response`, or one of
            `inference.parsing.STOPPED`.
    """

    value: float | None
    reason: str | None


class Ruling(NamedTuple):
    """What a reply says.

    Attributes:
        values: By task and house or speaker, all that were asked for.
        status: `parsed` where all was read, `partly` where some was, else `unparsed`; `supplied`
            where there was nothing to read.
        reason: None when parsed, else why the first value that is missing is.
    """

    values: Mapping[tuple[str, str], PlaceValue]
    faults: tuple[Fault, ...]
    status: str
    reason: str | None


def read_ruling(
    response: str | None,
    task: str,
    answer_format: str | None = None,
    finish_reason: str | None = None,
) -> Ruling:
    """Read a ruling by the rules of this module.

    Args:
        answer_format: How it was asked for. Text and JSON are read alike, so that an endpoint which
            ignores the format loses nothing.
    """
    if task not in ASKED_TASKS:
        raise ValueError(f"task should be one of {', '.join(ASKED_TASKS)}; found {task!r}")
    if answer_format not in (None, "text", "json_schema"):
        raise ValueError(
            f"answer_format should be text or json_schema for a ruling; found {answer_format!r}"
        )
    text = without_asides(response or "")
    said = read_said(text, is_cut=finish_reason == "length")
    values: dict[tuple[str, str], PlaceValue] = {}
    faults: list[Fault] = []
    for asked in TASKS if task == ALL else (task,):
        read = _scores if asked == SPEAKER_SCORES else _ranking
        found_values, found_faults = read(said, asked)
        values |= {(asked, place): value for place, value in found_values.items()}
        faults += found_faults
    missing = STOPPED.get(finish_reason or "", None if text.strip() else EMPTY)
    if missing is not None:
        values = {
            key: each._replace(reason=missing) if each.reason in _MISSING else each
            for key, each in values.items()
        }
    faults += _contradictions(values)
    reasons = [each.reason for each in values.values() if each.value is None]
    status = PARSED if not reasons else UNPARSED if len(reasons) == len(values) else PARTLY
    # The same violation twice, in a line and in an object, is one.
    return Ruling(values, tuple(dict.fromkeys(faults)), status, reasons[0] if reasons else None)


def supplied_ruling(supplied: Mapping[tuple[str, str], float]) -> Ruling:
    """Return the ruling that values are which nothing has to be read for.

    Args:
        supplied: By task and house or speaker: rankings that are whole, scores on the scale.
    """
    values = {key: PlaceValue(value, None) for key, value in supplied.items()}
    return Ruling(values, tuple(_contradictions(values)), "supplied", None)


def ruling_text(
    task: str, houses: Sequence[str], scores: Mapping[str, float], speakers: Sequence[str]
) -> str:
    """Return a reply in the answer format of the shipped prompts."""
    words = (ordinal.capitalize() for ordinal in ORDINALS)
    lines = {
        HOUSE_RANKS: [
            f"{word}: {house.upper()}" for word, house in zip(words, houses, strict=False)
        ],
        SPEAKER_SCORES: [f"{role.upper()}: {score:g}" for role, score in scores.items()],
        SPEAKER_RANKS: [f"{rank}: {role.upper()}" for rank, role in enumerate(speakers, start=1)],
    }
    if task != ALL:
        return "\n".join(lines[task])
    return "\n\n".join("\n".join([_HEADINGS[each], *lines[each]]) for each in TASKS)


def ruling_schema(task: str) -> dict[str, Any] | None:
    """Return the schema of a ruling, best house and best speaker first.

    Returns:
        None where no ruling is. A schema cannot say that a list has each name once: that shows when
        the reply is read.
    """
    asked = TASKS if task == ALL else (task,)
    known = {
        HOUSE_RANKS: ("houses", _list_of(HOUSES)),
        SPEAKER_SCORES: ("scores", object_schema(dict.fromkeys(ROLES, _SCORE))),
        SPEAKER_RANKS: ("speakers", _list_of(ROLES)),
    }
    properties = dict(known[each] for each in asked if each in known)
    return object_schema(properties) if properties else None


_SCORE = {"type": "number", "minimum": SCORE_MIN, "maximum": SCORE_MAX}


def _list_of(names: tuple[str, ...]) -> dict[str, Any]:
    items = {"type": "string", "enum": list(names)}
    return {"type": "array", "items": items, "minItems": len(names), "maxItems": len(names)}


def _ranking(said: Said, task: str) -> tuple[dict[str, PlaceValue], list[Fault]]:
    places = PLACES[task]
    noun = "house" if task == HOUSE_RANKS else "speaker"
    ranks = {rank: found for (of, rank), found in said.ranked.items() if of == task}
    faults = [fault for fault in said.faults if fault.task == task]
    for (of, rank), contents in said.unread.items():
        if of == task:
            # Prose that begins as a line of the ranking does is no part of it.
            telling = [each for each in contents if NAMED.search(each) or rank not in ranks]
            faults += [
                Fault(task, "unknown_place", f"'{each}' stands in place {rank}") for each in telling
            ]
    if not ranks:
        faults = faults or [Fault(task, "missing_section", f"no {noun} is given a rank")]
    else:
        for rank, found in sorted(ranks.items()):
            if len(found) > 1:
                several = " and ".join(place.upper() for place in places if place in found)
                faults.append(Fault(task, "not_a_ranking", f"place {rank} has {several}"))
            if not 1 <= rank <= len(places):
                faults.append(Fault(task, "not_a_ranking", f"there is no place {rank}"))
        for place in places:
            given = sorted(rank for rank, found in ranks.items() if place in found)
            if len(given) > 1:
                several = " and ".join(str(rank) for rank in given)
                faults.append(Fault(task, f"{noun}_twice", f"{place.upper()} has {several}"))
            elif not given:
                faults.append(Fault(task, f"{noun}_missing", f"{place.upper()} has no rank"))
    if faults:
        return dict.fromkeys(places, PlaceValue(None, faults[0].fault)), faults
    by_place = {place: rank for rank, found in ranks.items() for place in found}
    return {place: PlaceValue(float(by_place[place]), None) for place in places}, []


def _scores(said: Said, task: str) -> tuple[dict[str, PlaceValue], list[Fault]]:
    faults = [fault for fault in said.faults if fault.task == task]
    has_none = all(is_prose(each) for scores in said.scored.values() for each in scores)
    if has_none and not faults and len(said.scored) < len(ROLES):
        fault = Fault(task, "missing_section", "no speaker is given a score")
        return dict.fromkeys(ROLES, PlaceValue(None, fault.fault)), [fault]
    values: dict[str, PlaceValue] = {}
    for role in ROLES:
        given = said.scored.get(role, [])
        read = {each.value for each in given if each.fault is None}
        spoilt = [each for each in given if each.fault and not (read and is_prose(each))]
        if len(read) == 1 and not spoilt:
            values[role] = PlaceValue(read.pop(), None)
            continue
        if len(read) > 1:
            several = " and ".join(f"{score:g}" for score in sorted(filter(None, read)))
            fault = Fault(task, "conflicting_scores", f"{role.upper()} has {several}")
        elif spoilt:
            fault = Fault(task, str(spoilt[0].fault), f"{role.upper()} has '{spoilt[0].shown}'")
        else:
            fault = Fault(task, "score_missing", f"{role.upper()} has no score")
        values[role] = PlaceValue(None, fault.fault)
        faults.append(fault)
    return values, faults


def _contradictions(values: Mapping[tuple[str, str], PlaceValue]) -> list[Fault]:
    def read(task: str) -> dict[str, float]:
        return {
            place: each.value
            for (of, place), each in values.items()
            if of == task and each.value is not None
        }

    scores = read(SPEAKER_SCORES)
    # Rounded, as 78.1 + 77.2 and 78.2 + 77.1 are not quite the same to a computer.
    sums = {house: round(total, 6) for house, total in house_sums(scores).items()}
    tied = [
        Fault(
            SPEAKER_SCORES,
            "houses_tied_on_scores",
            f"{first.upper()} and {second.upper()} both have {sums[first]:g}",
        )
        for first, second in combinations(sums, 2)
        if sums[first] == sums[second]
    ]
    return [
        *_against(SPEAKER_RANKS, "ranks_contradict_scores", read(SPEAKER_RANKS), scores),
        *_against(HOUSE_RANKS, "houses_contradict_scores", read(HOUSE_RANKS), sums),
        *tied,
    ]


def _against(
    task: str, fault: str, ranks: Mapping[str, float], scores: Mapping[str, float]
) -> Iterable[Fault]:
    in_order = [place for place in sorted(ranks, key=lambda each: ranks[each]) if place in scores]
    for better, worse in combinations(in_order, 2):
        if scores[better] < scores[worse]:
            yield Fault(
                task,
                fault,
                f"{better.upper()} with {scores[better]:g} is above {worse.upper()} "
                f"with {scores[worse]:g}",
            )
