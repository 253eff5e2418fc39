"""The questions the oversight page puts to the published marts."""

from dataclasses import dataclass
from typing import Any

from dashboard.core.data import Chosen, asking, query


@dataclass(frozen=True)
class Scope(Chosen):
    """What the page shows.

    Attributes:
        judges: Who judges.
        debaters: Who debates; judges without debaters stand beside any.
        protocols: How the question was put to the judge.
        selection: `all`, or `paper` for the rooms of people that the paper's analysis includes.
    """

    dataset_id: str
    judges: tuple[str, ...]
    debaters: tuple[str, ...]
    protocols: tuple[str, ...]
    selection: str = "all"

    @property
    def parameters(self) -> dict[str, Any]:
        """Values for the placeholders that most queries share."""
        return {**super().parameters, "debaters": [*self.debaters, "none"]}


_IN_SCOPE = """dataset_id = $dataset
    and list_contains($judges, judge_id)
    and list_contains($debaters, debater)
    and list_contains($protocols, protocol)"""

# What can be chosen, real data sets first: data set, judge, debater, protocol, rooms.
choices = query("""
select distinct
    rpt_protocol_accuracy.dataset_id,
    coalesce(dim_dataset.title, rpt_protocol_accuracy.dataset_id) as title,
    coalesce(dim_dataset.is_sample, false) as is_sample,
    judge_id, debater, protocol, selection,
    template = 'people' and not is_pooled as is_one_person
from rpt_protocol_accuracy
left join dim_dataset using (dataset_id)
order by is_sample, rpt_protocol_accuracy.dataset_id, is_one_person, judge_id, protocol""")

# How often judges are right under each protocol, the best first; debates lead.
# What few readers of the dashboard say comes last: it leads no page.
accuracy = query(f"""
select rpt_protocol_accuracy.*, ranks.rank_low, ranks.rank_high, ranks.n_ranked
from rpt_protocol_accuracy
left join (
    select dataset_id, judge_id, variant_id, rank_low, rank_high, n_ranked
    from rpt_judge_ranks
    where measure = 'protocol_accuracy'
) as ranks using (dataset_id, judge_id, variant_id)
where {_IN_SCOPE}
    and selection = $selection
    and is_main_order
order by
    mode = 'dashboard', list_position(['debate', 'consultancy', 'expert', 'naive'], protocol),
    not is_pooled, not is_headline, debater_kind = 'ai', accuracy desc nulls last, judge_id,
    debater, debate_setting, template, mode""")

# Whether stated probabilities mean what they say, in the order of `accuracy`.
calibration = query(f"""
select *
from rpt_calibration
where {_IN_SCOPE}
    and selection = $selection
    and is_main_order
order by
    mode = 'dashboard', list_position(['debate', 'consultancy', 'expert', 'naive'], protocol),
    not is_pooled,
    n_units desc, judge_id, debater, debate_setting, template, mode""")

# Bins of stated probabilities with what came true, for the likelier answer.
reliability = query(f"""
select rpt_reliability_bins.*
from rpt_reliability_bins
semi join (
    select * from rpt_calibration where is_main_order
) as main using (
    judge_id, dataset_id, protocol, debater, debater_kind, debate_setting, is_interactive, mode,
    template, asked_for, answer_order, selection
)
where {_IN_SCOPE}
    and selection = $selection
    and event = 'max_p'
order by judge_id, protocol, debater, debate_setting, template, mode, bin""")

# Models beside the people who judged the same debates after the same rounds.
against_people = asking(
    "rpt_judge_against_people",
    "judge_id, protocol, debater, people_mode, moment <> 'verdict', moment, honesty, measure",
    f"{_IN_SCOPE} and selection = $selection",
)

# Belief in the right answer after each round, both orders of answers together where known.
beliefs = query(f"""
select *
from rpt_belief_steps
where {_IN_SCOPE}
    and selection = $selection
qualify answer_order = first_value(answer_order) over (
    partition by judge_id, protocol, debater, debate_setting, template, mode, asked_for
    order by list_position(['both', 'shown', '01', '10'], answer_order)
)
order by
    judge_id, list_position(['debate', 'consultancy'], protocol), mode <> 'live', debater,
    debate_setting, template, mode, answer_order,
    list_position(['all', 'honest', 'dishonest'], honesty), step""")

# What moves judges beside the truth, the largest effect first.
biases = query(f"""
select *
from rpt_judge_biases_oversight
where {_IN_SCOPE}
order by
    row_number() over (partition by effect order by abs(estimate) desc nulls last), effect,
    judge_id, protocol, debater""")

# How often a vote of k judges is right; judges are all there are, whoever is in view.
ensembles = asking(
    "rpt_judge_ensemble",
    "protocol, debater, debate_setting, template, asked_for, k",
    """dataset_id = $dataset
    and list_contains($debaters, debater)
    and list_contains($protocols, protocol)""",
)

# Which rule removed how many questions before they could be debated.
funnel = query("select * from rpt_reading_funnel where dataset_id = $dataset order by rule_order")

# Fields of debaters that are rated together, those with the most debates first.
fields = query("""
select * exclude (contests)
from (
    select
        field_id, dataset_id, judge_id, judge_template, asked_for, debate_setting,
        is_interactive, sum(n_contests) as contests
    from rpt_debater_rating
    where dataset_id = $dataset and argued = 'both'
        and (list_contains($judges, judge_id) or judge_id in ('human', 'people'))
    group by all
)
order by contests desc, field_id""")

# Ratings of the debaters of one field, the most persuasive first.
ratings = query("""
select *
from rpt_debater_rating
where field_id = $field
order by list_position(['both', 'right', 'wrong'], argued), rating desc nulls last, debater_id""")

# How often judges of each debater of a field are right, beside its rating.
rating_accuracy = asking(
    "rpt_rating_accuracy", "rating desc nulls last, debater_id", "field_id = $field"
)

# The lines through the debaters of a field.
slopes = query("select * from rpt_rating_slope where field_id = $field order by outcome")

# The line of accuracy on rating of each field of the judges in view, largest field first.
dataset_slopes = asking(
    "rpt_rating_slope",
    "slope is null, n_debaters desc, n_units desc, field_id",
    """dataset_id = $dataset and outcome = 'judge_accuracy'
    and (list_contains($judges, judge_id) or judge_id in ('human', 'people'))""",
)

# What else moves the judge of a field, in points of rating.
rating_terms = query("select * from rpt_rating_terms where field_id = $field order by term")

# How often each debater of a field wins for the right and for the wrong answer.
persuasiveness = query("""
select *
from rpt_persuasiveness
where field_id = $field and list_contains($protocols, protocol)
order by protocol desc, win_share desc nulls last, debater_id""")

# Every round of the tournaments of a data set, the last one first.
tournaments = asking(
    "rpt_tournament",
    "tournament, judge_id, field_id, tournament_round desc, standing, debater_id",
    """dataset_id = $dataset
    and (list_contains($judges, judge_id) or judge_id in ('human', 'people'))""",
)

# How debaters use quotes, both sides together first.
quotes = asking(
    "rpt_quote_use",
    "argued <> 'both', verified_share desc nulls last, debater_id, protocol, argued",
    "dataset_id = $dataset and list_contains($protocols, protocol)",
)
