"""What there is to judge, and nothing that would give it away.

Only what a judge may know is read before a judgement is handed in: no models, no right answer, no
winner, nobody else's verdict. What is known besides is asked for by `known`, afterwards.
"""

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from dashboard.core.data import Answer, ask, asking, query
from dashboard.core.findings import Row
from dashboard.oversight.judging.form import SPEECH, STORY, WINNER, Key
from warehouse.reader import Version

# What a sample calls a task; of stories none is drawn.
_SAMPLED = {STORY: "", WINNER: "debates", SPEECH: "speeches"}
# A debate of a hundred turns is read in as many parts as a person will answer for.
MOST_PARTS = 8

_ITEMS = {
    STORY: """
select
    transcripts.transcript_id as item_id,
    transcripts.dataset_id,
    coalesce(debates.debate_hash, transcripts.transcript_hash) as item_hash,
    transcripts.question as title,
    transcripts.answer_0,
    transcripts.answer_1,
    transcripts.protocol,
    '' as dimension
from dim_oversight_transcript as transcripts
left join dim_debate as debates on transcripts.transcript_id = debates.debate_id
where
    transcripts.status = 'complete' and transcripts.protocol in ('debate', 'consultancy')
    and not coalesce(transcripts.is_stale, false) and transcripts.turn_count > 0
    and coalesce(debates.debate_hash, transcripts.transcript_hash) is not null
order by item_id""",
    WINNER: """
select
    debate_id as item_id, dataset_id, debate_hash as item_hash, motion as title, '' as dimension
from dim_debate
where
    format not like 'story-%' and format <> 'british_parliamentary'
    and words_pro > 0 and words_con > 0 and debate_hash is not null
    and debate_id in (select debate_id from dim_item where side is not null)
order by item_id""",
    SPEECH: """
select items.item_id, items.dataset_id, items.item_hash, items.motion as title, scales.dimension,
    scales.question, scales.scale_min, scales.scale_max
from dim_item as items
inner join dim_dimension as scales on items.dataset_id = scales.dataset_id
where items.speech_order is null and items.side is null and items.item_hash is not null
order by item_id""",
}
_TURNS = {
    # What the judge of a room says between rounds is somebody's verdict in the making.
    STORY: """
select turns.round::varchar as round, turns.speaker, turns.shown_text as text
from dim_oversight_turn as turns
inner join dim_oversight_transcript as transcripts using (transcript_id)
where
    transcript_id = $item and turns.is_chosen
    and (turns.speaker <> 'asker' or transcripts.source = 'model')
order by turns.turn""",
    # A host may announce who won.
    WINNER: """
select round, side as speaker, text
from dim_item
where debate_id = $item and side in ('pro', 'con')
order by speech_order, item_id""",
    SPEECH: "select null as round, 'speech' as speaker, text from dim_item where item_id = $item",
}
_KNOWN = {
    STORY: """
select right_answer,
    if(argued_answer = 1, null, coalesce(debater_0, debater)) as debater_0,
    if(argued_answer = 0, null, coalesce(debater_1, debater)) as debater_1
from dim_oversight_transcript
where transcript_id = $item""",
    WINNER: "select human_winner from dim_debate where debate_id = $item",
    SPEECH: "select source from dim_item where item_id = $item",
}
_OTHERS = {
    STORY: """
select judge_id as judge, p_answer_0 as "probability of A"
from fct_oversight_judgement
where
    transcript_id = $item and is_final and is_main_order and probe = 'none'
    and not ends_with(judge_id, $own)
order by judge_id""",
    WINNER: """
select judge_id as judge, template, winner, p_pro as "probability of Pro"
from fct_verdict
where
    debate_id = $item and is_current and not is_stale
    and not ends_with(judge_id, $own)
order by judge_id, template""",
    SPEECH: """
select annotator_id as judge, null as template, value as score
from fct_rating
where
    item_id = $item and dimension = $dimension
    and not ends_with(annotator_id, $own)
union all
select judge_id, template, value from fct_score
where item_id = $item and dimension = $dimension and is_current and not is_stale
order by judge, template""",
}


class Part(NamedTuple):
    """What is read before the next question.

    Attributes:
        turns: Who speaks, and the text.
    """

    turns: tuple[tuple[str, str], ...]


def items(version: Version, task: str) -> list[dict[str, Any]]:
    """Return everything of a task that can be judged."""
    return ask(version, _ITEMS[task]).rows


# What data sets are called, in their order.
titles = query("""
select dataset_id, coalesce(title, dataset_id) as title, coalesce(is_sample, false) as is_sample
from (select unnest($datasets) as dataset_id)
left join dim_dataset using (dataset_id)
order by list_position($datasets, dataset_id)""")


def campaigns(version: Version, task: str, dataset_id: str, dimension: str) -> list[dict[str, Any]]:
    """Return the random samples that people are asked to label, and how far they are."""
    sql = """
select *
from rpt_samples
where
    labels = 'campaign' and label_policy is null and not is_complete
    and task = $task and dataset_id = $dataset and dimension = $dimension
order by drawn_at"""
    asked = {"task": _SAMPLED[task], "dataset": dataset_id, "dimension": dimension or "winner"}
    return ask(version, sql, **asked).rows if asked["task"] else []


def handed_out(version: Version, sample_id: str) -> list[dict[str, Any]]:
    """Return the items of a random sample in the order drawn, and how many people answered."""
    sql = """
select item_id, position, raters, rater_count
from rpt_sample_items
where sample_id = $sample
order by position"""
    return ask(version, sql, sample=sample_id).rows


def judged(version: Version, person: str, task: str) -> set[tuple[str, str]]:
    """Return the items, with their dimension, that a person is published to have judged."""
    sql = """
select item_id, coalesce(dimension, '') as dimension
from fct_reader_judgement
where person = $person and task = $task"""
    rows = ask(version, sql, person=person, task=task).rows
    return {(row["item_id"], row["dimension"]) for row in rows}


def parts(version: Version, task: str, item: str) -> list[Part]:
    """Return an item in the parts it is read in: its rounds, or its turns where it has none."""
    return in_parts(task, ask(version, _TURNS[task], item=item).rows)


def in_parts(task: str, turns: Sequence[Row]) -> list[Part]:
    """Divide turns into parts, in order and none of them empty.

    Debates about stories are divided by round, whatever their number; other debates into
    `MOST_PARTS` parts at most, as even as can be.
    """
    has_rounds = all(isinstance(turn["round"], str) and turn["round"] for turn in turns)
    numbered = [
        (turn["round"] if has_rounds else str(at), (str(turn["speaker"]), str(turn["text"])))
        for at, turn in enumerate(turns)
    ]
    if task == STORY:
        # What is said before the first round is read with it.
        numbered = [("1" if name == "0" else name, turn) for name, turn in numbered]
    groups = [
        tuple(turn for _, turn in group) for _, group in groupby(numbered, key=lambda one: one[0])
    ]
    if task == STORY or len(groups) <= MOST_PARTS:
        return [Part(group) for group in groups]
    ends = [len(groups) * at // MOST_PARTS for at in range(MOST_PARTS + 1)]
    return [
        Part(tuple(turn for group in groups[low:high] for turn in group))
        for low, high in pairwise(ends)
    ]


def known(version: Version, key: Key) -> tuple[dict[str, Any], Answer]:
    """Return what is known of an item, and how others judged it. Only after it is handed in."""
    found = ask(version, _KNOWN[key.task], item=key.item).rows
    asked = {"item": key.item, "own": f":dashboard/{key.person}"}
    asked |= {"dimension": key.dimension} if key.task == SPEECH else {}
    return (found[0] if found else {}), ask(version, _OTHERS[key.task], **asked)


# How well a person's probabilities on stories hold, one row per data set and protocol.
calibration = query("""
select *
from rpt_calibration
where
    judge_id = dataset_id || ':dashboard/' || $person
    and selection = 'all' and is_main_order and not is_pooled
order by dataset_id, protocol, debater""")

# How near a person comes to a data set's own people: winners and speeches.
record = asking("rpt_reader_record", "task, dataset_id, dimension", "person = $person")
