"""The questions the debate reader puts to the published marts."""

from dashboard.core.data import OFFERED, Answer, ask, asking, query
from warehouse.reader import Version

# As many as `transcripts` returns.
TRANSCRIPTS_LISTED = 500

# Data sets that have transcripts, with their protocols, real ones first.
choices = query("""
select
    dim_oversight_transcript.dataset_id,
    coalesce(dim_dataset.title, dim_oversight_transcript.dataset_id) as title,
    coalesce(dim_dataset.is_sample, false) as is_sample,
    protocol,
    count(*) as transcript_count
from dim_oversight_transcript
left join dim_dataset using (dataset_id)
where protocol in ('consultancy', 'debate')
group by all
order by is_sample, dim_oversight_transcript.dataset_id, protocol desc""")


def questions(version: Version, dataset: str, protocol: str, named: str = "") -> Answer:
    """Questions that a data set has transcripts about, and how many there are.

    Args:
        named: A question that is among them, wherever it stands.
    """
    sql = f"""
with asked as (
    select question_id, any_value(question) as question, count(*) as transcript_count
    from dim_oversight_transcript
    where dataset_id = $dataset and protocol = $protocol
    group by question_id
)
select *, count(*) over () as whole_count
from asked
window by_name as (order by question, question_id)
qualify question_id = $named or row_number() over by_name <= {OFFERED}
order by question, question_id"""
    return ask(version, sql, dataset=dataset, protocol=protocol, named=named)


# Transcripts, those with the most judgements first; an empty question stands for all.
transcripts = query(f"""
with judged as (
    select transcript_id, sum(right_score) as right_count, count(right_score) as known_count
    from fct_oversight_judgement
    where is_final and answer_order <> 'both' and probe = 'none'
    group by transcript_id
)
select dim_oversight_transcript.*, right_count, known_count
from dim_oversight_transcript
left join judged using (transcript_id)
where dataset_id = $dataset
    and protocol = $protocol
    and ($question = '' or question_id = $question)
order by
    lower(status) <> 'complete', known_count desc nulls last, question, transcript_id
limit {TRANSCRIPTS_LISTED}""")

# One transcript, with its question and whose story it is about.
transcript = query("""
select dim_oversight_transcript.*, dim_story.story_id, dim_story.title as story_title
from dim_oversight_transcript
left join dim_reading_question using (question_id)
left join dim_story on dim_reading_question.story_id = dim_story.story_id
where transcript_id = $transcript""")

# What was said in one transcript, in order; candidates that were not chosen come last.
turns = asking(
    "dim_oversight_turn", "is_chosen desc, turn, candidate", "transcript_id = $transcript"
)

# What judges made of one transcript, round by round, each order of answers by itself.
judgements = query("""
select * exclude (reply)
from fct_oversight_judgement
where transcript_id = $transcript
order by probe <> 'none', judge_id, step, is_final, answer_order""")

# The words of one judgement, loaded when they are read.
reply = query("""
select judgement_id, reply, answer_status, template, judged_at, cost_usd
from fct_oversight_judgement
where judgement_id = $judgement""")

# One story with its text, loaded when it is read.
story = query("select story_id, title, author, text from dim_story where story_id = $story")
