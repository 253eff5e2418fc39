"""How long does the script of each page take, first and again, over ten million verdicts?

The verdicts are made up, built and published first; a home may take their place. There is no
browser and no network: the rest of what a reader waits for is in `dashboard_pages.py`. The empty
page is the limit: what Streamlit itself takes to run a script of one line.
"""

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from benchmarks.dashboard_pages import quantile
from benchmarks.harness import Budget
from benchmarks.homes import DEBATES, VARIANTS, home_to_measure
from warehouse.home import PROJECT_ROOT, Home
from warehouse.reader import current_version

BUDGETS = (
    Budget(
        "warm script of the Bias lab over ten million verdicts (p95)",
        0.3,
        "pages/bias_lab/warm_p95_s",
        "s",
        "pages/(empty)/warm_p95_s",
    ),
)
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


def scripts_of(home: Home, warm_runs: int) -> dict[str, Any]:
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
        "limit": "an empty Streamlit page, (empty)",
        "pages": pages,
    }


def measure(home: Path | None = None, judges: int = 100, warm_runs: int = 20) -> dict[str, Any]:
    """Measure the scripts over a home, over made-up judges, or, with none, over the demo's."""
    with home_to_measure(home, 0 if home else judges) as published:
        found = scripts_of(published, warm_runs)
    if home or not judges:
        return found
    return {**found, "verdicts": judges * VARIANTS * DEBATES, "variant": "verdicts"}
