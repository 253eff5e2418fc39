"""What the section on one scale says of raters that nothing connects."""

from dashboard.decisions.scales import SECTION, subsets_text


def test_raters_of_different_subsets_are_named_and_one_subset_is_not_spoken_of() -> None:
    one = {"subset": 1, "n_subsets": 1, "members": "a; b"}
    assert subsets_text([one]) == ""
    apart = [
        {"subset": number, "n_subsets": 2, "members": members}
        for number, members in ((1, "Ann"), (1, "Ann"), (2, "Bob"))
    ]
    told = subsets_text(apart)
    assert told.startswith("Raters fall into 2 subsets without an item in common.")
    assert "(1: Ann; 2: Bob)" in told


def test_the_section_says_what_to_do_where_nothing_is_known() -> None:
    assert SECTION.empty[1].startswith("rostrum ")
