"""What tests call in a process of its own, in the place of a command."""

import json
from pathlib import Path
from unittest.mock import patch

import inference.kinds.speeches
import ingestion.reparse
from inference.parsing import PARSER_VERSION, ParsedScore, read_score
from orchestration.commands.reparse import reparse
from orchestration.console import OUT, say
from orchestration.execute import materialize, metadata_of
from warehouse.home import Home


def _worse(*args: object, **kwargs: object) -> ParsedScore:
    found = read_score(*args, **kwargs)  # type: ignore[arg-type]
    return ParsedScore(None, "unparsed", "no_score_tag") if found.value == 5 else found


def reparse_worse(home: str) -> None:
    """Reparse with an older parser, which reads no 5."""
    with (
        patch.object(inference.kinds.speeches, "read_score", _worse),
        patch.object(ingestion.reparse, "PARSER_VERSION", PARSER_VERSION - 1),
    ):
        reparse(Home(Path(home)), None, OUT, say)


def show_changes(home: str) -> None:
    """Materialize what changed, and print what it says of itself."""
    found = materialize(Home(Path(home)), ["published/changes"])
    print(json.dumps(metadata_of(found, "published/changes")))


def publish_alone(home: str) -> None:
    """Publish without a build before it."""
    materialize(Home(Path(home)), ["published/warehouse"])
