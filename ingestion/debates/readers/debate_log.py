"""Source `debate-log`: one row per debate and judge.

Needed are `debate`, `motion`, `pro`, `con`, `judge` and `winner`: the debate's own id, what was
debated, the model on each side, who judged, and `pro`, `con`, `tie` or the name of the model that
won; empty where the verdict could not be read. There may be `margin`, `pro_words`, `con_words`,
`pro_family`, `con_family` and `judge_family`. What else there is is kept.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ingestion.dataset_batch import DatasetBatch
from ingestion.debates.sources.debate_log import LogSettings
from ingestion.errors import SourceUnreadable, UnknownSource
from ingestion.landing import Landed
from ingestion.reading import BrokenRecord, Reading
from ingestion.records import Record, columns_of, file_format, read_rows
from ingestion.sources.csv_cells import extra_of, id_text, shown
from warehouse.records.core import Dataset
from warehouse.records.debates import LoggedVerdict

DATASET = Dataset(
    dataset_id="debate-log", title="Log of debates between models", licence="not stated"
)
NEEDED = ("debate", "motion", "pro", "con", "judge", "winner")
MORE = ("margin", "pro_words", "con_words", "pro_family", "con_family", "judge_family")
_OURS = {"debate_id": "debate", "pro_debater": "pro", "con_debater": "con"}


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

    def records() -> Iterator[LoggedVerdict]:
        yield from reading.rows_of(read_rows(landed.path, kind, shown=landed.shown), rows, _OURS)
        reading.note(f"verdicts on debates between models: {len(pairs):,}")

    return DatasetBatch(
        dataset=dataset,
        files=[landed.source_file(0)],
        records=records(),
        readings=[reading],
    )


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
    def text(name: str) -> str | None:
        return id_text(fields.get(names[name]))

    def needed(name: str) -> str:
        value = text(name)
        if value is None:
            raise BrokenRecord(names[name], "should not be empty")
        return value

    pro, con = needed("pro"), needed("con")
    if pro == con:
        raise BrokenRecord(names["con"], f"{shown(pro)} debates itself: nobody can win")
    said = text("winner")
    winners = {"pro": "pro", "con": "con", "tie": "tie", pro.casefold(): "pro"}
    winners[con.casefold()] = "con"
    if said is not None and said.casefold() not in winners:
        raise BrokenRecord(
            names["winner"], f"should be pro, con, tie or the winner's name; found {shown(said)}"
        )
    return LoggedVerdict(
        debate_id=f"{dataset_id}:{needed('debate')}",
        dataset_id=dataset_id,
        motion=needed("motion"),
        pro_debater=pro,
        con_debater=con,
        judge=needed("judge"),
        winner=None if said is None else winners[said.casefold()],  # type: ignore[arg-type]
        margin=text("margin"),  # type: ignore[arg-type]
        pro_words=text("pro_words"),  # type: ignore[arg-type]
        con_words=text("con_words"),  # type: ignore[arg-type]
        pro_family=text("pro_family"),
        con_family=text("con_family"),
        judge_family=text("judge_family"),
        extra=extra_of(dict(fields), tuple(names.values())),
    )
