{# How often each judge says each key point, of sentences and of justifications. #}
with

shares as (select * from {{ ref('int_key_point_shares') }} where source is null)

select
    ranks.* exclude (position),
    coalesce(sentences.n, 0) as n_sentences,
    sentences.share as sentence_share,
    sentences.share_low as sentence_share_low,
    sentences.share_high as sentence_share_high,
    coalesce(justified.group_count, 0) as justification_count,
    coalesce(justified.n, 0) as n_justifications,
    justified.share as justification_share,
    justified.share_low as justification_share_low,
    justified.share_high as justification_share_high,
    coalesce(justified.n_units, 0) as n_units,
    case when justified.share is null then 'no justification of this judge has sentences' end
        as undefined_reason
from {{ ref('int_key_point_ranks') }} as ranks
left join shares as sentences
    on
        ranks.analysis_id = sentences.analysis_id
        and ranks.judge_id = sentences.judge_id
        and ranks.key_point_id = sentences.group_id
        and sentences.unit = 'sentence'
left join shares as justified
    on
        ranks.analysis_id = justified.analysis_id
        and ranks.judge_id = justified.judge_id
        and ranks.key_point_id = justified.group_id
        and justified.unit = 'justification'
