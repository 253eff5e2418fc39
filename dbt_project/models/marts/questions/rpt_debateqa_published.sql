{#
Always answering 1 is on no line of Table 15; the only counts that fit each line give it.
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

figures as (
    select * from alignment
    union all by name
    select * from accuracy
    union all by name
    select * from always_one
    union all by name
    select * from people
)

select
    paper_id,
    location,
    subject,
    metric,
    evaluator,
    statistic,
    coalesce(value, printed_text::double)::double as value,
    printed_text,
    n::bigint as n,
    note
from figures
