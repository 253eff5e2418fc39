"""The corpus statistics against SciPy and loops, and the funnel against what was removed."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from tests.dbt_project.compiled_models import EXAMPLES, Built
from tests.dbt_project.verdict_data import SIDES, Debate, as_raw, debates

RULES = ("forfeit", "round_count", "margin")


def check(value: tuple[Any, ...], seen: list[float], is_share: bool) -> None:
    n_debates, mean, low, high, reason = value
    assert n_debates == len(seen)
    if not seen:
        assert mean is low is high is None
        assert reason == "no debate says"
        return
    assert mean == pytest.approx(np.mean(seen))
    if len(seen) < 5:
        assert low is high is None
    elif is_share:
        assert (low, high) == pytest.approx(
            proportion_confint(sum(seen), len(seen), method="wilson"), abs=1e-9
        )
    else:
        half = stats.t.ppf(0.975, len(seen) - 1) * stats.sem(seen)
        assert (low, high) == pytest.approx((mean - half, mean + half))


@EXAMPLES
@given(made=debates())
def test_corpus_statistics_are_scipys_whole_and_by_round_count(
    built: Built, made: list[Debate]
) -> None:
    data = as_raw(made)
    connection = built(**data)
    if not any(sum(debate.words) for debate in made):
        assert connection.execute("from rpt_corpus_statistics").fetchall() == []
        return
    for rounds in (None, *{debate.rounds for debate in made}):
        used = [debate for debate in made if rounds in (None, debate.rounds)]
        rows = {
            name: rest
            for name, *rest in connection.execute(
                "select statistic, n_debates, value, value_low, value_high, reason "
                "from rpt_corpus_statistics where round_count is not distinct from ?",
                [rounds],
            ).fetchall()
        }
        words = [float(sum(debate.words)) for debate in used if sum(debate.words)]
        check(tuple(rows["mean_words"]), words, is_share=False)
        closes = [float(debate.end == "con") for debate in used if debate.end]
        check(tuple(rows["con_closes_share"]), closes, is_share=True)
        wins = [float(debate.human == "pro") for debate in used if debate.human in SIDES]
        check(tuple(rows["pro_win_share"]), wins, is_share=True)
        check(tuple(rows["mean_votes"]), [], is_share=False)


def test_published_figures_stand_beside_ddo_only(built: Built) -> None:
    made = [Debate(f"x{number}", None, "con", "con", 3, (10, 10 + number)) for number in range(6)]
    printed = {}
    for dataset in ("ddo", "other"):
        connection = built(**as_raw(made), dataset=dataset)
        printed[dataset] = dict(
            connection.execute(
                "select statistic, published_value from rpt_corpus_statistics "
                "where round_count = 3 and published_value is not null"
            ).fetchall()
        )
    assert printed["ddo"] == {
        "mean_votes": 10.05,
        "mean_vote_difference": 5.52,
        "con_closes_share": 0.7784,
        "pro_win_share": 0.369,
        "con_win_share": 0.631,
    }
    assert printed["other"] == {}


@EXAMPLES
@given(broken=st.lists(st.sampled_from([*RULES, None]), max_size=12))
def test_the_funnel_starts_with_every_debate_and_ends_with_those_kept(
    built: Built, broken: list[str | None]
) -> None:
    raw = {
        "filter_rules": [
            {"rule_order": place, "rule": rule, "description": rule}
            for place, rule in enumerate(RULES, start=1)
        ],
        "debate_filters": [
            {
                "debate_id": f"x{number}",
                "rule": rule or "kept",
                "is_removed": rule is not None,
                "rule_order": RULES.index(rule) + 1 if rule else len(RULES) + 1,
            }
            for number, rule in enumerate(broken)
        ],
    }
    connection = built(raw=raw)
    steps = connection.execute(
        "select rule, debates_before, removed_count, debates_after from rpt_filter_funnel "
        "order by rule_order"
    ).fetchall()
    if not broken:
        assert steps == []
        return
    left = len(broken)
    for rule, (name, before, removed, after) in zip((*RULES, "kept"), steps, strict=True):
        assert (name, before, removed) == (rule, left, broken.count(rule))
        left -= removed
        assert after == left
    assert left == broken.count(None)
