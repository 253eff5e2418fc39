"""How long does a reader wait from page to page, and how much memory does the server keep?

One reader goes through all pages by the menu,
first on a server that has just started (cold), then over and over (warm). Then ten readers, each in
a window of their own and beginning at another page, go through them at the same time. A visit lasts
from the click until the page's script has ended and its visible charts are drawn. The limit beside
it is an app of titles alone: what Streamlit and the browser take for nothing.

The browser runs on the machine of the server, which the browsers of ten readers don't; so the
server's own processor time stands beside each wait.
"""

import asyncio
import math
import os
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import psutil
from playwright.async_api import Browser, Page, async_playwright

from benchmarks.harness import Budget
from benchmarks.homes import home_to_measure
from tests.browser.conftest import FLAGS, find_browser
from warehouse.home import PROJECT_ROOT
from warehouse.reader import current_version

NEEDS = "a browser"
BUDGETS = (
    Budget(
        "from page to page in the browser (p95)",
        0.7,
        "one_reader/warm/p95_s",
        "s",
        "limit/one_reader/warm/p95_s",
    ),
    Budget(
        "Streamlit's memory after 500 page views by 10 readers",
        700,
        "many_readers/server_mb_after_visits/500",
        "MB",
        "limit/server_mb_at_first",
    ),
)
_APP = PROJECT_ROOT / "dashboard" / "app.py"
_EMPTY_APP = """import streamlit as st
st.set_page_config(layout="wide")
first = st.Page(lambda: st.title("One"), title="One", url_path="one", default=True)
second = st.Page(lambda: st.title("Two"), title="Two", url_path="two")
st.navigation({"First": [first], "Second": [second]}, position="top").run()
"""
_STEP = 50
# A reader reads a page.
_PAUSE_S = 5
_START_S = 60
_DRAWN_S = 60
_SECTION = '[data-testid="stTopNavSection"]'
_LINK = '[data-testid="stTopNavDropdownLink"]'
_ENDED = '.stApp[data-test-script-state="notRunning"]'
# A visit is over when it has been for a quarter of a second, which is no part of it.
_VISIT = """
(link, most) => new Promise((settled, failed) => {
    const before = location.pathname, began = performance.now();
    let since = null;
    const all = (selector) => [...document.querySelectorAll(selector)];
    const isDrawn = () =>
        location.pathname !== before
        && document.querySelector('.stApp').dataset.testScriptState === 'notRunning'
        && all('h1, h2').length > 0
        && all('[data-stale="true"], [data-testid="stSkeleton"]').length === 0
        && all('[data-testid="stVegaLiteChart"]').every(
            (one) => !one.checkVisibility() || one.querySelector('canvas, svg'));
    const look = () => {
        const now = performance.now();
        since = isDrawn() ? since ?? now : null;
        if (since !== null && now - since > 250) settled((since - began) / 1000);
        else if (now - began > most * 1000) failed(new Error(`not drawn: ${link.href}`));
        else setTimeout(look, 5);
    };
    link.click();
    look();
})
"""


class Place(NamedTuple):
    """Where a page stands in the menu.

    Attributes:
        section: Number of the section.
        at: Number of the page in it.
        name: As the menu has it.
    """

    section: int
    at: int
    name: str


@contextmanager
def serve(app: Path, home: Path) -> Iterator[tuple[str, psutil.Process]]:
    """Start a Streamlit server; give its address and process, and end it afterwards."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.port", str(port)]
    process = psutil.Popen(
        command,
        cwd=PROJECT_ROOT,
        env={**os.environ, "ROSTRUM_HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    until = time.monotonic() + _START_S
    try:
        while not _answers(address):
            if time.monotonic() > until:
                message = f"pages: no server answers on {address} after {_START_S} s"
                raise TimeoutError(message)
            time.sleep(0.2)
        yield address, process
    finally:
        process.terminate()
        process.wait(20)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
            return True
    except OSError:
        return False


async def enter(browser: Browser, address: str) -> Page:
    """Open the first page in a window of its own."""
    page = await browser.new_page(viewport={"width": 1440, "height": 900})
    await page.goto(address)
    await page.wait_for_selector(_SECTION)
    await page.wait_for_selector(_ENDED)
    return page


async def menu(page: Page) -> list[Place]:
    """Return every page of the menu, in its order."""
    places = []
    for section in range(await page.locator(_SECTION).count()):
        await page.locator(_SECTION).nth(section).click()
        await page.wait_for_selector(_LINK)
        names = await page.locator(_LINK).all_inner_texts()
        places += [Place(section, at, name) for at, name in enumerate(names)]
        await page.keyboard.press("Escape")
        await page.wait_for_selector(_LINK, state="detached")
    return places


async def visit(page: Page, place: Place) -> float:
    """Go to a page by the menu, and return the seconds until it was drawn."""
    await page.locator(_SECTION).nth(place.section).click()
    link = page.locator(_LINK).nth(place.at)
    await link.wait_for()
    seconds: float = await link.evaluate(_VISIT, _DRAWN_S)
    return seconds


def _used_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _browser_s(server: psutil.Process) -> float:
    others = [one for one in psutil.Process().children(recursive=True) if one.pid != server.pid]
    return sum(_used_s(one) for one in others)


def _mb(process: psutil.Process) -> int:
    return int(process.memory_info().rss // 2**20)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the least of the values that is not below this share of them."""
    return sorted(values)[math.ceil(share * len(values)) - 1]


def waits(seconds: Sequence[float]) -> dict[str, float]:
    """Return the middle of some waits and what all but one in twenty of them keep to."""
    return {
        "p50_s": round(statistics.median(seconds), 2),
        "p95_s": round(quantile(seconds, 0.95), 2),
    }


async def one_reader(
    page: Page, process: psutil.Process, places: Sequence[Place], rounds: int
) -> dict[str, Any]:
    """Go through all pages, first cold, then warm for some rounds."""
    # The page that a reader enters by is visited last: one cannot go to where one is.
    order = [*places[1:], places[0]]
    cold = {place.name: round(await visit(page, place), 2) for place in order}
    seconds: dict[str, list[float]] = defaultdict(list)
    used: dict[str, list[float]] = defaultdict(list)
    drawn: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        for place in order:
            before, browser_before = _used_s(process), _browser_s(process)
            seconds[place.name].append(await visit(page, place))
            used[place.name].append(_used_s(process) - before)
            drawn[place.name].append(_browser_s(process) - browser_before)
    warm = {
        name: {
            **waits(found),
            "server_cpu_s": round(statistics.mean(used[name]), 3),
            "browser_cpu_s": round(statistics.mean(drawn[name]), 3),
        }
        for name, found in seconds.items()
    }
    return {
        "cold_s": cold,
        "cold": waits(list(cold.values())),
        "warm_pages": warm,
        "warm": waits([one for found in seconds.values() for one in found]),
        "server_cpu_s": round(statistics.mean(one for found in used.values() for one in found), 3),
    }


async def many_readers(
    pages: Sequence[Page],
    process: psutil.Process,
    places: Sequence[Place],
    visits: int,
) -> dict[str, Any]:
    """Let every reader go through the pages until there were enough visits."""
    seconds: list[float] = []
    memory: dict[int, int] = {}
    before = _used_s(process)

    async def read(page: Page, first: int) -> None:
        at = first
        while len(seconds) < visits:
            seconds.append(await visit(page, places[at % len(places)]))
            at += 1
            if len(seconds) % _STEP == 0:
                memory[len(seconds)] = _mb(process)
            await asyncio.sleep(_PAUSE_S)

    await asyncio.gather(*(read(page, 1 + number) for number, page in enumerate(pages)))
    return {
        "readers": len(pages),
        "visits": len(seconds),
        "pause_s": _PAUSE_S,
        **waits(seconds),
        "server_cpu_s_a_visit": round((_used_s(process) - before) / len(seconds), 3),
        "server_mb_after_visits": memory,
    }


async def watch(
    app: Path, home: Path, rounds: int, readers: int = 0, visits: int = 0
) -> dict[str, Any]:
    """Watch one reader of an app, and many where there are to be any."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_browser(), headless=True, args=FLAGS
        )
        with serve(app, home) as (address, process):
            page = await enter(browser, address)
            places = await menu(page)
            found = {
                "server_mb_at_first": _mb(process),
                "one_reader": await one_reader(page, process, places, rounds),
            }
            if readers:
                others = [await enter(browser, address) for _ in range(readers)]
                found["many_readers"] = await many_readers(others, process, places, visits)
        await browser.close()
    return found


def measure(
    home: Path | None = None, rounds: int = 10, readers: int = 10, visits: int = 500
) -> dict[str, Any]:
    """Watch readers of a home's published version, or the demo's, and of an empty app."""
    with TemporaryDirectory() as folder, home_to_measure(home) as published:
        empty = Path(folder) / "empty.py"
        empty.write_text(_EMPTY_APP)
        limit = asyncio.run(watch(empty, published.root, rounds))
        found = asyncio.run(watch(_APP, published.root, rounds, readers, visits))
        version = current_version(published).name
    return {"published": version, "limit": {"what": "an app of titles alone", **limit}, **found}
