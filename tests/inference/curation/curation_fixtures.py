"""Made-up questions, documents and a model that answers by rule."""

from __future__ import annotations

from collections.abc import Callable

from inference.curation.records import Evidence, Question
from inference.documents import Document


def question(number: int = 1, text: str = "Should towns ban cars?") -> Question:
    return Question(f"made-up:{number}", text, "made-up")


def document(name: str, text: str | None = None, domain: str | None = "org") -> Document:
    return Document(name, text or f"What {name} has to say.", None, domain, name.title())


def evidence(question_id: str, *names: str) -> list[Evidence]:
    return [
        Evidence(question_id, position, 1.0 / position, document(name))
        for position, name in enumerate(names, start=1)
    ]


class Model:
    """A model whose reply is a function of the prompt; it keeps what it was asked."""

    def __init__(self, reply: Callable[[str], str]) -> None:
        self.prompts: list[str] = []
        self._reply = reply

    async def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        return self._reply(prompt)
