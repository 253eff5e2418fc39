"""The page about runs: did they work, what went wrong, what did it cost."""

import pytest
from changes import EXPERIMENT, FAILURES, JUDGE, RUN, failing_runs, strange
from shown import table, text

from dashboard.core.data import frame_of
from dashboard.core.findings import records
from dashboard.core.labels import is_missing
from dashboard.runs import queries as run_queries
from dashboard.runs.charts import GROUPS, group_of
from dashboard.runs.findings import cost_note, status_words
from inference.errors import ERROR_KINDS
from warehouse.reader import run_query


@pytest.fixture
def failing(changed):
    return changed(*failing_runs())


def test_the_page_states_the_worst_run_what_it_lost_and_why(shown_page, failing):
    app = shown_page("runs", experiment=EXPERIMENT)
    assert (
        "#### In 1 of 2 runs requests failed. The largest share failed with `lab/small-model`: "
        "35.0\u00a0% [28.0,\u00a043.8] of 300; most often: rate limited (40)."
    ) in text(app)


def test_every_kind_of_failure_is_listed_most_frequent_first(shown_page, failing):
    app = shown_page("runs", experiment=EXPERIMENT)
    listed = table(app, "what happened")
    assert listed["status"].tolist() == [status for status, *_ in FAILURES]
    assert listed["example, its start"].tolist()[:2] == [
        "the endpoint says: rate_limited",
        FAILURES[1][2],
    ]


def test_the_listed_failures_can_be_narrowed_by_the_url(shown_page, failing):
    app = shown_page("runs", experiment=EXPERIMENT, status=["refused", "timeout"])
    listed = table(app, "what happened")
    assert listed["status"].tolist() == ["timeout", "refused"]
    assert app.multiselect(key="runs_status").value == ["refused", "timeout"]


def test_judges_and_experiment_stand_in_the_url(open_page, failing):
    app = open_page("runs", judge=["rule/length", "rule/constant-4"])
    shown = table(app, "planned")
    assert set(shown["judge"]) == {"rule/length", "rule/constant-4"}
    app.selectbox(key="runs_experiment").set_value("speech-score").run()
    assert app.query_params["experiment"] == "speech-score"
    assert "judge" not in app.query_params
    app.button(key="runs_reset").click().run()
    assert not app.query_params


def test_a_link_opens_an_example_as_it_came_and_where_it_is_kept(open_page, failing):
    app = open_page("runs", experiment=EXPERIMENT, answer=f"{RUN}#malformed")
    codes = [code.value for code in app.code]
    assert "the endpoint says: malformed" in codes
    assert "<html><head><title>502 Bad Gateway</title></head></html>" in codes
    assert "What the endpoint sent instead of an answer" in text(app)
    assert f"kept in `journal/{RUN}/responses.jsonl, line 12`" in text(app)
    app.button(key="runs_close").click().run()
    assert "answer" not in app.query_params


def test_strange_text_of_failures_reaches_no_markdown(shown_page, changed):
    odd = "<img src=x> [click](http://evil.example) **bold** $x$"
    changed(*failing_runs(), *strange(odd))
    app = shown_page("runs", experiment=EXPERIMENT, answer=f"{RUN}#malformed")
    assert [code.value for code in app.code].count(odd) == 2
    assert "[click](http" not in text(app)


def test_the_bars_of_a_run_add_up_to_what_was_planned(failing):
    answer = run_queries.statuses(failing, [EXPERIMENT], [JUDGE])
    assert float(sum(answer.frame["share"])) == pytest.approx(1)
    assert int(sum(answer.frame["amount"])) == 400
    assert answer.frame.equals(frame_of(run_query(failing, answer.sql)))


def test_every_status_has_words_and_a_group():
    for status in (*ERROR_KINDS, "unparsed", "refused", "filtered", "truncated", "unknown"):
        assert "_" not in status_words(status)
        assert group_of(status) in GROUPS
    assert len(set(GROUPS.values())) == len(GROUPS)


def test_an_unknown_price_is_unknown_and_not_nothing():
    unknown = {"cost_usd": None, "cost_known_usd": None, "cost_known_count": 0, "sent_count": 9}
    assert cost_note(unknown) == "unknown: no cost is known of 9 requests sent"
    partly = {**unknown, "cost_known_usd": 0.1 + 0.2, "cost_known_count": 8}
    assert cost_note(partly) == "unknown: at least 0.300, known for 8 of 9 requests sent"
    known = {**partly, "cost_usd": 0.0, "cost_known_usd": 0.0, "cost_known_count": 9}
    assert cost_note(known) == "known for all of 9 requests sent"


def test_runs_without_a_known_cost_leave_the_cost_of_all_unknown(failing):
    rows = run_queries.runs(failing, [EXPERIMENT], [JUDGE]).frame
    assert rows["cost_usd"].isna().all()
    totals = records(run_queries.everything(failing)[1].frame)[0]
    assert totals["run_count"] > len(rows)
    assert is_missing(totals["cost_usd"])
    assert totals["cost_known_usd"] == pytest.approx(0.0421)
