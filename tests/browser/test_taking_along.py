"""What a reader takes along, and the editor of the SQL page, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from changes import publish_copy
from playwright.sync_api import Browser, Page, expect

from warehouse.home import Home

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PATIENCE_MS = 60_000
SUBJECT_MS = 180_000
PRINTED = b"%PDF-"


@pytest.fixture(scope="module")
def served(
    built_demo: Home,
    tmp_path_factory: pytest.TempPathFactory,
    serve_home: Callable[[Home], str],
) -> str:
    home = Home(tmp_path_factory.mktemp("home"))
    publish_copy(built_demo, home)
    return serve_home(home)


@pytest.fixture
def page(browser: Browser, served: str) -> Iterator[Page]:
    window = browser.new_context()
    opened = window.new_page()
    opened.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    window.close()
    assert errors == []


def test_a_study_opens_without_a_network_and_prints(
    page: Page, served: str, browser: Browser, tmp_path: Path
) -> None:
    page.goto(f"{served}/oversight?judge=simulated/oversight-first")
    with page.expect_download(timeout=SUBJECT_MS) as waiting:
        page.get_by_role("button", name="Download as a study (HTML)").click()
    saved = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(saved)
    assert saved.name == "rostrum_oversight.html"
    alone = browser.new_context(offline=True)
    study = alone.new_page()
    asked: list[str] = []
    study.on("request", lambda request: asked.append(request.url))
    study.goto(saved.as_uri())
    expect(study.get_by_role("heading", name="Rostrum study: Oversight")).to_be_visible()
    expect(study.get_by_text("Judges: simulated/oversight-first")).to_be_visible()
    assert study.locator("svg").count() > 3
    assert asked == [saved.as_uri()]
    study.get_by_role("link", name="How to cite").click()
    expect(study.get_by_role("heading", name="How to cite")).to_be_in_viewport()
    assert study.pdf(format="A4").startswith(PRINTED)
    alone.close()


def test_a_chart_is_taken_along_as_a_file_with_its_query(
    page: Page, served: str, tmp_path: Path
) -> None:
    page.goto(f"{served}/speech_judges?about=agreement")
    # The first fold of the page has filters.
    page.get_by_test_id("stPopoverButton").filter(has_not_text=re.compile("^More")).first.click()
    expect(page.get_by_text("The SQL behind it")).to_be_visible()
    expect(page.get_by_text(f"{served}/speech_judges?about=agreement")).to_be_visible()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="SVG", exact=True).click()
    saved = tmp_path / "chart.svg"
    waiting.value.save_as(saved)
    assert waiting.value.suggested_filename.endswith(".svg")
    assert saved.read_text("utf-8").startswith("<svg")


def test_the_editor_offers_columns_runs_and_keeps_a_query_over_a_reload(
    page: Page, served: str
) -> None:
    page.goto(f"{served}/sql")
    query = page.get_by_role("textbox", name="Query")
    query.fill("")
    query.press_sequentially("select judge_id, tau_c from rpt_rank_agr")
    offered = page.get_by_role("option", name="rpt_rank_agreement")
    expect(offered).to_be_visible()
    query.press("Tab")
    query.press_sequentially(" where judge_id = '<img src=x>' or tau_c_hi")
    page.get_by_role("option", name="tau_c_high").click()
    query.press_sequentially(" > 0")
    written = "select judge_id, tau_c from rpt_rank_agreement where judge_id = '<img src=x>' or tau_c_high > 0"
    expect(query).to_have_value(written)
    assert page.locator("pre img").count() == 0
    query.press("Control+Enter")
    expect(page.get_by_text("2 columns.")).to_be_visible()
    assert "tau_c_high" in page.url
    page.reload()
    expect(page.get_by_role("textbox", name="Query")).to_have_value(written)
    expect(page.get_by_text("This query comes from the address")).to_be_visible()
