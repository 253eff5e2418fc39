"""The project compiled once, for the models to be run on data a test makes up."""

import os
from typing import Any

import pytest
from filelock import FileLock

from tests.dbt_project.compiled_models import Built, Compiled, Models, build, compile_project


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    """The project with thresholds that small random data can reach; workers share one."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "compiled"
    with FileLock(f"{folder}.lock"):
        done = folder / "compiled.json"
        if not done.exists():
            folder.mkdir()
            variables = {
                "min_shared_items": [3, 6],
                "min_items_per_annotator": 4,
                "bootstrap_replicates": 50,
            }
            done.write_text(compile_project(folder, variables).as_json())
        return Compiled.from_json(done.read_text())


@pytest.fixture(scope="session")
def built(compiled: Compiled) -> Built:
    """`build`, with the project already compiled."""

    def bound(**data: Any) -> Models:
        return build(compiled, **data)

    return bound
