"""The endpoint that tests of inference talk to."""

from collections.abc import Iterator

import pytest
from inference_fixtures import Stub


@pytest.fixture
def stub() -> Iterator[Stub]:
    """A running endpoint."""
    server = Stub()
    yield server
    server.close()
