"""Operations: one model holds the options of each, and one method does its work.

The command line and Dagster's forms are derived from the model. A field is an option, with its
type, bounds, default and description; a field with `exclude=True` is of the command alone. An
option is called as its field unless it has another name.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    Self,
    Union,
    get_args,
    get_origin,
)

import typer
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo
from typer.core import TyperCommand

from ingestion.registry import problem_in
from orchestration.console import Say, State, say
from orchestration.errors import BadOptions, NoHome
from warehouse.home import Home
from warehouse.lake.settings import SETTING

if TYPE_CHECKING:
    import dagster as dg


def option(about: str, default: Any = ..., *, name: str | None = None, **rules: Any) -> Any:
    """Declare an option of an operation.

    Args:
        default: Its default; `...` where it must be given.
        name: What it is called on the command line, where not as its field.
        rules: Bounds, and `exclude=True` for an option of the command alone.
    """
    return Field(default=default, description=about, validation_alias=name, **rules)


def argument(about: str, default: Any = ..., **rules: Any) -> Any:
    """Declare an argument of an operation's command."""
    rules["json_schema_extra"] = {_ARGUMENT: True}
    return Field(default=default, description=about, **rules)


def _is_argument(field: FieldInfo) -> bool:
    return isinstance(field.json_schema_extra, dict) and _ARGUMENT in field.json_schema_extra


_ARGUMENT = "argument"


def _user_path(path: Path) -> Path:
    return path.expanduser().absolute()


def _existing(path: Path) -> Path:
    if not path.exists():
        raise ValueError("there is no such file or folder; check the path")
    return path


def _writable(path: Path) -> Path:
    if not path.parent.is_dir():
        raise ValueError("names a file in a folder that is not there")
    return path


def pairs_of(values: Any) -> Any:
    """Return the pairs `name=value` of a repeated option by name."""
    if not isinstance(values, list):
        return values
    found: dict[str, str] = {}
    for pair in values:
        name, _, value = pair.partition("=")
        if not (name and value):
            raise ValueError(f"takes name=value; found '{pair}'")
        if name in found:
            raise ValueError(f"{name}=... is given twice; leave one out")
        found[name] = value
    return found


UserPath = Annotated[Path, AfterValidator(_user_path)]
ExistingPath = Annotated[Path, AfterValidator(_user_path), AfterValidator(_existing)]
# A file to write.
OutputPath = Annotated[Path, AfterValidator(_user_path), AfterValidator(_writable)]
Pairs = Annotated[dict[str, str], BeforeValidator(pairs_of)]


class Operation(BaseModel):
    """Options of an operation; its docstring is the help of its command."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, defer_build=True, validate_by_name=True, validate_by_alias=True
    )
    # Whether the home must be there before: else a misspelt one would be made without a word.
    needs_home: ClassVar[bool] = True
    example: ClassVar[str] = ""

    def run(self, home: Home, say: Say = say) -> int | None:
        """Do the work, and return the exit code of the command; None is 0.

        Args:
            say: Told of what is done, line by line.
        """
        raise NotImplementedError

    def config(self) -> dict[str, Any]:
        """Return the values of this in a form of Dagster."""
        return self.model_dump(mode="json", exclude_none=True)

    @classmethod
    def of(cls, config: Mapping[str, Any] | dg.Config, **more: Any) -> Self:
        """Return the operation of a form of Dagster, with values that the form does not have."""
        values = config if isinstance(config, Mapping) else config.model_dump()
        given = {name: value for name, value in values.items() if value is not None}
        try:
            return cls.model_validate({**given, **more})
        except ValidationError as error:
            name, problem = _problem(error)
            raise BadOptions(f"{cls.__name__}: {name or 'options'}: {problem}") from None


class Publishing(Operation):
    """An operation after which the figures are built and published."""

    build: bool = option(
        "Build and publish the figures, or leave that to rostrum build.", True, exclude=True
    )

    def publish(self, home: Home, say: Say) -> None:
        """Build and publish the figures, if that is wanted."""
        from orchestration.commands.build import publish_loaded

        publish_loaded(home, say, is_wanted=self.build)


def _problem(error: ValidationError) -> tuple[str, str]:
    """Return the field of the first broken rule, and what is wrong."""
    detail = error.errors(include_url=False)[0]
    return str(detail["loc"][0]) if detail["loc"] else "", problem_in(detail)


def add_command(app: typer.Typer, name: str, operation: type[Operation], **options: Any) -> None:
    """Add the command of an operation to a group of commands."""
    cls = _AtHome if operation.needs_home else _Command
    epilog = f"Example: rostrum {operation.example}" if operation.example else None
    app.command(name, cls=cls, epilog=epilog, **options)(command_of(operation))


def command_of(operation: type[Operation], *, is_group: bool = False) -> Callable[..., None]:
    """Return the function from whose signature Typer makes the command of an operation.

    Args:
        is_group: Whether it is run where its group is called without one of its commands.
    """

    def command(**values: Any) -> None:
        context = values.pop("context", None)
        if context is not None and context.invoked_subcommand is not None:
            return
        if is_group and operation.needs_home:
            need_home(State.home)
        given = {name: value for name, value in values.items() if value is not None}
        try:
            chosen = operation.model_validate(given)
        except ValidationError as error:
            name, problem = _problem(error)
            fields = operation.model_fields
            field = next((n for n, f in fields.items() if name in (n, f.validation_alias)), "")
            hint = _option_name(field, fields[field]) if field else None
            raise typer.BadParameter(problem, param_hint=hint) from None
        raise typer.Exit(chosen.run(State.home) or 0)

    fields = operation.model_fields
    # An operation's own options come before those of its bases.
    names = [name for cls in operation.__mro__ for name in inspect.get_annotations(cls)]
    ordered = sorted(fields, key=lambda each: (not _is_argument(fields[each]), names.index(each)))
    parameters = [_parameter(name, fields[name]) for name in ordered]
    if is_group:
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter("context", keyword, annotation=typer.Context))
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    command.__doc__ = operation.__doc__
    return command


def _parameter(name: str, field: FieldInfo) -> inspect.Parameter:
    """Return the parameter of a command for a field of its operation."""
    kind = _typer_type(field.annotation)
    is_required = field.is_required()
    default = None if is_required else field.get_default(call_default_factory=True)
    about: dict[str, Any] = {"help": field.description}
    for each in get_args(field.annotation):
        # Typer has no lists of literals.
        if get_origin(field.annotation) is list and get_origin(each) is Literal:
            about["help"] = f"{field.description} One of {', '.join(get_args(each))}."
    for rule in field.metadata:
        for bound, at in (("min", "ge"), ("max", "le")):
            if hasattr(rule, at):
                about[bound] = getattr(rule, at)
    if _is_argument(field):
        info: Any = typer.Argument(**about)
    else:
        option = _option_name(name, field)
        info = typer.Option(f"{option}/--no-{option[2:]}" if default is True else option, **about)
    if kind not in (str, int, float, bool, Path) and get_origin(kind) is list and not default:
        default = None
    if default is None and not is_required:
        kind = kind | None
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if is_required else default,
        annotation=Annotated[kind, info],
    )


def _option_name(name: str, field: FieldInfo) -> str:
    alias = field.validation_alias
    return "--" + (alias if isinstance(alias, str) else name).replace("_", "-")


def _typer_type(annotation: Any) -> Any:
    """Return the type that Typer reads an option as; pydantic reads its own from that."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _typer_type(arguments[0])
    if origin in (Union, UnionType):
        (annotation,) = (each for each in arguments if each is not NoneType)
        return _typer_type(annotation)
    if origin is dict or (origin is list and get_origin(arguments[0]) is not None):
        return list[str]
    return str if origin is tuple else annotation


@cache
def config_of(operation: type[Operation]) -> type[dg.Config]:
    """Return the form of an operation in Dagster's launchpad.

    A field with a default may be absent, and its description has the default: the launchpad would
    put a default of its own above what a job begins with.
    """
    import dagster as dg
    from pydantic import create_model

    fields: dict[str, Any] = {}
    for name, field in operation.model_fields.items():
        if field.exclude:
            continue
        kind, about = _dagster_type(field.annotation), field.description
        if field.is_required():
            fields[name] = (kind, Field(description=about))
            continue
        default = field.get_default(call_default_factory=True)
        text = "" if default in (None, [], {}, ()) else f" Absent means {default}."
        fields[name] = (kind | None, Field(default=None, description=f"{about}{text}"))
    return create_model(f"{operation.__name__}Config", __base__=dg.Config, **fields)


def _dagster_type(annotation: Any) -> Any:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _dagster_type(arguments[0])
    if origin in (Union, UnionType):
        (annotation,) = (each for each in arguments if each is not NoneType)
        return _dagster_type(annotation)
    if origin in (list, tuple):
        return list[_dagster_type(arguments[0])]  # type: ignore[misc]
    if origin is Literal or annotation is Path:
        return str
    return annotation


def need_home(home: Home) -> None:
    """Refuse a home that is not there: a misspelt one is not made without a word."""
    # A machine that shares a lake may have nothing of its own yet.
    if not home.root.exists() and SETTING not in os.environ:
        raise NoHome(
            f"home: there is no home at {home.root}; name another with --home or "
            "ROSTRUM_HOME, or begin this one with 'rostrum demo' or 'rostrum ingest'"
        )


class _Command(TyperCommand):
    """A command that refuses a single-valued option that is given twice."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        *_, order = self.make_parser(ctx).parse_args(args=list(args))
        for option in order:
            is_single = option.param_type_name == "option" and not option.multiple
            if is_single and order.count(option) > 1:
                ctx.fail(f"{option.opts[0]} is given {order.count(option)} times; leave one out")
        return super().parse_args(ctx, args)


class _AtHome(_Command):
    """A command that needs a home."""

    def invoke(self, ctx: Any) -> Any:
        need_home(State.home)
        return super().invoke(ctx)
