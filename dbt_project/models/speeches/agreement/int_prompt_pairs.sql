{#
The two prompts of one instrument, with reasons first and without, where a judge answered both. Their
names differ by `_justified` alone; of wordings of a user's own only the hash is known, so they are a
pair where a judge answered one of each.
#}
with

wordings as (
    select template, min(wording) as wording
    from {{ ref('int_scores_current') }}
    group by template
),

answered as (
    select distinct
        answers.dataset_id,
        answers.dimension,
        answers.judge_id,
        answers.template,
        wordings.wording,
        replace(split_part(answers.template, '@', 1), '_justified', '') as instrument,
        {{ asks_for_reasons('answers.template') }} as is_justified
    from {{ ref('int_answers_pooled') }} as answers
    inner join wordings using (template)
),

counted as (
    select
        *,
        count(*) over (
            partition by dataset_id, dimension, judge_id, instrument, wording, is_justified
        ) as template_count
    from answered
),

paired as (
    select
        plain.dataset_id,
        plain.dimension,
        plain.judge_id,
        plain.template as template_plain,
        justified.template as template_justified
    from counted as plain
    inner join counted as justified using (dataset_id, dimension, judge_id, instrument, wording)
    where
        not plain.is_justified and justified.is_justified
        and plain.template_count = 1 and justified.template_count = 1
)

select
    row_number() over (
        order by dataset_id, dimension, judge_id, template_plain
    ) as prompt_pair_id,
    *
from paired
