"""The SQL page: read-only, capped, and linkable."""

import json

import pandas as pd
import pytest
from shown import rows

from dashboard.core import data
from dashboard.core.data import ask_freely
from dashboard.pages.sql import EXAMPLES
from dashboard.sql import saved
from dashboard.sql.chart import result_chart
from warehouse.home import Home, find_home
from warehouse.reader import run_query
from warehouse.serving import READ_ONLY

TABLES = "select table_name, comment from duckdb_tables() where schema_name = 'main'"
COLUMNS = (
    "select column_name, comment from duckdb_columns() where table_name = 'rpt_rank_agreement'"
)


def _line(comment: str | None) -> str | None:
    return comment and " ".join(comment.split())


def _run(app, query: str):
    """Run a query as the editor does, which no AppTest can type into: see `tests/browser`."""
    app.session_state["sql_ran"] = query
    if "q" in app.query_params:
        del app.query_params["q"]
    return app.run()


def _edited(app) -> str:
    (editor,) = app.get("bidi_component")
    return json.loads(editor.proto.json)["text"]


def test_every_example_gives_rows(demo):
    for name, query in EXAMPLES.items():
        assert run_query(demo, query).rows, name


def test_a_link_with_a_query_shows_it_and_runs_it_only_when_the_reader_says_so(
    open_page, demo, monkeypatch
):
    asked = []

    def noted(version, query):
        asked.append(query)
        return ask_freely(version, query)

    # A page is a script: it takes the function from here at every run.
    monkeypatch.setattr(data, "ask_freely", noted)
    app = open_page("sql", q="select 'shared' as link")
    assert _edited(app) == "select 'shared' as link"
    assert "press **Run**" in app.info[0].value
    assert "select 'shared' as link" not in asked
    _run(app, "select 'shared' as link")
    assert not app.info
    assert app.dataframe[0].value["link"].tolist() == ["shared"]
    assert "select 'shared' as link" in asked


def test_a_query_too_long_for_a_link_still_runs(open_page, publish):
    long = "select 1 as one -- " + "x" * 5_000
    publish()
    app = open_page("sql")
    saved.save(find_home(), "long", long)
    app.run()
    app.selectbox(key="sql_example").set_value("Saved: long").run()
    assert app.dataframe[0].value["one"].tolist() == [1]
    assert "q" not in app.query_params


def test_an_example_is_filled_in_and_runs(open_page, demo):
    name = "What did each run cost?"
    app = open_page("sql")
    app.selectbox(key="sql_example").set_value(name).run()
    assert _edited(app) == EXAMPLES[name]
    assert "cost_usd" in app.dataframe[0].value.columns
    assert app.query_params["q"] == EXAMPLES[name]


def test_the_editor_knows_every_table_and_column(shown_page, demo):
    (editor,) = shown_page("sql").get("bidi_component")
    tables = json.loads(editor.proto.json)["tables"]
    counted = rows(demo, TABLES.replace("comment", "column_count"))
    assert {name: len(columns) for name, columns in tables.items()} == {
        one["table_name"]: one["column_count"] for one in counted
    }


def test_a_query_is_kept_in_the_home_found_again_and_forgotten(open_page, publish):
    publish()
    app = _run(open_page("sql"), "select 7 as kept")
    app.text_input(key="sql_name").set_value("Lucky [number](x)")
    app.button(key="sql_save").click().run()
    assert not app.exception
    other = open_page("sql")
    other.selectbox(key="sql_example").set_value("Saved: Lucky [number](x)").run()
    assert other.dataframe[0].value["kept"].tolist() == [7]
    other.button(key="sql_forget").click().run()
    assert not other.exception
    assert saved.saved(find_home()) == {}


def test_a_query_without_a_name_is_not_kept_and_a_spoilt_file_is_named(open_page, publish):
    publish()
    app = open_page("sql")
    app.button(key="sql_save").click().run()
    assert "needs a name" in app.error[0].value
    (find_home().root / saved.FILE).write_text("[1]")
    app.run()
    assert not app.exception
    assert "mend or remove it" in app.warning[0].value


def test_served_read_only_a_query_is_neither_kept_nor_removed(tmp_path, monkeypatch):
    home = Home(tmp_path)
    saved.save(home, "mine", "select 1")
    monkeypatch.setenv(READ_ONLY, "1")
    for change in (
        lambda: saved.save(home, "other", "select 2"),
        lambda: saved.remove(home, "mine"),
    ):
        with pytest.raises(saved.NotSaved, match="read-only"):
            change()
    assert saved.saved(home) == {"mine": "select 1"}


def test_names_and_queries_have_limits(tmp_path):
    home = Home(tmp_path)
    with pytest.raises(saved.NotSaved, match="too long, or too many"):
        saved.save(home, "x" * 81, "select 1")
    with pytest.raises(saved.NotSaved, match="too long, or too many"):
        saved.save(home, "x", "x" * 20_001)


def test_a_result_is_drawn_as_the_address_says_with_its_interval(open_page, demo):
    app = open_page("sql", y="n_items", form="bars")
    assert app.selectbox(key="sql_x").value == "judge_id"
    assert app.selectbox(key="sql_y").value == "n_items"
    frame = pd.DataFrame(
        {"who": ["a", "b.c[0]"], "mean_x.y": [0.1, 0.4], "x.y_low": [0.0, 0.3], "x.y_high": [1, 2]}
    )
    drawn = result_chart(frame, "who", "mean_x.y", "points").to_dict()
    (data,) = drawn["datasets"].values()
    assert data[1] == {"x": "b.c[0]", "y": 0.4, "low": 0.3, "high": 2}
    assert len(drawn["layer"]) == 2
    assert len(result_chart(frame, "who", "x.y_low", "line").to_dict()["layer"]) == 1


def test_a_result_without_a_number_is_not_drawn(shown_page, demo):
    app = _run(shown_page("sql"), "select 'a' as letter")
    assert "Draw it" not in [one.value for one in app.subheader]


def test_a_refused_query_shows_the_reason_and_nothing_else_breaks(shown_page, demo):
    app = _run(shown_page("sql"), "copy dim_item to '/tmp/stolen.csv'")
    assert not app.exception
    assert app.error[0].value == "The query was refused or failed:"
    assert "COPY is not run here" in app.code[0].value


def test_results_of_every_type_are_shown(shown_page, demo):
    query = (
        "select 170141183460469231731687303715884105727::hugeint as big, [1, 2] as list, "
        "{'a': 1} as struct, interval 1 day as span, date '2026-01-01' as day, uuid() as id, "
        "'\\x00'::blob as bytes, null as nothing, 1.5::decimal(4, 2) as exact, map {'k': 1} as pairs, "
        "timestamptz '2026-01-01 00:00:00+00' as moment"
    )
    app = _run(shown_page("sql"), query)
    assert not app.exception
    assert not app.error, app.code[0].value


def test_the_schema_lists_every_table_with_its_meaning(shown_page, demo):
    app = shown_page("sql")
    tables = next(frame.value for frame in app.dataframe if "table" in frame.value.columns)
    assert {"dim_item", "fct_score", "rpt_rater_agreement"} <= set(tables["table"])
    listed = dict(zip(tables["table"], tables["what it holds"], strict=True))
    assert listed == {one["table_name"]: _line(one["comment"]) for one in rows(demo, TABLES)}
    columns = next(frame.value for frame in app.dataframe if "column" in frame.value.columns)
    meaning = dict(zip(columns["column"], columns["what it means"], strict=True))
    told = {one["column_name"]: _line(one["comment"]) for one in rows(demo, COLUMNS)}
    assert meaning == told
    assert meaning["tau_c"]
