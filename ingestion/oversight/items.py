"""What debaters may read: questions about stories, with the stories; right answers are elsewhere.

Only questions that no rule removed. Which answer is right goes to a second file, for simulated
debaters and judges alone, and only where the source says it.
"""

from collections.abc import Mapping

from ingestion.oversight.transcript_items import JUDGEABLE_ROOMS

# What a debate or a judgement is about, as SQL over a question and its story's `text`. The marts
# compute the same, to know stale answers.
READING_HASH = (
    "left(sha256(question || chr(10) || answer_0 || chr(10) || answer_1 || chr(10) || text), 16)"
)
TEXT_HASH = "left(sha256(text), 16)"

_SHOWN = """
select
    questions.question_id, questions.item_hash, questions.question, questions.answer_0,
    questions.answer_1, questions.story_id, stories.text as story
from raw.reading_questions as questions
inner join raw.stories as stories on questions.story_id = stories.story_id
where questions.dataset_id = $dataset and questions.removal_rule is null
order by questions.question_id
"""
# A room of people has its answers in an order of its own, and stands under its own name.
_REFERENCE = f"""
select question_id, right_answer
from raw.reading_questions
where dataset_id = $dataset and removal_rule is null and right_answer is not null
union all
select room_id, right_answer from ({JUDGEABLE_ROOMS})
order by question_id
"""
# A data set without such questions has neither file.
READING_FILES: Mapping[str, str] = {"reading": _SHOWN, "reading_reference": _REFERENCE}
