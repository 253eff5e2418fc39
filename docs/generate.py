"""Writes the documentation into `build/docs`: `make docs`, or `python -m docs.generate`.

There the pages of `docs/` have the tables that come from the code, and beside them are
`metrics.md`, which has every mart and column, `calibration.md`, and dbt's own documentation,
`dbt.html`.
"""

import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from docs import replication_page, settings, sources_table
from docs.blocks import fill_blocks
from docs.calibration import calibration_page, newest_result
from docs.dbt_page import empty_build, write_dbt_page
from docs.marts import metrics_page, read_marts
from warehouse.home import PROJECT_ROOT, Home

PAGES = PROJECT_ROOT / "docs"
FOLDER = PROJECT_ROOT / "build" / "docs"
BLOCKS: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "experiments.md": settings.BLOCKS,
    "import.md": sources_table.BLOCKS,
    "replication.md": replication_page.BLOCKS,
}


def page(name: str) -> str:
    """Return a page of `docs/` with the tables that come from the code."""
    text = (PAGES / name).read_text(encoding="utf-8")
    return fill_blocks(text, BLOCKS.get(name, {}), f"docs/{name}")


def write_docs(built: Home, folder: Path = FOLDER) -> None:
    """Write all documents.

    Args:
        built: A home whose models are built.
        folder: Where they are written; what was there goes.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in PAGES.iterdir():
        if path.suffix == ".md":
            (folder / path.name).write_text(page(path.name), encoding="utf-8")
        elif path.suffix == ".png":
            shutil.copy(path, folder)
    (folder / "calibration.md").write_text(calibration_page(newest_result()), encoding="utf-8")
    (folder / "metrics.md").write_text(metrics_page(read_marts(built)), encoding="utf-8")
    write_dbt_page(built, folder / "dbt.html")


if __name__ == "__main__":
    with empty_build() as home:
        write_docs(home)
    sys.stdout.write(f"{FOLDER.relative_to(PROJECT_ROOT)} written\n")
