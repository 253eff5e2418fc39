"""One request: the prompt as sent, every try, the reply, and how it was read."""

from changes import update
from shown import codes, headline, rows, text

from dashboard.runs.trace import tries

_ONE = "where answer_kind = 'score' and judge_id = 'simulated/noisy' and dimension is not null"


def _request(demo, where: str = _ONE) -> dict:
    return rows(demo, f"select * from dim_response {where} order by response_id limit 1")[0]


def test_a_request_shows_prompt_reply_value_and_tries(open_page, demo):
    row = _request(demo)
    app = open_page("request", request=row["request_id"])
    said = text(app)
    score = rows(
        demo, "select value from fct_score where response_id = $one", one=row["response_id"]
    )[0]["value"]
    assert f"read as the score {score:g}" in headline(app)
    assert row["response"] in codes(app)
    assert "rules of version" in said
    speech = rows(demo, "select text from dim_item where item_id = $one", one=row["item_id"])[0]
    assert any(speech["text"].strip() in one.value for one in app.text)
    assert "Every try" in [one.value for one in app.subheader]
    assert app.dataframe[0].value["outcome"].tolist() == ["answered"]


def test_an_answer_of_a_run_is_found_by_its_own_name(open_page, demo):
    row = _request(demo)
    assert row["judge_id"] in headline(open_page("request", request=row["response_id"]))


def test_a_reply_with_markup_is_shown_as_it_came(open_page, changed, demo):
    row = _request(demo)
    hostile = "<script>alert(1)</script> [x](http://e.com)"
    changed(update("dim_response", f"response_id = '{row['response_id']}'", response=hostile))
    app = open_page("request", request=row["response_id"])
    assert hostile in codes(app)
    # This home has no journal.
    assert "imported from a file" in text(app)


def test_tries_before_the_last_have_error_and_wait():
    lines = [
        {"kind": "step", "request_id": "r"},
        {
            "kind": "answer",
            "error_kind": "server",
            "error": "500",
            "attempts": 3,
            "latency_s": 2.0,
            "retried": [
                {"error_kind": "timeout", "error": "late", "latency_s": 9.0, "wait_s": 0.5}
            ],
        },
        {"kind": "answer", "error_kind": None, "attempts": 1, "latency_s": 1.0},
    ]
    found, lost = tries(lines)
    assert [(one["start"], one["outcome"], one["then waited (s)"]) for one in found] == [
        (1, "timeout", 0.5),
        (1, "server", None),
        (2, "answered", None),
    ]
    assert lost == 1
