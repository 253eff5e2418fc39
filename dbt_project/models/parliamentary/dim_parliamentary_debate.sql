{#
A debate of speeches alone, of results alone, or of both; the field `extra` holds what only some
sources say.
#}
with

debates as (select * from {{ ref('stg_raw__debates') }} where format = 'british_parliamentary'),

datasets as (select dataset_id, is_sample from {{ ref('stg_raw__datasets') }}),

panels as (
    select debate_id, count(*) filter (not coalesce(is_trainee, false)) as panel_size
    from {{ loaded('adjudicators') }}
    group by debate_id
),

ballots as (
    select debate_id, count(distinct decided_by) as ballot_count
    from (
        select debate_id, decided_by from {{ loaded('team_results') }}
        union all
        select debate_id, decided_by from {{ loaded('speaker_results') }}
    )
    where decided_by != {{ panel() }}
    group by debate_id
),

results as (
    select
        debate_id,
        bool_or(task = {{ house_ranks() }}) as has_house_ranks,
        count(*) filter (task = {{ speaker_scores() }}) as score_count
    from {{ ref('int_bp_results') }}
    group by debate_id
),

removals as (
    select
        filters.debate_id,
        min_by(filters.rule, filters.rule_order) as removal_rule,
        min_by(
            coalesce(filters.reason, rules.description), filters.rule_order
        ) as removal_reason
    from {{ loaded('debate_filters') }} as filters
    left join {{ loaded('filter_rules') }} as rules using (dataset_id, rule)
    where filters.is_removed
    group by filters.debate_id
)

select
    debates.debate_id,
    debates.dataset_id,
    datasets.is_sample,
    debates.cluster_id,
    nullif(debates.motion, '') as motion,
    debates.context as info_slide,
    {% for field in ['tournament', 'round', 'room'] %}
        case when json_valid(debates.extra) then debates.extra ->> '$.{{ field }}' end
            as {{ field }},
    {% endfor %}
    case
        when json_valid(debates.extra)
            then try_cast(debates.extra ->> '$.is_contentious' as boolean)
    end as is_contentious,
    coalesce(measured.speech_count, 0) as speech_count,
    coalesce(measured.word_count, 0) as word_count,
    panels.panel_size,
    coalesce(ballots.ballot_count, 0) as ballot_count,
    coalesce(results.has_house_ranks, false) as has_house_ranks,
    coalesce(results.score_count, 0) as score_count,
    removals.debate_id is null as is_judged,
    removals.removal_rule,
    coalesce(removals.removal_reason, removals.removal_rule) as removal_reason,
    {{ parliamentary_hash('measured.debate_hash', 'debates.context') }} as debate_hash
from debates
inner join datasets using (dataset_id)
left join {{ ref('int_debates_measured') }} as measured using (debate_id)
left join panels using (debate_id)
left join ballots using (debate_id)
left join results using (debate_id)
left join removals using (debate_id)
