"""What the loaded rows say of a tournament: who won what share of a debate, what is missing why."""

from collections.abc import Mapping
from typing import NamedTuple

import duckdb

from inference.oversight.tournament_plan import TournamentPlan

Pair = tuple[str, str]

_TRANSCRIPTS = """
select distinct transcript_id
from raw.oversight_transcripts
where experiment = $debates and tournament_round is not distinct from $round
    and status = 'complete'
order by transcript_id
"""
# A game is judged where both orders of the answers brought a probability.
_SHARES = """
with judged as (
    select
        transcripts.question_id, transcripts.argued_answer, judgements.answer_order,
        avg(judgements.p_answer_0) as p_answer_0
    from raw.oversight_transcripts as transcripts
    inner join raw.oversight_judgements as judgements
        on transcripts.transcript_id = judgements.transcript_id
    where transcripts.experiment = $debates and judgements.experiment = $judging
        and judgements.judge_id = $judge and judgements.p_answer_0 is not null
        and transcripts.judge_id = $first and transcripts.opponent_id = $second
        and transcripts.tournament_round = $round and transcripts.status = 'complete'
    group by all
)
select
    question_id, argued_answer,
    avg(case when argued_answer = 0 then p_answer_0 else 1 - p_answer_0 end) as share
from judged
group by question_id, argued_answer
having count(*) = 2
"""
_FAILURES = """
select coalesce(reason, error_kind, status) as why, count(*) as debates
from raw.oversight_transcripts
where experiment = $debates and judge_id = $first and opponent_id = $second
    and tournament_round = $round and status <> 'complete'
group by why
order by debates desc, why
limit 3
"""
# Who kept debates from being finished, whom most of them name first.
_BROKEN_BY = """
select coalesce(extra::json ->> '$.broken_by', judge_id) as broken_by
from raw.oversight_transcripts
where experiment = $debates and judge_id = $first and coalesce(opponent_id, $second) = $second
    and tournament_round is not distinct from $round and status = 'partial'
group by broken_by
order by count(*) desc, broken_by
limit 1
"""
# Of what was judged in a round, how much could be read, and why the rest could not.
_READ = """
select
    count(*) as judged, count(judgements.p_answer_0) as readable,
    mode(coalesce(judgements.parse_reason, judgements.error_kind)) as why
from raw.oversight_transcripts as transcripts
inner join raw.oversight_judgements as judgements
    on transcripts.transcript_id = judgements.transcript_id
where transcripts.experiment = $debates and judgements.experiment = $judging
    and judgements.judge_id = $judge and transcripts.tournament_round is not distinct from $round
    and transcripts.judge_id = coalesce($first, transcripts.judge_id)
    and transcripts.opponent_id = coalesce($second, transcripts.opponent_id)
"""


class Judged(NamedTuple):
    """How far the judgements of a round or of a pair can be read.

    Attributes:
        asked: How many there are.
        readable: How many say a probability.
        why: Why most of the others do not; None where all do.
    """

    asked: int
    readable: int
    why: str | None


class Games(NamedTuple):
    """What a pair's debates brought.

    Attributes:
        shares: By question and by the answer the first argued for, the share of the game it won.
        reason: Why games are missing; empty where nobody knows.
    """

    shares: Mapping[tuple[str, int], float]
    reason: str


def complete_transcripts(
    connection: duckdb.DuckDBPyConnection, plan: TournamentPlan, number: int | None
) -> list[str]:
    """Return the debates of a round that were held to the end; of self-play where it has none."""
    rows = connection.execute(_TRANSCRIPTS, {"debates": plan.debates_name, "round": number})
    return [str(transcript_id) for (transcript_id,) in rows.fetchall()]


def broken_by(
    connection: duckdb.DuckDBPyConnection, plan: TournamentPlan, number: int | None, pair: Pair
) -> str | None:
    """Return who kept most of a pair's unfinished debates from being finished.

    None where nobody did. Who debates itself is both of the pair.
    """
    row = connection.execute(_BROKEN_BY, _pair_names(plan, number, pair)).fetchone()
    return str(row[0]) if row else None


def judged(
    connection: duckdb.DuckDBPyConnection,
    plan: TournamentPlan,
    number: int | None,
    pair: tuple[str | None, str | None] = (None, None),
) -> Judged:
    """Return how far judgements can be read: a pair's, or all of a round's."""
    names = _pair_names(plan, number, pair) | _judge_names(plan)
    asked, readable, why = connection.execute(_READ, names).fetchall()[0]
    return Judged(int(asked), int(readable), why)


def games_of(
    connection: duckdb.DuckDBPyConnection, plan: TournamentPlan, number: int, pair: Pair
) -> Games:
    """Return what the debates of a pair brought, and why there are fewer than planned."""
    names = _pair_names(plan, number, pair)
    rows = connection.execute(_SHARES, names | _judge_names(plan)).fetchall()
    shares = {(question, argued): float(share) for question, argued, share in rows}
    failures = connection.execute(_FAILURES, names).fetchall()
    reasons = [f"{debates} debates: {why}" for why, debates in failures]
    read = judged(connection, plan, number, pair)
    if read.asked > read.readable:
        reasons.append(f"{read.asked - read.readable} judgements: {read.why}")
    return Games(shares, "; ".join(reasons))


def _pair_names(
    plan: TournamentPlan, number: int | None, pair: tuple[str | None, str | None]
) -> dict[str, object]:
    first, second = pair
    return {"debates": plan.debates_name, "first": first, "second": second, "round": number}


def _judge_names(plan: TournamentPlan) -> dict[str, object]:
    return {"judging": plan.judging_name, "judge": plan.judge}
