"""The questions the pages about verdicts put to the published marts."""

from dataclasses import dataclass

from dashboard.core.data import Answer, Chosen, ask, asking, query
from warehouse.reader import Version


@dataclass(frozen=True)
class Bench(Chosen):
    """What the bias lab shows.

    Attributes:
        experiment: Experiment; 'human' for people as judges.
        judges: Judges in view.
        templates: Prompts in view, never pooled.
        outcomes: Whether the winner or the loser was asked for.
    """

    dataset_id: str
    experiment: str
    judges: tuple[str, ...]
    templates: tuple[str, ...]
    outcomes: tuple[str, ...]


@dataclass(frozen=True)
class Side:
    """One judge asked in one way, in one experiment."""

    experiment: str
    dataset_id: str
    judge_id: str
    variant_id: str


_OF_BENCH = """dataset_id = $dataset
    and experiment = $experiment
    and list_contains($judges, judge_id)
    and list_contains($templates, template)
    and list_contains($outcomes, outcome)"""
_BY_WAY = "judge_id, template, verbalizer, position, outcome desc"

# What can be chosen: data set, experiment, judge, prompt, outcome; the default first.
# Real data sets come before samples, and a paper's printed figures last.
choices = query("""
with asked as (
    select experiment, dataset_id, judge_id, template, outcome from rpt_verdict_accuracy
    union
    select experiment, dataset_id, judge_id, template, outcome from rpt_order_bias
    union
    select experiment, dataset_id, judge_id, template, outcome from rpt_stance_bias
),
sizes as (
    select experiment, dataset_id, count(distinct judge_id) as judge_count from asked group by all
)
select
    asked.*,
    sizes.judge_count,
    coalesce(dim_dataset.title, asked.dataset_id) as title,
    coalesce(dim_dataset.is_sample, false) as is_sample,
    starts_with(asked.dataset_id, 'published:') as is_published
from asked
inner join sizes using (experiment, dataset_id)
left join dim_dataset using (dataset_id)
order by
    is_published, is_sample, dataset_id, experiment = 'human', judge_count desc, experiment,
    template, outcome desc, judge_id""")

# Every contrast of the judges in view: tests, then single ways of asking; largest first.
battery = query("""
select
    rpt_bias_battery.*,
    asked_a.verbalizer as verbalizer_a,
    asked_b.verbalizer as verbalizer_b,
    asked_a.position as position_a,
    asked_b.position as position_b
from rpt_bias_battery
left join dim_variant as asked_a on rpt_bias_battery.variant_a = asked_a.variant_id
left join dim_variant as asked_b on rpt_bias_battery.variant_b = asked_b.variant_id
where rpt_bias_battery.dataset_id = $dataset
    and rpt_bias_battery.experiment = $experiment
    and list_contains($judges, rpt_bias_battery.judge_id)
    and list_contains($templates, rpt_bias_battery.template)
    and (
        rpt_bias_battery.outcome is null or list_contains($outcomes, rpt_bias_battery.outcome)
    )
order by
    list_position(['test', 'arm', 'description'], rpt_bias_battery.role),
    abs(rpt_bias_battery.share_change) desc nulls last, rpt_bias_battery.judge_id,
    rpt_bias_battery.template, rpt_bias_battery.bias, rpt_bias_battery.contrast,
    rpt_bias_battery.variant_a nulls first""")

# How often judges name the side people say won, all round counts together, best first.
accuracy = query(f"""
select rpt_verdict_accuracy.*, ranks.rank_low, ranks.rank_high, ranks.n_ranked
from rpt_verdict_accuracy
left join (
    select dataset_id, experiment, judge_id, variant_id, rank_low, rank_high, n_ranked
    from rpt_judge_ranks
    where measure = 'accuracy'
) as ranks using (dataset_id, experiment, judge_id, variant_id)
where {_OF_BENCH}
    and round_count is null
order by accuracy desc nulls last, judge_id, template, verbalizer, position, outcome desc""")

# What judges answered on debates each side won, all round counts together.
confusion = asking(
    "rpt_confusion",
    "judge_id, template, verbalizer, position, outcome desc, human_winner desc, predicted",
    f"""{_OF_BENCH}
    and round_count is null""",
)

# Naming Con with Con second against Con first, and fixed against shuffled.
position = asking(
    "rpt_position_bias",
    """contrast <> 'con second - con first', abs(difference) desc nulls last, judge_id,
    template, verbalizer, outcome desc, variant_a""",
    _OF_BENCH,
)

# Naming Con with the labels one way round against the other.
label = asking(
    "rpt_label_bias",
    """abs(difference) desc nulls last, judge_id, template, contrast, position,
    outcome desc, variant_a""",
    _OF_BENCH,
)

# Naming Con where Con speaks last against where Pro does.
order = asking("rpt_order_bias", f"abs(mh_difference) desc nulls last, {_BY_WAY}", _OF_BENCH)

# Naming Con against people's winner; draws of labels and positions first.
stance = asking(
    "rpt_stance_bias",
    f"is_neutralised desc nulls last, abs(difference) desc nulls last, {_BY_WAY}",
    _OF_BENCH,
)

# How much a longer side gains with judges beyond what it gains with people.
verbosity = asking(
    "rpt_verbosity_bias", f"abs(difference_per_ten_pct_words) desc nulls last, {_BY_WAY}", _OF_BENCH
)

# Pro's share of motions argued twice with sides exchanged, the farthest from half first.
side = asking(
    "rpt_side_bias",
    "abs(difference) desc nulls last, judge_id, template, wording, outcome desc",
    """dataset_id = $dataset
    and experiment = $experiment
    and list_contains($judges, judge_id)
    and list_contains($templates, template)
    and list_contains($outcomes, outcome)""",
)

# Pro's share with one judge against another on the same motions, the largest first.
side_pairs = asking(
    "rpt_side_comparison",
    "abs(difference) desc nulls last, judge_a, judge_b, template, wording, outcome desc",
    """dataset_id = $dataset
    and experiment = $experiment
    and list_contains($judges, judge_a)
    and list_contains($judges, judge_b)
    and list_contains($templates, template)
    and list_contains($outcomes, outcome)""",
)

# How often answers on one debate differ, most often first.
consistency = query("""
select
    rpt_self_consistency.*, dim_variant.template, dim_variant.verbalizer, dim_variant.position,
    dim_variant.outcome
from rpt_self_consistency
left join dim_variant on rpt_self_consistency.variant_id = dim_variant.variant_id
where rpt_self_consistency.dataset_id = $dataset
    and rpt_self_consistency.experiment = $experiment
    and list_contains($judges, rpt_self_consistency.judge_id)
order by flip_share desc nulls last, judge_id, kind, rpt_self_consistency.variant_id""")

# What a panel of judges, or asking both ways round, gains over a single verdict.
panels = query("""
select rpt_panel_accuracy.*, dim_variant.template, dim_variant.verbalizer, dim_variant.position,
    dim_variant.outcome
from rpt_panel_accuracy
left join dim_variant on rpt_panel_accuracy.variant_id = dim_variant.variant_id
where rpt_panel_accuracy.dataset_id = $dataset
    and rpt_panel_accuracy.experiment = $experiment
order by difference desc nulls last, panel, panel_name, rpt_panel_accuracy.variant_id""")

# Runs of verdicts by the share of answers that could not be read, largest first.
unparsed = query("""
select judge_id, template, run_id, unparsed_share, unparsed_share_low, unparsed_share_high,
    unparsed_count, answered_count
from rpt_run_health
where run_id in (
    select run_id
    from fct_verdict
    where dataset_id = $dataset
        and experiment = $experiment
        and list_contains($judges, judge_id)
        and list_contains($templates, template)
)
order by unparsed_share desc nulls last, judge_id, run_id""")

# How many debates each rule removed, in order.
funnel = query("""
select rule_order, rule, description, setting, debates_before, removed_count, debates_after
from rpt_filter_funnel
where dataset_id = $dataset
order by rule_order""")

# Verdicts of one judge asked in one way, averaged over repeats as the marts do it.
_UNITS = """
    select
        debate_id,
        count(*) as answer_count,
        count(*) filter (where winner = 'pro') as pro_count,
        count(*) filter (where winner = 'con') as con_count,
        count(*) filter (where winner = 'tie') as tie_count,
        count(*) filter (where request_status <> 'answered') as unanswered_count,
        count(*) filter (where request_status = 'answered' and winner is null) as unparsed_count,
        case
            when con_count > pro_count then 'con' when pro_count > con_count then 'pro'
        end as verdict
    from fct_verdict
    where is_current
        and not is_stale
        and experiment = $experiment{n}
        and dataset_id = $dataset{n}
        and judge_id = $judge{n}
        and variant_id = $variant{n}
    group by debate_id"""

_DEBATES = """
with unit_a as ({units_a}
){and_b}
select
    dim_debate.debate_id,
    dim_debate.motion,
    dim_debate.human_winner,
    dim_debate.end_side,
    dim_debate.round_count,
    dim_debate.words_pro,
    dim_debate.words_con,
    unit_a.verdict as verdict_a,
    unit_a.answer_count as answer_count_a,
    unit_a.con_count as con_count_a{columns_b}
from unit_a{join_b}
inner join dim_debate on unit_a.debate_id = dim_debate.debate_id
where {condition}
order by dim_debate.debate_id"""
# What the second judge of a cell adds to the query.
_SECOND = {
    "{and_b}": """,
unit_b as ({units_b}
)""",
    "{columns_b}": """,
    unit_b.verdict as verdict_b,
    unit_b.answer_count as answer_count_b,
    unit_b.con_count as con_count_b""",
    "{join_b}": """
inner join unit_b on unit_a.debate_id = unit_b.debate_id""",
}


def debates(version: Version, condition: str, first: Side, second: Side | None) -> Answer:
    """Debates in one cell of a table.

    Args:
        condition: SQL over `unit_a`, `unit_b` and `dim_debate`; from `evidence.CELLS`.
        first: Whose verdicts `unit_a` holds.
        second: Whose verdicts `unit_b` holds; none for a cell of one judge.
    """
    sql = _DEBATES
    for part, text in (
        *((part, text if second else "") for part, text in _SECOND.items()),
        ("{units_a}", _UNITS.replace("{n}", "_a")),
        ("{units_b}", _UNITS.replace("{n}", "_b")),
        ("{condition}", condition),
    ):
        sql = sql.replace(part, text)
    return ask(version, sql, **_of_side(first, "a"), **(_of_side(second, "b") if second else {}))


def _of_side(side: Side, name: str) -> dict[str, str]:
    return {
        f"experiment_{name}": side.experiment,
        f"dataset_{name}": side.dataset_id,
        f"judge_{name}": side.judge_id,
        f"variant_{name}": side.variant_id,
    }


# One debate: motion, winner by people, who closes, lengths.
debate = query("select * from dim_debate where debate_id = $debate")

# The turns of a debate, loaded when it is read.
transcript = query("""
select item_id, speech_order, round, side, speaker, text, word_count
from dim_item
where debate_id = $debate
order by speech_order nulls last, item_id""")

# Every verdict on a debate, those that count first.
verdicts = query("""
select
    fct_verdict.response_id, fct_verdict.run_id, fct_verdict.experiment, fct_verdict.judge_id,
    fct_verdict.variant_id, fct_verdict.template, dim_variant.verbalizer, dim_variant.position,
    fct_verdict.outcome, fct_verdict.sample, fct_verdict.winner, fct_verdict.p_pro,
    fct_verdict.answer_status, fct_verdict.parse_reason, fct_verdict.is_current,
    fct_verdict.is_stale, fct_verdict.answered_at
from fct_verdict
left join dim_variant on fct_verdict.variant_id = dim_variant.variant_id
where fct_verdict.debate_id = $debate
order by is_current desc, judge_id, template, verbalizer, position, outcome, sample, answered_at""")
