"""The command line itself: how commands end, and what they say when they do."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from inference.experiments import list_experiments
from ingestion.load import load
from ingestion.speeches.readers.sample_speeches import sample_batch
from orchestration import cli
from orchestration.commands.runs import run as commands
from orchestration.commands.runs.plan import show_experiments
from tests.conftest import ROSTRUM, run_rostrum
from warehouse.home import PROJECT_ROOT, Home
from warehouse.writer import lock_holder

_WRONG = """\
no-such-command
ingest
ingest no-such-source --from x
ingest ddo --from no-such-file.json
ingest speeches
ingest study --name x
ingest sample --from x
ingest sample --max-rejected 0.1
ingest speeches --from . --scale 1-7
ingest speeches --from . --policy x
ingest speeches --from . --name x
ingest speeches --from . --check
ingest speeches --from . --split test
ingest ddo --from . --margin 1 --margin 2
ingest study --name x --items . --ratings . --models .
ingest study --name x --items . --ratings . --from .
ingest annotations --name x --people . --column text=body
ingest annotations --name x --people . --question 'How good is it?'
ingest annotations --name x --people . --as numbers
ingest study --name x --items . --ratings . --scale 5
ingest study --name x --items . --ratings . --column text=a --column text=b
import no-such-file.jsonl
curate no-such-folder --model openai/gpt-4.1
transcribe no-such-file.wav --title Final
verify no-such-transcript --by Ada
keypoints why --data no-such-data-set
judges add nobody/model
judges add openai/gpt-4.1 --set no_such_setting=1
judges add openai/gpt-4.1 --set temperature=0 --set temperature=1
run no-such-experiment --judge rule/length
run speech-score
run speech-score --judge nobody/model
run speech-score --judge rule/length --limit 0
run speech-score --judge rule/length --shards 0
run speech-score --judge rule/length --on spark
plan no-such-experiment --judge rule/length
tournament no-such-tournament
build no-such-argument
build --only no-such-subject
report --subject songs
decide nothing
sample my-study --labels anybody
sample my-study --labels people --policy x
plan labels
plan speech-score
experiments --format json --judge rule/length
build --only debates --full
reparse --out changes.csv --no-build
replicate no-such-paper
reparse --out no-such-folder/changes.csv
serve --dashboard-port not-a-port
sql 'select 1' --format no-such-format
export rpt_rank_agreement --format no-such-format
export rpt_rank_agreement --out no-such-folder/table.csv
status --no-such-option
doctor no-such-argument
"""


@pytest.mark.parametrize("command", _WRONG.splitlines())
def test_wrong_usage_exits_with_2_and_says_what_was_expected(
    home: Home, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["--home", str(home.root), *shlex.split(command)])
    assert caught.value.code == 2
    said = capsys.readouterr()
    assert said.err.strip()
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("speeches --from . --scale 1-7", "No such option: --scale"),
        ("ddo --from . --margin 1 --margin 2", "--margin is given 2 times"),
    ],
)
def test_an_option_that_is_not_used_or_given_twice_is_named(
    home: Home, command: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--home", str(home.root), "ingest", *command.split()])
    assert option in " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert not list(home.landing.iterdir())


@pytest.mark.parametrize("command", ["plan", "run"])
def test_a_misspelt_judge_is_refused_before_anything_is_written(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with pytest.raises(SystemExit) as caught:
        cli.main(["--home", str(home), command, "speech-score", "--judge", "simulated/faithfull"])
    assert caught.value.code == 2
    assert "the closest is simulated/faithful)" in capsys.readouterr().err
    assert list(home.iterdir()) == []


_OF_A_HOME = """\
run speech-score --judge rule/length
plan speech-score --judge rule/length
anchor run spring --judge rule/length
sample my-study
sql query
status
judges
build
"""


@pytest.mark.parametrize("command", _OF_A_HOME.splitlines())
def test_a_home_that_is_not_there_is_said_to_be_missing_and_not_made(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    home, arguments = tmp_path / "typo", command.split()
    with pytest.raises(SystemExit) as caught:
        cli.main(["--home", str(home), *arguments])
    assert caught.value.code == 2
    assert f"there is no home at {home}; " in capsys.readouterr().err
    assert not home.exists()
    with pytest.raises(SystemExit) as helped:
        cli.main(["--home", str(home), *arguments, "--help"])
    assert helped.value.code == 0


def test_adding_a_judge_makes_a_home(tmp_path: Path) -> None:
    home = Home(tmp_path / "new")
    with pytest.raises(SystemExit) as caught:
        cli.main(["--home", str(home.root), "judges", "add", "openai/gpt-4.1-mini"])
    assert caught.value.code == 0
    assert "openai/gpt-4.1-mini" in home.judges_file.read_text()


@pytest.mark.parametrize("home", ["/proc/x", "/dev/null/x"])
@pytest.mark.parametrize("arguments", [["ingest", "sample"], ["judges", "add", "openai/gpt-4.1"]])
def test_a_home_that_cannot_be_made_is_a_named_error(
    home: str, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["--home", home, *arguments])
    assert caught.value.code == 1
    assert capsys.readouterr().err.startswith(f"error: rostrum: {home}")


def test_what_fails_though_it_was_used_rightly_exits_with_1(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["--home", str(home.root), "sql", "select 1"])
    assert caught.value.code == 1
    assert "published" in capsys.readouterr().err


def test_ctrl_c_exits_with_130_and_says_how_to_go_on(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("orchestration.commands.reports.tables.status_report", interrupted)
    with pytest.raises(SystemExit) as caught:
        cli.main(["--home", str(home.root), "status"])
    assert caught.value.code == 130
    assert "the same command goes on" in capsys.readouterr().err


def test_failures_that_stand_are_not_said_to_be_asked_again() -> None:
    passing, standing = commands.after_failures({"rate_limited": 2, "context_overflow": 3})
    assert passing == "2 failed (rate_limited 2): run the same command to ask them again"
    assert standing.startswith("3 failed (context_overflow 3): ")
    assert "not asked again" in standing
    assert "run the same command" not in standing
    assert list(commands.after_failures({})) == []


@pytest.mark.parametrize("judge", ["rule/length", "simulated/faithful", "local/some-model"])
def test_what_answers_on_this_machine_is_said_to_be_no_charge(judge: str) -> None:
    for cost in ("$0.0000", "unknown"):
        assert commands.cost_as_text(judge, cost) == f"no charge: {judge} answers on this machine"
    assert commands.cost_as_text("openai/gpt-4.1", "$0.5000") == "cost $0.5000"
    assert commands.cost_as_text("openai/gpt-4.1", "unknown") == "cost unknown"


def test_experiments_lists_all_in_use_with_what_they_ask_and_cost(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    load(home, sample_batch())
    console = Console(width=240)
    show_experiments(home, "openai/gpt-4.1-mini", [], console)
    said = capsys.readouterr().out
    rows = {line.split()[1]: line for line in said.splitlines() if line.count("│") > 5}
    assert set(list_experiments()) <= set(rows)
    assert "llm-debate-bias" not in rows
    cells = [cell.strip() for cell in rows["speech-score"].split("│")][1:-1]
    assert cells[1:3] == ["speech", "1"]
    cost_in, cost_out, at_most = (float(cell.removeprefix("$")) for cell in cells[-3:])
    assert cost_in > 0
    assert 0 < cost_out < at_most
    assert [cell.strip() for cell in rows["debate-winner"].split("│")][-2] == "–"
    assert "debate-winner: " in said
    assert "cost out: expected by the form of the answer" in said


def test_ctrl_c_while_python_still_imports_ends_with_one_line(tmp_path: Path) -> None:
    scripts = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    module, _, function = scripts["rostrum"].partition(":")
    # The first thing that the command line imports takes its time, and loses exceptions.
    (tmp_path / "typer.py").write_text(
        "import time\nprint('importing', flush=True)\n"
        "try:\n    time.sleep(60)\nexcept BaseException as error:\n    raise ImportError from error\n"
    )
    # Whoever runs the tests in the background ignores Ctrl-C, and so would what they start.
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    begin = f"{heed}; from {module} import {function}; {function}()"
    process = subprocess.Popen(
        [sys.executable, "-c", begin, "doctor"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(PROJECT_ROOT)])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "importing\n"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, "stopped; nothing was begun\n")


def test_term_ends_a_load_as_ctrl_c_does_and_lets_go_of_the_warehouse(home: Home) -> None:
    stopped = """
import os, signal
from orchestration.commands import ingest
from orchestration.entry import main
from warehouse.writer import open_writer
def load(self, home, notify):
    with open_writer(home, "load"):
        os.kill(os.getpid(), signal.SIGTERM)
ingest.Sample.load = load
main()
"""
    process = subprocess.run(
        [sys.executable, "-c", stopped, "--home", str(home.root), "ingest", "sample"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert process.returncode == 130, process.stderr
    assert "what was finished is kept" in process.stderr
    log = json.loads((home.logs / "commands.jsonl").read_text())
    assert (log["assets"], log["outcome"]) == (["sources/sample"], "KeyboardInterrupt")
    assert lock_holder(home.build_lock) is None


def test_ctrl_c_ends_a_run_in_order_and_the_same_command_goes_on(home: Home) -> None:
    assert run_rostrum(home, "ingest", "sample", "--no-build").returncode == 0
    asked = ["run", "debate-winner", "--judge", "openai/slow"]
    home.judges_file.write_text(
        '[judges."openai/slow".settings]\nbase_url = "http://127.0.0.1:9"\napi_key_env = ""\n'
        "concurrency = 1\nmax_retries = 50\n"
    )
    process = subprocess.Popen(
        [str(ROSTRUM), "--home", str(home.root), *asked],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while not list(home.journal.glob("*/responses.jsonl")) and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    printed, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "run the same command again to go on" in said
    assert "rostrum build publishes what is there" in printed
    status = json.loads(
        (next(home.journal.iterdir()) / "responses.jsonl").read_text().splitlines()[-1]
    )
    assert status["status"] == "interrupted"
    assert run_rostrum(home, "status").stdout.count("writer     nobody") == 1
