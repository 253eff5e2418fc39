"""The smallest effect that each test on verdicts could find, before an experiment is run.

How many debates a judge decides differently between two ways of asking decides what a paired test
can find. That share is taken from the judge's earlier runs, where the published version has any,
and shown over a range otherwise.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from inference.debates.items import iter_measures
from inference.debates.sampling import draw_debates
from inference.debates.variants import Arm
from inference.debates.winners import read_winners
from inference.experiment import Experiment
from inference.items import ItemSource
from inference.kinds import KIND
from inference.sampling import ranks
from orchestration.console import print_line
from warehouse.errors import WarehouseError
from warehouse.home import Home
from warehouse.power import (
    ALPHA,
    DISCORDANT_SHARES,
    TARGET_POWER,
    Detectable,
    Stratum,
    effective_units,
    first_rank_alpha,
    smallest_difference,
    smallest_mean_difference,
    smallest_slope,
    smallest_stratified_difference,
)
from warehouse.reader import current_version, run_query

_SIDES = ("pro", "con")
# How often a judge is right with people, where no earlier run says.
_ACCURACIES = (0.6, 0.75, 0.9)


class Contrasts(NamedTuple):
    """Numbers of pairs of arms, or single arms, that each test of a judge pools."""

    position: int
    label: int
    single: int

    @property
    def family(self) -> int:
        """The tests: one each of position and labels, and of order, stance and verbosity."""
        return bool(self.position) + bool(self.label) + 3 * bool(self.single)


@dataclass(frozen=True)
class Sample:
    """The debates of one data set an experiment asks about.

    Attributes:
        debates: How many.
        cells: Debates by winner and closing side, of those that have both.
        ratio_sd: Standard deviation of log2 of Con's words over Pro's.
    """

    dataset_id: str
    debates: int
    cells: Mapping[tuple[str, str], int]
    ratio_sd: float

    @property
    def decided(self) -> int:
        """Debates with a human winner and a closing side."""
        return sum(self.cells.values())


@dataclass(frozen=True)
class Row:
    """A test, an assumption, and what would be found under it."""

    dataset_id: str
    test: str
    debates: float
    assuming: str
    alone: Detectable
    first: Detectable


def contrasts_of(arms: Sequence[Arm]) -> Contrasts:
    """Return the arms that each test pools, as the marts do.

    Order, stance and verbosity count arms that have the other order of the labels and the other
    position beside them, or leave them to be drawn; others only describe.
    """
    there = set(arms)
    position = sum(_moved(arm, position="con_first") in there for arm in _at(arms, "pro_first"))
    if not position:
        position = sum(_moved(arm, position="shuffled") in there for arm in _at(arms, "pro_first"))
    flips = sum(_flipped(arm) in there for arm in there if not arm.verbalizer.startswith("random "))
    return Contrasts(position, flips // 2, sum(_ways(arm) <= there for arm in there))


def samples_of(
    experiment: Experiment, sources: Sequence[ItemSource], limit: int | None
) -> list[Sample]:
    """Return the debates of a run with the same arguments, by data set."""
    places = ranks([draw_debates(experiment, source) for source in sources], limit)
    found = []
    for source, own in zip(sources, places, strict=True):
        winners: Mapping[str, str] = {}
        if source.file("debates_reference") is not None:
            winners = read_winners(source.file("debates_reference"), "the plan")
        asked = [
            measure
            for measure, place in zip(iter_measures(source), own.tolist(), strict=True)
            if place >= 0
        ]
        cells = Counter(
            (winners[each.debate_id], each.end_side)
            for each in asked
            if winners.get(each.debate_id) in _SIDES and each.end_side in _SIDES
        )
        ratios = [
            math.log2(each.words_con / each.words_pro)
            for each in asked
            if each.words_con and each.words_pro
        ]
        spread = float(np.std(ratios)) if ratios else 0.0
        if asked:
            found.append(Sample(source.dataset_id, len(asked), cells, spread))
    return found


def rows_of(sample: Sample, contrasts: Contrasts, earlier: Mapping[str, float]) -> Iterator[Row]:
    """Yield what each test would find on a sample."""
    first = first_rank_alpha(contrasts.family)
    clusters = earlier.get("clusters_per_debate", 1.0)

    def paired(test: str, kind: str, units: int) -> Iterator[Row]:
        worth = effective_units(units, max(1.0, units * clusters), 1.0)
        shares = [earlier[kind]] if kind in earlier else DISCORDANT_SHARES
        for share in shares:
            if share <= 0:
                continue
            words = f"{share:.0%} of debates decided differently"
            yield Row(
                sample.dataset_id,
                test,
                worth,
                words,
                smallest_difference(worth, share),
                smallest_difference(worth, share, first),
            )

    if contrasts.position:
        yield from paired(f"position ({contrasts.position})", "position", sample.debates)
    if contrasts.label:
        yield from paired(f"label ({contrasts.label})", "label", sample.debates)
    if not sample.decided or not contrasts.single:
        return
    yield from paired(f"stance ({contrasts.single})", "stance", sample.decided)
    for accuracy in [earlier["accuracy"]] if "accuracy" in earlier else _ACCURACIES:
        strata = [
            Stratum(
                con_closes=sample.cells.get((winner, "con"), 0),
                pro_closes=sample.cells.get((winner, "pro"), 0),
                share=share,
            )
            for winner, share in (("pro", 1 - accuracy), ("con", accuracy))
        ]
        yield Row(
            sample.dataset_id,
            f"order ({contrasts.single})",
            sample.decided,
            f"right in {accuracy:.0%} of debates",
            smallest_stratified_difference(strata),
            smallest_stratified_difference(strata, first),
        )
        if sample.ratio_sd > 0:
            # Judge and people differ by one in the debates where the judge is wrong.
            error = math.sqrt((1 - accuracy) / sample.decided) / sample.ratio_sd
            error *= math.log2(1.1)
            yield Row(
                sample.dataset_id,
                f"verbosity ({contrasts.single})",
                sample.decided,
                f"right in {accuracy:.0%} of debates, for 10 % more words",
                smallest_slope(error),
                smallest_slope(error, first),
            )


def earlier_runs(home: Home, judge_id: str, dataset_id: str) -> dict[str, float]:
    """Return published rates of a judge on a data set; empty where there are none.

    Returns:
        `position`, `label`, `stance`: shares of debates decided differently; `accuracy`; and
        `clusters_per_debate`.
    """
    try:
        version = current_version(home)
        rows = run_query(
            version,
            """
            with position_pairs as (
                from rpt_position_bias where judge_id = $judge and dataset_id = $dataset
            )
            select
                (select sum(only_a_con + only_b_con) / sum(n_units) from position_pairs),
                (
                    select sum(only_a_con + only_b_con) / sum(n_units) from rpt_label_bias
                    where judge_id = $judge and dataset_id = $dataset
                ),
                (
                    select sum(only_predicted_con + only_human_con) / sum(n_units)
                    from rpt_stance_bias where judge_id = $judge and dataset_id = $dataset
                ),
                (
                    select sum(accuracy * n_units) / sum(n_units) from rpt_verdict_accuracy
                    where judge_id = $judge and dataset_id = $dataset and round_count is null
                ),
                (
                    select sum(n_clusters) / sum(n_units) from rpt_verdict_accuracy
                    where judge_id = $judge and dataset_id = $dataset and round_count is null
                )
            """,
            {"judge": judge_id, "dataset": dataset_id},
        ).rows
    except WarehouseError:
        return {}
    names = ("position", "label", "stance", "accuracy", "clusters_per_debate")
    return {name: value for name, value in zip(names, rows[0], strict=True) if value is not None}


def effects_of(
    home: Home,
    experiment: Experiment,
    judge_id: str,
    sources: Sequence[ItemSource],
    limit: int | None,
) -> list[dict[str, Any]]:
    """Return the smallest effect each test would find, a row for every assumption.

    Of verdicts the paired tests of the battery, of scores the test of a judge's mean against that
    of people; other kinds have none.
    """
    if experiment.kind == "debate":
        contrasts = contrasts_of(experiment.arms)
        return [
            {
                "dataset": row.dataset_id,
                "test": row.test.partition(" (")[0],
                "assuming": row.assuming,
                "n": row.debates,
                "smallest": _in_points(row.alone),
                "unit": "points of Con's share",
                "reason": row.alone.reason,
            }
            for sample in samples_of(experiment, sources, limit)
            for row in rows_of(sample, contrasts, earlier_runs(home, judge_id, sample.dataset_id))
        ]
    if experiment.kind != "speech":
        return []
    drawn = [KIND[experiment.kind].items(experiment, source).draw() for source in sources]
    rows = []
    for source, places in zip(sources, ranks(drawn, limit), strict=True):
        speeches = int((places >= 0).sum())
        found = smallest_mean_difference(speeches)
        rows.append(
            {
                "dataset": source.dataset_id,
                "test": "mean score against that of people",
                "assuming": "speeches that do not depend on each other",
                "n": speeches,
                "smallest": found.difference,
                "unit": "standard deviations of judge minus people",
                "reason": found.reason,
            }
        )
    return rows


def show_detectable(
    home: Home,
    experiment: Experiment,
    judge_id: str,
    sources: Sequence[ItemSource],
    limit: int | None,
    out: Console,
) -> None:
    """Print the smallest effects a run would find, as differences of Con's share in points."""
    contrasts = contrasts_of(experiment.arms)
    table = Table(
        title=f"the smallest effect each test would find in {TARGET_POWER:.0%} of runs",
        title_justify="left",
    )
    for name in ("data set", "test", "assuming"):
        table.add_column(name, overflow="fold")
    for name in ("debates", "alone", f"first of {contrasts.family}"):
        table.add_column(name, justify="right")
    known = False
    for sample in samples_of(experiment, sources, limit):
        earlier = earlier_runs(home, judge_id, sample.dataset_id)
        known = known or bool(earlier)
        for row in rows_of(sample, contrasts, earlier):
            table.add_row(
                row.dataset_id,
                row.test,
                row.assuming,
                f"{row.debates:,.0f}",
                _points(row.alone),
                _points(row.first),
            )
    out.print(table)
    said = (
        "what is assumed comes from this judge's earlier runs"
        if known
        else (
            "no earlier run says how often this judge changes its verdict: read the row that fits"
        )
    )
    print_line(
        out,
        f"points of Con's share; alone: tested at {ALPHA:g}; first: at {ALPHA:g} over the tests of "
        f"the family, as Benjamini-Hochberg asks of an effect that stands alone; {said}",
    )


def _points(found: Detectable) -> str:
    points = _in_points(found)
    return "none" if points is None else f"{points:.1f}"


def _in_points(found: Detectable) -> float | None:
    return None if found.difference is None else 100 * found.difference


def _flipped(arm: Arm) -> Arm:
    return _moved(arm, verbalizer="/".join(reversed(arm.verbalizer.split("/"))))


def _ways(arm: Arm) -> set[Arm]:
    """Return the arms that are free of position and labels only together with this one."""
    ways = {arm} if arm.verbalizer.startswith("random ") else {arm, _flipped(arm)}
    if arm.position == "shuffled":
        return ways
    return {_moved(way, position=side) for way in ways for side in ("pro_first", "con_first")}


def _at(arms: Sequence[Arm], position: str) -> list[Arm]:
    return [arm for arm in dict.fromkeys(arms) if arm.position == position]


def _moved(arm: Arm, **changes: Any) -> Arm:
    return Arm(**{**vars(arm), **changes})
