from dashboard.core.series import GREY, looks


def test_no_colour_or_shape_names_a_judge():
    drawn = looks(["human", *(f"lab/judge-{at}" for at in range(30))])
    assert len({look for judge, look in drawn.items() if judge != "human"}) == 1


def test_people_differ_from_judges_in_colour_and_in_shape():
    people, judge = (looks(["human", "a/one"])[one] for one in ("human", "a/one"))
    assert people.colour == GREY != judge.colour
    assert people.shape != judge.shape
