"""Pipelines: steps in their order, each done again only where its inputs have changed.

A step has a name, the steps whose results it reads, and a function that returns its `Plan`: all
other inputs, and the function that makes its result. `Pipeline` reads and hashes what came before,
does a step where the hash of its inputs is new, and keeps the result. Steps that ask a model do it
through `Replies`, so that a pipeline which was stopped goes on from the replies it has.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from inference.errors import InferenceError, NoReplyYet, StepWaits
from inference.steps.files import Made, hash_of

DONE, UNCHANGED, WAITING = "done", "unchanged", "waiting"


class Store(Protocol):
    """Files of results, each with `records`, `inputs_hash` and `content_hash`."""

    def read(self, work: Any, step: str) -> Any:
        """Return a step's result; None where it has not been done, or its file is damaged."""

    def write(self, work: Any, step: str, inputs_hash: str, made: Made) -> Any:
        """Keep a step's result, and return it as it will be read."""

    def remove(self, work: Any, step: str) -> None:
        """Remove a step's result, where there is one."""


class Plan(NamedTuple):
    """A step that is ready to be done.

    Attributes:
        inputs: All inputs besides the results of other steps, as JSON takes them.
        make: Makes the result.
    """

    inputs: Sequence[Any]
    make: Callable[[], Made]


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes:
        about: Its purpose, for people.
        after: The steps whose results are inputs; it builds on the last of them.
        reads: Other steps whose results it reads, and which decide nothing.
        is_aside: Whether no other step builds on it.
        check: Looks at its result every time, also where it is unchanged.
    """

    name: str
    about: str
    plan: Callable[[Any, Mapping[str, Any]], Plan]
    after: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    is_aside: bool = False
    check: Callable[[Any, Any], None] = field(default=lambda _work, _result: None)


class Outcome(NamedTuple):
    """Outcome of a step: `done`, `unchanged`, or `waiting` for people, who are told what to do."""

    step: str
    status: str
    result: Any
    waits_for: str | None = None


@dataclass(frozen=True)
class Pipeline:
    """Steps, and how their results are kept.

    Attributes:
        failed: The error of a step that cannot be done.
        not_done: Message about a step that must be done first, with `{work}` and `{step}`.
        version: Raised with every change that makes a step do anything differently.
        is_name_hashed: Whether the hash of the inputs has the step's name in it.
        is_of_one_start: Whether the results of later steps are removed where a step comes out
            differently than before.
    """

    who: str
    failed: type[InferenceError]
    not_done: str
    steps: tuple[Step, ...]
    store: Store
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

    def run_all(self, work: Any) -> list[Outcome]:
        """Do every step, in order; where one cannot be done, those before it stay done."""
        return [self.run_step(name, work) for name in self.names]

    def run_step(self, name: str, work: Any) -> Outcome:
        """Do one step, unless its inputs are what they were; those before it must be done.

        Raises:
            InferenceError: It cannot be done.
        """
        if name not in self.names:
            choice = ", ".join(self.names)
            raise self.failed(f"{self.who}: no step named '{name}'; choose one of {choice}")
        step = self.steps[self.names.index(name)]
        before = {each: self._done(work, each) for each in (*step.after, *step.reads)}
        plan = step.plan(work, before)
        named = [name] if self.is_name_hashed else []
        hashes = [before[each].content_hash for each in step.after]
        inputs_hash = hash_of(self.version, *named, *hashes, *plan.inputs)
        result, status = self.store.read(work, name), UNCHANGED
        if result is None or result.inputs_hash != inputs_hash:
            try:
                made = plan.make()
            except StepWaits as wait:
                self.store.remove(work, name)
                return Outcome(name, WAITING, None, str(wait))
            except NoReplyYet as error:
                raise self.failed(f"{self.who}: {error}") from None
            is_same = result is not None and tuple(result.records) == tuple(made.records)
            if self.is_of_one_start and not step.is_aside and not is_same:
                # The last first: what is left is of one start, whenever this is stopped.
                for later in reversed(self.names[self.names.index(name) + 1 :]):
                    self.store.remove(work, later)
            result, status = self.store.write(work, name, inputs_hash, made), DONE
        step.check(work, result)
        return Outcome(name, status, result)

    def _done(self, work: Any, name: str) -> Any:
        result = self.store.read(work, name)
        if result is None:
            raise self.failed(f"{self.who}: {self.not_done.format(work=work, step=name)}")
        return result
