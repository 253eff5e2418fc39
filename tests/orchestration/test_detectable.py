"""The smallest effects of a plan: as many tests as the marts make, and what earlier runs say."""

import io

import pytest
from rich.console import Console

from inference.debates.variants import Arm
from inference.experiments import load_experiment
from orchestration.commands.runs.detectable import (
    Row,
    Sample,
    contrasts_of,
    earlier_runs,
    rows_of,
    show_detectable,
)
from orchestration.commands.runs.plan import sources_of
from warehouse.home import Home
from warehouse.reader import current_version, run_query

CELLS = {("pro", "pro"): 60, ("pro", "con"): 60, ("con", "pro"): 60, ("con", "con"): 60}


def test_the_plan_counts_the_tests_the_battery_makes(built_demo: Home) -> None:
    planned = contrasts_of(load_experiment("debate-winner").arms)
    found = dict(
        run_query(
            current_version(built_demo),
            "select bias, count(*) from rpt_bias_battery where judge_id = 'simulated/fair' "
            "and experiment = 'debate-winner' and family = 'contrasts' and p_adjusted is not null "
            "group by bias",
        ).rows
    )
    assert planned == (2, 2, 4)
    assert found == dict.fromkeys(("position", "label", "order", "stance", "verbosity"), 1)
    assert planned.family == sum(found.values())


def test_what_earlier_runs_say_takes_the_place_of_a_range(built_demo: Home) -> None:
    earlier = earlier_runs(built_demo, "simulated/second-position", "sample-debates")
    assert 0 < earlier["position"] < 1
    assert earlier["clusters_per_debate"] == 1
    out = io.StringIO()
    experiment = load_experiment("debate-winner")
    show_detectable(
        built_demo,
        experiment,
        "simulated/second-position",
        sources_of(built_demo, experiment, []),
        None,
        Console(file=out, width=200),
    )
    text = " ".join(out.getvalue().split())
    assert "comes from this judge's earlier runs" in text
    assert text.count("position (2)") == 1


def test_a_home_without_a_published_version_shows_a_range(home: Home) -> None:
    assert earlier_runs(home, "simulated/fair", "sample-debates") == {}
    rows = list(
        rows_of(
            Sample("d", 240, CELLS, 1.0), contrasts_of([Arm("t", "random A/B", "shuffled")]), {}
        )
    )
    assert {row.test.split(" ")[0] for row in rows} == {"stance", "order", "verbosity"}


def test_length_is_planned_for_ten_percent_more_words_and_never_beyond_a_share() -> None:
    contrasts = contrasts_of([Arm("t", "random A/B", "shuffled")])

    def length(ratio_sd: float) -> Row:
        rows = rows_of(Sample("d", 240, CELLS, ratio_sd), contrasts, {"accuracy": 0.75})
        return next(row for row in rows if row.test.startswith("verbosity"))

    # 0.0323 * 2.80 per doubling, of which 10 % more words are log2(1.1) = 0.1375.
    assert length(1.0).alone.difference == pytest.approx(
        0.5 / 240**0.5 * 2.80159 * 0.13750, rel=1e-4
    )
    assert length(1.0).assuming == "right in 75% of debates, for 10 % more words"
    assert length(0.01).alone.difference is None


PRO, CON, SHUFFLED = "pro_first", "con_first", "shuffled"


@pytest.mark.parametrize(
    ("arms", "contrasts", "family"),
    [
        # Fixed against shuffled counts only where the other order is not asked for.
        ([("A/B", PRO), ("A/B", SHUFFLED)], (1, 0, 0), 1),
        ([("A/B", PRO), ("A/B", SHUFFLED), ("A/B", CON)], (1, 0, 0), 1),
        ([(labels, SHUFFLED) for labels in ("A/B", "B/A", "random A/B")], (0, 1, 3), None),
        # An arm counts for stance only with both levels of position and labels.
        ([("A/B", PRO), ("A/B", CON)], (1, 0, 0), 1),
        ([("A/B", PRO), ("A/B", CON), ("B/A", PRO), ("B/A", CON)], (2, 2, 4), 5),
    ],
)
def test_arms_make_the_contrasts_that_they_allow(
    arms: list[tuple[str, str]], contrasts: tuple[int, int, int], family: int | None
) -> None:
    found = contrasts_of([Arm("t", *arm) for arm in arms])
    assert found == contrasts
    assert family is None or found.family == family


def test_clusters_make_debates_worth_less() -> None:
    sample, contrasts = (
        Sample("d", 240, CELLS, 1.0),
        contrasts_of([Arm("t", "random A/B", "shuffled")]),
    )
    alone = {row.test: row for row in rows_of(sample, contrasts, {"stance": 0.2})}
    twins = {
        row.test: row
        for row in rows_of(sample, contrasts, {"stance": 0.2, "clusters_per_debate": 0.5})
    }
    assert twins["stance (1)"].debates == pytest.approx(120)
    assert (twins["stance (1)"].alone.difference or 0) > (alone["stance (1)"].alone.difference or 1)
