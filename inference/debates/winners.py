"""Who won, as people decided: the one place that reads it.

Simulated judges are made from it, `rule/majority` takes its base rate from it, and equal cells are
drawn by it. No prompt, and no other judge, has anything of it.
"""

from pathlib import Path

from inference.errors import BadItems
from inference.items import read_rows


def read_winners(reference_file: Path | None, who: str) -> dict[str, str]:
    """Return the winner of each debate that has one: `pro`, `con` or `tie`."""
    if reference_file is None:
        raise BadItems(
            f"winners: {who} needs to know who won, and this data set has no debates that people "
            "decided; use one that has"
        )
    rows = read_rows(reference_file.parent.name, reference_file, ("debate_id", "winner"))
    return {row["debate_id"]: row["winner"] for row in rows if row["winner"] is not None}
