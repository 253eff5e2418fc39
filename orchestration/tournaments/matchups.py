"""Holds the debates of a tournament and has them judged, through runs as any experiment has."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from inference.errors import BadItems, BadTournament, JudgeUnavailable
from inference.experiment import Experiment
from inference.items import ItemSource, find_item_sources, read_rows, sampling_key
from inference.kinds.oversight import JudgingOptions
from inference.kinds.transcripts import TranscriptOptions
from inference.oversight.items import (
    ANSWER_ORDERS,
    DEBATE,
    READING,
    SELF,
    TRANSCRIPT_ITEMS,
    JudgingPlan,
)
from inference.oversight.tournament import Matchup, settled
from inference.oversight.tournament_plan import TournamentPlan
from inference.plan import plan_runs
from inference.prices import as_dollars, load_prices
from inference.runner import RunSummary, run
from inference.runs.history import OwnAnswers, own_answers
from inference.tally import Progress
from ingestion.journals import load_journals
from orchestration.registry import ensure_judge
from orchestration.tournaments.results import Results
from warehouse.home import Home
from warehouse.writer import open_writer

CROSS_PLAY, SELF_PLAY = "cross_play", "self_play"
# Failed requests are asked again by a second start; what then fails is void.
_STARTS = 2


class OverBudget(Exception):
    """The next request could pass the budget of the tournament, which stops there."""


class PairResult(NamedTuple):
    """Games of a pair, and who of the two could not go on; None where both could."""

    matchup: Matchup
    withdrawn: str | None = None


def transcripts_of(plan: TournamentPlan, opponent: str, number: int | None) -> Experiment:
    """Return the experiment in which a player's debates are held, in a round or against itself.

    Against another every question is debated from both sides; against itself once.
    """
    sides = (0,) if opponent == SELF else (0, 1)
    plans = tuple(
        replace(plan.debate, argues=side, opponent=opponent, tournament_round=number)
        for side in sides
    )
    return Experiment(
        plan.debates_name,
        plan.debate.template,
        options=TranscriptOptions(debate=plans),
        datasets=(plan.dataset,),
        seed=plan.seed,
    )


def judging_of(plan: TournamentPlan) -> Experiment:
    """Return the experiment in which debates are judged: in both orders of the answers."""
    judgings = tuple(JudgingPlan(plan.judging_template, DEBATE, order) for order in ANSWER_ORDERS)
    return Experiment(
        plan.judging_name,
        plan.judging_template,
        options=JudgingOptions(judging=judgings),
        datasets=(plan.dataset,),
        seed=plan.seed,
    )


def draw_questions(
    source: ItemSource, plan: TournamentPlan, known: Collection[str] | None = None
) -> dict[str, list[str]]:
    """Return the questions that are debated, drawn by the plan's seed.

    Every story gives a question before one gives two. A story whose questions are debated against
    others gives none to self-play: accuracy is not measured where ratings are.

    Args:
        known: The questions of the plan's part of the data set; None for all.

    Raises:
        BadItems: There are too few questions.
    """
    by_story: dict[str, list[str]] = {}
    rows = read_rows(source.dataset_id, READING.path(source), ("question_id", "story_id"))
    for row in rows:
        if known is None or row["question_id"] in known:
            by_story.setdefault(row["story_id"], []).append(row["question_id"])
    drawn = []
    for story, questions in by_story.items():
        ordered = sorted(questions, key=lambda each: sampling_key(plan.seed, each))
        drawn += [
            (rank, sampling_key(plan.seed, story), story, question)
            for rank, question in enumerate(ordered)
        ]
    drawn.sort()
    cross = drawn[: plan.cross_play]
    used = {story for _, _, story, _ in cross}
    alone = [each for each in drawn if each[2] not in used][: plan.self_play]
    if len(cross) < plan.cross_play or len(alone) < plan.self_play:
        raise BadItems(
            f"tournament: '{plan.name}' debates {plan.cross_play} questions of data set "
            f"'{source.dataset_id}' and {plan.self_play} of other stories in self-play; there are "
            f"{len(drawn)} about {len(by_story)} stories"
            f"{f' in the part {plan.split!r}' if plan.split else ''}; ask for fewer, or ingest more"
        )
    return {
        CROSS_PLAY: [question for *_, question in cross][: plan.cross_count],
        SELF_PLAY: [question for *_, question in alone][: plan.self_count],
    }


def write_part(source: Path, target: Path, key: str, wanted: Sequence[str]) -> None:
    """Write some rows of an items file to a file of their own, in the order of the first file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")
    rows = pq.read_table(source, filters=[(key, "in", list(wanted))])
    pq.write_table(rows, part, compression="zstd", row_group_size=16)
    part.replace(target)


def drawn_source(home: Home, plan: TournamentPlan, folder: Path, which: str) -> ItemSource:
    """Return the data set with the drawn questions of `cross_play` or `self_play` alone.

    They stay as they were when the tournament began: their file lies in the folder.
    """
    source = find_item_sources(home.items, [plan.dataset])[0]
    path = folder / f"{which}.parquet"
    if not path.is_file():
        wanted = draw_questions(source, plan, _of_split(home, plan))[which]
        write_part(READING.path(source), path, "question_id", wanted)
    return source.with_file("reading", path)


def _of_split(home: Home, plan: TournamentPlan) -> set[str] | None:
    """Return the questions of the plan's part of the data set; None where it is about all."""
    if plan.split is None:
        return None
    with open_writer(home, "tournament") as connection:
        rows = connection.execute(
            "select question_id from raw.reading_questions where dataset_id = ? and split = ?",
            [plan.dataset, plan.split],
        ).fetchall()
    return {str(question_id) for (question_id,) in rows}


def spent_text(home: Home, plan: TournamentPlan) -> str:
    """Return the cost of tournaments of this name as text; a part never as if it were all."""
    runs = _runs_of(home, plan).values()
    known = as_dollars(sum(own.cost_usd for own in runs))
    return known if all(own.is_cost_known for own in runs) else f"at least {known}"


def _runs_of(home: Home, plan: TournamentPlan) -> dict[str, OwnAnswers]:
    ours = re.compile(rf"tournament-{re.escape(plan.name)}-[0-9a-f]{{8}}(-judging)?--.*")
    folders = [each for each in sorted(home.journal.glob("tournament-*")) if ours.match(each.name)]
    return {folder.name: own_answers(folder) for folder in folders}


@dataclass(frozen=True)
class TournamentRuns:
    """A tournament's runs, its files and its results; the budget is of all its runs together."""

    home: Home
    plan: TournamentPlan
    budget_usd: float | None
    notify: Callable[[str], None]
    progress: Callable[[Progress], None]

    @property
    def folder(self) -> Path:
        """Folder of the tournament's own files."""
        return self.home.tournaments / self.plan.label

    @property
    def results(self) -> Results:
        """Its results in the warehouse."""
        return Results(self.home, self.plan, self.notify)

    def play(self, number: int, pairs: Sequence[tuple[str, str]]) -> Iterator[PairResult]:
        """Hold a round's debates, have them judged, and yield the games of each pair.

        Raises:
            OverBudget: The next request could pass the budget.
            JudgeUnavailable: The judge, or whoever chooses or asks, could not be reached.
        """
        source = drawn_source(self.home, self.plan, self.folder, CROSS_PLAY)
        gone = {pair: self._debate(pair, number, source) for pair in pairs}
        self._judge(number)
        found = {pair: self.results.games_of(number, pair) for pair in pairs}
        for (first, second), games in found.items():
            matchup = settled(first, second, self.plan.cross_count, games.shares, games.reason)
            yield PairResult(matchup, gone[first, second])

    def play_alone(self, players: Sequence[str]) -> None:
        """Have players debate themselves about the other questions, and the debates judged.

        Raises:
            OverBudget: The next request could pass the budget.
            JudgeUnavailable: The judge, or whoever chooses or asks, could not be reached.
        """
        source = drawn_source(self.home, self.plan, self.folder, SELF_PLAY)
        for player in players:
            self._debate((player, SELF), None, source)
        self._judge(None)

    def _debate(self, pair: tuple[str, str], number: int | None, source: ItemSource) -> str | None:
        """Hold the debates of a pair, and return who could not go on.

        Raises:
            JudgeUnavailable: It was neither of them, but who asks or chooses.
        """
        first, second = pair
        debates = self.plan.self_count if second == SELF else 2 * self.plan.cross_count
        whom = "itself" if second == SELF else second
        self.notify(f"  {first} debates {whom}: {debates} debates")
        gone: str | None
        try:
            summary = self._run(transcripts_of(self.plan, second, number), first, source)
        except JudgeUnavailable as error:
            self.notify(f"  {error}")
            gone = error.judge_id or self._broken_by(pair, number) or first
        else:
            gone = self._broken_by(pair, number) if summary.status == "failed" else None
        if gone is not None and gone not in pair:
            raise JudgeUnavailable(
                f"tournament: '{gone}', who asks or chooses what is said, could not be reached; "
                "every reply is kept, run the same command again to go on"
            )
        return gone

    def _broken_by(self, pair: tuple[str, str], number: int | None) -> str | None:
        """Return who kept most unfinished debates from being finished; None where all are void."""
        self._load()
        first, second = pair
        return self.results.broken_by(number, (first, first if second == SELF else second))

    def _judge(self, number: int | None) -> None:
        """Have every complete debate of a round judged that is not judged yet, and load it all."""
        self._load()
        wanted = self.results.complete_transcripts(number)
        if not wanted:
            return
        source = find_item_sources(self.home.items, [self.plan.dataset])[0]
        path = self.folder / f"{SELF_PLAY if number is None else f'round_{number}'}_debates.parquet"
        write_part(TRANSCRIPT_ITEMS.path(source), path, "transcript_id", wanted)
        self.notify(
            f"  {self.plan.judge} judges {len(wanted)} debates, in both orders of the answers; "
            f"spent so far {spent_text(self.home, self.plan)}"
        )
        self._run(judging_of(self.plan), self.plan.judge, source.with_file("transcripts", path))
        self._load()
        judged = self.results.judged(number)
        if judged.asked and not judged.readable:
            raise BadTournament(
                f"tournament: none of the {judged.asked} judgements of '{self.plan.judge}' could "
                f"be read ({judged.why}); every reply is kept and nothing is decided. Look at its "
                "replies on the page Runs, then name another judge or judging.template in the file"
            )

    def _load(self) -> None:
        # The name of its judgements begins with that of its debates.
        own = {path.name for path in self.home.journal.glob(f"{self.plan.debates_name}-*")}
        load_journals(self.home, own, notify=self.notify)

    def _run(self, experiment: Experiment, judge_id: str, source: ItemSource) -> RunSummary:
        """Run an experiment within what is left of the budget."""
        spec = ensure_judge(self.home, judge_id)
        about: dict[str, Any] = {
            "journal_root": self.home.journal,
            "prompts_folder": self.home.prompts,
            "judges_file": self.home.judges_file,
            "prices": load_prices(self.home.prices_file),
        }
        budget = None
        if self.budget_usd is not None:
            # A run counts its own earlier cost against its budget.
            own = {planned.run_id for planned in plan_runs(experiment, spec, [source], **about)}
            runs = _runs_of(self.home, self.plan).items()
            others = sum(each.cost_usd for run_id, each in runs if run_id not in own)
            budget = max(self.budget_usd - others, 0.0)
        for _ in range(_STARTS):
            summary = run(
                experiment, spec, [source], budget_usd=budget, progress=self.progress, **about
            )
            if summary.status in ("complete", "over_budget"):
                break
        if summary.status == "over_budget":
            raise OverBudget
        return summary
