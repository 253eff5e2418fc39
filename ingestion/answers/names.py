"""The items, debates, questions and answers that files name."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Literal, NamedTuple

import duckdb
import pyarrow as pa

from ingestion.debates.turns import debate_hash
from ingestion.errors import SourceUnreadable
from ingestion.parliamentary.items import PARLIAMENTARY_HASH
from ingestion.raw_tables import registered
from warehouse.records.parliamentary import FORMAT

What = Literal[
    "item",
    "debate",
    "parliamentary debate",
    "question",
    "answer",
    "story question",
    "debate transcript",
]
# Of each kind of thing the column of its id, the rows, and the hash of its text.
_SOURCES: dict[What, tuple[str, str, str]] = {
    "item": ("item_id", "raw.speeches", "item_hash"),
    "debate": ("debate_id", "raw.debates", "debate_hash"),
    "parliamentary debate": (
        "debate_id",
        f"(from raw.debates where format = '{FORMAT}')",
        PARLIAMENTARY_HASH,
    ),
    "question": ("question_id", "raw.questions", "item_hash"),
    "story question": ("question_id", "raw.reading_questions", "item_hash"),
    "answer": ("answer_id", "raw.answers", "answer_hash"),
    "debate transcript": (
        "transcript_id",
        "(from raw.oversight_transcripts where status = 'complete')",
        "transcript_hash",
    ),
}
# Only of the debates that are named: hashing every turn of a large warehouse would take a while.
_HASHES = debate_hash("(from raw.speeches semi join named using (debate_id))")


class Known(NamedTuple):
    """An item, debate, question or answer that is loaded.

    Attributes:
        id: With its data set's name before it.
        hash: Of its text; None for a debate without turns and an answer without a reply.
    """

    id: str
    dataset_id: str
    hash: str | None


class Names:
    """Index of the names in files of one kind of thing.

    A name is an id as the warehouse has it, or one without the data set's name before it. The
    latter is looked for in the data set that the user named, else in all, where it must be unique.

    Args:
        dataset: The data set that the user named.

    Raises:
        SourceUnreadable: No data set of that name is loaded.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, dataset: str | None, what: What
    ) -> None:
        self._connection, self._dataset = connection, dataset
        self._what: What = what
        self._known: dict[str, list[Known]] = {}
        rows = connection.execute("select dataset_id from raw.datasets order by all").fetchall()
        self.datasets = [dataset_id for (dataset_id,) in rows]
        if dataset is not None and dataset not in self.datasets:
            raise SourceUnreadable(
                f"ingestion: no data set named '{dataset}' is loaded; loaded: {self._loaded}"
            )

    def look_up(self, names: Iterable[str]) -> None:
        """Find the names that were not looked up before, all at once."""
        wanted = {name for name in names if name not in self._known}
        if not wanted:
            return
        key, table, text_hash = _SOURCES[self._what]
        hashes = f"left join ({_HASHES}) as hashes using (debate_id)" if key == "debate_id" else ""
        with registered(self._connection, "wanted", pa.table({"name": sorted(wanted)})):
            # Every name in this statement is a constant of this module. One answer, and one
            # transcript, may be in several runs.
            rows = self._connection.execute(
                f"with matched as (select name, {key}, true as is_exact from {table} "
                f"inner join wanted on {key} = name "
                f"union all select name, {key}, false from {table} "
                f"inner join wanted on substr({key}, strpos({key}, ':') + 1) = name "
                "where coalesce(?, dataset_id) = dataset_id), "
                f"named as (select distinct {key} from matched), "
                f"known as (select {key}, any_value(dataset_id), max({text_hash}) from {table} "
                f"semi join named using ({key}) {hashes} group by {key}) "
                f"select distinct name, is_exact, known.* from matched inner join known "
                f"using ({key}) order by all",
                [self._dataset],
            ).fetchall()
        found: dict[tuple[str, bool], list[Known]] = defaultdict(list)
        for name, is_exact, *known in rows:
            found[name, is_exact].append(Known(*known))
        for name in wanted:
            self._known[name] = found[name, True] or found[name, False]

    def __getitem__(self, name: str) -> Known | str:
        """Return the thing that a name which was looked up means, or why it means none."""
        known = self._known[name]
        if len(known) == 1:
            return known[0]
        if not known:
            example = self.datasets[0] if self.datasets else "speeches"
            return (
                f"unknown {self._what} {name!r}; expected an id such as "
                f"'{example}:<the file's id>'; data sets loaded: {self._loaded}"
            )
        ids = ", ".join(each.id for each in known[:5])
        return (
            f"ambiguous {self._what} {name!r}: it is in several data sets ({ids}); say which "
            "with --dataset, or write the id with the data set's name before it"
        )

    @property
    def _loaded(self) -> str:
        return ", ".join(self.datasets) or "none; load one with 'rostrum ingest'"
