"""Endpoints that are asked for something other than chat, such as embeddings or transcriptions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from inference.errors import JudgeUnavailable
from inference.judges.base import Reply
from inference.judges.chat import Chat
from inference.registry import JudgeSpec
from inference.runs.sending import Sender

if TYPE_CHECKING:
    from openai import AsyncOpenAI


class Endpoint:
    """A model's endpoint, asked as its settings say.

    Attributes:
        url: Its address.

    Raises:
        MissingKey: The variable that should hold the key is not set.
    """

    def __init__(self, who: str, spec: JudgeSpec, environ: Mapping[str, str] | None = None) -> None:
        self._who = who
        self._spec = spec
        self._chat = Chat(spec, None)
        self._chat.read_key(environ)
        self._sender = Sender(spec, int(spec.settings["concurrency"]))
        self.url: str = spec.settings["base_url"]

    async def ask(
        self,
        call: Callable[[AsyncOpenAI], Awaitable[str]],
        failed: Callable[[str], Exception],
        tokens: int = 0,
    ) -> str:
        """Return what the endpoint sent, without the key.

        Args:
            call: Sends the request once.
            failed: Returns the error to raise where the request failed, from its words.

        Raises:
            JudgeUnavailable: The key was refused.
        """
        # Loading it takes a second of processor time; only those who ask pay it.
        from inference.judges.client import FAILURES, failed_reply, open_client

        async with open_client(self._spec, self._chat.key) as client:

            async def attempt(_: Any) -> Reply:
                try:
                    async with asyncio.timeout(float(self._spec.settings["timeout_s"])):
                        return Reply(self._chat.without_key(await call(client)))
                except FAILURES as error:
                    return failed_reply(self._chat, error)

            reply = (await self._sender.send(attempt, tokens)).reply
        if reply.error_kind == "authentication":
            raise JudgeUnavailable(
                f"{self._who}: the endpoint of '{self._spec.judge_id}' refused the key: "
                f"{reply.error}; set {self._spec.settings['api_key_env']} to one that holds"
            )
        if reply.error_kind is not None:
            raise failed(f"{reply.error_kind}: {reply.error}")
        return reply.response or ""
