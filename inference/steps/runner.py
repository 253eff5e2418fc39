"""Runs steps in their order, each again only where what goes in has changed.

A pipeline is a declaration. A step has a name, the steps whose results it reads, and a function
that returns its `Plan`: everything else that goes in, whom it asks, and how rows are made of the
replies. The runner reads and hashes what came before, opens the model only where the step has to be
done, and keeps the result. A model's replies are kept as they come (`replies`), and what they cost
is counted (`budget`), so that a pipeline which was stopped anywhere goes on where it was.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from inference.errors import InferenceError, NoReplyYet, StepWaits
from inference.steps.files import hash_of
from inference.steps.replies import Ask

DONE, UNCHANGED, WAITING = "done", "unchanged", "waiting"


class Kept(Protocol):
    """A step's result, as its file has it."""

    @property
    def inputs_hash(self) -> str:
        """Of all that went in."""

    @property
    def content_hash(self) -> str:
        """Of what came out, whatever it was made from."""


class Made(NamedTuple):
    """What a step made.

    Attributes:
        records: What is left, in order.
        made_with: What made it: a model, a method or a file.
        facts: What else is to be kept of it.
        funnels: What its rules removed, where it has rules.
    """

    records: Sequence[Any]
    made_with: str = ""
    facts: Mapping[str, Any] = {}
    funnels: Sequence[Any] = ()


# What a pipeline is about, and what it works with. Only its steps and its store look at it.
W = TypeVar("W")
W_contra = TypeVar("W_contra", contravariant=True)
K = TypeVar("K", bound=Kept)
K_co = TypeVar("K_co", bound=Kept, covariant=True)


class Store(Protocol[W_contra, K_co]):
    """Where results lie: a format of files."""

    def read(self, work: W_contra, step: str) -> K_co | None:
        """Return a step's result; None where it has not been done, or its file is damaged."""

    def write(self, work: W_contra, step: str, inputs_hash: str, made: Made) -> K_co:
        """Keep a step's result, and return it as it will be read."""

    def remove(self, work: W_contra, step: str) -> None:
        """Remove a step's result, where there is one."""


@asynccontextmanager
async def no_model() -> AsyncIterator[Ask]:
    """Open no model, for steps that ask none."""

    async def ask(prompt: str) -> str:
        raise RuntimeError(f"steps: a step without a model asked: {prompt}")

    yield ask


class Plan(NamedTuple):
    """A step that is ready to be done.

    Attributes:
        inputs: Everything that can change what it makes, besides the results it reads, as JSON
            takes it.
        make: Asks, reads the replies and returns the rows.
        model: Opens the model that is asked.
    """

    inputs: Sequence[Any]
    make: Callable[[Ask], Awaitable[Made]]
    model: Callable[[], AbstractAsyncContextManager[Ask]] = no_model


def computed(inputs: Sequence[Any], make: Callable[[], Made]) -> Plan:
    """Return the plan of a step that asks no model.

    Args:
        inputs: Everything that can change what it makes, besides the results it reads.
        make: Returns the rows.
    """

    async def made(_: Ask) -> Made:
        return make()

    return Plan(inputs, made)


@dataclass(frozen=True)
class Step(Generic[W, K]):
    """One step.

    Attributes:
        name: Its name, and that of its file.
        about: What it does, for people.
        plan: Returns its plan, given the work and the results it reads, by their steps.
        after: The steps whose results go in; the last of them is the one it builds on.
        beside: Other steps whose results it reads, but which decide nothing.
        is_aside: Whether no other step builds on it.
        check: Looks at its result every time, also where it is unchanged.
    """

    name: str
    about: str
    plan: Callable[[W, Mapping[str, K]], Plan]
    after: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    is_aside: bool = False
    check: Callable[[W, K], None] = field(default=lambda _work, _kept: None)


class Outcome(NamedTuple, Generic[K]):
    """What happened to a step.

    Attributes:
        status: `done`, `unchanged`, or `waiting` for people.
        result: What it made; None while it waits.
        waits_for: What is to be done by people; None where it does not wait.
    """

    step: str
    status: str
    result: K | None
    waits_for: str | None = None


@dataclass(frozen=True)
class Pipeline(Generic[W, K]):
    """Steps, and how their results are kept.

    Attributes:
        failed: The error that a step raises which cannot be done.
        not_done: What is said of a step that must be done first, with `{work}` and `{step}`.
        steps: The steps, in order.
        store: Where results lie.
        version: Raised with every change that makes a step do anything differently.
        is_name_hashed: Whether the hash of what goes in has the step's name in it.
        is_of_one_start: Whether all results must be of one start: where a step comes out
            differently than before, the results of later steps are removed.
    """

    who: str
    failed: type[InferenceError]
    not_done: str
    steps: tuple[Step[W, K], ...]
    store: Store[W, K]
    version: int
    is_name_hashed: bool = False
    is_of_one_start: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its steps, in order."""
        return tuple(step.name for step in self.steps)

    def base_of(self, name: str) -> str | None:
        """Return the step that one builds on; the one before where it reads none."""
        place = self.names.index(name)
        after = self.steps[place].after or self.names[max(place - 1, 0) : place]
        return after[-1] if after else None

    async def run_all(self, work: W) -> list[Outcome[K]]:
        """Do every step, in order.

        Raises:
            InferenceError: A step cannot be done; those before it stay done.
        """
        return [await self.run_step(name, work) for name in self.names]

    async def run_step(self, name: str, work: W) -> Outcome[K]:
        """Do one step, unless what goes into it is what went into it before.

        Args:
            name: One of `names`; those before it must have been done.
            work: What is to be done.

        Raises:
            InferenceError: It cannot be done.
        """
        step = next((each for each in self.steps if each.name == name), None)
        if step is None:
            raise self.failed(
                f"{self.who}: no step named '{name}'; choose one of {', '.join(self.names)}"
            )
        before = {each: self._done(work, each) for each in (*step.after, *step.beside)}
        plan = step.plan(work, before)
        named = [name] if self.is_name_hashed else []
        hashes = [before[each].content_hash for each in step.after]
        inputs_hash = hash_of(self.version, *named, *hashes, *plan.inputs)
        result, status = self.store.read(work, name), UNCHANGED
        if result is None or result.inputs_hash != inputs_hash:
            try:
                made = await self._make(plan)
            except StepWaits as wait:
                self.store.remove(work, name)
                return Outcome(name, WAITING, None, str(wait))
            result, status = self._keep(work, step, result, inputs_hash, made), DONE
        step.check(work, result)
        return Outcome(name, status, result)

    async def _make(self, plan: Plan) -> Made:
        try:
            async with plan.model() as ask:
                return await plan.make(ask)
        except NoReplyYet as error:
            raise self.failed(f"{self.who}: {error}") from None

    def _keep(self, work: W, step: Step[W, K], before: K | None, inputs_hash: str, made: Made) -> K:
        later = self.names[self.names.index(step.name) + 1 :]
        records = () if before is None else tuple(getattr(before, "records", ()))
        is_same = before is not None and records == tuple(made.records)
        if self.is_of_one_start and not step.is_aside and not is_same:
            # The last first: what is left is of one start, whenever this is stopped.
            for name in reversed(later):
                self.store.remove(work, name)
        return self.store.write(work, step.name, inputs_hash, made)

    def _done(self, work: W, name: str) -> K:
        found = self.store.read(work, name)
        if found is None:
            words = self.not_done.format(work=work, step=name)
            raise self.failed(f"{self.who}: {words}")
        return found
