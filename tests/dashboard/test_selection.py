"""The selection lives in the URL."""

import pytest
from changes import second_dataset
from shown import headline, rows, table, text, value

from dashboard.core.labels import number

PROMPTS = ("speech_score", "speech_score_justified")


def test_a_page_opened_without_parameters_adds_none(shown_page, demo):
    app = shown_page("speech_judges")
    assert dict(app.query_params) == {}
    assert app.button(key="speech_judges_reset").disabled


def test_the_url_decides_what_is_selected(shown_page, demo):
    app = shown_page(
        "speech_judges",
        dataset="sample",
        template=PROMPTS[1],
        judge=["simulated/noisy", "simulated/faithful"],
        shared="20",
    )
    assert app.selectbox(key="speech_judges_dataset").value == "sample"
    assert app.selectbox(key="speech_judges_template").value == PROMPTS[1]
    assert app.selectbox(key="speech_judges_shared").value == "20"
    assert app.multiselect(key="speech_judges_judge").value == [
        "simulated/noisy",
        "simulated/faithful",
    ]
    best = value(
        demo,
        "select max(mean_kappa) from rpt_rater_agreement where min_shared_items = 20 and template ="
        " $template and judge_id in ('simulated/noisy', 'simulated/faithful')",
        template=PROMPTS[1],
    )
    assert f"mean κ {number(best)}" in headline(app)


def test_a_choice_is_written_to_the_url_and_its_dependents_are_forgotten(open_page, changed):
    changed(*second_dataset())
    app = open_page("speech_judges", dataset="sample", judge="rule/length", item="sample:00-0")
    app.selectbox(key="speech_judges_dataset").set_value("city").run()
    assert dict(app.query_params) == {"dataset": "city"}


def test_several_judges_are_repeated_in_the_url(open_page, demo):
    app = open_page("speech_judges", dataset="sample")
    app.multiselect(key="speech_judges_judge").set_value(
        ["rule/length", "ensemble/simulated-panel"]
    ).run()
    assert app.query_params["judge"] == ["rule/length", "ensemble/simulated-panel"]
    assert app.query_params["dataset"] == "sample"


def test_one_click_resets_the_whole_selection(open_page, changed):
    changed(*second_dataset())
    app = open_page("speech_judges", dataset="sample", judge="rule/length", shared="100")
    app.button(key="speech_judges_reset").click().run()
    assert dict(app.query_params) == {}
    assert app.selectbox(key="speech_judges_dataset").value == "city"
    assert app.selectbox(key="speech_judges_shared").value == "50"


# The filters of every page that has what they filter.
FILTERS = {
    "start": "task made size",
    "speech_judges": "dataset template dimension shared judge about",
    "why": "analysis judge",
    "bias_lab": "experiment outcome bias",
    "judge_against_judge": "comparison",
    "judge": "judge with",
    "decide": "judge",
    "debatable_questions": "condition pd k",
    "metric_trust": "method",
    "parliamentary": "asked judge view",
    "oversight": "protocol view",
    "debate_reader": "protocol answer",
    "judge_yourself": "task",
    "replication": "paper status",
    "runs": "experiment judge status",
    "review": "open",
    "request": "request",
    "search": "dataset",
    "glossary": "term",
}


@pytest.mark.parametrize(
    ("page", "name"), [(page, name) for page in FILTERS for name in FILTERS[page].split()]
)
def test_what_is_not_there_is_said_and_nothing_is_shown_in_its_place(open_page, demo, page, name):
    app = open_page(page, **{name: "lab/gone"})
    assert f"**Not found: {name} `lab/gone`.**" in text(app)
    app.button(key="not_there_leave_out").click().run()
    assert not app.exception
    assert name not in app.query_params
    assert "Not found" not in text(app)


def test_a_page_that_lacks_what_is_asked_for_shows_no_figure(shown_page, demo):
    app = shown_page("judge", judge="lab/gone")
    assert "**Not found: judge `lab/gone`.**" in text(app)
    assert not app.metric
    assert not app.dataframe
    assert not app.get("vega_lite_chart")
    assert not app.get("download_button")


def test_the_rest_of_the_selection_is_kept_or_reset(open_page, demo):
    app = open_page("speech_judges", dataset="sample", judge="lab/gone")
    app.button(key="not_there_leave_out").click().run()
    assert dict(app.query_params) == {"dataset": "sample"}
    app = open_page("speech_judges", dataset="sample", judge="lab/gone")
    app.button(key="not_there_reset").click().run()
    assert dict(app.query_params) == {}


def test_of_several_judges_those_that_are_there_are_shown(shown_page, demo):
    app = shown_page("speech_judges", dataset="sample", judge=["rule/length", "lab/gone"])
    assert "Not in this selection, so not shown: `lab/gone`." in text(app)
    assert app.multiselect(key="speech_judges_judge").value == ["rule/length"]


def test_all_prompts_are_shown_apart_and_never_pooled(shown_page, demo):
    app = shown_page("speech_judges", dataset="sample", template="all")
    listed = table(app, "mean κ")
    pairs = list(zip(listed["judge"], listed["prompt"], strict=True))
    for words in ("a score only · speech_score", "reasons, then a score · speech_score_justified"):
        assert ("simulated/faithful", words) in pairs
    scored = rows(demo, "from rpt_rater_agreement where min_shared_items = 50")
    assert len(pairs) == len(scored)


def test_a_selection_can_leave_kappa_unknown_with_a_reason(shown_page, changed):
    changed(
        "update rpt_rater_agreement set mean_kappa = null, undefined_reason ="
        " 'no two people share 100 speeches' where min_shared_items = 100"
    )
    app = shown_page("speech_judges", dataset="sample", shared="100")
    assert "No κ can be computed here (no two people share 100 speeches)" in text(app)
