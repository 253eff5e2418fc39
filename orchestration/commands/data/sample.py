"""What `rostrum sample` does: draw a random sample for people to label, or end one."""

import json
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from orchestration.console import Say, State, say
from orchestration.operation import Build
from warehouse.home import Home


def sample(
    name: Annotated[
        str, typer.Argument(help="The data set to draw from; with --close, the sample to end.")
    ],
    size: Annotated[int, typer.Option(min=1, help="How many items are drawn.")] = 60,
    dimension: Annotated[
        str | None,
        typer.Option(
            help="What is scored, 'winner' or 'dispute_awareness'; the data set's only one if "
            "absent."
        ),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            help="Only speeches of this speaker, answers of this model, or debates of a log "
            "between these; of all if absent. Repeatable."
        ),
    ] = None,
    strata: Annotated[
        str | None,
        typer.Option(
            help="Draw in proportion from each source (speeches, answers, pairs of a log) or "
            "category (debates)."
        ),
    ] = None,
    labels: Annotated[
        str,
        typer.Option(
            help="campaign: people label the items from now on; people: take the labels the data "
            "set has."
        ),
    ] = "campaign",
    raters: Annotated[int, typer.Option(min=1, help="How many people label each item.")] = 1,
    policy: Annotated[
        str | None,
        typer.Option(
            help="The instructions people get, where they are not those of Judge it yourself: "
            "labels then come from the file of --out alone."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Draws the order of the items.")] = 0,
    out: Annotated[Path | None, typer.Option(help="CSV file to fill in and import.")] = None,
    close: Annotated[
        bool, typer.Option("--close", help="Ask for no more labels; what was handed out counts.")
    ] = False,
    build: Build = True,
) -> None:
    """Draw a random sample of items for people to label, and open it on Judge it yourself."""
    from orchestration.commands.build import publish_loaded

    if out is not None and not out.expanduser().absolute().parent.is_dir():
        raise typer.BadParameter(f"--out names a file in a folder that is not there: {out}")
    if close:
        told = _closing(State.home, name)
        _load(State.home, told, say)
    else:
        told = draw(
            State.home,
            name,
            dimension,
            say,
            size=size,
            sources=sorted(source or []),
            strata=strata,
            labels=labels,
            raters=raters,
            seed=seed,
            **({} if policy is None else {"policy": policy}),
        )
    if out is not None:
        _write_sheet(State.home, told, out)
    if not close and labels == "campaign":
        is_log = bool(_raw(State.home, _LOGGED, [told["dataset_id"]]))
        say(f"sample {told['sample_id']}: {size} items for people to label")
        page = "on the page Judge it yourself once published, or "
        has_page = policy is None and told["task"] != "questions" and not is_log
        say(f"  {page if has_page else ''}with --out as a file to fill in")
        say(f"  end it early with: rostrum sample {told['sample_id']} --close")
    publish_loaded(State.home, say, is_wanted=build)


def draw(
    home: Home, dataset: str, dimension: str | None, say: Say, **chosen: Any
) -> dict[str, Any]:
    """Draw a random sample of a data set and record it; return what was drawn.

    Args:
        dimension: What is said of its items; the data set's only one if None.
        chosen: The sample's other settings, as the command takes them.

    Raises:
        UnknownSource: There is nothing of this kind to draw.
    """
    told = _asked(home, dataset, dimension, **chosen)
    _load(home, told, say)
    return told


def _asked(home: Home, dataset: str, dimension: str | None, **chosen: Any) -> dict[str, Any]:
    from ingestion.errors import UnknownSource
    from ingestion.sampling.drawing import AWARENESS, WINNER, sample_id_of

    if chosen["labels"] not in ("campaign", "people"):
        raise UnknownSource(f"sample: --labels is campaign or people; found '{chosen['labels']}'")
    if "policy" in chosen and chosen["labels"] == "people":
        raise UnknownSource(
            "sample: the labels of the data set's people were given under its own policy; --policy "
            "is for --labels campaign"
        )
    known = [row[0] for row in _raw(home, _DIMENSIONS, [dataset])]
    if not known:
        loaded = ", ".join(row[0] for row in _raw(home, _LOADED, []))
        raise UnknownSource(
            f"sample: no speeches, debates or answers of a data set '{dataset}' are loaded; there "
            f"are {loaded or 'none; load some with rostrum ingest'}"
        )
    if dimension is None and len(known) > 1:
        told = ", ".join(known)
        raise UnknownSource(f"sample: '{dataset}' needs one of {told}; name one with --dimension")
    dimension = dimension or known[0]
    if dimension not in known:
        told = ", ".join(known)
        raise UnknownSource(f"sample: '{dataset}' has no '{dimension}'; people can say: {told}")
    task = {WINNER: "debates", AWARENESS: "questions"}.get(dimension, "speeches")
    is_log = bool(_raw(home, _LOGGED, [dataset]))
    if chosen["strata"] not in (None, "category" if task == "debates" and not is_log else "source"):
        raise UnknownSource(
            "sample: --strata is source for speeches, answers and logs, category for debates; "
            f"found '{chosen['strata']}'"
        )
    settings = {"task": task, "dataset_id": dataset, "dimension": dimension, **chosen}
    return {
        "sample_id": sample_id_of(**settings),
        **settings,
        "drawn_at": datetime.now(UTC).isoformat(),
    }


_DIMENSIONS = """
select dimension
from raw.dimensions
where dataset_id = $1 and exists (
    select 1 from raw.speeches where dataset_id = $1 and side is null and speech_order is null
)
union all
select 'winner'
where exists (select 1 from raw.speeches where dataset_id = $1 and side = 'con')
    or exists (select 1 from raw.logged_verdicts where dataset_id = $1)
union
select 'dispute_awareness'
where exists (select 1 from raw.answers where dataset_id = $1)
order by 1"""
_LOADED = """
select dataset_id from raw.speeches where side = 'con' or (side is null and speech_order is null)
union
select dataset_id from raw.logged_verdicts
union
select dataset_id from raw.answers
order by 1"""
_LOGGED = "select 1 from raw.logged_verdicts where dataset_id = $1 limit 1"


def _closing(home: Home, sample_id: str) -> dict[str, Any]:
    from ingestion.errors import UnknownSource

    rows = _raw(home, "select * from raw.samples where sample_id = $1", [sample_id], named=True)
    if not rows:
        known = ", ".join(row[0] for row in _raw(home, "select sample_id from raw.samples", []))
        raise UnknownSource(
            f"sample: there is no sample '{sample_id}' to close; there are {known or 'none'}"
        )
    told = {key: one for key, one in rows[0].items() if not key.startswith("_")}
    told["sources"] = json.loads(told["sources"] or "[]")
    told["drawn_at"] = told["drawn_at"].isoformat() + "Z"
    told["closed_at"] = datetime.now(UTC).isoformat()
    return told


def _load(home: Home, told: dict[str, Any], say: Say) -> None:
    from ingestion.sampling.drawing import KIND
    from orchestration.commands.ingest import Import

    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{told['sample_id']}.json"
        path.write_text(json.dumps({"kind": KIND, "schema_version": 1, **told}))
        Import(path=path).load_and_say(home, say)


def _write_sheet(home: Home, told: dict[str, Any], out: Path) -> None:
    from ingestion.sampling.drawing import read_sample
    from ingestion.sampling.sheets import sheet
    from orchestration.commands.reports.study import write_out
    from warehouse.writer import open_writer

    content = json.dumps({"kind": "random_sample", "schema_version": 1, **told}).encode()
    with open_writer(home, f"sample {told['sample_id']}") as connection:
        data = sheet(connection, read_sample(content, told["sample_id"]))
    write_out("sample", out, data)
    say(f"wrote {out}: fill in annotator and label, then rostrum import {out}")


def _raw(home: Home, sql: str, parameters: list[Any], *, named: bool = False) -> list[Any]:
    from warehouse.writer import open_writer

    home.ensure()
    with open_writer(home, "sample") as connection:
        found = connection.execute(sql, parameters)
        rows = found.fetchall()
        names = [column[0] for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in rows] if named else rows
