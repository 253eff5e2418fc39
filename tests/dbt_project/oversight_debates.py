"""Made-up debates about stories between models, and a judge's verdicts on them, as raw rows."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.dbt_project.oversight_data import ASKED, stories
from tests.dbt_project.raw_rows import NOW


@dataclass(frozen=True)
class Game:
    """One debate of a question: who argues for answer 0 and for answer 1, and what a judge said.

    Attributes:
        verdicts: The probability of answer 0 by order of the answers; None where unreadable.
        words: Of either side.
        quotes: By side, each quote, whether it was found and its similarity.
        turn: Further columns of every turn.
    """

    question: str
    first: str
    second: str
    verdicts: Mapping[str, float | None] = field(default_factory=dict)
    words: tuple[int, int] = (100, 100)
    quotes: tuple[Sequence[tuple[str, bool, float]], ...] = ((), ())
    tournament_round: int | None = None
    status: str = "complete"
    judge: str = "j/judge"
    turn: Mapping[str, Any] = field(default_factory=dict)


def as_raw(games: Sequence[Game], right: Mapping[str, int | None]) -> dict[str, Any]:
    """Return what `built` takes for these debates; every question has a story of its own.

    Args:
        games: The debates.
        right: The right answer of each question; None where it is withheld.
    """
    raw: dict[str, list[dict[str, Any]]] = defaultdict(list)
    raw |= stories({question: (f"story {question}", answer) for question, answer in right.items()})
    request = ASKED | {"item_hash": "h", "answered_at": NOW}
    for number, game in enumerate(games):
        told = {"request_id": f"t{number}", "transcript_id": f"t{number}"}
        raw["oversight_transcripts"].append(
            request
            | told
            | {
                "judge_id": game.first,
                "question_id": game.question,
                "round_count": 1,
                "argued_answer": 0,
                "opponent_id": game.second,
                "word_limit": 100,
                "tournament": None if game.tournament_round is None else "cup",
                "tournament_round": game.tournament_round,
                "status": game.status,
            }
        )
        for side, model in enumerate((game.first, game.second)):
            raw["oversight_turns"].append(
                told
                | {
                    "turn": side,
                    "round": 1,
                    "speaker": f"debater_{side}",
                    "argued_answer": side,
                    "model_id": model,
                    "is_chosen": True,
                    "shown_text": "t",
                    "word_count": game.words[side],
                    "rejected_count": 0,
                    "is_truncated": False,
                    **game.turn,
                }
            )
            raw["oversight_quotes"] += [
                told
                | {
                    "turn": side,
                    "position": place,
                    "quote": quote,
                    "is_verified": found,
                    "similarity": similarity,
                }
                for place, (quote, found, similarity) in enumerate(game.quotes[side])
            ]
        for order, probability in game.verdicts.items():
            raw["oversight_judgements"].append(
                request
                | told
                | {
                    "request_id": f"j{number}-{order}",
                    "judge_id": game.judge,
                    "question_id": game.question,
                    "answer_order": order,
                    "p_answer_0": probability,
                    "parse_status": "unparsed" if probability is None else "parsed",
                    "item_hash": None,
                }
            )
    return {"raw": raw}
