"""Parliamentary debates: how near judges come to the panel, and from each figure to one debate."""

import pytest
from published_stub import publish_stub, rank
from stub_parliamentary import CHAIR, DATASET, DEBATES, OPENING, WING, response_id, setting_id

from dashboard.core.findings import records
from dashboard.parliamentary import queries
from dashboard.parliamentary.findings import against_chance, beside_chance_title, guess
from dashboard.parliamentary.labels import clock, setting_name
from dashboard.parliamentary.queries import Room
from warehouse.home import Home
from warehouse.reader import run_query

# Each view with another debate opened, and how many charts it has.
VIEWS = {
    "speaker_scores": ({}, 5),
    "house_ranks": ({"debate": f"{DATASET}:02", "answer": response_id(OPENING, 2)}, 4),
    "speaker_ranks": ({"debate": f"{DATASET}:{DEBATES - 1:02d}"}, 1),
    "bias": ({"debate": "nowhere"}, 1),
    "context": ({}, 1),
    "faults": ({"debate": f"{DATASET}:01", "answer": response_id(WING, 1)}, 0),
}
BLIND = "bp_house_ranks|house_ranks|og-oo-cg-co|bp_manual|whole|no_motion|info_slide"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return publish_stub(Home(tmp_path_factory.mktemp("made")), parliamentary=True)


@pytest.fixture
def adjudicated(home):
    return publish_stub(home, parliamentary=True)


_OPENED = {}


@pytest.fixture
def view_of(open_page, made, monkeypatch):
    """Return a function that opens a view once, for all tests that only read it."""
    monkeypatch.setenv("ROSTRUM_HOME", str(made.path.parents[2]))

    def view(name):
        if name not in _OPENED:
            _OPENED[name] = open_page("parliamentary", view=name, **VIEWS[name][0])
        return _OPENED[name]

    return view


def _text(app) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.caption])


def _table(app, column: str):
    return next(frame.value for frame in app.dataframe if column in frame.value.columns)


def test_without_an_adjudication_the_page_names_the_commands(open_page, published):
    app = open_page("parliamentary")
    assert not app.exception
    assert "No judge has adjudicated a parliamentary debate yet" in _text(app)
    assert any("rostrum run bp-adjudication --judge JUDGE" in code.value for code in app.code)
    assert "rostrum demo" in [code.value for code in app.code]


def test_the_first_sentence_holds_judges_against_chance_and_names_what_was_not_readable(
    view_of,
):
    app = view_of("speaker_scores")
    headline = next(one.value for one in app.markdown if one.value.startswith("#### "))
    said = headline.replace("\\", "")
    assert "runs from 0.300 [0.220,\u00a00.380] to " in said
    assert ", guessing gives 1.25 (12 debates); no paired test tells which judge" in said
    assert "nothing could be read in 25.0\u00a0% of the 12 replies of lab/careless-wing-8b" in said
    assert "always naming the mean gives 2.04" in _text(app)
    assert [one.label for one in app.metric] == [
        "Houses: ranks off",
        "Scores: points off",
        "Speakers: ranks off",
        "Not readable",
    ]
    assert app.metric[0].value == "0.300 to 0.500"
    assert app.metric[3].value == "3 of 36"


def test_the_nearest_judge_is_named_where_paired_tests_put_it_ahead(open_page, adjudicated):
    place = {
        "measure": "mean_rank_difference",
        "dataset_id": DATASET,
        "dimension": "house_ranks",
        "variant_id": "all at once",
        "n_ranked": 3,
    }
    rank(
        adjudicated,
        place | {"judge_id": CHAIR, "rank_low": 1, "rank_high": 2},
        place | {"judge_id": WING, "rank_low": 2, "rank_high": 3},
        # Asked in another way, and of another task.
        place | {"judge_id": WING, "rank_low": 1, "rank_high": 1, "variant_id": "blind"},
        place | {"judge_id": WING, "rank_low": 1, "rank_high": 1, "dimension": "speaker_ranks"},
    )
    app = open_page("parliamentary")
    said = _text(app).replace("\\", "")
    assert f"(12 debates); {CHAIR} is the nearest, place 1 to 2 of 3 asked alike" in said
    assert "none is named" not in next(
        one.value for one in app.markdown if one.value.startswith("#### ")
    )
    assert "is the nearest" not in said.split("points, always naming the mean")[-1]


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_drawn_and_can_be_asked_for_again_in_sql(view_of, view):
    app = view_of(view)
    assert not app.exception
    assert not app.error
    assert len(app.get("vega_lite_chart")) == VIEWS[view][1]
    assert all("$" not in code.value for code in app.code)


def test_both_names_of_each_of_the_papers_tasks_are_explained(view_of):
    said = _text(view_of("speaker_scores"))
    for names in (
        ("Verdict Prediction", "House Ordering"),
        ("Speaker Scores", "Speech Scoring"),
        ("Speaker Ranks", "Speech Ranking"),
    ):
        assert all(f"*{name}*" in said for name in names)


def test_a_judge_with_failures_carries_its_bounds(view_of):
    said = _text(view_of("house_ranks"))
    assert "⚠ `lab/careless-wing-8b`: 3 of 12 requests gave no readable value" in said
    assert "the mean rank difference would be 0.800 to 1.30." in said


def test_answers_without_the_motion_are_a_way_of_their_own(open_page, adjudicated):
    app = open_page("parliamentary", asked=BLIND)
    assert not app.exception
    assert "without motion, with info slide" in _text(app).replace("\\", "")
    # Houses were ranked in too few debates to name anybody; speakers were not asked for.
    assert [one.value for one in app.metric][:3] == ["–", "–", "–"]
    assert "no judge has 30 units in 10 clusters" in _text(app)
    # Only houses were asked about, so scores and speakers' ranks are no views of it.
    assert set(app.button_group(key="parliamentary_view").options) == {
        "houses",
        "favour",
        "length",
        "faults",
    }
    shown = _table(app, "minus guessing")
    assert set(shown["judge"]) == {CHAIR}
    assert "4 debates, and an interval needs 5" in set(shown["why unknown"])


def test_drawn_scores_are_those_of_the_judges_in_view_and_none_is_lost(made):
    room = Room(DATASET, (setting_id(OPENING), setting_id(WING)))
    drawn = queries.score_points(made, room).frame
    counts = dict(
        run_query(
            made,
            "select setting_id, count(*) from fct_adjudication_value"
            " where task = 'speaker_scores' and predicted is not null group by setting_id",
        ).rows
    )
    assert set(drawn["setting_id"]) == set(room.settings)
    for setting in room.settings:
        mine = drawn[drawn["setting_id"] == setting]
        assert mine["speech_count"].sum() == counts[setting]
    assert counts[setting_id(WING)] < counts[setting_id(OPENING)] == 8 * DEBATES


def test_what_compares_orders_of_houses_stands_with_the_settings_it_compares(made):
    room = Room(DATASET, (setting_id(CHAIR),))
    rows = queries.bias(made, room).frame
    assert set(rows["judge_id"]) == {CHAIR}
    assert "named_first" in set(rows["effect"])
    blind = Room(DATASET, (setting_id(CHAIR, "house_ranks"),))
    assert queries.bias(made, blind).frame.empty


def test_an_effect_that_is_not_known_is_listed_with_its_reason(view_of):
    rows = _table(view_of("bias"), "favours").set_index("favours").loc["the house named first"]
    assert set(rows["why unknown"]) == {"the houses were named in one order only"}
    assert rows["effect"].isna().all()


def test_an_opened_debate_shows_panel_and_judge_side_by_side_and_the_judges_words(
    view_of,
):
    app = view_of("house_ranks")
    speakers = _table(app, "judge's score")
    assert list(speakers["speaker"])[:3] == [
        "Prime Minister (PM)",
        "Leader of Opposition (LO)",
        "Deputy Prime Minister (DPM)",
    ]
    assert len(speakers) == 8
    for name in ("score", "rank"):
        gap = speakers[f"judge's {name}"] - speakers[f"official {name}"]
        assert list(speakers[f"{name} difference"]) == list(gap)
    houses = _table(app, "house")
    assert sorted(houses["judge's rank"]) == sorted(houses["official rank"]) == [1, 2, 3, 4]
    assert sum(text.value.startswith("As ") for text in app.text) == 8
    assert any(code.value.startswith("First: OG") for code in app.code)


def test_values_that_could_not_be_read_are_unknown_with_their_reason_and_not_zero(view_of):
    app = view_of("faults")
    houses = _table(app, "house")
    assert houses["judge's rank"].isna().all()
    assert houses["difference"].isna().all()
    assert set(houses["why unknown"]) == {"not a ranking"}
    assert "⚠ Faults: no ranking can be read" in _text(app)


def test_a_debate_no_judge_reads_says_why_and_one_that_is_not_there_says_so(view_of):
    assert "two results contradict each other" in view_of("speaker_ranks").warning[0].value
    app = view_of("bias")
    assert "The link names the debate `nowhere`, which this version lacks." in _text(app)


def test_a_change_of_the_way_of_asking_closes_the_debate(open_page, adjudicated):
    app = open_page("parliamentary", debate=f"{DATASET}:02")
    app.selectbox(key="parliamentary_asked").set_value(BLIND).run()
    assert not app.exception
    assert "debate" not in app.query_params


def test_guesses_stand_beside_a_judge_on_the_debates_it_was_read_on(made):
    version = made
    room = Room(DATASET, (setting_id(CHAIR), setting_id(OPENING)))
    rows = records(queries.guessing(version, room).frame)
    beside = {"measure": "mae", "setting_id": setting_id(CHAIR)}
    mine = guess(rows, "speaker_scores", "always_mean", beside)
    assert (mine["value"], mine["n_units"]) == (2.04, DEBATES)
    # Judges with the same debates share a row; all debates with a result have their own.
    both = [
        (row["judges"], row["n_units"])
        for row in rows
        if (row["baseline"], row["measure"]) == ("always_mean", "mae")
    ]
    assert [n for _, n in both] == [DEBATES, DEBATES + 2]
    assert both[0][0] == f"{CHAIR}, {OPENING}"
    other = {"measure": "mae", "setting_id": setting_id(WING)}
    assert guess(rows, "speaker_scores", "always_mean", other) is None


def test_a_judge_is_told_from_guessing_only_where_the_interval_says_so():
    def row(low, high, better="lower"):
        return {"minus_chance_low": low, "minus_chance_high": high, "better": better}

    assert against_chance(row(-0.5, -0.1)) == ", which it beats"
    assert against_chance(row(-0.5, 0.1)) == ", from which it cannot be told"
    assert against_chance(row(0.1, 0.5)) == ", which is better"
    assert against_chance(row(0.1, 0.5, "higher")) == ", which it beats"
    assert against_chance(row(None, None)) == ""
    rows = [row(-0.5, -0.1), row(-0.5, 0.1), row(None, None)]
    assert beside_chance_title(rows, "Ranks") == (
        "Ranks: of 2 judges, 1 better than guessing, 1 not to be told from it"
    )


def test_a_way_of_asking_says_all_that_keeps_answers_apart():
    way = {
        "template": "bp_all",
        "task": "all",
        "manual": "mine@0a1b2c3d",
        "house_order": "co-cg-oo-og",
        "strategy": "notes",
        "has_motion": False,
        "has_info_slide": True,
    }
    said = setting_name(way)
    for part in (
        "all three in one request",
        "prompt bp_all",
        "manual mine@0a1b2c3d",
        "houses named CO, CG, OO, OG",
        "from notes",
        "without motion",
        "with info slide",
    ):
        assert part in said


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "0:00"), (425.9, "7:05"), (3661, "1:01:01"), (None, "?")]
)
def test_a_time_of_a_recording_is_read_as_on_a_clock(seconds, shown):
    assert clock(seconds) == shown
