"""Source `debate-log`: one row per debate and judge.

Needed are `debate`, `motion`, `pro`, `con`, `judge` and `winner`: the debate's own id, what was
debated, the model on each side, who judged, and `pro`, `con`, `tie` or the name of the model that
won; empty where the verdict could not be read. There may be `margin`, `pro_words`, `con_words`,
`pro_family`, `con_family` and `judge_family`. What else there is is kept.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ingestion.dataset_batch import DatasetBatch
from ingestion.debates.sources.debate_log import LogSettings
from ingestion.errors import SourceUnreadable, UnknownSource
from ingestion.landing import Landed
from ingestion.reading import BrokenRecord, Reading, validated
from ingestion.records import Record, columns_of, file_format
from ingestion.sources.csv_cells import extra_of, id_text, shown
from warehouse.records.core import Dataset
from warehouse.records.debates import LoggedVerdict

DATASET = Dataset(
    dataset_id="debate-log", title="Log of debates between models", licence="not stated"
)
NEEDED = ("debate", "motion", "pro", "con", "judge", "winner")
MORE = ("margin", "pro_words", "con_words", "pro_family", "con_family", "judge_family")


def open_log(landed: Landed, settings: LogSettings) -> DatasetBatch:
    """Return what a log holds.

    Raises:
        SourceUnreadable: The file is missing, lacks columns, or holds no records.
        UnknownSource: The mapping names no column of ours.
    """
    dataset, names = settings.named(DATASET), _names(settings.columns)
    kind = file_format(landed.path)
    there = set(columns_of(landed.path, kind, shown=landed.shown))
    if missing := [names[one] for one in NEEDED if names[one] not in there]:
        raise SourceUnreadable(
            f"ingestion: {landed.shown} has no column '{missing[0]}'; it has "
            f"{', '.join(sorted(there)[:12])}: say what it is called with "
            "--columns ours=theirs,…"
        )
    reading = Reading(landed.shown)
    pairs: set[tuple[str, str]] = set()

    def rows(record: Record) -> Iterator[LoggedVerdict]:
        verdict = _verdict(dataset.dataset_id, record.fields, names)
        pair = verdict.debate_id, verdict.judge
        if pair in pairs:
            raise BrokenRecord(
                names["judge"], "duplicate: an earlier row has this judge's verdict on it"
            )
        pairs.add(pair)
        yield verdict

    batch = DatasetBatch.of_file(dataset, landed, reading, rows)

    def records() -> Iterator[LoggedVerdict]:
        yield from batch.records
        reading.note(f"verdicts on debates between models: {len(pairs):,}")

    return replace(batch, records=records())


def _names(columns: str) -> dict[str, str]:
    names = {name: name for name in (*NEEDED, *MORE)}
    for pair in filter(None, (part.strip() for part in columns.split(","))):
        ours, _, theirs = pair.partition("=")
        if ours.strip() not in names or not theirs.strip():
            raise UnknownSource(
                f"ingestion: setting columns has '{pair}'; expected one of {', '.join(names)}, an "
                "equals sign, and the name of the file's column"
            )
        names[ours.strip()] = theirs.strip()
    return names


def _verdict(dataset_id: str, fields: Mapping[str, Any], names: Mapping[str, str]) -> LoggedVerdict:
    cells = {ours: id_text(fields.get(theirs)) for ours, theirs in names.items()}
    pro, con, winner = (cells.pop(name) for name in ("pro", "con", "winner"))
    if pro == con and pro is not None:
        raise BrokenRecord(names["con"], f"{shown(pro)} debates itself: nobody can win")
    winners = {None: None, "pro": "pro", "con": "con", "tie": "tie"}
    winners |= {(pro or "").casefold(): "pro", (con or "").casefold(): "con"}
    word = winner.casefold() if winner else None
    if word not in winners:
        raise BrokenRecord(
            names["winner"], f"should be pro, con, tie or the winner's name; found {shown(winner)}"
        )
    debate = cells.pop("debate")
    verdict = cells | {
        "debate_id": debate and f"{dataset_id}:{debate}",
        "dataset_id": dataset_id,
        "pro_debater": pro,
        "con_debater": con,
        "winner": winners[word],
        "extra": extra_of(dict(fields), tuple(names.values())),
    }
    return validated(
        LoggedVerdict,
        verdict,
        {
            **names,
            "debate_id": names["debate"],
            "pro_debater": names["pro"],
            "con_debater": names["con"],
        },
    )
