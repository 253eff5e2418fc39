"""Each page, full and empty."""

import pandas as pd
import pytest
from published_stub import publish_stub
from stub_rows import JUDGES, Judge

from dashboard.core.widgets import column_config

PAGES = (
    "overview",
    "speech_judges",
    "why",
    "bias_lab",
    "judge_against_judge",
    "judge_card",
    "debatable_questions",
    "metric_trust",
    "parliamentary",
    "transcripts",
    "oversight",
    "debate_reader",
    "judge_yourself",
    "replication",
    "runs",
    "sql",
)


def _markdown(app) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.caption, *app.subheader])


def _charts(app) -> int:
    return len(app.get("vega_lite_chart"))


@pytest.mark.parametrize("name", PAGES)
def test_with_nothing_published_a_page_names_the_command_to_run(open_page, name):
    app = open_page(name)
    assert not app.exception
    assert "Nothing is published yet" in _markdown(app)
    assert app.code[0].value == "rostrum demo"


@pytest.mark.parametrize("name", ["overview", "speech_judges"])
def test_a_version_without_data_sets_names_the_command_to_run(open_page, home, name):
    publish_stub(home, datasets=False)
    app = open_page(name)
    assert not app.exception
    assert "rostrum ingest sample\nrostrum build" in [code.value for code in app.code]


@pytest.mark.parametrize("name", PAGES)
def test_a_full_page_runs_without_an_error_and_names_its_version(open_page, published, name):
    app = open_page(name)
    assert not app.exception
    assert not app.error
    assert f"Published warehouse `{published.name}`, 2026-03-01 13:00 UTC" in _markdown(app)


def test_the_overview_prefers_a_real_data_set_and_shows_how_people_agree(open_page, published):
    app = open_page()
    assert app.selectbox(key="overview_dataset").value == "city-council"
    assert not app.warning
    assert "No judge has scored the speeches of “City council speeches” yet" in _markdown(app)
    assert _charts(app) == 1


def test_the_overview_warns_when_only_sample_data_are_shown(open_page, published):
    app = open_page(dataset="sample")
    assert app.warning[0].value.startswith("Only sample data are selected.")
    assert "Sample data" in _markdown(app)


def test_the_overview_has_four_figures_with_interval_and_n(open_page, published):
    app = open_page(dataset="sample")
    assert [(metric.label, metric.value) for metric in app.metric] == [
        ("Highest τ-c", "0.580"),
        ("One person: τ-c", "0.410"),
        ("Highest mean κ", "0.340"),
        ("People: mean κ", "0.270"),
    ]
    assert "[0.350,\u00a00.470] · 15 people" in _markdown(app)
    assert "`simulated/careful` · [0.520,\u00a00.640] · 72 speeches" in _markdown(app)


def test_speech_judges_states_the_finding_and_the_unreadable_answers_in_one_sentence(
    open_page, published
):
    app = open_page("speech_judges", dataset="sample")
    assert (
        "#### simulated\\/careful agrees with people better than one person does: mean κ 0.340 "
        "[0.290,\u00a00.390], people 0.270 [0.220,\u00a00.320], over 105 pairs of "
        "people (⚠ lab\\/small\\-model left 8.33"
    ) in _markdown(app)


def test_speech_judges_shows_the_bounds_of_a_judge_with_failures(open_page, published):
    app = open_page("speech_judges", dataset="sample")
    assert "⚠ `lab/small-model`: 6 answers of 72 had no readable score" in _markdown(app)
    assert "mean κ would be 0.0700 to 0.190." in _markdown(app)


def test_speech_judges_gives_the_reason_for_an_unknown_value(open_page, published):
    app = open_page("speech_judges", dataset="sample")
    assert (
        "– rule/always-three has no τ-c: every score is the same, so there is no order to compare"
        in [text.value for text in app.text]
    )


def test_the_crowd_says_how_many_people_a_judge_is_worth(open_page, published):
    app = open_page("speech_judges", dataset="sample", about="crowd")
    assert not app.exception
    said = _markdown(app)
    assert "#### 6 judges are worth 1.50 people [less than one, 2.50], on 72 speeches (12" in said
    assert "no paired test tells which judge is ahead here, so none is named" in said
    assert [metric.value for metric in app.metric] == ["1.50", "0.500", "0.400", "0.400"]
    assert "`rater-01`" in app.warning[0].value


def test_the_crowd_is_described_without_a_judge(open_page, published):
    app = open_page("speech_judges", dataset="city-council", about="crowd")
    assert not app.exception
    assert "#### One person's score correlates with the mean of eight others: r 0.500" in (
        _markdown(app)
    )


def test_human_scores_alone_are_worth_a_page(open_page, published):
    app = open_page("speech_judges", dataset="city-council")
    assert not app.exception
    assert "#### People agree with each other: mean κ 0.270" in _markdown(app)
    assert [metric.value for metric in app.metric] == ["0.270", "0.410"]
    assert "People score Seasoned speaker (" in _markdown(app)
    assert _charts(app) == 4
    assert "rostrum judges\nrostrum run speech-score --judge JUDGE" in [
        code.value for code in app.code
    ]


def test_each_judge_has_a_panel_of_scores_and_one_of_sources(open_page, published):
    app = open_page("speech_judges", dataset="sample")
    assert _charts(app) == 2 + 2 * len(JUDGES)


def test_more_judges_than_fit_are_drawn_in_part_and_the_page_says_so(open_page, home):
    many = tuple(
        Judge(f"lab/judge-{at:02d}", "imported", 0.3 - at / 200, 0.5 - at / 200, 0, 0.5)
        for at in range(40)
    )
    publish_stub(home, judges=many)
    app = open_page("speech_judges", dataset="sample")
    assert not app.exception
    said = [info.value for info in app.info]
    assert any(text.startswith("The chart shows the 30 highest of 40.") for text in said)
    assert any(text.startswith("12 of 40 judges are drawn") for text in said)


def test_the_published_comparison_stands_beside_the_warehouse(open_page, published):
    app = open_page("speech_judges")
    comparison = next(frame.value for frame in app.dataframe if "published" in frame.value.columns)
    assert comparison["result"].tolist() == ["differs", "agrees", "no data"]


def test_every_number_can_be_asked_for_again_in_sql(open_page, published):
    app = open_page("speech_judges", dataset="sample")
    queries = [code.value for code in app.code if code.value.startswith(("select", "with"))]
    assert len(queries) == 7
    assert all("$" not in query for query in queries)


def test_a_mart_that_is_missing_is_an_error_with_the_next_command(open_page, home):
    version = publish_stub(home)
    import duckdb

    with duckdb.connect(str(version.path)) as connection:
        connection.execute("drop table rpt_rank_agreement")
    app = open_page()
    assert not app.exception
    assert app.error[0].value.startswith("This page could not be read")
    assert "rostrum build" in [code.value for code in app.code]


def test_an_interval_among_dashes_is_shown_whole():
    shown = pd.DataFrame({"95 %": ["[−0.0877,\u00a00.934]", None, None], "n": [1, 2, 3]})
    assert column_config(shown, {})["95 %"]["width"] > 6 * len("[−0.0877, 0.934]")
    even = pd.DataFrame({"95 %": ["[0.1, 0.2]"] * 3})
    assert column_config(even, {}) == {}
