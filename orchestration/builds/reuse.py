"""Where what a model reads came out of a build as it was, the model and its tests stay as they are.

A new answer changes the list of runs, which every subject reads, and few tables made from it. So a
build that follows what reads a changed table compares each table with what it was before: where the
rows are the same, what reads nothing else that changed is not made again, nor tested.
"""

import json
import os
import sys
import threading
from typing import Any

from dbt.artifacts.schemas.results import RunStatus, TestStatus
from dbt.artifacts.schemas.run import RunResult
from dbt.task.base import BaseRunner, ExecutionContext

from orchestration.builds.dbt import MADE_IN_STDIN

_compile_and_execute = BaseRunner.compile_and_execute


class Reuse:
    """What need not be made again in one run of dbt.

    Args:
        made: Unique ids of what was made by the present code from what the models it reads hold
            until now; it reads nothing else.
    """

    def __init__(self, made: set[str]) -> None:
        self._made = made
        # What this run has made anew, with other rows than before.
        self._changed: set[str] = set()

    def run(self, runner: Any, manifest: Any, ctx: ExecutionContext) -> RunResult | None:
        """Make and test a node, or leave it as it is."""
        node = ctx.node
        is_made = node.unique_id in self._made
        if is_made and self._changed.isdisjoint(node.depends_on_nodes):
            is_test = node.resource_type == "test"
            return RunResult(
                node=node,
                status=TestStatus.Pass if is_test else RunStatus.Success,
                timing=[],
                thread_id=threading.current_thread().name,
                execution_time=0.0,
                message="unchanged",
                adapter_response={},
                failures=0 if is_test else None,
            )
        is_compared = is_made and node.config.materialized in ("table", "incremental", "seed")
        before = _content(runner, node) if is_compared else None
        # Until it is known to be the same, also where it fails.
        self._changed.add(node.unique_id)
        result: RunResult | None = _compile_and_execute(runner, manifest, ctx)
        if before is not None and before == _content(runner, node):
            self._changed.discard(node.unique_id)
        return result


def _content(runner: Any, node: Any) -> object:
    """Return the hash of a table's rows, whatever their order."""
    with runner.adapter.connection_named(f"content of {node.unique_id}", node):
        handle = runner.adapter.connections.get_thread_connection().handle
        cursor = handle.cursor()
        cursor.execute(
            f"select count(*), sum(hash(t)), bit_xor(hash(t)) from {node.relation_name} as t"
        )
        return cursor.fetchone()


def reuse_what_is_unchanged() -> None:
    """Leave unchanged nodes as they are in this process, if its environment names any."""
    if os.environ.get(MADE_IN_STDIN):
        reuse = Reuse(set(json.load(sys.stdin)))

        def run(runner: BaseRunner, manifest: Any, ctx: ExecutionContext) -> RunResult | None:
            return reuse.run(runner, manifest, ctx)

        BaseRunner.compile_and_execute = run
