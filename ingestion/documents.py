"""JSON documents with what a person decided, recognised by kind and read whole or refused."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError

from ingestion.errors import SourceUnreadable
from ingestion.times import utc_time
from warehouse.records.core import first_problem

T = TypeVar("T")
# Programs that write such documents put the kind first.
_KIND_WITHIN = 512


class Document(NamedTuple):
    """A kind of document.

    Attributes:
        kind: Value of its field `kind`.
        fault: Message for another file, such as `is no review of a disagreement`.
        wanted: Its form and its origin, for messages.
    """

    kind: str
    fault: str
    wanted: str

    def is_in(self, path: Path) -> bool:
        """Return whether a file is of this kind."""
        if path.suffix.lower() != ".json" or not path.is_file():
            return False
        with path.open("rb") as file:
            return f'"{self.kind}"'.encode() in file.read(_KIND_WITHIN)

    def refused(self, shown: str, reason: str) -> SourceUnreadable:
        """Return the error for another file."""
        return SourceUnreadable(f"ingestion: {shown} {self.fault}: {reason[:500]}; {self.wanted}")

    def record(
        self, content: bytes, shown: str, adapter: TypeAdapter[T], times: Mapping[str, str]
    ) -> T:
        """Return a document of version 1 as a record; `times` renames its fields with times."""
        with self.reading(shown):
            fields: dict[str, Any] = json.loads(content)
            kind, version = fields.pop("kind"), fields.pop("schema_version")
            if (kind, version) != (self.kind, 1):
                raise self.refused(shown, f"it is {kind} in version {version}")
            for name, column in times.items():
                value = fields.pop(name, None)
                fields[column] = utc_time(value) if value else None
            return adapter.validate_python(fields)

    @contextmanager
    def reading(self, shown: str) -> Iterator[None]:
        """Refuse the file, naming the field, if reading it inside the block fails."""
        try:
            yield
        except ValidationError as error:
            field, reason = first_problem(error)
            raise self.refused(shown, f"field '{field}': {reason}") from None
        except KeyError as error:
            raise self.refused(shown, f"field {error} is missing") from None
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise self.refused(shown, str(error)) from None
