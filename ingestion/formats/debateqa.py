"""DebateQA's released form of models' answers: `{"generation": …, "id": …}`, one object a line.

It does not say who answered. An empty answer is an answer: it is kept, and has no words.
"""

from collections.abc import Iterable, Iterator

from ingestion.answers.contracts import ReplyRow
from ingestion.batch import Reject
from ingestion.formats.base import FileRow, Options, read_json_rows, typed_row
from ingestion.landing import Landed
from ingestion.records import Record
from ingestion.sources.csv_cells import id_text

KEYS = frozenset({"generation", "id"})
_NAMES = {"item": "id", "response": "generation"}
_REQUIRED = ("item", "judge", "response")


def read_debateqa(landed: Landed, options: Options) -> Iterator[FileRow | Reject]:
    """Yield the answers of a file.

    Args:
        options: Who answered, and to which prompt, where a line does not say.
    """

    def read(record: Record) -> Iterable[FileRow | Reject]:
        rest = dict(record.fields)
        known = {
            "item": id_text(rest.pop("id", None)),
            "response": rest.pop("generation", None),
            "judge": rest.pop("judge", None) or options.judge,
            "template": rest.pop("template", None) or options.template,
        }
        yield typed_row(
            landed, record, ReplyRow, known, required=_REQUIRED, extra=rest, names=_NAMES
        )

    return read_json_rows(landed, read)
