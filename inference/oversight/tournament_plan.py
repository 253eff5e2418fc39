"""Tournaments are files: who debates whom about what, who judges, and how much it may cost.

    name = "my-tournament"            # the file is my_tournament.toml or my-tournament.toml
    description = "..."
    dataset = "quality"               # whose questions are debated
    debaters = ["openai/a", "openai/b"]   # in the order in which they are seeded, best first
    judge = "openai/c"                # who decides every debate
    pairing = "swiss"                 # or round_robin: everybody meets everybody once
    rounds = 3                        # swiss: how many; enough to sort the field unless given
    budget_usd = 20.0                 # of everything together; no limit unless given

    [questions]
    cross_play = 20                   # questions that two debaters debate against each other
    self_play = 20                    # other questions, that each debates against itself; or 0
    seed = 20250701                   # draws both
    split = "dev"                     # a part of the data set; all of it unless given

    [debate]                          # as an experiment's, one value each
    template = "ov_debater"
    turn_order = "simultaneous"
    rounds = 3
    word_limit = 150
    best_of = 1
    preference_judge = "openai/d"     # with best_of above 1; another than the judge
    refine = 0
    asker = "openai/c"

    [judging]
    template = "ov_judge"

Name, dataset, debaters, judge and the number of questions are required. A user's file comes before
a shipped one of the same name.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from inference.errors import BadTournament, UnknownJudge, UnknownTournament
from inference.oversight.items import DEBATE, SELF, DebatePlan
from inference.oversight.tournament import ROUND_ROBIN, SWISS, enough_rounds, most_rounds
from inference.registry import check_judge_id
from inference.toml_text import toml_of
from warehouse.records.problems import problem_of

SHIPPED = Path(__file__).parent / "tournaments"
# Runs are named after tournaments: two hyphens stand between the parts of their names.
_NAME = r"^[a-z0-9]+(-[a-z0-9]+)*$"
_Text = Annotated[str, Field(pattern=r"\S")]
_Count = Annotated[int, Field(ge=1)]
_CountOrNone = Annotated[int, Field(ge=0)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Questions(_Table):
    cross_play: _Count
    self_play: _CountOrNone = 0
    seed: _CountOrNone = 20250701
    split: _Text | None = None


class _Debate(_Table):
    template: _Text = "ov_debater"
    turn_order: Literal["simultaneous", "sequential"] = "simultaneous"
    rounds: int = Field(default=3, ge=1, le=20)
    word_limit: int = Field(default=150, ge=10)
    best_of: int = Field(default=1, ge=1, le=64)
    preference_judge: _Text | None = None
    refine: _CountOrNone = 0
    asker: _Text | None = None


class _Judging(_Table):
    template: _Text = "ov_judge"


class _File(_Table):
    """A tournament's file."""

    name: str = Field(pattern=_NAME, max_length=36)
    description: _Text = ""
    dataset: _Text
    debaters: list[_Text]
    judge: _Text
    pairing: Literal["swiss", "round_robin"] = "swiss"
    rounds: _Count | None = None
    budget_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    questions: _Questions
    debate: _Debate = _Debate()
    judging: _Judging = _Judging()

    @model_validator(mode="after")
    def _check(self) -> Self:
        count, most = len(self.debaters), most_rounds(len(self.debaters))
        repeated = [each for each in self.debaters if self.debaters.count(each) > 1]
        preference = self.debate.preference_judge
        problem = None
        if count < 2:
            problem = "there is nobody to debate with; name two or more as 'debaters'"
        elif repeated:
            problem = (
                f"it names the debater '{repeated[0]}' twice; name each once, or give a second one "
                "with other settings an id of its own in judges.toml"
            )
        elif self.pairing == ROUND_ROBIN and self.rounds not in (None, most):
            problem = (
                f"{count} debaters meet each other in {most} rounds, not in {self.rounds}; leave "
                "'rounds' out, or pair by swiss"
            )
        elif self.rounds is not None and self.rounds > most:
            problem = (
                f"rounds is {self.rounds}; {count} debaters have met each other after {most}, and "
                "nobody meets twice"
            )
        elif (self.debate.best_of > 1) != (preference is not None):
            problem = (
                "debate.best_of above 1 and debate.preference_judge, who chooses, belong together; "
                "give both or neither"
            )
        elif preference == self.judge:
            problem = (
                f"'{preference}' would choose what debaters write and then judge it; name another "
                "debate.preference_judge"
            )
        if problem is not None:
            raise ValueError(problem)
        return self


@dataclass(frozen=True)
class TournamentPlan:
    """One tournament, as its file has it.

    Attributes:
        debaters: Judge ids of the players, in the order of their seeding.
        judge: Judge id of who decides.
        cross_play: How many questions two players debate, each of them from both sides.
        self_play: How many other questions each player debates against itself.
        debate: How is debated. Who argues what for whom is filled in for every matchup.
        judging_template: The judge's prompt's name.
        limit: How many of the drawn questions of each sort are debated at most, to try it out; None
            for all. What is debated is not debated again by the whole plan.
    """

    name: str
    dataset: str
    debaters: tuple[str, ...]
    judge: str
    rounds: int
    cross_play: int
    debate: DebatePlan
    description: str = ""
    pairing: str = SWISS
    self_play: int = 0
    seed: int = 20250701
    split: str | None = None
    judging_template: str = "ov_judge"
    budget_usd: float | None = None
    limit: int | None = None

    @property
    def definition_hash(self) -> str:
        """Hash of everything that decides what is played; description and budget do not."""
        facts = {
            key: value
            for key, value in asdict(self).items()
            if key not in ("description", "budget_usd")
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    @property
    def label(self) -> str:
        """The name and digits of the definition: name of its runs and its folder."""
        return f"{self.name}-{self.definition_hash[:8]}"

    @property
    def debates_name(self) -> str:
        """Name of the experiment in which its debates are run."""
        return f"tournament-{self.label}"

    @property
    def judging_name(self) -> str:
        """Name of the experiment in which they are judged."""
        return f"tournament-{self.label}-judging"

    @property
    def cross_count(self) -> int:
        """Number of questions that two players debate, with the limit."""
        return self.cross_play if self.limit is None else min(self.cross_play, self.limit)

    @property
    def self_count(self) -> int:
        """Number of questions that each player debates against itself, with the limit."""
        return self.self_play if self.limit is None else min(self.self_play, self.limit)

    @property
    def matchup_count(self) -> int:
        """Number of matchups, if nobody withdraws."""
        return self.rounds * (len(self.debaters) // 2)


def load_tournament(name: str, folders: Sequence[Path] = ()) -> TournamentPlan:
    """Return a tournament's plan by name.

    Raises:
        BadTournament: There is none of this name, or its file is wrong.
        UnknownJudge: A debater or a judge cannot exist.
    """
    if re.fullmatch(_NAME, name):
        for folder in (*folders, SHIPPED):
            for stem in (name.replace("-", "_"), name):
                path = folder / f"{stem}.toml"
                if path.is_file():
                    return _read(path, name)
    files = (file for folder in (*folders, SHIPPED) for file in folder.glob("*.toml"))
    known = ", ".join(sorted({file.stem.replace("_", "-") for file in files}))
    raise UnknownTournament(
        f"tournament: no tournament named '{name}'; there are {known or 'none'}; to add one, write "
        f"a file such as my_tournament.toml in the folder tournaments/ of your home"
    )


def _read(path: Path, name: str) -> TournamentPlan:
    try:
        file = _File.model_validate(toml_of(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        raise BadTournament(problem_of(error, f"tournament: {path}", model=_File)) from None
    except ValueError as error:
        raise BadTournament(f"tournament: {path} is not valid TOML: {error}") from None
    if file.name != name:
        raise BadTournament(
            f"tournament: {path} has name = '{file.name}', but its file is named for '{name}'; "
            "make the two agree"
        )
    debate, count = file.debate, len(file.debaters)
    others = [each for each in (debate.preference_judge, debate.asker) if each is not None]
    for judge_id in (*file.debaters, file.judge, *others):
        try:
            check_judge_id(judge_id)
        except UnknownJudge as error:
            raise UnknownJudge(f"tournament: {path}: {error}") from None
    usual = enough_rounds(count) if file.pairing == SWISS else most_rounds(count)
    return TournamentPlan(
        name,
        file.dataset,
        tuple(file.debaters),
        file.judge,
        file.rounds or usual,
        debate=DebatePlan(protocol=DEBATE, opponent=SELF, tournament=name, **debate.model_dump()),
        description=file.description,
        pairing=file.pairing,
        judging_template=file.judging.template,
        budget_usd=file.budget_usd,
        **file.questions.model_dump(),
    )
