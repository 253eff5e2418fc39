"""Source `iq2`: transcripts of Intelligence Squared debates, with polls of their audiences."""

from ingestion.registry import declare

URL = "https://tisjune.github.io/research/iq2"
LICENCE = "Not stated; see the source's page"
CONVOKIT_URL = "http://zissou.infosci.cornell.edu/convokit/datasets/iq2-corpus/iq2_corpus.zip"
# An address that the user asks for by name.
CONVOKIT = "convokit"


declare(
    "iq2",
    about="Intelligence Squared debates, with polls of their audiences",
    where=f"'--from {CONVOKIT}' fetches {CONVOKIT_URL}; or fetch it, or the original release from "
    f"{URL}, and name the file or folder",
    reader="ingestion.debates.readers.iq2.open_iq2",
    has_parts=True,
    licence=LICENCE,
    addresses={CONVOKIT: CONVOKIT_URL},
)
