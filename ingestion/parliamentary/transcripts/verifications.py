"""What a person decided about a transcript, as a file says it."""

import re
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass

from ingestion.documents import Document
from ingestion.times import utc_time
from warehouse.records.bp import ROLES, Role
from warehouse.records.core import AnyText, Name
from warehouse.records.strict_json import strict_json

KIND = "transcript_verification"
DOCUMENT = Document(
    KIND,
    "verifies no transcript",
    "it should be a JSON object with kind, transcript_id, decision, by, at, and the eight speeches "
    "as segments",
)
VERIFY, REJECT = "verify", "reject"
TRANSCRIPT_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,80}")
_CONFIG = ConfigDict(extra="ignore")


@dataclass(frozen=True, config=_CONFIG)
class VerifiedSegment:
    """One part of a transcript as a person leaves it; without a role it is no speech."""

    position: Annotated[int, Field(ge=1, lt=2**31)]
    role: Role | None
    text: AnyText


@dataclass(frozen=True, config=_CONFIG)
class Verification:
    """What a person decided about a transcript.

    Attributes:
        segments: The speeches; nobody looks at those of a rejected one.
    """

    kind: Literal["transcript_verification"]
    transcript_id: Annotated[str, Field(pattern=rf"^{TRANSCRIPT_ID.pattern}$")]
    decision: Literal["verify", "reject"]
    by: Name
    at: str
    segments: tuple[VerifiedSegment, ...] = ()

    @property
    def when(self) -> datetime:
        """When, in UTC without a zone."""
        return utc_time(self.at)

    @property
    def as_json(self) -> dict[str, Any]:
        """Its fields, as JSON has them."""
        return dict(_ADAPTER.dump_python(self, mode="json"))


_ADAPTER = TypeAdapter(Verification)


def read_verification(content: bytes, shown: str) -> Verification:
    """Return the decision in a file.

    Raises:
        SourceUnreadable: It is none, or it verifies a transcript that is not eight speeches.
    """
    with DOCUMENT.reading(shown):
        found = _ADAPTER.validate_python(strict_json(content))
        _ = found.when
    if found.decision == REJECT:
        return found
    roles: list[str] = [each.role for each in found.segments if each.role]
    positions = [each.position for each in found.segments]
    blank = [each.role or "" for each in found.segments if each.role and not each.text.strip()]
    problems = [
        *(f"no speech of {role.upper()}" for role in ROLES if role not in roles),
        *(f"{role.upper()} is there more than once" for role in ROLES if roles.count(role) > 1),
        *(f"no word in {role.upper()}" for role in blank),
    ]
    if len(positions) != len(set(positions)):
        problems.append("two segments have the same position")
    if problems:
        raise DOCUMENT.refused(shown, "; ".join(problems))
    return found
