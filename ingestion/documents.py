"""JSON documents that hold what a person decided: told by their kind, and read whole or refused."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from ingestion.errors import SourceUnreadable
from warehouse.records.core import first_problem

# Where a document says what it is: the programs that write it put that first.
_LOOKED_AT = 512


class Document(NamedTuple):
    """A kind of document.

    Attributes:
        kind: What its field `kind` holds.
        fault: What is said of a file that is none, such as `is no review of a disagreement`.
        wanted: What it should be and how it is made, for messages.
    """

    kind: str
    fault: str
    wanted: str

    def is_in(self, path: Path) -> bool:
        """Say whether a file is of this kind."""
        if path.suffix.lower() != ".json" or not path.is_file():
            return False
        with path.open("rb") as file:
            return f'"{self.kind}"'.encode() in file.read(_LOOKED_AT)

    def refused(self, shown: str, reason: str) -> SourceUnreadable:
        """Return the error for a file that is none."""
        return SourceUnreadable(f"ingestion: {shown} {self.fault}: {reason[:500]}; {self.wanted}")

    def told(self, content: bytes, shown: str) -> dict[str, Any]:
        """Return what a document of version 1 says besides its kind and its version."""
        told: dict[str, Any] = json.loads(content)
        kind, version = told.pop("kind"), told.pop("schema_version")
        if (kind, version) != (self.kind, 1):
            raise self.refused(shown, f"it is {kind} in version {version}")
        return told

    @contextmanager
    def reading(self, shown: str) -> Iterator[None]:
        """Refuse the file where what is read inside is not as it should be.

        Raises:
            SourceUnreadable: Says which field, and why.
        """
        try:
            yield
        except ValidationError as error:
            field, reason = first_problem(error)
            raise self.refused(shown, f"field '{field}': {reason}") from None
        except KeyError as error:
            raise self.refused(shown, f"field {error} is missing") from None
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise self.refused(shown, str(error)) from None
