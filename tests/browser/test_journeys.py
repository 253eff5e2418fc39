"""Readers' ways in a real browser: to a debate a judge got wrong, to a phrase, with files, in SQL."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, expect

from tests.browser.conftest import click_first_row, tab_to
from tests.conftest import run_rostrum
from warehouse.home import Home

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PATIENCE_MS = 60_000
SUBJECT_MS = 180_000
PRINTED = b"%PDF-"
TAG = "misread the text"


@pytest.fixture(scope="module")
def home(built_demo: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The demo, which the last test builds again with what people decided."""
    found = Home(tmp_path_factory.mktemp("journeys") / "home")
    shutil.copytree(built_demo.root, found.root, symlinks=True)
    return found


@pytest.fixture(scope="module")
def address(home: Home, serve_home: Callable[[Home], str]) -> str:
    return serve_home(home)


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[Page]:
    """A window in which the dashboard's own files are loaded once."""
    opened = browser.new_page(viewport={"width": 1440, "height": 900})
    opened.set_default_timeout(PATIENCE_MS)
    yield opened
    opened.close()


@pytest.fixture
def page(window: Page) -> Iterator[Page]:
    """Return the window, in whose pages no error may occur."""
    expect.set_options(timeout=PATIENCE_MS)
    errors: list[str] = []

    def broke(error: Error) -> None:
        errors.append(str(error))

    window.on("pageerror", broke)
    yield window
    window.remove_listener("pageerror", broke)
    assert errors == []


def _drawn(page: Page) -> None:
    page.wait_for_selector('.stApp[data-test-script-state="notRunning"]')


def test_a_newcomer_opens_a_debate_the_judge_to_trust_got_wrong_in_four_clicks(
    page: Page, address: str
) -> None:
    page.goto(address)
    page.get_by_role("combobox", name="For what?").click()
    page.get_by_role("option", name="Debates").click()
    finding = page.get_by_role("heading", name=re.compile("For winners of debates, trust"))
    expect(finding).to_be_visible()
    assert "task=debates" in page.url
    table = page.get_by_role("table", name="Judges and tasks")
    best = table.get_by_role("row").nth(1)
    judge = best.get_by_role("link").first.inner_text()
    assert judge in finding.inner_text()
    figure = best.get_by_role("link", name=re.compile("%"))
    figure.click()
    wrong = page.get_by_text("debates on which the judge names another winner than people")
    expect(wrong).to_be_visible()
    assert len(page.context.pages) == 1
    page.go_back()
    expect(finding).to_be_visible()
    figure.press("Enter")
    expect(wrong).to_be_visible()
    _drawn(page)
    click_first_row(page, "bias_lab_table")
    expect(page.get_by_text("The transcript", exact=True)).to_be_visible()
    assert "debate=" in page.url


def test_a_study_opens_without_a_network_and_prints(
    page: Page, address: str, browser: Browser, tmp_path: Path
) -> None:
    page.goto(f"{address}/oversight?judge=simulated/oversight-first")
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


def test_the_editor_offers_columns_keeps_a_query_over_a_reload_and_refuses_a_write(
    page: Page, address: str, tmp_path: Path
) -> None:
    page.goto(f"{address}/sql")
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
    stolen = tmp_path / "stolen.csv"
    query.fill(f"copy dim_item to '{stolen}'")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("The query was refused or failed")).to_be_visible()
    expect(page.get_by_text("COPY is not run here")).to_be_visible()
    assert not stolen.exists()


def test_three_disagreements_are_tagged_and_found_in_sql(address: str, page: Page, home: Home):
    page.goto(f"{address}/review?person=Ada")
    _drawn(page)
    # All of it without a mouse: a row is marked by Shift and the space bar.
    tab_to(page, page.locator('[class*="st-key-review_table"] canvas').first)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+Space")
    page.wait_for_url("**open=*")
    decisions = ("People are right", "The judge is right", "Both are defensible")
    for number, decision in enumerate(decisions):
        opened = page.url
        expect(page.get_by_role("radio", name=decision)).not_to_be_checked()
        tab_to(page, page.get_by_role("radio", name=decisions[0]))
        for key in ("Space", *["ArrowDown"] * number):
            page.keyboard.press(key)
        expect(page.get_by_role("radio", name=decision)).to_be_checked()
        tags = page.get_by_role("combobox", name="Tags")
        tag = page.get_by_role("group", name="Selected values").get_by_label(TAG, exact=True)
        tab_to(page, tags)
        # What is typed while the page draws the decision is lost: then it is typed again.
        for _ in range(10):
            page.wait_for_timeout(300)
            _drawn(page)
            if tag.count():
                break
            tags.fill(TAG)
            tags.press("Enter")
            # Its list lies over the button until the focus goes on.
            tags.press("Tab")
        expect(tag).to_be_visible()
        tab_to(page, page.get_by_role("button", name="Hand in and go on"))
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url, before=opened: url != before and "open=" in url)
    files = sorted(home.inbox.glob("review-*.json"))
    decided = [json.loads(one.read_text("utf-8")) for one in files]
    assert sorted(one["decision"] for one in decided) == ["both", "judge", "others"]
    assert len({one["disagreement_id"] for one in decided}) == 3
    # What the inbox's sensor does of itself where Dagster is served.
    for file in files:
        done = run_rostrum(home, "import", str(file), "--no-build")
        assert done.returncode == 0, done.stderr
    built = run_rostrum(home, "build")
    assert built.returncode == 0, built.stdout + built.stderr
    page.goto(f"{address}/sql")
    query = page.get_by_role("textbox", name="Query")
    query.fill("select decision, person, tags from fct_review where person = 'Ada'")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("3 rows, 3 columns.")).to_be_visible()
    tagged = (
        f"select count(distinct decision) as n from fct_review where contains(tags::text, '{TAG}')"
    )
    found = run_rostrum(home, "sql", tagged, "--format", "csv")
    assert found.stdout.split() == ["n", "3"], found.stdout + found.stderr
