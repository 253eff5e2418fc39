"""Results of a tournament in the loaded rows: shares of debates, and what is missing and why."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from inference.oversight.tournament_plan import TournamentPlan
from warehouse.home import Home
from warehouse.writer import open_writer

Pair = tuple[str | None, str | None]

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
    """Number of judgements, of readable ones, and the commonest reason of the others."""

    asked: int
    readable: int
    why: str | None


class Games(NamedTuple):
    """Games of a pair.

    Attributes:
        shares: By question and by the answer the first argued for, the share of the game it won.
        reason: Why games are missing; empty where it is unknown.
    """

    shares: Mapping[tuple[str, int], float]
    reason: str


class Results:
    """The rows of one tournament; a round is None for self-play."""

    def __init__(self, home: Home, plan: TournamentPlan, notify: Callable[[str], None]) -> None:
        self._home = home
        self._plan = plan
        self._notify = notify

    def complete_transcripts(self, number: int | None) -> list[str]:
        """Return the debates of a round that were held to the end."""
        return [str(transcript_id) for (transcript_id,) in self._rows(_TRANSCRIPTS, number)]

    def broken_by(self, number: int | None, pair: Pair) -> str | None:
        """Return who kept most debates of a pair from being finished; None where nobody did.

        A player who debates itself is both of the pair.
        """
        rows = self._rows(_BROKEN_BY, number, pair)
        return str(rows[0][0]) if rows else None

    def judged(self, number: int | None, pair: Pair = (None, None)) -> Judged:
        """Return how far judgements can be read: a pair's, or all of a round's."""
        return Judged(*self._rows(_READ, number, pair)[0])

    def games_of(self, number: int, pair: Pair) -> Games:
        """Return the games of a pair, and why there are fewer than planned."""
        rows = self._rows(_SHARES, number, pair)
        shares = {(question, argued): float(share) for question, argued, share in rows}
        failures = self._rows(_FAILURES, number, pair)
        reasons = [f"{debates} debates: {why}" for why, debates in failures]
        read = self.judged(number, pair)
        if read.asked > read.readable:
            reasons.append(f"{read.asked - read.readable} judgements: {read.why}")
        return Games(shares, "; ".join(reasons))

    def _rows(
        self, sql: str, number: int | None, pair: Pair = (None, None)
    ) -> list[tuple[Any, ...]]:
        values = {
            "debates": self._plan.debates_name,
            "judging": self._plan.judging_name,
            "judge": self._plan.judge,
            "round": number,
            "first": pair[0],
            "second": pair[1],
        }
        used = {name: value for name, value in values.items() if f"${name}" in sql}
        with open_writer(self._home, "tournament", notify=self._notify) as connection:
            return connection.execute(sql, used).fetchall()
