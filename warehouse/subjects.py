"""The five subjects, and the nodes that a build of one of them leaves out."""

from collections.abc import Collection, Mapping, Sequence
from graphlib import TopologicalSorter
from typing import Any, Literal

Subject = Literal["speeches", "debates", "questions", "parliamentary", "oversight"]
# The title of each, in the order in which they are shown.
TITLES: Mapping[Subject, str] = {
    "speeches": "Speeches",
    "debates": "Debates",
    "questions": "Debatable questions",
    "parliamentary": "Parliamentary debates",
    "oversight": "Oversight",
}
SUBJECTS = tuple(TITLES)
_STAGING = "staging"


def subject_of(node: Mapping[str, Any]) -> Subject | None:
    """Return a model's subject by its folder; None for shared ones."""
    folder = node["fqn"][1]
    return next((each for each in SUBJECTS if each == folder), None)


def left_out(
    nodes: Mapping[str, Mapping[str, Any]],
    parents: Mapping[str, Sequence[str]],
    current: Collection[str],
    subject: str,
) -> set[str]:
    """Return the nodes that a build of one subject leaves out.

    These are the stale nodes of other subjects that the subject does not read, and everything built
    or tested from them. Shared nodes are built if nothing else of theirs is stale.

    Args:
        current: The models and seeds that need not be built.
    """
    order = list(TopologicalSorter(parents).static_order())
    needed: set[str] = set()
    owners: dict[str, set[str | None]] = {}
    for name in reversed(order):
        node = nodes[name]
        if node["resource_type"] == "test":
            continue
        # Staging belongs to its readers.
        if node["fqn"][1] != _STAGING:
            owners[name] = {subject_of(node)}
        if name in needed or subject in owners.get(name, ()):
            needed.update((name, *parents[name]))
        for parent in parents[name]:
            owners.setdefault(parent, set()).update(owners.get(name, ()))
    others: set[str | None] = {each for each in SUBJECTS if each != subject}
    left: set[str] = set()
    for name in order:
        if name in needed or name in current:
            continue
        is_others = bool(owners.get(name)) and owners[name] <= others
        if is_others or not left.isdisjoint(parents[name]):
            left.add(name)
    return left
