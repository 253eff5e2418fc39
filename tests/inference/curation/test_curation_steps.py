import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.questions.curation.records import Reason, sift
from inference.steps.asking import Answered


@given(st.lists(st.integers(0, 30), unique=True), st.lists(st.integers(2, 7), max_size=4))
def test_each_rule_sifts_what_the_last_one_left(numbers: list[int], divisors: list[int]) -> None:
    rules = [
        (f"by_{divisor}", lambda n, d=divisor: None if n % d else Reason(f"{n} by {d}"))
        for divisor in divisors
    ]
    step = sift("sieve", "number", numbers, str, rules)
    assert list(step.kept) == [n for n in numbers if all(n % d for d in divisors)]
    left = len(numbers)
    for place, rule in enumerate(step.rules, start=1):
        assert (rule.rule_order, rule.n_before) == (place, left)
        left -= rule.n_removed
    assert left == len(step.kept)
    assert len(step.removed) == len(numbers) - left
    assert sum(rule.n_removed for rule in step.rules) == len(step.removed)
    assert len({removed.item_id for removed in step.removed}) == len(step.removed)


@pytest.mark.parametrize(
    ("reply", "detail"),
    [
        (Answered("", "it is filtered"), "it is filtered"),
        (Answered("A"), "not_a_query: A"),
    ],
)
def test_what_depends_on_a_reply_is_removed_with_the_reply(reply: Answered, detail: str) -> None:
    assert Reason.of_reply(reply, "not_a_query").detail == detail
