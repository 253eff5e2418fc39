"""A model's replies, kept: what was answered is never asked, or paid for, again.

They lie in a journal of their own, one line per reply, found by the hash of the model's name and
the prompt. It survives being stopped anywhere, as every journal does.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from inference.errors import NoReply
from inference.journal import FILE_NAME, Journal, read_journal
from inference.runs.lines import timestamp

Ask = Callable[[str], Awaitable[str]]

_KIND = "reply"


class Replies:
    """A model behind a folder of replies. An async context manager.

    Args:
        model: What decides a reply besides the prompt: the model's id and settings, as text.
        ask: Asks the model at its pace; raises `NoReply` where there will never be a reply, and
            anything else where it is worth trying again.
    """

    def __init__(self, folder: Path, model: str, ask: Ask) -> None:
        self._folder = folder
        self._model = model
        self._ask = ask
        self._known: dict[str, str] = {}
        self._journal: Journal | None = None

    async def __aenter__(self) -> Self:
        self._journal = Journal.open(self._folder)
        for line in read_journal(self._folder / FILE_NAME):
            if line["kind"] == _KIND:
                self._known[line["request_id"]] = line["response"]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    async def __call__(self, prompt: str) -> str:
        """Return the reply to a prompt: the one that is known, else the model's."""
        if self._journal is None:
            raise RuntimeError("replies: asked before the folder was opened")
        request_id = request_id_of(self._model, prompt)
        if request_id not in self._known:
            # Half a surrogate pair is valid in JSON, and in nothing that reads a journal.
            reply = (await self._ask(prompt)).encode("utf-8", "replace").decode("utf-8")
            line = {
                "kind": _KIND,
                "request_id": request_id,
                "model": self._model,
                "response": reply,
                "answered_at": timestamp(),
            }
            await self._journal.append(line)
            self._known[request_id] = reply
        return self._known[request_id]


def request_id_of(model: str, prompt: str) -> str:
    """Return what a reply is found by in its journal."""
    return hashlib.sha256(f"{model}\n{prompt}".encode("utf-8", "replace")).hexdigest()


class Answered(NamedTuple):
    """What came of a prompt.

    Attributes:
        text: The reply; empty where there is none.
        failure: Why there is none, as text; None where there is one.
    """

    text: str
    failure: str | None = None


async def ask_all(prompts: Sequence[str], ask: Ask) -> list[Answered]:
    """Return what came of prompts, in their order.

    Where one fails the others still come to an end, so that their replies are kept.
    """
    replies = await asyncio.gather(*(ask(prompt) for prompt in prompts), return_exceptions=True)
    found = []
    for reply in replies:
        if isinstance(reply, NoReply):
            found.append(Answered("", str(reply)))
        elif isinstance(reply, BaseException):
            raise reply
        else:
            found.append(Answered(reply))
    return found
