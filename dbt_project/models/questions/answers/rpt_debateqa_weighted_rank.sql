{#
Equation 4 of the DebateQA paper: k * z(1 / P.D.) + (1 - k) * z(D.A.), with z over the models ranked and
the population's standard deviation. Printed scores go the same way as this warehouse's own.
#}
with

scores as (
    {% for ground, suffix in [('each', ''), ('shared', '_shared')] %}
        select
            'own' as origin,
            '{{ ground }}' as ground,
            condition_id,
            dataset_id,
            split,
            template,
            temperature,
            top_p,
            target_tokens,
            retrieval,
            is_trusted_only,
            retriever,
            judge_id,
            metric,
            evaluator_id,
            evaluator_template,
            {% if suffix %}
                score_shared as score,
                n_questions_shared as n_questions,
            {% else %}
                score,
                n_questions,
            {% endif %}
            mean_word_count,
            mean_answer_tokens
        from {{ ref('rpt_debateqa_leaderboard') }}
        where score{{ suffix }} is not null
        union all by name
    {% endfor %}
    -- The paper's prompt for this table is not named, and it prints no n.
    select
        'published' as origin,
        'each' as ground,
        'table_2' as condition_id,
        paper_id as dataset_id,
        model as judge_id,
        metric,
        evaluator_model as evaluator_id,
        'as printed' as evaluator_template,
        score::double as score,
        avg_len_tokens::double as mean_answer_tokens
    from {{ ref('debateqa_table_2') }}
),

paired as (
    select
        diverse.* exclude (metric, evaluator_id, evaluator_template, score, n_questions),
        diverse.evaluator_id as pd_evaluator_id,
        diverse.evaluator_template as pd_evaluator_template,
        aware.evaluator_id as da_evaluator_id,
        aware.evaluator_template as da_evaluator_template,
        diverse.score as pd_score,
        aware.score as da_score,
        diverse.n_questions as pd_n_questions,
        aware.n_questions as da_n_questions
    from scores as diverse
    inner join scores as aware
        on
            diverse.origin = aware.origin
            and diverse.ground = aware.ground
            and diverse.condition_id = aware.condition_id
            and diverse.judge_id = aware.judge_id
            and diverse.metric = {{ perspective_diversity() }}
            and aware.metric = {{ dispute_awareness() }}
),

standardised as (
    select
        *,
        count(*) over field as n_models,
        (1 / nullif(pd_score, 0) - avg(1 / nullif(pd_score, 0)) over field)
        / {{ spread('stddev_pop(1 / nullif(pd_score, 0)) over field') }} as pd_z,
        (da_score - avg(da_score) over field)
        / {{ spread('stddev_pop(da_score) over field') }} as da_z
    from paired
    window field as (
        partition by
            origin, ground, condition_id, pd_evaluator_id, pd_evaluator_template, da_evaluator_id,
            da_evaluator_template
    )
),

weights as (select unnest(range(21)) / 20.0 as k),

weighted as (
    select
        standardised.*,
        weights.k,
        round(case
            when k = 0 then da_z
            when k = 1 then pd_z
            else k * pd_z + (1 - k) * da_z
        end, 12) as score
    from standardised
    cross join weights
)

select
    * exclude (k),
    k::double as k,
    case when score is not null then rank() over field end as place,
    case
        when score is not null then {{ place_label('rank() over field', 'count(*) over tied') }}
    end
        as place_label,
    case
        when score is null and n_models < 2 then 'one model only'
        when score is null then 'all models have the same score'
    end as reason
from weighted
window
    field as (
        partition by
            origin, ground, condition_id, pd_evaluator_id, pd_evaluator_template, da_evaluator_id,
            da_evaluator_template, k
        order by score desc
    ),
    tied as (
        partition by
            origin, ground, condition_id, pd_evaluator_id, pd_evaluator_template, da_evaluator_id,
            da_evaluator_template, k, score
    )
