"""What the judge card asks beyond what the bias lab asks."""

from __future__ import annotations

from dashboard.core.data import Answer, ask
from dashboard.debates.queries import Bench
from warehouse.reader import Version


def judge(version: Version, judge_id: str) -> Answer:
    """What a judge is: one row, or none."""
    return ask(version, "select * from dim_judge where judge_id = $judge", judge=judge_id)


def agreement(version: Version, bench: Bench) -> Answer:
    """How far the judge agrees with others asked alike, closest first."""
    return _ask(
        version,
        """
select
    rpt_judge_agreement.*, dim_variant.template, dim_variant.verbalizer, dim_variant.position,
    dim_variant.outcome
from rpt_judge_agreement
left join dim_variant on rpt_judge_agreement.variant_id = dim_variant.variant_id
where rpt_judge_agreement.scope = 'pair'
    and rpt_judge_agreement.dataset_id = $dataset
    and rpt_judge_agreement.experiment = $experiment
    and $judge in (rpt_judge_agreement.judge_a, rpt_judge_agreement.judge_b)
    and (dim_variant.template is null or list_contains($templates, dim_variant.template))
order by rpt_judge_agreement.cohen_kappa desc nulls last, rpt_judge_agreement.judge_a,
    rpt_judge_agreement.judge_b, rpt_judge_agreement.variant_id""",
        bench,
    )


def comparisons(version: Version, bench: Bench) -> Answer:
    """The judge beside other judges and people, the largest difference first."""
    return _ask(
        version,
        """
select
    rpt_verdict_comparison.*, dim_variant.template, dim_variant.verbalizer, dim_variant.position,
    dim_variant.outcome
from rpt_verdict_comparison
left join dim_variant on rpt_verdict_comparison.variant_b = dim_variant.variant_id
where rpt_verdict_comparison.comparison in ('judge', 'human')
    and rpt_verdict_comparison.dataset_id = $dataset
    and rpt_verdict_comparison.experiment = $experiment
    and $judge in (rpt_verdict_comparison.judge_a, rpt_verdict_comparison.judge_b)
    and (dim_variant.template is null or list_contains($templates, dim_variant.template))
order by abs(rpt_verdict_comparison.difference) desc nulls last,
    rpt_verdict_comparison.judge_a, rpt_verdict_comparison.judge_b,
    rpt_verdict_comparison.variant_a, rpt_verdict_comparison.variant_b""",
        bench,
    )


def runs(version: Version, bench: Bench) -> Answer:
    """The judge's runs of the experiment, in the order they were begun."""
    return _ask(
        version,
        """
select *
from rpt_run_health
where experiment = $experiment
    and judge_id = $judge
order by started_at nulls last, run_id""",
        bench,
    )


def _ask(version: Version, sql: str, bench: Bench) -> Answer:
    return ask(version, sql, **bench.parameters, judge=bench.judges[0])
