"""The questions the page Review puts to the published marts."""

from collections.abc import Sequence

from dashboard.core.data import Answer, ask, query
from dashboard.core.findings import Row
from warehouse.reader import Version

LISTED = 200
# What was judged, part by part: whose a part is, and the text.
_TEXTS = {
    "speech": "select side as part, text from dim_item where item_id = $unit",
    "debate": """
select side as part, text from dim_item where debate_id = $unit
order by speech_order nulls last, item_id""",
    "answer": "select null as part, response as text from dim_answer where answer_id = $unit",
    "parliamentary": """
select speaker as part, text from dim_item where debate_id = $unit
order by speech_order nulls last, item_id""",
    "transcript": """
select
    case turns.argued_answer
        when 0 then 'For the first answer: ' || answer_0
        when 1 then 'For the second answer: ' || answer_1
    end as part,
    turns.shown_text as text
from dim_oversight_turn as turns
inner join dim_oversight_transcript using (transcript_id)
where transcript_id = $unit and turns.is_chosen
order by turns.turn""",
}
# The answers to one prompt, with the value that a disagreement is about and how each was asked.
_ANSWERS = {
    "speech": """
select judge_id, round(value, 3)::varchar as answer, sample, null as position, null as verbalizer,
    response_id
from fct_score
where item_id = $unit and template = $template and dimension = $dimension
    and is_current and not is_stale""",
    "debate": """
select judge_id, winner as answer, sample, position, verbalizer, response_id
from fct_verdict
left join dim_variant using (variant_id)
where debate_id = $unit and fct_verdict.template = $template and fct_verdict.outcome = $dimension
    and is_current and not is_stale""",
    # Of each judge and repeat the latest counts.
    "answer": """
select judge_id, if(parse_status = 'parsed', response, parse_reason) as answer, sample,
    null as position, null as verbalizer, response_id
from dim_response
where item_id = $unit and template = $template and dimension = $dimension
    and answer_kind = 'score'
qualify row_number() over (partition by judge_id, sample order by answered_at desc, run_id) = 1""",
    "parliamentary": """
select judge_id, round(predicted, 3)::varchar as answer, fct_adjudication.sample,
    house_order as position, null as verbalizer, response_id
from fct_adjudication_value
inner join fct_adjudication using (response_id)
where fct_adjudication_value.debate_id = $unit and template = $template
    and fct_adjudication_value.task || ' ' || place = $dimension""",
    "transcript": """
select judge_id, round(p_answer_0, 3)::varchar as answer, sample, answer_order as position,
    null as verbalizer, judgement_id as response_id
from fct_oversight_judgement
where transcript_id = $unit and template = $template and asked_for = $dimension
    and is_final and probe = 'none'""",
}

# How many disagreements of each judge and kind there are, and what people decided.
progress = query("""
select * from rpt_reviews order by disagreement_kind, disagreement_count desc, judge_id""")

# The data sets with disagreements.
datasets = query("""
select distinct dataset_id, coalesce(dim_dataset.title, dataset_id) as title,
    coalesce(is_sample, false) as is_sample
from rpt_disagreements
left join dim_dataset using (dataset_id)
order by dataset_id""")


def queue(version: Version, kind: str, dataset: str, judges: Sequence[str], person: str) -> Answer:
    """The largest disagreements of a kind, with what this person decided about each."""
    sql = f"""
with found as (
    select disagreement_id, size, rpt_disagreements.unit_id,
        rpt_disagreements.judge_id, rpt_disagreements.template, mine.decision, mine.is_current
    from rpt_disagreements
    left join (select * from fct_review where person = $person) as mine using (disagreement_id)
    where rpt_disagreements.disagreement_kind = $kind
        and rpt_disagreements.dataset_id = $dataset
        and list_contains($judges, rpt_disagreements.judge_id)
)
select rpt_disagreements.*, found.decision, found.is_current,
    (select count(*) from found) as whole_count
from rpt_disagreements
inner join (
    select * from found
    order by decision is not null, size desc, unit_id, judge_id, template, disagreement_id
    limit {LISTED}
) as found using (disagreement_id)
order by found.decision is not null, found.size desc, found.unit_id, found.judge_id,
    found.template, disagreement_id"""
    return ask(version, sql, kind=kind, dataset=dataset, judges=list(judges) or [""], person=person)


# One disagreement.
disagreement = query("select * from rpt_disagreements where disagreement_id = $name")


def texts(version: Version, unit_kind: str, unit_id: str) -> Answer:
    """What was judged, in parts and in their order."""
    return ask(version, _TEXTS[unit_kind].strip(), unit=unit_id)


def answers(version: Version, row: Row) -> Answer:
    """What every judge answered with the same prompt about what a disagreement is about."""
    sql = f"""
with answers as (
{_ANSWERS[row["unit_kind"]].strip()}
)
select answers.*, dim_response.response
from answers
inner join dim_response using (response_id)
order by answers.judge_id, answers.sample, answers.response_id"""
    return ask(
        version, sql, unit=row["unit_id"], template=row["template"], dimension=row["dimension"]
    )


# What people decided about a disagreement.
decided = query("""
select person, decision, tags, comment, decided_at, times_decided, is_current
from fct_review
where disagreement_id = $name
order by decided_at desc, person""")

# Every decision that counts.
reviews = query("select * from fct_review order by decided_at desc, disagreement_id, person")
