"""The selection lives in the URL."""

from stub_rows import JUDGES, PROMPTS


def _text(app) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.caption])


def test_a_page_opened_without_parameters_adds_none(open_page, published):
    app = open_page("speech_judges")
    assert dict(app.query_params) == {}
    assert app.button(key="speech_judges_reset").disabled


def test_the_url_decides_what_is_selected(open_page, published):
    app = open_page(
        "speech_judges",
        dataset="sample",
        template=PROMPTS[1],
        judge=["lab/small-model", "simulated/careful"],
        shared="20",
    )
    assert app.selectbox(key="speech_judges_dataset").value == "sample"
    assert app.selectbox(key="speech_judges_template").value == PROMPTS[1]
    assert app.selectbox(key="speech_judges_shared").value == "20"
    assert app.multiselect(key="speech_judges_judge").value == [
        "lab/small-model",
        "simulated/careful",
    ]
    assert "It is the highest of 2 judges" in _text(app)
    assert app.metric[0].value == "0.370"


def test_a_choice_is_written_to_the_url_and_its_dependents_are_forgotten(open_page, published):
    app = open_page("speech_judges", dataset="sample", judge="rule/word-count", item="sample:00-0")
    app.selectbox(key="speech_judges_dataset").set_value("city-council").run()
    assert dict(app.query_params) == {"dataset": "city-council"}


def test_several_judges_are_repeated_in_the_url(open_page, published):
    app = open_page("speech_judges", dataset="sample")
    app.multiselect(key="speech_judges_judge").set_value(
        ["rule/word-count", "ensemble/panel"]
    ).run()
    assert app.query_params["judge"] == ["rule/word-count", "ensemble/panel"]
    assert app.query_params["dataset"] == "sample"


def test_one_click_resets_the_whole_selection(open_page, published):
    app = open_page("speech_judges", dataset="sample", judge="rule/word-count", shared="100")
    app.button(key="speech_judges_reset").click().run()
    assert dict(app.query_params) == {}
    assert app.selectbox(key="speech_judges_dataset").value == "city-council"
    assert app.selectbox(key="speech_judges_shared").value == "50"


def test_a_link_to_what_is_not_there_says_so_and_shows_the_default(open_page, published):
    app = open_page("speech_judges", dataset="gone", judge="lab/gone")
    assert not app.exception
    assert "The link asks for dataset `gone`, which is not in this version." in _text(app)
    assert "Not in this selection, so not shown: `lab/gone`." in _text(app)


def test_all_prompts_are_shown_apart_and_never_pooled(open_page, published):
    app = open_page("speech_judges", dataset="sample", template="all")
    table = next(frame.value for frame in app.dataframe if "mean κ" in frame.value.columns)
    pairs = list(zip(table["judge"], table["prompt"], strict=True))
    assert ("simulated/careful", PROMPTS[0]) in pairs
    assert ("simulated/careful", PROMPTS[1]) in pairs
    assert len(pairs) == 1 + sum(len(judge.prompts) for judge in JUDGES)


def test_a_selection_can_leave_kappa_unknown_with_a_reason(open_page, published):
    app = open_page("speech_judges", dataset="sample", shared="100")
    assert not app.exception
    assert "No agreement can be computed here (no two people share 100 speeches)" in _text(app)
