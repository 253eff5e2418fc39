{#
Answers that were shown documents about other questions are stale, count nowhere else, and are counted
here. The share is of answers whose documents are known; repeats are averaged within a question first.
#}
with

answers as (
    select * from {{ ref('int_answers_current') }}
    where
        is_current
        and retrieval != 'none'
        and answer_status = 'parsed'
        and (not is_stale or documents_status = 'other_questions')
),

chunks as (
    select
        response_id,
        count(*) as n_chunks,
        avg(similarity) as similarity
    from {{ ref('stg_raw__answer_documents') }}
    group by response_id
),

pages as (
    select
        response_id,
        count(*) as n_pages,
        count(*) filter (page_status != 'taken') as n_refused
    from {{ ref('stg_raw__answer_pages') }}
    group by response_id
),

known as (
    select
        answers.*,
        coalesce(chunks.n_chunks, 0) as n_chunks,
        chunks.similarity,
        coalesce(pages.n_pages, 0) as n_pages,
        coalesce(pages.n_refused, 0) as n_refused,
        case
            when documents_status not in ('not_recorded', 'other_questions')
                then (documents_status = 'shown')::integer
        end as is_shown
    from answers
    left join chunks using (response_id)
    left join pages using (response_id)
),

questions as (
    select
        setting_id,
        question_id,
        count(*) as n_answers,
        {% for status in retrieval_statuses() %}
            count(*) filter (documents_status = '{{ status }}') as n_{{ status }},
        {% endfor %}
        count(is_shown) as n_known,
        avg(is_shown) as share,
        sum(n_chunks) filter (is_shown is not null) as n_chunks,
        avg(similarity) as similarity,
        sum(n_pages) as n_pages,
        sum(n_refused) as n_refused
    from known
    group by setting_id, question_id
),

measured as (
    select
        setting_id,
        count(share) as n_questions,
        sum(n_answers)::bigint as n_answers,
        sum(n_known)::bigint as n_known,
        {% for status in retrieval_statuses() %}
            sum(n_{{ status }})::bigint as {{ status }}_count,
        {% endfor %}
        avg(share) as share,
        student_t_quantile(0.975::double, (count(share) - 1)::double)
        * sqrt(var_samp(share) / count(share)) as half_width,
        sum(n_chunks) / nullif(sum(n_known), 0) as mean_chunk_count,
        avg(similarity) as mean_similarity,
        sum(n_pages)::bigint as page_count,
        sum(n_refused)::bigint as page_refused_count
    from questions
    group by setting_id
),

described as (
    select
        setting_id,
        {{ alike_in_group([
            'condition_id', 'dataset_id', 'split', 'judge_id', 'template', 'retrieval',
            'is_trusted_only', 'retriever'
        ]) }}
    from known
    group by setting_id
)

select
    described.*,
    measured.n_questions,
    measured.n_answers,
    measured.n_known,
    {% for status in retrieval_statuses() %}
        measured.{{ status }}_count,
    {% endfor %}
    measured.share as shown_share,
    {{ share_ends(
        'measured.share', spread('measured.half_width'), 'measured.n_questions', 'shown_share'
    ) }},
    measured.mean_chunk_count,
    measured.mean_similarity,
    measured.page_count,
    measured.page_refused_count,
    case
        when measured.share is null then 'no answer whose documents are known'
        {{ when_too_few('measured.n_questions', 'questions') }}
    end as reason
from measured
inner join described using (setting_id)
