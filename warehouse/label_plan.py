"""How many labels of people a mean or share needs, with and without a judge.

References:
    [1] Angelopoulos, Duchi and Zrnic (2023), PPI++: Efficient prediction-powered inference.
"""

import math

from scipy import stats

_Z = float(stats.norm.ppf(0.975))


def half_width(labels: int, items: float, sd: float, correlation: float) -> float:
    """Return the half width of the 95 % interval with a judge, for large samples.

    With the best weight the variance of the estimate is sd^2 / n (1 - r^2 / (1 + n / N)) for n
    labels and N other items [1]; with a judge that is worth nothing (r = 0) that of the labels'
    mean.

    Args:
        labels: Labelled items, n.
        items: Items of the frame, n + N; infinite where the judge's answers cost nothing.
        sd: Standard deviation of labels, times the root of the design effect where they come in
            clusters.
        correlation: Of labels and the judge's answers.
    """
    others = items - labels
    gain = 0.0 if others <= 0 else correlation**2 / (1 + labels / others)
    return _Z * math.sqrt(max(0.0, sd**2 / labels * (1 - gain)))


def labels_needed(wanted: float, items: float, sd: float, correlation: float) -> int | None:
    """Return the fewest labels whose interval is as narrow as wanted; None if all are too few.

    Args:
        wanted: The half width.
        items: Items of the frame.
        sd: As for `half_width`.
        correlation: As for `half_width`; 0 for people alone.
    """
    # Where the judge's part of the variance is fixed, the width still falls with every label.
    most = math.ceil((_Z * sd / wanted) ** 2)
    low, high = 1, max(1, most)
    if high > items and half_width(math.floor(items), items, sd, correlation) > wanted:
        return None
    high = int(min(high, items))
    while low < high:
        middle = (low + high) // 2
        if half_width(middle, items, sd, correlation) <= wanted:
            high = middle
        else:
            low = middle + 1
    return low
