"""Decisions on the real speeches: routing and drift, with judges that run here.

The numbers beside the marts' are computed from the released file and the journals alone.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from inference.anchors import freeze, frozen_items, journal_of
from inference.experiments import load_experiment
from inference.items import find_item_sources
from inference.plan import Wave
from inference.registry import spec_for
from inference.runner import run
from ingestion.anchors import load_anchors
from ingestion.ingest import ingest
from ingestion.journals import load_journals
from tests.dbt_project.compiled_models import Models, as_shipped
from warehouse.home import Home
from warehouse.writer import build_connection

pytestmark = [pytest.mark.shared, pytest.mark.slow]
JUDGES = ("rule/length", "simulated/harsh", "simulated/noisy")
SCORE = load_experiment("speech-score")


@pytest.fixture(scope="module")
def models(
    shared_data: Path, built_demo: Home, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Models]:
    home = Home(tmp_path_factory.mktemp("deciding") / "home").ensure()
    ingest(home, "speeches", str(shared_data / "speeches" / "speeches.csv"))
    (source,) = find_item_sources(home.items, ["speeches"])
    for judge_id in JUDGES:
        run(SCORE, spec_for(judge_id, None, {}), [source], journal_root=home.journal)
    load_journals(home)
    anchor = freeze(home.anchors, "spring", SCORE, source, size=200)
    for wave, judge_id in (("first", "simulated/noisy"), ("second", "simulated/harsh")):
        run(
            SCORE,
            spec_for(judge_id, None, {}),
            [frozen_items(home.anchors, anchor)],
            journal_root=journal_of(home.anchors, anchor),
            wave=Wave(wave, "simulated/noisy"),
        )
    load_anchors(home)
    with build_connection(home) as connection:
        yield Models(as_shipped(built_demo), connection)


def _ratings(models: Models) -> pd.DataFrame:
    return models.execute(
        "select item_id, annotator_id, ratings.value, debate_id, source from raw.human_ratings as "
        "ratings inner join raw.speeches using (item_id)"
    ).df()


@pytest.mark.parametrize("form", ["own", "recalibrated"])
def test_intervals_hold_peoples_means_on_topics_they_were_not_made_on(
    models: Models, form: str
) -> None:
    answers = models.execute(
        "select judge_id, instance_id, prediction, prediction_low, prediction_high, is_for_people "
        "from rpt_routing_answers where answer_form = ?",
        [form],
    ).df()
    told = models.execute(
        "select judge_id, coverage, achieved_error, sent_share, n_answers from rpt_routing_coverage "
        "inner join rpt_routing_thresholds using (series_id, judge_id, n_answers) "
        "where part = 'all' and wanted_error = 0.1 and rpt_routing_coverage.answer_form = ?",
        [form],
    ).df()
    means = _ratings(models).groupby("item_id").agg({"value": "mean", "debate_id": "first"})
    assert set(told["judge_id"]) == set(JUDGES)
    for row in told.itertuples():
        own = answers[answers["judge_id"] == row.judge_id].merge(
            means, left_on="instance_id", right_index=True
        )
        assert len(own) == row.n_answers == 631
        is_held = own["value"].between(own["prediction_low"] - 1e-9, own["prediction_high"] + 1e-9)
        by_topic = is_held.groupby(own["debate_id"]).mean()
        assert len(by_topic) == 76
        assert row.coverage == pytest.approx(by_topic.mean(), abs=1e-9)
        # 25 topics calibrate each third, whose coverage then has a standard deviation of 6 points.
        assert row.coverage > 0.8
        left = (own["value"] - own["prediction"]).abs() * ~own["is_for_people"] / 4
        assert row.achieved_error == pytest.approx(left.mean(), abs=1e-9)
        assert row.sent_share == pytest.approx(own["is_for_people"].mean(), abs=1e-9)


def test_drift_is_the_paired_difference_by_topic(models: Models) -> None:
    said = models.execute(
        "select item_id, wave, avg(value) as value, any_value(debate_id) as topic "
        "from raw.anchor_answers inner join raw.speeches using (item_id) group by all"
    ).df()
    wide = said.pivot(index=["item_id", "topic"], columns="wave", values="value")
    change = wide["second"] - wide["first"]
    parts = (change - change.mean()).groupby("topic").sum()
    topics = len(parts)
    error = np.sqrt(topics / (topics - 1) * (parts**2).sum()) / len(change)
    half = stats.t.ppf(0.975, topics - 1) * error
    found = models.execute(
        "select drift, drift_low, drift_high, n_units from rpt_drift where since = 'before'"
    ).fetchone()
    wanted = (change.mean(), change.mean() - half, change.mean() + half, topics)
    assert found == pytest.approx(wanted, abs=1e-9)
    assert len(change) == 200
    (answer,) = models.execute("select distinct answer from int_decisions_drift").fetchone()
    assert answer == "yes"
