"""Modules that take seconds to import: by the first test that uses them, not by every worker."""

import importlib
from importlib.util import find_spec
from typing import Any

import pytest


class Late:
    """Stands for a module, which is imported once something of it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            # Asked of all that a test module holds, by who collects its tests.
            raise AttributeError(name)
        return getattr(importlib.import_module(self._name), name)


def imported_late(name: str) -> Any:
    """Return what stands for a module; where it is not installed, skip the tests of the caller."""
    # Finding a module within a package imports the package.
    package = name.partition(".")[0]
    if find_spec(package) is None:
        pytest.skip(f"needs {package}", allow_module_level=True)
    return Late(name)
