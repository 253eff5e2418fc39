"""A home that this user may not read or write: every command says so, where, and what to do."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from orchestration.cli import app
from warehouse.home import PROJECT_ROOT, Home

DRIVER = Path(__file__).with_name("permission_driver.py")
# Root may do everything unless these are taken away.
_RIGHTS = "-dac_override,-dac_read_search"
_WITHOUT_RIGHTS = ["setpriv", f"--bounding-set={_RIGHTS}", f"--inh-caps={_RIGHTS}"]
WRITES = {
    "demo": ["--no-serve"],
    "ingest": ["sample"],
    "import": ["{files}/scores.csv"],
    "curate": ["{files}", "--model", "openai/gpt-4.1", "--embedder", "openai/small"],
    "transcribe": ["{files}/final.wav", "--title", "Final", "--transcriber", "openai/whisper-1"],
    "keypoints": ["reasons", "--data", "sample", "--judge", "simulated/faithful"],
    "sample": ["sample", "--size", "3"],
    "run": ["speech-score", "--judge", "rule/length"],
    "build": [],
    "replicate": ["llm_debate_bias"],
    "reparse": [],
    "serve": [],
    "judges": ["add", "openai/gpt-4.1-mini"],
}
READS = {
    # These write as well, but ask for their stories or items first.
    # Without a lake there is nothing to write.
    "warehouse": ["move", "--to", "lake"],
    "anchor": ["make", "spring", "speech-score", "--dataset", "sample"],
    "tournament": ["sample-tournament"],
    "verify": ["final-1a2b3c4d", "--by", "Ada"],
    "plan": ["speech-score", "--judge", "rule/length"],
    "experiments": [],
    "request": ["d0a00702a2df2655"],
    "sql": ["select 1"],
    "export": ["rpt_run_health"],
    "report": ["--out", "{files}/study.html"],
    "decide": ["replace"],
    "status": [],
    "doctor": [],
    "compare": [],
}
KINDS = ("read-only", "read-only folders", "not readable")


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, list]]]:
    """How each command ended in each kind of home: its code, what it said, and the home."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and there is no setpriv here to change that")
    folder = tmp_path_factory.mktemp("permissions")
    for name in ("scores.csv", "final.wav"):
        (folder / name).write_text("item,judge,score\n")
    homes = {kind: folder / kind.replace(" ", "-") for kind in KINDS}
    for home in homes.values():
        Home(home).ensure()
        (home / "replication").mkdir()
    changed = {kind: [home, *home.rglob("*")] for kind, home in homes.items()}
    changed["read-only folders"].remove(homes["read-only folders"])
    changed["not readable"] = [homes["not readable"]]
    for kind, paths in changed.items():
        for path in paths:
            path.chmod(0 if kind == "not readable" else 0o555 if path.is_dir() else 0o444)
    commands = [
        ["--home", str(home), name, *(word.format(files=folder) for word in words)]
        for home in homes.values()
        for name, words in (WRITES | READS).items()
    ]
    done = subprocess.run(
        [*(_WITHOUT_RIGHTS if os.geteuid() == 0 else []), sys.executable, str(DRIVER)],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(PROJECT_ROOT)},
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, list]] = {kind: {} for kind in KINDS}
    for number, (code, said) in enumerate(json.loads(done.stdout)):
        kind = KINDS[number // len(WRITES | READS)]
        found[kind][commands[number][2]] = [code, said, str(homes[kind])]
    yield found
    for paths in changed.values():
        for path in paths:
            path.chmod(0o755 if path.is_dir() else 0o644)


def test_every_command_is_tried_here() -> None:
    known = typer.main.get_command(app)
    assert set(known.commands) == set(WRITES) | set(READS)  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", KINDS)
def test_a_command_that_writes_names_the_place_the_reason_and_the_way_out(
    ends: dict[str, dict[str, list]], kind: str
) -> None:
    for command in WRITES:
        code, said, home = ends[kind][command]
        last = said.strip().splitlines()[-1]
        assert code == 1, f"{command}: {said}"
        assert last.startswith(f"error: rostrum: {home}"), f"{command}: {said}"
        assert "cannot be read and written (Permission denied); give this user" in last, command
        assert last.endswith("choose another home with --home"), command


@pytest.mark.parametrize("kind", KINDS)
def test_a_command_that_reads_answers_or_ends_with_a_named_error(
    ends: dict[str, dict[str, list]], kind: str
) -> None:
    for command in READS:
        code, said, home = ends[kind][command]
        assert "Traceback" not in said, f"{command}: {said}"
        assert code in (0, 1, 2), f"{command}: {said}"
        last = said.strip().splitlines()[-1]
        if code and command != "doctor":
            assert last.startswith("error: "), f"{command}: {said}"
        if kind == "not readable":
            assert code == 1, command
            assert home in last, command
            assert "another home with --home" in last, command
