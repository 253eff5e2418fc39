"""Signing in to the dashboard at a provider: who may run, who may only read, and who may not."""

import html
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from dashboard.core.access import FILE
from tests.browser.conftest import browser, wait_until_up  # noqa: F401
from tests.inference.endpoint import Endpoint, Sent
from tests.scale.conftest import free_port
from tests.warehouse.test_publish import build
from warehouse.home import PROJECT_ROOT, Home
from warehouse.publish import publish

pytestmark = [
    pytest.mark.scale("authlib", "joserfc", "httpx"),
    pytest.mark.slow,
    pytest.mark.browser,
]
# What is waited for comes much sooner, but on a machine that stands still.
PATIENCE_MS = 120_000
RULES = 'run = ["ada@lab.example"]\nread = ["*@lab.example"]\n'
PEOPLE = {
    "ada": {"email": "ada@lab.example", "email_verified": True},
    "bob": {"email": "bob@lab.example", "email_verified": True},
    "eve": {"email": "eve@else.example", "email_verified": True},
    # At some providers anyone may claim to be Ada; they say that they have not checked.
    "mallory": {"email": "ada@lab.example", "email_verified": False},
}
CLIENT = "rostrum"
ASKED, MAY_NOT = "What is asked", "who may not read this dashboard"


class Provider(Endpoint):
    """An OpenID Connect provider, at which one says who one is by a click."""

    def __init__(self) -> None:
        from joserfc.jwk import RSAKey

        self._key = RSAKey.generate_key(2048, {"kid": "only", "alg": "RS256"})
        # By code, what was asked for and who was chosen.
        self._codes: dict[str, dict[str, str]] = {}
        super().__init__()

    def serve(self, handler: BaseHTTPRequestHandler, data: bytes) -> Sent:
        """Answer a browser that chooses, or a dashboard that asks who was chosen."""
        at = urlsplit(handler.path)
        asked = {name: values[0] for name, values in parse_qs(at.query or data.decode()).items()}
        name = at.path.rpartition("/")[2]
        if name == "authorize":
            return HTTPStatus.OK, {"Content-Type": "text/html"}, self._choice(asked)
        if name == "chosen":
            code = str(len(self._codes))
            self._codes[code] = asked
            back = urlencode({"code": code, "state": asked["state"]})
            return HTTPStatus.FOUND, {"Location": f"{asked['redirect_uri']}?{back}"}, b""
        if name == "keys":
            said: dict[str, Any] = {"keys": [self._key.as_dict(private=False)]}
        elif name == "token":
            said = self._token(self._codes[asked["code"]])
        else:
            said = self._configuration()
        return HTTPStatus.OK, {}, json.dumps(said).encode()

    def _configuration(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    def _choice(self, asked: dict[str, str]) -> bytes:
        page = "<!doctype html><title>Who are you?</title>"
        for name in PEOPLE:
            chosen = f"{self.url}/chosen?{urlencode(asked | {'who': name})}"
            page += f'<p><a href="{html.escape(chosen)}">{name}</a>'
        return page.encode()

    def _token(self, asked: dict[str, str]) -> dict[str, Any]:
        from joserfc import jwt

        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": asked["client_id"],
            "sub": asked["who"],
            "nonce": asked["nonce"],
            "iat": now,
            "exp": now + 3600,
            **PEOPLE[asked["who"]],
        }
        signed = jwt.encode({"alg": "RS256", "kid": "only"}, claims, self._key)
        return {"access_token": "made-up", "token_type": "Bearer", "id_token": signed}


@pytest.fixture
def provider() -> Iterator[Provider]:
    made = Provider()
    yield made
    made.close()


@pytest.fixture
def dashboard(home: Home, provider: Provider, tmp_path: Path) -> Iterator[str]:
    """The address of a dashboard as `serve --only dashboard` starts it, where people sign in."""
    build(home)
    publish(home, code_version="1")
    (home.root / FILE).write_text(RULES)
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    secrets = tmp_path / "user" / ".streamlit" / "secrets.toml"
    secrets.parent.mkdir(parents=True)
    secrets.write_text(
        f'[auth]\nredirect_uri = "{address}/oauth2callback"\ncookie_secret = "made-up-secret"\n'
        f'client_id = "{CLIENT}"\nclient_secret = "made-up"\n'
        f'server_metadata_url = "{provider.url}/.well-known/openid-configuration"\n'
    )
    call = (
        "from pathlib import Path; from orchestration.servers.parts import become; "
        "from warehouse.home import Home; "
        f"become(Home(Path({str(home.root)!r})), 'dashboard', dashboard_port={port}, "
        "dagster_port=0, code='127.0.0.1:1', dagster='')"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", call],
        cwd=PROJECT_ROOT,
        env={**os.environ, "HOME": str(secrets.parent.parent)},
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_until_up(address)
        yield address
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def test_whoever_signs_in_may_do_what_the_file_says(
    browser: Browser,  # noqa: F811
    dashboard: str,
) -> None:
    expect.set_options(timeout=PATIENCE_MS)
    for name, shown, hidden in (
        ("ada", ("ada@lab.example, who may run", ASKED), ("read-only", MAY_NOT)),
        ("bob", ("bob@lab.example, who may read", "read-only"), (ASKED, MAY_NOT)),
        ("eve", (f"eve@else.example, {MAY_NOT}",), (ASKED, "read-only")),
        ("mallory", (f"ada@lab.example, {MAY_NOT}",), (ASKED, "read-only")),
    ):
        # With cookies of their own.
        with browser.new_context() as context:
            context.set_default_timeout(PATIENCE_MS)
            page = context.new_page()
            page.goto(f"{dashboard}/start_run")
            page.get_by_role("button", name="Sign in").click()
            page.get_by_role("link", name=name, exact=True).click()
            # The provider leads back to the first page.
            expect(page.get_by_role("button", name="Sign out")).to_be_visible()
            page.goto(f"{dashboard}/start_run")
            for text in shown:
                expect(page.get_by_text(text).first).to_be_visible()
            for text in hidden:
                expect(page.get_by_text(text)).to_have_count(0)
            page.get_by_role("button", name="Sign out").click()
            expect(page.get_by_role("button", name="Sign in")).to_be_visible()
