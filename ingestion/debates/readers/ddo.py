"""DDO: debates on debate.org with audience votes, and what is public about the people in them.

`debates.json` is one object of over a gigabyte. Streamed: one debate is in memory at a time. What
could not be seen in the released file itself is checked here, and what is different is quarantined
with its reason or, where nothing is in doubt, repaired and counted. `users.json` is read without
what identifies a person.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime
from itertools import chain
from typing import Any, NamedTuple

from pydantic import ValidationError

from ingestion.dataset_batch import DatasetBatch, DebateRecord
from ingestion.debates.readers.ddo_votes import count_votes, truth
from ingestion.debates.sources.ddo import PAGE, VoteSettings
from ingestion.debates.vote_rules import PRIMARY, VotedDebate, removal, vote_rules
from ingestion.json_values import as_json, finite
from ingestion.reading import BrokenRecord, Reading
from ingestion.sources.containers import Opener
from ingestion.sources.json_stream import iter_members
from ingestion.sources.parts import Parts
from warehouse.home import Home
from warehouse.records.core import Dataset, Debate, Side, Speech, first_problem
from warehouse.records.debates import Participant

NAME = "ddo"
FORMAT = "debate.org"
DATASET = Dataset(
    dataset_id=NAME,
    title="Debates of debate.org with audience votes (DDO)",
    licence="Not stated; see the source's page",
    citation="Durmus and Cardie, A Corpus for Modeling User and Language Effects in Argumentation "
    "on Online Debating, ACL 2019",
    url=PAGE,
)
# The side of one turn of the release is this text, torn from the page. The bias paper's program
# reads it as con.
_CORRUPT_SIDES: dict[str, Side] = {"cry me a river,": "con", "cry me a river": "con"}
_SIDES: dict[str, Side] = {"pro": "pro", "con": "con"}
_FORFEIT = "forfeit"
_USED = {"title", "category", "start_date", "rounds", "votes", "comments"}
_DEBATES, _USERS = ("debates.json", "debates.json.gz"), ("users.json", "users.json.gz")


def open_ddo(home: Home, location: str, settings: VoteSettings) -> DatasetBatch:
    """Return the debates of a file, with what is known of the people beside it."""
    parts = Parts(home, location, DATASET)
    debates = parts.one(_DEBATES)
    users = parts.beside(_USERS) if parts.is_one_file else parts.find(_USERS)
    reading = Reading(debates.landed.shown)
    people = Reading(f"{users.landed.shown} ({users.name})") if users else None
    files = [debates.landed.source_file(0)]
    if users and people:
        files.append(replace(users.landed.source_file(0), shown=people.shown))
    else:
        reading.note("no users.json: nothing is known about the people but their names")
    return DatasetBatch(
        dataset=DATASET,
        rules=vote_rules(settings),
        files=files,
        records=chain(
            read_ddo(debates.opener, reading, settings),
            read_users(users.opener, people) if users and people else (),
        ),
        readings=[reading, people] if people else [reading],
    )


def read_ddo(opener: Opener, reading: Reading, settings: VoteSettings) -> Iterator[DebateRecord]:
    """Yield the debates of a `debates.json`.

    Args:
        opener: Opens it.
        reading: Collects what is not a debate.
        settings: What a debate must have to be used.

    Raises:
        SourceUnreadable: The file is no JSON object or breaks off.
    """
    seen: set[str] = set()
    for name, fields in iter_members(opener, reading.shown):
        reading.records += 1
        place = f"record {reading.records} ({name[:80]!r})"
        with reading.whole(place, fields):
            if name in seen:
                raise BrokenRecord(None, f"duplicate id: {NAME}:{name} is there already")
            record = _debate(name, fields, place, reading, settings)
            seen.add(name)
            yield record


class _Said(NamedTuple):
    turns: list[Speech]
    forfeited: int
    sideless: int
    blank: int


def _debate(
    name: str, fields: Any, place: str, reading: Reading, settings: VoteSettings
) -> DebateRecord:
    if not isinstance(fields, dict):
        raise BrokenRecord(None, "is no object; expected the fields of a debate")
    debate_id = f"{NAME}:{name}"
    names = _sides(fields)
    people = {side: person for person, side in names.items()}
    said = _turns(fields.get("rounds"), debate_id, people, reading)
    outcomes, voters = count_votes(
        fields.get("votes"),
        names,
        debate_id,
        NAME,
        lambda field, reason, original: reading.reject(place, field, reason, original),
        reading.repaired,
    )
    rounds = _whole(fields.get("number_of_rounds"))
    found = len(fields["rounds"])
    if rounds is None:
        rounds = found
        reading.repaired["debates whose number_of_rounds is missing, rounds counted instead"] += 1
    elif rounds != found:
        reading.repaired["debates with other rounds than number_of_rounds says, that one kept"] += 1
    forfeit_label = truth(fields.get("forfeit_label"))
    if forfeit_label is None:
        raise BrokenRecord("forfeit_label", f"is no truth value: {fields['forfeit_label']!r}")
    sides = [turn.side for turn in said.turns if turn.side]
    rest = {key: value for key, value in fields.items() if key not in _USED}
    rest |= {"rounds_found": found, "blank_turns": said.blank}
    title = fields.get("title")
    debate = Debate(
        debate_id=debate_id,
        dataset_id=NAME,
        motion=title if isinstance(title, str) and title.strip() else name.replace("-", " "),
        format=FORMAT,
        category=fields.get("category"),
        round_count=rounds,
        end_side=sides[-1] if sides else None,
        start_date=_date(fields.get("start_date"), reading),
        voter_count=voters,
        extra=as_json(rest),
    )
    voted = VotedDebate(
        round_count=rounds,
        is_forfeited=forfeit_label,
        forfeited_turns=said.forfeited,
        sideless_turns=said.sideless,
        silent_side=next((side for side in ("pro", "con") if side not in sides), None),
        outcome=next((each for each in outcomes if each.criterion == PRIMARY), None),
    )
    return DebateRecord(debate, said.turns, outcomes, removal(voted, settings))


def _sides(fields: Mapping[str, Any]) -> dict[str, Side]:
    """Return the side of each debater by name; participant 1 need not be pro."""
    names: dict[str, Side] = {}
    for number in (1, 2):
        field = f"participant_{number}_name"
        person, position = fields.get(field), fields.get(f"participant_{number}_position")
        side = _SIDES.get(position.strip().casefold()) if isinstance(position, str) else None
        if side is None:
            raise BrokenRecord(
                f"participant_{number}_position", f"should be Pro or Con; found {position!r}"
            )
        if not isinstance(person, str) or not person.strip():
            raise BrokenRecord(field, "is missing; expected the debater's name")
        if side in names.values():
            raise BrokenRecord(
                "participant_2_position", f"is {position!r} for both debaters; nobody is opposed"
            )
        if person.strip() in names:
            raise BrokenRecord(field, f"is {person!r} for both; votes name debaters, not sides")
        names[person.strip()] = side
    return names


def _turns(rounds: Any, debate_id: str, people: Mapping[Side, str], reading: Reading) -> _Said:
    if not isinstance(rounds, list) or not rounds:
        raise BrokenRecord("rounds", "is missing or empty; expected a list of rounds")
    turns: list[Speech] = []
    forfeited = sideless = blank = 0
    for number, one_round in enumerate(rounds, start=1):
        if not isinstance(one_round, list):
            raise BrokenRecord(f"rounds[{number - 1}]", "is no list; expected the round's turns")
        for place, turn in enumerate(one_round):
            field = f"rounds[{number - 1}][{place}]"
            if not isinstance(turn, dict):
                raise BrokenRecord(field, f"is no object with side and text; found {turn!r}")
            text = turn.get("text")
            if text is not None and not isinstance(text, str):
                raise BrokenRecord(f"{field}.text", f"should be text; found {text!r}")
            side = _side(turn.get("side"), reading)
            if not text or not text.strip():
                blank += 1
                reading.repaired["turns without any text, not loaded"] += 1
                continue
            forfeited += text.strip().casefold() == _FORFEIT
            sideless += side is None
            speaker = people[side] if side else None
            turns.append(
                Speech(
                    item_id=f"{debate_id}:{len(turns) + 1}",
                    dataset_id=NAME,
                    debate_id=debate_id,
                    source=speaker or "unknown",
                    text=text,
                    speech_order=len(turns) + 1,
                    round=str(number),
                    side=side,
                    speaker=speaker,
                    speaker_role="debater",
                )
            )
    return _Said(turns, forfeited, sideless, blank)


def _side(value: Any, reading: Reading) -> Side | None:
    if not isinstance(value, str):
        return None
    word = value.strip().casefold()
    if word in _CORRUPT_SIDES:
        reading.repaired["turns with the known corrupt side, read as con"] += 1
        return _CORRUPT_SIDES[word]
    return _SIDES.get(word)


def _whole(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if value >= 0 else None
    return int(value) if isinstance(value, str) and value.strip().isdecimal() else None


def _date(value: Any, reading: Reading) -> date | None:
    if not isinstance(value, str) or not value.strip():
        return None
    try:
        return datetime.strptime(value.strip(), "%m/%d/%Y").date()
    except ValueError:
        reading.repaired["start dates that are no month/day/year, left empty"] += 1
        return None


def read_users(opener: Opener, reading: Reading) -> Iterator[Participant]:
    """Yield the people of a `users.json`; a user named in a debate can be absent from it.

    Args:
        opener: Opens it.
        reading: Collects what cannot be read.

    Raises:
        SourceUnreadable: The file is no JSON object or breaks off.
    """
    seen: set[str] = set()
    for number, (name, fields) in enumerate(iter_members(opener, reading.shown), start=1):
        reading.records += 1
        place = f"user {number} ({name[:80]!r})"
        identity = name.strip()
        if not isinstance(fields, dict) or identity in seen:
            reason = "is there twice" if identity in seen else "is no object"
            reading.reject(place, None, reason, fields)
            continue
        try:
            yield _participant(identity, fields)
            seen.add(identity)
        except ValidationError as error:
            field, reason = first_problem(error)
            reading.reject(place, field, reason, {name: fields.get(field)})


def _participant(name: str, fields: dict[str, Any]) -> Participant:
    issues = fields.get("big_issues_dict")
    return Participant(
        participant_id=f"{NAME}:{name}",
        dataset_id=NAME,
        name=name,
        debate_count=_count(fields.get("number_of_all_debates")),
        won_count=_count(fields.get("number_of_won_debates")),
        lost_count=_count(fields.get("number_of_lost_debates")),
        tied_count=_count(fields.get("number_of_tied_debates")),
        voted_count=_count(fields.get("number_of_voted_debates")),
        elo=_number(fields.get("elo_ranking")),
        win_ratio=_number(fields.get("win_ratio")),
        political_ideology=_text(fields.get("political_ideology")),
        religious_ideology=_text(fields.get("religious_ideology")),
        big_issues=as_json(issues) if isinstance(issues, dict) else None,
    )


def _number(value: Any) -> float | None:
    """Return a number that may be written as '1,234' or '56.78%'; None for anything else."""
    try:
        plain = value.replace(",", "").strip(" %") if isinstance(value, str) else value
        return finite(float(plain))
    except (TypeError, ValueError):
        return None


def _count(value: Any) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number >= 0 and number.is_integer() else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
