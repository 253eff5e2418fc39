"""Anchor sets: items frozen once, and judged again in waves, so that a judge's drift can be seen.

A set is a folder: `anchor.json` names the items with their hashes, `items/` holds them as they
were, and `journal/` the answers of its waves, apart from those of all other runs. A wave is part
of each request's identity, so that the same judge is asked anew; its answers enter no figure but
drift.
"""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from inference.errors import BadItems, BadSettings
from inference.experiment import Experiment
from inference.items import ItemSource, find_item_sources, sampling_key
from inference.kinds import KIND
from warehouse.files import write_atomically

FILE_NAME = "anchor.json"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
# Kinds whose answers are one number: a score, or who won.
KINDS = ("speech", "debate")


@dataclass(frozen=True)
class AnchorSet:
    """One anchor set.

    Attributes:
        experiment: How its items are asked about.
        dataset_id: Where they come from.
        items: Of each item the hash of what is asked about.
        made_at: When it was made, UTC.
        follows: The set of an earlier version of the system whose outputs these are; None for none.
    """

    name: str
    experiment: str
    dataset_id: str
    items: Mapping[str, str | None]
    made_at: str
    follows: str | None = None


def check_name(name: str, what: str = "anchor set") -> str:
    """Return a name that can be a folder's.

    Raises:
        BadSettings: It cannot.
    """
    if NAME.fullmatch(name) is None:
        raise BadSettings(
            f"anchor: '{name}' is no name of an {what}; expected small letters, digits and "
            "hyphens, such as 2026-11"
        )
    return name


def freeze(
    root: Path,
    name: str,
    experiment: Experiment,
    source: ItemSource,
    *,
    size: int | None = None,
    only: Collection[str] | None = None,
    follows: str | None = None,
) -> AnchorSet:
    """Freeze items of a data set, drawn by the experiment's seed, and return the set.

    Args:
        root: The folder of all anchor sets.
        name: What the set is called.
        experiment: How its items will be asked about.
        source: The data set's files.
        size: How many; all where None.
        only: The items to draw from; all of the data set where None.
        follows: The set of an earlier version of the system whose outputs these are.

    Raises:
        BadItems: There are none or fewer than wanted, or their file cannot be read.
        BadSettings: There is a set of this name, or answers of the kind are no numbers.
    """
    folder = root / check_name(name)
    if experiment.kind not in KINDS:
        raise BadSettings(
            f"anchor: experiment '{experiment.name}' asks about {KIND[experiment.kind].words}; "
            f"anchor sets are of speeches or debates"
        )
    if folder.exists():
        raise BadSettings(
            f"anchor: there is a set '{name}', and its items are frozen; choose another name"
        )
    kind = KIND[experiment.kind]
    found = {
        item.item_id: item.item_hash
        for item in kind.items(experiment, source)
        if only is None or item.item_id in only
    }
    drawn = sorted(found, key=lambda item_id: sampling_key(experiment.seed, item_id))[:size]
    if not drawn:
        raise BadItems(
            f"anchor: data set '{source.dataset_id}' has no items to freeze"
            + ("" if only is None else " among those wanted")
        )
    if size is not None and len(drawn) < size:
        raise BadItems(
            f"anchor: {size} items are to be frozen of '{source.dataset_id}', and there are "
            f"{len(drawn)} to draw from; draw fewer with --size"
        )
    chosen = {item_id: found[item_id] for item_id in drawn}
    made = AnchorSet(
        name,
        experiment.name,
        source.dataset_id,
        chosen,
        datetime.now(UTC).isoformat(timespec="seconds"),
        follows,
    )
    _freeze_files(folder / "items" / source.dataset_id, source, experiment, chosen)
    # Last: a folder without it is no set yet.
    text = json.dumps({"schema_version": 1, **asdict(made)}, indent=1, ensure_ascii=False)
    write_atomically(folder / FILE_NAME, text)
    return made


def read_set(root: Path, name: str) -> AnchorSet:
    """Return an anchor set.

    Raises:
        BadSettings: There is none of this name, or its file is damaged.
    """
    path = root / check_name(name) / FILE_NAME
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        content.pop("schema_version")
        return AnchorSet(**content)
    except FileNotFoundError:
        there = ", ".join(list_sets(root)) or "none yet"
        raise BadSettings(
            f"anchor: no anchor set named '{name}'; there are {there}; "
            "'rostrum anchor make' makes one"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadSettings(f"anchor: {path} is damaged: {error!r}; make the set again") from None


def list_sets(root: Path) -> list[str]:
    """Return the names of all anchor sets."""
    return sorted(path.parent.name for path in root.glob(f"*/{FILE_NAME}"))


def frozen_items(root: Path, anchor: AnchorSet) -> ItemSource:
    """Return the files of a set's items, as they were when it was made."""
    return find_item_sources(root / anchor.name / "items", [anchor.dataset_id])[0]


def journal_of(root: Path, anchor: AnchorSet) -> Path:
    """Return the folder of a set's runs."""
    return root / anchor.name / "journal"


def _freeze_files(
    folder: Path, source: ItemSource, experiment: Experiment, chosen: Mapping[str, str | None]
) -> None:
    """Copy what a run reads: the items that were chosen, and what simulated judges may open."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    kind = KIND[experiment.kind]
    own = kind.file(source)
    column = str(kind.files.columns.get("item_id", "item_id"))
    table = pq.read_table(own)
    ids = pc.is_in(table[column], value_set=pa.array(list(chosen), pa.string()))
    folder.mkdir(parents=True)
    pq.write_table(table.filter(ids), folder / own.name)
    pointer = {kind.files.name.removesuffix("_file"): own.name}
    pointer.setdefault("items", source.items_file.name)
    if (folder / pointer["items"]) != folder / own.name:
        _copy(source.items_file, folder)
    reference = kind.reference(source)
    if reference is not None and kind.reference_file is not None:
        _copy(reference, folder)
        pointer[kind.reference_file.removesuffix("_file")] = reference.name
    write_atomically(folder / "current.json", json.dumps(pointer, indent=1))


def _copy(path: Path, folder: Path) -> None:
    (folder / path.name).write_bytes(path.read_bytes())
