"""A study: what the pages of a subject show, as one file that needs nothing else."""

import re

import pytest
from shown import read, value

from dashboard.core.html_file import document, prose, svg
from dashboard.study.errors import StudyFailed
from dashboard.study.file import study
from dashboard.study.shown import Part, without_repeats

STRANGE = "<script>alert(1)</script><img src=x onerror=alert(2)>"
ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;"


@pytest.fixture(scope="module")
def made():
    return {}


@pytest.fixture
def oversight(demo, made):
    """The study of oversight, made once."""
    if not made:
        made["text"] = study(demo, ["oversight"]).decode()
    return made["text"]


def test_the_file_is_whole_and_neither_runs_nor_fetches_anything(oversight):
    found = read(oversight)
    assert not found.tags & {"script", "img", "link", "iframe", "object", "image", "form"}
    assert found.links
    assert all(link.startswith("#") and link[1:] in found.ids for link in found.links)
    assert len(found.ids) == len(set(found.ids))
    assert "default-src 'none'" in oversight
    assert not re.search(r"url\(\s*['\"]?http", oversight)


def test_the_file_has_findings_charts_tables_methods_settings_versions_and_citation(
    oversight, demo
):
    found = read(oversight)
    assert {"svg", "table", "pre"} <= found.tags
    assert 'class="finding"' in oversight
    assert "Sample data" in oversight
    assert "Selected: Data set: Rostrum sample stories" in oversight
    assert {"oversight", "judges", "measures", "versions", "citation"} <= set(found.ids)
    assert demo.name in oversight
    assert value(demo, "select project_hash from publication") in oversight
    assert "The Rostrum developers (2026)" in oversight
    for view in ("Accuracy", "Ratings", "Calibration", "Quotes"):
        assert f"<h3>{view}</h3>" in oversight


def test_a_figure_of_the_file_is_the_one_of_the_mart(oversight, demo):
    most = value(demo, "select max(n_units) from rpt_protocol_accuracy where judge_id <> 'human'")
    assert str(most) in oversight


def test_what_several_views_share_stands_once_and_no_heading_is_empty():
    heading, same, own = Part("<h4>Same</h4>", 4), Part("<p>same</p>"), Part("<p>own</p>")
    view, other = Part("<h3>View</h3>", 3), Part("<h3>Other</h3>", 3)
    runs = [[view, heading, same], [other, heading, same, Part("<h4>Own</h4>", 4), own]]
    kept = without_repeats(runs)
    assert [part.html for part in kept] == [
        "<h3>View</h3>",
        "<h4>Same</h4>",
        "<p>same</p>",
        "<h3>Other</h3>",
        "<h4>Own</h4>",
        "<p>own</p>",
    ]


def test_text_of_strangers_stays_text(changed):
    version = changed(
        f"update dim_dataset set title = '{STRANGE}', citation = '{STRANGE}'",
        f"update dim_judge set family = '{STRANGE}'",
    )
    text = study(version, ["oversight"]).decode()
    assert not read(text).tags & {"script", "img"}
    assert text.count(ESCAPED) > 2


def test_markdown_of_pages_becomes_html_and_theirs_alone():
    assert (
        prose("**1** `a<b>` \\*x\\*") == "<p><strong>1</strong> <code>a&lt;b&gt;</code> *x*</p>\n"
    )
    assert ESCAPED in prose(STRANGE)
    assert "href" not in prose("[a](javascript:alert(1)) [b](https://example.org)")
    assert "src" not in prose("![a](https://example.org/x.png)")
    assert prose(":red[hot] :material/star:") == "<p>hot</p>\n"


def test_names_in_a_chart_stay_text_and_drawings_share_no_ids():
    spec = {
        "data": {"values": [{"name": STRANGE, "value": 1}]},
        "mark": {"type": "bar", "clip": True},
        "encoding": {"y": {"field": "name"}, "x": {"field": "value", "type": "quantitative"}},
    }
    other = {**spec, "mark": {"type": "point", "clip": True}}
    whole = document("two", [svg(spec), svg(other)], source="here").decode()
    found = read(whole)
    assert not found.tags & {"script", "img"}
    assert len(found.ids) == len(set(found.ids)) > 1


def test_a_subject_without_data_is_left_out_or_named(publish):
    version = publish("delete from rpt_protocol_accuracy")
    with pytest.raises(StudyFailed, match="oversight: the published version has no data of it"):
        study(version, ["oversight"])


def test_an_unknown_judge_is_named_with_those_that_are_there(demo):
    with pytest.raises(StudyFailed, match="oversight: no judge named nobody; there are simulated"):
        study(demo, ["oversight"], ["nobody"])
    with pytest.raises(StudyFailed, match="no data of nobody"):
        study(demo, [], ["nobody"])


def test_a_study_of_one_judge_leads_to_where_it_judged(demo):
    text = study(demo, [], ["simulated/oversight-first"]).decode()
    assert "<title>Rostrum study: Oversight</title>" in text
    assert "Judges: simulated/oversight-first" in text
