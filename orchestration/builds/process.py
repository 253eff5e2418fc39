"""dbt's own program, with changes that spare a build time.

dbt parses a project anew whenever its connection differs from the one it was parsed with, and that
names the build database's file. No model asks where that lies. And it makes a message of an event
and writes its line, the whole SQL in it, before it asks whether any log takes it: a dozen for each
model and test.
It compares each name of a selection with each node, counts the nodes again for each, and a build
names hundreds. It writes the manifest of a project that was parsed before, and its graph, and two
summaries of that, and checks its settings again by rules that it first makes of its own classes. It
looks through all modules for the one that offers a setting, which it would name in a warning, and
through the environment for secrets at each line it says. It describes each model for statistics
that are not sent, and all of them once more for macros that ask what there is, which none does. And
it renders anew what it has rendered before.
"""

import sys
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any
from weakref import WeakKeyDictionary

from dbt import parser
from dbt.adapters.duckdb.credentials import DuckDBCredentials
from dbt.cli.main import cli
from dbt.compilation import Compiler, Linker
from dbt.contracts.graph.manifest import Manifest
from dbt.graph.graph import Graph
from dbt.graph.selector_methods import QualifiedNameSelectorMethod
from dbt.task import run, runnable
from dbt_common.behavior_flags import BehaviorFlagRendered
from dbt_common.dataclass_schema import dbtClassMixin
from dbt_common.events import functions
from dbt_common.events.base_types import BaseEvent, EventLevel
from dbt_common.events.event_manager import EventManager
from dbt_common.exceptions import CompilationError, env_secrets

from orchestration.builds.reuse import reuse_what_is_unchanged
from orchestration.builds.statements import reuse_what_was_rendered
from warehouse.audit import rendering_hash

_BELOW_INFO = (EventLevel.DEBUG, EventLevel.TEST)
_fire_event = EventManager.fire_event
_make_message = BaseEvent.__init__
_nodes = Graph.nodes
_search = QualifiedNameSelectorMethod.search
# The nodes of each graph; none changes once it is one.
_nodes_of: WeakKeyDictionary[Graph, set[Any]] = WeakKeyDictionary()
# The nodes of the one project that this process reads, by their whole names.
_whole_names: dict[str, str] = {}


def main() -> None:
    """Run dbt with this process's arguments."""
    keys = DuckDBCredentials._connection_keys
    DuckDBCredentials._connection_keys = lambda self: tuple(
        key for key in keys(self) if key != "path"
    )
    EventManager.fire_event = fire_what_is_kept  # type: ignore[method-assign, assignment]
    functions.env_secrets = cache(env_secrets)  # type: ignore[attr-defined]
    make_messages_later()
    Graph.nodes = nodes_once
    QualifiedNameSelectorMethod.search = search_whole_names
    BehaviorFlagRendered._default_source = staticmethod(lambda: "dbt")  # type: ignore[method-assign]
    if "build" not in sys.argv:
        cli()
        return
    parser.manifest.write_manifest = runnable.write_manifest = lambda *_: None
    run.track_model_run = lambda *_, **__: None
    Compiler.write_graph_file = lambda *_: None
    Linker.get_graph_summary = lambda *_: {}
    Manifest.build_flat_graph = refuse_graph
    dbtClassMixin.validate = lambda *_: None  # type: ignore[method-assign]
    reuse_what_is_unchanged()
    with reuse_what_was_rendered(rendering_hash()):
        cli()


def nodes_once(graph: Graph) -> set[Any]:
    """Return the nodes of a graph, which many views of views make up, counted once."""
    if graph not in _nodes_of:
        _nodes_of[graph] = _nodes(graph)
    return _nodes_of[graph]


class _NoGraph:
    """What macros find as `graph`; Jinja would make nothing of an attribute that is missing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise CompilationError("a build does not offer 'graph' to macros")


def refuse_graph(manifest: Manifest) -> None:
    """Leave out the description of all nodes; a macro that uses `graph` ends with an error."""
    manifest.flat_graph = _NoGraph()


def search_whole_names(
    method: QualifiedNameSelectorMethod, included_nodes: set[str], selector: str
) -> Iterator[str]:
    """Look a node up by its whole name, and leave any other name to dbt."""
    if not _whole_names:
        nodes = method.manifest.nodes
        _whole_names.update({".".join(node.fqn): name for name, node in nodes.items()})
    found = _whole_names.get(selector)
    if found is None:
        yield from _search(method, included_nodes, selector)
    elif found in included_nodes:
        yield found


def fire_what_is_kept(
    manager: EventManager,
    e: BaseEvent,
    level: EventLevel | None = None,
    node: Any = None,
    force_warn_or_error_handling: bool = False,
) -> None:
    """Pass an event on, unless it lies below the level of every log."""
    # What else dbt does with events, it does with warnings.
    is_kept = (level or e.level_tag()) not in _BELOW_INFO
    if is_kept or any(log.level in _BELOW_INFO for log in manager.loggers):
        _fire_event(manager, e, level, node, force_warn_or_error_handling)


def make_messages_later() -> None:
    """Make the message of an event once somebody asks for it."""
    message = cached_property(_message)
    message.__set_name__(BaseEvent, "pb_msg")
    BaseEvent.pb_msg = message
    BaseEvent.__init__ = _remember  # type: ignore[method-assign, assignment]


def _remember(event: BaseEvent, *arguments: Any, **named: Any) -> None:
    event.__dict__["_said"] = arguments, named


def _message(event: BaseEvent) -> Any:
    arguments, named = event.__dict__.pop("_said")
    _make_message(event, *arguments, **named)
    return event.__dict__["pb_msg"]


if __name__ == "__main__":
    main()
