"""A Ray cluster of a head and two nodes on this machine, each a node that can be killed."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest

# Three nodes share one machine.
_MEMORY = 80 * 1024 * 1024


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A cluster with a head that runs no tasks, and two nodes with two processors each."""
    ray = pytest.importorskip("ray", reason="needs: pip install 'rostrum[ray]'")
    from ray.cluster_utils import Cluster

    made = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 0,
            "object_store_memory": _MEMORY,
            "include_dashboard": False,
            "resources": {"head": 1},
        },
    )
    try:
        for _ in range(2):
            made.add_node(num_cpus=2, object_store_memory=_MEMORY)
        ray.init(address=made.address, log_to_driver=False, logging_level=logging.ERROR)
        yield made
    finally:
        ray.shutdown()
        made.shutdown()
