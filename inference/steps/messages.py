"""Messages that follow each other within one request: kept as replies come, and never sent twice.

The prompts of a pipeline are requests of their own (`asking`). Messages within a request are lines
of kind `step` in the run's journal, which `Request.keep_step` writes; a request that is asked again
has them in `finished_steps`.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from inference.errors import InferenceError
from inference.judges.base import COUNTED, Judge, Reply, reply_of, summed
from inference.judges.request import Request
from inference.tokens import at_least

_NOTHING: dict[str, Any] = dict.fromkeys(COUNTED, 0)


class MessageFailed(InferenceError):
    """An endpoint brought a failure instead of a reply."""

    def __init__(self, model_id: str, reply: Reply) -> None:
        super().__init__(reply.error or "")
        self.model_id = model_id
        self.reply = replace(reply, error=f"{model_id}: {reply.error}")


class Messages:
    """The messages on the way to the answer of one request, with the steps done, in order."""

    def __init__(self, request: Request) -> None:
        self._known = {step["key"]: step for step in request.finished_steps}
        self._keep = request.keep_step
        self._omitted: dict[str, None] = {}
        self.steps: list[Mapping[str, Any]] = []

    async def ask(
        self, key: str, model_id: str, judge: Judge, request: Request, window: int | None = None
    ) -> Mapping[str, Any]:
        """Return one message's step, which may be from an earlier attempt.

        Args:
            key: Identifies the message, together with the hash of what is sent.
            window: The most tokens of prompt and reply together; None where it is unknown.

        Raises:
            MessageFailed: There is no reply.
        """
        sent = f"{request.system}\n\n{request.prompt}".encode("utf-8", "replace")
        asked = hashlib.sha256(sent).hexdigest()
        step = self._known.get(key)
        if step is None or step["asked"] != asked:
            reply = _unsent(request, window) or await judge.ask(
                replace(request, finished_steps=(), keep_step=None)
            )
            self._omitted |= dict.fromkeys(reply.omitted_parameters)
            if reply.error_kind == "filtered":
                reply = replace(reply, response="", error_kind=None, finish_reason="content_filter")
            elif reply.error_kind is not None:
                raise MessageFailed(model_id, reply)
            step = {
                "key": key,
                "asked": asked,
                "model_id": model_id,
                "reply": reply.response or "",
                "finish_reason": reply.finish_reason,
                **{name: getattr(reply, name) for name in COUNTED},
            }
            if self._keep is not None:
                await self._keep(step)
        self.steps.append(step)
        return step

    def summed(self, last: Reply) -> Reply:
        """Return the request's reply with its steps, and what they used that no line has counted.

        Args:
            last: The failure of the last message, or the outcome.
        """
        if last.error_kind is None:
            last = replace(last, **_NOTHING)
        before = [
            reply_of({**step, **_NOTHING} if step.get("is_counted") else step)
            for step in self.steps
        ]
        whole = summed([*before, last], tuple(self.steps))
        return replace(whole, omitted_parameters=tuple(self._omitted))


def _unsent(request: Request, window: int | None) -> Reply | None:
    """Return the failure of a prompt that is certainly over the window."""
    least = at_least(request.sent)
    if window is None or least <= window:
        return None
    words = (
        f"the prompt has {len(request.sent):,} characters, at least {least:,} tokens, and the "
        f"window is {window:,}; it was not sent"
    )
    return Reply(error_kind="context_overflow", error=words, cost_usd=0.0, is_sent=False)
