"""Formats of one JSON object a line: DebateQA's answers, FastChat's and JudgeBench's judgements."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict

from inference.parsing import parse_verdict_json, read_winner
from ingestion.answers.contracts import ReplyRow, ScoreRow, VerdictRow
from ingestion.answers.judge_names import with_provider
from ingestion.batch import Reject
from ingestion.formats.base import Draft, Facts, FileRow, Options, typed_rows
from ingestion.json_values import storable
from ingestion.landing import Landed
from ingestion.reading import OR_NONE, BrokenRecord, validated
from ingestion.records import Record, read_rows
from ingestion.sources.csv_cells import id_text

DEBATEQA = frozenset({"generation", "id"})
JUDGEBENCH = frozenset({"debate_id", "judge_model", "judge_prompt", "judgment"})
FASTCHAT = frozenset({"question_id", "judge", "judgment"})
FASTCHAT_PAIR = frozenset({"question_id", "judge", "g1_winner", "g2_winner"})


def read_debateqa(landed: Landed, options: Options) -> Iterator[FileRow | Reject]:
    """Yield the answers of DebateQA's released form, `{"generation": …, "id": …}`.

    An empty answer is an answer without words.
    """

    def read(record: Record) -> Iterable[Draft]:
        rest = dict(record.fields)
        values = {
            "item": id_text(rest.pop("id", None)),
            "response": rest.pop("generation", None),
            "judge": rest.pop("judge", None) or options.judge,
            "template": rest.pop("template", None) or options.template,
        }
        yield Draft(ReplyRow, values, rest)

    names, required = {"item": "id", "response": "generation"}, ("item", "judge", "response")
    records = read_rows(landed.path, "jsonl", shown=landed.shown)
    return typed_rows(landed, records, read, names=names, required=required)


class _Judgement(BaseModel):
    """One line of JudgeBench: the judge's raw judgment, and the winner that was read from it."""

    model_config = ConfigDict(extra="allow")

    judgment: str
    winner: Any = None


_JUDGEBENCH_NAMES = {
    "item": "debate_id",
    "judge": "judge_model",
    "template": "judge_prompt",
    "sample": "run_number",
    "response": "judgment",
    "at": "timestamp",
}


def read_judgebench(landed: Landed, options: Options) -> Iterator[FileRow | Reject]:
    """Yield the verdicts of JudgeBench."""
    del options

    def read(record: Record) -> Iterable[Draft]:
        fields = record.fields
        line = validated(_Judgement, fields)
        # The winner is never derived from the scores, which may disagree with it.
        parsed, named = parse_verdict_json(line.judgment), read_winner(line.winner)
        if None not in (parsed.label, named.label) and parsed.label != named.label:
            reason = f"is {line.winner!r} where the judgment's own JSON says {parsed.label!r}"
            raise BrokenRecord("winner", reason)
        values = {ours: fields.get(theirs) for ours, theirs in _JUDGEBENCH_NAMES.items()}
        if isinstance(values["template"], str):
            values["template"] = f"judgebench_{values['template']}"
        known = {*_JUDGEBENCH_NAMES.values(), "winner"}
        extra = {name: value for name, value in fields.items() if name not in known}
        facts = Facts()
        if named.label is not None:
            values["winner"] = named.label
            extra["judgment_unread"] = parsed.reason if parsed.label is None else None
        elif named.reason != "no_winner":
            extra["winner"] = line.winner
            facts = Facts(unread=named.reason)
        yield Draft(VerdictRow, values, extra, facts)

    records = read_rows(landed.path, "jsonl", shown=landed.shown)
    return typed_rows(landed, records, read, names=_JUDGEBENCH_NAMES)


class _Line(BaseModel):
    """One line of FastChat's `model_judgment` files: a score, or a pair played in both orders.

    Attributes:
        judge: The model, and the name of its prompt.
    """

    question_id: Any = None
    judge: Annotated[tuple[Any, Any] | str | None, OR_NONE] = None
    turn: Any = None
    tstamp: Any = None
    model: Any = None
    model_1: Any = None
    model_2: Any = None
    score: Any = None
    judgment: Any = None
    m1_score: Any = None
    m2_score: Any = None


_SIDES = {"model_1": "pro", "model_2": "con", "tie": "tie"}
# FastChat's marks of a score and a winner that it could not read, and of a failed request.
_NO_SCORE, _NO_WINNER, _FAILED = -1, "error", "$ERROR$"
_FASTCHAT_NAMES = {
    "item": "question_id",
    "judge": "judge",
    "value": "score",
    "response": "judgment",
    "at": "tstamp",
}
# Not the prompts, which hold whole answers.
_FASTCHAT_EXTRA = ("question_id", "model", "model_1", "model_2", "turn", "m1_score", "m2_score")


def read_fastchat(landed: Landed, options: Options) -> Iterator[FileRow | Reject]:
    """Yield the score of each line, or the two verdicts of a pair.

    Of a pair, `model_1` is the pro side, which game 1 shows first and game 2 second. The question's
    id names the item; where none has that name, the id and the models do, joined by colons.
    """

    def read(record: Record) -> Iterable[Draft | BrokenRecord]:
        fields = record.fields
        line = validated(_Line, fields)
        if "g1_winner" not in fields:
            score = None if line.score == _NO_SCORE else line.score
            yield _draft(ScoreRow, line, options, line.judgment, {"value": score})
            return
        for game, side in (("g1", "pro"), ("g2", "con")):
            winner, judgment = fields.get(f"{game}_winner"), fields.get(f"{game}_judgment")
            label = None if winner == _NO_WINNER else _SIDES.get(str(winner))
            if label is None and winner != _NO_WINNER and judgment != _FAILED:
                reason = f"should be model_1, model_2, tie or error; found {winner!r}"
                yield BrokenRecord(f"{game}_winner", reason)
            else:
                values = {"winner": label, "first_side": side}
                draft = _draft(VerdictRow, line, options, judgment, values)
                names = {"response": f"{game}_judgment"}
                yield draft._replace(extra={**draft.extra, "game": game}, names=names)

    records = read_rows(landed.path, "jsonl", shown=landed.shown)
    return typed_rows(landed, records, read, names=_FASTCHAT_NAMES)


def _draft(
    kind: type[ScoreRow] | type[VerdictRow],
    line: _Line,
    options: Options,
    judgment: Any,
    values: dict[str, Any],
) -> Draft:
    judge, question = line.judge, line.question_id
    model, prompt = judge if isinstance(judge, tuple) else (judge, None)
    named = with_provider(model) if isinstance(model, str) else ""
    outcome = "value" if kind is ScoreRow else "winner"
    is_failed = judgment == _FAILED
    turn = "" if line.turn in (None, 1) else f":{line.turn}"
    values |= {
        "item": str(question) if isinstance(question, int) else question,
        # One file may hold several judges: those that are named in full keep their names.
        "judge": named if "/" in named else options.judge or named or None,
        "template": None if prompt is None else f"{prompt}{turn}",
        "at": line.tstamp,
        "response": None if is_failed else judgment,
        outcome: None if is_failed else values[outcome],
    }
    models = (line.model,) if kind is ScoreRow else (line.model_1, line.model_2)
    facts = Facts(
        also_called=storable(":".join(map(str, (question, *models)))),
        error_kind="server" if is_failed else None,
        unread="unread_at_source" if values[outcome] is None and not is_failed else None,
    )
    return Draft(kind, values, {name: getattr(line, name) for name in _FASTCHAT_EXTRA}, facts)
