"""Arguments of commands, read without Pydantic where nothing has to be converted.

Typer makes a Pydantic adapter for each option of a command, also for texts, defaults and options
that were not given. To import Pydantic takes longer than what most commands that only look do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from typer import core
from typer._coercion import RuntimeParam, TypeDescriptor, build_runtime_param

if TYPE_CHECKING:
    from typer._click import Context


@dataclass(frozen=True)
class _AsGiven(RuntimeParam):
    """Takes texts and defaults as they are, and leaves anything else to Typer."""

    descriptor: TypeDescriptor

    def _coerce_value(self, value: Any, param: Any, ctx: Context) -> Any:
        kind = self.annotation
        if kind is str and isinstance(value, str):
            return value
        if kind in (int, float) and value is param.default:
            return kind(value)
        return build_runtime_param(self.descriptor)._coerce_value(value, param=param, ctx=ctx)


def _runtime_param(descriptor: TypeDescriptor) -> RuntimeParam:
    return _AsGiven(descriptor.parameter_info, descriptor.annotation, descriptor)


def read_without_pydantic() -> None:
    """Read the arguments of this process's commands so."""
    core.build_runtime_param = _runtime_param  # type: ignore[attr-defined]
