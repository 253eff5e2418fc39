{#
The advantage probability: how often a candidate's answer is as close to the others as a person's, a mean over
people of shares of instances; clustered by text, with what each text adds to the mean. Without a candidate, the
mean over the people who are candidates: what a person reaches. Wilson's bound takes the normal quantile; half is
widened by Student's over it, without which 2,000 simulated studies of 40 texts are covered in 94.2 %.
#}
{% set scope = ['task', 'dataset_id', 'dimension'] %}
with

eligible as (
    select candidate_key, annotator_key, n, wins
    from {{ ref('int_replacement_tests') }}
    where method = 'paper' and epsilon = {{ replacement_margins() | first }}
),

shares as (
    select
        {{ scope | join(', ') }},
        candidate_key,
        any_value(is_person) as is_person,
        count(*) as n_annotators,
        avg(wins / n::double) as advantage
    from eligible
    inner join {{ ref('int_replacement_candidates') }} using (candidate_key)
    group by {{ scope | join(', ') }}, candidate_key
),

of_texts as (
    select
        texts.candidate_key,
        texts.text_key,
        sum((texts.wins - texts.n_answered * eligible.wins / eligible.n::double) / eligible.n)
            as part
    from {{ ref('int_replacement_texts') }} as texts
    inner join eligible using (candidate_key, annotator_key)
    where texts.n_answered > 0
    group by texts.candidate_key, texts.text_key
),

-- Two people beside a person suffice; a judge needs three.
people as (
    select *, count(*) over (partition by {{ scope | join(', ') }}) as n_people
    from shares
    where is_person and n_annotators >= 2
),

parts as (
    select
        {{ scope | join(', ') }}, candidate_key, text_key, advantage,
        n_annotators, 1 as n_people, part / n_annotators as part
    from of_texts
    inner join shares using (candidate_key)
    union all
    select
        {{ scope | join(', ') }}, null, text_key, null,
        null, any_value(n_people), sum(part / n_annotators / n_people)
    from of_texts
    inner join people using (candidate_key)
    group by {{ scope | join(', ') }}, text_key
),

spread_out as (
    select
        {{ scope | join(', ') }},
        candidate_key,
        {{ alike_in_group(['n_annotators', 'n_people', 'advantage']) }},
        count(*) as n_texts,
        count(*) / nullif(count(*) - 1.0, 0) * sum(part * part) as variance
    from parts
    group by {{ scope | join(', ') }}, candidate_key
),

pooled as (
    select {{ scope | join(', ') }}, avg(advantage) as people_advantage
    from people
    group by {{ scope | join(', ') }}
)

select
    spread_out.* replace (coalesce(spread_out.advantage, pooled.people_advantage) as advantage),
    {{ clustered_half_width('spread_out.variance', 'spread_out.n_texts') }}
    * student_t_quantile(0.975::double, (spread_out.n_texts - 1)::double)
    / normal_quantile(0.975::double) as half
from spread_out
left join pooled using ({{ scope | join(', ') }})
