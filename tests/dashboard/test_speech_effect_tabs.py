"""The tabs on reasons, size, ensembles and severity of the page on speeches, full and empty."""

import pytest
from shown import codes, headline, row, rows, table, text

from dashboard.core.labels import estimate_in, number

PAGE = "speech_judges"
# How many charts each tab of the demo has, and what it reads.
TABS = {
    "reasons": "rpt_justification_effect",
    "size": "rpt_size_trend",
    "ensembles": "rpt_ensemble_search",
    "severity": "rpt_severity",
}


@pytest.mark.parametrize("tab", TABS)
def test_a_tab_has_charts_a_table_and_its_query(shown_page, demo, tab):
    app = shown_page(PAGE, dataset="sample", about=tab)
    assert not app.error
    assert app.get("vega_lite_chart")
    assert any(f"from {TABS[tab]}" in code for code in codes(app))
    assert all("$" not in code for code in codes(app) if code.startswith(("select", "with")))


def test_reasons_are_told_judge_by_judge_and_what_has_no_interval_says_why(shown_page, demo):
    app = shown_page(PAGE, dataset="sample", about="reasons")
    largest = row(
        demo,
        "from rpt_justification_effect where measure = 'tau_c' and judge_id not like 'ensemble/%'"
        " and difference is not null order by abs(difference) desc",
    )
    said = text(app).replace("\u00a0", " ")
    for name, measure in (("κ", "kappa"), ("τ-c", "tau_c")):
        drawn = rows(
            demo,
            f"from rpt_justification_effect where measure = '{measure}' and difference is not null "
            "and coalesce(min_shared_items, 50) = 50",
        )
        up = sum((one["difference_low"] or 0) > 0 for one in drawn)
        down = sum((one["difference_high"] or 0) < 0 for one in drawn)
        counts = f"higher for {up}, lower for {down}, cannot tell for {len(drawn) - up - down}"
        assert f"by {name} {counts} of {len(drawn)} judges" in headline(app)
    assert number(largest["difference"]) in said
    shown = [one.value for one in app.text]
    assert any(one.startswith("– no interval") for one in shown)


def test_size_is_drawn_family_by_family_and_a_turning_point_only_where_it_is_claimed(
    open_page, publish, demo
):
    trend = row(
        demo,
        "from rpt_size_trend where scope = 'family' and measure = 'tau_c'"
        " and template = 'speech_score'",
    )
    app = open_page(PAGE, dataset="sample", about="size")
    assert f"rises by {estimate_in(trend, 'slope')}" in text(app)
    turning = "It turns at 8 B in at least 95 % of resamples"
    assert trend["turning_size"] == trend["turning_size_low"] == 8
    assert turning in text(app)
    publish("update rpt_size_trend set p_adjusted = 0.5")
    assert "It turns at" not in text(open_page(PAGE, dataset="sample", about="size"))
    publish(
        "update rpt_size_trend set turning_size = 7, turning_size_low = 1.5, turning_size_high ="
        " 14, p_adjusted = 0.008, p_permuted = 0.02, is_7b_inside = true, turning_reason = null",
        number=2,
    )
    said = text(open_page(PAGE, dataset="sample", about="size")).replace("\u00a0", " ")
    assert "(adjusted p = 0.008; p = 0.020 with models shuffled)" in said


def test_an_ensemble_is_said_with_its_gain_on_other_speeches_and_its_flattery(shown_page, demo):
    app = shown_page(PAGE, dataset="sample", about="ensembles")
    found = rows(demo, "from rpt_ensemble_search where template = 'speech_score'")
    values = {number(one["held_out_tau_c"]) for one in found}
    assert app.metric[0].value in values
    gains = {estimate_in(one, "gain_over_member") for one in found}
    assert any(gain in text(app) for gain in gains)
    assert any(code.startswith("[") and "judges = [" in code for code in codes(app))


def test_who_is_harshest_and_whether_better_judges_are_is_said_with_intervals(shown_page, demo):
    app = shown_page(PAGE, dataset="sample", about="severity")
    found = rows(
        demo,
        "from rpt_severity where scope = 'overall' and template = 'speech_score' order by shift",
    )
    assert len(found) > 1
    shown = table(app, "spread").set_index("judge")
    for one in found:
        assert shown.loc[one["judge_id"], "shift"] == pytest.approx(one["shift"])
    assert "harsher than people" in text(app)
