{#
Judges' decisions and those of the baselines, in one form, where there is something to hold them
against. A subject is a setting, a baseline on all debates of a data set, or a baseline on those that a
judge was read on.
#}
{{ config(materialized='view') }}

select
    setting_id as subject_id, task, debate_key, 0::bigint as ballot, answer_key, place_index,
    predicted, official, false as is_random
from {{ ref('int_adjudication_values') }}
where official is not null
union all
select
    {{ key_of(['baseline', 'dataset_id']) }},
    task,
    debate_key,
    ballot,
    ballot as answer_key,
    place_index,
    predicted, official, baseline = 'uniform_random' as is_random
from {{ ref('int_bp_baselines') }}
union all
select
    {{ key_of(['baseline', 'dataset_id', 'ground_id']) }}, task, debate_key, ballot,
    ballot as answer_key, place_index, predicted, official, baseline = 'uniform_random' as is_random
from {{ ref('int_bp_baselines') }}
inner join (select distinct task, ground_id, debate_key from {{ ref('int_bp_grounds') }}) as grounds
    using (task, debate_key)
