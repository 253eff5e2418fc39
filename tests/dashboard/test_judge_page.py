"""A judge on one page, two beside each other, and the same as files that need nothing else."""

import re
from urllib.parse import parse_qsl

import pytest
from changes import copy, update
from shown import headline, read, row, rows, table, text, value

from dashboard.core.findings import records
from dashboard.core.labels import estimate_in, share_in
from dashboard.debates.labels import effect_in
from dashboard.judges.profile import queries
from dashboard.judges.profile.files import profile_html, profile_latex, profile_pdf
from dashboard.judges.profile.gather import make_profile

STRANGE = "<script>alert(1)</script><img src=x onerror=alert(2)> </table> &amp; \\input{x} $x^2$ 50% _a_ #"
SECOND, FAIR = "simulated/second-position", "simulated/fair"
SCORER, FAILING, PANEL = "simulated/faithful", "simulated/careless", "ensemble/simulated-panel"
DEBATER, SPEAKER = "simulated/debater-strong", "simulated/speaker-long-winded"
WAY = "template = 'winner_vanilla' and verbalizer = 'A/B' and position = 'pro_first'"


def _tested(version, judge) -> str:
    """Return how many biases of a judge are significant, as its profile says it."""
    counted = "select count(*) filter (is_significant) || ' of ' || count(*) || ' tested biases'"
    return value(
        version,
        f"{counted} from rpt_bias_battery where judge_id = $judge and family = 'contrasts'"
        " and p_adjusted is not null",
        judge=judge,
    )


def _profile(version, *judges):
    who = {one["judge_id"]: one for one in records(queries.judges(version).frame)}
    return make_profile(version, judges, who)


def _section(profile, name):
    return next(one for one in profile.sections if one.name == name)


def _links(app) -> list[tuple[str, str]]:
    """Return the page and the address of every link to another page."""
    return [(one.proto.page, one.proto.query_string) for one in app.get("page_link")]


def test_a_winner_judge_shows_its_accuracy_its_biases_and_the_debates_it_got_wrong(
    shown_page, demo
):
    app = shown_page("judge", judge=SECOND)
    mart = row(
        demo,
        f"from rpt_verdict_accuracy where judge_id = $j and {WAY} and round_count is null",
        j=SECOND,
    )
    assert share_in(mart, "accuracy") in headline(app)
    assert f"{_tested(demo, SECOND)} significant after correction" in headline(app)
    biases = table(app, "adjusted p")
    position = row(
        demo,
        "from rpt_bias_battery where judge_id = $j and bias = 'position' and role = 'test'",
        j=SECOND,
    )
    shown = biases[biases["what"] == "debates: position"]["estimate"].tolist()
    assert shown == [effect_in(position, "share_change")]
    wrong = next(query for page, query in _links(app) if "debate=" in query)
    opened = re.search(r"debate=([^&]+)", wrong)[1].replace("%3A", ":")
    said = rows(
        demo,
        "select v.winner, d.human_winner from fct_verdict v join dim_debate d using (debate_id)"
        " where debate_id = $d and judge_id = $j and is_current",
        d=opened,
        j=SECOND,
    )
    assert said
    assert all(one["winner"] != one["human_winner"] for one in said)


def test_a_scorer_stands_beside_people_and_its_worst_speech_comes_first(shown_page, demo):
    app = shown_page("judge", judge=SCORER)
    mine, people = (
        row(
            demo,
            "from rpt_rater_agreement where judge_id = $j and min_shared_items = 50"
            " and template in ('speech_score', 'human')",
            j=judge,
        )
        for judge in (SCORER, "human")
    )
    shown = table(app, "people")
    first = shown[shown["what"] == "speeches: κ with one person"].iloc[0]
    mine |= {f"mean_kappa_{end}": mine[f"kappa_{end}"] for end in ("low", "high")}
    people |= {f"mean_kappa_{end}": people[f"kappa_{end}"] for end in ("low", "high")}
    assert first["estimate"] == estimate_in(mine, "mean_kappa")
    assert first["people"] == estimate_in(people, "mean_kappa")
    # The interval of the paired difference lies above 0.
    assert mine["kappa_minus_human_low"] > 0
    assert "better than one person does" in headline(app)
    worst = value(
        demo,
        "select max(abs(score_minus_human)) from rpt_item_disagreement where judge_id = $j",
        j=SCORER,
    )
    item = row(
        demo,
        "from rpt_item_disagreement where judge_id = $j and abs(score_minus_human) = $worst"
        " order by item_id",
        j=SCORER,
        worst=worst,
    )
    assert f"item={item['item_id'].replace(':', '%3A')}" in next(
        query for page, query in _links(app) if "item=" in query
    )


KINDS = (
    *(SECOND, SCORER, PANEL, DEBATER, SPEAKER, "simulated/wing", "simulated/oversight-first"),
    *("human", "sample-debates:reader-1", "sample:rater-04", "simulated/attentive"),
)


def test_every_page_that_profiles_lead_to_has_what_the_link_names(shown_page, demo):
    opened = {}
    for judge in KINDS:
        for page, query in _links(shown_page("judge", judge=judge)):
            opened.setdefault((page, *re.findall(r"(\w+)=", query)), (page, query))
    assert len(opened) > 1
    for page, query in opened.values():
        if page == "sql":
            continue
        app = shown_page(page or "overview", **dict(parse_qsl(query)))
        assert not app.error
        assert "Not found" not in text(app)
        assert "which this version lacks" not in text(app)


@pytest.mark.parametrize(
    ("judge", "about", "what"),
    [
        ("human", "people: all who gave scores or verdicts", "speeches: κ with one person"),
        ("sample-debates:reader-1", "a person whose verdicts have a name", "debates: names"),
        ("sample:rater-04", "a person who scored speeches", "speeches: κ with other people"),
        (PANEL, "members simulated/faithful, simulated/harsh", "speeches: κ with one person"),
        (DEBATER, "simulated", "debates about stories: games won"),
        (SPEAKER, "simulated", "its speeches: score less that of people's"),
        ("simulated/even-handed", "simulated", "its answers: see the dispute"),
        ("simulated/attentive", "simulated", "questions: sees a dispute where people do"),
        ("simulated/chair", "simulated", "parliamentary: order of houses"),
        ("simulated/oversight-first", "simulated", "oversight: right after"),
    ],
)
def test_people_ensembles_debaters_and_judges_of_every_subject_have_a_profile(
    shown_page, demo, judge, about, what
):
    app = shown_page("judge", judge=judge)
    assert not app.error
    assert about in text(app)
    first = app.dataframe[0].value
    assert any(str(one).startswith(what) for one in first["what"])
    assert app.get("vega_lite_chart")
    # What nothing is known of is said in a line.
    assert "No request of it failed" in text(app) or table(app, "kind") is not None


def test_everybody_whom_a_mart_names_can_be_chosen(shown_page, demo):
    offered = set(shown_page("judge").selectbox(key="judge_judge").options)
    named = {one.split(" (")[0] for one in offered}
    found = rows(
        demo,
        "select judge_id as who from dim_judge union select judge_id from fct_estimate"
        " where judge_id <> 'all' union select annotator_id from fct_rating"
        " union select judge_id from fct_oversight_judgement",
    )
    assert {one["who"] for one in found if one["who"]} <= named


def test_a_debater_is_shown_by_what_each_judge_makes_of_it(shown_page, demo):
    app = shown_page("judge", judge=DEBATER)
    shown = app.dataframe[0].value
    for mart in rows(
        demo,
        "from rpt_persuasiveness where debater_id = $j and protocol = 'debate'",
        j=DEBATER,
    ):
        mine = shown[
            (shown["what"] == "debates about stories: games won")
            & shown["asked"].str.startswith(f"by {mart['judge_id']}, debate")
        ]
        assert mine["estimate"].tolist() == [share_in(mart, "win_share")]


def test_a_second_judge_stands_beside_the_first_in_every_row(shown_page, demo):
    app = shown_page("judge", judge=SECOND, **{"with": FAIR})
    pairs = rows(
        demo,
        "from rpt_verdict_comparison where comparison = 'judge'"
        " and judge_a in ($a, $b) and judge_b in ($a, $b)",
        a=SECOND,
        b=FAIR,
    )
    clear = sum(one["p_adjusted"] < 0.05 for one in pairs)
    assert f"they differ significantly in {clear} of {len(pairs)} ways of asking" in headline(app)
    shown = app.dataframe[0].value
    for judge in (SECOND, FAIR):
        mart = row(
            demo,
            f"from rpt_verdict_accuracy where judge_id = $j and {WAY} and round_count is null",
            j=judge,
        )
        mine = shown[shown["what"] == "debates: names people's winner"]
        assert share_in(mart, "accuracy") in mine[judge].tolist()
    # The two come before all other comparisons.
    beside = table(app, "first minus second").head(len(pairs))
    assert {*beside["first"], *beside["second"]} == {SECOND, FAIR}


def test_the_released_conventions_and_single_ways_are_no_rows_of_their_own(demo):
    shown = _section(_profile(demo, SCORER), "agreement").table
    assert not shown.duplicated(["what", "asked"]).any()
    biases = _section(_profile(demo, SECOND), "biases").table
    counted = value(
        demo,
        "select count(*) from rpt_bias_battery where judge_id = $j and role = 'test'"
        " and family = 'contrasts'",
        j=SECOND,
    )
    assert len(biases) == counted


def test_what_words_do_not_tell_apart_stands_in_rows_of_its_own(demo, changed):
    won = f"measure = 'win_share' and setting like '%{DEBATER}%'"
    other = "replace(setting, 'field_id', 'other_id')"
    version = changed(
        f"insert into fct_estimate select * replace ({other} as setting, 0.125 as value)"
        f" from fct_estimate where {won}"
    )
    once, twice = (_section(_profile(one, DEBATER), "writing") for one in (demo, version))
    counted = value(demo, f"select count(*) from fct_estimate where {won}")
    assert len(twice.table) == len(once.table) + counted
    assert sum("setting 2" in one for one in twice.table["asked"]) == counted


def test_the_same_way_of_asking_in_two_experiments_has_two_matrices(demo, changed):
    version = changed(
        copy("rpt_confusion", f"judge_id = '{FAIR}' and n_answers > 0", experiment="again")
    )
    once = _section(_profile(demo, FAIR), "confusion")
    twice = _section(_profile(version, FAIR), "confusion")
    assert len(twice.table) == 2 * len(once.table)
    cells = [chart.frames[0]["text"].tolist() for chart in once.charts]
    # Either experiment has the cells of before; pooled, none would.
    assert [chart.frames[0]["text"].tolist() for chart in twice.charts[: len(cells)]] == cells


def test_the_html_file_is_whole_and_needs_nothing_else(demo):
    text = profile_html(_profile(demo, SECOND)).decode()
    parser = read(text)
    assert "svg" in parser.tags
    assert not parser.tags & {"script", "img", "link", "iframe", "object", "image"}
    assert parser.links == []
    assert not re.search(r"url\(\s*['\"]?http", text)
    assert "default-src 'none'" in text
    assert "Sample data" in text
    assert f"{_tested(demo, SECOND)} significant after correction" in text


def test_a_strange_judge_stays_text_in_every_file(changed):
    version = changed(
        update("fct_estimate", f"judge_id = '{SCORER}'", judge_id=STRANGE),
        update("dim_judge", f"judge_id = '{SCORER}'", judge_id=STRANGE, family=STRANGE),
        update("dim_item", motion=STRANGE),
    )
    profile = _profile(version, STRANGE)
    text = profile_html(profile).decode()
    parser = read(text)
    assert not parser.tags & {"script", "img"}
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert profile_pdf(profile).startswith(b"%PDF")
    assert (
        r"\textbackslash{}input\{x\} \$x\textasciicircum{}2\$ 50\% \_a\_ \#"
        in profile_latex(profile).decode()
    )


def test_a_strange_judge_stays_text_on_the_page(shown_page, changed):
    changed(
        update("fct_estimate", f"judge_id = '{SCORER}'", judge_id=STRANGE),
        update("rpt_item_disagreement", f"judge_id = '{SCORER}'", judge_id=STRANGE),
        update("rpt_run_health", f"judge_id = '{SCORER}'", judge_id=STRANGE),
        update("dim_judge", f"judge_id = '{SCORER}'", judge_id=STRANGE, settings=STRANGE),
        update("dim_item", motion=STRANGE),
    )
    app = shown_page("judge", judge=STRANGE)
    said = [one.value for one in (*app.markdown, *app.caption, *app.subheader)]
    said += [one.proto.label for one in (*app.get("page_link"), *app.expander)]
    assert sum("script" in one for one in said) > 3
    # Without what is inline code, and what a backslash makes plain.
    bare = [re.sub(r"`[^`]*`|\\.", "", one) for one in said]
    assert not [one for one in bare if "<" in one or "$" in one]


def test_the_latex_file_has_every_table_that_is_not_empty(demo):
    profile = _profile(demo, SECOND)
    text = profile_latex(profile).decode()
    known = [one for one in profile.sections if not one.table.empty]
    assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") == len(known)
    for line in text.splitlines():
        if line.endswith(r"\\") and " & " in line and "caption" not in line:
            assert len(re.findall(r"(?<!\\)&", line)) >= 1
    assert not re.search(r"(?<!\\)%(?! (Judge|Needs))", text)
    assert text.count(". Brackets: ") + text.count("? Brackets: ") == len(known)
