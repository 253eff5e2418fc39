"""Counting what a run brings, as it comes."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from inference.errors import JudgeUnavailable
from inference.kinds import kind_of_line
from inference.prices import Spent
from inference.registry import JudgeSpec

# So many failures of one kind in a row, and the next will not be different. A wrong key fails for
# good; a connection has been tried several times already each time it counts here.
GIVE_UP_AFTER: Mapping[str, int] = {
    "authentication": 5,
    "billing": 5,
    "connection": 20,
    "redirected": 5,
}


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes:
        cost_usd: Cost of the new answers so far; None where that of any is unknown.
    """

    done: int
    new: int
    total: int
    failed: int
    errors: Mapping[str, int]
    unparsed: int
    cost_usd: float | None


class Tally:
    """Counts requests by outcome, and says so after each that is new or copied.

    What the run had before is told of together, by `tell`.

    Attributes:
        unparsed: Answers, old and new, without a readable score or verdict, by reason.
        tokens: Of the requests sent now: `tokens_in`, `tokens_cached` and `tokens_out`.
    """

    def __init__(self, total: int, progress: Callable[[Progress], None]) -> None:
        self._total = total
        self._progress = progress
        self._streak_kind: str | None = None
        self._streak = 0
        self.asked = 0
        self.answered = 0
        self.reused = 0
        self.already = 0
        self.errors: Counter[str] = Counter()
        self.unparsed: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()
        self.spent = Spent()

    def add_held(
        self,
        requests: Iterable[str],
        answers: Mapping[str, str | None],
        failures: Mapping[str, str],
    ) -> None:
        """Count the requests that the run had an answer to, or a failure that stands."""
        for request_id in requests:
            if request_id in answers:
                self.already += 1
                self._count(answers[request_id])
            elif request_id in failures:
                self.errors[failures[request_id]] += 1

    def add_reused(self, line: Mapping[str, Any]) -> None:
        """Count an answer copied from another run."""
        self.reused += 1
        self._count(kind_of_line(line).parse(line).reason)
        self.tell()

    def add_new(self, line: Mapping[str, Any], spec: JudgeSpec) -> None:
        """Count what the judge just brought."""
        self.spent.add(line["cost_usd"], line.get("attempts"))
        self.asked += 1
        if line.get("attempts") != 0:
            # A prompt too long for a model on this machine is counted, and not sent.
            for name in ("tokens_in", "tokens_cached", "tokens_out"):
                self.tokens[name] += line.get(name) or 0
        kind = line["error_kind"]
        self._streak = self._streak + 1 if kind == self._streak_kind else 1
        self._streak_kind = kind
        if kind is None:
            self.answered += 1
            self._count(kind_of_line(line).parse(line).reason)
            self.tell()
            return
        self.errors[kind] += 1
        self.tell()
        if self._streak >= GIVE_UP_AFTER.get(kind, self._streak + 1):
            who = line.get("broken_by") or spec.judge_id
            error = JudgeUnavailable(_unavailable(kind, self._streak, line["error"], spec, who))
            error.judge_id = who
            raise error

    def tell(self) -> None:
        """Report the counts so far."""
        failed = self.errors.total()
        self._progress(
            Progress(
                done=self.answered + self.reused + self.already + failed,
                new=self.asked,
                total=self._total,
                failed=failed,
                errors=dict(self.errors),
                unparsed=self.unparsed.total(),
                cost_usd=self.spent.usd,
            )
        )

    def _count(self, reason: str | None) -> None:
        if reason is not None:
            self.unparsed[reason] += 1


def _unavailable(kind: str, streak: int, error: str, spec: JudgeSpec, who: str) -> str:
    if who != spec.judge_id:
        return (
            f"runner: '{who}', who takes part in the debates of '{spec.judge_id}', failed {streak} "
            f"times in a row ({kind}: {error}); check its key, credit and address, then run the "
            "same command again, it goes on where it stopped"
        )
    address, variable = spec.settings.get("base_url"), spec.settings.get("api_key_env")
    if kind == "billing":
        what = f"{address} refused to go on for want of credit"
        advice = "check the account's balance and limits"
    elif kind == "authentication":
        what = f"{address} refused the key in {variable or 'no variable (api_key_env is empty)'}"
        advice = f"check {variable or 'the setting api_key_env'}"
    elif kind == "redirected":
        what, advice = f"{address} sent every request elsewhere", "correct its base_url"
    else:
        what, advice = f"{address} could not be reached", "check the address and the network"
    return (
        f"runner: judge '{spec.judge_id}': {what} {streak} times in a row ({error}); {advice}, "
        "then run the same command again, it goes on where it stopped"
    )
