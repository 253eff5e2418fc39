"""Made-up stories, debates about them and judgements, as rows of the raw tables."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

ASKED = {"template": "ov", "wording": "own"}


def stories(rights: dict[str, tuple[str, int | None]]) -> dict[str, list[dict[str, Any]]]:
    """Return stories and questions from the story and the right answer of each question."""
    return {
        "stories": [
            {"story_id": story} for story in dict.fromkeys(story for story, _ in rights.values())
        ],
        "reading_questions": [
            {"question_id": name, "story_id": story, "right_answer": right}
            for name, (story, right) in rights.items()
        ],
    }


def transcript(
    question: str, argued: int | None = None, debater: str = "m/x", **more: Any
) -> dict[str, Any]:
    """Return a debate of a model against itself, or its consultancy for an answer."""
    protocol = "debate" if argued is None else "consultancy"
    name = f"{question}@{protocol}{argued}{debater}"
    return ASKED | {
        "transcript_id": name,
        "run_id": f"run-{debater}",
        "request_id": name,
        "judge_id": debater,
        "question_id": question,
        "protocol": protocol,
        "round_count": 3,
        "argued_answer": argued or 0,
        "opponent_id": "self" if argued is None else None,
        "word_limit": 50,
        "status": "complete",
        "transcript_hash": "x",
        **more,
    }


def turn(of: Mapping[str, Any], side: int, **more: Any) -> dict[str, Any]:
    """Return a debater's only turn in a debate."""
    return {
        **{name: of[name] for name in ("run_id", "request_id", "transcript_id")},
        "turn": side,
        "round": 1,
        "speaker": f"debater_{side}",
        "argued_answer": side,
        "is_chosen": True,
        "shown_text": "t",
        "rejected_count": 0,
        "is_truncated": False,
        **more,
    }


def judgements(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return requests to judge; what a row does not say is that of a plain final judgement."""
    told = []
    for number, row in enumerate(rows):
        judge = row.get("judge_id", "j/a")
        p = row.get("p_answer_0")
        told.append(
            ASKED
            | {
                "run_id": f"run-{judge}",
                "request_id": f"r{number:05d}",
                "judge_id": judge,
                "parse_status": "unparsed" if p is None else "parsed",
                "parse_reason": "no_probability" if p is None else None,
                **row,
            }
        )
    return told


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
    for number, game in enumerate(games):
        debate = transcript(
            game.question,
            debater=game.first,
            request_id=f"t{number}",
            transcript_id=f"t{number}",
            round_count=1,
            opponent_id=game.second,
            tournament=None if game.tournament_round is None else "cup",
            tournament_round=game.tournament_round,
            status=game.status,
        )
        raw["oversight_transcripts"].append(debate)
        for side, model in enumerate((game.first, game.second)):
            words = game.words[side]
            spoken = turn(debate, side, model_id=model, word_count=words, **game.turn)
            raw["oversight_turns"].append(spoken)
            raw["oversight_quotes"] += [
                {
                    **{name: spoken[name] for name in ("run_id", "request_id", "turn")},
                    "transcript_id": debate["transcript_id"],
                    "position": place,
                    "quote": quote,
                    "is_verified": found,
                    "similarity": similarity,
                }
                for place, (quote, found, similarity) in enumerate(game.quotes[side])
            ]
    raw["oversight_judgements"] = judgements(
        {
            "judge_id": game.judge,
            "question_id": game.question,
            "transcript_id": f"t{number}",
            "protocol": "debate",
            "answer_order": order,
            "p_answer_0": probability,
        }
        for number, game in enumerate(games)
        for order, probability in game.verdicts.items()
    )
    return {"raw": raw}
