"""Operations: the command and the form in Dagster have what the model has, and refuse the rest."""

from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
import typer
from typer.testing import CliRunner

from orchestration.console import Say, State, say
from orchestration.errors import BadOptions
from orchestration.operation import (
    Operation,
    OutputPath,
    Pairs,
    Publishing,
    UserPath,
    add_command,
    argument,
    config_of,
    option,
)
from warehouse.home import Home


class Brew(Publishing):
    """Brew coffee."""

    needs_home: ClassVar[bool] = False
    seen: ClassVar[list[dict[str, Any]]] = []

    beans: str = argument("Which beans.")
    cups: int = option("How many cups.", 1, ge=1, le=8)
    kind: Literal["filter", "moka"] = option("How.", "filter")
    extras: list[str] = option("What goes in. Repeatable.", [], name="with")
    settings: Pairs = option("name=value. Repeatable.", {}, name="set")
    water: UserPath | None = option("Where the water is.", None)
    note: OutputPath | None = option("File to write.", None)
    dry_run: bool = option("Only look.", False, exclude=True)

    def run(self, home: Home, say: Say = say) -> int:
        """Keep the options."""
        fields = type(self).model_fields.items()
        values = {name: getattr(self, name) for name, field in fields}
        self.seen.append(
            {name: values[name] for name, field in fields if values[name] != field.default}
        )
        return 3 if self.dry_run else 0


class Wash(Operation):
    """Wash up, in a home that is there."""

    def run(self, home: Home, say: Say = say) -> None:
        """Do nothing."""


app = typer.Typer()
add_command(app, "brew", Brew)
add_command(app, "wash", Wash)


@pytest.mark.parametrize(
    ("words", "code", "seen"),
    [
        ("ethiopia", 0, {}),
        (
            "ethiopia --cups 3 --kind moka --no-build",
            0,
            {"cups": 3, "kind": "moka", "build": False},
        ),
        ("ethiopia --with milk --with oat", 0, {"extras": ["milk", "oat"]}),
        ("ethiopia --set a=1 --set b=x=y", 0, {"settings": {"a": "1", "b": "x=y"}}),
        ("ethiopia --water tap", 0, {"water": Path.cwd() / "tap"}),
        ("ethiopia --dry-run", 3, {"dry_run": True}),
        ("", 2, None),
        ("ethiopia --cups 9", 2, None),
        ("ethiopia --cups 2 --cups 3", 2, None),
        ("ethiopia --kind instant", 2, None),
        ("ethiopia --set a", 2, None),
        ("ethiopia --set a=1 --set a=2", 2, None),
        ("ethiopia --note no-such-folder/note.txt", 2, None),
        ("ethiopia --extras milk", 2, None),
    ],
)
def test_a_command_takes_the_options_of_its_operation_and_no_others(
    words: str, code: int, seen: dict[str, Any] | None, tmp_path: Path
) -> None:
    State.home, Brew.seen[:] = Home(tmp_path), []
    done = CliRunner().invoke(app, ["brew", *words.split()])
    assert done.exit_code == code, done.output
    assert Brew.seen == ([] if seen is None else [{"beans": "ethiopia", **seen}])


def test_a_command_that_needs_a_home_does_not_make_one(tmp_path: Path) -> None:
    State.home = Home(tmp_path / "typo")
    assert CliRunner().invoke(app, ["wash"]).exit_code == 1
    assert not State.home.root.exists()


def test_a_form_has_no_option_of_the_command_alone_and_no_default_that_hides_a_jobs_own() -> None:
    form = config_of(Brew)
    optional = {"cups", "kind", "extras", "settings", "water", "note"}
    assert set(form.model_fields) == {"beans", *optional}
    assert {name for name in optional if form.model_fields[name].default is not None} == set()
    assert form.model_fields["cups"].description == "How many cups. Absent means 1."
    set_up = form(beans="kenya", cups=2, water="tap", settings={"a": "1"})
    made = Brew.of(set_up)
    assert (made.beans, made.cups, made.kind, made.settings) == ("kenya", 2, "filter", {"a": "1"})
    assert made.config()["water"] == str(Path.cwd() / "tap")
    assert Brew.of(form(**made.config())) == made
    with pytest.raises(BadOptions, match="Brew: cups: should be less than or equal to 8"):
        Brew.of(form(beans="kenya", cups=9))
