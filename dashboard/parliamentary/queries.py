"""The questions the page of parliamentary debates puts to the published marts."""

from dataclasses import dataclass

from dashboard.core.data import Chosen, asking, query

# As many as `debates` returns.
DEBATES_LISTED = 500


@dataclass(frozen=True)
class Room(Chosen):
    """What the page shows.

    Attributes:
        settings: Judges in view, each asked in the one way that was chosen.
    """

    dataset_id: str
    settings: tuple[str, ...]


_IN_VIEW = "list_contains($settings, setting_id)"

# What can be chosen: data set, way of asking, judge; the default first.
# Real data sets come before samples; the way most judges were asked comes first, then all tasks at
# once.
choices = query("""
with ways as (
    select
        dim_adjudication_setting.*,
        count(*) over (
            partition by
                dataset_id, template, task, house_order, manual, strategy, has_motion,
                has_info_slide
        ) as judge_count
    from dim_adjudication_setting
)
select
    ways.*,
    coalesce(dim_dataset.title, ways.dataset_id) as title,
    coalesce(dim_dataset.is_sample, false) as is_sample
from ways
left join dim_dataset using (dataset_id)
order by
    is_sample, dataset_id, judge_count desc, task <> 'all', house_order <> 'og-oo-cg-co',
    strategy <> 'whole', has_motion desc, has_info_slide desc, template, task, house_order, manual,
    judge_id""")

# Every measure of every judge in view, beside what chance gives on the same debates.
measures = query("""
with every_measure as (
    select 'house_ranks' as about, * from rpt_bp_verdict
    union all by name
    select 'speaker_scores' as about, * from rpt_bp_speaker_scores
    union all by name
    select 'speaker_ranks' as about, * from rpt_bp_speaker_ranks
)
select every_measure.*, ranks.rank_low, ranks.rank_high, ranks.n_ranked
from every_measure
left join (
    select settings.setting_id, dimension as about, measure, rank_low, rank_high, n_ranked
    from rpt_judge_ranks
    inner join dim_adjudication_setting as settings using (dataset_id, judge_id, variant_id)
) as ranks using (setting_id, about, measure)
where list_contains($settings, setting_id)
order by
    list_position(['house_ranks', 'speaker_scores', 'speaker_ranks'], about),
    list_position(['mean_rank_difference', 'mae', 'sum_rank_difference', 'rmse', 'bias'], measure)
        nulls last, measure,
    if(better = 'higher', -value, value) nulls last, judge_id""")

# What can be had without reading a word: chance, the mean, the speaking order, people.
# On the debates that the judges in view were read on, judges with the same debates together, and
# on all with a result.
guessing = query("""
with mine as (
    select rpt_bp_guessing.*, dim_adjudication_setting.judge_id
    from rpt_bp_guessing
    left join dim_adjudication_setting
        on rpt_bp_guessing.setting_id = dim_adjudication_setting.setting_id
    where rpt_bp_guessing.dataset_id = $dataset
        and (
            rpt_bp_guessing.setting_id is null
            or list_contains($settings, rpt_bp_guessing.setting_id)
        )
),
grounds as (
    select
        dataset_id, task, baseline, measure,
        any_value(value) as value, any_value(value_low) as value_low,
        any_value(value_high) as value_high,
        better, n_units, n_undefined, n_answers, null_reason,
        list_sort(list(setting_id) filter (setting_id is not null)) as setting_ids,
        string_agg(judge_id, ', ' order by judge_id) as judges
    from mine
    -- Sums of the same debates may differ in their last digit.
    group by
        dataset_id, task, baseline, measure, round(value, 9), round(value_low, 9),
        round(value_high, 9), better, n_units, n_undefined, n_answers, null_reason,
        setting_id is null
)
select *
from grounds
order by
    judges is null, n_units desc, judges,
    list_position(['house_ranks', 'speaker_scores', 'speaker_ranks'], task), measure,
    list_position(
        ['uniform_random', 'always_mean', 'speaking_order', 'human_adjudicator'], baseline
    )""")

# Share of speeches whose score is within 0 to 10 points of the official one.
tolerance = asking("rpt_bp_tolerance", "judge_id, tolerance", _IN_VIEW)

# How often a house that the panel put on one rank was put on each by the judge.
confusion = asking("rpt_bp_house_confusion", "judge_id, official_rank, predicted_rank", _IN_VIEW)

# Given beside official scores, to half a point, with how many speeches share each pair.
score_points = query("""
select
    setting_id, any_value(judge_id) as judge_id, round(official * 2) / 2 as official,
    round(predicted * 2) / 2 as given, count(*) as speech_count
from fct_adjudication_value
inner join dim_adjudication_setting using (setting_id)
where list_contains($settings, setting_id)
    and fct_adjudication_value.task = 'speaker_scores'
    and predicted is not null
    and official is not null
group by setting_id, round(official * 2) / 2, round(predicted * 2) / 2
qualify row_number() over (partition by setting_id order by speech_count desc) <= 1500
order by judge_id, official, given""")

# Violations of the stated form, and contradictions, the most frequent first.
faults = asking("rpt_bp_faults", "share desc nulls last, judge_id, fault", _IN_VIEW)

# What the judges in view favour beside the panel, the largest effect first.
# What compares orders of the houses belongs to several settings of a judge, and to none.
bias = query("""
with mine as (
    select * from dim_adjudication_setting where list_contains($settings, setting_id)
)
select *
from rpt_bp_bias
where list_contains($settings, setting_id)
    or (setting_id is null and exists (
        select 1
        from mine
        where mine.judge_id = rpt_bp_bias.judge_id
            and mine.dataset_id = rpt_bp_bias.dataset_id
            and mine.template = rpt_bp_bias.template
            and mine.task = rpt_bp_bias.task
            and mine.manual = rpt_bp_bias.manual
            and mine.strategy = rpt_bp_bias.strategy
            and mine.has_motion = rpt_bp_bias.has_motion
            and mine.has_info_slide = rpt_bp_bias.has_info_slide
    ))
order by outcome, abs(estimate) desc nulls last, effect, judge_id""")

# Error against tokens in context: a slope, and bins of debates of like length.
context = asking("rpt_context_length", "measure, part desc, judge_id, bin", _IN_VIEW)

# Which row of results each transcript belongs to; what asks for a look comes first.
matches = asking(
    "rpt_bp_transcript_match",
    "list_position(['ambiguous', 'missing', 'matched'], status), match_order",
    "dataset_id = $dataset",
)

# How the requests of the judges in view came out.
statuses = query("""
with counted as (
    select *, parsed_count + partly_count + unparsed_count as reply_count
    from dim_adjudication_setting
    where list_contains($settings, setting_id)
)
select *, unparsed_count / nullif(reply_count, 0) as unparsed_share
from counted
order by unparsed_share desc nulls last, judge_id""")

# The debates of the data set, those on which houses are farthest from the panel first.
debates = query("""
with answered as (
    select
        debate_id,
        sum(abs(difference)) filter (task = 'house_ranks') as house_difference_sum,
        count(difference) filter (task = 'house_ranks') as house_values,
        sum(abs(difference)) filter (task = 'speaker_scores') as score_difference_sum,
        count(difference) filter (task = 'speaker_scores') as speech_values
    from fct_adjudication_value
    where list_contains($settings, setting_id)
    group by debate_id
)
select dim_parliamentary_debate.*, answered.* exclude (debate_id)
from dim_parliamentary_debate
left join answered using (debate_id)
where dim_parliamentary_debate.dataset_id = $dataset
order by house_difference_sum desc nulls last, score_difference_sum desc nulls last, debate_id
limit 500""")

# One debate.
debate = query("select * from dim_parliamentary_debate where debate_id = $debate")

# What the judges in view answered on one debate.
answers = query("""
select *
from fct_adjudication
where debate_id = $debate and list_contains($settings, setting_id)
order by judge_id, sample""")

# What one answer gives to each house and speaker, beside the panel.
places = query("""
select *
from fct_adjudication_value
where debate_id = $debate and setting_id = $setting and sample = $sample
order by
    task,
    list_position(
        ['og', 'oo', 'cg', 'co', 'pm', 'lo', 'dpm', 'dlo', 'mg', 'mo', 'gw', 'ow'], place
    )""")

# The eight speeches, loaded when the debate is read.
speeches = query("""
select item_id, speech_order, lower(round) as role, speaker, text, word_count
from dim_item
where debate_id = $debate
order by speech_order nulls last, item_id""")
