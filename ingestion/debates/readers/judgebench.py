"""DebateBench's debates: two models argue a resolution in six speeches, once on either side."""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr

from ingestion.dataset_batch import DatasetBatch, DebateRecord
from ingestion.debates.sources.judgebench import LICENCE
from ingestion.json_values import as_json
from ingestion.landing import Landed
from ingestion.reading import OR_NONE, BrokenRecord, Reading, expected, validated
from ingestion.records import Record
from warehouse.records.core import Dataset, Debate, Prose, Speech

NAME = "judgebench"
FORMAT = "public-forum"
DATASET = Dataset(
    dataset_id=NAME,
    title="Public Forum debates between language models",
    licence=LICENCE,
    citation="DebateBench, MrinalA2009",
    url="https://github.com/MrinalA2009/DebateBench",
)
# Fields that are not kept in `extra`; `debate` repeats some of the others.
_USED = {"id", "resolution", "speeches", "debate"}
_REPEATED = ("resolution", "pro_model", "con_model", "speeches")
_NAMES = {"motion": "resolution", "twin_id": "pair_id", "cluster_id": "pair_id"}
_Identity = StrictStr | StrictInt


class _Turn(BaseModel):
    model_config = ConfigDict(extra="allow")
    side: Annotated[Literal["PRO", "CON"], expected("PRO or CON")]
    speech_type: Annotated[str, expected("text")]
    content: Annotated[str, expected("text")]


class _Debate(BaseModel):
    id: Annotated[_Identity, expected("the debate's id")]
    resolution: Annotated[str, expected("the motion")]
    pro_model: Annotated[Prose, expected("the model that argued this side")]
    con_model: Annotated[Prose, expected("the model that argued this side")]
    speeches: Annotated[list[_Turn], Field(min_length=1)]
    debate: Annotated[dict[str, Any] | None, OR_NONE] = None
    pair_id: Annotated[_Identity | None, OR_NONE] = None


def parse_judgebench(landed: Landed) -> DatasetBatch:
    """Read a file of debates, one object a line. A debate with anything wrong is rejected whole."""
    reading = Reading(landed.shown)

    def rows(record: Record) -> Iterator[DebateRecord]:
        found = validated(_Debate, record.fields)
        for name in _REPEATED:
            if found.debate and found.debate.get(name, record.fields[name]) != record.fields[name]:
                raise BrokenRecord(
                    name, "differs from its copy under 'debate'; nobody can say which counts"
                )
        debate_id = f"{NAME}:{found.id}"
        reading.claim(debate_id, record.place, "id")
        of = {"debate_id": debate_id, "dataset_id": NAME}
        turns = [_speech(turn, place, of, found) for place, turn in enumerate(found.speeches, 1)]
        (item_id, count), *_ = Counter(turn.item_id for turn in turns).most_common(1)
        if count > 1:
            raise BrokenRecord("id", f"duplicate turn: {item_id} is there twice")
        twin_id = f"{NAME}:{found.pair_id}" if found.pair_id is not None else None
        debate = {
            **of,
            "motion": found.resolution,
            "format": FORMAT,
            "extra": as_json({k: v for k, v in record.fields.items() if k not in _USED}),
            "round_count": len({turn.round for turn in turns}),
            "end_side": turns[-1].side,
            "cluster_id": min(debate_id, twin_id) if twin_id else None,
            "twin_id": twin_id,
        }
        yield DebateRecord(validated(Debate, debate, _NAMES), turns)

    return DatasetBatch.of_file(
        DATASET, landed, reading, rows, required=("id", "resolution"), replaces=False
    )


def _speech(turn: _Turn, place: int, of: dict[str, Any], debate: _Debate) -> Speech:
    field, kind = f"speeches[{place - 1}]", turn.speech_type
    side: Literal["pro", "con"] = "pro" if turn.side == "PRO" else "con"
    if not kind.startswith(f"{side}_"):
        reason = f"should begin with the side, as in '{side}_rebuttal'; found {kind!r}"
        raise BrokenRecord(f"{field}.speech_type", reason)
    model = debate.pro_model if side == "pro" else debate.con_model
    speech = {
        **of,
        "item_id": f"{of['debate_id']}:{kind}",
        "source": model,
        "speaker": model,
        "text": turn.content,
        "extra": as_json(turn.model_extra) if turn.model_extra else None,
        "speech_order": place,
        "round": kind.removeprefix(f"{side}_"),
        "side": side,
        "speaker_role": "debater",
    }
    try:
        return validated(Speech, speech, {"text": "content"})
    except BrokenRecord as broken:
        raise BrokenRecord(f"{field}.{broken.field}", broken.reason) from None
