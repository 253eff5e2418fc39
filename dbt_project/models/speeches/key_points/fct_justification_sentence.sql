{# Sentences of judges' justifications, and what became of each. #}
select
    sentences.analysis_id,
    sentences.sentence_id,
    sentences.request_id,
    sentences.judge_id,
    sentences.item_id,
    speeches.debate_id,
    speeches.source,
    sentences.position,
    sentences.text,
    sentences.word_count,
    sentences.polarity,
    sentences.polarity_score,
    sentences.removal_reason,
    sentences.is_candidate,
    sentences.candidate_reason,
    sentences.selection_reason,
    sentences.redundant_with,
    sentences.key_point_id,
    sentences.similarity
from {{ ref('stg_raw__key_point_sentences') }} as sentences
inner join {{ ref('stg_raw__speeches') }} as speeches using (item_id)
