"""Do intervals of people's answers, the risk-coverage curve and its thresholds hold?

Each cell draws 2,000 studies of 60 topics with 4 answers each and sends them through the project's
own marts. People's mean of an answer is 3 + t + q, with topics t ~ N(0, 0.4^2) and answers q
~ N(0, 0.6^2), held on the scale from 1 to 5; the judge's score is that plus noise, which grows
with the distance from the middle where the judge's uncertainty says something. A label is con
with log-odds N(0, 2^2), half of their variance the topic's; the judge's are the same times a slope,
or say nothing of its errors. Criteria, fixed before the first run:

- coverage over studies lies between 90 % and 90 % rounded up to whole topics, within its 99 % Monte
  Carlo error;
- an interval fails where the 99 % Clopper-Pearson interval of its coverage lies wholly below 95 %;
  the truth is what a study's own fits do on new answers, and for labels, which nothing is fitted
  for, what the same marts find on 250,000 topics and a chosen threshold or radius does on those;
- the share of studies that say yes though their thresholds truly leave more than the wanted error
  fails where its 99 % interval lies wholly above 5 %; so does the share that sees a gain where the
  judge's uncertainty says nothing.
"""

import math
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from tests.soak.simulation import (
    STUDIES,
    broken,
    built,
    clopper_pearson,
    covers,
    main,
    share_of,
    simulate,
)

MODELS = "path:models/core/decisions/routing"
SEED = 20261123
# Covers 93.65 % of 2,000 studies (docs/deciding.md).
KNOWN = {"scores, noisier at the ends, recalibrated/intervalserror with 20% seen/holds"}
TOPICS, ANSWERS, POPULATION = 60, 4, 250_000
# More than any study has.
TOPICS_AT_MOST = 10**7
_WANTED, _PROMISED = 0.1, 0.9
_SHARES = (0.0, 0.2, 0.5)
# Enough that what fits do on them is known to a hundredth of an interval's width or so.
_NEW_ANSWERS = 300_000


@dataclass(frozen=True)
class Planted:
    """What is planted.

    Attributes:
        is_label: Whether answers are labels.
        noise: The judge's noise on a score of the middle.
        more: How much more of it the ends of the scale have; 0 where uncertainty says nothing.
        slope: What the judge's log-odds are times the true ones; 0 where they say nothing.
        form: Which answers stand: the judge's own, or its recalibrated scores.
    """

    is_label: bool = False
    noise: float = 0.5
    more: float = 0.0
    slope: float = 1.0
    form: str = "own"


CELLS = {
    "scores, equally noisy": Planted(),
    "scores, noisier at the ends": Planted(noise=0.3, more=1.0),
    "scores, noisier at the ends, recalibrated": Planted(noise=0.3, more=1.0, form="recalibrated"),
    "labels, calibrated": Planted(is_label=True),
    "labels, overconfident": Planted(is_label=True, slope=2.0),
    "labels, uncertainty says nothing": Planted(is_label=True, slope=0.0),
}


def draw(planted: Planted, studies: int, topics: int, seed: int) -> pa.Table:
    """Draw what people and the judge say, a row per answer of every study."""
    generator = np.random.Generator(np.random.Philox(seed))
    shape = (studies, topics, ANSWERS)
    topic = generator.standard_normal((studies, topics, 1))
    own, noise = generator.standard_normal(shape), generator.standard_normal(shape)
    if planted.is_label:
        odds = math.sqrt(2) * topic + math.sqrt(2) * own
        people = (generator.random(shape) < 1 / (1 + np.exp(-odds))).astype(float)
        # A judge that says nothing has the right answer as often as a middling one.
        guess = np.where(generator.random(shape) < 0.75, 2 * people - 1, 1 - 2 * people)
        said = planted.slope * odds if planted.slope else guess * np.abs(noise)
        judge = 1 / (1 + np.exp(-said))
    else:
        people = np.clip(3 + 0.4 * topic + 0.6 * own, 1, 5)
        judge = people + planted.noise * (1 + planted.more * np.abs(people - 3)) * noise
    number = np.indices(shape).reshape(3, -1)
    return pa.table(
        {
            "study": number[0],
            "topic": number[1],
            "answer": number[2],
            "people": people.ravel(),
            "judge": judge.ravel(),
        }
    )


def fill(connection: duckdb.DuckDBPyConnection, drawn: pa.Table, *, is_label: bool) -> None:
    """Make the tables that routing reads: each study is a data set of its own."""
    connection.register("drawn", drawn)
    task, dimension = ("debates", "winner") if is_label else ("speeches", "quality")
    ids = (
        "'d' || study as dataset_id, 'd' || study || ':' || topic || '-' || answer as instance_id, "
        "'d' || study || ':' || topic as cluster_id"
    )
    said = "judge > 0.5" if is_label else "null"
    connection.execute(
        f"create table intermediate.int_annotations_judges as select '{task}' as task, {ids}, "
        f"'{dimension}' as dimension, 'e' as experiment, 'j' as judge_id, 't' as template, "
        f"'v' as variant_id, if({said}, 'con', 'pro') as label, judge as value from drawn"
    )
    connection.execute(
        f"create table intermediate.int_annotations_people as select '{task}' as task, {ids}, "
        f"'{dimension}' as dimension, 'p' as annotator_id, people as value from drawn"
    )
    connection.execute(
        "create table marts.dim_dimension as select distinct 'd' || study as dataset_id, "
        f"'{dimension}' as dimension, 1.0 as scale_min, 5.0 as scale_max from drawn"
    )
    connection.execute(
        "create table staging.stg_raw__speeches as select instance_id as item_id, 's' as source "
        "from intermediate.int_annotations_people"
    )
    key = f"(study * {TOPICS_AT_MOST} + topic) * {ANSWERS} + answer as debate_key"
    connection.execute(
        f"create table numbered as select *, {key}, {ids} from drawn where {is_label}"
    )
    connection.execute(
        "create table intermediate.int_debates_judged as select debate_key, dataset_id, "
        "instance_id as debate_id, cluster_id, if(people = 1, 'con', 'pro') as human_winner "
        "from numbered"
    )
    connection.execute(
        "create table intermediate.int_verdict_units as select debate_key, study as setting_id, "
        "1 - judge as p_pro, (judge > 0.5)::double as con_share from numbered"
    )
    connection.execute(
        "create table intermediate.int_verdict_settings as select distinct study as setting_id, "
        "dataset_id, 'e' as experiment, 'j' as judge_id, 'v' as variant_id from numbered"
    )
    connection.execute(
        "create table marts.dim_variant as select 'v' as variant_id, null::varchar as verbalizer, "
        "null::varchar as position"
    )


def _held(name: str, truth: Any, rows: list[tuple[Any, Any, Any]]) -> dict[str, Any]:
    """How often intervals hold the truth; rows are truth, low, high."""
    known = [row for row in rows if row[1] is not None]
    hits = sum(row[1] <= row[0] <= row[2] for row in known)
    return {"interval": name, "truth": truth, **covers(hits, len(known))}


def _rate(name: str, hits: int, trials: int) -> dict[str, Any]:
    low, _ = clopper_pearson(hits, trials)
    return {
        "alarm": name,
        **share_of("rate", hits, trials),
        "holds": low <= 0.05,
    }


def _true_curves(marts: Any, population: pa.Table, form: str) -> dict[int, dict[float, float]]:
    """What the fits of each study leave on new topics, by the share that people see.

    A study's three fits each predict a third of the population's answers.
    """
    people, judge = (population[one].to_numpy()[:_NEW_ANSWERS] for one in ("people", "judge"))
    fits: dict[int, list[Any]] = {}
    for row in marts.execute(
        "select series_id, slope, intercept, edges, spread_by_band, overall_spread, radius "
        "from int_routing_fits inner join int_routing_radii using (series_id, rotation) "
        "inner join int_routing_series using (series_id) where answer_form = ?",
        [form],
    ).fetchall():
        fits.setdefault(row[0], []).append(row[1:])
    found = {}
    for series, those in fits.items():
        errors, widths = [], []
        for turn, (slope, intercept, edges, by_band, overall, radius) in enumerate(those):
            mine = slice(turn, None, len(those))
            predicted = np.clip(intercept + slope * judge[mine], 1, 5)
            errors.append(np.abs(people[mine] - predicted) / 4)
            spreads = np.array([by_band.get(band, overall) for band in range(5)])
            widths.append(radius * spreads[np.searchsorted(edges, judge[mine])])
        error, width = np.concatenate(errors), np.concatenate(widths)
        error = error[np.argsort(-width, kind="stable")]
        found[series] = {
            share: float(error[math.ceil(len(error) * share) :].sum() / len(error))
            for share in _SHARES
        }
    return found


def study_cell(name: str, planted: Planted, *, studies: int, seed: int) -> dict[str, Any]:
    """Return what a cell's studies find."""
    population = draw(planted, 1, POPULATION, seed + 1)
    same = f"answer_form = '{planted.form}'"
    with built(lambda base: fill(base, population, is_label=planted.is_label), MODELS) as (
        marts,
        _,
    ):
        truths = dict(
            marts.execute(
                f"select wanted_share, combined_error from rpt_routing_curve where {same}"
            ).fetchall()
        )
        true_gain = marts.execute(
            f"select gain from rpt_routing_curve where wanted_share = 0.2 and {same}"
        ).fetchall()[0][0]
    drawn = draw(planted, studies, TOPICS, seed)
    with built(lambda base: fill(base, drawn, is_label=planted.is_label), MODELS) as (marts, took):
        covered = np.array(
            marts.execute(
                f"select coverage from rpt_routing_coverage where part = 'all' and {same}"
            ).fetchall()
        )
        curve = marts.execute(
            "select wanted_share, combined_error_low, combined_error_high, gain_low, gain_high, "
            "series_id "
            f"from rpt_routing_curve where wanted_share in (0, 0.2, 0.5) and {same}"
        ).fetchall()
        chosen = marts.execute(
            "select any_value(achieved_error), any_value(achieved_error_low), "
            "any_value(achieved_error_high), any_value(sent_share), list(cutoff) "
            "from rpt_routing_thresholds inner join int_routing_cutoffs "
            f"using (series_id, wanted_error) where wanted_error = {_WANTED} and {same} "
            "group by series_id"
        ).fetchall()
        radii = marts.execute(
            "select any_value(coverage_low), any_value(coverage_high), list(radius) "
            "from rpt_routing_coverage inner join int_routing_radii using (series_id) "
            f"where part = 'all' and {same} group by series_id"
        ).fetchall()
        left = {} if planted.is_label else _true_curves(marts, population, planted.form)
    mean, error = float(covered.mean()), float(covered.std(ddof=1) / math.sqrt(studies))
    calibration = TOPICS // 3
    highest = math.ceil(_PROMISED * (calibration + 1)) / (calibration + 1)
    intervals = []
    for share in _SHARES:
        rows = [row for row in curve if row[0] == share]
        true = [left[row[5]][share] if left else truths[share] for row in rows]
        held = [(one, row[1], row[2]) for one, row in zip(true, rows, strict=True)]
        intervals.append(_held(f"error with {share:.0%} seen", round(truths[share], 4), held))
    rows = [row for row in curve if row[0] == 0.2]
    true = [0.8 * left[row[5]][0.0] - left[row[5]][0.2] if left else true_gain for row in rows]
    gains = [(one, row[3], row[4]) for one, row in zip(true, rows, strict=True)]
    intervals.append(_held("gain", round(true_gain, 4), gains))
    alarms = []
    if planted.is_label:
        people, judge = (population[one].to_numpy() for one in ("people", "judge"))
        distances = np.sort(np.abs(people - judge))
        sure = 0.5 - np.abs(judge - 0.5)
        order = np.argsort(sure)
        wrong = np.concatenate([[0], np.cumsum(np.abs(people - (judge > 0.5))[order])]) / len(sure)
        kept = [
            float(np.mean(wrong[np.searchsorted(sure[order], np.array(cutoffs) + 1e-12, "right")]))
            for *_, cutoffs in chosen
        ]
        intervals.append(
            _held(
                "error kept by the threshold",
                None,
                [(true, row[1], row[2]) for true, row in zip(kept, chosen, strict=True)],
            )
        )
        inside = [
            float(np.mean(np.searchsorted(distances, np.array(each) + 1e-12, "right")) / len(sure))
            for *_, each in radii
        ]
        intervals.append(
            _held(
                "coverage of the sets",
                None,
                [(true, row[0], row[1]) for true, row in zip(inside, radii, strict=True)],
            )
        )
        said_yes = [row[2] is not None and row[2] <= _WANTED and row[3] < 1 for row in chosen]
        false = sum(yes and true > _WANTED for yes, true in zip(said_yes, kept, strict=True))
        alarms.append(_rate("yes though more than the wanted error is left", false, studies))
        alarms[-1]["said_yes"] = round(sum(said_yes) / studies, 4)
        alarms[-1]["mean_true_error"] = round(float(np.mean(kept)), 4)
    if abs(true_gain) < 5e-4:
        alarms.append(
            _rate(
                "gain seen though there is none",
                sum(g[1] is not None and g[1] > 0 for g in gains),
                studies,
            )
        )
    return {
        "cell": name,
        "planted": vars(planted),
        "seconds": round(took, 1),
        "marginal_coverage": round(mean, 4),
        "monte_carlo_error": round(error, 5),
        "promised": [_PROMISED, round(highest, 4)],
        "coverage_holds": _PROMISED - 2.576 * error <= mean <= highest + 2.576 * error,
        "intervals": intervals,
        "alarms": alarms,
    }


@pytest.mark.soak
@pytest.mark.parametrize("cell", CELLS)
def test_intervals_of_routing_cover_the_truth(cell: str) -> None:
    found = simulate(CELLS, study_cell, seed=SEED, only=cell, studies=STUDIES)
    assert set(broken(found)) <= KNOWN


if __name__ == "__main__":
    main("routing", CELLS, study_cell, seed=SEED)
