{#
The same house of the same debate, named first and named last: what it is and how well it spoke cancels.
Settings that differ in nothing but the order of the houses are one family; `setting_family` is any of
them.
#}
{% set alike = adjudication_factors(without=['house_order']) %}
with

settings as (
    select
        setting_id,
        min(setting_id) over (partition by {{ alike | join(', ') }}) as setting_family
    from {{ ref('dim_adjudication_setting') }}
),

asked as (
    select
        settings.setting_family,
        answers.setting_id,
        answers.debate_id,
        answers.sample,
        split_part(answers.named_order, '-', 1) as first_house,
        split_part(answers.named_order, '-', 4) as last_house
    from {{ ref('fct_adjudication') }} as answers
    inner join settings using (setting_id)
    where answers.named_order is not null
    qualify
        min(answers.named_order) over (partition by settings.setting_family)
        != max(answers.named_order) over (partition by settings.setting_family)
),

given as (
    select
        asked.* exclude (first_house, last_house),
        answered.task,
        answered.house,
        answered.house = asked.first_house as is_first,
        answered.predicted * case answered.task when 'speaker_scores' then 1 else -1 end as favour
    from asked
    inner join {{ ref('fct_adjudication_value') }} as answered
        on
            asked.setting_id = answered.setting_id
            and asked.debate_id = answered.debate_id
            and asked.sample = answered.sample
            and answered.house in (asked.first_house, asked.last_house)
),

-- A house's score is the mean of its two speeches', its place by speeches the mean of theirs.
houses as (
    select
        * exclude (favour),
        case when count(favour) = count(*) then avg(favour) end as favour
    from given
    group by setting_family, setting_id, debate_id, sample, task, house, is_first
),

pairs as (
    select
        setting_family,
        debate_id,
        task,
        house,
        avg(favour) filter (is_first) - avg(favour) filter (not is_first) as named_first,
        list(setting_id || '#' || sample) filter (favour is not null) as answers
    from houses
    group by setting_family, debate_id, task, house
),

contrasts as (
    select
        setting_family,
        debate_id,
        task,
        avg(named_first) as named_first,
        list_unique(flatten(list(answers) filter (named_first is not null))) as n_answers
    from pairs
    group by setting_family, debate_id, task
),

asked_in_all as (
    select setting_family, debate_id, task, count(distinct setting_id || '#' || sample) as n_asked
    from houses
    group by setting_family, debate_id, task
)

select
    contrasts.setting_family,
    contrasts.debate_id,
    {{ outcome_of_task('contrasts.task') }} as outcome,
    contrasts.named_first,
    coalesce(contrasts.n_answers, 0)::bigint as n_answers,
    asked_in_all.n_asked
from contrasts
inner join asked_in_all using (setting_family, debate_id, task)
