"""British Parliamentary debates as a run reads them: eight speeches, four houses, no result."""

import hashlib
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from inference.item_files import LONG_ROWS, ItemFile
from warehouse.records.bp import HOUSE_OF, HOUSES, ROLES_OF

HOUSE_RANKS, SPEAKER_SCORES, SPEAKER_RANKS = TASKS = (
    "house_ranks",
    "speaker_scores",
    "speaker_ranks",
)
ALL = "all"
# What one request may ask for: one of the three, or all of them at once.
ASKED_TASKS = (*TASKS, ALL)
# What a request for notes on one speech has as its task; no ruling comes of it.
NOTE = "note"
WHOLE, NOTES = STRATEGIES = ("whole", "notes")
# The houses as a prompt names them; `shuffled` draws one of all 24 orders for each debate.
SPOKEN, SHUFFLED = "og-oo-cg-co", "shuffled"
NAMED_ORDERS = tuple("-".join(houses) for houses in permutations(HOUSES))


@dataclass(frozen=True)
class RoleSpeech:
    """One of the eight speeches."""

    role: str
    text: str

    @property
    def house(self) -> str:
        """The house it was given for."""
        return HOUSE_OF[self.role]


@dataclass(frozen=True)
class ParliamentaryDebate:
    """One debate to adjudicate, without anything people decided about it.

    Attributes:
        item_id: The debate, its data set's name before a colon.
        item_hash: Of its motion, its info slide and all its speeches.
        info_slide: What all in the room were told beforehand; empty where there was nothing.
        speeches: The eight speeches, in the order in which they were held.
    """

    dataset_id: str
    item_id: str
    item_hash: str
    motion: str
    info_slide: str
    word_count: int
    speeches: tuple[RoleSpeech, ...]


@dataclass(frozen=True)
class Adjudication:
    """One way to have debates adjudicated, as an experiment chooses it.

    Attributes:
        house_order: The order in which the prompt names the houses, such as `co-cg-oo-og`; or
            `shuffled`.
        strategy: `whole` for the debate as it is, `notes` for notes on each speech and a verdict
            from them alone.
        shows_motion: Whether the motion is shown where it is known.
        shows_info_slide: Whether the info slide is shown where there is one.
    """

    template: str
    task: str = ALL
    house_order: str = SPOKEN
    strategy: str = WHOLE
    manual: str = "bp_manual"
    shows_motion: bool = True
    shows_info_slide: bool = True

    @property
    def words(self) -> str:
        """The way without its prompt, for people."""
        hidden = _hidden(has_motion=self.shows_motion, has_info_slide=self.shows_info_slide)
        return ", ".join([self.task, self.house_order, self.strategy, self.manual, *hidden])


@dataclass(frozen=True, kw_only=True)
class AskedAdjudication(Adjudication):
    """One way to have one debate adjudicated: an `Adjudication` with what the debate decides.

    Attributes:
        named_order: The houses in the order in which the prompt names them.
        has_motion: Whether the prompt shows a motion: it is to, and somebody knows it.
        has_info_slide: Whether it shows an info slide: it is to, and there is one.
    """

    named_order: tuple[str, ...]
    has_motion: bool
    has_info_slide: bool
    manual_label: str

    @property
    def words(self) -> str:
        """The way without its prompt, for people."""
        hidden = _hidden(has_motion=self.has_motion, has_info_slide=self.has_info_slide)
        return ", ".join([self.task, self.house_order, self.strategy, self.manual_label, *hidden])

    @property
    def named_speakers(self) -> tuple[str, ...]:
        """The speakers by house, the houses in the order in which the prompt names them."""
        return tuple(role for house in self.named_order for role in ROLES_OF[house])

    def identity(self) -> dict[str, Any]:
        """What tells this way apart from others about the same debate, besides its prompt.

        Not what was to be shown, but what is: where nobody knows a motion, hiding it asks nothing
        else.
        """
        return {
            "task": self.task,
            "house_order": self.house_order,
            "named_order": "-".join(self.named_order),
            "strategy": self.strategy,
            "manual": self.manual_label,
            "has_motion": self.has_motion,
            "has_info_slide": self.has_info_slide,
        }


def adjudicate(
    way: Adjudication, seed: int, debate: ParliamentaryDebate, manual_label: str
) -> AskedAdjudication:
    """Return a way with what it leaves to chance drawn, and what the debate lacks left out.

    Args:
        seed: The experiment's. A draw depends on it and on the debate's id alone.
    """
    order = way.house_order
    if order == SHUFFLED:
        drawn = hashlib.sha256(f"{seed}\n{debate.item_id}\nhouses".encode()).digest()
        order = NAMED_ORDERS[int.from_bytes(drawn[:8], "big") % len(NAMED_ORDERS)]
    return AskedAdjudication(
        **vars(way),
        named_order=tuple(order.split("-")),
        has_motion=way.shows_motion and bool(debate.motion.strip()),
        has_info_slide=way.shows_info_slide and bool(debate.info_slide.strip()),
        manual_label=manual_label,
    )


def speaker_of(role: str) -> str:
    """Return a speaker as a prompt names it: the role and its house, such as PM (OG)."""
    return f"{role.upper()} ({HOUSE_OF[role].upper()})"


def values_of(debate: ParliamentaryDebate, way: AskedAdjudication, manual: str) -> dict[str, str]:
    """Return what a debate puts into a prompt, but for its speeches."""
    speakers = [role.upper() for role in way.named_speakers]
    by_house = [
        f"{house.upper()}: {speakers[2 * place]}, {speakers[2 * place + 1]}"
        for place, house in enumerate(way.named_order)
    ]
    return {
        "manual": manual,
        "motion": debate.motion if way.has_motion else "",
        "info_slide": debate.info_slide if way.has_info_slide else "",
        "houses": ", ".join(house.upper() for house in way.named_order),
        "speakers": "\n".join(by_house),
        "score_lines": "\n".join(f"{speaker}: <number>" for speaker in speakers),
    }


PARLIAMENTARY_DEBATES = ItemFile(
    ParliamentaryDebate,
    "parliamentary",
    "parliamentary: data set '{}' has no parliamentary debates to judge; "
    "ingest one that has, such as 'rostrum ingest sample', or name another with --dataset",
    columns={"item_id": "debate_id"},
    blank={"motion": "", "info_slide": ""},
    batch_rows=LONG_ROWS,
)


def _hidden(*, has_motion: bool, has_info_slide: bool) -> list[str]:
    shown = (("motion", has_motion), ("info slide", has_info_slide))
    return [f"no {name}" for name, is_shown in shown if not is_shown]
