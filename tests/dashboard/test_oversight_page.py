"""Debate as oversight: what judges find by each protocol, and the debates themselves."""

import duckdb
import pandas as pd
import pytest
from published_stub import publish_stub, rank
from stub_oversight import EASY, FIELD, ROOMS, SOUND, room_id, transcript_id
from stub_oversight_marts import DATASET, NO_GAP

from dashboard.core.charts import whole_ticks
from dashboard.oversight import charts, panels
from dashboard.oversight.ratings import slope_title, standing_text
from warehouse.home import Home

# How many charts each view of the sample has.
VIEWS = {
    "accuracy": 2,
    "ratings": 2,
    "calibration": 4,
    "beliefs": 1,
    "quotes": 1,
    "biases": 1,
    "votes": 1,
    "tournament": 0,
    "questions": 0,
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return publish_stub(Home(tmp_path_factory.mktemp("made")), oversight=True)


_OPENED = {}


@pytest.fixture
def view_of(open_page, made, monkeypatch):
    """Return a function that opens a page once, for all tests that only read it."""
    monkeypatch.setenv("ROSTRUM_HOME", str(made.path.parents[2]))

    def view(name, **parameters):
        key = (name, *parameters.items())
        if key not in _OPENED:
            _OPENED[key] = open_page(name, **parameters)
        return _OPENED[key]

    return view


def _text(app) -> str:
    said = "\n".join(element.value for element in [*app.markdown, *app.caption, *app.warning])
    return said.replace("\\", "")


def _table(app, column: str):
    return next(frame.value for frame in app.dataframe if column in frame.value.columns)


@pytest.mark.parametrize("name", ["oversight", "debate_reader"])
def test_without_judgements_a_page_names_the_commands(open_page, published, name):
    app = open_page(name)
    assert not app.exception
    codes = [code.value for code in app.code]
    assert any("rostrum run story-debate --judge DEBATER" in code for code in codes)
    assert "rostrum demo" in codes


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_drawn_and_can_be_asked_for_again_in_sql(view_of, view):
    app = view_of("oversight", dataset=DATASET, view=view)
    assert not app.exception
    assert not app.error
    assert len(app.get("vega_lite_chart")) == VIEWS[view]
    assert all("$" not in code.value for code in app.code)


def test_of_several_judges_the_range_is_given_and_none_is_named(view_of):
    app = view_of("oversight", dataset=DATASET, view="accuracy")
    said = _text(app)
    assert "#### 2 judges are right in 48.0\u00a0% [38.0,\u00a053.0] to 75.0\u00a0% [65.0," in said
    assert "no paired test tells which judge is ahead here, so none is named" in said
    assert (app.metric[0].label, app.metric[0].value) == (
        "Right: debate",
        "48.0\u00a0% to 75.0\u00a0%",
    )


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ((1, 1), f"{SOUND} most often, place 1 of 2 asked alike"),
        ((1, 2), "no paired test tells which judge is ahead here, so none is named"),
    ],
)
def test_the_judge_most_often_right_is_named_where_paired_tests_put_it_ahead(
    open_page, home, places, said
):
    place = {
        "measure": "protocol_accuracy",
        "dataset_id": DATASET,
        "variant_id": "debate",
        "n_ranked": 2,
    }
    rank(
        publish_stub(home, oversight=True),
        place | {"judge_id": SOUND, "rank_low": places[0], "rank_high": places[1]},
        place | {"judge_id": EASY, "rank_low": places[1], "rank_high": 2},
    )
    app = open_page("oversight", dataset=DATASET, view="accuracy")
    assert said in _text(app).replace("\\", "")


def test_the_first_sentence_holds_a_judge_alone_against_its_floor_and_its_ceiling(view_of):
    app = view_of("oversight", dataset=DATASET, view="accuracy", judge=SOUND)
    said = _text(app)
    assert f"{SOUND} is right in 75.0\u00a0% [65.0,\u00a080.0] of judgements after debate" in said
    assert "question alone gives 55.0\u00a0%, this 75.0\u00a0% and the story 95.0\u00a0%: " in said
    assert "50.0\u00a0% [30.0,\u00a070.0] of the gap is closed" in said
    assert [(one.label, one.value) for one in app.metric] == [
        ("Right: debate", "75.0\u00a0%"),
        ("Gap closed", "50.0\u00a0%"),
        ("Points per 100 of rating", "4.50"),
        ("Calibration error", "0.0900"),
    ]


@pytest.mark.parametrize(
    ("units", "value", "note"),
    [
        (30, "0.0100 to 0.0300", "perfect judges' 0.0200 · 2 judges · 30 judgements"),
        (12, "–", "no judge has 30 units in 10 clusters, so none is named"),
    ],
)
def test_of_several_judges_the_calibration_error_is_a_range_and_names_none(
    monkeypatch, units, value, note
):
    shown = []
    monkeypatch.setattr(panels, "figure", lambda _, *told: shown.append(told[:2]))
    alike = dict.fromkeys(("protocol", "is_interactive", "debater", "mode"), "alike")
    rows = [
        {"judge_id": name, "ece_max_p": error, "ece_max_p_if_calibrated": 0.02}
        | {"n_units": units, "n_clusters": 12, **alike}
        for name, error in (("lab/a", 0.01), ("lab/b", 0.03))
    ]
    panels._calibration_figure(rows)
    assert shown == [(value, note)]


def test_an_axis_of_whole_numbers_asks_for_steps_below_their_distance():
    axis = whole_ticks(range(1, 4))
    assert axis["values"] == [1, 2, 3]
    assert axis["tickMinStep"] < 1


def test_the_chart_of_one_debate_is_titled_with_the_belief_after_its_last_round():
    points = pd.DataFrame({"step": [1, 2, 2], "value": [40.0, 90.0, 95.0]})
    assert charts._last_belief(points) == "Belief after 2 rounds: 90.0 to 95.0\u00a0%"


def test_a_gap_that_is_not_known_has_its_reason_and_failures_carry_their_bounds(view_of):
    app = view_of("oversight", dataset=DATASET, view="accuracy", judge=EASY)
    said = _text(app)
    assert f"How much of the gap it closes is unknown: {NO_GAP}." in said
    assert "(⚠ 5 of 77 judgements could not be read)" in said
    assert "accuracy would be 38.0\u00a0% to 58.0\u00a0%" in said
    shown = _table(app, "gap closed")
    assert shown["gap closed"].isna().all()
    assert set(shown["judge"]) == {EASY}


def test_people_stand_together_unless_one_is_chosen_and_rooms_of_the_paper_can_be_taken(view_of):
    together = view_of("oversight", dataset=ROOMS)
    assert set(_table(together, "right")["judge"]) == {"human"}
    alone = view_of("oversight", dataset=ROOMS, judge=f"{ROOMS}:Ada", rooms="paper")
    assert list(_table(alone, "right")["judge"]) == [f"{ROOMS}:Ada"]
    assert list(_table(alone, "right")["right"]) == [0.85]


def test_ratings_name_their_field_the_prior_they_needed_and_what_is_not_known(view_of):
    app = view_of("oversight", dataset=DATASET, view="ratings")
    assert app.selectbox(key="oversight_field").value == FIELD
    assert any("no finite maximum" in one.value for one in app.warning)
    assert "arguing for the right answer: 90.0 [20.0,\u00a0160]" in _text(app)
    assert "being shown first" not in _text(app)


def test_a_tournaments_standing_names_nobody():
    rows = [
        {
            "debater_id": name,
            "judge_id": "lab/judge",
            "tournament_round": 3,
            "points_so_far": points,
        }
        for name, points in (("lab/a", 3.0), ("lab/b", 0.5))
    ]
    assert standing_text(rows) == (
        "After round 3, judged by lab/judge, 2 debaters have 0.5 to 3 of 3 points"
    )


def test_a_slope_says_only_what_its_interval_allows():
    def line(low, high, slope=0.02):
        return {"slope": slope, "slope_low": low, "slope_high": high, "null_reason": "why"}

    assert slope_title(line(0.01, 0.03)).startswith("More persuasive debaters, more truthful")
    assert slope_title(line(-0.03, -0.01)).startswith("More persuasive debaters, less truthful")
    assert slope_title(line(-0.01, 0.03)).startswith("No clear relation")
    assert "no interval" in slope_title(line(None, None))
    assert slope_title(line(None, None, None)) == "Accuracy and rating: no slope is known (why)"


def test_a_debate_shows_speakers_quotes_both_orders_and_the_judges_words(view_of):
    app = view_of("debate_reader", dataset=DATASET, transcript=transcript_id(1))
    assert not app.exception
    said = _text(app)
    assert "**Debater for answer 0** · round 1" in said
    assert ":green-background[“Her hands smelled of oil” ✓]" in said
    assert ":orange-background[“The wind did it” ✗ *not in the story*]" in said
    assert "1 draft over the word limit · ⚠ cut at the word limit" in said
    assert "The lamp in the harbour" not in said
    shown = _table(app, "on answer 0")
    assert list(shown[shown["judge"] == SOUND]["answers"])[:3] == [
        "answer 0 shown first",
        "answer 1 shown first",
        "mean of both orders",
    ]
    assert shown[(shown["judge"] == EASY)]["on answer 0"].isna().sum() == 4
    assert any(code.value.startswith("Probability that A is right") for code in app.code)
    assert {"1 candidate not chosen", "2 quotes not in the story"} <= {
        one.label for one in app.expander
    }


def test_a_debate_of_which_only_means_of_both_orders_are_left_is_drawn_without_words(
    open_page, tmp_path, monkeypatch
):
    version = publish_stub(Home(tmp_path / "means"), oversight=True)
    version.path.chmod(0o644)
    with duckdb.connect(str(version.path)) as connection:
        connection.execute("delete from fct_oversight_judgement where answer_order <> 'both'")
    monkeypatch.setenv("ROSTRUM_HOME", str(tmp_path / "means"))
    app = open_page("debate_reader", dataset=DATASET, transcript=transcript_id(1))
    assert not app.exception
    assert set(_table(app, "on answer 0")["answers"]) == {"mean of both orders"}
    assert "These are means of both orders: no judge's words belong to them." in _text(app)
    assert "The judge's words" not in [box.label for box in app.selectbox]


def test_once_the_story_is_shown_each_verified_quote_leads_to_its_place(view_of):
    app = view_of("debate_reader", dataset=DATASET, transcript=transcript_id(1), story="shown")
    said = _text(app)
    assert said.count("✓ passage 1](#passage-1)]") == 2
    story = next(one.value for one in app.markdown if one.value.startswith("The lamp"))
    assert "###### Passage 1\n\n:green-background[**Her hands smelled of oil**]" in story


def test_rooms_of_people_void_transcripts_and_broken_links_can_be_read(view_of):
    room = view_of("debate_reader", dataset=ROOMS, transcript=room_id())
    assert not room.exception
    assert "“the lamp” ✓" in _text(room)
    assert "No story is loaded for this question" in _text(room)
    void = view_of("debate_reader", dataset=DATASET, transcript=transcript_id(5))
    assert not void.exception
    assert "This transcript is void: the endpoint died" in _text(void)
    assert [one.value for one in void.metric][:2] == ["–", "–"]
    gone = view_of("debate_reader", dataset=DATASET, transcript="nowhere")
    assert "The link names the transcript `nowhere`, which this version lacks." in _text(gone)
