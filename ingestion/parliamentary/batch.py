"""One load of a data set of British Parliamentary debates, and the rules that remove debates."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

from ingestion.batch import Loadable, Reject, Rows, SourceFile, Step, original_of
from ingestion.filters import filter_row, funnel, removed_by, rule_rows
from ingestion.json_values import as_json
from ingestion.speeches.motions import HASHED_SPEECHES
from warehouse.home import Home
from warehouse.records.bp import ROLES
from warehouse.records.core import Dataset, FilterRule, Removal, Speech
from warehouse.records.parliamentary import (
    FORMAT,
    PANEL,
    AboutDebate,
    Adjudicator,
    SpeakerResult,
    TeamResult,
    TranscriptMatch,
)

EIGHT_SPEECHES = FilterRule(
    "eight_speeches", "Not all eight speeches are there once each, with a text, in their order"
)
ONE_RESULT = FilterRule(
    "one_result", "There is no result of the panel, or more than one it could be"
)
RULES = (EIGHT_SPEECHES, ONE_RESULT)
_IN_EXTRA = ("tournament", "round", "room", "is_contentious")


@dataclass(frozen=True)
class ParliamentaryDebate:
    """The records of one debate; `removal` is the rule that keeps judges from reading it."""

    debate: AboutDebate
    speeches: Sequence[Speech] = ()
    teams: Sequence[TeamResult] = ()
    speakers: Sequence[SpeakerResult] = ()
    adjudicators: Sequence[Adjudicator] = ()
    removal: Removal | None = None


@dataclass(frozen=True)
class ParliamentaryBatch(Loadable):
    """One load of one data set of parliamentary debates.

    A debate that is there already gets the motion, speeches, results and panel of this load and no
    others; debates that are not in the batch stay. The matches of transcripts and results, if any,
    replace those of the data set's earlier loads.
    """

    dataset: Dataset
    files: Sequence[SourceFile]
    debates: Sequence[ParliamentaryDebate]
    rules: Sequence[FilterRule] = ()
    matches: Sequence[TranscriptMatch] = ()

    @contextmanager
    def read(self, home: Home) -> Iterator[ParliamentaryBatch]:
        """Reject debates that are there twice, or have a part twice."""
        del home
        times = Counter(each.debate.debate_id for each in self.debates)
        kept, rejects = [], list(self.rejects)
        for place, each in enumerate(self.debates, start=1):
            debate_id = each.debate.debate_id
            reason = _repeated_part(each)
            if times[debate_id] > 1:
                reason = f"duplicate id: {times[debate_id]} debates of the load have it"
            if reason is None:
                kept.append(each)
                continue
            original = original_of(asdict(each.debate))
            name = f"debate {place} ({debate_id})"
            rejects.append(Reject(self.files[0].shown, name, "debate_id", reason, original))
        found = funnel(self.rules, removed_by(each.removal for each in kept))
        notes = [*self.notes, f"parliamentary debates: {len(kept):,}", *found]
        yield replace(self, debates=kept, rejects=rejects, notes=notes)

    def changes(self) -> Iterable[Rows | Step]:
        """Return the debates with their speeches, results and panels, and the matches."""
        rules = [rule.rule for rule in self.rules]
        yield Rows("datasets", [self.dataset])
        yield rule_rows(self.dataset.dataset_id, self.rules)
        yield Rows("debates", [_debate_row(each.debate) for each in self.debates])
        speeches = [speech for each in self.debates for speech in each.speeches]
        yield Rows("speeches", speeches, within="debates", staging=HASHED_SPEECHES)
        filters = [
            filter_row(each.debate.debate_id, each.debate.dataset_id, each.removal, rules)
            for each in self.debates
        ]
        yield Rows("debate_filters", filters)
        for table, rows in (
            ("team_results", [team for each in self.debates for team in each.teams]),
            ("speaker_results", [one for each in self.debates for one in each.speakers]),
            ("adjudicators", [one for each in self.debates for one in each.adjudicators]),
        ):
            yield Rows(table, rows, within="debates")
        if self.matches:
            matches = [
                asdict(match) | {"match_order": place, "candidates": match.candidates or None}
                for place, match in enumerate(self.matches, start=1)
            ]
            yield Rows("transcript_matches", matches, within="datasets")


def removal_of(
    speeches: Sequence[Speech],
    teams: Sequence[TeamResult],
    speakers: Sequence[SpeakerResult],
    *,
    speech_problem: str | None = None,
    result_problem: str | None = None,
) -> Removal | None:
    """Return the first rule a debate breaks; None when judges may read it.

    A result is the panel's ranking of all four houses, or its scores of all eight speeches: either
    is enough to measure one task.

    Args:
        speech_problem: Reason that the source gives why the speeches are not the eight of a debate.
        result_problem: Reason that the source gives why there is not one result.
    """
    roles = [speech.role for speech in sorted(speeches, key=lambda each: each.speech_order or 0)]
    lacking = [role.upper() for role in ROLES if role not in roles]
    if speech_problem is None and not speeches:
        speech_problem = "no transcript"
    elif speech_problem is None and lacking:
        speech_problem = f"no speech of {', '.join(lacking)}"
    elif speech_problem is None and roles != list(ROLES):
        order = ", ".join(str(role).upper() for role in roles)
        speech_problem = f"speeches are in the order {order}"
    if speech_problem:
        return Removal(EIGHT_SPEECHES.rule, speech_problem)
    ranks = {each.house: each.team_rank for each in teams if each.decided_by == PANEL}
    scored = {each.role for each in speakers if each.decided_by == PANEL and each.score is not None}
    is_ranked = sorted(rank or 0 for rank in ranks.values()) == [1, 2, 3, 4]
    if result_problem is None and not is_ranked and len(scored) < len(ROLES):
        result_problem = "the panel's ranking of the houses and its scores are not whole"
    return Removal(ONE_RESULT.rule, result_problem) if result_problem else None


def _repeated_part(each: ParliamentaryDebate) -> str | None:
    keys = [
        *((speech.item_id, "speech") for speech in each.speeches),
        *((team.house, f"result by {team.decided_by}") for team in each.teams),
        *((one.role, f"score by {one.decided_by}") for one in each.speakers),
        *((one.adjudicator_id, "seat on the panel") for one in each.adjudicators),
    ]
    twice = next((key for key, count in Counter(keys).items() if count > 1), None)
    return f"more than one {twice[1]} for {twice[0]}" if twice else None


def _debate_row(debate: AboutDebate) -> dict[str, Any]:
    extra = json.loads(debate.extra) if debate.extra else {}
    named = {name: getattr(debate, name) for name in _IN_EXTRA}
    extra |= {name: value for name, value in named.items() if value is not None}
    return {
        "debate_id": debate.debate_id,
        "dataset_id": debate.dataset_id,
        "motion": debate.motion or "",
        "format": FORMAT,
        "context": debate.info_slide,
        "start_date": debate.start_date,
        "extra": as_json(extra) if extra else None,
    }
