"""`rostrum judges`: list judges, or add one."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import typer

from orchestration.console import OUT, Say, say
from orchestration.operation import (
    Operation,
    Pairs,
    add_command,
    argument,
    command_of,
    option,
)
from orchestration.result_files import write_text
from warehouse.home import Home
from warehouse.records.ids import split_judge_id

app = typer.Typer(help="List judges, or add one.", rich_markup_mode=None)


class Judges(Operation):
    """List the judges of this home."""

    file_format: Literal["table", "json"] = option(
        "table for people; json for programs, without any key.", "table", name="format"
    )

    def run(self, home: Home, say: Say = say) -> None:
        """Print the judges."""
        if self.file_format == "json":
            from orchestration.commands.runs.facts import as_json, judge_facts

            write_text(as_json(judge_facts(home)))
        else:
            from orchestration.commands.reports.tables import judge_table

            OUT.print(judge_table(home))


class JudgesAdd(Operation):
    """Add a judge, and the partition that lets the Dagster UI pick it."""

    needs_home: ClassVar[bool] = False
    example: ClassVar[str] = "judges add openai/gpt-4.1-mini --set temperature=0.2"

    judge_id: str | None = argument("The judge, as provider/model; a preset has one.", None)
    preset: str | None = option(
        "A model of the papers, with family and size (rostrum judges presets).", None
    )
    settings: Pairs = option("setting=value. Repeatable.", {}, name="set")
    model: str | None = option(
        "The endpoint's name for it, or a folder, where the id has another.", None
    )
    family: str | None = option("Model family.", None)
    size: float | None = option("Billions of parameters.", None)

    def run(self, home: Home, say: Say = say) -> None:
        """Add the judge to `judges.toml` and to the partitions.

        Options come before what a preset has; a preset's settings hold for its own provider.
        """
        from inference.errors import UnknownJudge
        from inference.kinds import KIND
        from inference.providers.presets import judge_preset
        from orchestration.instance import open_instance
        from orchestration.registry import add_judge, ensure_registry, sync_partitions

        judge_id, family, size = self.judge_id, self.family, self.size
        values = {name: _typed(text) for name, text in self.settings.items()}
        if self.preset is not None:
            preset = judge_preset(self.preset)
            provider = split_judge_id(preset.judge_id)[0]
            judge_id = judge_id or preset.judge_id
            if judge_id.startswith(f"{provider}/"):
                values = preset.settings | values
            family = family or preset.family
            size = preset.size_b_params if size is None else size
        if judge_id is None:
            raise UnknownJudge("registry: name a judge as provider/model, or a preset")
        home.ensure()
        ensure_registry(home)
        about = {"model": self.model, "family": family, "size_b_params": size}
        spec = add_judge(home, judge_id, values, **about)
        with open_instance(home) as instance:
            sync_partitions(home, instance)
        say(f"{spec.judge_id} is in {home.judges_file}; run it with:")
        experiment = next(
            each.first_experiment for each in KIND.values() if each.name in spec.kinds
        )
        say(f"  rostrum run {experiment} --judge {spec.judge_id} --limit 50")


def _typed(text: str) -> Any:
    """Read a setting as TOML would, and as plain text where it is none."""
    from inference.toml_text import toml_of

    try:
        return toml_of(f"value = {text}")["value"]
    except ValueError:
        return text


class Presets(Operation):
    """List the papers' models that 'judges add --preset' knows, with family and size."""

    needs_home: ClassVar[bool] = False
    example: ClassVar[str] = "judges presets"

    def run(self, home: Home, say: Say = say) -> None:
        """Print the presets."""
        from orchestration.commands.reports.tables import preset_table

        OUT.print(preset_table())


app.callback(invoke_without_command=True, epilog="Example: rostrum judges")(
    command_of(Judges, is_group=True)
)
add_command(app, "add", JudgesAdd)
add_command(app, "presets", Presets)
