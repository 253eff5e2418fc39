from dashboard.core.colours import COLOURS, GREY, looks


def test_as_many_judges_as_colours_differ_in_both_colour_and_shape():
    drawn = looks([f"lab/judge-{at}" for at in range(len(COLOURS))])
    del drawn["human"]
    assert len({look.colour for look in drawn.values()}) == len(COLOURS)
    assert len({look.shape for look in drawn.values()}) == len(COLOURS)


def test_no_two_of_thirty_judges_look_alike():
    drawn = looks([f"lab/judge-{at}" for at in range(30)])
    assert len(set(drawn.values())) == 31


def test_looks_depend_on_the_set_of_judges_and_not_on_their_order():
    judges = ["b/two", "a/one", "c/three"]
    assert looks(judges) == looks(reversed(judges))


def test_people_are_grey_and_take_no_judge_its_colour():
    assert looks(["human", "a/one"])["human"].colour == GREY
    assert looks(["human", "a/one"])["a/one"] == looks(["a/one"])["a/one"]
