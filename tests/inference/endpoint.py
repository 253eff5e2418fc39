"""A real server on 127.0.0.1, for endpoints that tests talk to."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# A status under 100 is no reply: the connection ends behind the bytes.
Sent = tuple[int, dict[str, str], bytes]


class Endpoint:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._serve()

            def do_POST(self) -> None:
                self._serve()

            def _serve(self) -> None:
                status, headers, data = endpoint.serve(self, _body(self))
                if status < 100:
                    self.close_connection = True
                    self.wfile.write(data)
                    return
                try:
                    self.send_response(status)
                    for name, value in {"Content-Type": "application/json", **headers}.items():
                        self.send_header(name, value)
                    # A length of the test's own is a wrong one.
                    if "Content-Length" in headers:
                        self.close_connection = True
                    else:
                        self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    self.close_connection = True

            def log_message(self, *_: Any) -> None:
                """Nothing: the test looks at what was asked."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def serve(self, handler: BaseHTTPRequestHandler, data: bytes) -> Sent:
        raise NotImplementedError

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _body(handler: BaseHTTPRequestHandler) -> bytes:
    sent, data = handler.rfile, b""
    if handler.headers.get("Transfer-Encoding") != "chunked":
        return sent.read(int(handler.headers.get("Content-Length", 0)))
    while size := int(sent.readline(), 16):
        data += sent.read(size)
        sent.readline()
    sent.readline()
    return data
