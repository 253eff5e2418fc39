"""Judges behind any OpenAI-compatible chat endpoint.

`ask` is one attempt: the runner paces, waits and tries again. A setting the endpoint refuses is
left out from then on, and every reply made without it says so. The client is imported by what asks:
it takes half a second, and a run with nothing to ask has no use for it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from inference.judges.base import Reply
from inference.judges.chat import ChatJudge
from inference.judges.complaints import message_of, refused_parameter
from inference.judges.request import Request

if TYPE_CHECKING:
    from openai import AsyncOpenAI


class OpenAIJudge(ChatJudge):
    """One model at one endpoint."""

    _client: AsyncOpenAI | None = None

    @property
    def concurrency(self) -> int:
        """How many requests are in flight at once, at most."""
        return int(self._spec.settings["concurrency"])

    async def __aenter__(self) -> Self:
        from inference.judges.client import open_client

        self._refused: list[str] = []
        self._client = open_client(self._spec, self._chat.read_key(self._environ))
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def ask(self, request: Request) -> Reply:
        """Send the prompt and return the reply, or the kind of failure."""
        import openai

        from inference.judges.client import FAILURES, failed_reply

        if self._client is None:
            raise RuntimeError("openai: the judge was asked before it was opened")
        seconds = float(self._spec.settings["timeout_s"])
        while True:
            refused = tuple(self._refused)
            body = self._chat.body(request, refused)
            try:
                # The client bounds each read, not a body that trickles in for ever.
                async with asyncio.timeout(seconds):
                    text = await self._client.post("/chat/completions", cast_to=str, body=body)
            except FAILURES as error:
                parameter = None
                if isinstance(error, openai.APIStatusError) and error.status_code in (400, 422):
                    message = message_of(error)
                    parameter = refused_parameter(message, error.code, error.param, body)
                if parameter is None:
                    return failed_reply(self._chat, error)
                if parameter not in self._refused:
                    self._refused.append(parameter)
            else:
                return self._chat.reply(text, request, body, refused)
