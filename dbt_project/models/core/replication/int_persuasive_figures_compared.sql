{#
The post prints accuracies and counts without the cells behind them. Its human judgements are released:
their number and that of the people is compared where they are loaded, without the documented exclusions
and with them. Its accuracies are of one kind of debater each, which the text does not tell exactly
enough; what the judgements of a protocol that the analysis includes give stands beside them, and claims
nothing.
#}
{% set paper = "'persuasive_debate'" %}
with

printed as (
    select judge_type, protocol, accuracy::double as accuracy, qualifier
    from {{ ref('persuasive_debate_accuracy') }}
),

prose as (select * from {{ ref('persuasive_debate_prose') }}),

judgements as (
    select *
    from {{ ref('int_oversight_judgements') }}
    where
        dataset_id = 'llm-debate-humans' and is_human and is_final and is_main_order
        and p_answer_0 is not null
),

by_protocol as (
    select protocol, 100 * avg(right_score) as accuracy, count(right_score) as n
    from judgements
    where is_in_paper
    group by protocol
),

counts (fact, value, in_analysis, n) as (
    select
        'human_judgements',
        nullif(count(*), 0)::double,
        nullif(count(*) filter (where is_in_paper), 0)::double,
        count(*)
    from judgements
    union all
    select
        'human_judges',
        nullif(count(distinct judge_id), 0)::double,
        nullif(count(distinct judge_id) filter (where is_in_paper), 0)::double,
        count(*)
    from judgements
),

gains (statistic, value) as (
    select
        'gain of debate over naive, ' || judge_type || ' judges',
        max(accuracy) filter (protocol = 'debate') - max(accuracy) filter (protocol = 'naive')
    from printed
    group by judge_type
    union all
    select
        'gain of debate over consultancy, human judges',
        max(accuracy) filter (protocol = 'debate') - max(accuracy) filter (protocol = 'consultancy')
    from printed
    where judge_type = 'human'
)

select
    {{ paper }} as paper_id,
    null::varchar as check_id,
    'Text' as location,
    'accuracy of ' || judge_type || ' judges, ' || replace(printed.protocol, '_', ' ') as statistic,
    printed.qualifier,
    printed.accuracy::bigint::varchar as published_text,
    'percent' as unit,
    null::varchar as method_variant,
    case when printed.judge_type = 'human' then by_protocol.accuracy end as warehouse_value,
    null::double as other_value,
    null::varchar as other_variant,
    case when printed.judge_type = 'human' then coalesce(by_protocol.n, 0) else 0 end as n,
    'setting' as kind,
    false as is_contradicted,
    null::double as independent_value,
    case
        when printed.judge_type = 'model' then 'the models'' judgements are not released'
        when printed.protocol = 'static_debate_ensemble'
            then 'an upper figure; people''s votes are not drawn again'
        else
            'beside it: the judgements of this protocol that the analysis includes, whoever debated'
    end as note
from printed
left join by_protocol using (protocol)
union all
select
    {{ paper }},
    null,
    'Text',
    replace(fact, '_', ' '),
    'released judgements',
    prose.value,
    prose.unit,
    'all released judgements', counts.value as counted, counts.in_analysis as counted_in_analysis,
    'without the documented exclusions', counts.n, 'recompute', false, null,
    case when counts.n = 0 then 'the data set llm-debate-humans is not loaded' end
from prose
inner join counts using (fact)
union all
select
    {{ paper }},
    null,
    'Text',
    replace(fact, '_', ' '),
    coalesce(qualifier, ''),
    value,
    unit,
    null,
    null,
    null, null, 0, 'setting', false, null, note
from prose
where
    fact not in (select fact from counts)
    and qualifier is distinct from 'by subtraction'
    and try_cast(value as double) is not null
union all
select
    {{ paper }}, null, 'Text', statistic, 'by subtraction', null, 'percentage points', null, value,
    null, null, 2, 'derived', false, null, 'not printed; the accuracies are'
from gains
union all
select
    {{ paper }}, check_id, 'Text', item, statistic, nullif(published_value, ''), null, null,
    null, null, recomputed_value, 0, 'unprinted', false, null, nullif(note, '')
from {{ ref('published_checks') }}
where paper_id = {{ paper }}
