"""The table of `docs/import.md` that is written from the sources' declarations."""

from collections.abc import Callable, Mapping
from dataclasses import fields

from ingestion.registry import sources


def _sources() -> str:
    lines = ["| source | what it is | where | settings |", "|---|---|---|---|"]
    for name, each in sources().items():
        settings = "; ".join(
            f"`{one.name}`{'' if one.default is None else f' ({one.default})'}: "
            f"{one.metadata['meaning']}"
            for one in fields(each.settings)
        )
        where = (each.where or "comes with Rostrum").replace("<", "&lt;")
        lines.append(f"| `{name}` | {each.about} | {where} | {settings or '–'} |")
    return "\n".join([*lines, ""])


BLOCKS: Mapping[str, Callable[[], str]] = {"sources": _sources}
