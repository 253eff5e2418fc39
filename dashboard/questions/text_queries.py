"""The texts of debatable questions, their answers and perspectives, loaded when they are read."""

from dashboard.core.data import OFFERED, Answer, ask, query
from dashboard.questions.queries import Field
from warehouse.reader import Version


def questions(version: Version, field: Field, named: str = "") -> Answer:
    """Questions that were asked in this way, those most models answered first, and how many are.

    Args:
        field: In which way.
        named: A question that is among them, however few models answered it.
    """
    sql = f"""
with asked as (
    select question_id, count(distinct judge_id) filter (answer_status = 'parsed') as model_count
    from dim_answer
    where condition_id = $condition and not is_stale
    group by question_id
)
select
    dim_question.question_id, question, domain, partial_answer_count, model_count,
    count(*) over () as whole_count
from dim_question
inner join asked using (question_id)
window best_first as (order by partial_answer_count = 0, model_count desc, question_id)
qualify question_id = $named or row_number() over best_first <= {OFFERED}
order by partial_answer_count = 0, model_count desc, question_id"""
    return ask(version, sql, **field.parameters, named=named)


# What models asked in this way answered to one question, with the P.D. of each answer.
answers = query("""
with diverse as (
    select answer_id, score, score_released, n_partial_answers, reason
    from fct_answer_metric
    where metric = 'perspective_diversity'
        and evaluator_id = $pd_evaluator
        and evaluator_template = $pd_template
)
select
    answer_id, response_id, judge_id, sample, response, answer_status, word_count, tokens_out,
    diverse.score as pd_score,
    diverse.score_released as pd_released,
    diverse.n_partial_answers,
    diverse.reason as pd_reason
from dim_answer
left join diverse using (answer_id)
where question_id = $question and condition_id = $condition and not is_stale
order by judge_id, sample, answer_id""")

# The perspectives of one question, in order.
perspectives = query("""
select partial_answer_id, position, point_of_view, explanation
from dim_partial_answer
where question_id = $question
order by position""")

# How probable the evaluator finds each perspective after each of these answers.
likelihoods = query("""
select
    answer_id, partial_answer_id, status, perplexity, 1 / perplexity as probability_per_token,
    logprob_sum, token_count,
    max(token_logprobs) over (partition by answer_id, partial_answer_id) as token_logprobs
from fct_likelihood
where list_contains($answers, answer_id)
    and metric = 'perspective_diversity'
    and evaluator_id = $pd_evaluator
    and evaluator_template = $pd_template
    and not is_stale
qualify is_current
order by partial_answer_id, answer_id""")

# How many answers of each model asked in this way were shown documents; none without.
retrieved = query("""
select
    judge_id, retriever, n_answers, n_known, n_questions, shown_count, no_documents_count,
    no_trusted_documents_count, nothing_found_count, not_recorded_count, other_questions_count,
    shown_share, shown_share_low, shown_share_high, reason
from rpt_retrieval_coverage
where condition_id = $condition
order by judge_id""")

# Which parts of documents were shown for these answers, in order.
documents = query("""
select answer_id, document_rank, document_id, chunk, similarity, is_own_question, url
from fct_answer_document
where list_contains($answers, answer_id)
order by answer_id, document_rank""")

# What happened to the pages from the web that were looked at in this way of asking.
page_outcomes = query("""
with here as (
    select distinct dataset_id, retriever, is_trusted_only
    from rpt_retrieval_coverage
    where condition_id = $condition
)
select page_status, n_pages, n_answers, example_address, example_detail
from rpt_page_outcomes
semi join here
    on rpt_page_outcomes.dataset_id = here.dataset_id
    and rpt_page_outcomes.retriever = here.retriever
    and rpt_page_outcomes.is_trusted_only is not distinct from here.is_trusted_only
order by page_status <> 'taken', n_pages desc, page_status""")
