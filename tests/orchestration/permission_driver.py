"""Runs commands one after the other, each in a fork of this process, and says how each ended.

Standard input holds a JSON list of argument lists; standard output gets a list of exit codes with
what was printed. The imports are paid for once.
"""

import json
import os
import sys
import tempfile
import traceback

import orchestration.definitions  # noqa: F401 - for the forks
from orchestration.cli import main


def ended(arguments: list[str]) -> tuple[int, str]:
    """Run one command in a fork."""
    with tempfile.TemporaryFile() as said:
        process = os.fork()
        if not process:
            for stream in (1, 2):
                os.dup2(said.fileno(), stream)
            code = 0
            try:
                main(arguments)
            except SystemExit as error:
                code = error.code if isinstance(error.code, int) else int(error.code is not None)
            except BaseException:
                traceback.print_exc()
                code = 99
            sys.stdout.flush()
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        said.seek(0)
        return code, said.read().decode()


if __name__ == "__main__":
    print(json.dumps([ended(arguments) for arguments in json.load(sys.stdin)]))
