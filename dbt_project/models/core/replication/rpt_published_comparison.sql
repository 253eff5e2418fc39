{#
What papers print beside this warehouse's own figures. A paper's figure that its own numbers contradict
cannot be reproduced by anybody: both stand here.
#}
with

figures as (
    select *
    from {{ ref('int_speech_figures_compared') }}
    union all by name
    select * from {{ ref('int_bias_figures_compared') }}
    union all by name
    select * from {{ ref('int_debateqa_figures_compared') }}
    union all by name
    select * from {{ ref('int_debatebench_figures_compared') }}
    union all by name
    select * from {{ ref('int_persuasive_figures_compared') }}
    union all by name
    select * from {{ ref('int_alt_test_figures_compared') }}
),

read as (
    select
        *,
        -- A shared place is printed as 2=.
        try_cast(rtrim(published_text, '=') as double) as published_value,
        length(split_part(published_text, '.', 2)) as decimals,
        case
            when published_text like '%=' then warehouse_value = rtrim(published_text, '=')::double
            when try_cast(published_text as double) is not null
                then
                    abs(warehouse_value - published_text::double) <= 0.5 * 10.0 ^ (-decimals) + 1e-9
            when
                published_text like '<= %'
                then warehouse_value <= substr(published_text, 4)::double
            when published_text like '< %' then warehouse_value < substr(published_text, 3)::double
            when published_text like '> %' then warehouse_value > substr(published_text, 3)::double
            when published_text like 'not significant%' then warehouse_value >= 0.05
            when published_text like 'significant%' then warehouse_value < 0.05
        end as is_as_printed
    from figures
)

select
    * exclude (kind, is_contradicted, independent_value, decimals, is_as_printed),
    case
        when kind = 'setting' then 'not_comparable'
        when kind = 'consistency' then 'contradicted'
        when kind = 'unprinted' then 'not_published'
        when n = 0 then 'no_data'
        when kind = 'finding' then 'not_comparable'
        when kind = 'derived' then 'not_published'
        when is_as_printed and kind = 'shipped' then 'shipped'
        when is_as_printed then 'agrees'
        when
            is_contradicted and abs(warehouse_value / independent_value - 1) < 0.005
            then 'contradicted'
        else 'differs'
    end as agreement_status
from read
