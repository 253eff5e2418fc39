"""Pages over a published version of made-up rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest
from published_stub import publish_stub
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from warehouse.home import PROJECT_ROOT, Home
from warehouse.reader import Version

OpenPage = Callable[..., AppTest]


@pytest.fixture(scope="session", autouse=True)
def _components_are_looked_for_once() -> Iterator[None]:
    """Each app would read what every installed package says of itself, for half a test's time."""
    name = "scan_component_manifests"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, name, cache(getattr(manifest_scanner, name)))
        yield


@pytest.fixture
def published(home: Home) -> Version:
    """The home of this test, with something published."""
    return publish_stub(home)


@pytest.fixture
def open_page() -> OpenPage:
    """Return a function that opens a page of the dashboard, by name and URL parameters."""

    def open_one(name: str = "overview", **parameters: str | list[str]) -> AppTest:
        app = AppTest.from_file(str(PROJECT_ROOT / "dashboard" / "app.py"), default_timeout=60)
        if name != "overview":
            app.run()
            app.switch_page(f"pages/{name}.py")
        for parameter, value in parameters.items():
            app.query_params[parameter] = value
        return app.run()

    return open_one
