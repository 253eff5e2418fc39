"""A chat endpoint that answers every request after a fixed time, in a process of its own.

Written on bare asyncio protocols, so that the client is what is measured. Run by itself it prints
its address: `python -m benchmarks.endpoint --latency-ms 50`.
"""

import argparse
import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

PROMPT_WORDS = 600
CONTENT = "<score>\n4\n</score>"
_BODY = json.dumps(
    {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": CONTENT},
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105},
    }
).encode()
_REPLY = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
    + str(len(_BODY)).encode()
    + b"\r\n\r\n"
    + _BODY
)


def text(number: int) -> str:
    """Return a text of a speech's length to ask about, different for each number."""
    return f"Speech number {number}. " + "word " * PROMPT_WORDS


class _Connection(asyncio.Protocol):
    def __init__(self, latency_s: float) -> None:
        self._latency_s = latency_s
        self._received = bytearray()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._received[:end]).lower()
            start = head.find(b"content-length:")
            length = int(head[start + 15 :].split(b"\r\n", 1)[0]) if start >= 0 else 0
            if len(self._received) < end + 4 + length:
                return
            del self._received[: end + 4 + length]
            asyncio.get_running_loop().call_later(self._latency_s, self._reply)

    def _reply(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(_REPLY)


@contextmanager
def endpoint(latency_ms: float) -> Iterator[str]:
    """Run the endpoint in another process and yield its base address."""
    command = [sys.executable, "-m", "benchmarks.endpoint", "--latency-ms", str(latency_ms)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.kill()


async def _serve(latency_s: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Connection(latency_s), "127.0.0.1", 0, backlog=1024)
    port = server.sockets[0].getsockname()[1]
    print(f"http://127.0.0.1:{port}/v1", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency-ms", type=float, default=50.0)
    asyncio.run(_serve(parser.parse_args().latency_ms / 1000))
