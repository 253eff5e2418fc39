"""One ruling of a judge on a parliamentary debate, as a file brings it."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict
from pydantic.dataclasses import dataclass

from inference.parliamentary.items import NAMED_ORDERS, SHUFFLED
from inference.parliamentary.ruling_lines import place_of
from ingestion.answers.contracts import AnswerRow
from warehouse.records.bp import HOUSES, ROLES, SCORE_MAX, SCORE_MIN
from warehouse.records.core import Name
from warehouse.records.strict_json import strict_json

# What an imported ruling was asked with, where its file does not say.
UNKNOWN = "unknown"


def _is_order(value: str) -> str:
    if value not in (*NAMED_ORDERS, SHUFFLED, UNKNOWN):
        raise ValueError(
            f"should name the four houses in an order, such as {NAMED_ORDERS[-1]}, or be "
            f"{SHUFFLED}; found {value!r}"
        )
    return value


def _ranks(places: tuple[str, ...]) -> Callable[[Any], dict[str, float]]:
    expected = f"each of {', '.join(places)} once, from the best to the worst or with its rank"

    def read(value: Any) -> dict[str, float]:
        found = _decoded(value, expected)
        if isinstance(found, list):
            pairs: Iterable[tuple[Any, Any]] = [
                (name, rank) for rank, name in enumerate(found, start=1)
            ]
        else:
            pairs = found.items()
        ranks = _by_place(pairs, places, expected)
        if sorted(ranks.values()) != list(range(1, len(places) + 1)):
            raise ValueError(f"is no ranking; expected {expected}")
        return ranks

    return read


def _scores(value: Any) -> dict[str, float]:
    expected = f"a score from {SCORE_MIN} to {SCORE_MAX} for each of {', '.join(ROLES)}"
    found = _decoded(value, expected)
    if isinstance(found, list):
        raise ValueError(f"should be an object; expected {expected}")
    scores = _by_place(found.items(), ROLES, expected)
    for role, score in scores.items():
        if not SCORE_MIN <= score <= SCORE_MAX:
            raise ValueError(f"gives {role} {score:g}; expected {expected}")
    return scores


def _decoded(value: Any, expected: str) -> list[Any] | dict[str, Any]:
    if isinstance(value, str):
        try:
            value = strict_json(value)
        except (ValueError, RecursionError):
            raise ValueError(f"is no JSON; expected {expected}") from None
    if not isinstance(value, list | dict):
        raise ValueError(f"is neither a list nor an object; expected {expected}")
    return value


def _by_place(
    pairs: Iterable[tuple[Any, Any]], places: tuple[str, ...], expected: str
) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, value in pairs:
        place = place_of(name) if isinstance(name, str) else None
        if place not in places:
            raise ValueError(f"names {str(name)[:60]!r}; expected {expected}")
        if place in found:
            raise ValueError(f"names {place} twice; expected {expected}")
        try:
            found[str(place)] = float("nan") if isinstance(value, bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            found[str(place)] = float("nan")
        if found[str(place)] != found[str(place)]:
            raise ValueError(f"gives {place} {str(value)[:60]!r}; expected {expected}")
    if missing := [place for place in places if place not in found]:
        raise ValueError(f"does not name {', '.join(missing)}; expected {expected}")
    return found


@dataclass(frozen=True, slots=True, config=ConfigDict(extra="forbid"), kw_only=True)
class RulingRow(AnswerRow):
    """One ruling of a judge on a parliamentary debate, as a file brings it.

    Attributes:
        has_motion: Whether the judge was shown the motion.
        has_info_slide: Whether it was shown the info slide.
        house_ranks: The houses' ranks, 1 for the best; None where the reply is to be read.
        house_order: The order in which the prompt named the houses.
        strategy: Whether the debate was shown as a whole, or notes on its speeches.
    """

    task: Literal["house_ranks", "speaker_scores", "speaker_ranks", "all"]
    has_motion: bool
    has_info_slide: bool
    house_ranks: Annotated[dict[str, float], BeforeValidator(_ranks(HOUSES))] | None = None
    speaker_scores: Annotated[dict[str, float], BeforeValidator(_scores)] | None = None
    speaker_ranks: Annotated[dict[str, float], BeforeValidator(_ranks(ROLES))] | None = None
    house_order: Annotated[Name, AfterValidator(_is_order)] = UNKNOWN
    manual: Name = UNKNOWN
    strategy: Literal["whole", "notes"] = "whole"

    @property
    def supplied(self) -> dict[tuple[str, str], float]:
        """What the file says was ruled, by task and house or speaker."""
        given = {
            "house_ranks": self.house_ranks,
            "speaker_scores": self.speaker_scores,
            "speaker_ranks": self.speaker_ranks,
        }
        return {
            (task, place): value
            for task, values in given.items()
            for place, value in (values or {}).items()
        }
