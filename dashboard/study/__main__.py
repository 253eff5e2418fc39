"""Write a study to standard output: `python -m dashboard.study --subject speeches > study.html`.

A process of its own, whose home is `ROSTRUM_HOME`: see `shown`. `rostrum report` and the button of
the pages start it.
"""

import argparse
import logging
import sys
from urllib.parse import parse_qs

# Before Streamlit: it would say for every cache that there is no server.
logging.disable(logging.WARNING)

from dashboard.study.errors import StudyFailed  # noqa: E402
from dashboard.study.file import study  # noqa: E402
from dashboard.study.subjects import STUDIES  # noqa: E402
from warehouse.errors import WarehouseError  # noqa: E402
from warehouse.home import find_home  # noqa: E402
from warehouse.reader import current_version, published_versions  # noqa: E402


def main() -> int:
    """Write the study; return 1 where there is none, with the reason on standard error."""
    parser = argparse.ArgumentParser(prog="dashboard.study")
    parser.add_argument("--subject", action="append", default=[], choices=list(STUDIES))
    parser.add_argument("--judge", action="append", default=[])
    parser.add_argument("--address", default="", help="A page's URL parameters.")
    parser.add_argument("--version", default="", help="The published version; else the newest.")
    asked = parser.parse_args()
    home = find_home()
    try:
        named = (one for one in published_versions(home) if one.name == asked.version)
        version = next(named, None) or current_version(home)
        made = study(version, asked.subject, asked.judge, parse_qs(asked.address))
    except (StudyFailed, WarehouseError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.buffer.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
