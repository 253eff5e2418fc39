"""The tables that come of putting people and judges on one scale."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.special import ndtri, stdtr, stdtrit

from warehouse.fits.arrays import Bools, Floats, Ints, schema_of
from warehouse.fits.facets import Ratings, Scale, fit, subsets

MAX_CATEGORIES = 11
# The information matrix has a row for each; 3,000 take 72 MB and a minute.
MAX_SEVERITIES = 3000
HUMAN, MACHINE = "human", "machine"
_AT_END = "all its scores{where} lie at one end of the scale"
_TOO_FINE = f"people's scores have more than {MAX_CATEGORIES} values"

_SCHEMA = schema_of(
    ("scale_id quantity name source", pa.string()),
    ("subset n_subsets n_items n_units n_raters", pa.int64()),
    (
        "estimate low high se df p infit infit_low infit_high outfit outfit_low outfit_high",
        pa.float64(),
    ),
    ("reason", pa.string()),
)
_ROWS = """
select
    scale_id, rater_key, is_judge, instance_id, cluster_id, source, origin, value, min_units,
    dense_rank() over (partition by scale_id order by rater_key) - 1 as rater,
    dense_rank() over (partition by scale_id order by instance_id) - 1 as item,
    dense_rank() over (partition by scale_id order by cluster_id) - 1 as cluster,
    dense_rank() over (partition by scale_id order by source) - 1 as source_number
from ratings
order by scale_id, rater, item
"""


@dataclass(frozen=True)
class Names:
    """What the numbers of one scale stand for.

    Attributes:
        raters: Keys of raters; those with `is_judge` are judges.
        items: Ids of items.
        sources: Names of sources, and of each who wrote its items: `human`, `machine` or None.
        min_units: With fewer clusters there is no interval.
    """

    raters: Sequence[str]
    is_judge: Bools
    items: Sequence[str]
    sources: Sequence[str]
    origins: Sequence[str | None]
    min_units: int


def scales(ratings: duckdb.DuckDBPyRelation) -> pa.Table:
    """Return severities, contrasts, separations and qualities of every scale.

    Returns:
        The table `int_scale_fitted`.
    """
    rows = ratings.query("ratings", _ROWS).to_arrow_table()
    table: list[dict[str, Any]] = []
    for key in sorted(set(rows["scale_id"].to_pylist())):
        own = rows.filter(pc.equal(rows["scale_id"], key))
        table += [{"scale_id": key, **row} for row in _scale_rows(own)]
    return pa.Table.from_pylist(table, schema=_SCHEMA)


def categories(values: Floats, is_judge: Bools) -> Floats:
    """Return the categories of a scale: people's scores, and whole ones beside them of judges.

    Where people give whole scores only, so does a judge: a mean of repeats lies between two. Where
    nobody but judges scored, their own scores are the categories.
    """
    own = np.unique(values[~is_judge]) if not is_judge.all() else np.unique(values)
    if is_judge.any() and not is_judge.all() and (own == np.round(own)).all():
        judged = values[is_judge]
        own = np.unique(np.concatenate([own, np.floor(judged), np.ceil(judged)]))
    return own


def _scale_rows(own: pa.Table) -> Iterator[dict[str, Any]]:
    def numbers(column: str) -> Ints:
        found: Ints = own[column].to_numpy().astype(np.int64)
        return found

    rater, item, values = numbers("rater"), numbers("item"), own["value"].to_numpy()
    is_judge = np.zeros(rater.max() + 1, dtype=bool)
    is_judge[rater] = own["is_judge"].to_numpy(zero_copy_only=False)
    names = Names(
        _named(own, "rater_key", rater),
        is_judge,
        _named(own, "instance_id", item),
        _named(own, "source", numbers("source_number")),
        _named(own, "origin", numbers("source_number")),
        own["min_units"][0].as_py(),
    )
    cluster, source = np.zeros((2, item.max() + 1), dtype=np.int64)
    cluster[item], source[item] = numbers("cluster"), numbers("source_number")
    known = categories(values, is_judge[rater])
    subset = subsets(item, rater, len(source), len(is_judge))
    # The subset of most raters comes first.
    order = np.argsort(-np.bincount(subset), kind="stable")
    for number, which in enumerate(order, 1):
        use = subset[rater] == which
        common = {"subset": number, "n_subsets": len(order)}
        reason = None
        if len(known) > MAX_CATEGORIES:
            reason = _TOO_FINE
        elif len(known) < 2:
            reason = "every score is the same"
        elif (subset == which).sum() < 2:
            reason = "nobody else scored its items"
        score = np.interp(values[use], known, np.arange(len(known))) if reason is None else None
        yield from _subset_rows(
            common, names, rater[use], item[use], score, cluster, source, len(known) - 1, reason
        )


def _named(own: pa.Table, column: str, number: Ints) -> list[Any]:
    places = np.unique(number, return_index=True)[1]
    return own[column].take(pa.array(places)).to_pylist()  # type: ignore[no-any-return]


def _subset_rows(
    common: dict[str, Any],
    names: Names,
    rater: Ints,
    item: Ints,
    score: Floats | None,
    cluster: Ints,
    source: Ints,
    n_steps: int,
    reason: str | None,
) -> Iterator[dict[str, Any]]:
    """Rows of one connected subset; only who is in it, where it cannot be fitted."""
    raters, rater_at = np.unique(rater, return_inverse=True)
    items, item_at = np.unique(item, return_inverse=True)
    clusters, cluster_of = np.unique(cluster[items], return_inverse=True)
    sources, source_of = np.unique(source[items], return_inverse=True)
    is_judge = names.is_judge[raters]
    counted = {
        "n_raters": len(raters),
        "n_items": len(items),
        "n_units": len(clusters),
    }
    scale: Scale | None = None
    if reason is None and score is not None:
        # Where no person scored, sources cannot be told from severities for them.
        has_people = not is_judge.all()
        severities = (~is_judge).sum() + is_judge.sum() * (len(sources) if has_people else 1)
        if severities > MAX_SEVERITIES:
            reason = f"more than {MAX_SEVERITIES:,} severities"
        else:
            judges = is_judge & has_people
            scale = fit(Ratings(item_at, rater_at, score, cluster_of, source_of, judges, n_steps))
            if not scale.is_settled:
                scale, reason = None, "the likelihood reaches no maximum"
    made = _Subset(names, raters, items, sources, is_judge, scale, reason, len(clusters))
    made.count(rater_at, item_at, cluster_of, source_of)
    yield {**common, **counted, "quantity": "subset", "reason": reason}
    for row in made.rows():
        yield {**common, **row}


@dataclass
class _Subset:
    """What is said of one connected subset."""

    names: Names
    raters: Ints
    items: Ints
    sources: Ints
    is_judge: Bools
    fitted: Scale | None
    reason: str | None
    n_clusters: int

    @property
    def has_people(self) -> bool:
        """Whether any of its raters is a person."""
        return not self.is_judge.all()

    @property
    def scale(self) -> Scale:
        """The fit; only asked for where there is one."""
        if self.fitted is None:
            raise ValueError("fits: this subset could not be fitted")
        return self.fitted

    def count(self, rater: Ints, item: Ints, cluster: Ints, source: Ints) -> None:
        """Count items and clusters of each rater, and items of each rater and source."""
        shape = len(self.raters), len(self.sources)
        self.n_by_source = np.zeros(shape, dtype=np.int64)
        np.add.at(self.n_by_source, (rater, source[item]), 1)
        met = np.zeros((len(self.raters), self.n_clusters), dtype=bool)
        met[rater, cluster[item]] = True
        self.met = met
        self.cluster, self.n_ratings = cluster, np.bincount(item, minlength=len(self.items))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Return rows of raters, contrasts, facets and items."""
        errors = np.full(len(self.raters), np.nan)
        severities = np.full(len(self.raters), np.nan)
        moved = np.zeros((self.n_clusters, len(self.raters)))
        for at, key in enumerate(self.raters):
            weights = self.n_by_source[at] / self.n_by_source[at].sum()
            row = {"quantity": "rater", "name": self.names.raters[key], **self._sizes(at)}
            estimated = self._contrast(at, weights)
            row |= estimated | self._fit(at)
            if estimated["estimate"] is not None:
                severities[at] = estimated["estimate"]
                moved[:, at] = self._moved(at, weights)
                errors[at] = estimated["se"] or np.nan
            yield row
            if self.is_judge[at]:
                yield from self._judge(at)
        if self.fitted is None:
            return
        for name, of in (("people", ~self.is_judge), ("judges", self.is_judge)):
            there = of & ~np.isnan(severities) & ~np.isnan(errors)
            yield self._separation(name, severities[there], errors[there], moved[:, there])
        yield self._item_separation()
        yield from self._items()

    def _sizes(self, at: int) -> dict[str, int]:
        return {"n_items": int(self.n_by_source[at].sum()), "n_units": int(self.met[at].sum())}

    def _judge(self, at: int) -> Iterator[dict[str, Any]]:
        """Rows of one judge's differences by source."""
        there = self.n_by_source[at] > 0
        origins = np.array([self.names.origins[number] or "" for number in self.sources])
        human, machine = there & (origins == HUMAN), there & (origins == MACHINE)
        common = {"name": self.names.raters[self.raters[at]]}
        reason = None
        if not self.has_people:
            reason = "no person scored these items"
        elif not (human.any() and machine.any()):
            what = "people's" if machine.any() else "machine-written" if human.any() else "either"
            reason = f"no source here is known to be {what}"
        weights = human / max(1, human.sum()) - machine / max(1, machine.sum())
        for quantity, found in (
            ("favour", self._contrast(at, weights, reason)),
            ("favour_at_equal_quality", self._at_equal_quality(at, human, machine, reason)),
        ):
            yield {
                **common,
                "quantity": quantity,
                "n_items": int(self.n_by_source[at][human | machine].sum()),
                "n_units": int(self.met[at].sum()),
                **found,
            }
        for number in np.flatnonzero(there):
            reason = None if self.has_people else "no person scored these items"
            if there.sum() < 2:
                reason = reason or "one source only"
            one = (np.arange(len(there)) == number).astype(float)
            yield {
                **common,
                "quantity": "source",
                "source": self.names.sources[self.sources[number]],
                "n_items": int(self.n_by_source[at, number]),
                "n_units": int(self.met[at].sum()),
                **self._contrast(at, one - there / there.sum(), reason),
            }

    def _at_equal_quality(
        self, at: int, human: Bools, machine: Bools, reason: str | None
    ) -> dict[str, Any]:
        """What is left of a favour beside a line of severities on the quality of sources.

        Who tells good from bad less than people do is milder on whatever is worse, whoever wrote
        it: without error, its severities for sources lie on a line.
        """
        used = human | machine
        if reason is None and used.sum() < 4:
            reason = "fewer than 4 sources to tell who wrote them from how good they are"
        if reason is not None or self.fitted is None:
            return self._contrast(at, np.zeros(len(used)), reason or self.reason)
        design = np.column_stack(
            [np.ones(used.sum()), -machine[used].astype(float), self.scale.source_means[used]]
        )
        if np.linalg.matrix_rank(design, tol=1e-6) < 3:
            return self._contrast(
                at, np.zeros(len(used)), "how good sources are says who wrote them"
            )
        line = np.zeros((3, len(used)))
        line[:, used] = np.linalg.pinv(design)
        if (self.scale.is_extreme[at] & used).any():
            return self._contrast(at, line[1])
        slope = float(self._spread_out(at, line[2]) @ self.scale.severities)
        # Errors of the sources' quality, too, move what lies beside the line.
        beside = -slope * self.scale.source_influences @ line[1]
        return self._contrast(at, line[1], None, beside)

    def _moved(self, at: int, weights: Floats) -> Floats:
        found: Floats = self.scale.influences @ self._spread_out(at, weights)
        return found

    def _spread_out(self, at: int, weights: Floats) -> Floats:
        """The weights of a rater's severities, among all severities."""
        found = np.zeros(len(self.scale.severities))
        np.add.at(found, np.maximum(self.scale.place[at], 0), weights)
        return found

    def _contrast(
        self,
        at: int,
        weights: Floats,
        reason: str | None = None,
        beside: Floats | float = 0.0,
    ) -> dict[str, Any]:
        """A weighted sum of a rater's severities with interval and test, or why it has none."""
        found: dict[str, Any] = dict.fromkeys(("estimate", "low", "high", "se", "df", "p"))
        reason = self.reason or reason
        if reason is None and self.fitted is not None:
            at_end = self.scale.is_extreme[at] & (weights != 0)
            if at_end.any():
                # A person has one severity; a judge is at an end in some of the sources.
                which = self.names.sources[self.sources[np.flatnonzero(at_end)[0]]]
                is_one = not (self.is_judge[at] and self.has_people)
                reason = _AT_END.format(where="" if is_one else f" for {which}")
        if reason is not None or self.fitted is None:
            return {**found, "reason": reason}
        found["estimate"] = float(self._spread_out(at, weights) @ self.scale.severities)
        units = int(self.met[at].sum())
        if units < self.names.min_units:
            return {**found, "reason": f"an interval needs {self.names.min_units} clusters"}
        variance = ((self._moved(at, weights) + beside) ** 2).sum() * units / (units - 1)
        if variance < 1e-18:
            return {**found, "reason": "nothing varies between the clusters"}
        se, df = float(np.sqrt(variance)), units - 1.0
        half = float(stdtrit(df, 0.975)) * se
        return found | {
            "low": found["estimate"] - half,
            "high": found["estimate"] + half,
            "se": se,
            "df": df,
            "p": float(2 * stdtr(df, -abs(found["estimate"]) / se)),
            "reason": None,
        }

    def _fit(self, at: int) -> dict[str, Any]:
        """Infit and outfit of a rater: ratios of sums over clusters, with their intervals."""
        names = ("infit", "infit_low", "infit_high", "outfit", "outfit_low", "outfit_high")
        if self.fitted is None or self.scale.is_extreme[at].all():
            return dict.fromkeys(names)
        squared, variance, standard, count = self.scale.fit[:, :, at]
        infit, outfit = (
            _ratio(squared, variance, self.names.min_units),
            _ratio(standard, count, self.names.min_units),
        )
        return dict(zip(names, (*infit, *outfit), strict=True))

    def _separation(
        self, name: str, values: Floats, errors: Floats, moved: Floats
    ) -> dict[str, Any]:
        """How far raters are apart, beyond what errors make of equal ones; jackknife by cluster."""
        row: dict[str, Any] = {"quantity": "facet", "name": name, "n_items": len(values)}
        row["n_units"] = self.n_clusters
        if len(values) < 3:
            return {**row, "reason": "fewer than 3 with an error"}
        noise = float((errors**2).mean())

        def reliability(values: Floats) -> Floats:
            spread = values.var(axis=-1, ddof=1)
            return np.asarray(np.maximum(0.0, 1 - noise / np.maximum(spread, 1e-300)))

        left = reliability(values[None, :] - moved)
        return {**row, **self._reliability(float(reliability(values)), left)}

    def _item_separation(self) -> dict[str, Any]:
        known = ~np.isnan(self.scale.quality)
        cluster = self.cluster[known]
        quality, noise = self.scale.quality[known], self.scale.quality_error[known] ** 2
        sums = [
            np.bincount(cluster, each, self.n_clusters)
            for each in (np.ones(len(quality)), quality, quality**2, noise)
        ]
        row = {"quantity": "facet", "name": "items", "n_items": len(quality)}
        row["n_units"] = self.n_clusters
        if len(quality) < 3:
            return {**row, "reason": "fewer than 3 with an error"}

        def reliability(n: Floats, total: Floats, square: Floats, noise: Floats) -> Floats:
            # Of equal qualities the difference is rounded to either side of 0.
            spread = np.maximum(0.0, (square - total**2 / n) / (n - 1))
            return np.asarray(spread / np.maximum(spread + noise / n, 1e-300))

        whole = [each.sum() for each in sums]
        with np.errstate(invalid="ignore", divide="ignore"):
            left = reliability(*(all_ - each for all_, each in zip(whole, sums, strict=True)))
        return {**row, **self._reliability(float(reliability(*whole)), left)}

    def _reliability(self, value: float, left: Floats) -> dict[str, Any]:
        n = len(left)
        found: dict[str, Any] = {"estimate": value, "low": None, "high": None, "reason": None}
        if n < self.names.min_units:
            return {**found, "reason": f"an interval needs {self.names.min_units} clusters"}
        half = stdtrit(n - 1, 0.975) * np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum())
        if not half > 1e-9:
            return {**found, "reason": "nothing varies between the clusters"}
        return {**found, "low": max(0.0, value - half), "high": min(1.0, value + half)}

    def _items(self) -> Iterator[dict[str, Any]]:
        half = float(ndtri(0.975)) * self.scale.quality_error
        squared, variance, standard, count = self.scale.item_fit
        for at, key in enumerate(self.items):
            quality = self.scale.quality[at]
            is_known = not np.isnan(quality)
            yield {
                "quantity": "item",
                "name": self.names.items[key],
                "estimate": float(quality) if is_known else None,
                "low": float(quality - half[at]) if is_known else None,
                "high": float(quality + half[at]) if is_known else None,
                "se": float(self.scale.quality_error[at]) if is_known else None,
                "infit": float(squared[at] / variance[at]) if is_known else None,
                "outfit": float(standard[at] / count[at]) if is_known else None,
                "n_raters": int(self.n_ratings[at]),
                "reason": None if is_known else "all who scored it always score at one end",
            }


def _ratio(top: Floats, bottom: Floats, min_units: int) -> tuple[float, float | None, float | None]:
    """A ratio of sums over clusters with its interval."""
    there = bottom > 0
    n = int(there.sum())
    ratio = float(top.sum() / bottom.sum())
    if n < min_units:
        return ratio, None, None
    spread = ((top - ratio * bottom)[there] ** 2).sum() * n / (n - 1)
    half = float(stdtrit(n - 1, 0.975) * np.sqrt(spread) / bottom.sum())
    return (ratio, max(0.0, ratio - half), ratio + half) if half > 1e-9 else (ratio, None, None)
