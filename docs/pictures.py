"""Takes the README's pictures of a dashboard that shows the demo: `python -m docs.pictures`.

Start the demo first (`rostrum demo`), or name another address with `--dashboard`. The browser is
that of the browser tests.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import sync_playwright

from tests.browser.conftest import FLAGS, find_browser
from warehouse.home import PROJECT_ROOT

WIDTH = 1440
PATIENCE_MS = 60_000
CHART = '[data-testid="stVegaLiteChart"] :is(canvas, svg)'


class Picture(NamedTuple):
    """One picture: its file, the page's address, how much of it is shown, and what comes last."""

    name: str
    address: str
    height: int
    last: str = CHART


PICTURES = (
    Picture("start", "", 900),
    Picture("judge", "judge?judge=simulated/second-position", 900),
    Picture(
        "start_run",
        "start_run?experiment=debate-winner&judge=openai/gpt-4.1-mini",
        900,
        last='[data-testid="stMetric"]',
    ),
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Take every picture.

    Args:
        arguments: The command line; the process's own unless given.
    """
    parser = argparse.ArgumentParser(prog="python -m docs.pictures", description=__doc__)
    parser.add_argument("--dashboard", default="http://127.0.0.1:8501", help="its address")
    parser.add_argument("--folder", type=Path, default=PROJECT_ROOT / "docs", help="where they go")
    wanted = parser.parse_args(arguments)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        for picture in PICTURES:
            path = wanted.folder / f"{picture.name}.png"
            page = browser.new_page(color_scheme="light", locale="en")
            page.set_viewport_size({"width": WIDTH, "height": picture.height})
            page.goto(f"{wanted.dashboard}/{picture.address}")
            is_done = '.stApp[data-test-script-state="notRunning"]'
            page.wait_for_selector(is_done, timeout=PATIENCE_MS)
            page.locator(picture.last).first.wait_for(state="attached", timeout=PATIENCE_MS)
            # A chart is drawn before the fonts around it have come.
            page.wait_for_timeout(1000)
            page.screenshot(path=path)
            sys.stdout.write(f"{path} taken\n")
        browser.close()


if __name__ == "__main__":
    main()
