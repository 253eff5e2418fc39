"""Can this metric be trusted: our figures, the paper's beside them, and what is missing."""

import pytest
from shown import codes, headline, row, rows, table

from dashboard.core.labels import estimate_in, number
from dashboard.debates.labels import effect_in

PAGE, DATASET, POOR_JUDGE = "metric_trust", "sample-questions", "rule/acknowledge"
NOTHING_EVALUATED = [
    f"delete from rpt_{mart}"
    for mart in (
        "metric_alignment",
        "dispute_accuracy",
        "backbone_stability",
        "annotation_agreement",
        "missing_viewpoints",
    )
]
# The demo's people have labelled fifteen questions, too few to name a metric.
ENOUGH = (
    "update rpt_metric_alignment set n_questions = 30 where scope = 'within_question'"
    " and n_questions > 0",
    "update rpt_dispute_accuracy set n_questions = 30",
)
WITHIN = (
    "from rpt_metric_alignment where scope = 'within_question' and ranking_method = 'wins'"
    " and spearman is not null"
)
FAILED = (
    "update rpt_dispute_accuracy set failed_count = 12, accuracy_all_wrong = 0.4,"
    f" accuracy_all_right = 0.6, gain_low = 0.05 where evaluator_id = '{POOR_JUDGE}'"
)


def test_with_nothing_evaluated_every_part_names_its_command_and_the_paper_stands_alone(
    shown_page, changed
):
    version = changed(*NOTHING_EVALUATED)
    app = shown_page(PAGE)
    printed = rows(
        version,
        "from rpt_debateqa_published where subject = 'alignment' and statistic = 'spearman'"
        " order by value desc",
    )
    shown = list(table(app, "model behind it")["Spearman"])
    assert shown == [one["value"] for one in printed]
    assert not app.metric


def test_the_page_states_how_close_to_people_and_whether_judges_beat_a_constant(
    shown_page, changed
):
    version = changed(*ENOUGH, FAILED)
    app = shown_page(PAGE)
    said = headline(app)
    found = rows(version, f"{WITHIN} order by spearman")
    low, high = (estimate_in(one, "spearman") for one in (found[0], found[-1]))
    # Several metrics have enough questions and no paired test compares them, so none is named.
    assert f"by {len(found)} metrics correlate with people's: Spearman {low} to {high}" in said
    among = row(version, "from rpt_annotation_agreement where task = 'preference'")
    assert f"people among themselves {estimate_in(among, 'estimate')}" in said
    judges = rows(version, "from rpt_dispute_accuracy order by gain")
    beats = sum(one["gain_low"] > 0 for one in judges)
    assert f"{beats} of {len(judges)} judges of D.A. {'is' if beats == 1 else 'are'} right" in said
    assert f"{effect_in(judges[-1], 'gain')} on 45 answers" in said
    stable = row(version, "from rpt_backbone_stability where kendall is not null order by kendall")
    people = row(version, "from rpt_annotation_agreement order by task, measure")
    # The first two of four are in the headline, with their intervals.
    figures = [metric.value for metric in app.metric]
    assert figures == [number(stable["kendall"]), number(people["estimate"])]
    assert len(app.get("vega_lite_chart")) == 3


def test_always_answering_1_stands_beside_every_judge_and_failures_are_bounded(shown_page, changed):
    version = changed(FAILED)
    app = shown_page(PAGE)
    always = {100 * one["baseline_accuracy"] for one in rows(version, "from rpt_dispute_accuracy")}
    assert set(table(app, "majority label (%)")["majority label (%)"]) == always
    printed = table(app, "against always 1 (pp)")
    assert "always 1" in set(printed["metric"])
    best = printed[printed["model behind it"] == "Phi-3 medium"].iloc[0]
    assert best["against always 1 (pp)"] == pytest.approx(4.0)


def test_what_is_undefined_is_listed_with_its_reason(shown_page, demo):
    app = shown_page(PAGE)
    aligned = table(app, "answers without a score")
    assert "no ranking without all tied" in set(aligned["why unknown"].dropna())
    pairs = table(app, "τ")
    assert "one way has all models tied" in set(pairs["why unknown"].dropna())
    known = rows(demo, "from rpt_backbone_stability where kendall is not null")
    sum(one["kendall"] == 1 for one in known)


def test_the_way_of_ranking_is_chosen_in_the_url(shown_page, demo):
    app = shown_page(PAGE, dataset=DATASET, method="elo")
    assert app.selectbox(key=f"{PAGE}_method").value == "elo"
    assert any("ranking_method = 'elo'" in code for code in codes(app))


def test_missing_viewpoints_have_intervals_and_an_unknown_share_its_reason(shown_page, changed):
    insert = (
        f"insert into rpt_missing_viewpoints by name select '{DATASET}' as dataset_id, 'lab/{{}}'"
        " as judge_id, 'qa_basic' as template, 'lab/judge' as evaluator_id,"
    )
    changed(
        insert.format("a") + " 0.08 as missing_share, 0.04 as missing_share_low, 0.16 as"
        " missing_share_high, 3.2 as mean_score",
        insert.format("b") + " 'no scored answer' as reason",
    )
    app = shown_page(PAGE)
    shown = table(app, "mean score")
    assert list(shown["95 %"].dropna()) == ["[4.00,\N{NO-BREAK SPACE}16.0]"]
    assert list(shown["why unknown"].dropna()) == ["no scored answer"]
