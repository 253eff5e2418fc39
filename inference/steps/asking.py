"""Prompts of pipelines, sent by the runner: with its journal, pace, retries, budget and resume.

A folder has one journal, which several models and several owners may share. A reply is found by
`request_id_of` the model and the prompt, in lines of the runner and in the `reply` lines that
earlier versions wrote, and no prompt that has one is sent again. What was sent counts for the
budget of the owner whose `run` line stands before it.
"""

import asyncio
import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from inference.errors import FINAL_KINDS, BadSettings, NoReplyYet, RunInterrupted
from inference.journal import FILE_NAME, read_journal
from inference.judges import make_judge
from inference.judges.base import Judge
from inference.judges.request import Request
from inference.kinds.prompts import PROMPTS, PromptText, Sampling
from inference.plan import PlannedRun
from inference.prices import Price, as_dollars, load_prices
from inference.registry import JudgeSpec, spec_for
from inference.runner import run_planned
from inference.runs.history import OwnAnswers, add_line
from inference.runs.limits import Budget
from inference.runs.lines import REPLY
from inference.runs.stopping import StopSignals
from inference.runs.terms import Terms
from inference.tally import Progress, Tally
from inference.templates import Template

# The decoding of a model that is to give the same reply again, with room for twenty words of
# polarity or the sentences of a justification.
GREEDY: Mapping[str, float] = {"temperature": 0.0, "top_p": 1.0, "max_tokens": 2048}
_TEMPLATE = Template("prompt", "prompt", "custom", "", "", is_justified=False, scale=None)


class Answered(NamedTuple):
    """Reply to a prompt, or the reason why there will never be one."""

    text: str
    failure: str | None = None


# Returns the replies to prompts, in their order.
Ask = Callable[[Sequence[str]], list[Answered]]


@dataclass(frozen=True)
class Model:
    """A model with the decoding settings of a step.

    Attributes:
        identity: What decides its replies besides the prompt.
        price: Price of its tokens; None if it is unknown.
    """

    spec: JudgeSpec
    judge: Judge
    identity: str
    decoding: Mapping[str, float]
    price: Price | None = None

    def request(self, prompt: str) -> Request:
        """Return the request that sends a prompt."""
        chosen = Sampling(self.decoding.get("temperature", 0.0), self.decoding.get("top_p", 1.0))
        return Request(
            PROMPTS, PromptText(prompt), chosen, _TEMPLATE, 0, prompt, decoding=self.decoding
        )

    def most_usd(self, prompt: str) -> float | None:
        """Return the most that a prompt can cost; None where no price is known."""
        if self.price is None:
            return None
        return Terms.of(self.spec, self.price, None).most_usd(self.request(prompt))


def open_model(
    judge_id: str,
    judges_file: Path | None = None,
    prices_file: Path | None = None,
    environ: Mapping[str, str] | None = None,
    decoding: Mapping[str, float] = GREEDY,
) -> Model:
    """Return a model by its judge id.

    Raises:
        UnknownJudge: The id cannot be used.
        BadSettings: It takes its requests in bulk, or its settings are wrong.
    """
    spec, prices = spec_for(judge_id, judges_file, environ), load_prices(prices_file)
    judge = make_judge(spec, None, environ, prices)
    if hasattr(judge, "ask_many"):
        raise BadSettings(
            f"steps: '{judge_id}' takes its requests in bulk, and each step needs the replies of "
            "the one before; use a judge that answers at once"
        )
    identity = f"{judge_id} {spec.settings_hash} {json.dumps(dict(decoding), sort_keys=True)}"
    return Model(spec, judge, identity, decoding, prices.price_for(spec))


def request_id_of(identity: str, prompt: str) -> str:
    """Return the id of a prompt's request in its journal."""
    return hashlib.sha256(f"{identity}\n{prompt}".encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True)
class Replies:
    """Replies of a model, in the journal of a folder. Called with prompts.

    Attributes:
        owner: Name in the journal of the pipeline that asks, whose budget holds.
        budget_usd: The most that the owner may spend over all starts; None for no limit.
        spent_file: File in which earlier versions wrote what the owner had spent.
    """

    model: Model
    folder: Path
    owner: str
    budget_usd: float | None = None
    spent_file: Path | None = None
    progress: Callable[[Progress], None] = field(default=lambda _: None)

    def __call__(self, prompts: Sequence[str]) -> list[Answered]:
        """Return the replies to prompts, in their order, asking only for those not in the journal.

        Raises:
            NoReplyYet: There is no reply to one now, or the budget is used up.
            RunInterrupted: A signal came; what was replied is kept.
        """
        ids = [request_id_of(self.model.identity, prompt) for prompt in prompts]
        requests = dict(zip(ids, map(self.model.request, prompts), strict=True))
        answered, _ = self.read(requests)
        if len(answered) < len(requests):
            status, spent_usd = self._run(requests)
            answered, errors = self.read(requests)
            if len(answered) < len(requests):
                raise self._no_reply(status, spent_usd, next(iter(errors.values()), "not sent"))
        return [answered[each] for each in ids]

    def read(self, wanted: Mapping[str, Any]) -> tuple[dict[str, Answered], dict[str, str]]:
        """Return the replies in the journal, and the errors of other requests, by request id."""
        answered: dict[str, Answered] = {}
        errors: dict[str, str] = {}
        for line in _lines(self.folder):
            request_id = str(line.get("request_id"))
            if request_id not in wanted or line["kind"] not in (REPLY, "answer"):
                continue
            error_kind = line.get("error_kind")
            if error_kind is None and line.get("finish_reason") == "length":
                most = self.model.decoding.get("max_tokens", 0)
                words = f"cut: the reply has more than {most:g} tokens; raise max_tokens"
                answered[request_id] = Answered("", words)
            elif error_kind is None:
                answered[request_id] = Answered(line["response"] or "")
            else:
                errors[request_id] = f"{error_kind}: {line.get('error')}"
                if error_kind in FINAL_KINDS:
                    answered.setdefault(request_id, Answered("", errors[request_id]))
        return answered, {name: error for name, error in errors.items() if name not in answered}

    def _run(self, requests: Mapping[str, Request]) -> tuple[str, float]:
        """Send what has no reply, and return the run's status and the owner's spending."""
        model, limit = self.model, self.budget_usd
        if limit is None and model.price is not None:
            # Without a limit, too, the journal keeps what a request may have cost at most.
            limit = math.inf
        terms = Terms.of(model.spec, model.price, limit)
        budget = Budget(limit, spent_before(self.spent_file) + self._charged_usd(terms, requests))
        header = {
            "run_id": self.owner,
            "judge_id": model.spec.judge_id,
            "settings": model.spec.settings,
            "settings_hash": model.spec.settings_hash,
            "decoding": dict(model.decoding),
            "planned": len(requests),
            "code_version": version("rostrum"),
        }
        plan = PlannedRun(self.folder.name, model.judge, requests, header, is_fresh=True)
        tally = Tally(len(requests), self.progress)
        with StopSignals() as stop:
            running = run_planned(plan, model.spec, terms, budget, self.folder.parent, tally, stop)
            status = asyncio.run(running)
        if status == "interrupted":
            raise RunInterrupted(
                f"steps: stopped by a signal; the replies of '{model.spec.judge_id}' so far are "
                "kept, do the same again to go on"
            )
        return status, budget.state[0]

    def _charged_usd(self, terms: Terms, requests: Mapping[str, Request]) -> float:
        """Return what earlier starts of the owner may have cost, by the journal."""
        own, is_own = OwnAnswers(), False
        for line in _lines(self.folder):
            if line["kind"] == "run":
                is_own = line.get("run_id") == self.owner
            if is_own:
                add_line(own, line)
        return terms.charged_usd(self.model.judge, requests, own)

    def _no_reply(self, status: str, spent_usd: float, error: str) -> NoReplyYet:
        if status == "over_budget":
            return NoReplyYet(
                f"stopped before passing the budget of ${self.budget_usd:g} "
                f"({as_dollars(spent_usd)} spent); what was replied is kept, go on with a higher "
                "--budget"
            )
        return NoReplyYet(
            f"'{self.model.spec.judge_id}' gave no reply ({error}); do the same again, it goes on "
            "from the replies that are kept"
        )


def spent_before(file: Path | None) -> float:
    """Return what an earlier version's file states as spent; 0 without such a file.

    Raises:
        BadSettings: The file is damaged.
    """
    if file is None or not file.exists():
        return 0.0
    try:
        spent = float(json.loads(file.read_text(encoding="utf-8"))["usd"])
    except (OSError, ValueError, KeyError, TypeError):
        spent = math.nan
    if not math.isfinite(spent):
        raise BadSettings(
            f"steps: {file} does not state what was spent; restore it, or remove it to begin at 0"
        )
    return max(0.0, spent)


def _lines(folder: Path) -> Sequence[dict[str, Any]]:
    path = folder / FILE_NAME
    return list(read_journal(path)) if path.is_file() else ()
