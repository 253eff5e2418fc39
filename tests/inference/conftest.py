"""The endpoint that tests of inference talk to."""

import ssl
from collections.abc import Iterator
from functools import cache

import pytest
from inference_fixtures import Stub


@pytest.fixture
def stub() -> Iterator[Stub]:
    server = Stub()
    yield server
    server.close()


@pytest.fixture(scope="session", autouse=True)
def _certificates_are_read_once() -> Iterator[None]:
    """Each client would read the whole list of authorities, and here none talks over TLS."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield
