"""Judges with a known true relation to the human scores: what the metrics are checked against.

With c the centre of the scale and h the item's mean human score, or where nobody has rated it what
`planted_moves` finds in its text, the score is

    c + slope * (h - c) + shift + noise,    noise ~ N(0, noise_sd^2),

held within the scale and then rounded, halves up. Where reasons are asked for they follow the score
(`simulated_reasons`). A share `failure_rate` of the replies cannot be
parsed. The draws depend on the seed, the item, the dimension, the template and the sample alone, so
an answer never changes with the order or number of requests.

No other judge may open the reference file.
"""

import math
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from inference.errors import BadItems
from inference.items import Speech
from inference.judges.base import Reply, answer_text
from inference.judges.request import Request
from inference.judges.simulated.base import SimulatedBase, one_of, said
from inference.judges.simulated.planted_moves import planted_mean
from inference.judges.simulated.reasons import reasons_for

# One of each way that models fail to answer.
FAILURES = (
    "I would rather not put a number on this speech.",
    "<score>\nfour\n</score>",
    "<score>\n3.5\n</score>",
    "<score>\n9\n</score>",
    "<score>2</score> On second thoughts, <score>3</score>",
    "",
)


class SimulatedJudge(SimulatedBase[dict[tuple[str, str], float]]):
    """A judge of the family above; `simulated/faithful` and the other presets set its numbers."""

    def read(self, path: Path | None) -> dict[tuple[str, str], float]:
        """Return the mean score of each item on each dimension."""
        return _read_means(path, self.who)

    def reference(self, request: Request) -> float | None:
        """Return the human mean; what is planted in a text nobody has rated follows from it."""
        return self.known.get((request.item.item_id, request.asks))

    async def ask(self, request: Request) -> Reply:
        """Draw the score, or a reply that cannot be parsed."""
        human_mean = self.reference(request)
        item, settings = request.about(Speech), self._spec.settings
        if human_mean is None:
            human_mean = planted_mean(item.text, item.scale_min, item.scale_max)
        generator = self.draws(request)
        noise = float(generator.standard_normal()) * float(settings["noise_sd"])
        if generator.random() < settings["failure_rate"]:
            return said(one_of(generator, FAILURES))
        centre = (item.scale_min + item.scale_max) / 2
        value = centre + settings["slope"] * (human_mean - centre) + settings["shift"] + noise
        score = math.floor(min(max(value, item.scale_min), item.scale_max) + 0.5)
        reasons = None
        if settings["justification"] or request.template.is_justified:
            reasons = reasons_for(request, score, self._spec.judge_id, settings["seed"])
        return said(answer_text(score, reasons))


def _read_means(reference_file: Path | None, who: str) -> dict[tuple[str, str], float]:
    if reference_file is None:
        raise BadItems(
            f"simulated: {who} needs the human scores of the items, and this data set "
            "has none; run it on a data set that people rated"
        )
    try:
        # `read_table` would import Arrow's data sets first.
        with pq.ParquetFile(reference_file) as file:
            rows = file.read(columns=["item_id", "dimension", "mean_value"]).to_pylist()
        return {(row["item_id"], row["dimension"]): float(row["mean_value"]) for row in rows}
    except (OSError, pa.ArrowException, KeyError, TypeError) as error:
        raise BadItems(
            f"simulated: cannot read {reference_file}: {error!r}; ingest the data set again"
        ) from None
