"""One request as it was: the prompt, every line of its journal, and how it was set up.

Journals keep no prompt. It is made again from the experiment, the judge's settings, the prompt
files and the items of now, and shown only where its request id is the same: the id is a hash of all
that was sent.
"""

from pathlib import Path
from typing import Any

from inference.errors import InferenceError
from inference.experiments import load_experiment
from inference.items import find_item_sources
from inference.journal import read_journal
from inference.plan import plan_runs
from inference.registry import spec_for
from orchestration.commands.runs.plan import options_of
from orchestration.errors import UnknownRequest
from warehouse.home import Home
from warehouse.reader import current_version, run_query

_OF_RUN = (
    "run_id",
    "experiment",
    "judge_id",
    "settings",
    "decoding",
    "dataset_id",
    "item_file",
    "code_version",
    "parser_version",
)


def request_trace(home: Home, wanted: str) -> dict[str, Any]:
    """Return the record of a request as JSON."""
    found = run_query(
        current_version(home),
        "select request_id, dim_response.run_id, dim_response.source_file, experiment "
        "from dim_response left join dim_run using (run_id) "
        "where request_id = ? or response_id = ? "
        "order by response_id = ? desc, response_id limit 1",
        [wanted, wanted, wanted],
    ).rows
    if not found:
        raise UnknownRequest(
            f"request: no answer of the published version has the request '{wanted}'; find one "
            "with rostrum sql 'select request_id from dim_response limit 10'"
        )
    request_id, run_id, source_file, experiment = found[0]
    journal = home.root / str(source_file)
    trace = {"request_id": request_id, "run_id": run_id, "experiment": experiment}
    if not str(source_file).startswith("journal/") or not journal.is_file():
        return {
            **trace,
            "lines": [],
            "prompt": None,
            "why_no_prompt": "the answer was imported from a file, which keeps no prompt",
        }
    header, lines = _of_journal(journal, request_id)
    return {
        **trace,
        "run": {name: header[name] for name in _OF_RUN if name in header},
        "lines": lines,
        **_sent(home, header, request_id),
    }


def _of_journal(path: Path, request_id: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the last header of a run, and every line about a request."""
    header: dict[str, Any] = {}
    lines = []
    for line in read_journal(path):
        if line["kind"] == "run":
            header = line
        elif line.get("request_id") == request_id:
            lines.append(line)
    return header, lines


def _sent(home: Home, header: dict[str, Any], request_id: str) -> dict[str, Any]:
    try:
        runs = plan_runs(
            load_experiment(header["experiment"], [home.experiments]),
            spec_for(header["judge_id"], home.judges_file),
            find_item_sources(home.items, [header["dataset_id"]]),
            journal_root=home.journal,
            **options_of(home, is_offline=True),
        )
    except (InferenceError, KeyError) as error:
        return {"prompt": None, "why_no_prompt": f"it cannot be made again: {error}"}
    for run in runs:
        if request_id in run.requests:
            request = run.requests[request_id]
            return {"prompt": request.prompt, "system": request.system}
    return {
        "prompt": None,
        "why_no_prompt": (
            "a text, a prompt file, the experiment or the judge's settings have changed since it "
            "was sent, so what would be made again is not what was sent"
        ),
    }
