"""The questions the page Review puts to the published marts."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.core.data import Answer, ask
from warehouse.reader import Version

LISTED = 200


def progress(version: Version) -> Answer:
    """How many disagreements of each judge and kind there are, and what people decided."""
    sql = """
select * from rpt_reviews order by disagreement_kind, disagreement_count desc, judge_id"""
    return ask(version, sql)


def datasets(version: Version) -> Answer:
    """The data sets with disagreements, with their size."""
    sql = """
select dataset_id, count(*) as disagreement_count
from rpt_disagreements
group by dataset_id
order by dataset_id"""
    return ask(version, sql)


def queue(version: Version, kind: str, dataset: str, judges: Sequence[str], person: str) -> Answer:
    """The largest disagreements of a kind, with what this person decided about each."""
    sql = f"""
select rpt_disagreements.*, mine.decision, mine.is_current,
    count(*) over () as whole_count,
    count(mine.decision) over () as decided_count
from rpt_disagreements
left join fct_review as mine
    on rpt_disagreements.disagreement_id = mine.disagreement_id and mine.person = $person
where rpt_disagreements.disagreement_kind = $kind
    and rpt_disagreements.dataset_id = $dataset
    and list_contains($judges, rpt_disagreements.judge_id)
order by mine.decision is not null, rpt_disagreements.size desc,
    rpt_disagreements.unit_id, rpt_disagreements.judge_id, rpt_disagreements.template
limit {LISTED}"""
    return ask(version, sql, kind=kind, dataset=dataset, judges=list(judges) or [""], person=person)


def disagreement(version: Version, name: str) -> Answer:
    """One disagreement."""
    return ask(version, "select * from rpt_disagreements where disagreement_id = $name", name=name)


def texts(version: Version, unit_kind: str, unit_id: str) -> Answer:
    """The speech, or the speeches of the debate, in their order."""
    column = "item_id" if unit_kind == "speech" else "debate_id"
    sql = f"""
select item_id, side, speaker, round, text
from dim_item
where {column} = $unit
order by speech_order nulls last, item_id"""
    return ask(version, sql, unit=unit_id)


def answers(version: Version, unit_kind: str, unit_id: str, template: str) -> Answer:
    """What every judge answered about it with the same prompt."""
    value, column, table = (
        ("round(value, 3)::varchar", "item_id", "fct_score")
        if unit_kind == "speech"
        else ("winner", "debate_id", "fct_verdict")
    )
    sql = f"""
select {table}.judge_id, {value} as answer, {table}.sample, dim_variant.position,
    dim_variant.verbalizer, {table}.response_id, dim_response.response
from {table}
inner join dim_response on {table}.response_id = dim_response.response_id
left join dim_variant on {table}.variant_id = dim_variant.variant_id
where {table}.{column} = $unit and {table}.template = $template
    and {table}.is_current and not {table}.is_stale
order by {table}.judge_id, {table}.sample, {table}.response_id"""
    return ask(version, sql, unit=unit_id, template=template)


def decided(version: Version, name: str) -> Answer:
    """What people decided about a disagreement."""
    sql = """
select person, decision, tags, comment, decided_at, times_decided, is_current
from fct_review
where disagreement_id = $name
order by decided_at desc, person"""
    return ask(version, sql, name=name)


def reviews(version: Version) -> Answer:
    """Every decision that counts."""
    return ask(
        version, "select * from fct_review order by decided_at desc, disagreement_id, person"
    )
