"""Source `llm-debate-humans`: what people judged of debates of models about stories."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from ingestion.errors import SourceUnreadable
from ingestion.registry import ANY, Settings, expect, setting, source

if TYPE_CHECKING:
    from ingestion.batch import Reject
    from ingestion.debates.batch import DebateSource
    from ingestion.records import Record
    from warehouse.home import Home

URL = "https://github.com/ucl-dark/llm_debate"
_JUDGEMENTS = ("human_feedback.csv", "human_feedback.csv.gz")
_LFS = b"version https://git-lfs"
_NUMBERS = re.compile(r"\d+(\s*,\s*\d+)*")
_NUMBER = re.compile(r"\d+(\.\d+)?")


@dataclass(frozen=True)
class LlmDebateSettings(Settings):
    """Which judgements are kept; `any` turns a rule off."""

    experiments: str = setting(
        "8,9",
        "numbers of the experiments; 8 is the test set, 9 the naive baseline, 10 the debates of "
        "weak debaters, 1 to 7 are from while the protocol was developed",
    )
    without_judges: str = setting(
        "11,17,20,22,29,32,34,35,36,37",
        "numbers of the judges who took part in the test phase only",
    )
    cutoff: str = setting("2024-01-24", "the last day whose judgements are analysed")
    min_context_required: str = setting(
        "1.5",
        "the smallest mean of how much must be read, for experiment 1, which chose its questions "
        "with a lower one",
    )
    scale: str = setting(
        ANY,
        "whether confidences are percent (0 to 100) or share (0 to 1); any finds out from the "
        "file: it is percent where any value is more than 1",
    )

    def __post_init__(self) -> None:
        for name, is_good, wanted in (
            ("experiments", _NUMBERS.fullmatch, "numbers such as 8,9"),
            ("without_judges", _NUMBERS.fullmatch, "numbers such as 8,9"),
            ("cutoff", _is_day, "a day such as 2024-01-24"),
            ("min_context_required", _NUMBER.fullmatch, "a number"),
            ("scale", ("percent", "share").__contains__, "percent, share"),
        ):
            value = getattr(self, name)
            expect(name, value, value == ANY or is_good(value), f"{wanted} or {ANY}")


@source(
    "llm-debate-humans",
    about="what people judged of debates of models about stories",
    where=f"fetch data/human_feedback.csv.zip from {URL} and name it",
    settings=LlmDebateSettings,
)
def llm_debate(home: Home, location: str, settings: LlmDebateSettings) -> DebateSource:
    """Return the judged debates of a file."""
    from ingestion.debates.batch import DebateSource
    from ingestion.oversight.readers import llm_debate
    from ingestion.oversight.readers.llm_debate import rules_of
    from ingestion.oversight.reading import Reading
    from ingestion.records import Record, read_csv_records
    from ingestion.sources.parts import Parts

    parts = Parts(home, location, llm_debate.DATASET)
    reading = Reading(parts.shown)
    tables = [name for name in parts.names if name.endswith(".csv")]
    part = parts.one(_JUDGEMENTS, told=_JUDGEMENTS, otherwise=tables)
    with part.opener() as stream:
        if stream.read(len(_LFS)) == _LFS:
            raise SourceUnreadable(
                f"ingestion: {parts.shown} only points to a file that Git LFS keeps; fetch the "
                f"file itself from {URL}/blob/main/data"
            )

    def rows() -> Iterator[Record | Reject]:
        return read_csv_records(part.opener, shown=parts.shown, required=llm_debate.COLUMNS)

    def records() -> Iterator[Any]:
        fields = (row.fields for row in rows() if isinstance(row, Record))
        percent = llm_debate.is_percent(fields, settings)
        reading.note(f"confidences were read as {'percentages' if percent else 'shares of 1'}")
        yield from llm_debate.records_of(reading.kept(rows()), reading, settings, percent=percent)

    return DebateSource(
        dataset=llm_debate.DATASET,
        rules=rules_of(settings),
        files=[part.landed.source_file(0)],
        reading=reading,
        records=records(),
    )


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
