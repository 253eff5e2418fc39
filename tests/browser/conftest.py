"""A real browser and real Streamlit servers, each started once."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from warehouse.home import PROJECT_ROOT, Home

sys.path.insert(0, str(PROJECT_ROOT / "tests" / "dashboard"))

SCREENSHOTS = Path(__file__).parent / "screenshots"
INSTALL_LINE = "sh tests/browser/install_browser.sh"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
MAC_FIREFOX = "/Applications/Firefox.app/Contents/MacOS/firefox"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find_browser() -> str | None:
    named = os.environ.get("ROSTRUM_CHROMIUM")
    candidates = [named, *(shutil.which(name) for name in NAMES), MAC]
    return next((one for one in candidates if one and Path(one).exists()), None)


def find_firefox() -> str | None:
    return next(filter(None, map(shutil.which, ("firefox", "firefox-esr", MAC_FIREFOX))), None)


def click_first_row(page: Page, key: str) -> None:
    """Click the first row of a table beside the mark that selects it, once nothing moves any more.

    Its cells are painted, not elements.
    """
    table = page.locator(f'[class*="st-key-{key}"]')
    expect(table.locator("canvas").first).to_be_visible()
    table.click(position={"x": 18, "y": 52})


def tab_to(page: Page, wanted: Locator) -> None:
    """Press the tab key until an element has the focus, as who uses no mouse does."""
    wanted.wait_for(state="attached")
    for _ in range(100):
        page.keyboard.press("Tab")
        if wanted.evaluate("one => one === document.activeElement"):
            return
    pytest.fail(f"{wanted} is not reached by the tab key")


def without_browser(name: str) -> NoReturn:
    """Report a test as not run; in CI it fails."""
    message = f"NOT RUN: no {name} here; install one with: {INSTALL_LINE}"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a running browser.

    It lives no longer than a module: meanwhile its event loop runs in this thread, where no other
    test could start one.
    """
    executable = find_browser() or without_browser("Chromium or Chrome")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=executable, headless=True, args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def serve_home() -> Iterator[Callable[[Home], str]]:
    running: list[subprocess.Popen[bytes]] = []

    def serve(home: Home) -> str:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        running.append(
            subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "streamlit",
                    "run",
                    str(PROJECT_ROOT / "dashboard" / "app.py"),
                    "--server.port",
                    str(port),
                ],
                cwd=PROJECT_ROOT,
                env={**os.environ, "ROSTRUM_HOME": str(home.root)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        )
        address = f"http://127.0.0.1:{port}"
        wait_until_up(address)
        return address

    yield serve
    for process in running:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=60)


def wait_until_up(address: str) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"the dashboard does not answer on {address}")
