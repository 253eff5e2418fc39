"""A stand-in for a server: says on its log what it does, as the real ones do, and starts fast.

`python -m fake_server PORT [BEHAVIOUR ...]`, with the behaviours:
`slow` serves after a second; `silent` never serves; `crash` ends before it serves; `crash-later` ends a second after;
`stubborn` starts a descendant that ignores INT and TERM.
"""

import http.server
import subprocess
import sys
import threading
import time

STUBBORN = (
    "import signal, time;"
    "[signal.signal(n, signal.SIG_IGN) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)];"
    "print('stubborn', flush=True); time.sleep(600)"
)


class Healthy(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_args: object) -> None:
        """Nothing: the log is for the behaviours."""


def main(port: int, behaviours: list[str]) -> None:
    if "stubborn" in behaviours:
        subprocess.Popen([sys.executable, "-c", STUBBORN])
    if "silent" in behaviours:
        time.sleep(600)
    if "slow" in behaviours:
        time.sleep(1)
    if "crash" in behaviours:
        sys.exit("no such luck")
    try:
        server = http.server.HTTPServer(("127.0.0.1", port), Healthy)
    except OSError as error:
        sys.exit(f"error while attempting to bind: {error}")
    print("now serving", flush=True)
    if "crash-later" in behaviours:
        threading.Timer(1, lambda: (print("out of luck"), server.shutdown())).start()
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        return
    sys.exit(7)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
