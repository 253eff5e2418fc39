"""How fast does the engine ask, beside the bare client?

Each is a process of its own against one endpoint that answers after 50 ms, in turn; the median of
the ratios counts. The engine does all it always does: it plans, paces, parses, and reports no
answer before its fsync. The limit is concurrency / latency; the memory is that of 5,000 requests.
"""

import asyncio
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.endpoint import endpoint, text
from benchmarks.harness import Budget
from benchmarks.processes import apart, peak_mb

BUDGETS = (
    Budget("the bare client's requests over the engine's", 1.25, "bare_to_engine", "times"),
    Budget("memory of a run of 5,000 requests", 200, "engine_peak_mb", "MB", "bare_peak_mb"),
)
LATENCY_MS = 50.0
CONCURRENCY = 64
Found = dict[str, float]


def bare(url: str, requests: int) -> Found:
    """Ask with the client alone, as many at once as the engine; keep and read nothing."""
    return {"per_s": asyncio.run(_bare(url, requests, CONCURRENCY)), "peak_mb": peak_mb()}


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


def engine(url: str, requests: int) -> Found:
    """Ask with the whole engine, planning and the end of its journal included, imports not."""
    import inference.judges.openai_chat  # noqa: F401
    from benchmarks.made_up_items import made_elsewhere
    from inference.experiments import load_experiment
    from inference.registry import add_judge_text, spec_for
    from inference.runner import run

    settings = {"base_url": url, "concurrency": CONCURRENCY, "api_key_env": ""}
    with TemporaryDirectory() as name:
        folder = Path(name)
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
    return {"per_s": requests / seconds, "peak_mb": peak_mb()}


def measure(requests: int = 5000, pairs: int = 5) -> dict[str, Any]:
    """Ask both ways in turn, so many times."""
    clients: tuple[Callable[[str, int], Found], ...] = (bare, engine)
    found: dict[str, list[Found]] = {each.__name__: [] for each in clients}
    with endpoint(LATENCY_MS) as url:
        for _ in range(pairs):
            for client in clients:
                found[client.__name__].append(apart(client, url, requests))
    both = zip(found["bare"], found["engine"], strict=True)
    return {
        "requests": requests,
        "concurrency": CONCURRENCY,
        "latency_ms": LATENCY_MS,
        "limit_per_s": CONCURRENCY / LATENCY_MS * 1000,
        **{
            f"{name}_{figure}": round(statistics.median(run[figure] for run in runs), 1)
            for name, runs in found.items()
            for figure in ("per_s", "peak_mb")
        },
        "bare_to_engine": round(
            statistics.median(alone["per_s"] / whole["per_s"] for alone, whole in both), 3
        ),
    }
