"""A judge's profile in a real browser: to a debate it got wrong, and the file to take along."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from warehouse.home import Home

pytestmark = pytest.mark.browser

PATIENCE_MS = 60_000
JUDGE = "simulated/second-position"


@pytest.fixture(scope="module")
def address(built_demo: Home, serve_home: Callable[[Home], str]) -> str:
    return serve_home(built_demo)


@pytest.fixture
def profile(browser: Browser, address: str) -> Iterator[Page]:
    """Return the judge's profile, drawn."""
    window = browser.new_context(viewport={"width": 1440, "height": 900})
    page = window.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{address}/judge?judge={JUDGE}")
    page.wait_for_selector('[data-testid="stVegaLiteChart"] :is(canvas, svg)', timeout=PATIENCE_MS)
    yield page
    window.close()


def test_the_first_screen_has_the_finding_and_the_main_chart_and_leads_to_a_wrong_debate(
    profile: Page,
) -> None:
    chart = profile.get_by_test_id("stVegaLiteChart").first.bounding_box()
    finding = profile.locator("h4").first.bounding_box()
    assert chart is not None
    assert finding is not None
    assert finding["y"] < chart["y"]
    assert chart["y"] + chart["height"] < 900 + 60
    profile.get_by_text("Disagreements with people, worst first").click()
    profile.get_by_role("link", name="Debate:").first.click()
    transcript = profile.get_by_text("The transcript")
    expect(transcript).to_be_visible(timeout=PATIENCE_MS)
    assert "/bias_lab?" in profile.url
    assert "&debate=" in profile.url


def test_the_profile_is_a_file_that_opens_without_a_network(
    profile: Page, browser: Browser, tmp_path: Path
) -> None:
    profile.get_by_role("button", name="Download").first.click()
    with profile.expect_download(timeout=PATIENCE_MS) as waiting:
        profile.get_by_role("button", name="Download as HTML").click()
    saved = tmp_path / "profile.html"
    waiting.value.save_as(saved)
    assert waiting.value.suggested_filename == "judge_simulated_second-position.html"
    alone = browser.new_context(offline=True)
    asked: list[str] = []
    opened = alone.new_page()
    opened.on("request", lambda request: asked.append(request.url))
    opened.goto(saved.as_uri())
    expect(opened.get_by_role("heading", name=f"Judge profile: {JUDGE}")).to_be_visible()
    # What the page folds away is drawn here.
    assert opened.locator("svg").count() > profile.get_by_test_id("stVegaLiteChart").count()
    assert asked == [saved.as_uri()]
    alone.close()
