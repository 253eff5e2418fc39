"""Each page, full and empty."""

import pandas as pd
import pytest
from changes import empty, second_dataset, transcripts
from shown import codes, headline, row, rows, table, text

from dashboard.core.labels import estimate_in, number, share_in
from dashboard.core.widgets import column_config
from warehouse.home import PROJECT_ROOT

PAGES = sorted(path.stem for path in (PROJECT_ROOT / "dashboard" / "pages").glob("[!_]*.py"))


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


DEBATES = ("rpt_verdict_accuracy", "rpt_order_bias", "rpt_stance_bias")
AGREEMENT = ("rpt_rank_agreement", "rpt_rater_agreement")
NO_JUDGES = [f"delete from {mart} where judge_id <> 'human'" for mart in AGREEMENT]
DEBATEQA = ("rpt_debateqa_leaderboard", "rpt_debateqa_weighted_rank")
STORIES = ("rpt_protocol_accuracy", "dim_oversight_transcript")
PAPER = {"paper": "llm_debate_bias"}
SCORE = "rostrum run speech-score --judge JUDGE"
# A page, its address, what is taken from the demo, and the command that the page then names.
LACKING = [
    ("start", {}, empty("dim_dataset"), "rostrum ingest sample"),
    ("start", {}, empty("rpt_judge_tasks"), "rostrum judges"),
    ("speech_judges", {}, empty("dim_dataset"), "rostrum ingest sample"),
    ("speech_judges", {"about": "reasons"}, empty("rpt_justification_effect"), "-justified"),
    ("speech_judges", {"about": "size"}, empty("rpt_size_trend"), "--family gpt-4.1 --size 8"),
    ("speech_judges", {"about": "speakers"}, empty("rpt_speaker_comparison"), "speech-writing"),
    ("speech_judges", {"about": "ensembles"}, [*NO_JUDGES, *empty("rpt_ensemble_search")], SCORE),
    ("speech_judges", {"about": "severity"}, [*NO_JUDGES, *empty("rpt_severity")], SCORE),
    ("bias_lab", {}, empty(*DEBATES), "rostrum run debate-winner"),
    ("judge_against_judge", {}, empty("rpt_verdict_comparison"), "rostrum run debate-winner"),
    ("why", {}, empty("dim_key_point_analysis"), "rostrum keypoints reasons"),
    ("decide", {}, empty("rpt_decisions"), "rostrum ingest annotations"),
    ("debatable_questions", {}, empty(*DEBATEQA), "rostrum run debatable-answers"),
    ("debatable_questions", {}, empty("rpt_curation_distributions"), "rostrum ingest curated"),
    ("parliamentary", {}, empty("dim_adjudication_setting"), "rostrum run bp-adjudication"),
    ("oversight", {}, empty(*STORIES), "rostrum run story-debate"),
    ("debate_reader", {}, empty(*STORIES), "rostrum run story-debate"),
    ("judge_yourself", {"task": "story"}, empty(*STORIES[1:]), "rostrum run story-debate"),
    ("transcripts", {}, [], "rostrum transcribe RECORDING"),
    ("replication", PAPER, [], "rostrum replicate llm_debate_bias"),
    ("replication", PAPER, [], "--format human-verdicts"),
    ("runs", {}, empty("rpt_run_health"), SCORE),
    ("search", {"q": "homes"}, ["drop schema fts_main_search cascade"], "rostrum build --full"),
]


@pytest.mark.parametrize(("name", "address", "changes", "command"), LACKING)
def test_a_page_without_its_data_names_the_command(
    shown_page, changed, name, address, changes, command
):
    changed(*changes)
    assert command in "\n".join(codes(shown_page(name, **address)))


@pytest.mark.parametrize(
    ("name", "link"),
    [
        ("bias_lab", "debate"),
        ("parliamentary", "debate"),
        ("debate_reader", "transcript"),
        ("transcripts", "transcript"),
        ("speech_judges", "item"),
        ("runs", "answer"),
    ],
)
def test_a_link_to_what_this_version_lacks_names_it(shown_page, changed, name, link):
    changed(*transcripts())
    assert "`nowhere`" in text(shown_page(name, **{link: "nowhere"}))


# How many charts each view of a page has.
VIEWS = {
    "oversight": {
        **dict.fromkeys(("accuracy", "calibration", "beliefs"), 4),
        **dict.fromkeys(("quotes", "biases", "votes"), 1),
        **dict.fromkeys(("tournament", "questions"), 0),
        "ratings": 2,
    },
    "parliamentary": {
        "speaker_scores": 11,
        "house_ranks": 6,
        "speaker_ranks": 1,
        "bias": 2,
        "context": 5,
        "faults": 0,
    },
}


@pytest.mark.parametrize(("page", "view"), [(page, view) for page in VIEWS for view in VIEWS[page]])
def test_every_view_is_drawn_and_can_be_asked_for_again_in_sql(shown_page, changed, page, view):
    # The demo's judges count no tokens.
    changed(
        "insert into rpt_context_length select * replace ('bin' as part, 1 as bin, 0.5 as value,"
        " 0.4 as value_low, 0.6 as value_high, 6 as n_units, 4000 as tokens_mean,"
        " 3000 as tokens_low, 5000 as tokens_high) from rpt_context_length",
        "update rpt_context_length set n_units = 6",
    )
    app = shown_page(page, view=view)
    assert not app.error
    assert _charts(app) == VIEWS[page][view]
    assert all("$" not in code for code in codes(app))


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


def test_the_published_comparison_stands_beside_the_warehouse(shown_page, demo):
    comparison = table(shown_page("speech_judges"), "published")
    found = rows(demo, "from rpt_published_comparison where paper_id = 'debatable_intelligence'")
    assert sorted(comparison["result"]) == sorted(
        one["agreement_status"].replace("_", " ") for one in found
    )


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
