"""The frame around the pages: one version per run, and what the footer says of it."""

from datetime import UTC, datetime

import pytest
import streamlit as st
from changes import transcripts
from shown import text

from dashboard import app as app_module
from dashboard.core import data
from warehouse.errors import NothingPublished
from warehouse.reader import Version


def test_the_next_run_of_a_page_shows_the_newer_version(open_page, publish):
    first = publish(number=1)
    app = open_page()
    assert f"Published warehouse `{first.name}`" in text(app)
    assert not app.info
    second = publish(number=2)
    app.run()
    assert f"Published warehouse `{second.name}`" in text(app)


def test_a_version_published_since_the_page_was_drawn_is_announced(open_page, publish, monkeypatch):
    shown = publish()
    newer = Version("v000009-20270101T000000Z", shown.path, datetime(2027, 1, 1, tzinfo=UTC))
    monkeypatch.setattr(data, "newest_version", lambda: newer)
    monkeypatch.setattr(app_module, "newest_version", lambda: newer)
    app = open_page()
    assert app.info[0].value == f"A newer version has been published: `{newer.name}`."
    assert app.button(key="app_newer").label == "Show the newer version"
    assert f"Published warehouse `{shown.name}`" in text(app)


def test_a_page_whose_version_is_pruned_while_it_is_read_shows_the_newest_version(
    open_page, publish, monkeypatch
):
    first = publish(number=1)
    second = publish(number=2)
    first.path.unlink()
    # The menu looks up a version, then the page.
    looked_up = [first, first, second]
    monkeypatch.setattr(
        data, "current_version", lambda _: looked_up.pop(0) if looked_up else second
    )

    def nothing() -> Version:
        raise NothingPublished

    # The wait for a first version must not be what brings the page back.
    monkeypatch.setattr(data, "newest_version", nothing)
    app = open_page()
    assert "Nothing is published" not in text(app)
    assert f"Published warehouse `{second.name}`" in text(app)


@pytest.mark.parametrize(
    ("changes", "visibility"), [((), "hidden"), (tuple(transcripts()), "visible")]
)
def test_the_menu_has_a_page_for_transcripts_only_where_there_are_any(
    open_page, changed, monkeypatch, changes, visibility
):
    changed(*changes)
    menu, page = {}, st.Page

    def made(path, **about):
        menu[path] = about.get("visibility", "visible")
        return page(path, **about)

    monkeypatch.setattr(st, "Page", made)
    open_page()
    assert menu["pages/transcripts.py"] == visibility
    assert menu["pages/start.py"] == "visible"
