"""The client of OpenAI-compatible endpoints, and what its failures mean.

A body is read up to a limit after decompression, and a redirect is not followed: it would send
prompt and key to another address. Imported by what asks: the client takes half a second to load.
"""

from __future__ import annotations

import aiohttp
import httpx2
import openai
from openai import AsyncOpenAI, DefaultAioHttpClient

from inference.judges.base import Reply
from inference.judges.endpoint import ModelEndpoint, retry_after_s
from inference.registry import JudgeSpec

LONGEST_REPLY_BYTES = 16 * 2**20
# What no longer holds of a body that has been decoded.
_OF_THE_WIRE = ("content-encoding", "content-length", "transfer-encoding")


class _TooLarge(Exception):
    """The endpoint sends more than a reply may have."""


# All that asking an endpoint can raise: the client lets through what breaks the rules of HTTP.
FAILURES = (openai.OpenAIError, aiohttp.ClientError, TimeoutError, ValueError, _TooLarge)


class _BoundedTransport(httpx2.AsyncBaseTransport):
    """Reads every reply whole, or fails once it is longer than it may be."""

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self._client = client

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._client.send(request, stream=True)
        body = bytearray()
        try:
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > LONGEST_REPLY_BYTES:
                    raise _TooLarge
        finally:
            await response.aclose()
        headers = [
            (name, value)
            for name, value in response.headers.multi_items()
            if name.lower() not in _OF_THE_WIRE
        ]
        return httpx2.Response(
            response.status_code, headers=headers, content=bytes(body), request=request
        )

    async def aclose(self) -> None:
        await self._client.aclose()


def open_client(spec: JudgeSpec, key: str, *, is_bounded: bool = True) -> AsyncOpenAI:
    """Return a client that asks once; it is to be closed.

    Args:
        is_bounded: Whether each body is a reply; files of many replies may be longer.
    """
    client = DefaultAioHttpClient(follow_redirects=False)
    if is_bounded:
        client = httpx2.AsyncClient(transport=_BoundedTransport(client))
    return AsyncOpenAI(
        api_key=key or "none",
        base_url=spec.settings["base_url"],
        timeout=float(spec.settings["timeout_s"]),
        # The caller tries again, and knows the pace, the deadline and the budget.
        max_retries=0,
        http_client=client,
    )


def message_of(error: openai.APIStatusError) -> str:
    """Return an endpoint's message about a failure."""
    body = error.body
    inner = body.get("message") if isinstance(body, dict) else None
    return inner if isinstance(inner, str) else f"{type(error).__name__}: {error}"


def failed_reply(endpoint: ModelEndpoint, error: Exception) -> Reply:
    """Return the failure that an error of the client, one of `FAILURES`, stands for."""
    if isinstance(error, openai.APIStatusError):
        headers = error.response.headers
        if 300 <= error.status_code < 400:
            words = (
                f"the endpoint redirects to {headers.get('location', 'another address')} "
                f"(status {error.status_code}), which is not followed; set base_url to the address "
                "that answers"
            )
            return endpoint.failed("redirected", words)
        return endpoint.rejected(
            error.status_code,
            message_of(error),
            error.code,
            retry_after_s(headers),
            error.response.text,
        )
    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None:
        causes.append(cause)
    if any(isinstance(each, _TooLarge) for each in causes):
        words = f"the endpoint sent more than {LONGEST_REPLY_BYTES / 2**20:.0f} MB"
        return endpoint.failed("too_large", words)
    if any(isinstance(each, TimeoutError) for each in causes):
        # The client calls a refused connection a timeout, too; its causes tell which it was.
        return endpoint.failed("timeout", f"{type(error).__name__}: {error}")
    if isinstance(error, openai.APIConnectionError):
        words = "; ".join(str(each) for each in causes[1:2]) or str(error)
        return endpoint.failed("connection", words)
    return endpoint.failed("malformed", f"{type(error).__name__}: {error}")
