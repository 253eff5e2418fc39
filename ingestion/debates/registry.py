"""From what a user names (a file, a folder, an archive, an address) to a source of debates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ingestion.batch import Reject
from ingestion.debates.batch import DebateSource
from ingestion.debates.sources import ddo, iq2, iq2_files
from ingestion.debates.sources.ddo_users import read_users
from ingestion.debates.vote_rules import VoteSettings, vote_rules
from ingestion.errors import SourceUnreadable, UnknownSource
from ingestion.oversight.reading import Reading, StoriesRead
from ingestion.oversight.sources import llm_debate, nyu, nyu_files
from ingestion.oversight.sources.llm_debate_rules import LlmDebateSettings, rules_of
from ingestion.parts import Parts
from ingestion.records import Record, read_csv_records
from warehouse.home import Home
from warehouse.records.core import Dataset

_DEBATES, _USERS = ("debates.json", "debates.json.gz"), ("users.json", "users.json.gz")
_METADATA = ("metadata.jsonl", "debates-metadata.jsonl", "debates-metadata.json")
_JUDGEMENTS = ("human_feedback.csv", "human_feedback.csv.gz")
_LFS = b"version https://git-lfs"
# Addresses that stand for themselves when the user asks for them by name.
ADDRESSES = {(iq2.NAME, "convokit"): iq2.CONVOKIT_URL}


def open_debates(
    home: Home, source: str, location: str | Path | None, settings: Mapping[str, str]
) -> DebateSource:
    """Return a source of debates, its files landed and nothing of it read yet.

    Args:
        home: The home.
        source: One of `KNOWN`.
        location: A file, a folder, an archive, or an address on the web.
        settings: The source's settings, by name.

    Raises:
        UnknownSource: It needs a location, or has no such setting.
        SourceUnreadable: The location does not hold the source's files.
    """
    opened, dataset, _ = KNOWN[source]
    if location is None:
        raise UnknownSource(
            f"ingestion: '{source}' needs a file or an address: {where_to_find(source)}"
        )
    checker = _SETTINGS.get(source)
    if settings and checker is None:
        raise UnknownSource(
            f"ingestion: '{source}' has no settings; found {', '.join(sorted(settings))}"
        )
    checked = checker(settings) if checker else None
    place = ADDRESSES.get((source, str(location)), str(location))
    return opened(Parts(home, place, dataset), checked)


def where_to_find(source: str) -> str:
    """Return in words where a source's files are; nothing is fetched unless the user names it."""
    return KNOWN[source][2]


def _open_ddo(parts: Parts, settings: VoteSettings) -> DebateSource:
    debates = parts.open(parts.names[0]) if parts.is_one_file else parts.find(_DEBATES)
    if debates is None:
        raise _lacking(parts, _DEBATES[:1])
    users = parts.beside(_USERS) if parts.is_one_file else parts.find(_USERS)
    reading = Reading(debates.landed.shown)
    people = Reading(f"{users.landed.shown} ({users.name})") if users else None
    files = [debates.landed.source_file(0)]
    if users and people:
        landed = users.landed
        files.append(landed.source_file(0))
        files[1] = type(files[1])(people.shown, landed.label, landed.sha256, 0)
    else:
        reading.note("no users.json: nothing is known about the people but their names")
    return DebateSource(
        dataset=ddo.DATASET,
        rules=vote_rules(settings),
        files=files,
        reading=reading,
        records=ddo.read_ddo(debates.opener, reading, settings),
        participants=read_users(users.opener, people) if users and people else iter(()),
        people=people,
    )


def _open_iq2(parts: Parts, settings: None) -> DebateSource:
    del settings
    reading = Reading(parts.shown)
    utterances = parts.find(iq2_files.UTTERANCES)
    if utterances is not None:
        conversations = parts.find(iq2_files.CONVERSATIONS)
        if conversations is None:
            raise _lacking(parts, iq2_files.CONVERSATIONS)
        found = iq2_files.read_convokit(
            utterances.opener,
            conversations.opener,
            parts.shown,
            is_lines=utterances.name.endswith(".jsonl"),
        )
        files = [utterances.landed, conversations.landed]
        reading.note("read as a ConvoKit corpus")
    else:
        original = parts.find((iq2_files.ORIGINAL,))
        if original is None and parts.is_one_file:
            original = parts.open(parts.names[0])
        if original is None:
            raise _lacking(parts, (iq2_files.ORIGINAL, *iq2_files.UTTERANCES[:1]))
        found = iq2_files.read_original(original.opener, parts.shown)
        files = [original.landed]
        reading.note("read as the original release")
    sources = [each.source_file(0) for each in dict.fromkeys(files)]
    first = type(sources[0])(parts.shown, sources[0].label, sources[0].sha256, 0)
    return DebateSource(
        dataset=iq2.DATASET,
        rules=iq2.RULES,
        files=[first, *sources[1:]],
        reading=reading,
        records=iq2.records_of(found, reading),
    )


def _open_nyu(parts: Parts, settings: None) -> DebateSource:
    del settings
    reading = Reading(parts.shown)
    metadata = parts.beside(_METADATA) if parts.is_one_file else parts.find(_METADATA)
    rooms = [name for name in parts.names if nyu_files.is_rooms_file(name)]
    if not rooms:
        raise _lacking(parts, ("rooms.jsonl.gz", "official/<room>.json"))
    opened = [parts.open(name) for name in rooms]
    about = nyu_files.read_metadata(metadata.opener, metadata.landed.shown) if metadata else {}
    if not metadata:
        reading.note("no metadata file: which rooms the paper includes is not known")
    landed = [part.landed for part in opened] + ([metadata.landed] if metadata else [])
    sources = [each.source_file(0) for each in dict.fromkeys(landed)]
    first = type(sources[0])(parts.shown, sources[0].label, sources[0].sha256, 0)
    rooms_read = nyu_files.read_rooms([(part.name, part.opener) for part in opened], parts.shown)
    found = StoriesRead()
    return DebateSource(
        dataset=nyu.DATASET,
        rules=nyu.RULES,
        files=[first, *sources[1:]],
        reading=reading,
        records=nyu.records_of(rooms_read, about, reading, found),
        found=found,
    )


def _open_llm_debate(parts: Parts, settings: LlmDebateSettings) -> DebateSource:
    reading = Reading(parts.shown)
    if parts.is_one_file:
        part = parts.open(parts.names[0])
    else:
        tables = [name for name in parts.names if name.endswith(".csv")]
        found = parts.find(_JUDGEMENTS) or (parts.open(tables[0]) if len(tables) == 1 else None)
        if found is None:
            raise _lacking(parts, _JUDGEMENTS)
        part = found
    with part.opener() as stream:
        if stream.read(len(_LFS)) == _LFS:
            raise SourceUnreadable(
                f"ingestion: {parts.shown} only points to a file that Git LFS keeps; fetch the "
                f"file itself from {llm_debate.DATASET.url}/blob/main/data"
            )

    def rows() -> Iterator[Record | Reject]:
        return read_csv_records(part.opener, shown=parts.shown, required=llm_debate.COLUMNS)

    def records() -> Iterator[Any]:
        def kept() -> Iterator[Record]:
            for row in rows():
                reading.records += row.weight if isinstance(row, Reject) else 1
                if isinstance(row, Reject):
                    reading.rejects.append(row)
                else:
                    yield row

        fields = (row.fields for row in rows() if isinstance(row, Record))
        percent = llm_debate.is_percent(fields, settings)
        reading.note(f"confidences were read as {'percentages' if percent else 'shares of 1'}")
        yield from llm_debate.records_of(kept(), reading, settings, percent=percent)

    return DebateSource(
        dataset=llm_debate.DATASET,
        rules=rules_of(settings),
        files=[part.landed.source_file(0)],
        reading=reading,
        records=records(),
    )


def _lacking(parts: Parts, wanted: Sequence[str]) -> SourceUnreadable:
    there = ", ".join(parts.names[:8]) or "nothing"
    return SourceUnreadable(
        f"ingestion: {parts.shown} has no {' or '.join(wanted)}; it has {there}: name the file, or "
        "a folder or archive that holds it"
    )


# Which settings a source takes; the others take none.
_SETTINGS: Mapping[str, Callable[[Mapping[str, str]], Any]] = {
    ddo.NAME: VoteSettings.of,
    llm_debate.NAME: LlmDebateSettings.of,
}
_Opened = Callable[[Parts, Any], DebateSource]
KNOWN: dict[str, tuple[_Opened, Dataset, str]] = {
    ddo.NAME: (
        _open_ddo,
        ddo.DATASET,
        f"fetch debates.json (and users.json) from {ddo.PAGE} and name it with --from, or give its "
        "https:// address",
    ),
    iq2.NAME: (
        _open_iq2,
        iq2.DATASET,
        f"'--from convokit' fetches {iq2.CONVOKIT_URL}; or fetch it, or the original release from "
        f"{iq2.DATASET.url}, and name the file or folder",
    ),
    nyu.NAME: (
        _open_nyu,
        nyu.DATASET,
        f"name rooms.jsonl.gz, or the folder debates/official of {nyu.DATASET.url}",
    ),
    llm_debate.NAME: (
        _open_llm_debate,
        llm_debate.DATASET,
        f"fetch data/human_feedback.csv.zip from {llm_debate.DATASET.url} and name it",
    ),
}
