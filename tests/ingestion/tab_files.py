"""Made-up tabs of British Parliamentary tournaments, as Tabbycat's API has them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ingestion.parliamentary.batch import ParliamentaryDebate

SITE = "https://tab.example.org"
BASE = f"{SITE}/api/v1/tournaments/spring"
HOUSES = ("og", "oo", "cg", "co")
ROLES_OF = {"og": "pm dpm", "oo": "lo dlo", "cg": "mg gw", "co": "mo ow"}
# OG 150, OO 155, CG 145, CO 160: CO wins, then OO, OG and CG.
SCORES = {"og": (75, 75), "oo": (78, 77), "cg": (72, 73), "co": (80, 80)}
RANKS = {"co": 1, "oo": 2, "og": 3, "cg": 4}


def sheet(
    scores: Mapping[str, Sequence[Any]] = SCORES,
    *,
    adjudicator: int | None = None,
    points: Mapping[str, Any] | None = None,
    sides: Sequence[Any] = HOUSES,
    ghosts: Sequence[str] = (),
    iron: Sequence[str] = (),
) -> dict[str, Any]:
    """Return a sheet; team 1 is OG and so on, and team 1's speakers are 11 and 12."""
    given = {house: 4 - RANKS[house] for house in HOUSES} if points is None else points
    return {
        "adjudicator": adjudicator and f"{BASE}/adjudicators/{adjudicator}",
        "teams": [
            {
                "side": side,
                "team": f"{BASE}/teams/{number}",
                "points": given.get(house),
                "win": given.get(house) in (2, 3),
                "score": sum(scores[house]) if scores else None,
                "speeches": [
                    {
                        "speaker": f"{BASE}/speakers/{number}{1 if house in iron else place}",
                        "score": score,
                        "ghost": house in ghosts and place == 2,
                    }
                    for place, score in enumerate(scores[house], start=1)
                ]
                if scores
                else [],
            }
            for number, (side, house) in enumerate(zip(sides, HOUSES, strict=True), start=1)
        ],
    }


def ballot(*sheets: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a ballot; confirmed unless it says otherwise."""
    known = {"confirmed": True, "discarded": False, "version": 1, "motion": f"{BASE}/motions/5"}
    return known | {"result": {"sheets": list(sheets)}} | fields


def pairing(identity: int, *, sides: Sequence[Any] = HOUSES) -> dict[str, Any]:
    """Return a room of the draw; adjudicator 1 chairs, 2 and 3 sit beside, 4 is a trainee."""
    return {
        "id": identity,
        "url": f"{BASE}/rounds/1/pairings/{identity}",
        "venue": f"{BASE}/venues/{identity}",
        "teams": [
            {"team": f"{BASE}/teams/{number}", "side": side}
            for number, side in enumerate(sides, start=1)
        ],
        "adjudicators": {
            "chair": f"{BASE}/adjudicators/1",
            "panellists": [f"{BASE}/adjudicators/2", f"{BASE}/adjudicators/3"],
            "trainees": [f"{BASE}/adjudicators/4"],
        },
    }


_TOURNAMENT = """{
    "tournament": {"url": "BASE", "slug": "spring", "name": "Spring Open"},
    "rounds": [{
        "url": "BASE/rounds/1", "seq": 1, "name": "Round 1", "abbreviation": "R1", "stage": "P",
        "starts_at": "2026-03-07T10:00:00Z"
    }],
    "motions": [{
        "id": 5, "url": "BASE/motions/5", "reference": "Parks",
        "text": "This house would open all parks at night",
        "info_slide": "<p>Parks <b>close</b> at dusk.</p><ul><li>Some &amp; others</li></ul>",
        "rounds": [{"round": "BASE/rounds/1", "seq": 1}]
    }],
    "speakers": []
}"""


def _team(number: int) -> dict[str, Any]:
    speakers = [
        {
            "id": 10 * number + place,
            "url": f"{BASE}/speakers/{number}{place}",
            "name": f"Speaker {number}.{place}",
            "email": "someone@example.org",
        }
        for place in (1, 2)
    ]
    about = {"id": number, "url": f"{BASE}/teams/{number}", "short_name": f"Team {number}"}
    return {**about, "type": "S" if number == 4 else "N", "speakers": speakers}


def documents(
    ballots: Mapping[int, Sequence[dict[str, Any]]],
    *,
    pairings: Sequence[dict[str, Any]] | None = None,
    **changed: Any,
) -> dict[str, Any]:
    """Return the documents of a tournament of one round, by path."""
    drawn = [pairing(identity) for identity in ballots] if pairings is None else pairings
    found: dict[str, Any] = json.loads(_TOURNAMENT.replace("BASE", BASE))
    found |= {
        "teams": [_team(number) for number in (1, 2, 3, 4)],
        "adjudicators": [
            {"id": number, "url": f"{BASE}/adjudicators/{number}", "name": f"Judge {number}"}
            for number in (1, 2, 3, 4)
        ],
        "venues": [
            {"id": each["id"], "url": each["venue"], "display_name": f"Hall {each['id']}"}
            for each in drawn
        ],
        "rounds/1/pairings": drawn,
    }
    for identity, listed in ballots.items():
        found[f"rounds/1/pairings/{identity}/ballots"] = list(listed)
    return found | changed


def as_folder(folder: Path, found: Mapping[str, Any]) -> Path:
    """Write documents as a folder of files by their paths."""
    for path, value in found.items():
        file = folder / f"{path}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value))
    return folder


def as_file(path: Path, found: Mapping[str, Any]) -> Path:
    """Write documents as one file with their paths as keys."""
    path.write_text(json.dumps(found))
    return path


def tagged() -> str:
    """Return a tagged transcript of eight short speeches."""
    return "\n".join(
        f"<{role}>This is what {role} says of the parks.</{role}>"
        for role in ("PM", "LO", "DPM", "DLO", "MG", "MO", "GW", "OW")
    )


def said(tmp_path: Path, name: str) -> str:
    """Write a folder of transcripts that holds one."""
    folder = tmp_path / "said"
    folder.mkdir()
    (folder / f"{name}.txt").write_text(tagged())
    return str(folder)


def scores(debate: ParliamentaryDebate, by: str = "panel") -> dict[str, float | None]:
    return {each.role: each.score for each in debate.speakers if each.decided_by == by}
