"""Events that Rostrum writes are those Dagster's own storage reads, and the other way round."""

import dagster as dg
from dagster._core.storage.event_log.sqlite.sqlite_event_log import SqliteEventLogStorage

from orchestration.event_log import EventLog
from orchestration.instance import open_instance
from warehouse.home import Home

RUNS = 11  # more than are kept at hand


@dg.asset
def measured() -> dg.MaterializeResult[None]:
    return dg.MaterializeResult(metadata={"n": 3})


def test_dagsters_own_storage_reads_every_event_of_many_runs(home: Home) -> None:
    with open_instance(home) as instance:
        assert isinstance(instance.event_log_storage, EventLog)
        runs = [dg.materialize([measured], instance=instance).run_id for _ in range(RUNS)]
        ours = {run: [one.to_json() for one in instance.all_logs(run)] for run in runs}
        # The first run's events, once more, after later ones took its place.
        assert [one.to_json() for one in instance.all_logs(runs[0])] == ours[runs[0]]
    dagsters = SqliteEventLogStorage(str(home.dagster / "history" / "runs"))
    for run in runs:
        assert len(ours[run]) > 5
        assert [one.to_json() for one in dagsters.get_logs_for_run(run)] == ours[run]
    [record] = dagsters.get_asset_records([measured.key])
    latest = record.asset_entry.last_materialization_record
    assert latest is not None
    assert latest.run_id == runs[-1]


def test_what_another_process_wrote_is_seen_at_once(home: Home) -> None:
    with open_instance(home) as one, open_instance(home) as other:
        assert other.get_latest_materialization_event(measured.key) is None
        dg.materialize([measured], instance=one)
        event = other.get_latest_materialization_event(measured.key)
        assert event is not None
        assert event.asset_materialization is not None
        assert event.asset_materialization.metadata["n"].value == 3
