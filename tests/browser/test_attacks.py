"""What a page of another site can make a real browser do to a server behind the gate."""

import http.server
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import uvicorn

from orchestration.servers.gate import Gate
from tests.browser.conftest import FLAGS, find_browser, find_firefox, without_browser

pytestmark = pytest.mark.browser
PATIENCE_S = 90
# Firefox sends no Sec-Fetch headers to a name over plain http, and neither does Chromium.
PREFERENCES = {
    "network.dns.localDomains": "rostrum.test,evil.test",
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "app.normandy.enabled": False,
    "dom.security.https_first": False,
    "dom.security.https_first_schemeless": False,
}
# Each sends by another way; `link` comes last, and is the one that may pass.
ATTACKS = """<meta name=referrer content=no-referrer><body><script>
const to = (path, by) => `http://TARGET${path}?query=mutation&by=${by}`;
const add = (tag, more) => document.body.append(Object.assign(document.createElement(tag), more));
for (const path of ['/graphql', '/page']) {
  add('img', {src: to(path, 'img')});
  add('script', {src: to(path, 'script')});
  add('link', {rel: 'stylesheet', href: to(path, 'style')});
  add('link', {rel: 'prefetch', href: to(path, 'prefetch')});
  add('object', {data: to(path, 'object')});
  add('embed', {src: to(path, 'embed')});
  add('iframe', {src: to(path, 'iframe')});
  add('iframe', {name: 'into' + path});
  for (const method of ['GET', 'POST']) {
    const form = Object.assign(document.createElement('form'), {
      method, target: 'into' + path, action: to(path, 'form-' + method)});
    form.innerHTML = `<input name=query value=mutation><input name=by value=form-${method}>`;
    document.body.append(form); form.submit();
    fetch(to(path, 'fetch-' + method), {method, mode: 'no-cors'}).catch(() => 0);
  }
  navigator.sendBeacon(to(path, 'beacon'));
  new WebSocket(to(path, 'socket').replace('http:', 'ws:'));
}
setTimeout(() => location = to('/page', 'link'), 3000);
</script>"""
BY = {"img", "script", "style", "object", "embed", "iframe", "form-POST", "fetch-GET"}
BY |= {"fetch-POST", "beacon", "socket"}
PAGE = b"<title>shown</title><script>fetch('/shown' + location.search)</script>"


class Served:
    """A server behind a gate, that answers every request with a page that reports itself."""

    def __init__(self, hosts: list[str]) -> None:
        self.sent: set[tuple[str, str]] = set()
        self.passed: set[tuple[str, str]] = set()
        self._gate = Gate(self._answer, hosts)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] in ("http", "websocket"):
            self.sent.add(_way(scope))
            await self._gate(scope, receive, send)

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        self.passed.add(_way(scope))
        if scope["type"] == "websocket":
            await send({"type": "websocket.close"})
            return
        headers = [(b"content-type", b"text/html")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": PAGE})


def _way(scope: Any) -> tuple[str, str]:
    by = parse_qs(scope["query_string"].decode()).get("by", [""])[-1]
    return scope["path"], by


@contextmanager
def attacked(name: str) -> Iterator[tuple[Served, str]]:
    """Serve under a name, and another site with the attacks; yield the server and that site."""

    class Elsewhere(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            if urlsplit(self.path).path == "/":
                self.wfile.write(ATTACKS.replace("TARGET", host).encode())

        def log_message(self, *_args: object) -> None:
            """Nothing."""

    config = uvicorn.Config(lambda *_: None, lifespan="off", log_level="error")
    config.port = 0
    listening = config.bind_socket()
    host = f"{name}:{listening.getsockname()[1]}"
    served = Served([host])
    config.app = served
    server = uvicorn.Server(config)
    threads = [threading.Thread(target=partial(server.run, [listening]))]
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as site:
        threads.append(threading.Thread(target=partial(site.serve_forever, 0.05)))
        for thread in threads:
            thread.start()
        yield served, f"http://evil.test:{site.server_port}/"
        server.should_exit = True
        site.shutdown()
        for thread in threads:
            thread.join()


def command_of(browser: str, profile: Path) -> list[str]:
    """Return the command that opens an address in a browser without a window."""
    if browser == "firefox":
        path = find_firefox() or without_browser("Firefox")
        lines = [
            f"user_pref({name!r}, {str(value).lower() if value is False else repr(value)});"
            for name, value in PREFERENCES.items()
        ]
        (profile / "user.js").write_text("\n".join(lines))
        return [path, "--headless", "--no-remote", "--profile", str(profile)]
    path = find_browser() or without_browser("Chromium or Chrome")
    rules = "--host-resolver-rules=MAP *.test 127.0.0.1"
    port = "--remote-debugging-port=0"
    return [path, "--headless=new", f"--user-data-dir={profile}", rules, port, *FLAGS]


@pytest.mark.parametrize("browser", ["chromium", "firefox"])
@pytest.mark.parametrize("name", ["127.0.0.1", "rostrum.test"])
def test_a_page_of_another_site_can_link_and_do_nothing_else(
    browser: str, name: str, tmp_path: Path
) -> None:
    command = command_of(browser, tmp_path)
    with attacked(name) as (served, site):
        with (tmp_path / "log").open("wb") as log:
            running = subprocess.Popen(
                [*command, site], stdout=log, stderr=log, env={**os.environ, "HOME": str(tmp_path)}
            )
        try:
            until = time.monotonic() + PATIENCE_S
            while ("/shown", "link") not in served.passed:
                assert time.monotonic() < until, (tmp_path / "log").read_text()[-2000:]
                time.sleep(0.1)
        finally:
            running.kill()
            running.wait()
        sent, passed = served.sent, served.passed
    # The attacks were made, by every way.
    assert {by for path, by in sent if path == "/graphql"} >= BY
    assert not {way for way in passed if way[0] == "/graphql"}
    # A page of this server is shown in a tab, and in no frame.
    assert {by for path, by in passed if path == "/shown"} == {"link"}
    if name == "127.0.0.1":
        assert {by for path, by in passed if path == "/page"} == {"link"}
    else:
        assert not {by for _, by in passed} & {"form-POST", "fetch-POST", "beacon", "socket"}
