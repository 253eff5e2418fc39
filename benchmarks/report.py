"""What a measurement is asked for, and one small dated JSON of what was measured, when, on what."""

import argparse
import json
import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def asked_for(about: str | None, **numbers: int) -> argparse.Namespace:
    """Return the whole numbers that a command line gives.

    Args:
        about: What `--help` says of the measurement.
        numbers: The options, each with the number where it is left out.
    """
    parser = argparse.ArgumentParser(description=about)
    for name, usual in numbers.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=usual)
    return parser.parse_args()


def write_result(benchmark: str, found: Mapping[str, Any], variant: str | None = None) -> Path:
    """Print a benchmark's result, write it to `results/`, and return where.

    Args:
        benchmark: The benchmark's name.
        found: What was measured.
        variant: What tells this result from others of the same day.
    """
    at = datetime.now(UTC).isoformat(timespec="seconds")
    result = {
        "benchmark": benchmark,
        "at": at,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}",
        **found,
    }
    text = json.dumps(result, indent=1)
    print(text)
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / "-".join(filter(None, (benchmark, at[:10], variant)))
    path = path.with_name(f"{path.name}.json")
    path.write_text(text + "\n")
    return path
