"""The sample's log of debates between models as a source, marked as sample."""

import hashlib
from dataclasses import astuple

from ingestion.batch import SourceFile
from ingestion.dataset_batch import DatasetBatch
from ingestion.sample.debate_log import DEBATERS, JUDGES, NAME, logged_debates
from warehouse.records.core import Dataset
from warehouse.records.debates import LoggedVerdict

DATASET = Dataset(
    dataset_id=NAME,
    title="Rostrum sample log of debates between models (made up, not real data)",
    licence="Apache-2.0",
    citation="Simulated verdicts on simulated debates, made for the Rostrum project.",
)


def sample_log_batch() -> DatasetBatch:
    """Return the bundled log. It has no file, so its hash is that of its content."""
    rows = logged_debates()
    sha256 = hashlib.sha256(repr([astuple(row) for row in rows]).encode()).hexdigest()
    verdicts = [
        LoggedVerdict(
            debate_id=f"{NAME}:{row.debate}",
            dataset_id=NAME,
            motion=row.motion,
            pro_debater=row.pro,
            con_debater=row.con,
            judge=row.judge,
            winner=row.winner,
            margin=row.margin,
            pro_words=row.pro_words,
            con_words=row.con_words,
            pro_family=DEBATERS[row.pro][0],
            con_family=DEBATERS[row.con][0],
            judge_family=JUDGES[row.judge].family,
        )
        for row in rows
    ]
    file = SourceFile("the bundled sample log", "ingestion/sample/debate_log.py", sha256, len(rows))
    return DatasetBatch(dataset=DATASET, files=[file], records=verdicts)
