"""From the names a file uses to the items, debates, questions and answers that are loaded."""

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
_TABLES: dict[What, str] = {
    "item": "raw.speeches",
    "debate": "raw.debates",
    "question": "raw.questions",
    "answer": "raw.answers",
    "story question": "raw.reading_questions",
    "debate transcript": "(from raw.oversight_transcripts where status = 'complete')",
    "parliamentary debate": f"(from raw.debates where format = '{FORMAT}')",
}
_DEBATES = (
    "from raw.debates as debates left join ("
    + debate_hash("(from raw.speeches semi join hashed using (debate_id))")
    + ") as hashes on debates.debate_id = hashes.debate_id"
)
_HASHED: dict[What, str] = {
    "item": "select item_id as id, dataset_id, item_hash as hash from raw.speeches",
    # Only the debates that are wanted: hashing every turn of a large warehouse would take a while.
    "debate": f"select debates.debate_id as id, debates.dataset_id, debate_hash as hash {_DEBATES}",
    "parliamentary debate": "select debates.debate_id as id, debates.dataset_id, "
    f"{PARLIAMENTARY_HASH} as hash {_DEBATES}",
    "story question": "select question_id as id, dataset_id, item_hash as hash "
    "from raw.reading_questions",
    # One transcript may be in several runs.
    "debate transcript": "select transcript_id as id, any_value(dataset_id) as dataset_id, "
    "max(transcript_hash) as hash from raw.oversight_transcripts where status = 'complete' "
    "group by transcript_id",
    "question": "select question_id as id, dataset_id, item_hash as hash from raw.questions",
    # One answer may be in several runs.
    "answer": "select answer_id as id, any_value(dataset_id) as dataset_id, "
    "max(answer_hash) as hash from raw.answers group by answer_id",
}
_BARE = "substr({id}, strpos({id}, ':') + 1)"


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
    """Finds what files name, of one kind.

    A name is an id as the warehouse has it, or one without the data set's name before it. The
    latter is looked for in the data set the user named, else in all: it must then be one item's.

    Args:
        dataset: The data set the user named.
        what: What to look for.

    Raises:
        SourceUnreadable: No data set of that name is loaded.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, dataset: str | None, what: What
    ) -> None:
        self._connection = connection
        self._dataset = dataset
        self._what: What = what
        self._found: dict[str, tuple[Known, ...]] = {}
        self.datasets = [
            row[0]
            for row in connection.execute(
                "select dataset_id from raw.datasets order by dataset_id"
            ).fetchall()
        ]
        if dataset is not None and dataset not in self.datasets:
            raise SourceUnreadable(
                f"ingestion: no data set named '{dataset}' is loaded; loaded: {self._loaded}"
            )

    def look_up(self, names: Iterable[str]) -> None:
        """Find these names at once; those found before are known already."""
        wanted = sorted({name for name in names if name not in self._found})
        if not wanted:
            return
        found: dict[str, dict[str, Known]] = defaultdict(dict)
        exact: set[str] = set()
        table, key = _TABLES[self._what], f"{self._what.split()[-1]}_id"
        rows = pa.table({"name": pa.array(wanted, pa.string())})
        with registered(self._connection, "wanted", rows):
            # Every name in this statement is a constant of this module.
            matches = self._connection.execute(
                f"select name, {key}, true from {table} inner join wanted on {key} = name "
                f"union all select name, {key}, false from {table} "
                f"inner join wanted on {_BARE.format(id=key)} = name "
                "where coalesce(?, dataset_id) = dataset_id",
                [self._dataset],
            ).fetchall()
        known = self._known({row[1] for row in matches})
        for name, identity, is_exact in matches:
            if is_exact:
                exact.add(name)
                found[name] = {identity: known[identity]}
            elif name not in exact:
                found[name][identity] = known[identity]
        for name in wanted:
            own = found.get(name, {})
            self._found[name] = tuple(own[identity] for identity in sorted(own))

    def __getitem__(self, name: str) -> Known | str:
        """Return what a name that was looked up means, or why it means nothing."""
        known = self._found[name]
        if len(known) == 1:
            return known[0]
        if not known:
            example = self.datasets[0] if self.datasets else "speeches"
            return (
                f"unknown {self._what} {name!r}; expected an id such as "
                f"'{example}:<the file's id>'; data sets loaded: {self._loaded}"
            )
        there = ", ".join(each.id for each in known[:5])
        return (
            f"ambiguous {self._what} {name!r}: it is in several data sets ({there}); say which "
            "with --dataset, or write the id with the data set's name before it"
        )

    def _known(self, identities: set[str]) -> dict[str, Known]:
        ids = pa.table({"debate_id": pa.array(sorted(identities), pa.string())})
        with registered(self._connection, "hashed", ids):
            rows = self._connection.execute(
                f"select id, dataset_id, hash from ({_HASHED[self._what]}) "
                "where id in (select debate_id from hashed)"
            ).fetchall()
        return {row[0]: Known(*row) for row in rows}

    @property
    def _loaded(self) -> str:
        return ", ".join(self.datasets) or "none; load one with 'rostrum ingest'"
