"""`rostrum sample`: draw a random sample for people to label, or end one."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from orchestration.console import Say, say
from orchestration.operation import OutputPath, Publishing, argument, option
from warehouse.home import Home

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


class DrawSample(Publishing):
    """Draw a random sample of items for people to label, and open it on Judge it yourself."""

    example: ClassVar[str] = "sample my-study --size 60 --seed 7 --out labels.csv"

    name: str = argument("The data set to draw from; with --close, the sample to end.")
    size: int = option("How many items are drawn.", 60, ge=1)
    dimension: str | None = option(
        "What is scored, 'winner' or 'dispute_awareness'; the data set's only one if absent.", None
    )
    sources: list[str] = option(
        "Only speeches of this speaker, answers of this model, or debates of a log between these; "
        "of all if absent. Repeatable.",
        [],
        name="source",
    )
    strata: Literal["source", "category"] | None = option(
        "Draw in proportion from each source (speeches, answers, pairs of a log) or category "
        "(debates).",
        None,
    )
    labels: Literal["campaign", "people"] = option(
        "campaign: people label the items from now on; people: take the labels the data set has.",
        "campaign",
    )
    raters: int = option("How many people label each item.", 1, ge=1)
    policy: str | None = option(
        "The instructions people get, where they are not those of Judge it yourself: labels then "
        "come from the file of --out alone.",
        None,
    )
    seed: int = option("Draws the order of the items.", 0, ge=0)
    out: OutputPath | None = option("CSV file to fill in and import.", None)
    close: bool = option("Ask for no more labels; what was handed out counts.", False)

    @model_validator(mode="after")
    def _check_policy(self) -> Self:
        if self.policy is not None and self.labels == "people":
            raise ValueError(
                "the labels of the data set's people were given under its own policy; --policy is "
                "for --labels campaign"
            )
        return self

    def run(self, home: Home, say: Say = say) -> None:
        """Draw the sample or end it, write its sheet, and publish."""
        drawn = self.end(home, say) if self.close else self.draw(home, say)
        if self.out is not None:
            _write_sheet(home, drawn, self.out, say)
        if not self.close and self.labels == "campaign":
            say(f"sample {drawn['sample_id']}: {self.size} items for people to label")
            page = "on the page Judge it yourself once published, or "
            is_log = _is_log(home, drawn["dataset_id"])
            has_page = self.policy is None and drawn["task"] != "questions" and not is_log
            say(f"  {page if has_page else ''}with --out as a file to fill in")
            say(f"  end it early with: rostrum sample {drawn['sample_id']} --close")
        self.publish(home, say)

    def draw(self, home: Home, say: Say) -> dict[str, Any]:
        """Draw the sample and record it; return what was drawn."""
        from ingestion.errors import UnknownSource
        from ingestion.sampling.drawing import AWARENESS, WINNER, sample_id_of

        known = [row["dimension"] for row in _rows(home, _DIMENSIONS, self.name)]
        if not known:
            loaded = ", ".join(row["dataset_id"] for row in _rows(home, _LOADED))
            raise UnknownSource(
                f"sample: no speeches, debates or answers of a data set '{self.name}' are loaded; "
                f"there are {loaded or 'none; load some with rostrum ingest'}"
            )
        listed, dimension = ", ".join(known), self.dimension or known[0]
        if self.dimension is None and len(known) > 1:
            raise UnknownSource(
                f"sample: '{self.name}' needs one of {listed}; name one with --dimension"
            )
        if dimension not in known:
            raise UnknownSource(
                f"sample: '{self.name}' has no '{dimension}'; people can say: {listed}"
            )
        task = {WINNER: "debates", AWARENESS: "questions"}.get(dimension, "speeches")
        is_by_category = task == "debates" and not _is_log(home, self.name)
        if self.strata not in (None, "category" if is_by_category else "source"):
            raise UnknownSource(
                "sample: --strata is source for speeches, answers and logs, category for debates; "
                f"found '{self.strata}'"
            )
        settings: dict[str, Any] = {
            "task": task,
            "dataset_id": self.name,
            "dimension": dimension,
            **self.model_dump(include={"size", "strata", "labels", "raters", "seed"}),
            "sources": sorted(self.sources),
            **({} if self.policy is None else {"policy": self.policy}),
        }
        drawn_at = datetime.now(UTC).isoformat()
        drawn = {"sample_id": sample_id_of(**settings), **settings, "drawn_at": drawn_at}
        _load(home, drawn, say)
        return drawn

    def end(self, home: Home, say: Say) -> dict[str, Any]:
        """End the sample of this name, and return it."""
        from ingestion.errors import UnknownSource

        rows = _rows(home, "select * from raw.samples where sample_id = $1", self.name)
        if not rows:
            known = ", ".join(row["sample_id"] for row in _rows(home, "from raw.samples"))
            raise UnknownSource(
                f"sample: there is no sample '{self.name}' to close; there are {known or 'none'}"
            )
        drawn = {name: value for name, value in rows[0].items() if not name.startswith("_")}
        drawn["sources"] = json.loads(drawn["sources"] or "[]")
        drawn["drawn_at"] = drawn["drawn_at"].isoformat() + "Z"
        drawn["closed_at"] = datetime.now(UTC).isoformat()
        _load(home, drawn, say)
        return drawn


def _is_log(home: Home, dataset: str) -> bool:
    return bool(_rows(home, _LOGGED, dataset))


def _content(drawn: dict[str, Any]) -> bytes:
    from ingestion.sampling.drawing import KIND

    return json.dumps({"kind": KIND, "schema_version": 1, **drawn}).encode()


def _load(home: Home, drawn: dict[str, Any], say: Say) -> None:
    from orchestration.commands.ingest import Import

    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{drawn['sample_id']}.json"
        path.write_bytes(_content(drawn))
        Import(path=path).load_and_say(home, say)


def _write_sheet(home: Home, drawn: dict[str, Any], out: Path, say: Say) -> None:
    from ingestion.sampling.drawing import read_sample
    from ingestion.sampling.sheets import sheet
    from orchestration.commands.reports.study import write_out
    from warehouse.writer import open_writer

    with open_writer(home, f"sample {drawn['sample_id']}") as connection:
        data = sheet(connection, read_sample(_content(drawn), drawn["sample_id"]))
    write_out("sample", out, data)
    say(f"wrote {out}: fill in annotator and label, then rostrum import {out}")


def _rows(home: Home, sql: str, *parameters: Any) -> list[dict[str, Any]]:
    from warehouse.writer import open_writer

    with open_writer(home.ensure(), "sample") as connection:
        found = connection.execute(sql, list(parameters))
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
