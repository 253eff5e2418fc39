with

sides as (
    select
        field_id,
        protocol,
        unnest([debater_0, debater_1]) as debater_id,
        unnest([0, 1]) = right_answer as is_right,
        transcript_id,
        question_id,
        cluster_id,
        unnest([share_0, 1 - share_0]) as share,
        weight,
        failed_count,
        used_for = 'chosen_by_judge' as is_chosen_by_judge
    from {{ ref('int_debater_contests') }}
    where protocol = 'consultancy' or not is_self_play
),

-- The orders of one transcript are one observation.
observed as (
    select
        field_id,
        protocol,
        debater_id,
        transcript_id,
        question_id,
        cluster_id,
        is_right,
        sum(share * weight) filter (not is_chosen_by_judge) as share,
        sum(failed_count)::bigint as failed_count,
        bool_or(is_chosen_by_judge) as is_chosen_by_judge
    from sides
    where debater_id is not null
    group by all
),

totals as (
    select
        field_id,
        protocol,
        debater_id,
        count(distinct question_id) filter (share is not null) as n_questions,
        sum(failed_count)::bigint as failed_count,
        bool_or(is_chosen_by_judge) as is_chosen_by_judge
    from observed
    group by field_id, protocol, debater_id
),

either as (
    {{ story_shares('observed', ['field_id', 'protocol', 'debater_id']) }}
),

by_side as (
    {{ story_shares('observed', ['field_id', 'protocol', 'debater_id', 'is_right']) }}
)

select
    fields.field_id,
    {{ debater_field_columns('fields') }},
    totals.protocol,
    totals.debater_id,
    {% for relation, suffix in [('either', ''), ('as_right', '_right'), ('as_wrong', '_wrong')] %}
        {{ relation }}.share as win_share{{ suffix }},
        {{ share_ends(
            relation ~ '.share', relation ~ '.half_width', relation ~ '.n_units', 'win_share' ~ suffix
        ) }},
        coalesce({{ relation }}.n, 0) as n_contests{{ suffix }},
    {% endfor %}
    overall.estimate as rating,
    for_right.estimate as rating_right,
    for_wrong.estimate as rating_wrong,
    gap.estimate as right_minus_wrong,
    gap.low as right_minus_wrong_low,
    gap.high as right_minus_wrong_high,
    coalesce(either.n_units, 0) as n_units,
    totals.n_questions,
    totals.failed_count,
    case
        when totals.is_chosen_by_judge then 'the judge chose among the candidates itself'
        when either.n is null then 'no judgement could be read'
        when
            totals.protocol = 'consultancy'
            then 'nobody argues against a consultant, who has no rating'
        when gap.estimate is null and gap.reason is not null then gap.reason
        when gap.estimate is null then 'never argued for both answers where the right one is known'
        when gap.low is null then gap.reason
        when
            least(either.n_units, as_right.n_units, as_wrong.n_units)
            < {{ var('min_units_for_interval') }}
            then 'an interval needs {{ var('min_units_for_interval') }} stories'
    end as null_reason
from totals
inner join {{ ref('int_debater_fields') }} as fields using (field_id)
left join either using (field_id, protocol, debater_id)
{% for relation, is_right in [('as_right', ''), ('as_wrong', 'not ')] %}
    left join by_side as {{ relation }}
        on
            totals.field_id = {{ relation }}.field_id
            and totals.protocol = {{ relation }}.protocol
            and totals.debater_id = {{ relation }}.debater_id
            and {{ is_right }}{{ relation }}.is_right
{% endfor %}
{% for relation, quantity, name in [
    ('overall', 'rating', 'both'), ('for_right', 'rating', 'right'),
    ('for_wrong', 'rating', 'wrong'), ('gap', 'right_minus_wrong', '')
] %}
    left join {{ ref('int_debater_ratings_fitted') }} as {{ relation }}
        on
            totals.protocol = 'debate'
            and totals.field_id = {{ relation }}.field_id
            and totals.debater_id = {{ relation }}.debater_id
            and {{ relation }}.quantity = '{{ quantity }}'
            and {{ relation }}.name = '{{ name }}'
{% endfor %}
