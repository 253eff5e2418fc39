"""Anchor sets: items frozen once and judged again in waves, to measure a judge's drift.

A set is a folder: `anchor.json` names the items with their hashes, `items/` has copies of them, and
`journal/` the answers of its waves, separate from those of other runs. The wave is part of each
request's identity, so the same judge is asked again; its answers affect drift alone.
"""

import json
import re
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from inference.errors import BadItems, BadSettings
from inference.experiment import Experiment
from inference.items import ItemSource, find_item_sources, sampling_key
from inference.kinds import KIND
from inference.kinds.protocol import ItemSet
from warehouse.files import write_atomically

FILE_NAME = "anchor.json"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
# Kinds whose answers are one number: a score, or the winner.
KINDS = ("speech", "debate")


@dataclass(frozen=True)
class AnchorSet:
    """One anchor set.

    Attributes:
        follows: The set of an earlier version of the system with these outputs; None for none.
    """

    name: str
    experiment: str
    dataset_id: str
    items: Mapping[str, str | None]
    made_at: str
    follows: str | None = None


def check_name(name: str, what: str = "anchor set") -> str:
    """Return a name that can be a folder's, or refuse it."""
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
    """Freeze items of a data set, drawn by the experiment's seed, and return the set."""
    folder = root / check_name(name)
    kind = KIND[experiment.kind]
    if experiment.kind not in KINDS:
        raise BadSettings(
            f"anchor: experiment '{experiment.name}' asks about {kind.noun}; "
            f"anchor sets are of speeches or debates"
        )
    if folder.exists():
        raise BadSettings(
            f"anchor: there is a set '{name}', and its items are frozen; choose another name"
        )
    items = kind.items(experiment, source)
    hashes = {
        item.item_id: item.item_hash
        for item in items.read()
        if only is None or item.item_id in only
    }
    drawn = sorted(hashes, key=lambda item_id: sampling_key(experiment.seed, item_id))[:size]
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
    anchor = AnchorSet(
        name=name,
        experiment=experiment.name,
        dataset_id=source.dataset_id,
        items={item_id: hashes[item_id] for item_id in drawn},
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        follows=follows,
    )
    _freeze_files(folder / "items" / source.dataset_id, items, drawn)
    # Last: without it the folder is no set.
    text = json.dumps({"schema_version": 1, **asdict(anchor)}, indent=1, ensure_ascii=False)
    write_atomically(folder / FILE_NAME, text)
    return anchor


def read_set(root: Path, name: str) -> AnchorSet:
    """Return an anchor set, or refuse a name without one and a damaged file."""
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
    """Return the frozen files of a set's items."""
    return find_item_sources(root / anchor.name / "items", [anchor.dataset_id])[0]


def journal_of(root: Path, anchor: AnchorSet) -> Path:
    """Return the folder of a set's runs."""
    return root / anchor.name / "journal"


def _freeze_files(folder: Path, items: ItemSet, chosen: Sequence[str]) -> None:
    """Copy the files that a run reads: the chosen items, and what simulated judges may open."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    path, source = items.path, items.source
    table = pq.read_table(path)
    ids = table[str(items.file.columns.get("item_id", "item_id"))]
    folder.mkdir(parents=True)
    rows = table.filter(pc.is_in(ids, value_set=pa.array(chosen, pa.string())))
    pq.write_table(rows, folder / path.name)
    pointer = {items.file.name: path.name}
    copies = []
    if pointer.setdefault("items", source.items_file.name) != path.name:
        copies.append(source.items_file)
    reference = items.reference
    if reference is not None and items.reference_name is not None:
        copies.append(reference)
        pointer[items.reference_name] = reference.name
    for copied in copies:
        shutil.copyfile(copied, folder / copied.name)
    write_atomically(folder / "current.json", json.dumps(pointer, indent=1))
