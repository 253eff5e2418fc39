{#
A transcript that two experiments share must not count twice: of the requests for it a complete one
counts, then the latest, whichever experiment asked.
#}
{% set best_first -%}
    case when status = 'complete' then 0 else 1 end, {{ latest_answer_first() }}
{%- endset %}
with

questions as (
    select question_id, item_hash as question_hash from {{ loaded('reading_questions') }}
)

select
    transcripts.*,
    {{ answer_status() }} as answer_status,
    questions.question_id is null
    or coalesce(question_hash != item_hash, false) as is_stale,
    superseded.response_id is null as is_current,
    row_number() over (partition by transcript_id order by {{ best_first }}) = 1 as is_counted
from {{ ref('stg_raw__oversight_transcripts') }} as transcripts
left join questions using (question_id)
left join {{ ref('int_responses_superseded') }} as superseded using (response_id)
