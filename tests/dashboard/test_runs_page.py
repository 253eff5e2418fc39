"""The page about runs: did they work, what went wrong, what did it cost."""

import pytest
from changes import EXPERIMENT, FAILURES, JUDGE, RUN, empty, failing_runs, strange
from shown import table

from dashboard.core.data import frame_of
from dashboard.core.findings import records
from dashboard.core.labels import is_missing
from dashboard.runs import queries as run_queries
from dashboard.runs.charts import GROUPS, group_of
from dashboard.runs.findings import chart_title, cost_note, run_finding, status_words
from dashboard.runs.panels import label
from inference.errors import ERROR_KINDS
from warehouse.reader import run_query


def _text(app) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.caption])


@pytest.fixture
def failing(changed):
    return changed(*failing_runs())


def test_without_a_run_the_page_names_the_command(shown_page, changed):
    changed(*empty("rpt_run_health"))
    app = shown_page("runs")
    assert "No judge has been run or imported yet" in _text(app)
    assert app.code[0].value == ("rostrum judges\nrostrum run speech-score --judge JUDGE")


def test_the_page_states_the_worst_run_what_it_lost_and_why(shown_page, failing):
    app = shown_page("runs", experiment=EXPERIMENT)
    assert (
        "#### In 1 of 2 runs requests failed. The largest share failed with `lab/small-model`: "
        "35.0\u00a0% [28.0,\u00a043.8] of 300; most often: rate limited (40)."
    ) in _text(app)
    assert "2 runs are not complete; 500 planned requests have no outcome yet." in _text(app)


def test_of_a_handful_of_requests_none_is_said_to_have_the_largest_share() -> None:
    totals = {
        "failing_run_count": 1,
        "run_count": 2,
        "complete_count": 2,
        "request_count": 9,
        "no_reference_count": 0,
        "unasked_count": 0,
    }
    worst = {
        "run_id": "a",
        "judge_id": "lab/few",
        "failure_share": 0.5,
        "failure_share_low": 0.19,
        "failure_share_high": 0.81,
        "request_count": 6,
        "no_reference_count": 0,
    }
    said = run_finding(totals, [worst], []).headline
    assert "Look at `lab/few`" in said
    assert "argest share" not in said


def test_the_figures_say_how_much_is_known(shown_page, failing):
    app = shown_page("runs", experiment=EXPERIMENT)
    assert [(metric.label, metric.value) for metric in app.metric] == [
        ("Requests", "300"),
        ("Cost (USD)", "–"),
        ("Slowest median (s)", "2.31"),
    ]
    # The largest share of failures is in the headline.
    assert "35.0\u00a0%" in app.markdown[0].value
    assert "with an outcome, of 800 planned · 2 runs · 91 retries" in _text(app)
    assert (
        "unknown: at least 0.0421, known for 200 of 300 requests sent · 181,200 tokens in "
        "(90,112 cached), 4,310 out"
    ) in _text(app)
    assert "p90 11.8 s, p99 61.2 s · 300 requests" in _text(app)


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
    assert "most often: rate limited (40)." in _text(app)


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
    assert "What the endpoint sent instead of an answer" in _text(app)
    assert f"kept in `journal/{RUN}/responses.jsonl, line 12`" in _text(app)
    app.button(key="runs_close").click().run()
    assert "answer" not in app.query_params


def test_a_request_without_any_text_says_so(shown_page, failing):
    app = shown_page("runs", answer=f"{RUN}#timeout")
    assert "No text came back." in _text(app)
    assert "not answered (timeout)" in _text(app)
    app = shown_page("runs", answer=f"{RUN}#filtered")
    assert "An empty text came back." in _text(app)


def test_a_link_to_an_answer_that_is_gone_is_said(shown_page, failing):
    app = shown_page("runs", answer="gone")
    assert "The answer `gone` is not in this version." in _text(app)


def test_strange_text_of_failures_reaches_no_markdown(shown_page, changed):
    odd = "<img src=x> [click](http://evil.example) **bold** $x$"
    changed(*failing_runs(), *strange(odd))
    app = shown_page("runs", experiment=EXPERIMENT, answer=f"{RUN}#malformed")
    assert [code.value for code in app.code].count(odd) == 2
    assert "[click](http" not in _text(app)


def test_the_page_has_two_charts_in_two_parts_each_and_the_queries_behind_them(shown_page, failing):
    app = shown_page("runs")
    assert len(app.get("vega_lite_chart")) == 4
    folded = [one.label for one in app.expander if "runs shown; the other" in one.label]
    assert [one.partition(" of ")[0] for one in folded] == ["7", "7"]
    queries = [code.value for code in app.code if code.value.startswith(("select", "with"))]
    assert len(queries) == 4
    assert all("$" not in query for query in queries)


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


def test_a_title_says_what_to_conclude():
    whole = {"failure_count": 0, "unasked_count": 0}
    lost = {"failure_count": 3, "unasked_count": 0}
    waiting = {"failure_count": 0, "unasked_count": 5}
    assert chart_title([whole, whole]) == "Every planned request was answered and read"
    assert chart_title([lost, whole, waiting]) == (
        "Of 3 runs drawn, 1 without a failure, 1 with failed requests, 1 with requests still to ask"
    )


def test_runs_without_a_failure_or_an_outcome_are_said_plainly():
    totals = {
        "run_count": 2,
        "complete_count": 2,
        "failing_run_count": 0,
        "request_count": 144,
        "no_reference_count": 0,
        "unasked_count": 0,
    }
    assert run_finding(totals, [], []).headline == (
        "Every one of 144 requests in 2 runs was answered and read."
    )
    lacking = run_finding(totals | {"request_count": 150, "no_reference_count": 6}, [], [])
    assert "Every one of 144 requests" in lacking.headline
    assert "6 requests" in lacking.rest
    totals |= {"request_count": 0, "complete_count": 1, "unasked_count": 1}
    found = run_finding(totals, [], [])
    assert found.headline == "No request of 2 runs has an outcome yet."
    assert found.rest.startswith("1 run is not complete; 1 planned request has no outcome yet.")


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


def test_two_imports_of_a_judge_with_hyphens_in_its_name_are_told_apart():
    run = {"failure_share": 0.0, "judge_id": "lab/a--b", "experiment": "imported"}
    names = [label({**run, "run_id": f"import-{one}-lab-a--b"}) for one in ("8d54", "9f08")]
    assert names == [f"lab/a--b\nimported, import-{one}" for one in ("8d54", "9f08")]
    asked = label({**run, "run_id": "my-test--lab-a--b--e735dac9", "experiment": "my-test"})
    assert asked == "lab/a--b\nmy-test, e735dac9"
