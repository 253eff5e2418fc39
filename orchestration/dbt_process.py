"""dbt's own program, with two changes that spare a build time.

dbt parses a project anew whenever its connection differs from the one it was parsed with, and that
names the build database's file. No model asks where that lies. And it writes the line of an event,
the whole SQL in it, before it asks whether any log takes it: a dozen lines for each model and test.
"""

from __future__ import annotations

from typing import Any

from dbt.adapters.duckdb.credentials import DuckDBCredentials
from dbt.cli.main import cli
from dbt_common.events.base_types import BaseEvent, EventLevel
from dbt_common.events.event_manager import EventManager

_BELOW_INFO = (EventLevel.DEBUG, EventLevel.TEST)
_fire_event = EventManager.fire_event


def main() -> None:
    """Run dbt with this process's arguments."""
    keys = DuckDBCredentials._connection_keys
    DuckDBCredentials._connection_keys = lambda self: tuple(
        key for key in keys(self) if key != "path"
    )
    EventManager.fire_event = fire_what_is_kept  # type: ignore[method-assign, assignment]
    cli()


def fire_what_is_kept(
    manager: EventManager,
    e: BaseEvent,
    level: EventLevel | None = None,
    node: Any = None,
    force_warn_or_error_handling: bool = False,
) -> None:
    """Pass an event on, unless it lies below the level of every log."""
    # What else dbt does with events, it does with warnings.
    is_kept = (level or e.level_tag()) not in _BELOW_INFO
    if is_kept or any(log.level in _BELOW_INFO for log in manager.loggers):
        _fire_event(manager, e, level, node, force_warn_or_error_handling)


if __name__ == "__main__":
    main()
