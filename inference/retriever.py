"""What a run needs of retrieval; who retrieves is given to it, and lives elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from inference.answers import Question
from inference.judges.base import Judge


class Retriever(Protocol):
    """Finds documents for questions.

    Attributes:
        is_trusted_only: Whether documents of other than trusted sources are left out.
    """

    is_trusted_only: bool

    def facts(self) -> Mapping[str, Any]:
        """Return everything that can change what is found, as JSON takes it.

        It is part of the id of every request that shows documents, and of the run's header.
        """
        ...

    def documents(self, question: Question) -> Sequence[str]:
        """Return the chunks to show with a question, best first; `vanilla` shows all of them."""
        ...

    def agent(self, judge: Judge) -> Judge:
        """Return a judge that answers requests whose retrieval is `react` by searching in between.

        Requests with another retrieval are handed on as they are.

        Args:
            judge: Who thinks and answers.
        """
        ...
