"""Output of runs: kept in files, as Dagster does, and shown by a thread of the same process."""

import os
import shutil
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Self, TextIO

from dagster._core.execution.compute_logs import redirect_to_file
from dagster._core.storage.compute_log_manager import CapturedLogContext, ComputeIOType
from dagster._core.storage.local_compute_log_manager import (
    IO_TYPE_EXTENSION,
    LocalComputeLogManager,
)
from dagster._serdes import ConfigurableClassData
from dagster._utils import ensure_file, touch_file

_MOMENT_S = 0.1


class ComputeLogs(LocalComputeLogManager):
    """Dagster's local files of what runs print.

    Dagster shows them by four processes of each run: `tail` for each stream, and a Python for each
    `tail` that ends it when the run is gone. A command killed before that Python is started leaves
    a `tail` for ever. A thread ends with its process.
    """

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> Self:
        """Return the manager of `dagster.yaml`; Dagster's own method makes one of its own class."""
        return cls(inst_data=inst_data, **config_value)

    @contextmanager
    def capture_logs(self, log_key: Sequence[str]) -> Iterator[CapturedLogContext]:
        """Keep and show what is printed meanwhile, by this process and those it starts."""
        streams = {ComputeIOType.STDOUT: sys.stdout, ComputeIOType.STDERR: sys.stderr}
        with ExitStack() as stack:
            for kind, stream in streams.items():
                path = self.get_captured_local_path(log_key, IO_TYPE_EXTENSION[kind])
                ensure_file(path)
                stack.enter_context(_show(path, stream))
                stack.enter_context(redirect_to_file(stream, path))
            yield CapturedLogContext(log_key)
        touch_file(self.get_captured_local_path(log_key, "complete"))


@contextmanager
def _show(path: str, stream: TextIO) -> Iterator[None]:
    """Copy what comes into the file to where the stream goes now, until the end."""
    try:
        target = os.dup(stream.fileno())
    except OSError:  # A stream that is no file is not redirected, either.
        yield
        return
    is_over = threading.Event()

    def copy() -> None:
        # Whoever read what is shown may have gone; the file is written all the same.
        with suppress(OSError), os.fdopen(target, "wb") as shown, open(path, "rb") as log:
            while not is_over.wait(_MOMENT_S):
                shutil.copyfileobj(log, shown)
                shown.flush()
            shutil.copyfileobj(log, shown)

    thread = threading.Thread(target=copy, name="compute-log", daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
