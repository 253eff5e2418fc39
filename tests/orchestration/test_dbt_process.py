"""dbt's log holds what its level asks for, although lines that nobody keeps are not written."""

from __future__ import annotations

import io
from typing import Any

import pytest
from dbt.adapters.events.types import SQLQuery
from dbt_common.events.base_types import EventLevel
from dbt_common.events.event_manager import EventManager
from dbt_common.events.logger import LineFormat, LoggerConfig
from dbt_common.events.types import Note

from orchestration.dbt_process import fire_what_is_kept


def log_of(level: EventLevel, monkeypatch: pytest.MonkeyPatch) -> tuple[str, int]:
    """Return what a log of this level holds of one event of each kind, and how many lines dbt made."""
    out, made = io.StringIO(), 0
    manager = EventManager()
    manager.add_logger(
        LoggerConfig(
            name=f"test_{level.value}",
            line_format=LineFormat.PlainText,
            level=level,
            output_stream=out,
        )
    )
    create_line = manager.loggers[0].create_line

    def counted(msg: Any) -> str:
        nonlocal made
        made += 1
        return create_line(msg)

    monkeypatch.setattr(manager.loggers[0], "create_line", counted)
    fire_what_is_kept(manager, SQLQuery(conn_name="build", sql="select 'quiet'"))
    fire_what_is_kept(manager, Note(msg="loud"))
    fire_what_is_kept(manager, Note(msg="lowered"), level=EventLevel.DEBUG)
    fire_what_is_kept(
        manager, SQLQuery(conn_name="build", sql="select 'raised'"), level=EventLevel.WARN
    )
    return out.getvalue(), made


def test_a_line_is_made_for_what_the_log_keeps_only(monkeypatch: pytest.MonkeyPatch) -> None:
    said, made = log_of(EventLevel.INFO, monkeypatch)
    assert "loud" in said
    assert "select 'raised'" in said
    assert made == 2


def test_a_log_of_debug_level_keeps_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    said, made = log_of(EventLevel.DEBUG, monkeypatch)
    assert all(word in said for word in ("quiet", "loud", "lowered", "raised"))
    assert made == 4
