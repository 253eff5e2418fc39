{#
Always answering 1 is on no line of Table 15; the only counts that fit each line give it. Changes are
differences of printed means.
#}
with

alignment as (
    select
        paper_id,
        table_id as location,
        'alignment' as subject,
        metric,
        backbone_model as evaluator,
        unnest(['spearman', 'kendall']) as statistic,
        unnest([spearman_rho, kendall_tau]) as printed_text
    from {{ ref('debateqa_table_14') }}
),

accuracy as (
    select
        paper_id,
        table_id as location,
        'dispute_accuracy' as subject,
        metric,
        backbone_model as evaluator,
        unnest(['accuracy', 'f1', 'auroc', 'mcc']) as statistic,
        unnest([accuracy, f1, auroc, mcc]) as printed_text,
        implied_n::bigint as n
    from {{ ref('debateqa_table_15') }}
),

labels as (
    select
        paper_id,
        any_value(table_id) as location,
        any_value(implied_tp::bigint + implied_fn::bigint) as positives,
        any_value(implied_n::bigint) as n
    from {{ ref('debateqa_table_15') }}
    where metric = 'D.A.'
    group by paper_id
),

always_one as (
    select
        paper_id,
        location,
        'dispute_accuracy' as subject,
        'always 1' as metric,
        unnest(['accuracy', 'f1']) as statistic,
        unnest([positives / n, 2 * positives / (positives + n)]) as value,
        n,
        'from the only counts that fit the table, not printed' as note
    from labels
),

people as (
    select
        paper_id,
        location,
        'people' as subject,
        qualifier as metric,
        case when fact = 'fleiss_kappa' then fact else 'spearman' end as statistic,
        value as printed_text,
        note
    from {{ ref('debateqa_prose') }}
    where topic = 'iaa' and fact in ('fleiss_kappa', 'spearman_rho_lower_bound')
),

arms as (
    select
        paper_id,
        table_id,
        model,
        metric,
        null as evaluator,
        prompt_id as arm,
        'p_basic' as first_arm,
        score, n_questions, 'evaluator ' || evaluator_model as note
    from {{ ref('debateqa_table_3') }}
    union all by name
    select
        paper_id, table_id, model, metric, evaluator_model as evaluator, rag_strategy as arm,
        'no_rag' as first_arm, score, n_questions
    from {{ ref('debateqa_table_4') }}
    union all by name
    select
        paper_id, table_id, model, metric, evaluator_model as evaluator, rag_source as arm,
        'vanilla_rag' as first_arm, score, n_questions,
        'over how many questions is not printed' as note
    from {{ ref('debateqa_table_5') }}
),

effects as (
    select
        paper_id,
        table_id as location,
        'effect' as subject,
        metric,
        evaluator,
        model,
        arm,
        case when metric = {{ dispute_awareness() }} then 'share' else 'mean' end as statistic,
        score as printed_text,
        n_questions as n,
        note
    from arms
),

changes as (
    select
        later.paper_id,
        later.table_id as location,
        'effect' as subject,
        later.metric,
        later.evaluator,
        later.model,
        later.arm,
        'change' as statistic,
        round(later.score::double - earlier.score::double, 9) as value,
        later.n_questions as n,
        concat_ws('; ', 'against ' || earlier.arm || ', of printed figures', later.note) as note
    from arms as later
    inner join arms as earlier
        on
            later.table_id = earlier.table_id
            and later.model = earlier.model
            and later.metric = earlier.metric
            and later.first_arm = earlier.arm
            and later.arm != earlier.arm
),

missing_viewpoints as (
    select
        paper_id,
        table_id as location,
        'missing_viewpoints' as subject,
        'missing_viewpoints' as metric,
        'GPT-4o' as evaluator,
        model,
        'share' as statistic,
        proportion_score_5 as printed_text,
        n_questions as n
    from {{ ref('debateqa_table_11') }}
),

figures as (
    select * from alignment
    union all by name
    select * from accuracy
    union all by name
    select * from always_one
    union all by name
    select * from people
    union all by name
    select * from effects
    union all by name
    select * from changes
    union all by name
    select * from missing_viewpoints
),

numbered as (
    select *, coalesce(value, printed_text::double)::double as figure
    from figures
)

select
    * exclude (n, value, figure),
    figure as value,
    {% for end, sign in [('low', -1), ('high', 1)] %}
        case when statistic = 'share' then {{ wilson_bound('figure', 'n', sign) }} end
            as value_{{ end }},
    {% endfor %}
    n::bigint as n
from numbered
