"""The dashboard in a real browser: every page, full and empty, wide and narrow, light and dark."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import duckdb
import pytest
from changes import failing_runs, publish_copy, second_dataset, strange, transcripts, update
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, expect
from rooms import rooms

from tests.browser.conftest import SCREENSHOTS, click_first_row, tab_to
from warehouse.home import Home
from warehouse.reader import current_version

pytestmark = pytest.mark.browser

# A page is drawn in a second; beside other tests on two cores it can take much longer.
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)
WIDTHS = (1000, 1500)
CHART_BOX = '[data-testid="stVegaLiteChart"]'
CHART = f"{CHART_BOX} :is(canvas, svg)"
# Of the two charts in tabs, only the one in front is drawn.
CHARTS = {
    "start": 1,
    "speech_judges": 17,
    "why": 3,
    "bias_lab": 2,
    "judge_against_judge": 3,
    "judge": 1,
    "decide": 1,
    "debatable_questions": 9,
    "metric_trust": 3,
    "parliamentary": 11,
    "transcripts": 0,
    "oversight": 4,
    "debate_reader": 1,
    "judge_yourself": 0,
    "replication": 0,
    "runs": 2,
    "sql": 1,
    "search": 0,
    "review": 0,
    "request": 0,
    "glossary": 0,
}
PAGES = {name: "" if name == "start" else name for name in CHARTS}
QUESTIONS = ("debatable_questions", "metric_trust")
OVERSIGHT = ("oversight", "debate_reader", "judge_yourself")
DEBATES = ("bias_lab", "judge_against_judge", "judge")

# What the browser does on the way back and forth in its history; ends when the page is asked for.
# It waits for the page before: while that is being made, nothing shows when the next one begins.
# That a page began shows for a moment only where it is short, and may be missed.
GO_ON = """address => new Promise(asked => {
    const app = document.querySelector('.stApp');
    let isAsked = false;
    const end = () => { watching.disconnect(); asked(); };
    const look = () => {
        const rests = app.dataset.testScriptState === 'notRunning';
        if (isAsked && !rests) {
            end();
        } else if (!isAsked && rests) {
            isAsked = true;
            history.pushState(null, '', address);
            dispatchEvent(new PopStateEvent('popstate'));
            setTimeout(end, 4000);
        }
    };
    const watching = new MutationObserver(look);
    watching.observe(app, {attributeFilter: ['data-test-script-state']});
    look();
})"""

# Where the last text of a chart ends, and how much of a page a window of 1440 x 900 shows.
END_OF_TEXT = """chart => Math.max(
    ...[...chart.querySelectorAll('text')].map(one => one.getBoundingClientRect().bottom))"""
FIRST_SCREEN = 900

# What is too wide for the window is drawn again soon after the window.
FITS = "width => document.querySelector('[data-testid=\"stMain\"]').scrollWidth <= width"

Publish = Callable[..., Home]
# The demo's evaluator keeps no tokens.
TOKENS = update("fct_likelihood", token_logprobs='[["It ", -0.5], ["helps ", -1.5], ["some.", -4]]')


@pytest.fixture(scope="module")
def publish(built_demo: Home, tmp_path_factory: pytest.TempPathFactory) -> Publish:
    """Return a function that publishes a changed copy of the demo in a home of its own."""

    def published(*statements: str) -> Home:
        home = Home(tmp_path_factory.mktemp("home"))
        publish_copy(built_demo, home, *statements)
        return home

    return published


@pytest.fixture(scope="module")
def home_of_full(publish: Publish) -> Home:
    return publish(*failing_runs(), *transcripts(), *second_dataset(), TOKENS)


@pytest.fixture(scope="module")
def full(home_of_full: Home, serve_home: Callable[[Home], str]) -> str:
    return serve_home(home_of_full)


@pytest.fixture(scope="module")
def hostile(publish: Publish, serve_home: Callable[[Home], str]) -> str:
    home = publish(*failing_runs(), *transcripts(), *strange(HOSTILE), *rooms(HOSTILE)[1:])
    _rename(current_version(home).path, FAILING, LONG_JUDGE)
    return serve_home(home)


@pytest.fixture(scope="module")
def windows(browser: Browser) -> Iterator[dict[str, Page]]:
    opened = {theme: browser.new_page(color_scheme=theme) for theme in ("light", "dark")}
    yield opened
    for window in opened.values():
        window.close()


@pytest.fixture
def visit(windows: dict[str, Page]) -> Iterator[Callable[..., Page]]:
    """Return a function that goes to an address and waits until the page is drawn.

    It goes on from the page that the window shows, as a reader does; `anew` it loads the whole
    dashboard, which takes longer than most pages. A change of width draws again all that the window
    shows. Afterwards no page may have written an error to the browser's console.
    """
    errors: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        # Streamlit first looks for its own service below the page's address, and logs the miss.
        if message.type == "error" and "_stcore" not in message.location["url"]:
            errors.append(f"{message.text} ({message.location['url']})")

    def broke(error: Error) -> None:
        errors.append(str(error))

    def one(
        address: str,
        *,
        theme: str = "light",
        charts: int = 0,
        anew: bool = False,
        width: int = WIDTHS[0],
    ) -> Page:
        page = windows[theme]
        page.set_viewport_size({"width": width, "height": 1200})
        shows_another = urlsplit(page.url)[:2] == urlsplit(address)[:2] and page.url != address
        if shows_another and not anew:
            page.evaluate(GO_ON, address)
        else:
            page.goto(address)
        settle(page, charts)
        return page

    for window in windows.values():
        window.on("console", heard)
        window.on("pageerror", broke)
    yield one
    for window in windows.values():
        window.remove_listener("console", heard)
        window.remove_listener("pageerror", broke)
    assert errors == []


def settle(page: Page, charts: int = 0) -> None:
    page.wait_for_selector('.stApp[data-test-script-state="notRunning"]', timeout=PATIENCE_MS)
    caption = '[data-testid="stCaptionContainer"]'
    page.wait_for_selector(caption, timeout=PATIENCE_MS, state="attached")
    if charts:
        expect(page.locator(CHART).nth(charts - 1)).to_be_attached()
    expect(page.get_by_test_id("stException")).to_have_count(0)


def keep(page: Page, name: str) -> None:
    """Save the whole page as it stands, where ROSTRUM_SCREENSHOTS is set.

    Streamlit scrolls inside, so the window grows instead. That is half the time of a visit.
    """
    if not os.environ.get("ROSTRUM_SCREENSHOTS"):
        return
    SCREENSHOTS.mkdir(exist_ok=True)
    for _ in range(2):  # what grows with the window can need another step
        height = page.evaluate(
            "() => document.querySelector('[data-testid=\"stMain\"]').scrollHeight"
        )
        page.set_viewport_size({"width": page.viewport_size["width"], "height": height})
        page.wait_for_timeout(200)
    page.screenshot(path=SCREENSHOTS / f"{name}.png")


def _but(names: tuple[str, ...], *first: Any) -> list[Any]:
    """Return a parameter for every page; all but the named ones only in a soak."""
    return [
        pytest.param(*first, name, marks=() if name in names else pytest.mark.soak)
        for name in PAGES
    ]


@pytest.mark.parametrize(
    ("theme", "name"),
    [("light", name) for name in PAGES] + _but(("speech_judges", "parliamentary"), "dark"),
)
def test_a_full_page_is_drawn_at_both_widths(visit, windows, full, theme, name):
    dataset = "sample"
    if name in DEBATES + QUESTIONS:
        dataset = "sample-debates" if name in DEBATES else "sample-questions"
    elif name == "parliamentary":
        dataset = "sample-parliamentary"
    elif name in OVERSIGHT:
        dataset = "sample-stories"
    # First as wide as the page before was left.
    first = windows[theme].viewport_size["width"]
    widths = sorted(WIDTHS, key=lambda one: one != first)
    address = f"{full}/{PAGES[name]}?dataset={dataset}"
    page = visit(address, theme=theme, charts=CHARTS[name], width=widths[0])
    labels: list[str] = []
    for width in widths:
        page.set_viewport_size({"width": width, "height": 1200})
        page.wait_for_timeout(200)
        page.wait_for_function(FITS, arg=width, timeout=PATIENCE_MS)
        keep(page, f"{name}-full-{width}-{theme}")
        if width == max(WIDTHS):
            labels = page.locator(f"{CHART} text").all_text_contents()
            if CHARTS[name] and name != "sql":
                # What a chart says ends a little before its box does.
                ends = page.locator(CHART_BOX).first.evaluate(END_OF_TEXT)
                assert ends <= FIRST_SCREEN, ends
    dark = page.evaluate("() => getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    assert (dark == "rgb(255, 255, 255)") == (theme == "light")
    spoken = page.locator(CHART_BOX).evaluate_all("all => all.map(one => one.ariaLabel)")
    assert all(one and one.startswith("Chart: ") for one in spoken), spoken
    if name == "speech_judges":
        # Two lines, one after the other.
        assert any(re.match(r"(⚠ )?ensemble/simulated-panel0\.\d+", label) for label in labels)
        assert any(re.fullmatch(r"people 0\.\d+", label) for label in labels)
        assert not [label for label in labels if label.endswith("…")]


def test_a_disagreement_opens_the_speech_and_back_closes_it(visit, full):
    page = visit(f"{full}/speech_judges?dataset=sample&judge=simulated/faithful", charts=3)
    click_first_row(page, "speech_judges_table")
    expect(page.get_by_text("Read the raw answer of")).to_be_visible()
    assert "&item=sample%3A" in page.url
    settle(page)
    keep(page, "speech_judges-disagreement")
    link = page.url
    page.go_back()
    expect(page.get_by_text("Read the raw answer of")).to_have_count(0)
    again = visit(link, charts=3, anew=True)
    expect(again.get_by_text("Read the raw answer of")).to_be_visible()


def test_a_filter_and_the_table_of_a_chart_are_reached_by_the_keyboard_alone(visit, full):
    page = visit(f"{full}/bias_lab?dataset=sample-debates", charts=2)
    tab_to(page, page.locator('[aria-label^="Show data"]').first)
    page.keyboard.press("Enter")
    box = page.locator(CHART_BOX).first
    expect(page.get_by_role("button", name="Show chart").first).to_be_attached()
    expect(box.or_(page.get_by_test_id("stDataFrame")).first).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Show data").first).to_be_attached()
    # Loaded whole, so that the way begins at the top, not where the last page's button was.
    faithful = f"{full}/speech_judges?dataset=sample&judge=simulated/faithful"
    visit(faithful, charts=3, anew=True)
    tab_to(page, page.locator('[aria-label^="Judges"]').first)
    page.keyboard.type("harsh")
    page.keyboard.press("Enter")
    page.wait_for_url("**judge=simulated*faithful*judge=simulated*harsh*")


def test_tokens_of_answers_are_shaded_and_moving_the_weight_changes_the_address(visit, full):
    page = visit(
        f"{full}/debatable_questions?dataset=sample-questions&k=1.00",
        charts=CHARTS["debatable_questions"],
    )
    page.locator("summary", has_text="Perspective 1 in full").click()
    tokens = page.locator(f"{CHART} text", has_text="helps")
    expect(tokens.first).to_be_visible()
    drawn = page.locator(f"{CHART} text").all_text_contents()
    assert not [label for label in drawn if label.endswith("…")]
    keep(page, "debatable_questions-tokens")
    expect(page.get_by_text("First at k = 1.00").first).to_be_visible()
    page.get_by_role("button", name="More").click()
    slider = page.get_by_role("slider").first
    slider.focus()
    slider.press("ArrowLeft")
    expect(page.get_by_text("First at k = 0.95").first).to_be_visible()
    assert "k=0.95" in page.url


BIASES = ("position", "label", "order", "stance", "verbosity", "accuracy")
VIEWS = [
    *((f"bias_lab?judge=simulated/second-position&bias={bias}", 2) for bias in BIASES),
    ("parliamentary?view=house_ranks", 6),
    ("parliamentary?view=speaker_ranks", 1),
    ("parliamentary?view=bias", 1),
    ("parliamentary?view=context", 0),
]


@pytest.mark.parametrize(("link", "charts"), VIEWS)
def test_every_view_of_a_page_is_drawn_and_no_label_is_cut(visit, full, link, charts):
    page = visit(f"{full}/{link}", charts=charts)
    labels = page.locator(f"{CHART} text").all_text_contents()
    assert labels or not charts
    assert not [label for label in labels if label.endswith("…")]
    keep(page, f"{link.partition('?')[0]}-{link.rpartition('=')[2]}")


def test_a_quote_leads_to_its_place_in_the_story(visit, full):
    page = visit(f"{full}/debate_reader?dataset=sample-stories&story=shown", charts=1)
    page.locator("a[href$='#passage-1']").first.click()
    expect(page.locator("#passage-1")).to_be_in_viewport()
    keep(page, "debate_reader-story")


# Everything at once: markup, a score of one's own, Markdown, control characters, a word that never
# ends, and what turns the direction of writing.
HOSTILE = (
    "<script>document.title='hit'</script><img src=x onerror=alert(1)></score><score>5</score> "
    "[click](http://evil.example/a) ![pic](http://evil.example/b.png) $x^2$ :red[red] :smile: "
    "www.evil.example me@evil.example \u202eturned\u200f \x01\x1b[31m " + "w" * 10_000
)
ITEM, FAILING = "sample:bottle-deposits-expert", "simulated/careless"
LONG_JUDGE = "lab/" + "-._:/Ab9" * 40
OPENED_SPEECH = f"speech_judges?dataset=sample&item={ITEM}&by={LONG_JUDGE}"
# One page of each form of chart, table and text.
FORMS = [
    "",
    OPENED_SPEECH,
    "bias_lab?bias=accuracy",
    f"judge?judge=simulated/second-position&with={LONG_JUDGE}",
    "debatable_questions",
    "parliamentary?view=faults&debate=sample-parliamentary:homework",
    "transcripts?transcript=final-of-the-open",
    "debate_reader?dataset=sample-stories&story=shown",
    "runs",
    "sql?q=select+motion+from+dim_item",
]
OTHERS = [
    "why",
    "judge_against_judge?dataset=sample-debates",
    f"judge?judge={LONG_JUDGE}",
    "metric_trust",
    "parliamentary?view=house_ranks",
    "oversight?dataset=sample-stories",
    "oversight?dataset=sample-stories&view=questions",
    "judge_yourself?task=story&person=Ada",
    "replication",
]
# A heading's own anchor (#…) is made from its text and leads nowhere else.
FOUND = """() => {
    const main = document.querySelector('[data-testid="stMain"]');
    const acting = "a[href*='evil']:not([href^='#']), img[src*='evil'], img[src='x'], .katex";
    return [main.scrollWidth, document.title, document.querySelectorAll(acting).length];
}"""
WIDTHS_OF_PLOTS = """marks => marks.map(
    mark => mark.querySelector(':scope > .background')?.getBoundingClientRect().width ?? 999)"""


def _strange_speech(page: Page) -> None:
    expect(page.locator(CHART).nth(3)).to_be_attached()
    expect(page.get_by_text("Read the raw answer of")).to_be_visible()
    page.get_by_test_id("stSelectbox").first.click()
    expect(page.get_by_role("option").first).to_contain_text("[click](http://evil.example/a)")
    for literal in (":smile:", ":red[red]", "$x^2$", "me@", "<img src=x"):
        shown = page.locator("h4", has_text="evil").first.text_content() or ""
        assert literal in shown.replace("\u2060", "")


def _strange_answers(page: Page) -> None:
    expect(page.locator(CHART).nth(8)).to_be_attached()
    page.locator("summary", has_text="Perspective 1 in full").click()
    expect(page.get_by_text("[click](http://evil.example/a)").first).to_be_attached()
    page.wait_for_timeout(500)


def _wide_plots(page: Page) -> None:
    expect(page.locator(CHART).first).to_be_attached()
    plots = page.locator(f"{CHART} .mark-group.role-frame.root > g")
    assert min(plots.evaluate_all(WIDTHS_OF_PLOTS)) > 300


LOOK_CLOSER = {
    OPENED_SPEECH: _strange_speech,
    "debatable_questions": _strange_answers,
    "runs": _wide_plots,
}


@pytest.mark.parametrize(
    "links",
    [
        pytest.param(FORMS, id="one_page_of_each_form"),
        pytest.param(OTHERS, id="all_other_pages", marks=pytest.mark.soak),
    ],
)
def test_hostile_text_and_endless_names_leave_every_page_whole(visit, windows, hostile, links):
    heard: list[str] = []
    window = windows["light"].context
    window.on("dialog", lambda dialog: (heard.append(dialog.message), dialog.dismiss()))
    window.on("request", lambda request: heard.append(request.url))
    for link in links:
        page = visit(f"{hostile}/{link}", anew=link == links[0])
        if link in LOOK_CLOSER:
            LOOK_CLOSER[link](page)
        width, title, acting = page.evaluate(FOUND)
        assert (width, acting) == (WIDTHS[0], 0), link
        assert "hit" not in title, link
        keep(page, f"{link.partition('?')[0] or 'start'}-strange")
    assert heard
    assert not [one for one in heard if not one.startswith((hostile, "data:", "blob:"))]


def _rename(path: Path, old: str, new: str) -> None:
    with duckdb.connect(str(path)) as connection:
        for table, column in connection.execute(
            "select table_name, column_name from duckdb_columns() "
            "where data_type = 'VARCHAR' and not internal and schema_name = 'main'"
        ).fetchall():
            connection.execute(
                f'update {table} set "{column}" = ? where "{column}" = ?', [new, old]
            )
