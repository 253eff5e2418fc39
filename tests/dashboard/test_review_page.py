"""Review: the largest disagreements first, decided through the inbox, nothing lost or invented."""

import json

import pytest
from changes import update
from shown import headline, rows, table, text

_FIRST = (
    "select * from rpt_disagreements where disagreement_kind = 'people' and dataset_id = 'sample' "
    "order by size desc, unit_id, judge_id, template limit 1"
)


def _inbox(home) -> list[dict]:
    return [json.loads(path.read_text("utf-8")) for path in sorted(home.inbox.glob("review-*"))]


_REVIEWED = (
    "insert into fct_review by name select disagreement_id, disagreement_kind, unit_kind, unit_id,"
    " dataset_id, title, judge_id, template, dimension, response_id, 'Ada' as person,"
    """ 'judge' as decision, '["length"]' as tags, '[x](http://e.com) <b>' as comment,"""
    " 1 as times_decided, true as is_current, timestamp '2026-01-01' as decided_at"
    f" from ({_FIRST})"
)


@pytest.fixture
def mine(publish, built_demo):
    """The demo's version in a home of this test's own, whose inbox may be written."""
    return publish()


def test_the_largest_disagreements_come_first(shown_page, demo):
    found = table(shown_page("review"), "your decision")
    sizes = list(found["size (share of the scale)"])
    assert sizes == sorted(sizes, reverse=True)
    assert set(found["your decision"]) == {"open"}
    whole = rows(demo, "select max(size) as m from rpt_disagreements where dataset_id = 'sample'")
    assert sizes[0] == whole[0]["m"]


def test_every_kind_of_disagreement_has_its_queue(open_page, demo):
    for kind, dataset in (("judges", "sample"), ("itself", "sample-debates")):
        app = open_page("review", kind=kind, dataset=dataset)
        assert len(table(app, "your decision"))


@pytest.mark.parametrize("unit", ["answer", "parliamentary", "transcript"])
def test_what_is_judged_in_other_subjects_opens_with_its_text_and_the_answers(
    open_page, demo, unit
):
    row = rows(
        demo,
        f"select * from rpt_disagreements where unit_kind = '{unit}' order by size desc, "
        "disagreement_id limit 1",
    )[0]
    kind, dataset = row["disagreement_kind"], row["dataset_id"]
    app = open_page("review", kind=kind, dataset=dataset, open=row["disagreement_id"])
    assert not app.exception
    read = "\n".join(str(one.value) for one in app.text)
    assert len(read) > 100
    mine = table(app, "repeat")
    mine = mine[mine["judge"] == row["judge_id"]]
    values = mine["answer"].astype(float)
    assert values.mean() == pytest.approx(row["judge_value"], abs=1e-3)


def test_an_opened_disagreement_shows_the_text_both_sides_and_the_reply(open_page, demo):
    row = rows(demo, _FIRST)[0]
    app = open_page("review", open=row["disagreement_id"])
    speech = rows(demo, "select text from dim_item where item_id = $one", one=row["unit_id"])[0]
    assert speech["text"] in [one.value for one in app.text]
    assert f"`{row['judge_id']}` says {row['judge_value']:.3g}" in text(app)
    # Nobody is named yet, so nothing can be handed in.
    assert next(one for one in app.button if one.label == "Hand in and go on").disabled


def test_a_decision_goes_into_the_inbox_and_the_next_one_opens(open_page, mine, home):
    row = rows(mine, _FIRST)[0]
    app = open_page("review", open=row["disagreement_id"], person="Ada")
    app.radio[0].set_value("both")
    app.text_area[0].set_value("Hard to say.")
    next(one for one in app.button if one.label == "Hand in and go on").click()
    app.run()
    assert not app.exception
    (found,) = _inbox(home)
    told = {name: found[name] for name in ("disagreement_id", "decision", "person", "comment")}
    assert told == {
        "disagreement_id": row["disagreement_id"],
        "decision": "both",
        "person": "Ada",
        "comment": "Hard to say.",
    }
    assert app.query_params["open"] != [row["disagreement_id"]]
    assert list(table(app, "your decision")["your decision"]).count("handed in") == 1


def test_without_a_decision_nothing_is_handed_in(open_page, mine, home):
    row = rows(mine, _FIRST)[0]
    app = open_page("review", open=row["disagreement_id"], person="Ada")
    app.text_area[0].set_value("Hard to say.")
    next(one for one in app.button if one.label == "Hand in and go on").click()
    app.run()
    assert "say who is right first" in app.error[0].value
    assert _inbox(home) == []


def test_what_people_decided_is_counted_listed_and_shown_as_text(open_page, changed, demo):
    row = rows(demo, _FIRST)[0]
    changed(
        _REVIEWED,
        update(
            "rpt_reviews",
            f"judge_id = '{row['judge_id']}' and disagreement_kind = 'people'",
            reviewed_count=1,
            decision_count=1,
            judge_right_count=1,
        ),
    )
    app = open_page("review", open=row["disagreement_id"], person="Ada")
    assert headline(app).startswith("#### 1 of")
    assert "1 × the judge is right" in headline(app)
    listed = table(app, "comment")
    assert list(listed["comment"]) == ["[x](http://e.com) <b>"]
    assert list(listed["tags"]) == ["length"]
    shown = [one.value for one in app.caption if "Ada" in one.value]
    assert any("\\[x\\]\\(http" in one for one in shown)
