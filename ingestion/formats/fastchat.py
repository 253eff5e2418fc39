"""FastChat's `model_judgment` files: answers scored one at a time, or two compared in both orders.

A comparison is played twice with the answers swapped. `model_1` is our pro side: game 1 shows it
first, game 2 shows `model_2`, the con side, first. Each game is a verdict of its own.

The question's id names the item; where it is none, the id and the models do, joined by colons.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from ingestion.answers.contracts import ScoreRow, VerdictRow
from ingestion.answers.judge_names import with_provider
from ingestion.batch import Reject
from ingestion.formats.base import (
    Facts,
    FileRow,
    Options,
    read_json_rows,
    reject,
    typed_row,
)
from ingestion.json_values import storable
from ingestion.landing import Landed
from ingestion.records import Record

SINGLE_KEYS = frozenset({"question_id", "judge", "judgment"})
PAIR_KEYS = frozenset({"question_id", "judge", "g1_winner", "g2_winner"})
_SIDES = {"model_1": "pro", "model_2": "con", "tie": "tie"}
# What FastChat writes where its own program found no score, and where the endpoint failed.
_NO_SCORE = -1
_NO_WINNER = "error"
_FAILED = "$ERROR$"
_NAMES = {
    "item": "question_id",
    "judge": "judge",
    "value": "score",
    "response": "judgment",
    "at": "tstamp",
}


def read_fastchat(landed: Landed, options: Options) -> Iterator[FileRow | Reject]:
    """Yield the scores, or the two verdicts, of each line.

    Args:
        options: Who answered, where the file's name for it does not say whose model it is.
    """

    def read(record: Record) -> Iterable[FileRow | Reject]:
        is_pair = "g1_winner" in record.fields
        return _pair(landed, record, options) if is_pair else [_single(landed, record, options)]

    return read_json_rows(landed, read)


def _common(fields: dict[str, Any], options: Options) -> dict[str, Any]:
    judge = fields.get("judge")
    model, prompt = judge if isinstance(judge, list) and len(judge) == 2 else (judge, None)
    turn, question = fields.get("turn"), fields.get("question_id")
    template = None if prompt is None else f"{prompt}" + ("" if turn in (None, 1) else f":{turn}")
    named = with_provider(model) if isinstance(model, str) else ""
    return {
        "item": str(question) if isinstance(question, int) else question,
        # One file may hold several judges: those that are named in full keep their names.
        "judge": named if "/" in named else options.judge or named or None,
        "template": template,
        "at": fields.get("tstamp"),
    }


def _single(landed: Landed, record: Record, options: Options) -> FileRow | Reject:
    fields = record.fields
    known = _common(fields, options)
    score, known["response"] = fields.get("score"), fields.get("judgment")
    is_failed, is_unread = known["response"] == _FAILED, score in (_NO_SCORE, None)
    if is_failed:
        known["response"] = None
    elif not is_unread:
        known["value"] = score
    facts = _facts(fields, ("model",), is_failed=is_failed, is_unread=is_unread)
    return typed_row(
        landed, record, ScoreRow, known, extra=_rest(fields), names=_NAMES, facts=facts
    )


def _pair(landed: Landed, record: Record, options: Options) -> Iterator[FileRow | Reject]:
    first, second = (
        _game(landed, record, options, game, side) for game, side in (("g1", "pro"), ("g2", "con"))
    )
    yield first
    # What both games share is refused once.
    if second != first:
        yield second


def _game(
    landed: Landed, record: Record, options: Options, game: str, first_side: str
) -> FileRow | Reject:
    fields = record.fields
    winner, judgment = fields.get(f"{game}_winner"), fields.get(f"{game}_judgment")
    is_failed, is_unread = judgment == _FAILED, winner == _NO_WINNER
    side = _SIDES.get(str(winner))
    if not (is_failed or is_unread or side):
        reason = f"should be model_1, model_2, tie or error; found {winner!r}"
        return reject(landed, record, f"{game}_winner", reason)
    known = {
        **_common(fields, options),
        "first_side": first_side,
        "response": None if is_failed else judgment,
        "winner": None if is_failed else side,
    }
    return typed_row(
        landed,
        record,
        VerdictRow,
        known,
        extra=_rest(fields) | {"game": game},
        names=_NAMES | {"response": f"{game}_judgment"},
        facts=_facts(fields, ("model_1", "model_2"), is_failed=is_failed, is_unread=is_unread),
    )


def _facts(
    fields: dict[str, Any], models: tuple[str, ...], *, is_failed: bool, is_unread: bool
) -> Facts:
    return Facts(
        also_called=storable(":".join(str(fields.get(name)) for name in ("question_id", *models))),
        error_kind="server" if is_failed else None,
        unread="unread_at_source" if is_unread and not is_failed else None,
    )


def _rest(fields: dict[str, Any]) -> dict[str, Any]:
    # The prompts hold whole answers; the landing has them.
    return {
        name: fields.get(name)
        for name in ("question_id", "model", "model_1", "model_2", "turn", "m1_score", "m2_score")
    }
