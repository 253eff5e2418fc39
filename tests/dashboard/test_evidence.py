"""From a number back to the speech, the human scores and the raw answer."""

from shown import codes, row, rows, table, text

JUDGE, FAILING, ENSEMBLE = "simulated/harsh", "simulated/careless", "ensemble/simulated-panel"
SCORED = (
    "from fct_score where judge_id = $judge and template = 'speech_score' and {} order by item_id"
)


def _score(version, judge: str, condition: str = "is_current") -> dict:
    return row(version, SCORED.format(condition), judge=judge)


def _response(version, response_id: str) -> dict:
    return row(version, "from dim_response where response_id = $id", id=response_id)


def test_a_link_opens_a_speech_with_every_human_score_and_the_raw_answers(shown_page, demo):
    item = _score(demo, JUDGE)["item_id"]
    app = shown_page("speech_judges", dataset="sample", item=item, by=JUDGE)
    speech = row(demo, "from dim_item where item_id = $item", item=item)
    assert f"#### {speech['motion']}" in text(app)
    assert speech["text"] in [one.value for one in app.text]
    people = rows(demo, "from fct_rating where item_id = $item", item=item)
    assert len(table(app, "person")) == len(people) > 0
    answer = _response(demo, app.selectbox(key="speech_judges_answer").value)
    assert answer["judge_id"] == JUDGE
    assert answer["response"] in codes(app)
    said = f"Run `{answer['run_id']}` · prompt `{answer['template']}` · parsed"
    assert said in text(app)


def test_an_unreadable_answer_is_shown_with_its_reason(shown_page, demo):
    failed = _score(demo, FAILING, "parse_status = 'unparsed'")
    app = shown_page("speech_judges", dataset="sample", item=failed["item_id"], by=FAILING)
    assert _response(demo, failed["response_id"])["response"] in codes(app)
    assert f"unparsed ({failed['parse_reason']})" in text(app)


def test_another_answer_can_be_read_and_stands_in_the_url(open_page, demo):
    other = _score(demo, "rule/length")
    app = open_page("speech_judges", dataset="sample", item=other["item_id"])
    app.selectbox(key="speech_judges_answer").set_value(other["response_id"]).run()
    assert app.query_params["answer"] == other["response_id"]
    assert f"Run `{other['run_id']}`" in text(app)


def test_the_worst_disagreements_come_first_for_every_judge(shown_page, demo):
    judges = len(
        rows(
            demo,
            "select distinct judge_id from rpt_item_disagreement where template = 'speech_score'",
        )
    )
    first = table(shown_page("speech_judges", dataset="sample"), "difference").head(judges)
    assert first["judge"].nunique() == judges
    assert first["difference"].abs().is_monotonic_decreasing
