"""Source `iq2`: transcripts of Intelligence Squared debates, with polls of their audiences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingestion.registry import Settings, source

if TYPE_CHECKING:
    from ingestion.debates.batch import DebateSource
    from warehouse.home import Home

URL = "https://tisjune.github.io/research/iq2"
CONVOKIT_URL = "http://zissou.infosci.cornell.edu/convokit/datasets/iq2-corpus/iq2_corpus.zip"
# An address that the user asks for by name.
CONVOKIT = "convokit"


@source(
    "iq2",
    about="Intelligence Squared debates, with polls of their audiences",
    where=f"'--from {CONVOKIT}' fetches {CONVOKIT_URL}; or fetch it, or the original release from "
    f"{URL}, and name the file or folder",
)
def iq2(home: Home, location: str, settings: Settings) -> DebateSource:
    """Return the debates of the original release, or of a ConvoKit corpus."""
    del settings
    from ingestion.debates.batch import DebateSource
    from ingestion.debates.readers import iq2
    from ingestion.oversight.reading import Reading
    from ingestion.sources.parts import Parts, source_files

    parts = Parts(home, CONVOKIT_URL if location == CONVOKIT else location, iq2.DATASET)
    reading = Reading(parts.shown)
    utterances = parts.find(iq2.UTTERANCES)
    if utterances is not None:
        conversations = parts.find(iq2.CONVERSATIONS)
        if conversations is None:
            raise parts.lacking(iq2.CONVERSATIONS)
        found = iq2.read_convokit(
            utterances.opener,
            conversations.opener,
            parts.shown,
            is_lines=utterances.name.endswith(".jsonl"),
        )
        files = [utterances, conversations]
        reading.note("read as a ConvoKit corpus")
    else:
        wanted = (iq2.ORIGINAL, *iq2.UTTERANCES[:1])
        original = parts.one((iq2.ORIGINAL,), told=wanted)
        found = iq2.read_original(original.opener, parts.shown)
        files = [original]
        reading.note("read as the original release")
    return DebateSource(
        dataset=iq2.DATASET,
        rules=iq2.RULES,
        files=source_files(files, parts.shown),
        reading=reading,
        records=iq2.records_of(found, reading),
    )
