"""Source `tabbycat`: the rooms of a British Parliamentary tournament.

Of a room's ballots one counts; its sheets give scores to speakers and ranks to teams.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from ingestion.errors import SourceUnreadable
from ingestion.json_values import as_json, finite
from ingestion.parliamentary.batch import RULES, ParliamentaryBatch
from ingestion.parliamentary.files import SmallFiles, read_small_files
from ingestion.parliamentary.readers import tabbycat_documents as documents
from ingestion.parliamentary.readers.tabbycat_documents import Export, by_key, key_of, read_export
from ingestion.parliamentary.settings import TranscribedSettings
from ingestion.parliamentary.tab import (
    SAME_SCORE,
    SCORE_RANGE,
    HouseLine,
    Matching,
    Room,
    Seat,
    Sheet,
    SpeechLine,
    Team,
    debate_of,
    ranking,
    ranking_by_sums,
    score_of,
)
from ingestion.parliamentary.tagged import read_tagged, title_key, transcript_text
from ingestion.parliamentary.user_tables import read_motions
from ingestion.reading import BrokenRecord, Reading, validated
from ingestion.sources.csv_cells import shown
from warehouse.home import Home
from warehouse.records.bp import HOUSES, ROLES_OF, House, Role
from warehouse.records.core import Dataset

DATASET = Dataset(
    dataset_id="tabbycat",
    title="Tournament tabs (Tabbycat)",
    licence="Not stated; ask the tournament",
    url="https://tabbycat.readthedocs.io",
)
_LIVE = re.compile(r"https?://[^?#]*/api/v1/tournaments/[\w-]+/?$", re.IGNORECASE)
_TOURNAMENT = re.compile(r"^https?://(?P<host>[^/]+)/.*?/tournaments/(?P<slug>[^/]+)")
_ID = re.compile(r"\d{1,20}", re.ASCII)
_NO_ID = re.compile(r"[^A-Za-z0-9_.-]+")


def open_tabbycat(home: Home, location: str, settings: TranscribedSettings) -> ParliamentaryBatch:
    """Return the debates of a tournament.

    Raises:
        SourceUnreadable: It is no British Parliamentary tournament, or not all of it is there.
    """
    dataset = settings.named(DATASET)
    if _LIVE.match(location):
        raise SourceUnreadable(
            "ingestion: a live Tabbycat site is no longer read; save the tournament's documents "
            "(rounds.json, teams.json and so on) and name their folder with --from"
        )
    export = read_export(read_small_files(home, location, dataset, (".json",)))
    reading = Reading(export.landed.shown)
    rooms, files = Tab(export, reading).rooms(), []
    matching = Matching(dataset.dataset_id)
    if settings.transcripts is not None:
        texts = read_small_files(home, settings.transcripts, dataset, (".txt",))
        files.append(texts.landed.source_file(len(texts.files)))
        rooms = match_transcripts(matching, rooms, texts, reading)
    motions = read_motions(home, settings.motions, dataset)
    debates = []
    for room in rooms:
        with reading.whole(room.place, room.identity):
            debates.append(debate_of(dataset.dataset_id, room, reading, motions))
    # Rejects have the name the user gave, whatever the landing calls the same bytes.
    return ParliamentaryBatch(
        dataset=dataset,
        files=[reading.source_file(export.landed), *files, *motions.table.files],
        debates=debates,
        rules=RULES,
        matches=matching.matches,
        rejects=[*reading.rejects, *motions.table.rejects],
        notes=[*reading.notes, *motions.notes],
    )


class Tab:
    """A tournament's rooms, made of its documents; rejects and repairs go to `reading`."""

    def __init__(self, export: Export, reading: Reading) -> None:
        self._export, self._reading = export, reading
        about = export.tournament
        self.rounds = export.documents("rounds", documents.Round)
        teams = export.documents("teams", documents.Entry)
        self.teams = by_key(teams)
        members = [person for team in self.teams.values() for person in team.speakers]
        self.speakers = by_key([*export.documents("speakers", documents.Entry), *members])
        self.adjudicators = by_key(export.documents("adjudicators", documents.Entry))
        self.venues = by_key(export.documents("venues", documents.Entry))
        motions = [motion for each in reversed(self.rounds) for motion in reversed(each.motions)]
        self.motions = by_key([*motions, *export.documents("motions", documents.Motion)])
        # Site and tournament keep the ids of one tab apart from those of another.
        urls = (each.url for each in (about, *self.rounds, *teams) if each.url is not None)
        address = _TOURNAMENT.search(next(urls, ""))
        slug = about.slug or (address["slug"] if address else "tournament")
        parts = [address["host"], slug] if address else [slug]
        self.prefix = "/".join(_NO_ID.sub("-", part)[:100] for part in parts)
        self.name = about.name or about.short_name

    def rooms(self) -> list[Room]:
        """Return the rooms of a tournament.

        Raises:
            SourceUnreadable: The tournament has two teams a room, or no room at all.
        """
        rooms = []
        for about in self.rounds:
            path = f"rounds/{about.seq}/pairings"
            if path not in self._export.lists:
                self._reading.repaired["rounds without pairings"] += 1
            for original in self._export.objects(path):
                pairing = documents.Pairing.model_validate(original)
                place = f"round {about.seq}, pairing {pairing.key}"
                sides = _sides(pairing.teams or [])
                if {"bye", -1} & set(sides):
                    self._reading.repaired["rooms with a bye, not read"] += 1
                    continue
                if len(sides) == 2 or {"aff", "neg"} & set(sides):
                    raise SourceUnreadable(
                        f"ingestion: {self._export.landed.shown}, {place} has two teams; expected "
                        "a British Parliamentary tournament, with four teams a room"
                    )
                self._reading.records += 1
                with self._reading.whole(place, original):
                    if pairing.key is None or not _ID.fullmatch(pairing.key):
                        reason = f"should be a number; found {shown(original.get('id'))}"
                        raise BrokenRecord("id", reason)
                    if pairing.teams is None:
                        reason = "should be a list of teams with sides; found "
                        raise BrokenRecord("teams", reason + shown(original.get("teams")))
                    rooms.append(self._room(about, pairing, pairing.teams, place))
        if not rooms and not self._reading.rejects:
            raise SourceUnreadable(
                f"ingestion: {self._export.landed.shown} has rounds and no pairings; save rounds/"
                "<seq>/pairings.json of each round, and ballots.json of each pairing, as well"
            )
        return rooms

    def _room(
        self,
        about: documents.Round,
        pairing: documents.Pairing,
        lines: Sequence[documents.Line],
        place: str,
    ) -> Room:
        draw = four_houses(lines, "teams")
        teams = {}
        for house, line in draw.items():
            team = self.teams.get(line.team or "", documents.Entry())
            name = team.short_name or team.long_name or team.reference
            teams[house] = Team(name, team.type.upper()[:1] == "S" if team.type else None)
        path = f"rounds/{about.seq}/pairings/{pairing.key}/ballots"
        ballot, problem = ballot_that_counts(self._export.documents(path, documents.Ballot))
        sheets: list[Sheet] = []
        if ballot is not None:
            sheets, problem = self._sheets(about, ballot, draw, place)
        motion = self._motion(about, ballot)
        if motion is None:
            self._reading.repaired[
                "rooms of rounds with several motions, where no ballot says which was debated"
            ] += 1
            motion = documents.Motion()
        round_name = about.name or f"Round {about.seq}"
        venue = self.venues.get(pairing.venue or "", documents.Entry())
        room_name = venue.display_name or venue.name
        names = [
            f"{before}{each} {room_name}"
            for each in (round_name, about.abbreviation)
            if each and room_name
            for before in ("", f"{self.name or ''} ")
        ]
        return Room(
            identity=f"{self.prefix}/{pairing.key}",
            place=place,
            about={
                "motion": documents.plain_text(motion.text),
                "info_slide": documents.plain_text(motion.info_slide_plain or motion.info_slide),
                "tournament": self.name,
                "round": round_name,
                "room": room_name,
                "start_date": about.starts_at,
            },
            extra={
                "motion_reference": motion.reference,
                "stage": about.stage,
                "ballot_version": ballot.version if ballot else None,
            },
            names=[*names, f"{self.prefix.rpartition('/')[2]} {pairing.key}"],
            teams=teams,
            panel=self._seats(pairing.adjudicators or documents.Panel()),
            sheets=sheets,
            result_problem=problem,
        )

    def _sheets(
        self,
        about: documents.Round,
        ballot: documents.Ballot,
        draw: Mapping[House, documents.Line],
        place: str,
    ) -> tuple[list[Sheet], str | None]:
        """Return the sheets of the ballot that counts, or the reason why they are no result.

        Raises:
            BrokenRecord: A sheet is not of four houses with two speeches each, or none.
        """
        listed = validated(documents.CountedBallot, {"result": ballot.result}).result.sheets
        houses_of = []
        for number, sheet in enumerate(listed):
            lines = four_houses(sheet.teams, f"result.sheets[{number}].teams")
            for house, line in lines.items():
                if len(line.speeches) not in (0, 2):
                    found = f"{house.upper()} has {len(line.speeches)} speeches"
                    raise BrokenRecord("speeches", f"{found}; a house has two, and no reply")
            houses_of.append(lines)
        own = Counter(each.adjudicator for each in listed if each.adjudicator is not None)
        if twice := [each for each, count in own.items() if count > 1]:
            raise BrokenRecord("result.sheets", f"adjudicator {twice[0]} has more than one sheet")
        if ballot.forfeit:
            return [], "a team forfeited, so nobody judged eight speeches"
        if any(lines[house].team != draw[house].team for lines in houses_of for house in HOUSES):
            return [], "the ballot has other teams than the draw, or has them elsewhere"
        sheets: list[Sheet] = []
        for sheet, lines in zip(listed, houses_of, strict=True):
            who = f"{place}, sheet of {sheet.adjudicator or 'the panel'}"
            speeches = self._speeches(lines, who, is_first=not sheets)
            unranked = Sheet({}, speeches, sheet.adjudicator)
            # In other rounds the upper half of the room is recorded as winning.
            wins = {
                house: line.win if not line.speeches or about.stage == "E" else None
                for house, line in lines.items()
            }
            houses = self._houses(lines, wins, unranked.house_sums(), who)
            sheets.append(replace(unranked, houses=houses))
        return sheets, None if sheets else "no ballot counts"

    def _speeches(
        self, lines: Mapping[House, documents.Line], who: str, *, is_first: bool
    ) -> dict[Role, SpeechLine]:
        speeches: dict[Role, SpeechLine] = {}
        for house, line in lines.items():
            scores = []
            for role, speech in zip(ROLES_OF[house], line.speeches, strict=False):
                score = score_of(speech.score)
                if speech.score is not None:
                    self._reading.cells += 1
                    if score is None:
                        reason = f"{SCORE_RANGE}; found {shown(speech.score)}"
                        self._reading.reject_cells(
                            who, f"score of {role.upper()}", reason, speech.score
                        )
                scores.append(score)
                person = self.speakers.get(speech.speaker or "", documents.Entry())
                name = None if person.anonymous is True else person.name
                speeches[role] = SpeechLine(name, score, speech.ghost)
            names = {speeches[role].speaker for role in ROLES_OF[house] if role in speeches}
            if is_first and len(names) == 1 and None not in names:
                self._reading.repaired["houses for which one person spoke twice"] += 1
            total = finite(line.score)
            known = [score for score in scores if score is not None]
            if len(known) == 2 and total is not None and abs(total - sum(known)) > SAME_SCORE:
                self._reading.repaired[
                    "totals that are not the sum of the house's speeches, the speeches counted"
                ] += 1
        return speeches

    def _houses(
        self,
        lines: Mapping[House, documents.Line],
        wins: Mapping[House, bool | None],
        sums: Mapping[str, float] | None,
        who: str,
    ) -> dict[House, HouseLine]:
        """Return the houses of a sheet with their ranks: by points, else by the sums of scores."""
        points = {house: finite(line.points) for house, line in lines.items()}
        by_points = sorted(HOUSES, key=lambda house: -(points[house] or 0))
        is_ranked = [points[house] for house in by_points] == [3, 2, 1, 0]
        if any(win is not None for win in wins.values()) and not is_ranked:
            return {house: HouseLine(extra={"is_winner": bool(win)}) for house, win in wins.items()}
        by_sums = ranking_by_sums(sums) if sums else None
        cells = [line.points for line in lines.values()]
        if all(cell is None for cell in cells):
            best, extra = by_sums, {"rank_from": "the sums of the speakers' scores"}
        else:
            best, extra = by_points if is_ranked else None, {}
            self._reading.cells += len(cells)
            if best is None:
                reason = f"should rank all four houses, each differently; found {shown(cells)}"
                self._reading.reject_cells(who, "ranks of the houses", reason, cells, len(cells))
            elif by_sums is not None and by_sums != best:
                self._reading.repaired[
                    "sheets that rank the houses otherwise than their scores do, the ranks kept"
                ] += 1
        ranked = ranking(best, has_points=True) if best else {}
        return {
            house: replace(ranked[house], extra=extra) if ranked else HouseLine()
            for house in HOUSES
        }

    def _motion(
        self, about: documents.Round, ballot: documents.Ballot | None
    ) -> documents.Motion | None:
        """Return the motion of a room, empty if not known; None where it is one of several."""
        found = self.motions.get(key_of(ballot.motion) or "") if ballot else None
        if found is not None:
            return found
        own = [motion for motion in self.motions.values() if about.seq in motion.rounds]
        own += [self.motions.get(motion.key or "", motion) for motion in about.motions]
        different = {as_json(motion.text): motion for motion in own}
        if len(different) > 1:
            return None
        return next(iter(different.values()), documents.Motion())

    def _seats(self, panel: documents.Panel) -> list[Seat]:
        seats: dict[str, Seat] = {}
        for group, is_chair, is_trainee in (
            (panel.chair, True, False),
            (panel.panellists, False, False),
            (panel.trainees, False, True),
        ):
            for identity in map(key_of, group if isinstance(group, list) else [group]):
                if identity is not None:
                    name = self.adjudicators.get(identity, documents.Entry()).name
                    seats.setdefault(identity, Seat(identity, name, is_chair, is_trainee))
        return list(seats.values())


def ballot_that_counts(
    ballots: Sequence[documents.Ballot],
) -> tuple[documents.Ballot | None, str | None]:
    """Return the ballot that counts, or the reason why there is not one."""
    confirmed = [each for each in ballots if each.confirmed is True]
    kept = [each for each in confirmed if not each.discarded]
    if not kept:
        why = "a confirmed ballot was discarded" if confirmed else "no ballot is confirmed"
        return None, why if ballots else "no ballot"
    if len({as_json([each.result, each.motion]) for each in kept}) > 1:
        return None, f"{len(kept)} ballots are confirmed and differ"
    if kept[0].result is None:
        return None, "the confirmed ballot holds no result"
    return max(kept, key=lambda each: each.version if isinstance(each.version, int) else 0), None


def _sides(lines: Sequence[documents.Line]) -> list[Any]:
    """Return the sides of teams, text in lower case."""
    # Text is made of whatever is no number, so that messages show it.
    return [
        line.side if isinstance(line.side, int) else str(line.side).casefold() for line in lines
    ]


def four_houses(lines: Sequence[documents.Line], field: str) -> dict[House, documents.Line]:
    """Return the lines of the four houses in their order; a side is `og` to `co`, or 0 to 3.

    Raises:
        BrokenRecord: The houses are not there once each.
    """
    sides = _sides(lines)
    names: dict[str, House] = {str(place): house for place, house in enumerate(HOUSES)}
    names |= {house: house for house in HOUSES}
    houses = [None if isinstance(side, bool) else names.get(str(side)) for side in sides]
    if Counter(houses) != Counter(HOUSES):
        raise BrokenRecord(field, f"should have og, oo, cg and co once each; found {sides}")
    by_house = dict(zip(houses, lines, strict=True))
    return {house: by_house[house] for house in HOUSES}


def match_transcripts(
    matching: Matching, rooms: Sequence[Room], texts: SmallFiles, reading: Reading
) -> list[Room]:
    """Return the rooms with their transcripts, and note the outcome of each transcript and room.

    A transcript has the name of the room's id, or of round and room such as `Round 3 Room 12`, with
    or without the tournament before them, in any spelling. Nothing is guessed.
    """
    rooms_of: dict[str, list[str]] = defaultdict(list)
    for room in rooms:
        for key in {title_key(name) for name in (room.identity, *room.names)}:
            rooms_of[key].append(room.identity)
    claims: dict[str, list[str]] = defaultdict(list)
    for name in sorted(texts.files):
        fitting = rooms_of.get(title_key(PurePosixPath(name).stem), [])
        if len(fitting) == 1:
            claims[fitting[0]].append(name)
        elif fitting:
            reason = f"it fits {len(fitting)} rooms"
            matching.note("ambiguous", reason, name, candidates=tuple(fitting))
        else:
            matching.note("missing", "no room of the tab has this name", name)
    matched = []
    for room in rooms:
        names = claims.get(room.identity, [])
        of: dict[str, Any] = {"result_row": room.identity}
        debate_id = f"{matching.dataset_id}:{room.identity}"
        if not names:
            matching.note("missing", "no transcript has the name of this room", None, **of)
            matched.append(room)
        elif len(names) > 1:
            reason = f"{len(names)} transcripts have the name of this room"
            of |= {"debate_id": debate_id, "candidates": tuple(names)}
            for name in names:
                matching.note("ambiguous", reason, name, **of)
            matched.append(replace(room, speech_problem=reason))
        else:
            place = f"{texts.landed.shown} ({names[0]})"
            tagged = read_tagged(transcript_text(texts.files[names[0]], place))
            if tagged.stray_words:
                stray = "words of transcripts outside all speeches, left out"
                reading.repaired[stray] += tagged.stray_words
            matching.note("matched", "by its name", names[0], **of, debate_id=debate_id)
            source, problem = matching.dataset_id, tagged.problem
            matched.append(
                replace(
                    room, speeches=tagged.speeches, speech_problem=problem, speech_source=source
                )
            )
    return matched
