"""The homes whose pages are measured: one that is given, the demo's, or made-up verdicts'."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from benchmarks.bias import DEBATES, VARIANTS, fill
from benchmarks.processes import rostrum
from warehouse.home import Home

__all__ = ["DEBATES", "VARIANTS", "home_to_measure"]


@contextmanager
def home_to_measure(given: Path | None, judges: int = 0) -> Iterator[Home]:
    """Give a home with something published, for as long as it is measured.

    Args:
        given: An own home. Without one, it is made.
        judges: So many made-up judges are in the home that is made; with none it is the demo's.
    """
    if given:
        yield Home(given)
        return
    with TemporaryDirectory() as folder:
        home = Home(Path(folder)).ensure()
        if judges:
            with duckdb.connect(str(home.build_db)) as connection:
                fill(connection, judges, VARIANTS, DEBATES)
            rostrum(home, "build")
        else:
            rostrum(home, "demo", "--no-serve")
        yield home
