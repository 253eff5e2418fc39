"""One test per bias over all ways of asking: against SciPy, statsmodels and plain loops."""

from collections import Counter, defaultdict
from itertools import product
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import StratifiedTable

from tests.dbt_project.compiled_models import EXAMPLES, Built, rows_of
from tests.dbt_project.test_holds import query_of, rules_of
from tests.dbt_project.verdict_data import Debate, as_raw, debate_rows

Row = dict[str, Any]
WAYS = list(product(("A/B", "B/A"), ("pro_first", "con_first")))
WORTH = {"con": 1.0, "tie": 0.5, "pro": 0.0}


@st.composite
def studies(draw: st.DrawFn) -> dict[str, list[Row]]:
    """Debates, some of them twins, asked about in four crossed ways with repeats and failures."""
    is_twins = draw(st.booleans())
    repeats = draw(st.sampled_from([1, 1, 3]))
    debates, verdicts = [], []
    for number in range(draw(st.integers(6, 24))):
        name = f"d{number:02d}"
        debates.append(
            Debate(
                name,
                f"c{number // 2 if is_twins else number}",
                draw(st.sampled_from(["pro", "con", "con", "tie"])),
                draw(st.sampled_from(["pro", "con"])),
                words=(100, draw(st.sampled_from([50, 100, 400]))),
            )
        )
        for (labels, position), sample in product(WAYS, range(repeats)):
            winner = draw(st.sampled_from(["pro", "con", "con", "tie", *[None] * (number % 2)]))
            verdicts.append(
                {
                    "judge_id": "j/a",
                    "debate_id": name,
                    "verbalizer": labels,
                    "position": position,
                    "sample": sample,
                    "winner": winner,
                    "parse_status": "parsed" if winner else "unparsed",
                }
            )
    return debate_rows(debates) | {"verdicts": verdicts}


def means(study: dict[str, list[Row]]) -> dict[str, dict[tuple[str, str], float]]:
    """Return Con's share by debate and way of asking."""
    said: dict[str, dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in study["verdicts"]:
        if row["winner"]:
            way = (row["verbalizer"], row["position"])
            said[row["debate_id"]][way].append(WORTH[row["winner"]])
    return {
        name: {way: float(np.mean(values)) for way, values in ways.items()}
        for name, ways in said.items()
    }


def clustered(values: Any, design: Any, clusters: list[str]) -> Any:
    codes = np.unique(clusters, return_inverse=True)[1]
    return sm.OLS(values, design).fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)


def score_test(values: list[float], clusters: list[str]) -> tuple[float | None, float | None]:
    """McNemar's statistic by cluster and the p that is quoted, for differences of any size."""
    totals: dict[str, float] = defaultdict(float)
    for value, cluster in zip(values, clusters, strict=True):
        totals[cluster] += value
    sums = np.array([round(one, 9) for one in totals.values()])
    if not (sums**2).sum():
        return None, None
    statistic = sums.sum() ** 2 / (sums**2).sum()
    more, fewer = int((sums > 0).sum()), int((sums < 0).sum())
    if more + fewer < 25:
        return statistic, float(stats.binomtest(more, more + fewer).pvalue)
    return statistic, float(stats.chi2.sf(statistic, 1))


@EXAMPLES
@given(study=studies())
def test_pooled_biases_are_the_means_over_ways_of_asking_that_a_loop_gives(
    built: Built, study: dict[str, list[Row]]
) -> None:
    found = {row["bias"]: row for row in rows_of(built(raw=study), "from int_bias_pooled")}
    shares = means(study)
    about = {
        one["debate_id"]: (one["cluster_id"], won["winner"], one["end_side"])
        for one, won in zip(study["debates"], study["debate_outcomes"], strict=True)
    }
    words = {row["debate_id"]: row["word_count"] for row in study["speeches"]}
    whole = {name: ways for name, ways in shares.items() if len(ways) == len(WAYS)}
    decided = {name for name, ways in whole.items() if 0.5 not in ways.values()}

    known = [name for name in whole if about[name][1] in ("pro", "con")]
    ends = Counter(about[name][2] for name in known)
    assert found["stance"]["n_units"] == len(known)
    assert found["stance"]["split_count"] == sum(name not in decided for name in known)
    if len(ends) == 2:
        human = {name: float(about[name][1] == "con") for name in known}
        weight = {name: len(known) / (2 * ends[about[name][2]]) for name in known}
        by_end = [
            np.mean(
                [
                    np.mean(list(whole[name].values())) - human[name]
                    for name in known
                    if about[name][2] == end
                ]
            )
            for end in ends
        ]
        assert found["stance"]["effect"] == pytest.approx(np.mean(by_end), abs=1e-7)
        votes = [
            weight[name] * (np.mean([share > 0.5 for share in whole[name].values()]) - human[name])
            for name in known
            if name in decided
        ]
        statistic, p = score_test(votes, [about[name][0] for name in known if name in decided])
        assert found["stance"]["statistic"] == pytest.approx(statistic, abs=1e-7)
        assert found["stance"]["p"] == pytest.approx(p, abs=1e-7)

    slope = found["verbosity"]
    ratio = np.array([np.log2(words[name] / 100) for name in known])
    if len(known) > 3 and ratio.std() > 0:
        gap = [np.mean(list(whole[name].values())) - (about[name][1] == "con") for name in known]
        fit = clustered(gap, sm.add_constant(ratio), [about[name][0] for name in known])
        assert slope["effect"] == pytest.approx(fit.params[1], abs=1e-7)
        if slope["error"] is not None:
            assert slope["p"] == pytest.approx(fit.pvalues[1], abs=1e-6)
            assert slope["effect_low"] == pytest.approx(fit.conf_int()[1][0], abs=1e-6)

    for bias, pairs in {
        "position": [
            [(labels, side) for side in ("pro_first", "con_first")] for labels in ("A/B", "B/A")
        ],
        "label": [
            [(labels, side) for labels in ("A/B", "B/A")] for side in ("pro_first", "con_first")
        ],
    }.items():
        gaps = {
            name: [ways[one] - ways[other] for one, other in pairs if {one, other} <= set(ways)]
            for name, ways in shares.items()
        }
        gaps = {name: values for name, values in gaps.items() if values}
        row = found[bias]
        assert row["n_units"] == len(gaps)
        if gaps:
            averages = [float(np.mean(values)) for values in gaps.values()]
            clusters = [about[name][0] for name in gaps]
            assert row["effect"] == pytest.approx(np.mean(averages), abs=1e-9)
            if row["error"] is not None:
                fit = clustered(averages, np.ones(len(averages)), clusters)
                assert row["error"] == pytest.approx(fit.bse[0], abs=1e-7)


def crossed(winner_of: Any, count: int = 40) -> dict[str, list[Row]]:
    """Debates with winners and last words crossed, each asked in all four ways."""
    debates = [
        Debate(
            f"d{at:03d}",
            human="con" if at % 2 else "pro",
            end="con" if at % 4 < 2 else "pro",
            words=(100, 100 + at),
        )
        for at in range(count)
    ]
    verdicts = [
        {
            "judge_id": "j/a",
            "debate_id": each.name,
            "verbalizer": labels,
            "position": position,
            "winner": winner_of(at, each.human, each.end, labels, position),
        }
        for at, each in enumerate(debates)
        for labels, position in WAYS
    ]
    return debate_rows(debates) | {"verdicts": verdicts}


def test_order_with_one_verdict_per_debate_is_the_cochran_mantel_haenszel_test(
    built: Built,
) -> None:
    draws = np.random.Generator(np.random.Philox(7))
    fixed: dict[int, str] = {}

    def says(at: int, _human: str, end: str, _labels: str, _position: str) -> str:
        return fixed.setdefault(
            at, "con" if draws.random() < (0.7 if end == "con" else 0.4) else "pro"
        )

    models = built(raw=crossed(says, count=80))
    row = rows_of(models, "from int_bias_pooled where bias = 'order'")[0]
    tables = [
        np.array(
            [
                [
                    sum(
                        fixed[at] == said
                        for at in range(80)
                        if ("con" if at % 2 else "pro") == human
                        and ("con" if at % 4 < 2 else "pro") == end
                    )
                    for said in ("con", "pro")
                ]
                for end in ("con", "pro")
            ]
        )
        for human in ("pro", "con")
    ]
    expected = StratifiedTable(tables).test_null_odds(correction=False)
    assert row["statistic"] == pytest.approx(expected.statistic)
    assert row["p"] == pytest.approx(expected.pvalue)
    alone = rows_of(models, "from rpt_order_bias")
    assert all(one["mh_difference"] == pytest.approx(row["effect"]) for one in alone)
    assert row["effect_low"] == pytest.approx(alone[0]["mh_difference_low"], abs=1e-9)
    # Four ways of asking that say the same differ in nothing.
    assert (row["arm_count"], row["q"]) == (4, None)


def test_a_judge_that_only_prefers_the_second_place_has_no_stance(built: Built) -> None:
    def says(at: int, human: str, _end: str, _labels: str, position: str) -> str:
        return human if at % 10 < 2 else "con" if position == "pro_first" else "pro"

    study = crossed(says)
    models = built(raw=study)
    rows = rows_of(models, "from rpt_bias_battery where role = 'test' and family = 'contrasts'")
    assert [row["bias"] for row in rows if row["is_significant"]] == ["position"]
    stance = next(row for row in rows if row["bias"] == "stance")
    assert (stance["effect"], stance["p"]) == (pytest.approx(0.0), 1.0)
    assert (stance["heterogeneity_df"], stance["arm_count"]) == (3, 4)
    # Each way of asking alone is half a stance to one side, and the heterogeneity says so.
    assert stance["heterogeneity_p"] < 1e-6
    ways = rows_of(models, "from rpt_bias_battery where bias = 'stance' and role <> 'test'")
    assert sorted(row["effect"] for row in ways) == pytest.approx([-0.4, -0.4, 0.4, 0.4])
    assert {row["role"] for row in ways} == {"arm"}
    assert all(row["p"] < 0.001 and row["p_adjusted"] is None for row in ways)


@pytest.mark.parametrize(
    ("kept", "reason"),
    [
        ([("A/B", "pro_first")], "Con is always named second, labels are always A/B"),
        ([("A/B", "pro_first"), ("A/B", "con_first")], "labels are always A/B"),
        ([("A/B", "shuffled"), ("B/A", "shuffled")], None),
        ([("random A/B", "shuffled")], None),
    ],
)
def test_a_bias_is_tested_only_where_the_others_have_both_levels_or_were_drawn(
    built: Built, kept: list[tuple[str, str]], reason: str | None
) -> None:
    study = crossed(lambda at, human, *_: human if at % 3 else "con")
    study["verdicts"] = [
        {**row, "verbalizer": labels, "position": position}
        for row in study["verdicts"]
        if (row["verbalizer"], row["position"]) == WAYS[0]
        for labels, position in kept
    ]
    rows = rows_of(
        built(raw=study), "from rpt_bias_battery where bias in ('order', 'stance', 'verbosity')"
    )
    tested = [row for row in rows if row["p_adjusted"] is not None]
    if reason is None:
        assert {row["bias"] for row in tested} == {"order", "stance", "verbosity"}
        assert all(row["is_neutralised"] for row in rows)
    else:
        assert not tested
        assert {row["reason"] for row in rows} == {f"descriptive: {reason}"}
        assert {(row["role"], row["is_neutralised"]) for row in rows} == {("description", False)}


def test_stance_is_not_told_from_the_last_word_where_one_side_always_closes(built: Built) -> None:
    study = crossed(lambda at, human, *_: human if at % 3 else "con")
    for row in study["debates"]:
        row["end_side"] = "con"
    rows = rows_of(built(raw=study), "from rpt_bias_battery where bias = 'stance'")
    assert all(row["p_adjusted"] is None for row in rows)
    pooled = next(row for row in rows if row["role"] == "test")
    assert pooled["reason"] == "one side closes every debate, and the last word is no stance"


def exchanged(n_motions: int) -> dict[str, list[Row]]:
    """Two debates on each motion, between the same speakers on exchanged sides."""
    return debate_rows(
        Debate(f"d{number}{half}", f"c{number}", None, "con", None, (100, 100), speakers=teams)
        for number in range(n_motions)
        for half, teams in enumerate((("x", "y"), ("y", "x")))
    )


@EXAMPLES
@given(
    said=st.lists(
        st.tuples(*[st.lists(st.sampled_from(["pro", "con", "tie"]), min_size=1, max_size=3)] * 4),
        min_size=1,
        max_size=12,
    )
)
def test_side_is_a_t_test_of_pros_share_over_motions_with_sides_exchanged(
    built: Built, said: list[tuple[list[str], ...]]
) -> None:
    # The other template has each verdict the other way round: pooled, every share would be one half.
    other = {"pro": "con", "con": "pro", "tie": "tie"}
    verdicts: list[Row] = []
    values: dict[str, list[float]] = {"j/a": [], "j/b": []}
    for number, said_of in enumerate(said):
        for judge, pair in (("j/a", said_of[:2]), ("j/b", said_of[2:])):
            verdicts += [
                {
                    "judge_id": judge,
                    "debate_id": f"d{number}{half}",
                    "sample": sample,
                    "template": template,
                    "winner": winner if template == "t0" else other[winner],
                }
                for half, winners in enumerate(pair)
                for sample, winner in enumerate(winners)
                for template in ("t0", "t1")
            ]
            shares = [np.mean([1 - WORTH[winner] for winner in winners]) for winners in pair]
            values[judge].append(float(np.mean(shares)) - 0.5)
    models = built(raw=exchanged(len(said)) | {"verdicts": verdicts})
    sign = {"t0": 1, "t1": -1}
    sides = rows_of(models, "from rpt_side_bias")
    assert len(sides) == 4
    for row in sides:
        check_t(row, [sign[row["template"]] * each for each in values[row["judge_id"]]])
    differences = [a - b for a, b in zip(values["j/a"], values["j/b"], strict=True)]
    pairs = rows_of(models, "from rpt_side_comparison")
    assert len(pairs) == 2
    for pair in pairs:
        check_t(pair, [sign[pair["template"]] * each for each in differences])
    assert {row["p"] for row in rows_of(models, "from rpt_bias_battery where bias = 'side'")} == {
        row["p"] for row in sides
    }


@pytest.mark.parametrize("n_motions", [1, 4, 6])
def test_a_side_that_cannot_be_tested_keeps_what_the_report_promises(
    built: Built, n_motions: int
) -> None:
    raw = exchanged(n_motions)
    raw["verdicts"] = [
        {"judge_id": "j/a", "debate_id": each["debate_id"], "winner": "pro"}
        for each in raw["debates"]
    ]
    models = built(raw=raw)
    (row,) = rows_of(models, "from rpt_side_bias")
    assert (row["pro_share"], row["p"]) == (1, None)
    rules = rules_of("rpt_side_bias")
    assert models.execute(query_of("rpt_side_bias", **rules)).fetchall() == []


def check_t(row: Row, values: list[float]) -> None:
    assert row["n_units"] == len(values)
    assert row["difference"] == pytest.approx(np.mean(values), abs=1e-8)
    if len(values) < 5 or np.ptp(values) < 1e-9:
        assert row["p"] is None
        assert row["reason"]
        return
    test = stats.ttest_1samp(values, 0)
    assert (row["statistic"], row["df"]) == pytest.approx((test.statistic, test.df), abs=1e-6)
    assert row["p"] == pytest.approx(test.pvalue, abs=1e-8)
    low, high = test.confidence_interval()
    least = -0.5 if "judge_id" in row else -1.0
    assert row["difference_low"] == pytest.approx(max(least, low), abs=1e-7)
    assert row["difference_high"] == pytest.approx(min(-least, high), abs=1e-7)
    assert row["effect_size"] == pytest.approx(np.mean(values) / np.std(values, ddof=1), abs=1e-6)


@pytest.mark.parametrize(
    ("about", "bias", "reason"),
    [
        # Without the one debate that Con closes, nothing is left to compare.
        (
            [("con", "pro", 1), *[("con", "con", 1)] * 3, *[("con", "con", 2)] * 2],
            "order",
            "undefined without one of the clusters",
        ),
        # The judge departs from people exactly as lengths do.
        (
            [*[("con", "con", 1), ("con", "pro", 1)] * 2, ("pro", "con", 2), ("pro", "pro", 2)],
            "verbosity",
            "no residual variation",
        ),
        ([("pro", "con", 1), ("pro", "pro", 2)] * 3, "stance", "every cluster differs alike"),
    ],
)
def test_an_interval_of_five_or_six_debates_is_missing_for_the_true_reason(
    built: Built, about: list[tuple[str, str, int]], bias: str, reason: str
) -> None:
    debates = [
        Debate(
            f"d{at}",
            human=human,
            end=closes,
            words=(100, 100 * length),
            answers=("pro" if bias == "order" and at % 2 else "con",),
        )
        for at, (human, closes, length) in enumerate(about)
    ]
    models = built(**as_raw(debates, verbalizer="random A/B", position="shuffled"))
    (row,) = rows_of(models, f"from int_bias_pooled where bias = '{bias}'")
    assert row["effect"] is not None
    assert (row["effect_low"], row["reason"]) == (None, reason)


def in_templates(*judged: Any) -> dict[str, list[Row]]:
    """Debates asked in all four ways under one template for each rule that names a winner."""
    studies = [crossed(winner_of) for winner_of in judged]
    verdicts = [
        {**row, "template": f"t{at}", "first_side": row["position"].removesuffix("_first")}
        for at, each in enumerate(studies)
        for row in each["verdicts"]
    ]
    return {**studies[0], "verdicts": verdicts}


def sides(second_share: float, seed: int = 0) -> Any:
    """A judge that names the second side this often, without another preference."""
    draws = np.random.default_rng(seed)
    return lambda _at, _human, _end, _labels, position: (
        "con" if (position == "pro_first") == (draws.random() < second_share) else "pro"
    )


def by_label(second_shares: dict[str, float], seed: int = 0) -> Any:
    """A judge whose liking for the second place depends on the order of the labels."""
    rules = {
        labels: sides(share, seed + at) for at, (labels, share) in enumerate(second_shares.items())
    }
    return lambda at, human, end, labels, position: rules[labels](at, human, end, labels, position)


@pytest.mark.parametrize("share", [1.0, 0.9])
def test_opposite_biases_of_two_templates_are_two_tests_and_never_one(
    built: Built, share: float
) -> None:
    models = built(raw=in_templates(sides(share), sides(1 - share)))
    found = rows_of(models, "from rpt_bias_battery where role = 'test' and bias = 'position'")
    assert {row["template"]: np.sign(row["effect"]) for row in found} == {"t0": 1, "t1": -1}
    assert all(row["is_significant"] and abs(row["effect"]) > 0.6 for row in found)
    joint = rows_of(models, "from rpt_bias_joint order by template, term")
    if share < 1:
        effects = [row["marginal_effect"] for row in joint if row["term"] == "con second"]
        assert [np.sign(effect) for effect in effects] == [1, -1]
    alone = built(raw=in_templates(sides(share)))
    expected = rows_of(alone, "from rpt_bias_joint order by template, term")
    assert joint[: len(expected)] == expected
    largest = rows_of(models, "select distinct largest_bias from rpt_judge_tasks")
    assert largest == [{"largest_bias": "position"}]


@pytest.mark.parametrize(
    ("shares", "disagree"),
    [
        ({"A/B": 1.0, "B/A": 0.0}, True),
        ({"A/B": 0.9, "B/A": 0.1}, True),
        ({"A/B": 0.85, "B/A": 0.85}, False),
        ({"A/B": 1.0, "B/A": 1.0}, False),
    ],
)
def test_arms_are_tested_one_by_one_where_they_disagree(
    built: Built, shares: dict[str, float], disagree: bool
) -> None:
    rows = rows_of(
        built(raw=in_templates(by_label(shares))),
        "from rpt_bias_battery where bias = 'position' and family = 'contrasts'",
    )
    pooled = next(row for row in rows if row["variant_a"] is None)
    arms = [row for row in rows if row is not pooled]
    assert (pooled["role"], pooled["is_heterogeneous"]) == ("test", disagree)
    assert [row["role"] for row in arms] == ["test" if disagree else "arm"] * 2
    assert [row["is_significant"] for row in arms] == [True if disagree else None] * 2
    assert ("disagree" in pooled["finding"]) == disagree
    if disagree:
        assert abs(pooled["effect"]) < 0.2
        assert not pooled["is_significant"]
        assert {np.sign(row["effect"]) for row in arms} == {1, -1}
    # Where the ways differ by the same in every debate, there is no error to test with.
    assert (pooled["heterogeneity_p"] is None) == ({*shares.values()} <= {0.0, 1.0})
    assert (pooled["heterogeneity_p"] is None) == (pooled["heterogeneity_reason"] is not None)
    if not disagree and pooled["heterogeneity_p"] is not None:
        assert pooled["heterogeneity_p"] > 0.05


@pytest.mark.parametrize(
    ("kept", "count", "reason"),
    [
        (WAYS[:2], 40, "one way of asking"),
        (WAYS, 4, "fewer than 5 clusters"),
        (WAYS, 40, None),
    ],
)
def test_heterogeneity_that_is_unknown_has_a_reason(
    built: Built, kept: list[tuple[str, str]], count: int, reason: str | None
) -> None:
    study = crossed(sides(0.7), count=count)
    study["verdicts"] = [
        row for row in study["verdicts"] if (row["verbalizer"], row["position"]) in kept
    ]
    found = rows_of(
        built(raw=study), "from rpt_bias_battery where bias = 'position' and role = 'test'"
    )
    assert [row["heterogeneity_reason"] for row in found] == [reason]
    assert found[0]["is_heterogeneous"] is (False if reason is None else None)
