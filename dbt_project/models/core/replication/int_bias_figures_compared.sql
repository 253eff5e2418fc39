{#
The bias paper's figures beside what the marts make of its printed cells, which only
`rostrum replicate` loads. A figure the marts give two ways stands in two rows of `own`, the other way
beside it. People who said here who won stand beside the paper's two: others, on other debates.
#}
{% set paper = "'llm_debate_bias'" %}
{% set printed = "'llm-debate-bias-printed'" %}
with

-- What needs cells that are not printed is asked for once per table and label set, and is null.
checks as (
    select
        paper_id,
        check_id,
        case table_id
            when 'prose' then 'Text' else 'Table ' || split_part(table_id, '_', 2)
        end as location,
        statistic,
        item as qualifier,
        published_value as published_text,
        recomputed_value,
        case
            when kind = 'consistency' then null
            when method_variant = 'pooled, two-sided (paired counts not published)' then null
            when method_variant = 'Yates or uncorrected (cannot tell)' then 'Yates'
            when method_variant = 'none' then 'Yates'
            when method_variant = 'all' then 'uncorrected'
            else method_variant
        end as method_variant,
        kind,
        agrees = 'no' as is_contradicted,
        coalesce(
            nullif(note, ''),
            case
                when statistic like 'McNemar%'
                    then
                        'Corrected for continuity in Tables 7 and 8 (GPT-4), '
                        || 'not in Tables 5 and 6 (GPT-3.5).'
            end
        ) as note
    from {{ ref('published_checks') }}
    where
        paper_id = {{ paper }}
        and (kind != 'consistency' or agrees = 'no')
        and item not like '% swapped'
),

unprinted as (
    select
        paper_id,
        location,
        case
            when statistic = 'McNemar chi2' then 'difference of predicted Con on the same debates'
            when statistic like 'two-proportion z%' then 'McNemar chi2'
            else 'Mantel-Haenszel odds ratio by the winner of the debate'
        end as statistic,
        qualifier,
        'not published: ' || case
            when statistic = 'McNemar chi2' then 'on how many debates both settings agree'
            when
                statistic like 'two-proportion z%'
                then 'which debates had which verdict in both settings'
            else 'who won the debates that each side closes'
        end as note
    from checks
    where
        location != 'Text'
        and (statistic in ('McNemar chi2', 'chi-square p') or statistic like 'two-proportion z%')
),

positions as (select * from {{ ref('rpt_position_bias') }} where dataset_id = {{ printed }}),

labels as (select * from {{ ref('rpt_label_bias') }} where dataset_id = {{ printed }}),

orders as (select * from {{ ref('rpt_order_bias') }} where dataset_id = {{ printed }}),

accuracies as (
    select
        *,
        case split_part(judge_id, '/', 2)
            when 'human-1' then 'Human 1'
            when 'human-2' then 'Human 2'
            when 'gpt-4-on-human-subset' then 'GPT-4 on human subset'
            else 'GPT-3.5 ' || verbalizer
        end as qualifier
    from {{ ref('rpt_verdict_accuracy') }}
    where dataset_id = {{ printed }} and round_count is null
),

-- Only of these was it asked who won; rooms over stories have people who say which answer is right.
people as (
    select distinct dataset_id, judge_id
    from {{ loaded('human_verdicts') }}
    where mode in ('imported', 'dashboard')
),

printed_people as (
    select
        string_agg(qualifier || ': ' || published_text, ', ' order by qualifier) as published_text
    from checks
    where
        location = 'Table 2'
        and statistic = 'accuracy as a whole count'
        and qualifier like 'Human %'
),

accuracies_of_people as (
    select
        people.judge_id || ', ' || people.dataset_id as qualifier,
        100 * accuracy as value,
        100 * accuracy_low as low,
        100 * accuracy_high as high,
        n_units as n
    from {{ ref('rpt_verdict_accuracy') }}
    inner join people using (dataset_id, judge_id)
    where template = {{ human() }} and round_count is null and n_units > 0
),

pairs as (
    select
        experiment,
        verbalizer || ' fixed vs shuffled' as qualifier,
        mcnemar, mcnemar_corrected, p_mcnemar, p_corrected, n_units
    from positions
    where contrast = 'fixed - shuffled'
    union all
    select
        experiment,
        replace(contrast, ' - ', ' vs ') as qualifier,
        mcnemar, mcnemar_corrected, p_mcnemar, p_corrected, n_units
    from labels
    where position = 'shuffled'
),

proportions as (
    select
        experiment,
        verbalizer as qualifier,
        'two-proportion z, predicted Con fixed against shuffled' as statistic,
        p_z_paper, z_paper, n_units
    from positions
    where contrast = 'fixed - shuffled'
    union all
    select
        experiment, verbalizer || ' con second vs pro second', 'two-proportion z',
        p_z_paper, z_paper, n_units
    from positions
    where contrast = 'con second - con first'
    union all
    select
        experiment, replace(contrast, ' - ', ' vs '), 'two-proportion z, predicted Con',
        p_z_paper, z_paper, n_units
    from labels
    where position = 'shuffled'
    union all
    select
        experiment,
        replace(contrast, ' - ', ' vs ')
        || case position when 'pro_first' then ', con second' else ', pro second' end,
        'two-proportion z', p_z_paper, z_paper, n_units
    from labels
    where position != 'shuffled'
),

shares as (
    {% for place, which in [('con_second', 'a'), ('pro_second', 'b')] %}
        select
            experiment,
            verbalizer || ' {{ place }}' as qualifier,
            share_{{ which }} as share,
            n_units
        from positions
        where contrast = 'con second - con first'
        union all
    {% endfor %}
    {% for part, which in [(1, 'a'), (2, 'b')] %}
        {{ 'union all' if not loop.first }}
        select
            experiment,
            split_part(contrast, ' - ', {{ part }})
            || case position when 'pro_first' then ' con_second' else ' pro_second' end,
            share_{{ which }},
            n_units
        from labels
        where position != 'shuffled'
    {% endfor %}
),

own as (
    {% for statistic, unit, plain, corrected, source, variants in [
        ('McNemar chi2', 'chi-square', 'mcnemar', 'mcnemar_corrected', 'pairs',
            ['no continuity correction', 'continuity correction']),
        ('McNemar p', 'p', 'p_mcnemar', 'p_corrected', 'pairs',
            ['no continuity correction', 'continuity correction']),
        ('chi-square p', 'p', 'p_chi_square', 'p_yates', 'orders', ['uncorrected', 'Yates']),
        ('phi', 'phi', 'abs(phi)', 'abs(phi_yates)', 'orders',
            ['uncorrected', 'sqrt(Yates chi2 / n)']),
    ] %}
        {% for value, other, this, that in [
            (plain, corrected, variants[0], variants[1]), (corrected, plain, variants[1], variants[0])
        ] %}
            select
                experiment as location,
                {{ 'verbalizer' if source == 'orders' else 'qualifier' }} as qualifier,
                '{{ statistic }}' as statistic,
                '{{ this }}' as method_variant,
                '{{ unit }}' as unit,
                {{ value }} as value,
                null::double as low,
                null::double as high,
                {{ other }} as other_value,
                '{{ that }}' as other_variant,
                n_units as n
            from {{ source }}
            union all
        {% endfor %}
    {% endfor %}
    select
        experiment, qualifier, statistic, 'pooled, two-sided', 'p', p_z_paper, null, null,
        z_paper, 'z', n_units
    from proportions
    union all
    select
        experiment, qualifier, 'percent from whole counts of 52', 'count / 52', 'percent',
        100 * share, null, null, null, null, n_units
    from shares
    union all
    select
        case when qualifier like 'GPT-4%' then 'Text' else experiment end, qualifier,
        'accuracy as a whole count',
        case
            when experiment = 'Table 3' then 'invalid replies dropped, Pro first' else 'count / 75'
        end,
        'percent', 100 * accuracy, 100 * accuracy_low, 100 * accuracy_high, null, null, n_units
    from accuracies
    union all
    select
        experiment, qualifier, 'weighted F1 from predicted counts and accuracy',
        'class-weighted F1', 'percent', 100 * f1_weighted, 100 * f1_weighted_low,
        100 * f1_weighted_high, null, null, n_units
    from accuracies
),

-- Table 17 repeats Table 16's settings, so a share may come from a pair of positions or of labels.
own_once as (
    select *
    from own
    qualify
        row_number() over (partition by location, qualifier, statistic, method_variant order by n)
        = 1
)

select
    checks.paper_id,
    checks.check_id,
    checks.location,
    checks.statistic,
    checks.qualifier,
    checks.published_text,
    own_once.unit,
    checks.method_variant,
    own_once.value as warehouse_value,
    own_once.low as warehouse_low,
    own_once.high as warehouse_high,
    case
        when checks.kind = 'consistency' then try_cast(checks.recomputed_value as double)
        else own_once.other_value
    end as other_value,
    case
        when checks.kind = 'consistency' then checks.recomputed_value
        else own_once.other_variant
    end as other_variant,
    coalesce(own_once.n, 0) as n,
    case
        when checks.kind = 'derived' and checks.method_variant is null then 'unprinted' else
            checks.kind
    end
        as kind,
    checks.is_contradicted,
    case when checks.kind = 'recompute' then try_cast(checks.recomputed_value as double) end
        as independent_value,
    checks.note
from checks
left join own_once using (location, qualifier, statistic, method_variant)
union all
select
    paper_id,
    null,
    location,
    statistic,
    qualifier,
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    0,
    'unprinted', false, null, note
from unprinted
union all
select
    {{ paper }},
    null,
    'Table 2',
    'accuracy of a person',
    qualifier,
    published_text,
    'percent',
    null,
    value, low, high, null, null, n, 'finding', false, null,
    'Somebody who judged debates of this home, beside the two who judged 75 debates of the paper.'
from accuracies_of_people
cross join printed_people
