"""Where tokens and labels are drawn, and what is said of answers to debatable questions."""

import math

import pytest

from dashboard.core.spots import PLOT_WIDTH, SPOTS, Plot, label_spots
from dashboard.questions.charts import LETTERS_PER_LINE
from dashboard.questions.effects import contrast
from dashboard.questions.evidence import token_lines
from dashboard.questions.findings import leaderboard_finding, length_finding, places_title
from dashboard.questions.labels import condition_name
from dashboard.questions.panels import slope_figure
from dashboard.questions.trust.findings import trust_finding


def test_tokens_stand_one_after_the_other_and_a_line_break_is_one():
    placed = token_lines([("One", -0.5), (" two", -1.0), (".\n\n", -0.1), ("Three", -2.0)])
    assert list(placed["text"]) == ["One", "two", ".", "Three"]
    assert list(placed["line"]) == [0, 0, 0, 1]
    assert list(placed["start"]) == [0, 3, 7, 0]
    assert list(placed["text_at"]) == [0, 4, 7, 0]


def test_no_token_is_drawn_over_the_edge_of_its_line():
    placed = token_lines([(" word", -1.0)] * 40 + [("x" * 200, -3.0), (None, -4.0), ("", -4.0)])
    assert placed["end"].max() <= LETTERS_PER_LINE
    assert (placed["end"] > placed["start"]).all()
    assert placed["text"].iloc[-2] == "\N{REPLACEMENT CHARACTER}"


def test_labels_of_points_close_together_take_different_places():
    names = ["GPT-4o", "Llama3 70B", "Gemma 2 9B", "far"]
    chosen = label_spots(names, [3.07, 3.09, 3.12, 6.6], [95.2, 94.5, 94.7, 80.0])
    assert len(set(chosen[:3])) == 3
    assert all(SPOTS[at][1] > -22 for at in chosen)  # none above the plot


def test_a_label_at_the_right_edge_runs_to_the_left():
    chosen = label_spots(["a", "a-model-with-quite-a-long-name"], [3.0, 7.0], [50.0, 50.0])
    assert [SPOTS[at][0] for at in chosen] == ["right", "left"]


def test_a_label_crosses_no_line_that_is_drawn_in_the_chart():
    """Names above a rising curve, whose axes go further than the points, stand below it."""
    curve = [(1.0, 0.62), (2.0, 0.73), (5.0, 0.84), (20.0, 0.9)]
    plot = Plot((0.0, 21.0), (-0.2, 1.0), 360, [curve])
    names = ["simulated/harsh", "simulated/careless"]
    at = [(5.3, 0.84), (5.7, 0.85)]
    spots = label_spots(names, [x for x, _ in at], [y for _, y in at], plot=plot)
    boxes = []
    for name, (x, y), spot in zip(names, at, spots, strict=True):
        side, rise = SPOTS[spot]
        across, up = plot.at(x, y)
        left = across + 8 if side == "right" else across - 8 - 6.2 * len(name)
        boxes.append((left, left + 6.2 * len(name), up + rise - 6, up + rise + 6))
    assert boxes[0][3] <= boxes[1][2] or boxes[1][3] <= boxes[0][2]
    for left, right, top, bottom in boxes:
        assert right <= PLOT_WIDTH
        for x, _ in curve[2:]:
            place = plot.at(x, dict(curve)[x])
            assert not (left < place[0] < right and top < place[1] < bottom)
        middle = plot.at(5.8, 0.84 + 0.8 / 15 * 0.06)[1]
        assert not top < middle < bottom


@pytest.mark.parametrize(
    ("factor", "levels", "said"),
    [
        ("prompt", ("qa_basic", "qa_detailed"), "qa_detailed against qa_basic"),
        ("temperature", ("0.5", "1"), "temperature 1 against temperature 0.5"),
        ("top_p", ("not set", "0.9"), "top-p 0.9 against no top-p"),
        ("length", ("100", "400"), "about 400 tokens against about 100 tokens"),
        ("retrieval", ("none", "vanilla"), "passages in the prompt against no retrieval"),
    ],
)
def test_levels_are_said_in_words(factor, levels, said):
    row = {"factor": factor, "level_a": levels[0], "level_b": levels[1]}
    assert contrast(row) == said


def test_how_models_were_asked_names_only_what_was_set():
    row = {
        "split": math.nan,
        "template": "qa_basic",
        "temperature": 0.0,
        "top_p": None,
        "target_tokens": 200,
        "retrieval": "react",
        "is_trusted_only": True,
    }
    assert condition_name(row) == (
        "plain question · qa_basic, temperature 0, about 200 tokens, passages it asks for, "
        "trusted only"
    )


def test_without_any_score_the_finding_says_so_and_names_no_model():
    row = {
        "judge_id": "lab/x",
        "pd_score": None,
        "da_score": math.nan,
        "place": None,
        "pd_unscored_share": 1.0,
        "da_unscored_share": None,
    }
    said = leaderboard_finding([row], 0.5, is_published=False)
    assert said.headline.startswith("No answer of 1 model has a score here (⚠ more than 5")


def _scored(name, value, questions=40):
    return {
        "judge_id": name,
        "pd_score": value,
        "pd_low": value - 0.2,
        "pd_high": value + 0.2,
        "pd_n_questions": questions,
        "da_score": None,
        "da_n_questions": questions,
        "place": 1,
        "length_slope": -value,
        "length_slope_low": -value - 0.1,
        "length_slope_high": 0.1 - value,
        "n_slope_questions": questions,
    }


def test_of_several_models_own_scores_the_range_is_given_and_none_is_named():
    rows = [_scored("lab/x", 3.0), _scored("lab/y", 4.0)]
    said = leaderboard_finding(rows, 0.5, is_published=False)
    assert said.headline == (
        "P.D. of 2 models runs from 3.00 [2.80,\u00a03.20] to 4.00 [3.80,\u00a04.20], on 40 "
        "questions; no paired test tells which model is ahead here, so none is named."
    )
    assert "lab" not in said.headline + said.rest
    assert "lab" not in length_finding(rows)
    assert length_finding(rows).startswith("Twice as many words change P.D. of 2 models by −4.00")


@pytest.mark.parametrize(
    ("place", "is_named"),
    [((1, 1), True), ((1, 2), True), ((1, 3), False), ((2, 2), False), ((None, None), False)],
)
def test_of_several_models_the_first_is_named_where_paired_tests_put_it_ahead(place, is_named):
    low, high = place
    rows = [
        _scored("lab/x", 3.0) | {"pd_rank_low": low, "pd_rank_high": high, "pd_n_ranked": 3},
        _scored("lab/y", 4.0) | {"pd_rank_low": 1, "pd_rank_high": 2, "pd_n_ranked": 3},
    ]
    said = leaderboard_finding(rows, 0.5, is_published=False).headline
    assert ("lab\\/x has the lowest P.D., place 1" in said) is is_named
    assert ("none is named" in said) is not is_named
    assert "lab\\/y" not in said


@pytest.mark.parametrize(
    ("rows", "value", "said"),
    [
        ([_scored("lab/x", 3.0), _scored("lab/y", 4.0)], "−4.00 to −3.00", "2 models, on 40 quest"),
        (
            [_scored("lab/x", 3.0), _scored("lab/y", 4.0, 9)],
            "−3.00",
            "`lab/x` · [−3.10,\u00a0−2.90]",
        ),
        ([_scored("lab/x", 3.0, 9)], "–", "no model has 30 units"),
        ([_scored("lab/x", 3.0) | {"length_slope": None}], "–", "unknown: no question has answers"),
        ([_scored("lab/x", math.nan)], "–", "unknown: no scored answer"),
    ],
)
def test_where_no_model_is_named_the_change_per_doubled_words_is_still_told(rows, value, said):
    shown, note = slope_figure(rows, None)
    assert shown == value
    assert note.startswith(said)


def test_of_models_with_the_same_score_none_is_named_as_first():
    rows = [
        _scored(name, 3.0) | {"pd_rank_low": 1, "pd_rank_high": 2, "pd_n_ranked": 3}
        for name in ("lab/x", "lab/y")
    ]
    said = leaderboard_finding(rows, 0.5, is_published=False).headline
    assert "none is named" in said


def test_one_model_is_named_with_enough_questions_only():
    assert leaderboard_finding([_scored("lab/x", 3.0)], 0.5, is_published=False).headline == (
        "lab\\/x: P.D. 3.00 [2.80,\u00a03.20] on 40 questions."
    )
    few = leaderboard_finding([_scored("lab/x", 3.0, 29)], 0.5, is_published=False)
    assert few.headline.startswith("Scores are below; no model has 30 units in 10 clusters")
    assert "no model has 30 units" in length_finding([_scored("lab/x", 3.0, 29)])


def test_without_two_lengths_nothing_is_said_of_slopes():
    row = {"judge_id": "lab/x", "length_slope": None, "pd_score": 3.0}
    assert length_finding([row]).startswith("How P.D. changes with length is not known")


@pytest.mark.parametrize(
    ("firsts", "said"),
    [
        ({0.0: "a", 1.0: "a"}, "The first of 3 models by value is the same at every weight"),
        ({0.0: "ab", 1.0: "ab"}, "The first of 3 models by value is the same at every weight"),
        ({0.0: "ab", 1.0: "b"}, "Which of 3 models is first by value depends on the weight"),
    ],
)
def test_the_title_of_places_names_nobody_and_says_whether_the_weight_decides(firsts, said):
    rows = [
        {"judge_id": name, "place": 1 if name in first else 3, "k": k}
        for k, first in firsts.items()
        for name in "abc"
    ]
    assert places_title(rows) == said


def test_nothing_known_of_a_metric_is_said_as_that():
    assert trust_finding([], [], []).headline == (
        "Whether these metrics can be trusted is not known yet."
    )
