"""DDO: debates on debate.org with audience votes, and the public profiles of their people.

`debates.json` is one object of over a gigabyte, of which one debate is in memory at a time. A fault
is quarantined with its reason or, where nothing is in doubt, repaired and counted. Of `users.json`
nothing is kept that identifies a person.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from itertools import chain
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, StringConstraints

from ingestion.dataset_batch import DatasetBatch, DebateRecord
from ingestion.debates.sources.ddo import LICENCE, PAGE, VoteSettings
from ingestion.debates.turns import outcome_of, turn_of
from ingestion.json_values import as_json, finite
from ingestion.reading import OR_NONE, BrokenRecord, Reading, expected, validated
from ingestion.sources.containers import Opener
from ingestion.sources.json_stream import iter_members
from ingestion.sources.parts import Parts
from warehouse.records.core import Count, Dataset, Debate, FilterRule, Prose, Removal, Side, Speech
from warehouse.records.debates import Outcome, Participant

NAME = "ddo"
FORMAT = "debate.org"
DATASET = Dataset(
    dataset_id=NAME,
    title="Debates of debate.org with audience votes (DDO)",
    licence=LICENCE,
    citation="Durmus and Cardie, A Corpus for Modeling User and Language Effects in Argumentation "
    "on Online Debating, ACL 2019",
    url=PAGE,
)
PRIMARY = "more_convincing_arguments"
# Points, not a choice: summed.
POINTS = "total_points"
DECIDED_BY = "audience_votes"
CRITERIA = {
    "Agreed with before the debate": "agreed_before",
    "Agreed with after the debate": "agreed_after",
    "Who had better conduct": "better_conduct",
    "Had better spelling and grammar": "better_spelling_and_grammar",
    "Made more convincing arguments": PRIMARY,
    "Used the most reliable sources": "most_reliable_sources",
    "Who won the debate": "who_won",
    "Total points awarded": POINTS,
}
_SIDES: dict[str, Side] = {"pro": "pro", "con": "con"}
# The side of one turn of the release is this text, torn from the page. The bias paper's program
# reads it as con.
_CORRUPT_SIDES = ("cry me a river,", "cry me a river")
_FORFEIT = "forfeit"
_USED = {"title", "category", "start_date", "rounds", "votes", "comments"}
_DEBATES, _USERS = ("debates.json", "debates.json.gz"), ("users.json", "users.json.gz")
_TIE = ("tied", "tie")
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False, "": False}
_COUNTS = {
    "debate_count": "number_of_all_debates",
    "won_count": "number_of_won_debates",
    "lost_count": "number_of_lost_debates",
    "tied_count": "number_of_tied_debates",
    "voted_count": "number_of_voted_debates",
}


def _folded(value: Any) -> Any:
    return value.strip().casefold() if isinstance(value, str) else value


def _truth(value: Any) -> bool:
    """Return a truth value that may be written as a number or a word."""
    if value is None or isinstance(value, bool | int | float):
        return bool(value)
    found = _TRUTHS.get(_folded(value)) if isinstance(value, str) else None
    if found is None:
        raise ValueError("is no truth value")
    return found


_Position = Annotated[Literal["pro", "con"], BeforeValidator(_folded), expected("Pro or Con")]
_Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1), expected("the debater's name")
]


class _Turn(BaseModel):
    side: Any = None
    text: Annotated[str | None, expected("text")] = None


class _Debate(BaseModel):
    participant_1_position: _Position
    participant_1_name: _Name
    participant_2_position: _Position
    participant_2_name: _Name
    rounds: Annotated[list[list[_Turn]], Field(min_length=1)]
    number_of_rounds: Annotated[Count | None, OR_NONE] = None
    forfeit_label: Annotated[bool, BeforeValidator(_truth)] = False
    title: Annotated[Prose | None, OR_NONE] = None

    @property
    def sides(self) -> dict[str, Side]:
        """The side of each debater by name; participant 1 need not be pro."""
        first, second = self.participant_1_name, self.participant_2_name
        if self.participant_1_position == self.participant_2_position:
            raise BrokenRecord(
                "participant_2_position",
                f"is {self.participant_2_position!r} for both debaters; nobody is opposed",
            )
        if first == second:
            raise BrokenRecord(
                "participant_2_name", f"is {second!r} for both; votes name debaters, not sides"
            )
        return {first: self.participant_1_position, second: self.participant_2_position}


class _Vote(BaseModel):
    user_name: Annotated[str | None, OR_NONE] = None
    votes_map: dict[str, dict[str, Any] | None]


def vote_rules(settings: VoteSettings) -> list[FilterRule]:
    """Return the rules in the order they are applied."""
    rounds = f"{settings.min_rounds} to {settings.max_rounds}"
    return [
        FilterRule("forfeit_label", "The source says that a side forfeited."),
        FilterRule("forfeit_turn", "A turn is nothing but the word forfeit."),
        FilterRule("round_count", "Too few or too many rounds.", rounds),
        FilterRule("turn_without_side", "A turn names no side, so nobody knows who said it."),
        FilterRule("silent_side", "One side says nothing at all."),
        FilterRule("no_votes", "Nobody voted on the criterion that decides."),
        FilterRule("margin", "The winner is not far enough ahead.", f"more than {settings.margin}"),
    ]


def removal(
    turns: Sequence[Speech],
    outcome: Outcome | None,
    settings: VoteSettings,
    *,
    round_count: int,
    is_forfeited: bool,
) -> Removal | None:
    """Return the first rule that a debate breaks; None when it is kept.

    Args:
        outcome: The votes on the criterion that decides; None when nobody voted on it.
    """
    sides = [turn.side for turn in turns]
    forfeited = sum(turn.text.strip().casefold() == _FORFEIT for turn in turns)
    silent = next((side for side in ("pro", "con") if side not in sides), None)
    margin = (outcome.margin if outcome else None) or 0
    broken = (
        (is_forfeited, "forfeit_label", "a side forfeited"),
        (forfeited, "forfeit_turn", f"forfeited turns: {forfeited}"),
        (
            not settings.min_rounds <= round_count <= settings.max_rounds,
            "round_count",
            f"rounds: {round_count}",
        ),
        (None in sides, "turn_without_side", f"turns without a side: {sides.count(None)}"),
        (silent, "silent_side", f"{silent} says nothing"),
        (outcome is None, "no_votes", "nobody voted on this criterion"),
        (margin <= settings.margin, "margin", f"margin: {margin:g}"),
    )
    return next((Removal(rule, reason) for is_broken, rule, reason in broken if is_broken), None)


def open_ddo(parts: Parts, settings: VoteSettings) -> DatasetBatch:
    """Return the debates of a file, with the people of the file beside it."""
    debates = parts.one(_DEBATES)
    users = parts.beside(_USERS) if parts.is_one_file else parts.find(_USERS)
    readings = [Reading(debates.landed.shown)]
    files = [debates.landed.source_file(0)]
    records: Iterator[Any] = read_ddo(debates.opener, readings[0], settings)
    if users:
        readings.append(Reading(f"{users.landed.shown} ({users.name})"))
        files.append(replace(users.landed.source_file(0), shown=readings[1].shown))
        records = chain(records, _read_users(users.opener, readings[1]))
    else:
        readings[0].note("no users.json: nothing is known about the people but their names")
    return DatasetBatch(
        dataset=DATASET,
        rules=vote_rules(settings),
        files=files,
        records=records,
        readings=readings,
    )


def read_ddo(opener: Opener, reading: Reading, settings: VoteSettings) -> Iterator[DebateRecord]:
    """Yield the debates of a `debates.json`.

    Raises:
        SourceUnreadable: The file is no JSON object or breaks off.
    """
    for name, fields in iter_members(opener, reading.shown):
        reading.records += 1
        place = f"record {reading.records} ({name[:80]!r})"
        with reading.whole(place, fields):
            reading.claim(f"{NAME}:{name}", place)
            yield _record(name, fields, place, reading, settings)


def _record(
    name: str, fields: Any, place: str, reading: Reading, settings: VoteSettings
) -> DebateRecord:
    found = validated(_Debate, fields)
    sides, repaired = found.sides, reading.repaired
    of = {"debate_id": f"{NAME}:{name}", "dataset_id": NAME}
    people = {side: person for person, side in sides.items()}
    turns: list[Speech] = []
    blank = 0
    for number, round_ in enumerate(found.rounds, start=1):
        for turn in round_:
            word = _folded(turn.side)
            side = _SIDES.get(word) if isinstance(word, str) else None
            if isinstance(word, str) and word in _CORRUPT_SIDES:
                repaired["turns with the known corrupt side, read as con"] += 1
                side = "con"
            if not turn.text or not turn.text.strip():
                blank += 1
                repaired["turns without any text, not loaded"] += 1
                continue
            speaker = people[side] if side else None
            turns.append(
                turn_of(
                    of,
                    len(turns) + 1,
                    turn.text,
                    speaker or "unknown",
                    speaker=speaker,
                    round=str(number),
                    side=side,
                    speaker_role="debater",
                )
            )
    rounds = found.number_of_rounds
    if rounds is None:
        rounds = len(found.rounds)
        repaired["debates whose number_of_rounds is missing, rounds counted instead"] += 1
    elif rounds != len(found.rounds):
        repaired["debates with other rounds than number_of_rounds says, that one kept"] += 1
    outcomes, voters = _count_votes(fields.get("votes"), sides, of, place, reading)
    spoken = [turn.side for turn in turns if turn.side]
    rest = {key: value for key, value in fields.items() if key not in _USED}
    debate = Debate(
        **of,
        motion=found.title or name.replace("-", " "),
        format=FORMAT,
        category=fields.get("category"),
        round_count=rounds,
        end_side=spoken[-1] if spoken else None,
        start_date=_date(fields.get("start_date"), reading),
        voter_count=voters,
        extra=as_json(rest | {"rounds_found": len(found.rounds), "blank_turns": blank}),
    )
    primary = next((each for each in outcomes if each.is_primary), None)
    rule = removal(turns, primary, settings, round_count=rounds, is_forfeited=found.forfeit_label)
    return DebateRecord(debate, turns, outcomes, rule)


def _count_votes(
    votes: Any, sides: Mapping[str, Side], of: Mapping[str, Any], place: str, reading: Reading
) -> tuple[list[Outcome], int]:
    """Return the outcome of every criterion somebody voted on, and how many people voted.

    Of several votes of one person the first that can be read counts.
    """
    if not isinstance(votes, list | None):
        reading.reject(place, "votes", "is no list; no vote of this debate is counted", votes)
        return [], 0
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    points: list[Mapping[str, float]] = []
    voters: set[str] = set()
    repeated = 0
    for number, vote in enumerate(votes or []):
        try:
            found = validated(_Vote, vote)
            choices, awarded = _ballot(found.votes_map, sides)
        except BrokenRecord as broken:
            reason = f"{broken.reason}; the vote is not counted"
            reading.reject(place, f"votes[{number}].votes_map", reason, vote)
            continue
        voter = (found.user_name or "").strip()
        if voter and voter in voters:
            repeated += 1
            continue
        voters.add(voter)
        for criterion, side in choices.items():
            counts[criterion][side] += 1
        if awarded:
            points.append(awarded)
    outcomes = [
        outcome_of(
            of,
            criterion,
            decided_by=DECIDED_BY,
            is_primary=criterion == PRIMARY,
            votes=counts[criterion],
        )
        for criterion in sorted(counts)
    ]
    if points:
        pro, con = (float(sum(each.get(side, 0) for each in points)) for side in ("pro", "con"))
        outcomes.append(
            outcome_of(of, POINTS, decided_by=DECIDED_BY, is_primary=False, scores=(pro, con))
        )
    if repeated:
        name = "votes of people who had voted on the debate already, not counted"
        reading.repaired[name] += repeated
    return outcomes, len(votes or []) - repeated


def _ballot(
    votes_map: Mapping[str, Mapping[str, Any] | None], sides: Mapping[str, Side]
) -> tuple[dict[str, str], dict[str, float]]:
    """Return a voter's choice of `pro`, `con` or `tie` by criterion, and points by side."""
    chosen: defaultdict[str, list[str]] = defaultdict(list)
    points: dict[str, float] = {}
    for name, given in votes_map.items():
        side = sides.get(name.strip(), "tie" if name.strip().casefold() in _TIE else None)
        for label, value in (given or {}).items():
            slug = re.sub(r"[^a-z0-9]+", "_", label.casefold()).strip("_") or "unnamed"
            criterion = CRITERIA.get(label, slug)
            try:
                amount = _points(value) if criterion == POINTS else _truth(value)
            except (TypeError, ValueError):
                kind = "a number" if criterion == POINTS else "true or false"
                reason = f"'{label}' of {name!r} should be {kind}; found {value!r}"
                raise BrokenRecord(None, reason) from None
            if amount and side is None:
                who = ", ".join(map(repr, sides))
                reason = f"names {name!r}, who is neither of the debaters ({who})"
                raise BrokenRecord(None, reason)
            if criterion == POINTS:
                points[side or name] = amount
            elif amount and side:
                chosen[criterion].append(side)
    for criterion, several in chosen.items():
        if len(several) > 1:
            raise BrokenRecord(None, f"chooses {' and '.join(several)} at once for {criterion}")
    return {criterion: each for criterion, (each,) in chosen.items()}, points


def _points(value: Any) -> float:
    number = finite(float(0 if value is None else value))
    if number is None:
        raise ValueError("is not finite")
    return number


def _date(value: Any, reading: Reading) -> date | None:
    if not isinstance(value, str) or not value.strip():
        return None
    try:
        return datetime.strptime(value.strip(), "%m/%d/%Y").date()
    except ValueError:
        reading.repaired["start dates that are no month/day/year, left empty"] += 1
        return None


def _read_users(opener: Opener, reading: Reading) -> Iterator[Participant]:
    """Yield the people of a `users.json`; a user named in a debate can be absent from it."""
    names: set[str] = set()
    for number, (name, fields) in enumerate(iter_members(opener, reading.shown), start=1):
        reading.records += 1
        place, identity = f"user {number} ({name[:80]!r})", name.strip()
        # Quarantine keeps nothing that identifies a person.
        with reading.whole(place, {name: None if isinstance(fields, dict) else fields}):
            if identity in names:
                raise BrokenRecord(None, "is there twice")
            if not isinstance(fields, dict):
                raise BrokenRecord(None, "is no object")
            about: dict[str, Any] = {}
            for ours, theirs in _COUNTS.items():
                count = _number(fields.get(theirs))
                if count is not None and count >= 0 and count.is_integer():
                    about[ours] = int(count)
            for column in ("political_ideology", "religious_ideology"):
                if isinstance(value := fields.get(column), str) and value.strip():
                    about[column] = value
            issues = fields.get("big_issues_dict")
            participant = Participant(
                participant_id=f"{NAME}:{identity}",
                dataset_id=NAME,
                name=identity,
                elo=_number(fields.get("elo_ranking")),
                win_ratio=_number(fields.get("win_ratio")),
                big_issues=as_json(issues) if isinstance(issues, dict) else None,
                **about,
            )
            names.add(identity)
            yield participant


def _number(value: Any) -> float | None:
    """Return a number that may be written as '1,234' or '56.78%'; None for anything else."""
    try:
        plain = value.replace(",", "").strip(" %") if isinstance(value, str) else value
        return finite(float(plain))
    except (TypeError, ValueError):
        return None
