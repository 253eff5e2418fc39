"""Judges behind any OpenAI-compatible chat endpoint.

`ask` is one attempt: the runner paces, waits and tries again. A setting the endpoint refuses is
left out from then on, and every reply made without it says so. The client is imported by what asks:
it takes half a second, and a run with nothing to ask has no use for it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from inference.judges.base import Reply, Request
from inference.judges.chat import ChatJudge
from inference.judges.complaints import message_of, refused_parameter, retry_after_s

if TYPE_CHECKING:
    from openai import APIConnectionError, AsyncOpenAI


class OpenAIJudge(ChatJudge):
    """One model at one endpoint."""

    _client: AsyncOpenAI | None = None

    @property
    def concurrency(self) -> int:
        """How many requests are in flight at once, at most."""
        return int(self._spec.settings["concurrency"])

    async def __aenter__(self) -> Self:
        from openai import AsyncOpenAI, DefaultAioHttpClient

        key = self._chat.read_key(self._environ)
        self._refused: list[str] = []
        self._client = AsyncOpenAI(
            api_key=key or "none",
            base_url=self._spec.settings["base_url"],
            timeout=float(self._spec.settings["timeout_s"]),
            # The runner tries again itself: it knows the pace, the deadline and the budget.
            max_retries=0,
            http_client=DefaultAioHttpClient(),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def ask(self, request: Request) -> Reply:
        """Send the prompt and return the reply, or the kind of failure."""
        import aiohttp
        import openai

        if self._client is None:
            raise RuntimeError("openai: the judge was asked before it was opened")
        while True:
            refused = tuple(self._refused)
            body = self._chat.body(request, refused)
            try:
                # The client bounds each read, not a body that trickles in for ever.
                async with asyncio.timeout(float(self._spec.settings["timeout_s"])):
                    text = await self._client.post("/chat/completions", cast_to=str, body=body)
            except openai.APIStatusError as error:
                message = message_of(error)
                parameter = (
                    refused_parameter(message, error.code, error.param, body)
                    if error.status_code in (400, 422)
                    else None
                )
                if parameter is None:
                    return self._chat.rejected(
                        error.status_code,
                        message,
                        error.code,
                        retry_after_s(error.response.headers),
                        error.response.text,
                    )
                if parameter not in self._refused:
                    self._refused.append(parameter)
            except TimeoutError:
                seconds = self._spec.settings["timeout_s"]
                return self._chat.failed("timeout", f"no whole reply within {seconds:g} s")
            except openai.APIConnectionError as error:
                return self._unreached(error)
            except (aiohttp.ClientError, openai.OpenAIError, ValueError) as error:
                # The client lets through what breaks the rules of HTTP.
                return self._chat.failed("malformed", f"{type(error).__name__}: {error}")
            else:
                return self._chat.reply(text, request, body, refused)

    def _unreached(self, error: APIConnectionError) -> Reply:
        # The client calls a refused connection a timeout, too; its causes tell which it was.
        causes = _causes(error)
        if any(isinstance(each, TimeoutError) for each in causes):
            return self._chat.failed("timeout", f"{type(error).__name__}: {error}")
        return self._chat.failed("connection", "; ".join(str(each) for each in causes[1:2]))


def _causes(error: BaseException) -> list[BaseException]:
    causes = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None:
        causes.append(cause)
    return causes
