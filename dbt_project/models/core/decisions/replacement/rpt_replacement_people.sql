{# The test of each judge against each person it might stand in for. #}
select
    candidates.* exclude (candidate_key, annotator_id, is_person),
    people.annotator_id,
    tests.epsilon,
    tests.n as n_instances,
    tests.n_texts as n_units,
    tests.missing as missing_count,
    tests.wins / tests.n::double as judge_win_share,
    tests.mean_d,
    tests.p,
    tests.p_adjusted,
    tests.is_rejected,
    plain.p as p_paper,
    plain.p_adjusted as p_adjusted_paper,
    plain.is_rejected as is_rejected_paper
from {{ ref('int_replacement_tests') }} as tests
inner join {{ ref('int_replacement_tests') }} as plain
    using (candidate_key, annotator_key, epsilon)
inner join {{ ref('int_replacement_candidates') }} as candidates using (candidate_key)
inner join (
    select distinct annotator_key, annotator_id from {{ ref('int_replacement_annotations') }}
) as people
    using (annotator_key)
where tests.method = 'by_text' and plain.method = 'paper' and not candidates.is_person
