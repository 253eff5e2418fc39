"""A reader finds a phrase's speech, and a person tags three disagreements, in a real browser."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from changes import publish_copy
from playwright.sync_api import Browser, Page, expect

from warehouse.home import Home

pytestmark = pytest.mark.browser

PATIENCE_MS = 60_000
PHRASE = "why second homes should pay double tax"


@pytest.fixture(scope="module")
def home(built_demo: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    found = Home(tmp_path_factory.mktemp("home")).ensure()
    publish_copy(built_demo, found)
    return found


@pytest.fixture(scope="module")
def address(home: Home, serve_home: Callable[[Home], str]) -> str:
    return serve_home(home)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1000, "height": 900}) as context:
        context.set_default_timeout(PATIENCE_MS)
        yield context.new_page()


def test_a_phrase_is_searched_for_and_its_speech_opened(address: str, page: Page):
    page.goto(f"{address}/search")
    box = page.get_by_label("Words, or a phrase in quotation marks")
    box.fill(f'"{PHRASE}"')
    box.press("Enter")
    expect(page.get_by_text("with the very words")).to_be_visible(timeout=PATIENCE_MS)
    page.get_by_role("link", name="Open the speech").first.click()
    page.wait_for_url("**/speech_judges?*item=*")
    expect(page.get_by_text("The speech", exact=True)).to_be_visible(timeout=PATIENCE_MS)
    expect(page.get_by_text(PHRASE).first).to_be_visible(timeout=PATIENCE_MS)


def test_three_disagreements_are_tagged_one_after_the_other(address: str, page: Page, home: Home):
    page.goto(f"{address}/review?person=Ada")
    page.wait_for_selector('.stApp[data-test-script-state="notRunning"]', timeout=PATIENCE_MS)
    table = page.locator('[class*="st-key-review_table"]')
    expect(table.locator("canvas").first).to_be_visible(timeout=PATIENCE_MS)
    table.scroll_into_view_if_needed()
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 52)
    page.wait_for_url("**open=*")
    for decision in ("People are right", "The judge is right", "Both are defensible"):
        opened = page.url
        expect(page.get_by_role("radio", name=decision)).not_to_be_checked(timeout=PATIENCE_MS)
        page.get_by_text(decision, exact=True).click()
        page.get_by_role("button", name="Hand in and go on").click()
        page.wait_for_url(lambda url, before=opened: url != before and "open=" in url)
    files = [json.loads(one.read_text("utf-8")) for one in home.inbox.glob("review-*.json")]
    assert sorted(one["decision"] for one in files) == ["both", "judge", "others"]
    assert len({one["disagreement_id"] for one in files}) == 3
