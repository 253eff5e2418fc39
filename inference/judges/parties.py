"""The judges that answer one request together: the run's own, and others who take a part in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from inference.errors import BadSettings, UnknownJudge
from inference.judges.base import Judge, JudgeWrapper
from inference.judges.request import Request
from inference.prices import Price
from inference.registry import JudgeSpec, spec_for

if TYPE_CHECKING:
    from inference.kinds.protocol import RunResources

# Who debates about stories can write whatever a debater writes.
_KIND = "transcript"


@dataclass(frozen=True)
class Party:
    """A participant, with its price; None if that is unknown, or nothing is to be paid."""

    judge: Judge
    spec: JudgeSpec
    price: Price | None

    def most_tokens_out(self, request: Request) -> int:
        """Return how long a message may be."""
        if not self.spec.rules.is_model:
            return 0
        return int(self.spec.settings.get("max_tokens", request.decoding.get("max_tokens", 0)))

    def most_usd(self, tokens_in: int, request: Request) -> float:
        """Return the most that one message can cost.

        Raises:
            BadSettings: It is paid for, and no price is known.
        """
        if self.price is None:
            if "api_key_env" in self.spec.settings:
                raise BadSettings(
                    f"runner: no price is known for '{self.spec.judge_id}', who takes part in the "
                    f'debates, so a budget cannot be kept; add [{self.spec.provider}."'
                    f'{self.spec.model}"] to prices.toml in your home'
                )
            return 0.0
        return self.price.bound(tokens_in, self.most_tokens_out(request))


class JudgeWithOthers(JudgeWrapper):
    """Base of judges whose requests others answer a part of; all are opened together."""

    def __init__(self, own: Party, parties: Mapping[str, Party]) -> None:
        super().__init__(own.judge)
        self._own = own
        self._parties = parties
        self._opened = AsyncExitStack()

    @property
    def others(self) -> tuple[JudgeSpec, ...]:
        """The participants besides the run's own judge."""
        return tuple(party.spec for _, party in sorted(self._parties.items()))

    @property
    def concurrency(self) -> int:
        """As many as the slowest: the messages of one request come one after the other."""
        return min(each.judge.concurrency for each in (self._own, *self._parties.values()))

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            for each in (self._own, *self._parties.values()):
                await stack.enter_async_context(each.judge)
            self._opened = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._opened.aclose()


def own_party(judge: Judge, resources: RunResources) -> Party:
    """Return the run's own judge, with its price."""
    return Party(judge, resources.spec, resources.prices.price_for(resources.spec))


def other_parties(
    judge_ids: Iterable[str], resources: RunResources, reference_file: Path | None = None
) -> dict[str, Party]:
    """Return the judges of these ids, with their settings and prices, by id.

    Args:
        reference_file: The right answers, for simulated judges alone.

    Raises:
        UnknownJudge: A judge does not exist, or cannot write.
    """
    from inference.judges import make_judge

    found = {}
    for judge_id in sorted(judge_ids):
        spec = spec_for(judge_id, resources.judges_file, resources.environ)
        if _KIND not in spec.kinds:
            raise UnknownJudge(
                f"judges: '{judge_id}' cannot debate, ask or choose, as experiment "
                f"'{resources.experiment.name}' has it; name a model, or simulated/debater-strong"
            )
        judge = make_judge(spec, reference_file, resources.environ, resources.prices)
        found[judge_id] = Party(judge, spec, resources.prices.price_for(spec))
    return found
