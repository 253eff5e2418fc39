"""The proxy that the documents show before both servers: nginx takes its settings as they are."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.scale.conftest import free_port
from warehouse.home import PROJECT_ROOT

pytestmark = pytest.mark.scale
# Debian keeps it out of the path of those who do not administer.
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")


@pytest.mark.skipif(NGINX is None, reason="needs Debian's package nginx")
def test_nginx_takes_the_settings_that_are_shown(tmp_path: Path) -> None:
    page = (PROJECT_ROOT / "docs" / "scale.md").read_text()
    shown = re.search(r"```nginx\n(.*?)```", page, re.DOTALL)
    assert shown is not None
    # There is no certificate here, and not everybody may listen on the port of HTTPS.
    plain = re.sub(r"\n *ssl_certificate\S* [^;]*;", "", shown[1])
    plain = plain.replace("listen 443 ssl;", f"listen 127.0.0.1:{free_port()};")
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = " ".join(f"{kind}_temp_path {tmp_path / kind};" for kind in kinds)
    settings = tmp_path / "nginx.conf"
    settings.write_text(
        f"pid {tmp_path}/pid; error_log stderr; events {{}} "
        f"http {{ access_log off; {places}\n{plain}}}\n"
    )
    done = subprocess.run(
        [str(NGINX), "-t", "-e", "stderr", "-c", str(settings)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
