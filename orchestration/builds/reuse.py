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

from orchestration.builds.dbt import LEFT, MADE_IN_STDIN

_compile_and_execute = BaseRunner.compile_and_execute
_run_with_hooks = BaseRunner.run_with_hooks


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

    def leave(self, node: Any) -> RunResult | None:
        """Leave a node as it is, which takes no time; None where it is to be made or tested."""
        if node.unique_id not in self._made or not self._changed.isdisjoint(node.depends_on_nodes):
            return None
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

    def run(self, runner: Any, manifest: Any, ctx: ExecutionContext) -> RunResult | None:
        """Make or test a node, and see whether it came out as it was."""
        node = ctx.node
        is_compared = node.unique_id in self._made and (
            node.config.materialized in ("table", "incremental", "seed")
        )
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
    """Leave unchanged nodes as they are in this process, if its environment names any.

    Of each the build is told in a line of its own, in the place of all that dbt would say of it.
    """
    if not os.environ.get(MADE_IN_STDIN):
        return
    reuse = Reuse(set(json.load(sys.stdin)))

    def run_with_hooks(runner: BaseRunner, manifest: Any) -> RunResult:
        left = None if runner.skip else reuse.leave(runner.node)
        if left is None:
            result: RunResult = _run_with_hooks(runner, manifest)
            return result
        sys.stdout.write(json.dumps({LEFT: runner.node.unique_id}) + "\n")
        return left

    def run(runner: BaseRunner, manifest: Any, ctx: ExecutionContext) -> RunResult | None:
        return reuse.run(runner, manifest, ctx)

    BaseRunner.run_with_hooks = run_with_hooks
    BaseRunner.compile_and_execute = run
