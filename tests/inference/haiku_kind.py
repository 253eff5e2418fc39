"""A sixth subject, as somebody would add it: three haiku to rank. The reply is `B > A > C`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inference.experiments import Experiment
from inference.items import ItemSource, read_rows
from inference.judges.base import OfflineJudge, Reply
from inference.judges.request import Request
from inference.kinds.fields import TEXT, check
from inference.kinds.protocol import ANSWERED, Asked, Given, Kind, Put, Row, Table
from inference.parsing import STOPPED
from inference.sampling import Drawn, draw_each
from inference.template_kinds import TEMPLATE_KINDS, TemplateKind
from inference.value_rules import NAMES_PROMPTS, is_list_of, is_one_of

LETTERS = "ABC"
ORDERS = ("012", "210")
# The raw table, as a migration makes it.
SCHEMA = """
create table raw.haiku_rankings (
    run_id varchar not null, request_id varchar not null, experiment varchar not null,
    judge_id varchar not null, settings_hash varchar not null, dataset_id varchar not null,
    item_id varchar not null, item_hash varchar, template varchar not null,
    shown_order varchar not null, sample integer not null, response varchar,
    request_status varchar not null, error_kind varchar, ranking varchar,
    parse_status varchar not null, parse_reason varchar, answered_at timestamp, extra varchar,
    _source_file varchar not null, _loaded_at timestamp not null
);
"""
_REPLY = re.compile(r"\s*([ABC])\s*>\s*([ABC])\s*>\s*([ABC])\s*\.?\s*")

PROMPTS = TemplateKind("trio of haiku", ("first", "second", "third"), marks=frozenset({"third"}))
TEMPLATE_KINDS[PROMPTS.name] = PROMPTS


@dataclass(frozen=True)
class Trio:
    """Three haiku to rank."""

    dataset_id: str
    item_id: str
    item_hash: str
    haiku: tuple[str, ...]

    @classmethod
    def of_fields(cls, fields: Mapping[str, Any]) -> Trio:
        return cls(**{**fields, "haiku": tuple(fields["haiku"])})


@dataclass(frozen=True)
class Ranking:
    """One way to have them ranked: in which order they are shown."""

    template: str
    shown_order: str

    @property
    def words(self) -> str:
        return f"shown {self.shown_order}"


class Haiku(Kind):
    name = "haiku"
    words = "three haiku"
    item = Trio
    template = PROMPTS.name
    source_file = "haiku_file"
    own = frozenset({"ranking"})
    arms_name = "ranking"
    tables: Mapping[str, Any] = {
        "ranking": {"order": is_list_of(is_one_of(ORDERS)), "template": NAMES_PROMPTS}
    }
    identity_name, item_name, line = "ranking", "haiku", "haiku"
    line_fields = ("shown_order",)
    table = Table("haiku_rankings")

    def items(self, experiment: Experiment, source: ItemSource) -> Iterator[Trio]:
        columns = ("item_id", "item_hash", "haiku")
        for row in read_rows(source.dataset_id, self.file(source), columns):
            yield Trio(source.dataset_id, row["item_id"], row["item_hash"], tuple(row["haiku"]))

    def draw(self, experiment: Experiment, source: ItemSource) -> Drawn:
        rows = read_rows(source.dataset_id, self.file(source), ("item_id",))
        return draw_each(experiment.seed, (row["item_id"] for row in rows), "trios")

    def read(
        self, path: Path, content: Mapping[str, Any], values: Mapping[str, Any]
    ) -> dict[str, Any]:
        grid = content.get("ranking", {})
        (template,) = grid.get("template", ["haiku_rank"])
        arms = tuple(Ranking(template, order) for order in grid.get("order", ORDERS))
        return {"arms": arms, "template": template}

    def put(self, item: Trio, asked: Asked, given: Given) -> Put:
        shown = [item.haiku[int(place)] for place in asked.arm.shown_order]
        return Put(dict(zip(PROMPTS.slots, shown, strict=True)), asked.arm)

    def why_unreadable(self, line: Mapping[str, Any]) -> str | None:
        return read_ranking(line["response"], line["shown_order"], line.get("finish_reason"))[1]

    def rows(self, row: dict[str, Any], line: Mapping[str, Any]) -> list[Row]:
        check(line, {"item_id": TEXT, "shown_order": TEXT})
        row |= {name: line[name] for name in ("item_id", "shown_order")}
        if line["status"] == ANSWERED:
            check(line, {"response": TEXT})
            ranking, why = read_ranking(row["response"], row["shown_order"], row["finish_reason"])
            row |= {"ranking": ranking, "parse_reason": why}
            row["parse_status"] = "parsed" if why is None else "unparsed"
        return [Row(row)]


def read_ranking(
    response: str, shown_order: str, finish_reason: str | None
) -> tuple[str | None, str | None]:
    """Return the haiku best first, whichever letters they had, or why that cannot be said."""
    found = _REPLY.fullmatch(response)
    if found is None:
        return None, STOPPED.get(finish_reason or "", "not_a_ranking")
    if len(set(found.groups())) < len(LETTERS):
        return None, "named_twice"
    return "".join(shown_order[LETTERS.index(letter)] for letter in found.groups()), None


class Ranker(OfflineJudge):
    """Likes the shorter ones better, and says nothing of every fifth."""

    def __init__(self, *_: object) -> None: ...

    def identity(self, request: Request) -> dict[str, Any]:
        return request.facts()

    async def ask(self, request: Request) -> Reply:
        trio, order = request.about(Trio), request.way(Ranking).shown_order
        if int(trio.item_id.rpartition(":")[2]) % 5 == 4:
            return Reply("I cannot choose.", finish_reason="stop", cost_usd=0.0)
        by_length = sorted(
            LETTERS, key=lambda each: len(trio.haiku[int(order[LETTERS.index(each)])])
        )
        return Reply(" > ".join(by_length), finish_reason="stop", cost_usd=0.0)
