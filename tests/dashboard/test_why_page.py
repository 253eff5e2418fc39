"""Why: what judges' reasons say of each source, and the sentences behind each key point."""

import re

import pytest
from shown import codes, headline, row, rows, table, text, value

from dashboard.core.labels import percent, share_in

PAGE, ANALYSIS = "why", "sample"
JUDGE, OTHER, SILENT = "simulated/faithful", "simulated/harsh", "rule/constant-4"


def test_the_page_states_for_whom_the_reasons_speak_and_what_is_said_most(shown_page, changed):
    version = changed(
        "update rpt_key_point_coverage set sentences_count = n_justifications - 23,"
        f" empty_count = 23 where judge_id = '{JUDGE}'"
    )
    app = shown_page(PAGE, judge=JUDGE)
    said = text(app)
    sources = rows(
        version,
        "from rpt_justification_polarity where judge_id = $judge order by positive_share desc",
        judge=JUDGE,
    )
    first, last = sources[0], sources[-1]
    assert f"{first['source']} ({share_in(first, 'positive_share')} positive" in said
    assert f"{last['source']} ({share_in(last, 'positive_share')}" in said
    praised = row(
        version,
        "from rpt_key_points where judge_id = $judge and polarity = 'pro'"
        " order by justification_share desc",
        judge=JUDGE,
    )
    assert share_in(praised, "justification_share") in said
    mean = row(version, "from rpt_key_point_coverage where judge_id = $judge", judge=JUDGE)
    figures = [one.value for one in app.metric]
    assert percent(mean["positive_share"]) in [*figures, *re.findall(r"[\d.]+\u00a0%", said)]
    assert len(figures) in (2, 3)


def test_a_judge_without_sentences_is_unknown_with_the_reason(shown_page, changed):
    changed(
        "update rpt_key_point_coverage set sentences_count = 0, n_sentences = 0, positive_share ="
        f" null, pro_share = null, con_share = null, neutral_share = null, unexplained_share = null"
        f" where judge_id = '{SILENT}'"
    )
    app = shown_page(PAGE, judge=SILENT)
    assert "cannot be put under key points" in headline(app)
    assert [one.value for one in app.metric][:3] == ["–", "–", "–"]


def test_a_key_point_opens_its_sentences_their_justification_and_the_speech(shown_page, demo):
    said = row(
        demo,
        "from fct_justification_sentence where analysis_id = $analysis and judge_id = $judge"
        " and key_point_id is not null order by sentence_id",
        analysis=ANALYSIS,
        judge=JUDGE,
    )
    point = said["key_point_id"]
    app = shown_page(PAGE, judge=JUDGE, point=point, sentence=said["sentence_id"])
    listed = table(app, "similarity")
    counted = value(
        demo,
        "select sentence_count from rpt_key_points where judge_id = $judge and key_point_id = $point",
        judge=JUDGE,
        point=point,
    )
    assert len(listed) == counted
    assert said["text"] in set(listed["sentence"])
    reasons = {one["justification"] for one in rows(demo, "from fct_justification")}
    assert reasons & set(codes(app))
    motions = {one["text"] for one in rows(demo, "from dim_item")}
    assert motions & {one.value for one in app.text}


def test_two_judges_are_compared_in_the_order_chosen(shown_page, demo):
    tables = {}
    for first, second in ((JUDGE, OTHER), (OTHER, JUDGE)):
        app = shown_page(PAGE, analysis=ANALYSIS, judge=first, **{"with": second})
        assert "speeches on 12 motions have reasons of both" in text(app)
        shown = table(app, "difference (pp)").set_index("key point")
        tables[first] = shown["difference (pp)"].dropna()
    assert len(tables[JUDGE]) > 0
    for point, difference in tables[JUDGE].items():
        assert tables[OTHER][point] == pytest.approx(-difference)
