"""What `rostrum transcribe` and `rostrum verify` do."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from orchestration.commands.run import Say, ingest
from warehouse.home import Home


def transcribe(home: Home, config: dict[str, Any], say: Say) -> None:
    """Do the steps from a recording to the queue whose inputs have changed, and say what came."""
    from inference.parliamentary.transcription.records import STEPS
    from orchestration.execute import materialize, metadata_of

    names = [*STEPS, "queued"]
    result = materialize(
        home,
        [f"transcripts/{name}" for name in names],
        config={f"transcripts__{name}": config for name in names},
    )
    for name in STEPS:
        found = metadata_of(result, f"transcripts/{name}")
        facts = "".join(
            f"; {fact.replace('_', ' ')} {found[fact]}"
            for fact in ("transcriber", "segmenter", "corrector", "word_error_rate")
            if fact in found
        )
        say(f"{name}: {found['status']}, {found['records']:,} records{facts}")
    found = metadata_of(result, "transcripts/queued")
    say(f"{found['transcript']}: {found['status']}, {found['reason']}")
    if found["reverted"] != "none":
        say(f"raw text stands where the correction does not:\n{found['reverted']}")
    say("next: rostrum build, then look at it on the page of transcripts; or")
    say(f"  rostrum verify {found['transcript']} --by NAME")


def verify(
    home: Home, name: str, by: str, *, is_rejected: bool, text: Path | None, say: Say
) -> None:
    """Hand in a decision about a transcript, as the dashboard would, and load it."""
    from ingestion.parliamentary.transcripts.load import decision

    content = decision(home, name, by, is_rejected=is_rejected, text=text)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"verification-{name}.json"
        path.write_bytes(content)
        ingest(home, "imports", {"path": str(path)}, say)
