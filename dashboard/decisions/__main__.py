"""Write decisions to standard output as HTML: `python -m dashboard.decisions --topic replace`.

A process of its own, whose home is `ROSTRUM_HOME`; `rostrum decide --html` starts it.
"""

import argparse
import logging
import sys


def main() -> int:
    """Write the decisions; return 1 where they cannot be read, with the reason as an error."""
    # Before Streamlit: it would say for every cache that there is no server.
    logging.disable(logging.WARNING)
    from dashboard.decisions.file import write_decisions
    from warehouse.errors import WarehouseError

    parser = argparse.ArgumentParser(prog="dashboard.decisions")
    for name in ("topic", "data", "judge", "title", "version"):
        parser.add_argument(f"--{name}", default="")
    asked = parser.parse_args()
    try:
        made = write_decisions(asked.version, asked.topic, asked.data, asked.judge, asked.title)
    except WarehouseError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.buffer.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
