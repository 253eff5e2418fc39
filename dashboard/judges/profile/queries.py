"""What a judge's profile asks of the published marts, each for one judge or for two."""

from dashboard.core.data import query

WORST_PER_TASK = 25

# Whoever has a profile: every judge, and everybody the marts know by another name.
# Those of whom more is estimated, on more subjects, come first.
judges = query("""
with estimated as (
    select
        judge_id,
        count(distinct subject) filter (subject not in ('core', 'decision')) as subject_count,
        count(*) as estimate_count
    from fct_estimate
    where judge_id is not null and judge_id <> 'all'
    group by judge_id
),
known as (
    select judge_id from dim_judge
    union
    select judge_id from estimated
    union
    select annotator_id from rpt_rater_quality
    union
    select debater_id from rpt_debater_rating
    union
    select debater_id from rpt_persuasiveness
    union
    select debater_id from rpt_quote_use
    union
    select speaker_id from rpt_speaker_comparison
    union
    select evaluator_id from rpt_metric_alignment
    union
    select judge_b from rpt_judge_agreement
    union
    select judge_id from fct_oversight_judgement
)
select
    known.judge_id, dim_judge.judge_kind, dim_judge.provider, dim_judge.model, dim_judge.family,
    dim_judge.size_b_params, dim_judge.settings, dim_judge.settings_hash, dim_judge.members,
    dim_judge.judge_id is null and known.judge_id in (select annotator_id from rpt_rater_quality)
        as is_rater
from known
left join dim_judge on known.judge_id = dim_judge.judge_id
left join estimated on known.judge_id = estimated.judge_id
where known.judge_id is not null
order by
    dim_judge.judge_kind = 'human' nulls last, estimated.subject_count desc nulls last,
    estimated.estimate_count desc nulls last,
    known.judge_id""")

# Estimates of judges, of raters and of those whose debates and speeches were judged.
estimates = query("""
with named as (
    select
        *,
        (setting->>'template') as asked_template,
        (setting->>'compared_with') as compared_with,
        (setting->>'min_shared_items') as min_shared_items,
        (population->>'dimension') as dimension,
        (population->>'source') as source,
        coalesce(
            (setting->>'annotator_id'), (setting->>'debater_id'),
            case when measure = 'speaker_comparison_difference' then (population->>'source') end,
            judge_id
        ) as whose,
        coalesce((setting->>'evaluator_id'), judge_id) as judged_by
    from fct_estimate
    where list_contains($measures, measure)
        and (setting->>'convention') is null
        and (population->>'round_count') is null
        and coalesce((population->>'scope'), 'overall') in ('overall', 'within_question')
        and coalesce((population->>'selection'), 'all') = 'all'
        and coalesce((setting->>'min_shared_items'), '50') = '50'
        and coalesce((setting->>'answer_order'), 'both') = 'both'
        and coalesce((setting->>'method'), 'none') = 'none'
        and (setting->>'variant_b') is null
        and ((setting->>'bias') is null or (setting->>'variant_a') is null)
),
people as (
    select measure, dataset_id, dimension, compared_with, value, low, high
    from named
    where whose = 'human'
        and measure in ('mean_kappa', 'tau_c', 'verdict_people_agreement')
),
beside as (
    select
        replace(replace(measure, 'tau_c_minus_human', 'tau_c'), 'kappa_minus_human', 'mean_kappa')
            as measure,
        dataset_id, population, setting, judge_id, value, low, high
    from named
    where measure in ('tau_c_minus_human', 'kappa_minus_human')
)
select
    named.*,
    coalesce(
        dim_variant.template, dim_adjudication_setting.template, dim_answer_setting.template,
        named.asked_template
    ) as template,
    dim_variant.verbalizer, dim_variant.position, dim_variant.outcome,
    dim_adjudication_setting.task, dim_adjudication_setting.house_order,
    dim_adjudication_setting.manual, dim_adjudication_setting.strategy,
    dim_adjudication_setting.has_motion, dim_adjudication_setting.has_info_slide,
    dim_answer_setting.retrieval,
    coalesce(
        dim_variant.template, first(dim_variant.template) over (
            partition by named.whose, named.dataset_id, named.experiment
            order by dim_variant.template nulls last
        )
    ) as opened_template,
    people.value as people, people.low as people_low, people.high as people_high,
    beside.value as above_people, beside.low as above_people_low, beside.high as above_people_high,
    coalesce(dim_dataset.title, named.dataset_id) as title,
    coalesce(dim_dataset.is_sample, false) as is_sample
from named
left join dim_variant on (named.setting->>'variant_id') = dim_variant.variant_id
left join dim_adjudication_setting
    on (named.setting->>'setting_id') = dim_adjudication_setting.setting_id
left join dim_answer_setting on (named.setting->>'setting_id') = dim_answer_setting.setting_id
left join people
    on named.measure = people.measure
    and named.dataset_id = people.dataset_id
    and named.dimension is not distinct from people.dimension
    and named.compared_with is not distinct from people.compared_with
    and named.whose <> 'human'
left join beside
    on named.measure = beside.measure
    and named.dataset_id = beside.dataset_id
    and named.population = beside.population
    and named.setting = beside.setting
    and named.judge_id = beside.judge_id
left join dim_dataset on named.dataset_id = dim_dataset.dataset_id
where list_contains($judges, named.whose)
    and named.measure not in ('tau_c_minus_human', 'kappa_minus_human')
order by
    is_sample, named.dataset_id, named.experiment, named.dimension, named.population,
    template nulls first, dim_variant.verbalizer, dim_variant.position desc, dim_variant.outcome,
    named.setting, named.whose""")

# How far judges agree with others asked alike, closest first.
agreement = query("""
select
    rpt_judge_agreement.*, dim_variant.template, dim_variant.verbalizer, dim_variant.position,
    dim_variant.outcome
from rpt_judge_agreement
left join dim_variant on rpt_judge_agreement.variant_id = dim_variant.variant_id
where rpt_judge_agreement.scope = 'pair'
    and (
        list_contains($judges, rpt_judge_agreement.judge_a)
        or list_contains($judges, rpt_judge_agreement.judge_b)
    )
order by rpt_judge_agreement.cohen_kappa desc nulls last, rpt_judge_agreement.judge_a,
    rpt_judge_agreement.judge_b, rpt_judge_agreement.variant_id""")

# Judges beside other judges and people, on the same debates; the largest difference first.
comparisons = query("""
select
    rpt_verdict_comparison.*, dim_variant.template, dim_variant.verbalizer, dim_variant.position,
    dim_variant.outcome
from rpt_verdict_comparison
left join dim_variant on rpt_verdict_comparison.variant_b = dim_variant.variant_id
where rpt_verdict_comparison.comparison in ('judge', 'human')
    and (
        list_contains($judges, rpt_verdict_comparison.judge_a)
        or list_contains($judges, rpt_verdict_comparison.judge_b)
    )
order by abs(rpt_verdict_comparison.difference) desc nulls last,
    rpt_verdict_comparison.judge_a, rpt_verdict_comparison.judge_b,
    rpt_verdict_comparison.variant_a, rpt_verdict_comparison.variant_b""")

# What judges answered on debates each side won, all round counts together.
confusion = query("""
select *
from rpt_confusion
where list_contains($judges, judge_id)
    and round_count is null
order by dataset_id, experiment, judge_id, template, verbalizer, position, outcome desc,
    human_winner desc, predicted""")

# Requests without a result by kind, and faults within answers; the largest share first.
failures = query("""
select
    dim_run.experiment, rpt_failures.judge_id, rpt_failures.answer_status as kind,
    rpt_failures.failure_count as n, rpt_failures.request_count as n_of, rpt_failures.share,
    rpt_failures.share_low, rpt_failures.share_high, 'requests' as of_what,
    rpt_failures.run_id
from rpt_failures
left join dim_run on rpt_failures.run_id = dim_run.run_id
where list_contains($judges, rpt_failures.judge_id)
    and rpt_failures.failure_count > 0
    and rpt_failures.answer_status <> 'parsed'
union all
select
    dataset_id as experiment, judge_id, fault as kind, n, n_answers as n_of, share, share_low,
    share_high, 'answers' as of_what, null as run_id
from rpt_bp_faults
where list_contains($judges, judge_id)
    and n > 0
order by share desc nulls last, experiment, judge_id, kind, run_id""")

# Judges' runs, in the order they were begun.
runs = query("""
select *
from rpt_run_health
where list_contains($judges, judge_id)
order by started_at nulls last, run_id""")

# Speeches on which a judge's score is farthest from people's mean.
worst_speeches = query(f"""
select
    rpt_item_disagreement.*, coalesce(dim_item.motion, rpt_item_disagreement.item_id) as motion
from rpt_item_disagreement
left join dim_item on rpt_item_disagreement.item_id = dim_item.item_id
where list_contains($judges, rpt_item_disagreement.judge_id)
qualify row_number() over (
    partition by rpt_item_disagreement.judge_id
    order by
        abs(rpt_item_disagreement.score_minus_human) desc nulls last,
        rpt_item_disagreement.item_id, rpt_item_disagreement.template,
        rpt_item_disagreement.dimension
) <= {WORST_PER_TASK}
order by abs(score_minus_human) desc nulls last, judge_id, item_id, template, dimension""")

# Debates of which a judge most often names the side that people did not.
worst_debates = query(f"""
select
    fct_verdict.judge_id, fct_verdict.dataset_id, fct_verdict.experiment, fct_verdict.debate_id,
    dim_debate.motion, dim_debate.human_winner, min(fct_verdict.template) as template,
    count(*) as n_verdicts,
    count(*) filter (
        fct_verdict.winner in ('pro', 'con') and fct_verdict.winner <> dim_debate.human_winner
    ) as n_against
from fct_verdict
inner join dim_debate on fct_verdict.debate_id = dim_debate.debate_id
where list_contains($judges, fct_verdict.judge_id)
    and fct_verdict.is_current
    and not fct_verdict.is_stale
    and dim_debate.human_winner in ('pro', 'con')
    and fct_verdict.winner is not null
group by
    fct_verdict.judge_id, fct_verdict.dataset_id, fct_verdict.experiment, fct_verdict.debate_id,
    dim_debate.motion, dim_debate.human_winner
having n_against > 0
qualify row_number() over (
    partition by fct_verdict.judge_id
    order by
        n_verdicts - n_against, n_against desc, fct_verdict.experiment, fct_verdict.debate_id
) <= {WORST_PER_TASK}
order by n_verdicts - n_against, n_against desc, judge_id, experiment, debate_id""")

# Questions on stories of which a judge gives the right answer the least probability.
worst_stories = query(f"""
select
    fct_oversight_judgement.judge_id, fct_oversight_judgement.dataset_id,
    fct_oversight_judgement.protocol, fct_oversight_judgement.question_id,
    fct_oversight_judgement.transcript_id, fct_oversight_judgement.debater,
    fct_oversight_judgement.p_right, fct_oversight_judgement.right_score,
    coalesce(dim_reading_question.question, fct_oversight_judgement.question_id) as question
from fct_oversight_judgement
left join dim_reading_question
    on fct_oversight_judgement.question_id = dim_reading_question.question_id
where list_contains($judges, fct_oversight_judgement.judge_id)
    and fct_oversight_judgement.is_headline
    and fct_oversight_judgement.is_final
    and fct_oversight_judgement.right_score < 1
qualify row_number() over (
    partition by fct_oversight_judgement.judge_id
    order by
        fct_oversight_judgement.p_right nulls last, fct_oversight_judgement.right_score,
        fct_oversight_judgement.judgement_id
) <= {WORST_PER_TASK}
order by p_right nulls last, right_score, judge_id, fct_oversight_judgement.judgement_id""")

# Places of parliamentary debates that a judge ranks or scores farthest from the panel.
worst_places = query(f"""
select
    dim_adjudication_setting.*, fct_adjudication_value.debate_id, fct_adjudication_value.place,
    fct_adjudication_value.predicted, fct_adjudication_value.official,
    fct_adjudication_value.difference,
    coalesce(dim_parliamentary_debate.motion, fct_adjudication_value.debate_id) as motion
from fct_adjudication_value
inner join dim_adjudication_setting
    on fct_adjudication_value.setting_id = dim_adjudication_setting.setting_id
left join dim_parliamentary_debate
    on fct_adjudication_value.debate_id = dim_parliamentary_debate.debate_id
where list_contains($judges, dim_adjudication_setting.judge_id)
    and fct_adjudication_value.task = 'house_ranks'
    and fct_adjudication_value.difference <> 0
qualify row_number() over (
    partition by dim_adjudication_setting.judge_id
    order by
        abs(fct_adjudication_value.difference) desc, fct_adjudication_value.debate_id,
        fct_adjudication_value.place, fct_adjudication_value.response_id
) <= {WORST_PER_TASK}
order by abs(difference) desc, judge_id, debate_id, place, fct_adjudication_value.response_id""")

# Whether judges may stand in for people, as it was decided.
replacement = query("""
select rpt_decisions.*, dim_variant.verbalizer, dim_variant.position
from rpt_decisions
left join dim_variant on rpt_decisions.variant_id = dim_variant.variant_id
where rpt_decisions.topic = 'replace' and list_contains($judges, rpt_decisions.judge_id)
order by
    rpt_decisions.judge_id, rpt_decisions.dataset_id, rpt_decisions.task, rpt_decisions.dimension,
    rpt_decisions.experiment, rpt_decisions.template, rpt_decisions.variant_id""")
