"""A chart to take along: its files, its data, the SQL behind it, and a link."""

import io

import altair as alt
import pandas as pd
from streamlit.testing.v1 import AppTest

from dashboard.core.chart_files import csv_file, data_of, file_name, png_file, svg_file
from warehouse.reader import run_query

ROWS = pd.DataFrame({"judge": ["=1+1", "b"], "value": [0.25, 0.5]})


def chart(frame: pd.DataFrame, title: str = "κ of <b>2</b> judges") -> alt.Chart:
    encoded = alt.Chart(frame).mark_point().encode(x="value:Q", y="judge:N")
    return encoded.properties(title=title)


SPEC = chart(ROWS).to_dict()


def test_the_files_are_what_they_say():
    assert png_file(SPEC).startswith(b"\x89PNG")
    drawn = svg_file(SPEC).decode()
    assert drawn.startswith("<svg")
    assert "&lt;b&gt;2&lt;/b&gt;" in drawn
    assert file_name(SPEC) == "of_b_2_b_judges"
    assert file_name({}) == "chart"


def test_the_data_are_what_is_drawn_and_no_formula():
    data = data_of(SPEC)
    assert data["value"].tolist() == [0.25, 0.5]
    read = pd.read_csv(io.BytesIO(csv_file(data)))
    assert read["judge"].tolist() == ["'=1+1", "b"]


def _page() -> None:
    import sys

    from dashboard.core.chart_files import behind
    from dashboard.core.data import Answer
    from dashboard.core.widgets import draw_chart

    made = sys.modules["test_chart_files"]
    frame = made.ROWS
    with behind(Answer(frame, "select 1 as first"), "no answer"):
        draw_chart(made.chart, frame)
        draw_chart(made.chart, frame)
        draw_chart(made.chart, frame, title="other")


def _menus(app: AppTest) -> list[str]:
    found = []

    def walk(block):
        for child in block.children.values():
            # Filters that are seldom changed are folded away alike.
            if child.type == "popover" and "chart_" in child.proto.popover.id:
                found.append(child.proto.popover.id)
            if hasattr(child, "children"):
                walk(child)

    walk(app.main)
    return found


def test_two_equal_charts_share_a_menu_and_nothing_is_made_before_it_opens():
    app = AppTest.from_function(_page).run()
    assert not app.exception
    assert len(_menus(app)) == 2
    assert not app.get("download_button")


def test_an_open_menu_has_three_files_the_link_and_the_sql(open_page, demo):
    app = open_page("bias_lab", bias="side", judge=["simulated/fair"])
    # The id ends in the key under which a session keeps whether the menu is open.
    app.session_state["chart_" + _menus(app)[0].rpartition("chart_")[2]] = True
    app.run()
    assert not app.exception
    labels = [one.proto.label for one in app.get("download_button")]
    assert labels[:3] == ["SVG", "PNG", "CSV"]
    codes = [one.value for one in app.code]
    assert codes[0].endswith("?bias=side&judge=simulated%2Ffair")
    assert "from rpt_bias_battery" in codes[1]
    assert run_query(demo, codes[1]).rows
    assert "from rpt_bias_battery" not in codes[2]
