"""How long the script of each page takes, first and again, beside an empty Streamlit page's.

`python -m benchmarks.dashboard.scripts [--home HOME | --judges 100]`: over a home, over the demo's,
or over ten million made-up verdicts, which are built and published first. There is no browser and
no network: the rest of what a reader waits for is in `pages.py`. The empty page is the limit: what
Streamlit itself takes to run a script of one line.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from benchmarks.dashboard.homes import DEBATES, VARIANTS, home_to_measure
from benchmarks.dashboard.pages import quantile
from benchmarks.report import write_result
from warehouse.home import PROJECT_ROOT, Home
from warehouse.reader import current_version

GOAL_S = 0.3
_APP = PROJECT_ROOT / "dashboard" / "app.py"


def _seconds(run: Callable[[], Any]) -> tuple[float, float]:
    """Return the seconds on the clock, and those of the processor."""
    started, used = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - started, time.process_time() - used


def measure_page(app: AppTest, warm_runs: int) -> dict[str, float]:
    """Return the seconds of the first run of a page, and of those after it."""
    first, _ = _seconds(app.run)
    if app.exception:
        raise RuntimeError(f"pages: a page failed: {app.exception[0].message}")
    warm, used = zip(*(_seconds(app.run) for _ in range(warm_runs)), strict=True)
    return {
        "first_s": round(first, 3),
        "warm_p50_s": round(statistics.median(warm), 3),
        "warm_p95_s": round(quantile(warm, 0.95), 3),
        "warm_cpu_s": round(statistics.median(used), 3),
    }


def measure(home: Home, warm_runs: int) -> dict[str, Any]:
    """Measure every page over a home's published version."""
    os.environ["ROSTRUM_HOME"] = str(home.root)
    empty = AppTest.from_string("import streamlit\nstreamlit.title('empty')")
    pages = {"(empty)": measure_page(empty, warm_runs)}
    for path in sorted((PROJECT_ROOT / "dashboard" / "pages").glob("[!_]*.py")):
        app = AppTest.from_file(str(_APP), default_timeout=600)
        app.run()
        app.switch_page(f"pages/{path.name}")
        pages[path.stem] = measure_page(app, warm_runs)
    return {
        "published": current_version(home).name,
        "warm_runs": warm_runs,
        "load_average": round(os.getloadavg()[0], 1),
        "goal_s": GOAL_S,
        "limit": "an empty Streamlit page, (empty)",
        "pages": pages,
    }


def main() -> None:
    """Measure the pages' scripts and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--home", type=Path, help="with something published; else the demo's")
    what.add_argument(
        "--judges",
        type=int,
        default=0,
        help=f"so many made-up judges of {VARIANTS * DEBATES:,} verdicts each",
    )
    parser.add_argument("--warm-runs", type=int, default=20)
    asked = parser.parse_args()
    verdicts = asked.judges * VARIANTS * DEBATES
    with home_to_measure(asked.home, asked.judges) as home:
        found = measure(home, asked.warm_runs)
    if verdicts:
        found["verdicts"] = verdicts
    write_result("dashboard_scripts", found, "verdicts" if verdicts else None)


if __name__ == "__main__":
    main()
