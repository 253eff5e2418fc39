"""The sample's debates as a source: composed texts and made-up votes, marked as sample."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import astuple
from typing import Any

from ingestion.batch import SourceFile
from ingestion.dataset_batch import DatasetBatch, DebateRecord
from ingestion.debates.readers.ddo import DECIDED_BY, PRIMARY, VotedDebate, removal, vote_rules
from ingestion.debates.sources.ddo import VoteSettings
from ingestion.debates.turns import outcome_of, turn_of
from ingestion.json_values import as_json
from ingestion.reading import Reading
from ingestion.sample.debates.composed import SampleDebate, sample_debates, sample_readers
from warehouse.records.core import Dataset, Debate
from warehouse.records.debates import HumanVerdict

NAME = "sample-debates"
DATASET = Dataset(
    dataset_id=NAME,
    title="Rostrum sample debates (written for this project, not real data)",
    licence="Apache-2.0",
    citation="Composed debates and simulated votes made for the Rostrum project.",
)
_FORMAT = "written-rounds"
_SHOWN, _LABEL = "the bundled sample debates", "ingestion/sample/debates"


def sample_debates_source() -> DatasetBatch:
    """Return the bundled debates. They have no file, so their hash is that of their content."""
    debates, readers = sample_debates(), sample_readers()
    content = repr([[astuple(row) for row in debates], [astuple(row) for row in readers]])
    sha256 = hashlib.sha256(content.encode()).hexdigest()
    reading = Reading(_SHOWN)
    settings = VoteSettings()
    return DatasetBatch(
        dataset=DATASET,
        rules=vote_rules(settings),
        files=[SourceFile(_SHOWN, _LABEL, sha256, len(debates))],
        readings=[reading],
        records=_records(reading, settings),
    )


def _records(reading: Reading, settings: VoteSettings) -> Iterator[DebateRecord]:
    verdicts: dict[str, list[HumanVerdict]] = defaultdict(list)
    for said in sample_readers():
        verdicts[said.debate_id].append(
            HumanVerdict(
                debate_id=said.debate_id,
                dataset_id=NAME,
                judge_id=f"{NAME}:{said.reader}",
                protocol="debate",
                mode="read",
                is_interactive=False,
                step=0,
                is_final=True,
                choice=said.choice,
            )
        )
    for debate in sample_debates():
        reading.records += 1
        yield _record(debate, verdicts.get(debate.debate_id, []), settings)


def _record(
    debate: SampleDebate, verdicts: list[HumanVerdict], settings: VoteSettings
) -> DebateRecord:
    of: dict[str, Any] = {"debate_id": debate.debate_id, "dataset_id": NAME}
    turns = [
        turn_of(
            of,
            place,
            turn.text,
            f"Sample {turn.side}",
            round=str(turn.round),
            side=turn.side,
            speaker_role="debater",
        )
        for place, turn in enumerate(debate.turns, start=1)
    ]
    votes = {"pro": debate.votes_pro, "con": debate.votes_con, "tie": debate.votes_tie}
    voters = sum(votes.values())
    outcome = outcome_of(of, PRIMARY, decided_by=DECIDED_BY, is_primary=True, votes=votes)
    voted = VotedDebate(
        round_count=debate.rounds,
        is_forfeited=debate.removed_by == "forfeit_label",
        forfeited_turns=sum(turn.text == "forfeit" for turn in debate.turns),
        sideless_turns=0,
        silent_side=None,
        outcome=outcome if voters else None,
    )
    return DebateRecord(
        Debate(
            **of,
            motion=debate.motion,
            format=_FORMAT,
            category=debate.category,
            round_count=debate.rounds,
            end_side=turns[-1].side,
            voter_count=voters,
            extra=as_json({"better_side": debate.better_side}),
        ),
        turns,
        [outcome] if voters else [],
        removal(voted, settings),
        verdicts,
    )
