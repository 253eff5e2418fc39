"""Writes the result of `decisions/rates.py`, which takes the variant as an argument."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks import harness


def write_result(benchmark: str, found: Mapping[str, Any], variant: str | None = None) -> Path:
    """Write a result under its variant."""
    return harness.write_result(benchmark, {**found, harness.VARIANT: variant})
