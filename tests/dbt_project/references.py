"""What several tests hold the marts against: means over clusters, and the ends of their intervals."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

Ends = tuple[float, float]


def jackknife_half(values: Sequence[float | None]) -> float | None:
    """Return half the width of a t interval from leaving out each cluster.

    Args:
        values: The figure without each cluster in turn, None where it has none.

    Returns:
        None under five clusters, where a figure is undefined, and where all are the same.
    """
    known = np.array([value for value in values if value is not None], dtype=float)
    if len(known) < max(5, len(values)) or np.ptp(known) < 1e-12:
        return None
    count = len(known)
    return float(stats.t.ppf(0.975, count - 1) * np.sqrt((count - 1) * np.var(known)))


def clustered_half(values: Sequence[float], clusters: Sequence[Any]) -> float | None:
    """Return half the width of a mean's t interval with errors by cluster, None as above.

    A mean is a regression on a constant, whose clustered error statsmodels knows.
    """
    names, codes = np.unique(clusters, return_inverse=True)
    if len(names) < 5:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where nothing varies it divides by zero
        fit = sm.OLS(np.array(values, dtype=float), np.ones(len(values))).fit(
            cov_type="cluster", cov_kwds={"groups": codes}
        )
    half = float(stats.t.ppf(0.975, len(names) - 1) * fit.bse[0])
    return half if half > 1e-9 else None


def share_interval(share: float, half: float | None, n_clusters: int) -> Ends:
    """Return Wilson's interval of a share over as many observations as its clusters are worth.

    Args:
        share: The share.
        half: Half the width of its clustered t interval, 0 or None where clusters are alike.
        n_clusters: Clusters.
    """
    worth = float(n_clusters)
    if half is not None and half > 1e-9 and 0 < share < 1:
        worth = share * (1 - share) * (stats.t.ppf(0.975, n_clusters - 1) / half) ** 2
    low, high = proportion_confint(share * worth, worth, method="wilson")
    return float(low), float(high)


def check_ends(
    row: Mapping[str, Any], name: str, expected: Ends | None, tolerance: float = 1e-7
) -> None:
    """Compare the ends of a figure's interval; None says that there is none."""
    found = (row[f"{name}_low"], row[f"{name}_high"])
    assert found == ((None, None) if expected is None else pytest.approx(expected, abs=tolerance))


def check_mean(
    row: Mapping[str, Any],
    name: str,
    values: Sequence[float],
    clusters: Sequence[Any],
    within: Ends = (-1.0, 1.0),
) -> None:
    """Compare a mean and its interval, which lies within bounds."""
    mean, half = float(np.mean(values)), clustered_half(values, clusters)
    assert row[name] == pytest.approx(mean, abs=1e-9)
    least, most = within
    ends = None if half is None else (max(least, mean - half), min(most, mean + half))
    check_ends(row, name, ends)


def check_share(
    row: Mapping[str, Any], name: str, values: Sequence[float], clusters: Sequence[Any]
) -> None:
    """Compare a share and its interval; without values there is neither."""
    if not len(values):
        assert row[name] is row[f"{name}_low"] is None
        return
    share, n_clusters = float(np.mean(values)), len(set(clusters))
    assert row[name] == pytest.approx(share, abs=1e-9)
    half = clustered_half(values, clusters)
    check_ends(row, name, share_interval(share, half, n_clusters) if n_clusters >= 5 else None)
