"""No request of a shipped experiment changes its id: answers are paid for by these ids.

`python -m tests.inference.test_request_ids` records them anew. A difference means that everybody's
recorded answers would be asked for, and paid for, again: it takes a reason.
"""

import hashlib
import itertools
import json
import tempfile
from dataclasses import replace
from pathlib import Path

from inference.errors import BadItems, UnknownJudge
from inference.experiment import Experiment
from inference.experiments import SUPERSEDED, definition_hash, list_experiments, load_experiment
from inference.items import ItemSource, find_item_sources
from inference.plan import PlannedRun, plan_runs
from inference.registry import JudgeSpec, spec_for
from inference.runner import run
from ingestion.ingest import ingest
from ingestion.journals import load_journals
from warehouse.home import Home

RECORDED = Path(__file__).with_name("request_ids.json")
# What is sent, by three ways of holding a model to its answer, and what others look at instead. The
# ids of judges that compare by a package hold its version, and are left out.
_JUDGES_TOML = """
[judges."openai/held"]
[judges."openai/held".settings]
answer_format = "json_schema"
[judges."openai/choosing"]
[judges."openai/choosing".settings]
answer_format = "choice"
system_prompt = "You judge."
"""
_JUDGES = """
    openai/plain openai/held openai/choosing local/some/model rule/length rule/longer-side
    rule/speaking-order rule/cache-model simulated/faithful simulated/fair simulated/even-handed
    simulated/attentive simulated/chair simulated/debater-strong simulated/oversight-calibrated
    simulated/speaker-plain
"""
_ITEMS = 3


def recorded_now(folder: Path) -> dict[str, dict[str, str]]:
    """Return a hash of all request ids in the order of asking, by experiment, judge and data set."""
    home = Home(folder).ensure()
    ingest(home, "sample")
    home.judges_file.write_text(_JUDGES_TOML)
    # Nobody has debated the sample's stories yet, and transcripts are judged.
    for name in ("story-debate", "story-consultancy"):
        run(
            load_experiment(name),
            spec_for("simulated/debater-strong", home.judges_file),
            find_item_sources(home.items, ["sample-stories"]),
            journal_root=home.journal,
            limit=2,
        )
    load_journals(home)
    names = [*list_experiments(), *(path.stem.replace("_", "-") for path in _superseded())]
    sources = find_item_sources(home.items)
    specs = [spec_for(judge_id, home.judges_file, {}) for judge_id in _JUDGES.split()]
    found: dict[str, dict[str, str]] = {}
    for experiment in map(load_experiment, names):
        for spec, source in itertools.product(specs, sources):
            for plan in _plans(experiment, spec, source, home):
                hashes = found.setdefault(experiment.name, {"": definition_hash(experiment)})
                hashes[f"{spec.judge_id}, {source.dataset_id}"] = _sha256([*plan.requests])
    return found


def _superseded() -> list[Path]:
    return sorted(SUPERSEDED.glob("*.toml"))


def _plans(
    experiment: Experiment, spec: JudgeSpec, source: ItemSource, home: Home
) -> list[PlannedRun]:
    if experiment.kind not in spec.kinds:
        return []
    # The sample has too few debates for the published studies' samples.
    sampling = experiment.options.sampling
    if getattr(sampling, "method", "all") != "all":
        options = replace(experiment.options, sampling=replace(sampling, method="all"))
        experiment = replace(experiment, options=options)
    try:
        return plan_runs(
            experiment,
            spec,
            [source],
            limit=_ITEMS,
            environ={"OPENAI_API_KEY": "sk-made-up"},
            judges_file=home.judges_file,
        )
    except (BadItems, UnknownJudge):
        return []


def _sha256(texts: list[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def test_the_requests_of_shipped_experiments_keep_their_ids(home: Home) -> None:
    recorded = json.loads(RECORDED.read_text("utf-8"))
    now = recorded_now(home.root)
    assert now.keys() == recorded.keys()
    for name, hashes in recorded.items():
        assert now[name] == hashes, name


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        RECORDED.write_text(json.dumps(recorded_now(Path(folder)), indent=0) + "\n", "utf-8")
