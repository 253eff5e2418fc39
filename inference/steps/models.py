"""The model that a step asks: any judge that writes, behind a plain function of a prompt."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

from inference.errors import BadSettings, NoReply, NoReplyYet
from inference.judges import make_judge
from inference.judges.base import FINAL_KINDS, TRANSIENT_KINDS, AroundJudge, Judge, Reply, Request
from inference.kinds import KIND
from inference.prices import Prices
from inference.questions.answers import Generation, Question
from inference.registry import JudgeSpec, spec_for
from inference.templates import load_template

# What DebateQA's authors set for gpt-4-turbo (appendix A.3).
TEMPERATURE = 0.7
TOP_P = 0.7
# Twenty points of view, or an explanation of 300 words, with room to spare.
MAX_TOKENS = 4096

_ATTEMPTS = 6
_FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 60.0
# Any will do: what is sent is the prompt of the step, and no system turn.
_TEMPLATE = "qa_basic"
_CUT = "length"


class Model(AroundJudge):
    """A model to ask. An async context manager.

    Args:
        judge_id: Its id.
        judges_file: The `judges.toml` with its settings.
        environ: Where its key is read; the process's environment unless given.
        prices: What its tokens cost; the shipped prices unless given.
        temperature: The sampling temperature.
        top_p: Of the likeliest tokens, how much probability may be drawn from.
        max_tokens: The most tokens of a reply; one that is cut there counts as none.

    Raises:
        UnknownJudge: The id cannot be used.
        BadSettings: It takes its requests in bulk, or its settings are wrong.
    """

    def __init__(
        self,
        judge_id: str,
        judges_file: Path | None = None,
        environ: Mapping[str, str] | None = None,
        *,
        prices: Prices | None = None,
        temperature: float = TEMPERATURE,
        top_p: float = TOP_P,
        max_tokens: int = MAX_TOKENS,
    ) -> None:
        self._spec: JudgeSpec = spec_for(judge_id, judges_file, environ)
        judge: Judge = make_judge(self._spec, None, environ, prices)
        super().__init__(judge)
        if hasattr(judge, "ask_many"):
            raise BadSettings(
                f"steps: '{judge_id}' takes its requests in bulk, and each step needs the replies "
                "of the one before; use a judge that is asked at once"
            )
        self._way = Generation(_TEMPLATE, temperature, top_p)
        self._decoding = {"temperature": temperature, "top_p": top_p, "max_tokens": max_tokens}

    @property
    def identity(self) -> str:
        """Its id, settings and decoding: what decides its replies besides the prompt."""
        decoding = json.dumps(self._decoding, sort_keys=True)
        return f"{self._spec.judge_id} {self._spec.settings_hash} {decoding}"

    async def __call__(self, prompt: str) -> str:
        """Return the text of the reply to a prompt, having tried again where that may help.

        Raises:
            NoReply: There will never be one.
            NoReplyYet: There is none now.
        """
        return self.text_of(await self.reply(prompt))

    async def reply(self, prompt: str) -> Reply:
        """Return the reply to a prompt as it came, with what it used.

        Raises:
            NoReply: There will never be one.
            NoReplyYet: There is none now.
        """
        wait = _FIRST_WAIT_S
        for attempt in range(1, _ATTEMPTS + 1):
            reply = await self._judge.ask(self._request(prompt))
            if reply.error_kind is None:
                return reply
            if reply.error_kind in FINAL_KINDS:
                raise NoReply(f"{reply.error_kind}: {reply.error}")
            if reply.error_kind not in TRANSIENT_KINDS or attempt == _ATTEMPTS:
                break
            await asyncio.sleep(min(max(wait, reply.retry_after_s or 0.0), _LONGEST_WAIT_S))
            wait *= 2
        raise NoReplyYet(
            f"'{self._spec.judge_id}' gave no reply ({reply.error_kind}: {reply.error}); "
            "do the same again, it goes on from the replies that are kept"
        )

    def _request(self, prompt: str) -> Request:
        return Request(
            kind=KIND["question"],
            item=Question("curation", "curation:prompt", "", prompt, None),
            variant=self._way,
            template=load_template(_TEMPLATE),
            sample=0,
            prompt=prompt,
            decoding=self._decoding,
        )

    def text_of(self, reply: Reply) -> str:
        """Return a reply's text.

        Raises:
            NoReply: It was cut.
        """
        if reply.finish_reason == _CUT:
            raise NoReply(
                f"cut: the reply has more than {self._decoding['max_tokens']:g} tokens; raise "
                "max_tokens"
            )
        return reply.response or ""
