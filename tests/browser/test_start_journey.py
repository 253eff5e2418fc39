"""A newcomer's way: from the first page to a debate that the judge to trust got wrong."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, expect

from warehouse.home import Home

pytestmark = pytest.mark.browser

PATIENCE_MS = 60_000
# Where the first row of a grid lies, below its heading and beside the mark that selects it.
FIRST_ROW = {"x": 20, "y": 52}


@pytest.fixture(scope="module")
def address(built_demo: Home, serve_home: Callable[[Home], str]) -> str:
    return serve_home(built_demo)


def test_a_newcomer_opens_a_debate_the_judge_to_trust_got_wrong_in_four_clicks(
    browser: Browser, address: str
) -> None:
    window = browser.new_context(viewport={"width": 1440, "height": 900})
    window.set_default_timeout(PATIENCE_MS)
    start = window.new_page()
    start.goto(address)
    start.get_by_role("combobox", name="For what?").click()
    start.get_by_role("option", name="Debates").click()
    finding = start.get_by_role("heading", name=re.compile("For winners of debates, trust"))
    expect(finding).to_be_visible(timeout=PATIENCE_MS)
    assert "task=debates" in start.url
    table = start.get_by_role("table", name="Judges and tasks")
    best = table.get_by_role("row").nth(1)
    judge = best.get_by_role("link").first.inner_text()
    assert judge in finding.inner_text()
    with window.expect_page() as opened:
        best.get_by_role("link", name=re.compile("%")).click()
    evidence = opened.value
    wrong = evidence.get_by_text("debates on which the judge names another winner than people")
    expect(wrong).to_be_visible(timeout=PATIENCE_MS)
    evidence.wait_for_selector('.stApp[data-test-script-state="notRunning"]')
    grid = evidence.locator('[class*="st-key-bias_lab_table"]')
    expect(grid.locator("canvas").first).to_be_visible(timeout=PATIENCE_MS)
    grid.click(position=FIRST_ROW)
    expect(evidence.get_by_text("The transcript", exact=True)).to_be_visible(timeout=PATIENCE_MS)
    assert "debate=" in evidence.url
    window.close()
