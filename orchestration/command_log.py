"""The log of commands: what ran in a home, how long, and how it ended."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from warehouse.home import Home


@contextmanager
def logged(home: Home, **facts: Any) -> Iterator[dict[str, Any]]:
    """Write one JSON line on a command to `logs/commands.jsonl`: what ran, how long, how it ended.

    The line holds no configuration and no error text, so that no secret can reach it.
    """
    entry = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "pid": os.getpid(), **facts}
    started = time.monotonic()
    try:
        yield entry
        entry["outcome"] = "done"
    except BaseException as error:
        entry["outcome"] = type(error).__name__
        raise
    finally:
        entry["seconds"] = round(time.monotonic() - started, 3)
        # A line that a full disk does not take must not make a failure of what was done.
        with (
            suppress(OSError),
            (home.logs / "commands.jsonl").open("a", encoding="utf-8") as log,
        ):
            log.write(json.dumps(entry) + "\n")
