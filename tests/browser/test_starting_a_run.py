"""A run is started, watched and published from the page, in a real browser with a real Dagster."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.orchestration.web_driving import PATIENCE_S, Web, serving
from warehouse.home import Home
from warehouse.reader import current_version, run_query
from warehouse.serving import live_addresses

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PATIENCE_MS = 90_000
JUDGE = "rule/constant-3"


@pytest.fixture(scope="module")
def web(small_home: Home, small_project: Path) -> Iterator[Web]:
    with serving(small_home, 18601, 13100, small_project) as web:
        yield web


def test_a_run_started_on_the_page_is_watched_to_its_end_and_published(
    web: Web, browser: Browser
) -> None:
    live = live_addresses(web.home)
    assert live is not None
    window = browser.new_context(viewport={"width": 1440, "height": 900})
    page = window.new_page()
    page.set_default_timeout(PATIENCE_MS)
    try:
        page.goto(f"{live.dashboard}/start_run")
        # A new judge, typed.
        box = page.get_by_role("combobox", name="Who judges")
        box.fill(JUDGE)
        box.press("Enter")
        page.get_by_role("heading", name=f"20 requests to {JUDGE}").wait_for()
        page.get_by_role("button", name="Start the run").click()
        link = page.get_by_role("link", name="Open in Dagster")
        link.wait_for()
        assert live.dagster in str(link.get_attribute("href"))
        done = page.get_by_text("is done, and its answers are published")
        expect(done).to_be_visible(timeout=PATIENCE_S * 1000)
        expect(page.get_by_text("20 of 20 requests", exact=True)).to_be_visible()
        assert page.locator('[data-testid="stException"]').count() == 0
        query = f"select count(*) from fct_score where judge_id = '{JUDGE}'"
        assert run_query(current_version(web.home), query).rows == [(20,)]
    finally:
        window.close()
