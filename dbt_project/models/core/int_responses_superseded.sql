{#
Responses that do not count because the same was asked again. Of the answers to one question the latest
answered one counts (`latest_answer_first`). A question is what was asked, of which judge, with which
settings, in which experiment, on which text, and which repeat of it; an answer, a speech or a score of an
answer is the same in every experiment. To rank millions of responses would take most of a build, and
almost all were asked for once, so only those that share a hash are ranked. One row per such response.
#}
{% set asked = 'experiment, judge_id, settings_hash, item_hash, template, prompt_hash, sample' %}
{% set questions = [
    ('stg_raw__scores', 'item_kind != ' ~ answer(), asked ~ ', item_id, dimension'),
    ('stg_raw__scores', 'item_kind = ' ~ answer(),
        'judge_id, item_id, item_hash, template, dimension, sample'),
    ('stg_raw__verdicts', 'true',
        asked ~ ', debate_id, verbalizer, position, outcome, reasoning, answer_order'),
    ('stg_raw__pressed_verdicts', 'true',
        asked ~ ', debate_id, first_template, verbalizer, position, rebuttal, said_by'),
    ('stg_raw__answers', 'true', 'answer_id'),
    ('stg_raw__written_speeches', 'true', 'item_id'),
    ('stg_raw__adjudications', 'true',
        'experiment, setting_id, settings_hash, debate_id, item_hash, prompt_hash, sample'),
    ('stg_raw__oversight_transcripts', 'true', 'experiment, transcript_id'),
] %}

{% for staging, condition, question in questions %}
    select response_id
    from (
        select
            response_id,
            row_number() over (
                partition by {{ question }}
                order by
                    {% if staging == 'stg_raw__oversight_transcripts' %}
                        case when status = 'complete' then 0 else 1 end,
                    {% endif %}
                    {{ latest_answer_first() }}
            ) as place
        from {{ ref(staging) }}
        where
            {{ condition }}
            and hash({{ question }}) in (
                select hash({{ question }})
                from {{ ref(staging) }}
                where {{ condition }}
                group by hash({{ question }})
                having count(*) > 1
            )
    )
    where place > 1
    {{ 'union all' if not loop.last }}
{% endfor %}
