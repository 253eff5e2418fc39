"""The five subjects, and the nodes that a build of one of them leaves to later builds."""

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
    """Return the subject a model belongs to by its folder; None for what several share."""
    folder = node["fqn"][1]
    return next((each for each in SUBJECTS if each == folder), None)


def left_out(
    nodes: Mapping[str, Mapping[str, Any]],
    parents: Mapping[str, Sequence[str]],
    current: Collection[str],
    subject: str,
) -> set[str]:
    """Return what a build of one subject does not touch.

    That is what is stale of the other subjects, unless the subject reads it, and whatever would be
    built or tested from it. What several subjects share is built as far as nothing else is stale.

    Args:
        nodes: The enabled models, seeds and tests of the project.
        parents: What each of them reads.
        current: The models and seeds that need not be built.
    """
    order = list(TopologicalSorter(parents).static_order())
    needed: set[str] = set()
    owners: dict[str, set[str | None]] = {}
    for name in reversed(order):
        node = nodes[name]
        if node["resource_type"] == "test":
            continue
        # Staging belongs to whoever reads it.
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
