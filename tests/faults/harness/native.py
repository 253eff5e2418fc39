"""Building and arming `native.c`, where there are a C compiler and a Linux to preload it in."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).with_name("native.c")
_MODES = {"none": 0, "record": 1, "kill": 2, "full": 3}


def build(folder: Path) -> Path | None:
    """Compile the shim into a folder; None where that cannot be done."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not sys.platform.startswith("linux") or compiler is None:
        return None
    library = folder / "native.so"
    done = subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{SOURCE} does not compile: {done.stderr}")
    return library


def arm(mode: str, number: int, log: str, once: bool) -> None:
    library = ctypes.CDLL(None)
    library.rostrum_faults_arm(_MODES[mode], number, os.fsencode(log), int(once))
