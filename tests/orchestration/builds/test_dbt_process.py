"""What Rostrum changes in dbt's own program: its log, its selection, and what it makes again."""

import copy
import io
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import networkx as nx
import pytest
from jinja2 import Template

from tests.late import imported_late

adapter_types = imported_late("dbt.adapters.events.types")
base_types = imported_late("dbt_common.events.base_types")
exceptions = imported_late("dbt_common.exceptions")
event_manager = imported_late("dbt_common.events.event_manager")
logger = imported_late("dbt_common.events.logger")
event_types = imported_late("dbt_common.events.types")
graphs = imported_late("dbt.graph.graph")
process = imported_late("orchestration.builds.process")
reusing = imported_late("orchestration.builds.reuse")


def log_of(level: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[str, int]:
    """Return what a log of this level holds of one event of each kind, and how many lines dbt made."""
    out, made = io.StringIO(), 0
    manager = event_manager.EventManager()
    manager.add_logger(
        logger.LoggerConfig(
            name=f"test_{level.value}",
            line_format=logger.LineFormat.PlainText,
            level=level,
            output_stream=out,
        )
    )
    create_line = manager.loggers[0].create_line

    def counted(msg: Any) -> str:
        nonlocal made
        made += 1
        return create_line(msg)

    monkeypatch.setattr(manager.loggers[0], "create_line", counted)
    process.fire_what_is_kept(
        manager, adapter_types.SQLQuery(conn_name="build", sql="select 'quiet'")
    )
    process.fire_what_is_kept(manager, event_types.Note(msg="loud"))
    process.fire_what_is_kept(
        manager, event_types.Note(msg="lowered"), level=base_types.EventLevel.DEBUG
    )
    process.fire_what_is_kept(
        manager,
        adapter_types.SQLQuery(conn_name="build", sql="select 'raised'"),
        level=base_types.EventLevel.WARN,
    )
    return out.getvalue(), made


def test_a_line_is_made_for_what_the_log_keeps_only(monkeypatch: pytest.MonkeyPatch) -> None:
    said, made = log_of(base_types.EventLevel.INFO, monkeypatch)
    assert "loud" in said
    assert "select 'raised'" in said
    assert made == 2


def test_a_log_of_debug_level_keeps_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    said, made = log_of(base_types.EventLevel.DEBUG, monkeypatch)
    assert all(word in said for word in ("quiet", "loud", "lowered", "raised"))
    assert made == 4


def test_a_message_is_made_once_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base_types.BaseEvent, "__init__", base_types.BaseEvent.__init__)
    monkeypatch.setattr(base_types.BaseEvent, "pb_msg", None, raising=False)
    process.make_messages_later()
    said, _ = log_of(base_types.EventLevel.INFO, monkeypatch)
    assert "loud" in said
    assert "select 'raised'" in said
    event = adapter_types.SQLQuery(conn_name="build", sql="select 1")
    assert "pb_msg" not in event.__dict__
    event.sql = "select 2"
    assert event.pb_msg.sql == event.sql == "select 2"
    assert "select 2" in event.message()
    with pytest.raises(AttributeError):
        _ = event.no_such_field


class _Node(NamedTuple):
    fqn: list[str]
    is_versioned: bool = False


def test_whole_names_are_looked_up_and_others_are_left_to_dbt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nodes = {name: _Node(["rostrum", "core", name]) for name in ("a", "b", "ab")}
    method = SimpleNamespace(manifest=SimpleNamespace(nodes=nodes))
    monkeypatch.setattr("orchestration.builds.process._whole_names", {})
    asked: list[str] = []

    def search(_method: Any, _nodes: set[str], selector: str) -> list[str]:
        asked.append(selector)
        return ["by dbt"]

    monkeypatch.setattr("orchestration.builds.process._search", search)

    def found(selector: str) -> list[str]:
        return list(process.search_whole_names(cast(Any, method), {"a", "ab"}, selector))

    assert found("rostrum.core.a") == ["a"]
    assert found("rostrum.core.b") == []
    assert asked == []
    assert found("rostrum.core") == found("a") == ["by dbt"]
    assert asked == ["rostrum.core", "a"]


def test_a_graph_counts_its_nodes_once_and_none_takes_those_of_another() -> None:
    small = graphs.Graph(nx.DiGraph([("a", "b")]))
    large = graphs.Graph(nx.DiGraph([("a", "b"), ("b", "c")]))
    for _ in range(2):
        assert process.nodes_once(small) == {"a", "b"}
        assert process.nodes_once(large) == {"a", "b", "c"}
    large.graph.add_node("d")
    assert process.nodes_once(large) == {"a", "b", "c"}


@pytest.mark.parametrize("asked", ["graph.nodes", "graph['nodes']"])
def test_a_macro_that_asks_for_all_nodes_ends_with_an_error(asked: str) -> None:
    manifest = SimpleNamespace()
    process.refuse_graph(cast(Any, manifest))
    with pytest.raises(exceptions.CompilationError, match="does not offer 'graph'"):
        Template(f"{{{{ {asked} }}}}").render(graph=copy.deepcopy(manifest.flat_graph))


def test_a_table_is_left_where_nothing_it_reads_came_out_as_other_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = {"same": 1, "other": 1}
    ran: list[str] = []

    def run(_runner: Any, _manifest: Any, ctx: Any) -> None:
        ran.append(ctx.node.unique_id)
        rows["other"] += 1

    monkeypatch.setattr("orchestration.builds.reuse._compile_and_execute", run)
    monkeypatch.setattr("orchestration.builds.reuse._content", lambda _, node: rows[node.unique_id])
    reuse = reusing.Reuse({"same", "other", "reads_same", "reads_other", "view", "test"})

    def node(name: str, *read: str, kind: str = "model", materialized: str = "table") -> Any:
        return SimpleNamespace(
            unique_id=name,
            resource_type=kind,
            depends_on_nodes=read,
            config=SimpleNamespace(materialized=materialized),
        )

    nodes = [
        node("new"),
        node("same", "new"),
        node("other", "new"),
        node("reads_same", "same"),
        node("test", "reads_same", kind="test", materialized="test"),
        node("view", "other", materialized="view"),
        node("reads_view", "view"),
    ]
    for each in nodes:
        left = reuse.leave(each)
        if left is None:
            reuse.run(None, None, cast(Any, SimpleNamespace(node=each)))
        else:
            assert (left.execution_time, left.message) == (0.0, "unchanged")
    assert ran == ["new", "same", "other", "view", "reads_view"]
