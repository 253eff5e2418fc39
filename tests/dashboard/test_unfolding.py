"""What is folded away, or in a tab behind another, is neither worked out nor sent until opened."""

from collections.abc import Iterator

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboard.core import widgets
from warehouse.errors import VersionGone


@pytest.fixture(autouse=True)
def as_a_reader_finds_it(monkeypatch) -> Iterator[None]:
    monkeypatch.setattr(st, "expander", st.expander.__wrapped__)
    monkeypatch.setattr(st, "tabs", st.tabs.__wrapped__)
    yield
    _Drawn.gone = 0


class _Drawn:
    """Counts how often something is gone when it is looked for."""

    gone = 0


def _folded() -> None:
    import streamlit as st

    from dashboard.core.widgets import unfolding

    unfolding("More", st.markdown, "what is inside", key="more")


def _tabs() -> None:
    import streamlit as st

    from dashboard.core.widgets import side_by_side

    side_by_side(st.markdown, {"One": ("the first",), "Two": ("the second",)})


def _said(app: AppTest) -> list[str]:
    assert not app.exception
    return [one.value for one in app.markdown]


def test_what_is_folded_is_drawn_when_it_is_unfolded():
    app = AppTest.from_function(_folded).run()
    assert [one.label for one in app.expander] == ["More"]
    assert _said(app) == []
    app.session_state["more"] = True
    assert _said(app.run()) == ["what is inside"]


def test_only_the_tab_in_front_is_drawn():
    app = AppTest.from_function(_tabs).run()
    assert [one.label for one in app.tabs] == ["One", "Two"]
    assert _said(app) == ["the first"]


def test_a_page_begins_again_when_what_is_unfolded_has_been_pruned(monkeypatch):
    def draw(_: str) -> None:
        _Drawn.gone += 1
        if _Drawn.gone == 1:
            raise VersionGone
        st.text("from the newest")

    monkeypatch.setattr(widgets, "_computation", draw)
    monkeypatch.setattr(st, "markdown", draw)
    app = AppTest.from_function(_folded)
    app.session_state["more"] = True
    app.run()
    assert not app.exception
    assert [one.value for one in app.text] == ["from the newest"]


def test_a_page_of_the_demo_sends_no_query_until_a_reader_asks_how_it_is_computed(demo, open_page):
    app = open_page("speech_judges")
    assert "How this is computed" in [one.label for one in app.expander]
    assert not [code for code in app.code if "select" in code.value]
    app.session_state["computed_page"] = True
    app.run()
    assert [code for code in app.code if "from rpt_rater_agreement" in code.value]
