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
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from inference.errors import BadTournament, UnknownJudge, UnknownTournament
from inference.oversight.arms import BEST_OF, ROUNDS, WORD_LIMIT
from inference.oversight.items import DEBATE, SELF, TURN_ORDERS, DebatePlan
from inference.oversight.tournament import PAIRINGS, SWISS, enough_rounds, most_rounds
from inference.registry import check_judge_id
from inference.toml_text import toml_of
from inference.value_rules import (
    PROMPT,
    Rule,
    check,
    is_list_of,
    is_one_of,
    is_table,
    is_text,
    number,
    whole,
)

SHIPPED = Path(__file__).parent / "tournaments"
# Runs are named after tournaments: two hyphens stand between the parts of their names.
_NAME = re.compile(r"(?=.{1,36}\Z)[a-z0-9]+(-[a-z0-9]+)*")
_DEBATER, _JUDGE = "ov_debater", "ov_judge"
_TEXT: Rule = (is_text, "a text")
_COUNT: Rule = (whole(1), "a whole number, 1 or more")
_COUNT_OR_NONE: Rule = (whole(0), "a whole number, 0 or more")
_MODEL: Rule = (is_text, "a model, as provider/model")
_TABLE: Rule = (is_table, "a table")
_KEYS: Mapping[str, Rule] = {
    "name": (
        lambda value: is_text(value) and _NAME.fullmatch(value) is not None,
        "up to 36 small letters and digits, with single hyphens between",
    ),
    "description": _TEXT,
    "dataset": (is_text, "the name of a data set"),
    "debaters": (is_list_of(_MODEL)[0], "a list of models, each as provider/model"),
    "judge": _MODEL,
    "pairing": is_one_of(PAIRINGS),
    "rounds": _COUNT,
    "budget_usd": (number(0), "a number of dollars, 0 or more"),
    "questions": _TABLE,
    "debate": _TABLE,
    "judging": _TABLE,
}
_TABLES: Mapping[str, Mapping[str, Rule]] = {
    "questions": {
        "cross_play": _COUNT,
        "self_play": _COUNT_OR_NONE,
        "seed": _COUNT_OR_NONE,
        "split": _TEXT,
    },
    "debate": {
        "template": PROMPT,
        "turn_order": is_one_of(TURN_ORDERS),
        "rounds": ROUNDS,
        "word_limit": WORD_LIMIT,
        "best_of": BEST_OF,
        "preference_judge": _MODEL,
        "refine": _COUNT_OR_NONE,
        "asker": _MODEL,
    },
    "judging": {"template": PROMPT},
}


@dataclass(frozen=True)
class TournamentPlan:
    """One tournament, as its file says.

    Attributes:
        description: What it is for, for people.
        debaters: Judge ids of the players, in the order of their seeding.
        judge: The judge id of who decides.
        rounds: How many.
        cross_play: How many questions two players debate, each of them from both sides.
        self_play: How many other questions each player debates against itself.
        seed: Draws the questions.
        split: The part of the data set they are of; None for all of it.
        debate: How is debated. Who argues what for whom is filled in for every matchup.
        judging_template: The judge's prompt's name.
        budget_usd: The most that all of it may cost; None where there is no limit.
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
    judging_template: str = _JUDGE
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
        """The name and digits of the definition: what its runs and its folder are called."""
        return f"{self.name}-{self.definition_hash[:8]}"

    @property
    def debates_name(self) -> str:
        """What the experiment is called in which its debates are run."""
        return f"tournament-{self.label}"

    @property
    def judging_name(self) -> str:
        """What the experiment is called in which they are judged."""
        return f"tournament-{self.label}-judging"

    @property
    def cross_count(self) -> int:
        """How many questions two players debate, the limit considered."""
        return self.cross_play if self.limit is None else min(self.cross_play, self.limit)

    @property
    def self_count(self) -> int:
        """How many questions each player debates against itself, the limit considered."""
        return self.self_play if self.limit is None else min(self.self_play, self.limit)

    @property
    def matchup_count(self) -> int:
        """How many matchups there will be, if nobody withdraws."""
        return self.rounds * (len(self.debaters) // 2)


def load_tournament(name: str, folders: Sequence[Path] = ()) -> TournamentPlan:
    """Return a tournament's plan by name.

    Raises:
        BadTournament: There is none of this name, or its file is wrong.
        UnknownJudge: A debater or a judge cannot exist.
    """
    if _NAME.fullmatch(name):
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
        content = toml_of(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadTournament(f"tournament: {path} is not valid TOML: {error}") from None
    refuse = partial(check, who="tournament", error=BadTournament)
    refuse(path, "", content, _KEYS, ("name", "dataset", "debaters", "judge", "questions"))
    for table, keys in _TABLES.items():
        must = ("cross_play",) if table == "questions" else ()
        refuse(path, f"{table}.", content.get(table, {}), keys, must)
    if content["name"] != name:
        raise BadTournament(
            f"tournament: {path} says name = '{content['name']}', but its file is named for "
            f"'{name}'; make the two agree"
        )
    players = tuple(content["debaters"])
    pairing = content.get("pairing", SWISS)
    _check_players(path, players)
    rounds = _rounds(path, content.get("rounds"), pairing, len(players))
    debate = {"template": _DEBATER, **content.get("debate", {})}
    _check_models(path, content, players, debate)
    questions = content["questions"]
    values = {key: questions[key] for key in ("self_play", "seed", "split") if key in questions}
    if "template" in content.get("judging", {}):
        values["judging_template"] = content["judging"]["template"]
    if "budget_usd" in content:
        values["budget_usd"] = float(content["budget_usd"])
    return TournamentPlan(
        name,
        content["dataset"],
        players,
        content["judge"],
        rounds,
        questions["cross_play"],
        DebatePlan(protocol=DEBATE, opponent=SELF, tournament=name, **debate),
        content.get("description", ""),
        pairing,
        **values,
    )


def _check_players(path: Path, players: Sequence[str]) -> None:
    if len(players) < 2:
        raise BadTournament(
            f"tournament: {path} has one debater, {players[0]}, and nobody to debate with; name "
            "two or more as 'debaters'"
        )
    for place, player in enumerate(players):
        if player in players[:place]:
            raise BadTournament(
                f"tournament: {path} names the debater '{player}' twice; name each once, or give a "
                "second one with other settings an id of its own in judges.toml"
            )


def _rounds(path: Path, wanted: int | None, pairing: str, players: int) -> int:
    most = most_rounds(players)
    if pairing != SWISS:
        if wanted not in (None, most):
            raise BadTournament(
                f"tournament: {path}: {players} debaters meet each other in {most} rounds, not in "
                f"{wanted}; leave 'rounds' out, or pair by swiss"
            )
        return most
    if wanted is not None and wanted > most:
        raise BadTournament(
            f"tournament: {path}: rounds is {wanted}; {players} debaters have met each other after "
            f"{most}, and nobody meets twice"
        )
    return wanted or enough_rounds(players)


def _check_models(
    path: Path, content: Mapping[str, Any], players: Sequence[str], debate: Mapping[str, Any]
) -> None:
    preference = debate.get("preference_judge")
    others = [each for each in (preference, debate.get("asker")) if each is not None]
    for judge_id in (*players, content["judge"], *others):
        try:
            check_judge_id(judge_id)
        except UnknownJudge as error:
            raise UnknownJudge(f"tournament: {path}: {error}") from None
    if (debate.get("best_of", 1) > 1) != (preference is not None):
        raise BadTournament(
            f"tournament: {path}: debate.best_of above 1 and debate.preference_judge, who chooses, "
            "belong together; give both or neither"
        )
    if preference == content["judge"]:
        raise BadTournament(
            f"tournament: {path}: '{preference}' would choose what debaters say and then judge it; "
            "name another debate.preference_judge"
        )
