"""The first page: judges and tasks, the sentence, cost against quality, what is new."""

import re
from urllib.parse import parse_qsl

import pytest
from changes import copy, update
from shown import drawn, headline, row, rows, table, text, value

from dashboard.core import first_run
from dashboard.core.labels import number
from dashboard.start import queries
from dashboard.start.findings import trust_finding
from dashboard.start.labels import TASKS, difference_of
from dashboard.start.matrix import evidence_address, matrix

HEADLINES = "select * from rpt_judge_tasks where is_headline"


def _table(app) -> str:
    return next(one.proto.body for one in app.get("html") if "<table" in one.proto.body)


def _judges(app) -> list[str]:
    return re.findall(r'<th scope="row"><a [^>]*>(.*?)</a>', _table(app))


def _row(**values) -> dict:
    """A judge of debates that nothing is wrong with."""
    return {
        "task": "debates",
        "dataset_id": "d",
        "is_sample": False,
        "is_published": False,
        "judge_id": "lab/a",
        "experiment": "debate-winner",
        "template": "t",
        "variant_id": "v",
        "asked": "t, A/B",
        "estimate": 0.7,
        "estimate_low": 0.6,
        "estimate_high": 0.8,
        "estimate_reason": None,
        "n_clusters": 240,
        "is_nameable": True,
        "rank_low": 1,
        "rank_high": 1,
        "n_ranked": 4,
        "better": "higher",
        "n_people": 1,
        "floor_value": 0.5,
        "floor_kind": "chance",
        "ceiling_value": None,
        "n_shared": 75,
        "difference": 0.1,
        "difference_low": 0.02,
        "difference_high": 0.18,
        "margin": 0.05,
        "standing": "above",
        "standing_reason": None,
        "largest_bias": None,
        "largest_bias_change": None,
        "bias_test_count": 5,
        "bias_n_units": 240,
        "unreadable_share": 0.01,
        "cost_usd_per_1000": 2.5,
        "cost_reason": None,
        "is_main_setting": True,
        "is_on_frontier": True,
    } | values


def test_every_judge_and_task_of_the_mart_is_a_cell_with_its_interval(shown_page, demo):
    shown = _table(shown_page(task="debates"))
    found = rows(demo, f"{HEADLINES} and task = 'debates'")
    assert found
    for one in found:
        low, high = (number(one[f"estimate_{end}"] * 100) for end in ("low", "high"))
        assert f">{number(one['estimate'] * 100)}\u00a0%</a>" in shown
        assert f"[{low},\u00a0{high}] n\u00a0{one['n_clusters']}" in shown
    assert shown.count('<a href="bias_lab?') == len(found)
    assert _judges(shown_page())[:1] != _judges(shown_page(task="debates"))[:1]
    everybody = value(demo, f"select count(distinct judge_id) from ({HEADLINES})")
    assert len(_judges(shown_page())) == everybody


def test_judges_are_sorted_by_the_task_that_is_chosen_the_better_first(shown_page, demo):
    for task, order in (("debates", "desc"), ("parliamentary", "asc")):
        wanted = rows(demo, f"{HEADLINES} and task = '{task}' order by estimate {order}, judge_id")
        shown = _judges(shown_page(task=task))
        assert shown[: len(wanted)] == [one["judge_id"] for one in wanted]


def test_the_sentence_names_all_who_may_be_best_and_nobody_else(shown_page, demo):
    able = f"{HEADLINES} and task = 'speeches' and rank_low = 1"
    said = headline(shown_page(task="speeches"))
    ranked = rows(demo, f"{HEADLINES} and task = 'speeches'")
    best = {one["judge_id"] for one in rows(demo, able)}
    assert best
    assert {one["judge_id"] for one in ranked if f"`{one['judge_id']}`" in said} == best


def test_too_few_units_name_nobody(shown_page, demo):
    said = headline(shown_page(task="parliamentary"))
    assert "The data cannot tell which judge to trust" in said
    assert "no judge has 30 units in 10 clusters" in said


def test_data_of_the_sample_carry_the_badge(shown_page, demo):
    assert "Sample data" in text(shown_page())
    headings = _table(shown_page()).partition("</thead>")[0]
    assert headings.count("<small>sample</small>") == len(TASKS)


def test_real_data_stand_for_a_task_before_the_sample(shown_page, changed):
    changed(
        update("rpt_judge_tasks", "task = 'debates'", is_headline=False),
        copy(
            "rpt_judge_tasks",
            "task = 'debates' and is_main_setting and judge_id = 'simulated/fair'",
            dataset_id="city",
            is_sample=False,
            is_headline=True,
        ),
    )
    app = shown_page(task="debates")
    assert "Sample data" not in text(app)
    assert "dataset=city" in _table(app)


def test_filters_narrow_judges_and_stand_in_the_address(open_page, demo):
    app = open_page(task="speeches", made="rule", cost="free")
    expected = rows(
        demo,
        f"{HEADLINES} and task = 'speeches' and cost_usd_per_1000 = 0 and judge_id in"
        " (select judge_id from dim_judge where provider = 'rule')",
    )
    assert set(_judges(app)) == {one["judge_id"] for one in expected}
    app.selectbox(key="start_size").select("large").run()
    assert app.query_params["size"] == "large"
    assert "No judge of this selection was asked about scores of speeches" in headline(app)
    assert not app.exception
    app.button(key="start_reset").click().run()
    assert not app.query_params


def test_only_judges_that_nobody_beats_on_price_are_on_the_frontier(shown_page, changed):
    prices = {"simulated/fair": 9, "simulated/closing-side": 1, "simulated/second-position": 5}
    version = changed(
        *(
            update("rpt_judge_tasks", f"judge_id = '{judge}'", cost_usd_per_1000=price)
            for judge, price in prices.items()
        ),
        update("rpt_judge_tasks", "judge_id like 'rule/%-side'", cost_usd_per_1000=None),
    )
    frame = queries.judge_tasks(version, "debates", (), "any", "any").frame
    debates = frame[frame["task"] == "debates"].set_index("judge_id")
    best = {judge: debates["estimate"][judge] for judge in prices}
    assert (
        best["simulated/fair"] > best["simulated/closing-side"] > best["simulated/second-position"]
    )
    on = set(debates.index[debates["is_on_frontier"]])
    assert on == {"simulated/fair", "simulated/closing-side"}
    frames = drawn(shown_page(task="debates").get("vega_lite_chart")[0])
    assert {frozenset(one["judge"] for one in frame) for frame in frames} == {
        frozenset(prices),
        frozenset(on),
    }


def test_what_is_new_counts_changes_and_lists_those_that_matter(shown_page, changed):
    fair = "from fct_estimate where judge_id = 'simulated/fair' and value is not null limit 3"
    changed(
        update("publication", version_before="v000001-before"),
        "insert into estimate_changes by name select estimate_id, subject, dataset_id, experiment,"
        " judge_id, setting, population, measure, mart, 'moved' as change, value - 9 as"
        f" value_before, value - 10 as low_before, value - 8 as high_before, value, low, high, n {fair}",
    )
    app = shown_page()
    assert "3 moved by more than their interval since `v000001-before`" in text(app)
    assert list(table(app, "its interval")["change"]) == ["moved"] * 3


def test_one_judge_ahead_of_all_is_named_with_where_it_stands_beside_people():
    ahead = _row()
    behind = _row(judge_id="lab/b", estimate=0.5, rank_low=2, rank_high=4, standing="below")
    said = trust_finding([ahead, behind], "debates")
    assert said.headline.startswith("For winners of debates, trust `lab/a` (70.0\u00a0% [60.0,")
    assert "above people (+10.0 [2.00,\u00a018.0] points)" in said.headline
    assert "`lab/a`: no bias found, n 240" in said.rest


def test_a_judge_with_a_bias_is_not_the_one_to_trust():
    bent = _row(
        judge_id="lab/bent",
        rank_high=2,
        largest_bias="position",
        largest_bias_change=0.3,
        largest_bias_change_low=0.2,
        largest_bias_change_high=0.4,
    )
    last = _row(judge_id="lab/last", estimate=0.5, rank_low=3, rank_high=4)
    said = trust_finding([bent, _row(rank_high=2), last], "debates").headline
    assert "trust `lab/a`" in said
    assert "trust" not in trust_finding([bent, last], "debates").headline


def test_judges_that_no_test_tells_apart_are_not_named():
    tied = [_row(judge_id=f"lab/{name}", rank_high=2, n_ranked=2) for name in "ab"]
    said = trust_finding(tied, "debates").headline
    assert said.startswith("The data cannot tell which judge to trust for winners of debates")
    assert "lab" not in said


def test_a_judge_that_guesses_no_worse_is_not_to_be_trusted():
    rows_of_two = [
        _row(estimate=0.52, estimate_low=0.45, n_ranked=2, rank_high=1),
        _row(judge_id="lab/b", estimate=0.3, rank_low=2, rank_high=2, n_ranked=2),
    ]
    said = trust_finding(rows_of_two, "debates").headline
    assert "none is surely better than guessing, which gets 50.0\u00a0%" in said
    panel = {"task": "parliamentary", "better": "lower", "floor_value": 1.25}
    near = _row(**panel, estimate=0.4, estimate_low=0.2, estimate_high=0.7)
    assert trust_finding([near], "parliamentary").headline.startswith("For parliamentary debates,")
    far = _row(**panel, estimate=1.2, estimate_low=1.0, estimate_high=1.3)
    assert "surely better than guessing" in trust_finding([far], "parliamentary").headline


def test_judges_that_are_all_below_people_are_the_nearest_and_not_to_be_trusted():
    below = {"standing": "below", "difference": -0.1, "difference_low": -0.2}
    said = trust_finding([_row(**below, difference_high=-0.01)], "debates").headline
    assert said.startswith("For winners of debates no judge is as good as people. The nearest: `")


def test_a_judge_asked_in_another_way_is_never_named():
    other = _row(judge_id="lab/other", is_main_setting=False, estimate=0.99)
    assert "lab/other" not in trust_finding([other, _row()], "debates").headline


def test_unreadable_answers_over_the_limit_are_in_the_first_sentence():
    said = trust_finding([_row(unreadable_share=0.104)], "debates").headline
    assert "⚠ `lab/a` left 10.4\u00a0% of its answers unreadable" in said


def test_names_and_reasons_of_strangers_are_escaped_in_the_table():
    bad = '[x](http://y "z") <img src=x>'
    shown = matrix(
        [_row(judge_id=bad, asked=bad), _row(judge_id="b", estimate=None, estimate_reason=bad)],
        "debates",
        ["debates"],
    )
    assert "<img" not in shown
    assert '"z"' not in shown
    assert shown.count("&lt;img src=x&gt;") == 4


@pytest.mark.parametrize(
    ("standing", "sign"), [("above", "▲"), ("level", "≈"), ("below", "▼"), ("cannot_tell", "?")]
)
def test_a_standing_is_said_by_sign_and_word_and_not_by_colour_alone(standing, sign):
    reason = "wide_interval" if standing == "cannot_tell" else None
    shown = matrix([_row(standing=standing, standing_reason=reason)], "debates", ["debates"])
    assert re.search(
        rf'<td[^>]*>{re.escape(sign)} <a [^>]*title="(above|level with|below|cannot)', shown
    )
    assert ("background-color" in shown) == (standing != "cannot_tell")


def test_a_cell_leads_to_the_debates_the_judge_got_wrong_unless_they_are_a_papers():
    assert "cell=judge.wrong" in evidence_address(_row())
    assert "cell=" not in evidence_address(_row(is_published=True))


def test_every_cell_of_the_demo_opens_a_page_that_finds_it(open_page, demo):
    for task in TASKS:
        one = row(demo, f"{HEADLINES} and task = '{task}' order by judge_id")
        page, _, parameters = evidence_address(one).partition("?")
        app = open_page(page, **dict(parse_qsl(parameters)))
        assert "Not found" not in text(app)
        if task == "debates":
            assert "debates on which the judge names another winner than people" in text(app)


def test_a_difference_is_in_points_where_the_value_is_a_share():
    assert difference_of(_row()) == "+10.0 [2.00,\u00a018.0] points"
    assert difference_of(_row(task="speeches")) == "+0.100 [0.0200,\u00a00.180]"
    assert difference_of(_row(difference=None)) == ""


def test_models_are_offered_only_what_can_be_asked_of_what_is_there(demo, changed):
    offered = "\n".join(code for _, code in first_run.to_ask(demo))
    assert "rostrum run speech-score --judge" in offered
    assert "rostrum run debate-winner --judge" in offered
    assert "my-question" not in offered
    version = changed(
        update("dim_dimension", "dimension = 'goodopeningspeech'", dimension="wit"),
        "delete from dim_debate where end_side is not null",
    )
    offered = "\n".join(code for _, code in first_run.to_ask(version))
    assert "speech-score" not in offered
    assert "debate-winner" not in offered
    assert 'datasets = ["sample"]\ndimension = "wit"' in offered
