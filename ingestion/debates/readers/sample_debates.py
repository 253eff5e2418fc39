"""The sample's debates as a source: composed texts and made-up votes, marked as sample."""

import hashlib
from collections import defaultdict
from dataclasses import astuple
from typing import Any

from ingestion.batch import SourceFile
from ingestion.dataset_batch import DatasetBatch, DebateRecord
from ingestion.debates.readers.ddo import DECIDED_BY, PRIMARY, removal, vote_rules
from ingestion.debates.sources.ddo import VoteSettings
from ingestion.debates.turns import outcome_of, turn_of
from ingestion.json_values import as_json
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


def sample_debates_source() -> DatasetBatch:
    """Return the bundled debates. They have no file, so their hash is that of their content."""
    debates, readers = sample_debates(), sample_readers()
    content = repr([[astuple(row) for row in debates], [astuple(row) for row in readers]])
    sha256 = hashlib.sha256(content.encode()).hexdigest()
    settings = VoteSettings()
    verdicts: dict[str, list[HumanVerdict]] = defaultdict(list)
    for reader in readers:
        verdicts[reader.debate_id].append(
            HumanVerdict(
                debate_id=reader.debate_id,
                dataset_id=NAME,
                judge_id=f"{NAME}:{reader.reader}",
                protocol="debate",
                mode="read",
                is_interactive=False,
                step=0,
                is_final=True,
                choice=reader.choice,
            )
        )
    return DatasetBatch(
        dataset=DATASET,
        rules=vote_rules(settings),
        files=[
            SourceFile(
                "the bundled sample debates", "ingestion/sample/debates", sha256, len(debates)
            )
        ],
        records=(_record(debate, verdicts[debate.debate_id], settings) for debate in debates),
    )


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
    outcomes = []
    if voters:
        outcomes = [outcome_of(of, PRIMARY, decided_by=DECIDED_BY, is_primary=True, votes=votes)]
    rule = removal(
        turns,
        outcomes[0] if outcomes else None,
        settings,
        round_count=debate.rounds,
        is_forfeited=debate.removed_by == "forfeit_label",
    )
    row = Debate(
        **of,
        motion=debate.motion,
        format="written-rounds",
        category=debate.category,
        round_count=debate.rounds,
        end_side=turns[-1].side,
        voter_count=voters,
        extra=as_json({"better_side": debate.better_side}),
    )
    return DebateRecord(row, turns, outcomes, rule, verdicts)
