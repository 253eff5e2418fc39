select
    * exclude (
        request_id, judge_id, settings_hash, answer_hash, text_hash, template, wording,
        prompt_hash, latency_s, source_record, extra, loaded_at
    ),
    judge_id as evaluator_id,
    template as evaluator_template,
    wording as evaluator_wording,
    case when status = 'scored' then exp(-logprob_sum / nullif(token_count, 0)) end as perplexity
from {{ ref('int_likelihoods_current') }}
