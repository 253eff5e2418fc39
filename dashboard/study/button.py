"""The button with which a reader takes what a page shows along, as one file."""

import os
import subprocess
import sys
from urllib.parse import urlencode

import streamlit as st

from dashboard.core.widgets import is_whole
from dashboard.study.errors import StudyFailed
from warehouse.home import PROJECT_ROOT, find_home
from warehouse.reader import Version


def study_button(version: Version, subject: str) -> None:
    """Offer all views of a subject, with what is selected on the page, as one HTML file.

    Args:
        version: The published version that the page shows.
        subject: One of the five subjects.
    """
    if is_whole():
        return
    chosen = {name: st.query_params.get_all(name) for name in st.query_params}
    address = urlencode(chosen, doseq=True)
    st.download_button(
        "Download as a study (HTML)",
        # Made when asked for: it draws every view of the page, which takes up to a minute.
        data=lambda: _made(version, subject, address),
        file_name=f"rostrum_{subject}.html",
        mime="text/html",
        key=f"study_{subject}",
        on_click="ignore",
        icon=":material/description:",
        help=(
            "Every view of this page with what is selected, in one file: findings, charts, "
            "tables, methods, versions and citation. It opens without a network and prints to "
            "PDF. It takes up to a minute. The same as `rostrum report`."
        ),
    )


def _made(version: Version, subject: str, address: str) -> bytes:
    done = subprocess.run(
        [
            sys.executable,
            *("-m", "dashboard.study", f"--subject={subject}", f"--address={address}"),
            f"--version={version.name}",
        ],
        cwd=PROJECT_ROOT,
        env={**os.environ, "ROSTRUM_HOME": str(find_home().root)},
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise StudyFailed(done.stderr.decode(errors="replace").strip())
    return done.stdout
