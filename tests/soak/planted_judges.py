"""Judges with planted biases on the log-odds, asked about debates drawn anew for each replication.

A debate is won by Con or Pro and closed by Con or Pro (all four equally often), has a length ratio
x = log2(Con's words / Pro's words) ~ N(0, 1), and an effect of its own u ~ N(0, sd^2). The judge's
log-odds of naming Con are

    ability w + position s + label b + order e + stance + length x + u

with w, s, b, e = +1/2 or -1/2 for Con the human winner, Con named second, Con carrying the set's
second label, and Con closing. Each debate is asked in both orders of both labels.
"""

from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from warehouse.raw import append_rows
from warehouse.schema import migrate

VARIANTS = tuple((labels, side) for labels in ("A/B", "B/A") for side in ("pro", "con"))
_WORDS_PRO = 100_000
_AT = "timestamp '2026-01-01 00:00:00'"


@dataclass(frozen=True)
class Planted:
    """What is planted, in log-odds.

    Attributes:
        ability: What the human winner adds.
        position: What being named second adds.
        label: What the second label adds.
        order: What speaking last adds.
        stance: What being Con adds.
        length: What each doubling of the length ratio adds.
        debate_sd: Standard deviation of the debates' own effects.
        is_balanced: Whether winners and closing sides are crossed equally, as balanced sampling
            draws them; else each is a coin's.
    """

    ability: float = 2.0
    position: float = 0.0
    label: float = 0.0
    order: float = 0.0
    stance: float = 0.0
    length: float = 0.0
    debate_sd: float = 0.0
    is_balanced: bool = True

    @property
    def is_null(self) -> bool:
        """Whether no bias is planted."""
        return not (self.position or self.label or self.order or self.stance or self.length)


def fill(
    connection: duckdb.DuckDBPyConnection,
    planted: Planted,
    *,
    replications: int,
    debates: int,
    seed: int,
) -> None:
    """Fill raw with replications, each a data set and an experiment of its own.

    Args:
        connection: An empty database that will hold the raw schema.
        planted: The judge.
        replications: How many.
        debates: Debates of each; a multiple of four.
        seed: Of all draws.
    """
    migrate(connection)
    generator = np.random.Generator(np.random.Philox(seed))
    total = replications * debates
    replication = np.repeat(np.arange(replications), debates)
    cell = np.tile(np.arange(debates) % 4, replications)
    if not planted.is_balanced:
        cell = generator.integers(0, 4, size=total)
    con_won, con_closes = cell % 2 == 1, cell >= 2
    words_con = np.maximum(1, np.rint(_WORDS_PRO * 2.0 ** generator.standard_normal(total)))
    ratio = np.log2(words_con / _WORDS_PRO)
    common = (
        planted.ability * (con_won - 0.5)
        + planted.order * (con_closes - 0.5)
        + planted.stance
        + planted.length * ratio
        + planted.debate_sd * generator.standard_normal(total)
    )
    debate = np.arange(total)
    drawn = pa.table(
        {
            "replication": replication,
            "debate": debate,
            "winner": np.where(con_won, "con", "pro"),
            "end_side": np.where(con_closes, "con", "pro"),
            "words_con": words_con.astype(np.int64),
        }
    )
    answers = pa.concat_tables(
        _answers(generator, planted, common, replication, debate, labels, side)
        for labels, side in VARIANTS
    )
    _insert(connection, drawn, answers, replications, debates)


def _answers(
    generator: np.random.Generator,
    planted: Planted,
    common: np.ndarray[Any, Any],
    replication: np.ndarray[Any, Any],
    debate: np.ndarray[Any, Any],
    labels: str,
    side: str,
) -> pa.Table:
    second = 0.5 if side == "pro" else -0.5
    later = 0.5 if labels == "A/B" else -0.5
    odds = common + planted.position * second + planted.label * later
    is_con = generator.random(len(common)) < 1 / (1 + np.exp(-odds))
    size = len(common)
    return pa.table(
        {
            "replication": replication,
            "debate": debate,
            "winner": np.where(is_con, "con", "pro"),
            "verbalizer": np.repeat(labels, size),
            "first_side": np.repeat(side, size),
        }
    )


def _insert(
    connection: duckdb.DuckDBPyConnection,
    drawn: pa.Table,
    answers: pa.Table,
    replications: int,
    debates: int,
) -> None:
    origin = f"'simulated' as _source_file, {_AT} as _loaded_at"
    dataset = "'r' || replication as dataset_id"
    debate_id = "'r' || replication || ':' || debate as debate_id"
    connection.register("drawn", drawn)
    connection.register("answers", answers)
    connection.execute(
        "insert into raw.datasets by name select 'r' || i as dataset_id, 'Simulated' as title, "
        f"'none' as licence, false as is_sample, {origin} from range({replications}) t(i)"
    )
    append_rows(
        connection,
        "debates",
        f"select {debate_id}, {dataset}, 'm' as motion, "
        f"'two-sided' as format, 3 as round_count, end_side, {origin} from drawn",
    )
    append_rows(
        connection,
        "debate_outcomes",
        f"select {debate_id}, {dataset}, 'convincing' as "
        f"criterion, 'votes' as decided_by, true as is_primary, winner, 3.0 as margin, {origin} "
        "from drawn",
    )
    append_rows(
        connection,
        "speeches",
        f"select debate || '-' || side as item_id, {debate_id}, "
        f"{dataset}, 'people' as source, 't' as text, if(side = 'pro', {_WORDS_PRO}, words_con) as "
        f"word_count, 'h' as item_hash, 1 as speech_order, side, {origin} "
        "from drawn, unnest(['pro', 'con']) s(side)",
    )
    connection.execute(
        "insert into raw.judges by name select 'simulated/planted' as judge_id, 'simulated' as "
        f"provider, 'planted' as model, '{{}}' as settings, 's' as settings_hash, {origin}"
    )
    connection.execute(
        "insert into raw.runs by name select 'run-' || i as run_id, 'r' || i as experiment, "
        "'simulated/planted' as judge_id, 'run' as origin, 's' as settings_hash, '{}' as settings, "
        f"{len(VARIANTS) * debates} as planned, 'v' as code_version, {_AT} as started_at, {_AT} as "
        f"ended_at, 'complete' as status, {origin} from range({replications}) t(i)"
    )
    append_rows(
        connection,
        "verdicts",
        f"select 'run-' || replication as run_id, "
        f"debate || verbalizer || first_side as request_id, 'r' || replication as experiment, "
        f"'simulated/planted' as judge_id, 's' as settings_hash, {dataset}, {debate_id}, "
        f"'winner_vanilla' as template, 'equivalent' as wording, 'p' as prompt_hash, "
        "split_part(verbalizer, '/', 1) as pro_label, "
        "split_part(verbalizer, '/', 2) as con_label, "
        f"verbalizer, first_side, first_side || '_first' as position, 'winner' as outcome, "
        f"false as reasoning, 0 as sample, 'answered' as request_status, winner, "
        f"'parsed' as parse_status, {_AT} as answered_at, {origin} from answers",
    )
