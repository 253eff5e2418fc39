"""Which rule keeps what from judges: its rows, and how many each rule removes."""

from collections import Counter
from collections.abc import Iterable, Sequence

from ingestion.batch import Rows
from warehouse.records.core import KEPT, AppliedRule, DebateFilter, FilterRule, Removal


def rule_rows(dataset_id: str, rules: Sequence[FilterRule]) -> Rows:
    """Return a data set's rules, in the place of those it had; its own row goes before them."""
    rows = [
        AppliedRule(dataset_id, place, rule.rule, rule.description, rule.setting)
        for place, rule in enumerate(rules, start=1)
    ]
    return Rows("filter_rules", rows, within="datasets")


def filter_row(
    debate_id: str, dataset_id: str, removal: Removal | None, rules: Sequence[str]
) -> DebateFilter:
    """Return which of some rules removes a debate.

    Args:
        removal: The first rule it breaks; None when it is kept.
        rules: The rules' names, in order.
    """
    if removal is None:
        return DebateFilter(debate_id, dataset_id, len(rules) + 1, KEPT, False, None)
    order = rules.index(removal.rule) + 1
    return DebateFilter(debate_id, dataset_id, order, removal.rule, True, removal.reason)


def removed_by(removals: Iterable[Removal | None]) -> Counter[str]:
    """Count what each rule removes, and what is kept."""
    return Counter(removal.rule if removal else KEPT for removal in removals)


def funnel(rules: Sequence[FilterRule], found: Counter[str]) -> list[str]:
    """Say how many each rule removes."""
    removed = [f"removed by {rule.rule}: {found[rule.rule]:,}" for rule in rules]
    return [*removed, f"kept: {found[KEPT]:,}"]
