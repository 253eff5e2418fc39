"""DebateBench's debates: two models argue a resolution in six speeches, once on either side."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from ingestion.dataset_batch import DatasetBatch, DebateRecord
from ingestion.debates.sources.judgebench import LICENCE
from ingestion.json_values import as_json
from ingestion.landing import Landed
from ingestion.reading import BrokenRecord, Reading
from ingestion.records import Record
from warehouse.records.core import Dataset, Debate, Side, Speech, first_problem

NAME = "judgebench"
FORMAT = "public-forum"
DATASET = Dataset(
    dataset_id=NAME,
    title="Public Forum debates between language models",
    licence=LICENCE,
    citation="DebateBench, MrinalA2009",
    url="https://github.com/MrinalA2009/DebateBench",
)
_SIDES: dict[str, Side] = {"PRO": "pro", "CON": "con"}
# Beside these, `debate` repeats some fields and `speeches` are the turns.
_USED = {"id", "resolution", "speeches", "debate"}
_REPEATED = ("resolution", "pro_model", "con_model", "speeches")


def parse_judgebench(landed: Landed) -> DatasetBatch:
    """Read a file of debates, one object a line. A debate with anything wrong is rejected whole."""
    reading = Reading(landed.shown)

    def rows(record: Record) -> Iterator[DebateRecord]:
        debate, turns = _debate(record.fields)
        ids = Counter(turn.item_id for turn in turns)
        (item_id, count), *_ = ids.most_common(1)
        if count > 1:
            raise BrokenRecord("id", f"duplicate turn: {item_id} is there twice")
        reading.claim(debate.debate_id, record.place, "id")
        yield DebateRecord(debate, turns)

    return DatasetBatch.of_file(
        DATASET, landed, reading, rows, required=("id", "resolution"), replaces=False
    )


def _debate(fields: dict[str, Any]) -> tuple[Debate, list[Speech]]:
    identity, motion = fields.get("id"), fields.get("resolution")
    models: dict[str, str] = {}
    for side in _SIDES.values():
        model = fields.get(f"{side}_model")
        if not isinstance(model, str) or not model.strip():
            raise BrokenRecord(
                f"{side}_model", "is missing; expected the model that argued this side"
            )
        models[side] = model
    if not isinstance(motion, str):
        raise BrokenRecord("resolution", "is missing or no text; expected the motion")
    if not isinstance(identity, str | int) or isinstance(identity, bool):
        raise BrokenRecord("id", "is missing; expected the debate's id")
    said = fields.get("speeches")
    if not isinstance(said, list) or not said:
        raise BrokenRecord("speeches", "is missing or empty; expected the list of turns")
    copy = fields.get("debate")
    if isinstance(copy, dict):
        for name in _REPEATED:
            if name in copy and copy[name] != fields.get(name):
                raise BrokenRecord(
                    name, "differs from its copy under 'debate'; nobody can say which counts"
                )
    debate_id = f"{NAME}:{identity}"
    pair_id = fields.get("pair_id")
    is_paired = isinstance(pair_id, str | int) and not isinstance(pair_id, bool)
    twin_id = f"{NAME}:{pair_id}" if is_paired else None
    rest = {name: value for name, value in fields.items() if name not in _USED}
    turns = [_turn(turn, place, debate_id, models) for place, turn in enumerate(said, start=1)]
    try:
        debate = Debate(
            debate_id,
            NAME,
            motion,
            FORMAT,
            extra=as_json(rest),
            round_count=len({turn.round for turn in turns}),
            end_side=turns[-1].side,
            cluster_id=min(debate_id, twin_id) if twin_id else None,
            twin_id=twin_id,
        )
    except ValidationError as error:
        raise BrokenRecord("resolution", first_problem(error)[1]) from error
    return debate, turns


def _turn(turn: Any, place: int, debate_id: str, models: dict[str, str]) -> Speech:
    field = f"speeches[{place - 1}]"
    if not isinstance(turn, dict):
        raise BrokenRecord(field, "is no object; expected speech_type, content and side")
    side, kind, text = (
        _SIDES.get(str(turn.get("side"))),
        turn.get("speech_type"),
        turn.get("content"),
    )
    if side is None:
        raise BrokenRecord(f"{field}.side", f"should be PRO or CON; found {turn.get('side')!r}")
    if not isinstance(kind, str) or not kind.startswith(f"{side}_"):
        reason = f"should begin with the side, as in '{side}_rebuttal'; found {kind!r}"
        raise BrokenRecord(f"{field}.speech_type", reason)
    if not isinstance(text, str):
        raise BrokenRecord(f"{field}.content", f"should be text; found {text!r}")
    known = ("speech_type", "content", "side")
    rest = {name: value for name, value in turn.items() if name not in known}
    try:
        return Speech(
            item_id=f"{debate_id}:{kind}",
            dataset_id=NAME,
            debate_id=debate_id,
            source=models[side],
            text=text,
            extra=as_json(rest) if rest else None,
            speech_order=place,
            round=kind.removeprefix(f"{side}_"),
            side=side,
            speaker=models[side],
            speaker_role="debater",
        )
    except ValidationError as error:
        name, reason = first_problem(error)
        raise BrokenRecord(f"{field}.{'content' if name == 'text' else name}", reason) from error
