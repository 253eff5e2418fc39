"""What judges may read of debates, one row a debate; who won goes to a second file.

Only debates that no rule removed and in which both sides speak. A transcript ends with the last
debater: after that a host announces who won.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Any

import pyarrow as pa

from ingestion.debates.turns import DEBATE_HASH

# A debate of a hundred thousand words is half a megabyte.
ROW_GROUP = 100
_ABOUT = {
    "debate_id": pa.string(),
    "item_hash": pa.string(),
    "dataset_id": pa.string(),
    "motion": pa.string(),
    "context": pa.string(),
    "category": pa.string(),
    "format": pa.string(),
    "rounds": pa.int64(),
}
_SIDE_NAMES = {"pro_name": pa.string(), "con_name": pa.string()}
_TURN = {
    "speech_order": pa.int64(),
    "round": pa.string(),
    "side": pa.string(),
    "speaker_role": pa.string(),
    "text": pa.string(),
    "word_count": pa.int64(),
}
_SCHEMA = pa.schema(
    {
        **_ABOUT,
        "end_side": pa.string(),
        "words_pro": pa.int64(),
        "words_con": pa.int64(),
        "words_other": pa.int64(),
        "turns": pa.list_(pa.struct(_TURN)),
    }
)

_USED = """
with used as (
    select debates.*
    from raw.debates as debates
    left join raw.debate_filters as filters using (debate_id)
    where debates.dataset_id = $dataset and not coalesce(filters.is_removed, false)
),

sides as (
    select speeches.debate_id, max(speech_order) filter (where side is not null) as last_order
    from raw.speeches as speeches
    inner join used using (debate_id)
    where speech_order is not null
    group by speeches.debate_id
    having count(distinct side) = 2
)
"""
# Nothing that says who won: no votes, no names, no `extra`. The hash is that of all turns, as the
# marts compute it.
TURNS = f"""
{_USED},

hashed as (
    select debate_id, {DEBATE_HASH} as item_hash
    from raw.speeches
    where debate_id in (select debate_id from sides)
    group by debate_id
)

select
    used.debate_id, hashed.item_hash, used.dataset_id, used.motion, used.context, used.category,
    used.format, used.round_count::bigint as rounds, used.pro_name, used.con_name,
    (select count(*) > 0 from used where pro_name is not null or con_name is not null)
        as has_side_names,
    speeches.speech_order::bigint as speech_order,
    speeches.round, speeches.side, coalesce(speeches.speaker_role, 'debater') as speaker_role,
    speeches.text, speeches.word_count::bigint as word_count
from raw.speeches as speeches
inner join sides on speeches.debate_id = sides.debate_id
inner join used on speeches.debate_id = used.debate_id
inner join hashed on speeches.debate_id = hashed.debate_id
where speeches.speech_order <= sides.last_order
order by used.debate_id, speeches.speech_order
"""
WINNERS = f"""
{_USED}

select
    outcomes.debate_id, outcomes.criterion, outcomes.decided_by, outcomes.winner, outcomes.margin,
    outcomes.votes_pro, outcomes.votes_con, outcomes.votes_tie
from raw.debate_outcomes as outcomes
inner join sides using (debate_id)
where outcomes.is_primary
order by outcomes.debate_id, outcomes.criterion, outcomes.decided_by
"""


def debates_of_turns(turns: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """Return debates made of their turns, which the database sorts on disk where they are many.

    Only data sets whose source names the sides have columns for these names.
    """
    rows = (row for batch in turns for row in batch.to_pylist())
    first = next(rows, None)
    names = _SIDE_NAMES if first and first["has_side_names"] else {}
    schema = pa.schema([*_SCHEMA, *names.items()])

    def debates() -> Iterator[dict[str, Any]]:
        spoken_turns = chain([first] if first else [], rows)
        for _, group in groupby(spoken_turns, key=itemgetter("debate_id")):
            spoken = list(group)
            words: dict[str | None, int] = defaultdict(int)
            for turn in spoken:
                words[turn["side"]] += turn["word_count"]
            debate = {name: spoken[0][name] for name in (*_ABOUT, *names)}
            if debate["rounds"] is None:
                debate["rounds"] = len({turn["round"] for turn in spoken})
            yield debate | {
                # Cut after the last debater, so the last turn has a side.
                "end_side": spoken[-1]["side"],
                "words_pro": words["pro"],
                "words_con": words["con"],
                "words_other": words[None],
                "turns": [{name: turn[name] for name in _TURN} for turn in spoken],
            }

    def batches() -> Iterator[pa.RecordBatch]:
        found = debates()
        while group := list(islice(found, ROW_GROUP)):
            yield pa.RecordBatch.from_pylist(group, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())
