"""How long each page of the dashboard takes, first and again, beside an empty Streamlit page.

The empty page is the floor: what Streamlit itself takes to run a script of one line. A reader
notices a page that takes longer than half a second.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from benchmarks.report import write_result
from warehouse.home import PROJECT_ROOT, Home
from warehouse.reader import current_version

_APP = PROJECT_ROOT / "dashboard" / "app.py"


def _seconds(run: Any) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def measure_page(app: AppTest, warm_runs: int) -> dict[str, float]:
    """Return the seconds of the first run of a page and the median of those after it."""
    first = _seconds(app.run)
    if app.exception:
        raise RuntimeError(f"pages: a page failed: {app.exception[0].message}")
    return {
        "first_s": round(first, 3),
        "warm_median_s": round(statistics.median(_seconds(app.run) for _ in range(warm_runs)), 3),
    }


def main() -> None:
    """Measure every page over a home's published version and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--home", type=Path, required=True, help="a home with something published")
    parser.add_argument("--warm-runs", type=int, default=7)
    asked = parser.parse_args()
    home = Home(asked.home)
    os.environ["ROSTRUM_HOME"] = str(home.root)
    empty = AppTest.from_string("import streamlit\nstreamlit.title('empty')")
    pages: dict[str, dict[str, float]] = {"(empty)": measure_page(empty, asked.warm_runs)}
    for path in sorted((PROJECT_ROOT / "dashboard" / "pages").glob("*.py")):
        if path.stem.startswith("_"):
            continue
        app = AppTest.from_file(str(_APP), default_timeout=120)
        app.run()
        app.switch_page(f"pages/{path.name}")
        pages[path.stem] = measure_page(app, asked.warm_runs)
    write_result(
        "pages",
        {
            "published": current_version(home).name,
            "warm_runs": asked.warm_runs,
            "limit": "an empty Streamlit page, (empty)",
            "pages": pages,
        },
    )


if __name__ == "__main__":
    main()
