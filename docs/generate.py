"""Writes the documents that would drift: `python -m docs.generate`, or `make docs`.

`docs/metrics.md` and the snapshot of the mart contracts come from the dbt project, the tables in
`docs/experiments.md` and `docs/import.md` from the code, those in `docs/replication.md` from
printed figures. `--dbt` also writes dbt's own documentation as one page.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from docs import replication_page, settings, sources_table
from docs.blocks import fill_blocks
from docs.calibration import calibration_page, newest_result
from docs.dbt_page import write_dbt_page
from docs.marts import metrics_page, read_marts
from warehouse.files import write_atomically
from warehouse.home import PROJECT_ROOT

METRICS = PROJECT_ROOT / "docs" / "metrics.md"
EXPERIMENTS = PROJECT_ROOT / "docs" / "experiments.md"
IMPORT = PROJECT_ROOT / "docs" / "import.md"
REPLICATION = PROJECT_ROOT / "docs" / "replication.md"
CALIBRATION = PROJECT_ROOT / "docs" / "calibration.md"
# What every generated document should hold, by its path.
DOCUMENTS: Mapping[Path, Callable[[], str]] = {
    CALIBRATION: lambda: calibration_page(newest_result()),
    METRICS: lambda: metrics_page(read_marts()),
    EXPERIMENTS: lambda: _filled(EXPERIMENTS, settings.BLOCKS),
    IMPORT: lambda: _filled(IMPORT, sources_table.BLOCKS),
    REPLICATION: lambda: _filled(REPLICATION, replication_page.BLOCKS),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Write what has changed, and say what that was.

    Args:
        arguments: The command line; the process's own unless given.
    """
    parser = argparse.ArgumentParser(prog="python -m docs.generate", description=__doc__)
    parser.add_argument("--dbt", action="store_true", help="write dbt's documentation, too")
    wanted = parser.parse_args(arguments)
    for path, make in DOCUMENTS.items():
        text = make()
        is_current = path.exists() and path.read_text(encoding="utf-8") == text
        if not is_current:
            write_atomically(path, text.encode())
        _say(path, "unchanged" if is_current else "written")
    if wanted.dbt:
        _say(write_dbt_page(), "written")


def _filled(page: Path, blocks: Mapping[str, Callable[[], str]]) -> str:
    return fill_blocks(page.read_text(encoding="utf-8"), blocks, f"docs/{page.name}")


def _say(path: Path, what: str) -> None:
    sys.stdout.write(f"{path.relative_to(PROJECT_ROOT)} {what}\n")


if __name__ == "__main__":
    main()
