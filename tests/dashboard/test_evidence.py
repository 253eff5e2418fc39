"""From a number back to the speech, the human scores and the raw answer."""

import duckdb


def _text(app) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.caption])


def test_a_link_opens_a_speech_with_every_human_score_and_the_raw_answers(open_page, published):
    app = open_page("speech_judges", dataset="sample", item="sample:03-2", by="simulated/harsh")
    assert not app.exception
    assert "#### Voting should be compulsory" in _text(app)
    assert any(text.value.startswith("Voting should be compulsory. We") for text in app.text)
    scores = next(frame.value for frame in app.dataframe if "person" in frame.value.columns)
    assert len(scores) == 15
    chosen = app.selectbox(key="speech_judges_answer").value
    assert chosen.startswith("speech-score--simulated-harsh--")
    with duckdb.connect(str(published.path), read_only=True) as connection:
        said = connection.execute(
            "select response from dim_response where response_id = ?", [chosen]
        ).fetchone()[0]
    assert said in [code.value for code in app.code]
    assert "Run `speech-score--simulated-harsh--core` · prompt `speech_score` · parsed" in _text(
        app
    )


def test_an_unreadable_answer_is_shown_with_its_reason(open_page, published):
    app = open_page("speech_judges", dataset="sample", item="sample:00-0", by="lab/small-model")
    assert "A fine speech, on the whole." in [code.value for code in app.code]
    assert "unparsed (no score tag)" in _text(app)


def test_another_answer_can_be_read_and_stands_in_the_url(open_page, published):
    app = open_page("speech_judges", dataset="sample", item="sample:03-2")
    box = app.selectbox(key="speech_judges_answer")
    box.set_value(box.options and "speech-score--rule-word-count--core/20").run()
    assert app.query_params["answer"] == "speech-score--rule-word-count--core/20"
    assert "Run `speech-score--rule-word-count--core`" in _text(app)


def test_an_ensemble_points_to_its_members_answers(open_page, published):
    with duckdb.connect(str(published.path)) as connection:
        connection.execute("delete from fct_score where judge_id = 'ensemble/panel'")
    app = open_page("speech_judges", dataset="sample", item="sample:03-2", by="ensemble/panel")
    assert "`ensemble/panel` has no answer of its own on this speech" in _text(app)


def test_a_speech_that_is_gone_is_said_and_can_be_closed(open_page, published):
    app = open_page("speech_judges", dataset="sample", item="sample:nowhere")
    assert not app.exception
    assert "The link names the speech `sample:nowhere`, which this version lacks." in _text(app)
    app.button(key="speech_judges_close").click().run()
    assert "item" not in app.query_params


def test_the_worst_disagreements_come_first_for_every_judge(open_page, published):
    app = open_page("speech_judges", dataset="sample")
    table = next(frame.value for frame in app.dataframe if "difference" in frame.value.columns)
    first = table.head(7)
    assert first["judge"].nunique() == 7
    assert first["difference"].abs().is_monotonic_decreasing
