"""Who takes part in an experiment's debates besides its own model: opened once, checked before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from inference.errors import UnknownJudge
from inference.judges.base import Judge
from inference.oversight.debating.bounds import Paid
from inference.oversight.debating.play import DebatingJudge
from inference.oversight.debating.prompts import Prompts
from inference.oversight.items import SELF
from inference.registry import spec_for

if TYPE_CHECKING:
    from inference.experiments import Experiment
    from inference.kinds.parts import Resources

_KIND = "transcript"


def debating(judge: Judge, reference_file: Path | None, resources: Resources) -> DebatingJudge:
    """Return the run's judge with everybody whom its plans name.

    Args:
        judge: The judge.
        reference_file: Which answers are right, for simulated judges alone.
        resources: What to have debated, and where others' settings and keys are read.

    Raises:
        BadTemplate: A prompt cannot be used.
        UnknownJudge: Somebody does not exist, or cannot take the role.
    """
    from inference.judges import make_judge

    experiment, spec, prices = resources.experiment, resources.spec, resources.prices
    others: dict[str, Judge] = {}
    paid: dict[str, Paid] = {}
    for judge_id in sorted(_named(experiment) - {SELF, spec.judge_id}):
        other = spec_for(judge_id, resources.judges_file, resources.environ)
        if _KIND not in other.kinds:
            raise UnknownJudge(
                f"judges: '{judge_id}' cannot debate, ask or choose, as experiment "
                f"'{experiment.name}' has it; name a model, or simulated/debater-strong"
            )
        others[judge_id] = make_judge(other, reference_file, resources.environ, prices)
        paid[judge_id] = Paid(other, prices.price_for(other))
    own = Paid(spec, prices.price_for(spec))
    return DebatingJudge(judge, own, others, paid, Prompts.load(resources.prompts_folder))


def _named(experiment: Experiment) -> set[str]:
    """Return the ids the plans name."""
    plans = experiment.arms
    named = {
        judge_id
        for plan in plans
        for judge_id in (plan.opponent, plan.asker, plan.preference_judge)
    }
    return {judge_id for judge_id in named if judge_id is not None}
