"""Answers with documents: found at once, or by a judge that searches before it answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from answer_fixtures import question, request, write_questions
from inference_fixtures import Stub, completion, failure

from inference.answers import Generation
from inference.documents import Document
from inference.embeddings import TfidfEmbedder
from inference.errors import BadSettings
from inference.experiments import load_experiment
from inference.journal import read_journal
from inference.judges.base import OfflineJudge, Reply, Request
from inference.judges.searching import FolderSearch, folder_search
from inference.registry import spec_for
from inference.retrieval import FolderRetriever
from inference.runner import run

DOCUMENTS = [
    Document("cars", "Cars take room; cars are banned elsewhere.", None, "org"),
    Document("shops", "Shops need customers.", None, "org"),
    Document("buses", "Buses need money <b>now</b>.", None, "com"),
    Document("trains", "Trains are on time.", None, "gov"),
]


class Judge(OfflineJudge):
    """A judge that answers by rule, and keeps what it was asked."""

    def __init__(self, reply: Callable[[Request], Reply]) -> None:
        self.requests: list[Request] = []
        self._reply = reply

    def identity(self, request: Request) -> dict[str, Any]:
        return {"prompt": request.prompt}

    async def ask(self, request: Request) -> Reply:
        self.requests.append(request)
        return self._reply(request)


def search(is_trusted_only: bool = False) -> FolderSearch:
    return folder_search(DOCUMENTS, "tfidf", is_trusted_only=is_trusted_only)


def asked(retrieval: str = "react", **changes: Any) -> Request:
    return replace(
        request(question(), Generation("qa_rag", retrieval=retrieval), "qa_rag"), **changes
    )


def by_rule(asked: Request) -> Reply:
    facts: dict[str, Any] = {"tokens_in": 10, "tokens_out": 2, "cost_usd": 0.5}
    if "You may search 2 more" in asked.prompt:
        return Reply("Nothing on buses.\nSearch: money for buses", **facts)
    if "You may search 1 more" in asked.prompt:
        return Reply("Answer", **facts)
    return Reply("Some say yes, some say no.", finish_reason="stop", **facts)


def test_a_judge_searches_and_then_answers_with_what_was_found() -> None:
    judge = Judge(by_rule)
    reply = asyncio.run(search().agent(judge).ask(asked()))
    assert reply.response == "Some say yes, some say no."
    assert (reply.tokens_in, reply.tokens_out, reply.cost_usd) == (30, 6, 1.5)
    last = judge.requests[-1]
    assert last.system == asked().system
    assert "Cars take room" in last.prompt
    assert "Buses need money <b>now</b>." in last.prompt
    assert last.prompt.index("Cars take room") < last.prompt.index("Buses need")
    assert "## Question:\nShould cars be banned?" in last.prompt
    assert [step["decision"] for step in reply.retrieval_steps] == ["question", "search", "answer"]
    assert reply.retrieval_steps[1]["query"] == "money for buses"
    assert "buses/1" in {name for step in reply.retrieval_steps for name in step["found"]}
    assert reply.retrieval_steps[1]["reply"] == "Nothing on buses.\nSearch: money for buses"


def test_an_untrusted_document_is_shown_only_where_all_are() -> None:
    judge = Judge(by_rule)
    asyncio.run(search(is_trusted_only=True).agent(judge).ask(asked()))
    assert all("Buses need money" not in each.prompt for each in judge.requests)
    assert search(is_trusted_only=True).is_trusted_only


@pytest.mark.parametrize("retrieval", ["none", "vanilla"])
def test_other_requests_are_handed_on_as_they_are(retrieval: str) -> None:
    judge = Judge(by_rule)
    agent = search().agent(judge)
    whole = asked(retrieval)
    asyncio.run(agent.ask(whole))
    assert judge.requests == [whole]
    assert agent.identity(whole) == judge.identity(whole)
    assert agent.identity(asked()) != judge.identity(asked())
    assert agent.concurrency == judge.concurrency


def test_a_step_that_fails_is_the_answers_failure_and_what_came_before_is_not_asked_again() -> None:
    failures = ["overloaded"]

    def reply(request: Request) -> Reply:
        if "You may search 1 more" in request.prompt and failures:
            return Reply(error_kind=failures.pop(), error="busy", retry_after_s=3)
        return by_rule(request)

    judge = Judge(reply)
    agent = search().agent(judge)
    assert asyncio.run(agent.ask(asked())).error_kind == "overloaded"
    again = asyncio.run(agent.ask(asked()))
    assert again.error_kind is None
    assert again.tokens_in == 30
    assert sum("You may search 2 more" in each.prompt for each in judge.requests) == 1
    # Another sample thinks for itself.
    asyncio.run(agent.ask(asked(sample=1)))
    assert sum("You may search 2 more" in each.prompt for each in judge.requests) == 2


def test_unknown_costs_stay_unknown() -> None:
    def reply(request: Request) -> Reply:
        return replace(by_rule(request), cost_usd=None if "2 more" in request.prompt else 0.5)

    found = asyncio.run(search().agent(Judge(reply)).ask(asked()))
    assert (found.cost_usd, found.tokens_in) == (None, 30)


def test_a_judge_in_bulk_cannot_search() -> None:
    class Bulk(Judge):
        def ask_many(self) -> None: ...

    with pytest.raises(BadSettings, match="in bulk"):
        search().agent(Bulk(by_rule))


def test_other_documents_are_other_facts() -> None:
    fewer = FolderSearch(FolderRetriever(DOCUMENTS[:2], TfidfEmbedder), is_trusted_only=False)
    assert fewer.facts() != search().facts() == search(is_trusted_only=True).facts()


def test_a_run_records_what_a_model_looked_for(tmp_path: Path, stub: Stub) -> None:
    def react(body: dict[str, Any], number: int) -> Any:
        prompt = body["messages"][-1]["content"]
        if number == 2:
            return failure(503, "busy", {"retry-after-ms": "1"})
        if "You may search" in prompt:
            return completion("Search: shops customers" if "2 more" in prompt else "Answer")
        return completion(f"Shops: {'Shops need' in prompt}")

    stub.react = react
    file = tmp_path / "judges.toml"
    file.write_text(
        '[judges."openai/mini".settings]\napi_key_env = ""\nconcurrency = 1\n'
        f'base_url = "{stub.url}"\nusd_per_million_tokens_in = 1.0\nusd_per_million_tokens_out = 1.0\n'
    )
    spec = spec_for("openai/mini", file, {})
    source = write_questions(tmp_path, 1)
    experiment = load_experiment("debatable-answers-retrieval")
    summary = run(
        experiment,
        spec,
        [source],
        journal_root=tmp_path / "journal",
        environ={},
        retriever=search(),
    )
    assert (summary.status, summary.answered) == ("complete", 3)
    (journal,) = (tmp_path / "journal").glob("*/responses.jsonl")
    found = {line["retrieval"]: line for line in read_journal(journal) if line["kind"] == "answer"}
    assert found["react"]["response"] == "Shops: True"
    assert [step["query"] for step in found["react"]["retrieval_steps"]][1] == "shops customers"
    assert found["react"]["tokens_in"] == 300
    assert found["react"]["cost_usd"] == pytest.approx(3 * 105e-6)
    assert found["vanilla"]["response"] == "Shops: True"
    assert "retrieval_steps" not in found["vanilla"]
    assert found["none"]["response"] == "Shops: False"
