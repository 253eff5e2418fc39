"""What dbt rendered once for a model or test is not rendered again.

dbt renders each model and test anew in every build, twice: its code, and the statement around it.
That takes longer than most statements run. Both follow from the project's files, the warehouse's
functions and the raw schema alone, so they are kept beside the parsed project by a hash of these,
and a later build runs the same statements, in the same transactions.
"""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from dbt.adapters.reference_keys import _make_ref_key
from dbt.artifacts.schemas.results import RunStatus
from dbt.artifacts.schemas.run import RunResult
from dbt.compilation import Compiler
from dbt.contracts.graph.nodes import ParsedNode
from dbt.task.run import ModelRunner
from dbt.task.test import TestResultData, TestRunner

from orchestration.builds.dbt import STATEMENTS_FILE
from warehouse.files import write_atomically

_DONE = {"_message": "OK"}
_compile_node = Compiler.compile_node
_write_node = ParsedNode.write_node
_execute_model = ModelRunner.execute
_execute_test = TestRunner.execute_data_test


class Rendered(NamedTuple):
    """What dbt made of a model or test.

    Attributes:
        code: Its own code, compiled.
        statement: What makes its table or view, or counts what breaks its rules.
    """

    code: str
    statement: str


class Statements:
    """What dbt has rendered of a project, kept in a file.

    Args:
        made_from: A hash of all that decides what is rendered; with another one, nothing is known.
    """

    def __init__(self, path: Path, made_from: str) -> None:
        self._path = path
        self._made_from = made_from
        self._known = self._read()
        self._is_new = False
        # What has been rendered in this process: the code, then the statement.
        self._written: dict[str, list[str]] = {}

    def _read(self) -> dict[str, Rendered]:
        try:
            found = json.loads(self._path.read_bytes())
            if found["made_from"] != self._made_from:
                return {}
            return {name: Rendered(*each) for name, each in found["rendered"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}

    def keep(self) -> None:
        """Write the file anew if something was rendered that was not known."""
        if self._is_new:
            # What other builds have rendered meanwhile is as good.
            found = {"made_from": self._made_from, "rendered": self._read() | self._known}
            with suppress(OSError):
                write_atomically(self._path, json.dumps(found).encode())

    def compile(self, compiler: Any, node: Any, *arguments: Any, **named: Any) -> Any:
        """Give a node its code."""
        known = self._known.get(node.unique_id)
        if known is None:
            return _compile_node(compiler, node, *arguments, **named)
        node.compiled_code = known.code
        node.compiled = node.extra_ctes_injected = True
        return node

    def write(self, node: Any, root: str, path: str, text: str) -> None:
        """Hear what dbt writes into its target folder: a node's code, and then its statement."""
        _write_node(node, root, path, text)
        self._written.setdefault(node.unique_id, []).append(text)

    def _remember(self, node: Any) -> None:
        """Know from now on what was rendered of a node that was made or tried."""
        written = self._written.pop(node.unique_id, [])
        if len(written) == len(Rendered._fields):
            self._known[node.unique_id] = Rendered(*written)
            self._is_new = True

    def execute_model(self, runner: Any, node: Any, manifest: Any) -> RunResult:
        """Drop a table or view and make it again, in one transaction."""
        known = self._known.get(node.unique_id)
        if known is None:
            result: RunResult = _execute_model(runner, node, manifest)
            if _is_made_so(runner, node, manifest):
                self._remember(node)
            return result
        adapter = runner.adapter
        target = adapter.Relation.create_from(runner.config, node, type=node.get_materialization())
        existing = adapter.cache.relations.get(_make_ref_key(target))
        adapter.connections.begin()
        if existing is not None:
            _run(adapter, f"drop {existing.inner.type} if exists {target}")
        _run(adapter, known.statement)
        adapter.connections.commit()
        adapter.cache_added(target.incorporate(dbt_created=True))
        return RunResult(
            node=node,
            status=RunStatus.Success,
            timing=[],
            thread_id=threading.current_thread().name,
            execution_time=0.0,
            message="OK",
            adapter_response=_DONE,
            failures=None,
        )

    def execute_test(self, runner: Any, test: Any, manifest: Any) -> TestResultData:
        """Count what breaks a test's rules."""
        known = self._known.get(test.unique_id)
        if known is None:
            result: TestResultData = _execute_test(runner, test, manifest)
            self._remember(test)
            return result
        failures, is_warning, is_error = _run(runner.adapter, known.statement).fetchone()
        return TestResultData(failures, bool(is_warning), bool(is_error), _DONE)


def _is_made_so(runner: Any, node: Any, manifest: Any) -> bool:
    """Whether the project's own materialization makes a node by one statement, in SQL."""
    kind = node.get_materialization()
    if node.language != "sql" or kind not in ("table", "view"):
        return False
    if node.config.meta.get("parts_of"):
        # In how many parts it is made depends on the rows there are.
        return False
    project = runner.config.project_name
    macro = manifest.find_materialization_macro_by_name(project, kind, runner.adapter.type())
    return bool(macro.package_name == project)


def _run(adapter: Any, statement: str) -> Any:
    _, cursor = adapter.connections.add_query(statement, auto_begin=False)
    return cursor


@contextmanager
def reuse_what_was_rendered(made_from: str) -> Iterator[None]:
    """Run what is known already in this process, if its environment names where that is kept.

    Args:
        made_from: A hash of all that decides what dbt renders.
    """
    if not (path := os.environ.get(STATEMENTS_FILE)):
        yield
        return
    statements = Statements(Path(path), made_from)
    for owner, name, method in (
        (Compiler, "compile_node", statements.compile),
        (ParsedNode, "write_node", statements.write),
        (ModelRunner, "execute", statements.execute_model),
        (TestRunner, "execute_data_test", statements.execute_test),
    ):
        setattr(owner, name, _as_method(method))
    try:
        yield
    finally:
        statements.keep()


def _as_method(function: Any) -> Any:
    def method(this: Any, *arguments: Any, **named: Any) -> Any:
        return function(this, *arguments, **named)

    return method
