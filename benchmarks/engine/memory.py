"""What the engine's memory does as runs grow: 1,000 requests and 100,000, a process each.

Run `python -m benchmarks.engine.memory [--requests 100000]`. The limit is what must be known of a
request while its run lasts: its id of 64 characters and its place.
"""

from benchmarks.engine.endpoint import endpoint
from benchmarks.engine.throughput import run_client
from benchmarks.report import asked_for, write_result

FEW = 1000


def main() -> None:
    """Measure, print, and keep the result."""
    options = asked_for(__doc__, requests=100_000)
    with endpoint(1.0) as url:
        few = run_client("engine", url, FEW)
        many = run_client("engine", url, options.requests)
    write_result(
        "engine_memory",
        {
            "few_requests": FEW,
            "many_requests": options.requests,
            "few_peak_mb": few["peak_mb"],
            "many_peak_mb": many["peak_mb"],
            "growth_mb": many["peak_mb"] - few["peak_mb"],
            "limit_mb": options.requests * (64 + 16) / 2**20,
            "many_per_s": many["per_s"],
        },
    )


if __name__ == "__main__":
    main()
