"""Workers that are tasks of a Ray cluster, and the holder that is an actor of it.

Ray says when a node is gone; it does not try again itself, since only the run's journal knows what
is missing. The actor lies on the node where the cluster's head is, or the starter's.
"""

import asyncio
import uuid
from importlib.metadata import PackageNotFoundError, version
from logging import ERROR
from typing import Any, Self

from inference.errors import InferenceError, WorkersUnavailable
from inference.registry import JudgeSpec
from inference.runs.limits import Budget
from inference.runs.rates import shared_rates
from inference.runs.stopping import StopSignals
from inference.shards.worker import Holder, Work, work_on

INSTALL = "pip install -c constraints.txt -e '.[ray]'"
# What tasks wait for in the actor at once: a turn each.
_MOST_CALLS = 100_000
# How Ray says so, as a node of the cluster and as its client.
_OTHER_VERSION = ("Version mismatch", "versions differ", "installation incompatible")
# The head starts a server for each client, which now and then ends as it starts: another does not.
_NOT_STARTED = (
    "Starting Ray client server failed",
    "Proxy failed to Connect to backend",
    # Ray's function that starts it, in the traceback of a server that has ended by then.
    "start_specific_server",
)
_TRIES = 4
_HEAD = "node:__internal_head__"


class OnRay:
    """Runs each shard as a task, with a GPU of its own where the judge is a model in the worker.

    Args:
        address: `ray`, or `ray://HOST:PORT`.
        budget: The run's; the actor has a copy of it.
    """

    # Until the cluster has a free processor, or GPU.
    may_queue = True

    def __init__(self, address: str, budget: Budget, concurrency: int, spec: JudgeSpec) -> None:
        try:
            version("ray")
        except PackageNotFoundError:
            raise WorkersUnavailable(f"shards: Ray is not installed: {INSTALL}") from None
        self._address, self._spec = address, spec
        self._budget, self._concurrency = budget, concurrency
        self._tasks: dict[str, Any] = {}
        self._holder: Any = None
        self._is_ours = False
        self._gpus = 0

    async def __aenter__(self) -> Self:
        import ray

        if not ray.is_initialized():
            # Not in a thread: Ray sets signal handlers when it starts a cluster.
            self._connect()
            self._is_ours = True
        resources = ray.cluster_resources()
        self._gpus = int(self._spec.provider == "local" and resources.get("GPU", 0) > 0)
        where = {"resources": {_HEAD: 0.001}} if _HEAD in resources else {}
        actor = ray.remote(num_cpus=0, max_concurrency=_MOST_CALLS, **where)(Holder)
        # Named, so that `ray list actors` says whose permits these are.
        name = f"rostrum-{self._spec.provider}-{uuid.uuid4().hex[:8]}"
        self._holder = actor.options(name=name).remote(
            self._budget,
            self._concurrency,
            dict(self._spec.settings),
            shared_rates(self._spec),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        import ray

        for task in self._tasks.values():
            ray.cancel(task, force=True)
        ray.kill(self._holder)
        if self._is_ours:
            await asyncio.to_thread(ray.shutdown)

    async def call(self, name: str, *given: Any) -> Any:
        """Ask the holder."""
        import ray

        asked = asyncio.ensure_future(self._holder.call.remote(name, *given))
        # The answer to a caller that stopped waiting must be taken: else Ray's client prints an
        # error.
        asked.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        try:
            return await asyncio.shield(asked)
        except ray.exceptions.RayActorError as error:
            raise WorkersUnavailable(
                f"shards: the actor that gives out permits and money is gone ({error}); run the "
                "same command again to go on"
            ) from None

    async def run(self, work: Work) -> None:
        """Run a worker to its end."""
        import ray

        # A retry by Ray would write where the first try did.
        task = ray.remote(num_cpus=1, num_gpus=self._gpus, max_retries=0)(_work)
        named = task.options(name=f"rostrum {work.run_id} {work.worker}")
        self._tasks[work.worker] = found = named.remote(work, self._holder)
        try:
            await found
        except ray.exceptions.RayTaskError as error:
            raise error.cause if isinstance(error.cause, InferenceError) else error from None
        except ray.exceptions.RayError as error:
            raise WorkersUnavailable(
                f"shards: the worker of shard {work.shard} died "
                f"({type(error).__name__}: {str(error).splitlines()[0]})"
            ) from None

    def abandon(self, who: str) -> None:
        """Let go of a worker that is taken for dead; the holder tells it, if it is not."""

    def stop(self, who: str) -> None:
        """Ask a worker to end in good order."""
        import ray

        if who in self._tasks:
            ray.cancel(self._tasks[who], force=False)

    def _connect(self) -> None:
        import ray

        given: dict[str, Any] = {
            "namespace": "rostrum",
            "log_to_driver": False,
            "logging_level": ERROR,
        }
        if self._address != "ray":
            given["address"] = self._address
        for left in reversed(range(_TRIES)):
            try:
                ray.init(**given)
                return
            except (RuntimeError, ConnectionError, ValueError) as error:
                # What is half connected would stay so as long as this process.
                ray.shutdown()
                if not left or not any(sign in str(error) for sign in _NOT_STARTED):
                    raise self._explained(error) from None

    def _explained(self, error: Exception) -> WorkersUnavailable:
        if any(sign in str(error) for sign in _OTHER_VERSION):
            words = " ".join(str(error).split())
            return WorkersUnavailable(
                f"shards: the cluster at {self._address} has another version of Ray or Python "
                f"than this machine ({words}); install the same on both: {INSTALL}"
            )
        return WorkersUnavailable(
            f"shards: no Ray cluster at {self._address}: {error}; check the address, and that "
            "the cluster is up"
        )


class _Actor:
    """A worker's way to the holder."""

    def __init__(self, who: str, holder: Any) -> None:
        self._who, self._holder = who, holder

    async def call(self, name: str, *given: Any) -> Any:
        """Ask the holder, and wait."""
        import ray

        try:
            return await self._holder.call.remote(name, self._who, *given)
        except ray.exceptions.RayTaskError as error:
            raise error.cause if isinstance(error.cause, InferenceError) else error from None
        except ray.exceptions.RayActorError as error:
            raise WorkersUnavailable(f"shards: there are no permits now ({error})") from None

    def send(self, name: str, *given: Any) -> None:
        """Tell the holder."""
        self._holder.call.remote(name, self._who, *given)


def _work(work: Work, holder: Any) -> None:
    with StopSignals() as stop:
        asyncio.run(work_on(work, _Actor(work.worker, holder), stop))
