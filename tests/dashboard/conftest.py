"""Pages over the demo's published version, as it is or with a few rows of a copy changed."""

import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache, wraps
from typing import Any

import altair as alt
import pytest
import streamlit as st
from changes import publish_copy
from shown import opened
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from dashboard.core import widgets
from warehouse.home import Home
from warehouse.reader import Version, current_version

OpenPage = Callable[..., AppTest]
Publish = Callable[..., Version]


@pytest.fixture(scope="session", autouse=True)
def _components_are_looked_for_once() -> Iterator[None]:
    """Each app would read what every installed package says of itself, for half a test's time."""
    name = "scan_component_manifests"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, name, cache(getattr(manifest_scanner, name)))
        yield


@pytest.fixture(scope="session", autouse=True)
def everything_is_unfolded() -> Iterator[None]:
    """What a reader unfolds, and tabs behind the first, are drawn at once, so that tests see it."""
    expander, tabs = st.expander, st.tabs

    @wraps(expander)
    def unfolded(label: str, **more: Any) -> Any:
        return expander(label, **{**more, "expanded": True})

    @wraps(tabs)
    def all_in_front(names: list[str], **more: Any) -> Any:
        found = tabs(names, **more)
        for one in found:
            one.open = True
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(st, "expander", unfolded)
        patch.setattr(st, "tabs", all_in_front)
        yield


def _form(part: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """The places of a chart where something stands, and of which type it is."""
    if isinstance(part, dict):
        for name, one in part.items():
            yield from _form(one, f"{place}.{name}")
    elif isinstance(part, list):
        for one in part:
            yield from _form(one, place)
    else:
        yield place, type(part).__name__


@pytest.fixture(scope="session", autouse=True)
def charts_are_valid() -> Iterator[None]:
    """Each form of chart is checked against Vega-Lite's schema once; the dashboard checks none."""
    as_vega_lite = widgets.as_vega_lite
    checked = set()

    @wraps(as_vega_lite)
    def valid(chart: alt.LayerChart | alt.Chart) -> dict[str, Any]:
        spec = as_vega_lite(chart)
        drawn = {name: part for name, part in spec.items() if name != "datasets"}
        form = frozenset(_form(drawn))
        if form not in checked:
            chart.validate(drawn)
            checked.add(form)
        return spec

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(widgets, "as_vega_lite", valid)
        yield


@pytest.fixture
def demo(built_demo: Home, monkeypatch: pytest.MonkeyPatch) -> Version:
    monkeypatch.setenv("ROSTRUM_HOME", str(built_demo.root))
    return current_version(built_demo)


@pytest.fixture
def publish(built_demo: Home, home: Home, monkeypatch: pytest.MonkeyPatch) -> Publish:
    """Return a function that publishes a copy of the demo's version in this test's own home."""

    def published(*statements: str, number: int = 1, where: Home = home) -> Version:
        if where is home:
            monkeypatch.setenv("ROSTRUM_HOME", str(home.root))
        return publish_copy(built_demo, where, *statements, number=number)

    return published


@pytest.fixture(scope="module")
def _changed_homes() -> Iterator[dict[Any, Home]]:
    homes: dict[Any, Home] = {}
    yield homes
    for one in homes.values():
        shutil.rmtree(one.root)


@pytest.fixture
def changed(
    built_demo: Home,
    _changed_homes: dict[Any, Home],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Publish:
    """Return a function that publishes a copy of the demo's version, changed by statements.

    Tests of a module that make the same changes share the copy, which they only read.
    """

    def published(*statements: str) -> Version:
        if statements not in _changed_homes:
            home = Home(tmp_path_factory.mktemp("changed")).ensure()
            publish_copy(built_demo, home, *statements)
            _changed_homes[statements] = home
        home = _changed_homes[statements]
        monkeypatch.setenv("ROSTRUM_HOME", str(home.root))
        return current_version(home)

    return published


@pytest.fixture
def open_page() -> OpenPage:
    """Return a function that opens a page, by name and URL parameters; it runs without an error."""
    return opened


@pytest.fixture(scope="module")
def _pages_shown() -> dict[tuple[Any, ...], AppTest]:
    return {}


@pytest.fixture
def shown_page(open_page: OpenPage, _pages_shown: dict[tuple[Any, ...], AppTest]) -> OpenPage:
    """Return a function that opens a page once a module and version, for tests that only read it.

    Who chooses or clicks something opens a page of its own, with `open_page`.
    """

    def show(name: str = "start", **parameters: str | list[str]) -> AppTest:
        said = sorted((one, str(value)) for one, value in parameters.items())
        key = (os.environ["ROSTRUM_HOME"], name, *said)
        if key not in _pages_shown:
            _pages_shown[key] = open_page(name, **parameters)
        return _pages_shown[key]

    return show
