"""Where tokens and labels are drawn, and what is said of answers to debatable questions."""

from dashboard.core.spots import PLOT_WIDTH, SPOTS, Plot, label_spots
from dashboard.questions.charts import LETTERS_PER_LINE
from dashboard.questions.evidence import token_lines


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
