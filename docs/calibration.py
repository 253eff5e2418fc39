"""The page on the calibration study, from its newest result."""

import json
from collections.abc import Mapping
from typing import Any

from warehouse.home import PROJECT_ROOT

RESULTS = PROJECT_ROOT / "benchmarks" / "results"

_PROMISED = 0.95
_PROMISE = {None: "–", True: "yes", False: "**no**"}
_HEAD = """\
# Does the battery keep its promises?

Written by `python -m docs.generate` from the newest result of
`python -m tests.soak.test_battery`; do not edit.

Simulated judges with known biases are asked about debates drawn {studies:,} times,
{debates} debates each, in both orders of both labels; their verdicts go through the same marts as
anybody's. The truth of an effect is what the marts find on {population:,} debates, not the planted
coefficient: a difference of shares is not a log-odds.

- **Coverage**: how often a 95 % interval holds the truth. It fails where the 99 % Clopper–Pearson
  interval of that share lies wholly below 95 %; where it lies wholly above, the interval is wider
  than promised. Stance is so on balanced samples: they fix how many debates Con won, and the
  interval, like McNemar's test, allows for that number to vary. On debates as they
  come it is exact.
- **Rejected**: how often p < 0.05, before correction. Where something is planted it is the power,
  and stands beside what the formulas of `rostrum plan` give with the population's spread (they
  should differ by less than 5 points, but for stance on balanced samples). **By way**: the same for
  single ways of asking, which the battery describes and does not test.
- **Significant**: after correction. Where one bias is planted alone it must be found in at least
  80 % of experiments, and the 99 % interval of no other bias may lie wholly above 5 %.
- **False alarms**: of experiments in which nothing is planted, those with anything significant
  after correction, in either family. They fail where their 99 % interval lies wholly above 5 %.
"""


def newest_result() -> dict[str, Any]:
    """Return the newest result of the study.

    Raises:
        FileNotFoundError: There is none.
    """
    found = sorted(RESULTS.glob("calibration-*.json"))
    if not found:
        message = "docs: no result of the study; run 'python -m tests.soak.test_battery'"
        raise FileNotFoundError(message)
    result: dict[str, Any] = json.loads(found[-1].read_text(encoding="utf-8"))
    return result


def calibration_page(result: Mapping[str, Any]) -> str:
    """Return the page for one result of the study."""
    parts = [_HEAD.format(**{"studies": result.get("replications"), **result})]
    for cell in result["cells"]:
        planted = ", ".join(
            f"{name.replace('_', ' ')} {value:g}"
            for name, value in cell["planted"].items()
            if value and name != "is_balanced"
        )
        parts.append(f"## {cell['cell'].capitalize()}\n\nLog-odds: {planted}.\n")
        parts.append(_effects(cell["biases"]))
        parts.append(_families(cell["families"]))
    parts.append(f"Measured on {result['at'][:10]}: {result['machine']}; seed {result['seed']}.\n")
    return "\n".join(parts)


def _effects(rows: list[dict[str, Any]]) -> str:
    lines = [
        "| bias | effect | intervals | coverage | 99 % interval | holds | rejected | planned | "
        "by way | significant | 99 % interval | as promised |",
        "|---|---:|---:|---:|---|---|---:|---:|---:|---:|---|---|",
    ]
    for row in rows:
        holds = "yes" if row["coverage_holds"] else "wider"
        if row["coverage_high"] < _PROMISED:
            holds = "**no**"
        lines.append(
            f"| {row['bias']} | {_points(row['true_effect'])} | {row['intervals']:,} | "
            f"{_percent(row['coverage'])} | {_percent(row['coverage_low'])} to "
            f"{_percent(row['coverage_high'])} | {holds} | {_percent(row['rejected'])} | "
            f"{_percent(row['power_planned'])} | {_percent(row['rejected_by_arm'])} | "
            f"{_percent(row['significant'])} | {_between(row)} | {_PROMISE[row['holds']]} |"
        )
    return "\n".join([*lines, ""])


def _families(rows: list[dict[str, Any]]) -> str:
    lines = []
    for row in rows:
        share = row["with_an_alarm"] / row["experiments"]
        said = (
            f"- {row['family']}: {row['with_an_alarm']:,} of {row['experiments']:,} experiments "
            f"({_percent(share)}; 99 % interval {_percent(row['rate_low'])} to "
            f"{_percent(row['rate_high'])}) have something significant after correction"
        )
        if row["holds"] is not None:
            said += "; the false-alarm rate holds" if row["holds"] else "; **too many**"
        lines.append(said + ".")
    return "\n".join([*lines, ""])


def _between(row: Mapping[str, Any]) -> str:
    if row["significant"] is None:
        return "–"
    return f"{_percent(row['significant_low'])} to {_percent(row['significant_high'])}"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _points(share: float) -> str:
    return f"{100 * share:+.1f}"
