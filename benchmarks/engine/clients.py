"""The clients that are compared, each run as a process: `python -m benchmarks.engine.clients NAME`.

Each prints its rate over all its requests, start of the process apart, and its peak memory.
"""

import argparse
import asyncio
import json
import time
from importlib import import_module
from pathlib import Path

from benchmarks.engine.endpoint import text
from benchmarks.processes import peak_mb


def sequential(url: str, requests: int, concurrency: int, folder: Path) -> float:
    """One request after the other, with the same client."""
    del concurrency, folder
    return asyncio.run(_bare(url, requests, 1))


def bare(url: str, requests: int, concurrency: int, folder: Path) -> float:
    """The client alone, as many at once as the engine has: nothing is kept, nothing is read."""
    del folder
    return asyncio.run(_bare(url, requests, concurrency))


async def _bare(url: str, requests: int, concurrency: int) -> float:
    from openai import AsyncOpenAI, DefaultAioHttpClient

    async with AsyncOpenAI(
        api_key="none", base_url=url, max_retries=4, http_client=DefaultAioHttpClient()
    ) as client:
        numbers = iter(range(requests))

        async def work() -> None:
            for number in numbers:
                completion = await client.chat.completions.create(
                    model="stub",
                    messages=[{"role": "user", "content": text(number)}],
                    temperature=0.0,
                    max_tokens=16,
                )
                assert completion.choices[0].message.content

        began = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(concurrency)))
        return requests / (time.perf_counter() - began)


def engine(url: str, requests: int, concurrency: int, folder: Path) -> float:
    """The whole engine, planning and the end of its journal included; but for imports, as above."""
    for name in ("aiohttp", "openai", "inference.judges.openai_chat"):
        import_module(name)
    from benchmarks.engine.made_up import made_elsewhere
    from inference.experiments import load_experiment
    from inference.registry import add_judge_text, spec_for
    from inference.runner import run

    settings = {"base_url": url, "concurrency": concurrency, "api_key_env": ""}
    judges = folder / "judges.toml"
    judges.write_text(add_judge_text("", "openai/stub", settings))
    source = made_elsewhere(folder, requests)
    began = time.perf_counter()
    summary = run(
        load_experiment("speech-score"),
        spec_for("openai/stub", judges, {}),
        [source],
        journal_root=folder / "journal",
        environ={},
    )
    seconds = time.perf_counter() - began
    assert (summary.status, summary.answered) == ("complete", requests)
    return requests / seconds


def inspect(url: str, requests: int, concurrency: int, folder: Path) -> float:
    """Inspect AI: the same prompts through its OpenAI provider, chat completions, one task."""
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate

    samples = [Sample(input=text(number), target="4", id=number) for number in range(requests)]
    task = Task(dataset=MemoryDataset(samples), solver=generate(), scorer=includes())
    began = time.perf_counter()
    (log,) = evaluate(
        task,
        model="openai/stub",
        model_base_url=url,
        model_args={"responses_api": False},
        log_dir=str(folder),
        display="none",
        max_connections=concurrency,
        max_samples=concurrency,
        temperature=0.0,
        max_tokens=16,
    )
    assert log.status == "success"
    return requests / (time.perf_counter() - began)


CLIENTS = {"bare": bare, "engine": engine, "sequential": sequential, "inspect": inspect}


def main() -> None:
    """Run one client and print what it measured."""
    parser = argparse.ArgumentParser()
    parser.add_argument("client", choices=sorted(CLIENTS))
    parser.add_argument("--url", required=True)
    parser.add_argument("--requests", type=int, required=True)
    parser.add_argument("--concurrency", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    options = parser.parse_args()
    per_s = CLIENTS[options.client](
        options.url, options.requests, options.concurrency, options.folder
    )
    print(json.dumps({"per_s": per_s, "peak_mb": peak_mb()}))


if __name__ == "__main__":
    main()
