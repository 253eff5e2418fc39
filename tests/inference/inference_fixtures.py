"""Made-up items with reference values, and a real endpoint on 127.0.0.1 that misbehaves on demand."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from inference.items import ItemSource

# Shown nowhere but in the reference file: a prompt that holds one has seen a human score.
SENTINEL = 3.14159

Reaction = tuple[int, dict[str, str], str]
HANG_UP: Reaction = (0, {}, "")
# A status of 1 sends the text alone, as if it were a whole reply.
NO_HTTP: Reaction = (1, {}, "this is no HTTP\r\n\r\n")


def completion(content: str | None = "<score>\n4\n</score>", **more: Any) -> Reaction:
    """Return what a well-behaved endpoint sends."""
    body = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": content},
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105},
        **more,
    }
    return 200, {}, json.dumps(body)


def failure(
    status: int, message: str, headers: dict[str, str] | None = None, **more: Any
) -> Reaction:
    """Return what an endpoint sends with a status other than 200."""
    return status, headers or {}, json.dumps({"error": {"message": message, **more}})


class Stub:
    """The endpoint. `react` gets each request's body and number and says what to send."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str] = []
        # What a test notes: how many requests had come, and what was answered by then.
        self.marks: list[tuple[int, set[str]]] = []
        self.react: Callable[[dict[str, Any], int], Reaction] = lambda body, number: completion()
        self._lock = threading.Lock()
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with stub._lock:
                    stub.bodies.append(body)
                    stub.keys.append(self.headers.get("Authorization", ""))
                    number = len(stub.bodies)
                status, headers, text = stub.react(body, number)
                data = text.encode()
                if status <= 1:
                    self.close_connection = True
                    self.wfile.write(data)
                    return
                try:
                    self.send_response(status)
                    for name, value in {"Content-Type": "application/json", **headers}.items():
                        self.send_header(name, value)
                    if "Content-Length" in headers:
                        self.close_connection = True
                    else:
                        self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def write_items(
    folder: Path,
    count: int = 12,
    *,
    dataset: str = "made-up",
    dimensions: tuple[str, ...] = ("goodopeningspeech",),
    scale: tuple[float, float] = (1.0, 5.0),
    texts: list[str] | None = None,
    means: list[float] | None = None,
) -> ItemSource:
    """Write an items file and its reference file as ingestion does."""
    target = folder / dataset
    target.mkdir(parents=True, exist_ok=True)
    rows, references = [], []
    for index in range(count):
        text = texts[index] if texts else f"Speech number {index}. " + "word " * (40 * index)
        for dimension in dimensions:
            rows.append(
                {
                    "item_id": f"{dataset}:{index:03}",
                    "item_hash": f"hash{index:03}",
                    "debate_id": f"{dataset}:topic-{index // 3}",
                    "motion": f"We should do thing {index // 3}",
                    "source": "Somebody",
                    "text": text,
                    "word_count": len(text.split()),
                    "dimension": dimension,
                    "question": f"Is its {dimension} high?",
                    "scale_min": scale[0],
                    "scale_max": scale[1],
                }
            )
            references.append(
                {
                    "item_id": f"{dataset}:{index:03}",
                    "dimension": dimension,
                    "mean_value": means[index] if means else SENTINEL,
                    "n_ratings": 15,
                }
            )
    items_file = target / f"{'ab' * 32}.parquet"
    reference_file = target / f"{'ab' * 32}.reference.parquet"
    pq.write_table(pa.Table.from_pylist(rows), items_file)
    pq.write_table(pa.Table.from_pylist(references), reference_file)
    pointer = {"items": items_file.name, "reference": reference_file.name, "rows": len(rows)}
    (target / "current.json").write_text(json.dumps(pointer))
    return ItemSource(dataset, items_file, reference_file)
