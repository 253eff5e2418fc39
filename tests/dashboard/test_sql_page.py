"""The SQL page: read-only, capped, and linkable."""

from shown import rows

from dashboard.core import data
from dashboard.core.data import ask_freely
from dashboard.pages.sql import EXAMPLES
from warehouse.reader import run_query

TABLES = "select table_name, comment from duckdb_tables() where not internal"
COLUMNS = (
    "select column_name, comment from duckdb_columns() where table_name = 'rpt_rank_agreement'"
)


def _line(comment: str | None) -> str | None:
    return comment and " ".join(comment.split())


def _text(app) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.caption])


def _run(app, query: str):
    app.text_area(key="sql_text").set_value(query)
    next(button for button in app.button if button.label == "Run").click()
    return app.run()


def test_every_example_gives_rows(demo):
    for name, query in EXAMPLES.items():
        assert run_query(demo, query).rows, name


def test_the_page_opens_with_an_answer(shown_page, demo):
    app = shown_page("sql")
    assert app.text_area(key="sql_text").value == next(iter(EXAMPLES.values()))
    assert "tau_c" in app.dataframe[0].value.columns


def test_a_query_runs_and_stands_in_the_url(shown_page, demo):
    app = _run(shown_page("sql"), "select 40 + 2 as answer")
    assert app.dataframe[0].value["answer"].tolist() == [42]
    assert app.query_params["q"] == "select 40 + 2 as answer"


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
    assert app.text_area(key="sql_text").value == "select 'shared' as link"
    assert "press **Run**" in app.info[0].value
    assert "select 'shared' as link" not in asked
    next(button for button in app.button if button.label == "Run").click()
    app.run()
    assert not app.info
    assert app.dataframe[0].value["link"].tolist() == ["shared"]
    assert "select 'shared' as link" in asked


def test_a_query_too_long_for_a_link_still_runs(shown_page, demo):
    long = "select 1 as one -- " + "x" * 5_000
    app = _run(shown_page("sql"), long)
    assert app.dataframe[0].value["one"].tolist() == [1]
    assert "q" not in app.query_params


def test_an_example_is_filled_in_and_runs(open_page, demo):
    name = "What did each run cost?"
    app = open_page("sql")
    app.selectbox(key="sql_example").set_value(name).run()
    assert app.text_area(key="sql_text").value == EXAMPLES[name]
    assert "cost_usd" in app.dataframe[0].value.columns


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
