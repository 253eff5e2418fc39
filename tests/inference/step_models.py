"""A model of a pipeline that replies by a rule, and fails where the rule raises."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from inference.judges.base import OfflineJudge, Reply
from inference.judges.request import Request
from inference.registry import spec_for
from inference.steps.asking import Answered, Model

SPEC = spec_for("openai/by-rule", None, {})
SPEC = replace(SPEC, settings={**SPEC.settings, "max_retries": 0})


class Failed(Exception):
    """A failure in place of a reply, of an error kind."""

    def __init__(self, error_kind: str, words: str = "by the test") -> None:
        super().__init__(words)
        self.error_kind = error_kind


class RuleJudge(OfflineJudge):
    def __init__(self, reply: Callable[[str], str]) -> None:
        self.prompts: list[str] = []
        self.reply = reply

    async def ask(self, request: Request) -> Reply:
        self.prompts.append(request.prompt)
        try:
            return Reply(self.reply(request.prompt), finish_reason="stop")
        except Failed as error:
            return Reply(error_kind=error.error_kind, error=str(error))


class RuleModel(Model):
    """Its prompts are kept; called with prompts it replies without a journal."""

    def __init__(self, reply: Callable[[str], str], identity: str = "rule") -> None:
        super().__init__(SPEC, RuleJudge(reply), identity, {})

    @property
    def prompts(self) -> list[str]:
        assert isinstance(self.judge, RuleJudge)
        return self.judge.prompts

    def __call__(self, prompts: Sequence[str]) -> list[Answered]:
        assert isinstance(self.judge, RuleJudge)
        self.prompts.extend(prompts)
        return [Answered(self.judge.reply(prompt)) for prompt in prompts]
