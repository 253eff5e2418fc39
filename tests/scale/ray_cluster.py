"""A Ray cluster of a head and two nodes on this machine, each a node that can be killed."""

import logging
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.scale.conftest import free_port

# Three nodes share one machine.
_MEMORY = 80 * 1024 * 1024
# Ray gives a node half a minute to start, whatever else the machine does.
_TRIES = 4
# What may be set: a busy machine is slow, and no node of it is dead.
_PATIENCE = {
    "RAY_gcs_server_port_wait_time_s": "300",
    "RAY_gcs_server_request_timeout_seconds": "300",
    "RAY_health_check_timeout_ms": "60000",
}


class Nodes(NamedTuple):
    cluster: Any
    client_port: int


def _started() -> Nodes:
    from ray.cluster_utils import Cluster

    port = free_port()
    made = Cluster()
    try:
        made.add_node(
            num_cpus=0,
            object_store_memory=_MEMORY,
            include_dashboard=False,
            resources={"head": 1},
            ray_client_server_port=port,
        )
        for _ in range(2):
            made.add_node(num_cpus=2, object_store_memory=_MEMORY)
    except BaseException:
        made.shutdown()
        raise
    return Nodes(made, port)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    """A cluster with a head that runs no tasks, and two nodes with two processors each."""
    pytest.importorskip("ray", reason="needs: pip install -c constraints.txt -e '.[ray]'")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in _PATIENCE.items():
            patch.setenv(name, value)
        for left in reversed(range(_TRIES)):
            try:
                made = _started()
                break
            # Ray raises plain exceptions here.
            except Exception:
                if not left:
                    raise
        try:
            yield made
        finally:
            made.cluster.shutdown()


@pytest.fixture
def cluster(nodes: Nodes) -> Iterator[Any]:
    """The cluster, with this process connected to it as a node's is."""
    import ray

    ray.init(address=nodes.cluster.address, log_to_driver=False, logging_level=logging.ERROR)
    try:
        yield nodes.cluster
    finally:
        ray.shutdown()
