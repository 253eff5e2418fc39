"""The endpoint's side of the Batch API: upload, create once, look, download.

What may pass is tried again. Creating is the one step that costs money when it happens twice: after
a failure that leaves it open whether there is a batch, the endpoint's list is read first.
"""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import IO, Any, TypeVar

import openai
from openai.types import Batch

from inference.errors import TRANSIENT_KINDS, JudgeUnavailable
from inference.judges.batch.files import ENDPOINT, Submission
from inference.judges.client import failed_reply, open_client
from inference.judges.endpoint import ModelEndpoint

_T = TypeVar("_T")
# Where a batch carries its submission's name.
METADATA_KEY = "rostrum_submission"
# Clocks differ, but not by a day: older batches are not searched for a submission.
_CLOCKS_DIFFER_S = 86_400
_LONGEST_WAIT_S = 30.0
# The longest wait that an endpoint may ask for.
_LONGEST_ASKED_S = 3600.0
_UNKNOWN_AT_MOST = 5
_AGAIN = "run the same command again, it goes on from here and submits nothing twice"


class RefusedForGood(JudgeUnavailable):
    """The endpoint would not take the file or the batch, and will not take it later."""


class BatchRemote:
    """One endpoint's batches. To be closed."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint
        settings = endpoint.spec.settings
        self._attempts = int(settings["max_retries"]) + 1
        self._first_wait_s = min(float(settings["poll_s"]), 1.0)
        self._unknown: Counter[str] = Counter()
        # A file of results holds many replies.
        self._client = open_client(endpoint.spec, endpoint.key, is_bounded=False)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def upload(self, submission: Submission, file: IO[bytes]) -> str:
        """Upload a file of requests and return the endpoint's name for it."""
        file.flush()

        async def send() -> str:
            file.seek(0)
            upload = (f"{submission.name}.jsonl", file, "application/jsonl")
            return _id(await self._client.files.create(file=upload, purpose="batch"))

        return await self._insist("upload a file of requests", send)

    async def create(self, submission: Submission, *, may_exist: bool) -> str:
        """Create an uploaded submission's batch, or find it, and return its name."""

        async def create() -> str:
            nonlocal may_exist
            if may_exist and (found := await self._find(submission)) is not None:
                return found
            may_exist = True
            batch = await self._client.batches.create(
                completion_window="24h",
                endpoint=ENDPOINT,
                input_file_id=str(submission.file_id),
                metadata={METADATA_KEY: submission.name},
            )
            return _id(batch)

        return await self._insist("create a batch", create)

    async def _find(self, submission: Submission) -> str | None:
        # What was sent a moment ago may not be on the list yet: it is read twice.
        for wait_s in (0.0, self._first_wait_s):
            await asyncio.sleep(wait_s)
            try:
                async for batch in self._client.batches.list(limit=100):
                    if (batch.metadata or {}).get(METADATA_KEY) == submission.name:
                        return _id(batch)
                    if batch.created_at < submission.began_at - _CLOCKS_DIFFER_S:
                        break
            except (AttributeError, TypeError) as error:
                raise ValueError(f"what the endpoint sent is no list of batches: {error}") from None
        return None

    async def look(self, submission: Submission) -> Batch | None:
        """Return a batch as it is now; None where this look failed, and the next may not."""
        try:
            batch = await self._client.batches.retrieve(str(submission.batch_id))
            _id(batch)
        except (openai.OpenAIError, ValueError) as error:
            failure = failed_reply(self._endpoint, error)
            self._unknown[submission.name] += failure.error_kind == "bad_request"
            # What was created a moment ago may not be known everywhere yet.
            is_young = 0 < self._unknown[submission.name] < _UNKNOWN_AT_MOST
            if failure.error_kind in TRANSIENT_KINDS or is_young:
                return None
            if failure.error_kind == "bad_request":
                raise self._unavailable(
                    f"does not know the batch {submission.batch_id} ({failure.error}); it was "
                    "created with a key of the account that can see it: set that one, or use "
                    "--fresh"
                ) from None
            raise self._refused("look at a batch", failure.error_kind, failure.error) from None
        self._unknown[submission.name] = 0
        return batch

    async def download(self, file_id: str) -> IO[bytes] | None:
        """Return a file of results, at its beginning; None where the endpoint no longer has it."""
        attempts = 0

        async def fetch() -> IO[bytes] | None:
            nonlocal attempts
            attempts += 1
            file = tempfile.TemporaryFile(prefix="rostrum-batch-")  # noqa: SIM115
            try:
                content = self._client.files.with_streaming_response.content(file_id)
                async with content as response:
                    async for piece in response.iter_bytes(1 << 16):
                        file.write(piece)
            except BaseException as error:
                file.close()
                if isinstance(error, openai.NotFoundError) and attempts >= self._attempts:
                    return None
                if isinstance(error, openai.NotFoundError) or (
                    isinstance(error, Exception) and not isinstance(error, openai.OpenAIError)
                ):
                    # A body that breaks off brings an error of the transport's own.
                    raise ValueError(f"{type(error).__name__}: {error}") from None
                raise
            file.seek(0)
            return file

        return await self._insist("download results", fetch)

    async def _insist(self, action: str, attempt: Callable[[], Awaitable[_T]]) -> _T:
        for number in range(1, self._attempts + 1):
            try:
                return await attempt()
            except (openai.OpenAIError, ValueError) as error:
                failure = failed_reply(self._endpoint, error)
            if failure.error_kind not in TRANSIENT_KINDS:
                refused = self._refused(action, failure.error_kind, failure.error)
                if failure.error_kind in ("authentication", "billing"):
                    raise refused
                raise RefusedForGood(str(refused))
            if number < self._attempts:
                wait_s = min(self._first_wait_s * 2 ** (number - 1), _LONGEST_WAIT_S)
                if failure.retry_after_s is not None:
                    wait_s = min(failure.retry_after_s, _LONGEST_ASKED_S)
                await asyncio.sleep(wait_s)
        raise self._unavailable(
            f"could not {action} in {self._attempts} attempts ({failure.error_kind}: "
            f"{failure.error}); {_AGAIN}"
        )

    def _refused(self, action: str, kind: str | None, words: str | None) -> JudgeUnavailable:
        variable = self._endpoint.spec.settings["api_key_env"] or "(none is sent)"
        advice = {
            "authentication": f"check the key in {variable}",
            "billing": f"the account of the key in {variable} cannot pay; top it up",
        }.get(str(kind), "change what it complains about")
        return self._unavailable(f"would not {action} ({kind}: {words}); {advice}, then {_AGAIN}")

    def _unavailable(self, words: str) -> JudgeUnavailable:
        spec = self._endpoint.spec
        address = spec.settings["base_url"]
        return JudgeUnavailable(f"batch: judge '{spec.judge_id}': {address} {words}")


def _id(content: Any) -> str:
    name = getattr(content, "id", None)
    if not isinstance(name, str) or not name:
        raise ValueError("what the endpoint sent has no id")
    return name
