"""Each page, full and empty."""

import pandas as pd
import pytest
from changes import copy, empty, second_dataset
from shown import codes, headline, row, rows, table, text, value

from dashboard.core.labels import estimate_in, number, share_in
from dashboard.core.widgets import column_config

PAGES = (
    "start",
    "speech_judges",
    "why",
    "bias_lab",
    "judge_against_judge",
    "judge",
    "decide",
    "debatable_questions",
    "metric_trust",
    "parliamentary",
    "transcripts",
    "oversight",
    "debate_reader",
    "judge_yourself",
    "replication",
    "runs",
    "sql",
    "start_run",
    "search",
    "review",
    "request",
    "glossary",
)


def _charts(app) -> int:
    return len(app.get("vega_lite_chart"))


@pytest.mark.parametrize("name", PAGES)
def test_with_nothing_published_a_page_names_the_command_to_run(open_page, name):
    app = open_page(name)
    assert "Nothing is published yet" in text(app)
    assert app.code[0].value == "rostrum demo"
    # `ingest speeches` takes the released data set alone.
    assert app.code[1].value.startswith("rostrum ingest study --name my-study --items ")


BEST, FAILING, EVEN = "simulated/harsh", "simulated/careless", "rule/constant-4"
SAMPLE = "dimension = 'goodopeningspeech' and template in ('speech_score', 'human')"


def _rank(version, judge: str) -> dict:
    return row(version, f"from rpt_rank_agreement where {SAMPLE} and judge_id = $j", j=judge)


def _kappa(version, judge: str) -> dict:
    return row(
        version,
        f"from rpt_rater_agreement where {SAMPLE} and min_shared_items = 50 and judge_id = $j",
        j=judge,
    )


@pytest.mark.parametrize("name", ["start", "speech_judges"])
def test_a_version_without_data_sets_names_the_command_to_run(shown_page, changed, name):
    changed(*empty("dim_dataset"))
    app = shown_page(name)
    assert "rostrum ingest sample" in codes(app)


@pytest.mark.parametrize("name", PAGES)
def test_a_full_page_runs_without_an_error_and_names_its_version(shown_page, demo, name):
    app = shown_page(name)
    assert not app.error
    said = f"Published warehouse `{demo.name}`, {demo.published_at:%Y-%m-%d %H:%M} UTC"
    assert said in text(app)


def test_speech_judges_states_the_finding_and_the_unreadable_answers_in_one_sentence(
    shown_page, demo
):
    said = headline(shown_page("speech_judges", dataset="sample"))
    people = _kappa(demo, "human")
    kappa = estimate_in(
        people | {"mean_kappa_low": people["kappa_low"], "mean_kappa_high": people["kappa_high"]},
        "mean_kappa",
    )
    assert f"people {kappa}, over {people['pair_count']} pairs of people" in said
    failed = row(
        demo,
        f"from rpt_score_distribution where {SAMPLE} and judge_id = $j and score is null",
        j=FAILING,
    )
    assert f"{FAILING} agrees with people better than one person does" in said
    assert f"(⚠ it left {share_in(failed, 'share')} of its answers without" in said


def test_speech_judges_shows_the_bounds_of_a_judge_with_failures(shown_page, demo):
    found = _kappa(demo, FAILING)
    said = text(shown_page("speech_judges", dataset="sample"))
    assert f"⚠ `{FAILING}`: " in said
    ends = sorted(found[f"mean_kappa_failures_{end}"] for end in ("nearest", "farthest"))
    assert f"mean κ would be {' to '.join(map(number, ends))}." in said


def test_speech_judges_gives_the_reason_for_an_unknown_value(shown_page, demo):
    reason = _rank(demo, EVEN)["undefined_reason"]
    app = shown_page("speech_judges", dataset="sample")
    assert f"– {EVEN} has no τ-c: {reason}" in [one.value for one in app.text]


def test_the_crowd_says_how_many_people_a_judge_is_worth(shown_page, demo):
    app = shown_page("speech_judges", dataset="sample", about="crowd")
    assert "worth" in headline(app)
    crowd = row(demo, "from rpt_crowd_agreement where n_raters = 8 or true order by 1")
    assert crowd["dataset_id"] == "sample"
    # What a judge is worth is in the headline.
    assert [one.label for one in app.metric] == ["One person's r", "Krippendorff's α", "ICC(1,k)"]
    odd = rows(demo, "from rpt_rater_quality where dataset_id = 'sample'")
    assert len(odd) == 15


def test_human_scores_alone_are_worth_a_page(shown_page, changed):
    version = changed(*second_dataset())
    app = shown_page("speech_judges", dataset="city")
    kappa, tau = _kappa(version, "human")["mean_kappa"], _rank(version, "human")["tau_c"]
    assert f"#### People agree with each other: mean κ {number(kappa)}" in text(app)
    assert [metric.value for metric in app.metric] == [number(tau)]
    top = row(
        version,
        "from rpt_source_scores where dataset_id = 'city' order by mean_score desc nulls last",
    )
    assert f"People score {top['source']} (" in text(app)
    assert _charts(app) == 4
    assert "rostrum judges\nrostrum run speech-score --judge JUDGE" in codes(app)


def test_each_judge_has_a_panel_of_scores_and_one_of_sources(shown_page, demo):
    judges = value(
        demo,
        "select count(distinct judge_id) from rpt_rater_agreement where template = 'speech_score'",
    )
    assert _charts(shown_page("speech_judges", dataset="sample")) == 2 + 2 * judges


def test_more_judges_than_fit_are_drawn_in_part_and_the_page_says_so(shown_page, changed):
    more = [f"lab/judge-{at:02d}" for at in range(32)]
    changed(
        *(
            copy(mart, f"judge_id = '{BEST}' and template = 'speech_score'", judge_id=name)
            for mart in ("rpt_rank_agreement", "rpt_rater_agreement", "dim_judge")[:2]
            for name in more
        ),
        *(copy("dim_judge", f"judge_id = '{BEST}'", judge_id=name) for name in more),
    )
    app = shown_page("speech_judges", dataset="sample")
    said = [info.value for info in app.info]
    assert any(line.startswith("The chart shows the 30 highest of 4") for line in said)
    assert any(line.startswith("12 of 40 judges are drawn") for line in said)


def test_the_published_comparison_stands_beside_the_warehouse(shown_page, demo):
    comparison = table(shown_page("speech_judges"), "published")
    found = rows(demo, "from rpt_published_comparison where paper_id = 'debatable_intelligence'")
    assert sorted(comparison["result"]) == sorted(
        one["agreement_status"].replace("_", " ") for one in found
    )


def test_every_number_can_be_asked_for_again_in_sql(shown_page, demo):
    app = shown_page("speech_judges", dataset="sample")
    queries = [code for code in codes(app) if code.startswith(("select", "with"))]
    assert len(queries) == 7
    assert all("$" not in query for query in queries)


def test_a_mart_that_is_missing_is_an_error_with_the_next_command(shown_page, changed):
    changed("drop table rpt_judge_tasks")
    app = shown_page()
    assert app.error[0].value.startswith("This page could not be read")
    assert "rostrum build" in codes(app)


def test_an_interval_among_dashes_is_shown_whole():
    shown = pd.DataFrame({"95 %": ["[−0.0877,\u00a00.934]", None, None], "n": [1, 2, 3]})
    assert column_config(shown, {})["95 %"]["width"] > 6 * len("[−0.0877, 0.934]")
    even = pd.DataFrame({"95 %": ["[0.1, 0.2]"] * 3})
    assert column_config(even, {}) == {}


def test_headings_that_mean_the_same_everywhere_are_explained_in_every_table():
    shown = pd.DataFrame({"judge": ["a/b"], "adjusted p": ["0.012"], "of my own": [1]})
    helps = {name: one.get("help") for name, one in column_config(shown, {}).items()}
    assert helps["judge"].startswith("Judge as provider")
    assert "Benjamini" in helps["adjusted p"]
    assert "of my own" not in helps
