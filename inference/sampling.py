"""Which items a run asks about, and in which order: by hash ranks, so that no sample is lost.

Every item has a rank from the experiment's seed and its own id. A sample is the first items by
that rank, of the data set or of each of its cells, so that a smaller one is the beginning of a
larger one. Cells take turns, so that a limit cuts them evenly. An answer has the rank of its
question, and so has a transcript: a sample is one of questions, and holds all there is to each.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from inference.errors import BadItems
from inference.items import ItemSource, sampling_key

# NumPy takes as long to import as a command that lists judges takes for all else.
if TYPE_CHECKING:
    import numpy as np

    from inference.experiment import Experiment

    Array = np.ndarray[Any, Any]


class Drawn(NamedTuple):
    """What was drawn of one data set.

    Attributes:
        keys: For each item the first 8 bytes of its sampling key, as numbers that sort as keys do.
        turns: For each item how many of its cell come before it; -1 for one that was not drawn.
        facts: The sample's definition and size, for the run's header.
    """

    keys: Array
    turns: Array
    facts: Mapping[str, Any]


def keys_of(seed: int, ids: Iterable[str]) -> Array:
    """Return what items are ordered by: the first 8 bytes of each one's sampling key."""
    import numpy as np

    keys = (int(sampling_key(seed, item_id)[:16], 16) for item_id in ids)
    return np.fromiter(keys, dtype=np.uint64)


def draw_each(seed: int, ids: Iterable[str], noun: str | None = None) -> Drawn:
    """Draw every item.

    Args:
        noun: What the run's header calls their number; None where it says nothing of the sample.
    """
    import numpy as np

    keys = keys_of(seed, ids)
    facts = {} if noun is None else {"seed": seed, noun: len(keys)}
    return Drawn(keys, np.zeros(len(keys), dtype=np.int64), facts)


def draw_those(
    seed: int, ids: Sequence[str], drawn: Collection[str], facts: Mapping[str, Any]
) -> Drawn:
    """Draw the items that are, or are about, some questions."""
    import numpy as np

    turns = np.fromiter((0 if each in drawn else -1 for each in ids), dtype=np.int64)
    return Drawn(keys_of(seed, ids), turns, {"seed": seed, **facts})


def first_by_seed(
    experiment: Experiment, source: ItemSource, ids: Sequence[str], what: str
) -> set[str]:
    """Return the questions that an experiment draws: all, or so many by its seed."""
    import numpy as np

    wanted = experiment.options.sampling.questions
    wanted = len(ids) if wanted is None else wanted
    if wanted > len(ids):
        raise BadItems(
            f"sampling: data set '{source.dataset_id}' has {len(ids)} {what}, and experiment "
            f"'{experiment.name}' draws {wanted}; write an experiment with a smaller "
            "sampling.questions"
        )
    order = np.argsort(keys_of(experiment.seed, ids), kind="stable")
    return {ids[place] for place in order[:wanted].tolist()}


def ranks(drawn: Sequence[Drawn], limit: int | None) -> list[Array]:
    """Return each item's place in the order of asking over all data sets, or -1 to leave it out.

    What has the same key has the same place: one item asked about on several dimensions.
    """
    import numpy as np

    keys = np.concatenate([each.keys for each in drawn])
    turns = np.concatenate([each.turns for each in drawn])
    order = np.lexsort((keys, turns))
    order = order[turns[order] >= 0]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (keys[order][1:] != keys[order][:-1]) | (turns[order][1:] != turns[order][:-1])
    places = np.full(len(keys), -1, dtype=np.int64)
    places[order] = np.cumsum(is_new) - 1
    if limit is not None:
        places[places >= limit] = -1
    return np.split(places, np.cumsum([len(each.keys) for each in drawn])[:-1])
