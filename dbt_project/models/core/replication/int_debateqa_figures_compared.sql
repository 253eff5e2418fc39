{#
The DebateQA paper's figures beside what comes out of its own printed tables by the formulas of the
marts. Its data are not needed: nothing here depends on what is loaded.
#}
{% set paper = "'debateqa'" %}
with

checks as (
    select
        check_id,
        case
            when table_id like 'table%' then 'Table ' || split_part(table_id, '_', 2)
            when table_id like 'figure%' then 'Figure ' || split_part(table_id, '_', 2)
            else 'Text'
        end as location,
        kind,
        item,
        statistic,
        published_value,
        recomputed_value,
        nullif(method_variant, '') as method_variant,
        agrees = 'no' as is_contradicted,
        nullif(note, '') as note
    from {{ ref('published_checks') }}
    where paper_id = {{ paper }}
),

table_2 as (select * from {{ ref('debateqa_table_2') }}),

placed as (
    select
        model,
        metric,
        evaluator_model,
        rank,
        norm_rank_printed,
        rank() over (
            partition by metric, evaluator_model
            order by {{ better_sign('metric') }} * score::double desc
        ) as place,
        count(*) over (partition by metric, evaluator_model) as n
    from table_2
),

normalised as (
    select
        model,
        metric,
        any_value(norm_rank_printed) as norm_rank_printed,
        any_value(n) as n,
        rank() over (partition by metric order by avg(place)) as norm_place
    from placed
    group by model, metric
),

weighted as (
    select judge_id, k, place, n_models
    from {{ ref('rpt_debateqa_weighted_rank') }}
    where
        origin = 'published'
        and pd_evaluator_id = 'Qwen2 0.5B'
        and da_evaluator_id = 'Phi-3 medium 128k'
),

prose as (select fact, qualifier, value from {{ ref('debateqa_prose') }}),

counts as (
    select
        max(value::double) filter (fact = 'questions' and qualifier = 'final') as questions,
        max(value::double) filter (fact = 'partial_answers' and qualifier = 'final') as kept,
        max(value::double) filter (
            fact = 'partial_answers' and qualifier = 'removed by two or more annotators'
        ) as removed,
        max(value::double) filter (fact = 'n_in_example') as n_in_example,
        max(value::double) filter (fact = 'delta_pd_in_example') as delta_in_example
    from prose
    where try_cast(value as double) is not null
),

-- Worst less best model by each evaluator: the paper's two ratios.
gaps as (
    select
        min(gap) as least_gap,
        max(gap) as greatest_gap
    from (
        select max(score::double) - min(score::double) as gap
        from table_2
        where metric = {{ perspective_diversity() }}
        group by evaluator_model
    )
),

-- What the text says of all models of Tables 4, 5 and 11.
retrieved as (
    select
        model,
        max(score::double) filter (rag_strategy = 'react') as react,
        max(score::double) filter (rag_strategy = 'vanilla_rag') as vanilla
    from {{ ref('debateqa_table_4') }}
    group by model
),

trusted as (
    select
        model,
        max(score::double) filter (rag_source = 'vanilla_rag_trustworthy_documents') as trusted,
        max(score::double) filter (rag_source = 'vanilla_rag') as vanilla
    from {{ ref('debateqa_table_5') }}
    group by model
),

awareness as (
    select
        metric || coalesce(' ' || backbone_model, '') as qualifier,
        case
            when metric = 'D.A.' then 'D.A. ' || backbone_model
            when metric = 'D.A.-ZS' then 'D.A.-ZS ' || backbone_model
            else metric
        end as item,
        *
    from {{ ref('debateqa_table_15') }}
),

own as (
    select
        'Table 2' as location,
        metric || ' by ' || evaluator_model as item,
        'ranks' as check_statistic,
        'place' as statistic, metric || ' by ' || evaluator_model || ', ' || model as qualifier,
        rank::varchar as published_text, 'place' as unit, place::double as value, n
    from placed
    union all
    select
        'Table 2', metric, 'normalised rank from the two ranks', 'normalised place',
        metric || ', ' || model, norm_rank_printed, 'place', norm_place, n
    from normalised
    union all
    select
        'Figure 3', 'k=' || figure.k::varchar, 'ranking of 12 models', 'place',
        'k=' || figure.k::varchar || ', ' || figure.model,
        rank::varchar, 'place', weighted.place, weighted.n_models
    from (select model, rank, k::double as k from {{ ref('debateqa_figure_3') }}) as figure
    inner join weighted on figure.model = weighted.judge_id and abs(figure.k - weighted.k) < 1e-9
    {% for measure in ['accuracy', 'f1', 'auroc', 'mcc'] %}
        union all
        select
            'Table 15', item, 'accuracy, F1, AUROC, MCC', '{{ measure }}', qualifier, {{ measure }},
            'proportion',
            {{ dispute_measure(measure, [
                'implied_tp::double', 'implied_fn::double', 'implied_fp::double', 'implied_tn::double'
            ]) }},
            implied_n::bigint
        from awareness
    {% endfor %}
    union all
    select
        'Text',
        'pass rate',
        '10873 / (10873 + 767)',
        'pass rate',
        'partial answers',
        null,
        'percent',
        100 * kept / (kept + removed), (kept + removed)::bigint
    from counts
    union all
    select
        'Text',
        'partial answers per question',
        '10873 / 2941',
        'partial answers per question',
        'final',
        null,
        'mean', kept / questions, questions::bigint
    from counts
    union all
    select
        'Text', 'appendix H example', 'exp(2/3)', 'equation 7', 'example', null, 'ratio',
        exp(-delta_in_example / n_in_example), 1
    from counts
    union all
    select
        'Table 4', 'ReAct against vanilla', 'ReAct lower for every model', 'models with lower P.D.',
        'ReAct against vanilla',
        count(*)::varchar,
        'count',
        count(*) filter (react < vanilla),
        count(*)
    from retrieved
    union all
    select
        'Table 5', 'trustworthy documents', 'lower for every model', 'models with lower P.D.',
        'trusted against all documents',
        count(*)::varchar,
        'count',
        count(*) filter (trusted < vanilla),
        count(*)
    from trusted
    union all
    select
        'Table 11',
        'all models',
        'below 10 percent',
        'greatest share of answers with missing viewpoints',
        'all models', '< 10', 'percent', 100 * max(proportion_score_5::double), min(n_questions)
    from {{ ref('debateqa_table_11') }}
    {% for end, gap in [('low', 'least_gap'), ('high', 'greatest_gap')] %}
        union all
        select
            'Text', 'Qwen2 0.5B against GPT-4o', 'probability ratio', 'equation 7',
            'Qwen2 0.5B against GPT-4o, {{ end }}',
            (select value from prose where fact = 'worst_to_best_ratio_{{ end }}'), 'ratio',
            exp({{ gap }} / n_in_example), 12
        from counts
        cross join gaps
    {% endfor %}
),

recomputed as (
    select
        own.*,
        checks.check_id,
        coalesce(own.published_text, checks.published_value) as published,
        checks.method_variant,
        checks.note,
        case
            when checks.is_contradicted
                then
                    regexp_extract(
                        checks.recomputed_value, split_part(own.qualifier, ', ', 2) || ': (\d+)', 1
                    )
            -- Printed as 9, which is the ratio cut off and not rounded.
            when own.qualifier = 'Qwen2 0.5B against GPT-4o, high'
                then regexp_extract(checks.recomputed_value, 'to ([\d.]+)', 1)
        end as contradicting
    from own
    inner join checks
        on
            own.location = checks.location
            and checks.statistic = own.check_statistic
            -- A weight of 0 is written k=0 in one place and k=0.0 in the other.
            and (
                checks.item = own.item
                or try_cast(substr(checks.item, 3) as double)
                = try_cast(substr(own.item, 3) as double)
            )
)

select
    {{ paper }} as paper_id,
    check_id,
    location,
    statistic,
    qualifier,
    published as published_text,
    unit,
    method_variant,
    value as warehouse_value,
    n::bigint as n,
    'recompute' as kind,
    coalesce(contradicting, '') != '' as is_contradicted,
    try_cast(contradicting as double) as independent_value,
    note
from recomputed
union all by name
select
    {{ paper }} as paper_id,
    check_id,
    location,
    statistic,
    item as qualifier,
    nullif(published_value, '') as published_text,
    method_variant,
    try_cast(recomputed_value as double) as other_value,
    recomputed_value as other_variant,
    0 as n,
    case kind when 'derived' then 'unprinted' else kind end as kind,
    is_contradicted,
    note
from checks
where kind = 'derived' or (kind = 'consistency' and is_contradicted)
