"""One load of a data set of British Parliamentary debates."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

from ingestion.batch import Loadable, Reject, Rows, SourceFile, Step, original_of
from ingestion.filters import filter_row, funnel, removed_by, rule_rows
from ingestion.json_values import as_json
from ingestion.speeches.motions import HASHED_SPEECHES
from warehouse.home import Home
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

_IN_EXTRA = ("tournament", "round", "room", "is_contentious")


@dataclass(frozen=True)
class ParliamentaryDebate:
    """One debate with everything a source says about it.

    Attributes:
        speeches: What was said, in order, each with its role; none of a debate known from a tab
            alone.
        teams: Results of the houses.
        speakers: Results of the speeches.
        removal: The rule that keeps judges from reading it; None when it is kept.
    """

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
    others; debates that are not in the batch stay. Where the batch says how transcripts were
    matched, that replaces what was said of the data set before.

    Attributes:
        debates: The debates, each id once.
        rules: The rules that remove debates, in order.
        matches: How transcripts and results were brought together; none where a source has both
            in one.
    """

    dataset: Dataset
    files: Sequence[SourceFile]
    debates: Sequence[ParliamentaryDebate]
    rules: Sequence[FilterRule] = ()
    matches: Sequence[TranscriptMatch] = ()

    @contextmanager
    def read(self, home: Home) -> Iterator[ParliamentaryBatch]:
        """Reject debates that are there twice, or have a part twice: nobody can say which holds."""
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


def panel_teams(
    of: Mapping[str, Any], ranking: Iterable[str], *, has_points: bool = False
) -> list[TeamResult]:
    """Return the panel's ranking of the houses, best first, as rows of the debate `of` names."""
    return [
        TeamResult(
            **of,
            decided_by=PANEL,
            house=house,  # type: ignore[arg-type]
            team_rank=rank,
            points=4.0 - rank if has_points else None,
        )
        for rank, house in enumerate(ranking, start=1)
    ]


def panel_speakers(of: Mapping[str, Any], scores: Mapping[str, float]) -> list[SpeakerResult]:
    """Return the panel's scores by role as rows of the debate `of` names."""
    return [
        SpeakerResult(
            **of,
            decided_by=PANEL,
            role=role,  # type: ignore[arg-type]
            score=score,
        )
        for role, score in scores.items()
    ]


def speech_of(of: Mapping[str, Any], place: int, role: str, **more: Any) -> Speech:
    """Return one of a debate's eight speeches as a row; `of` holds the ids of the debate."""
    return Speech(
        **of,
        item_id=f"{of['debate_id']}/{role}",
        speech_order=place,
        round=role.upper(),
        speaker_role="debater",
        role=role,  # type: ignore[arg-type]
        **more,
    )


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
    said = {name: getattr(debate, name) for name in _IN_EXTRA}
    extra = json.loads(debate.extra) if debate.extra else {}
    extra |= {name: value for name, value in said.items() if value is not None}
    return {
        "debate_id": debate.debate_id,
        "dataset_id": debate.dataset_id,
        "motion": debate.motion or "",
        "format": FORMAT,
        "context": debate.info_slide,
        "start_date": debate.start_date,
        "extra": as_json(extra) if extra else None,
    }
