"""Files in the exact shapes of DDO, IQ2 and NYU's rooms, made for the tests: nobody's data."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.ingestion.ingestion_files import query
from warehouse.home import Home

ANN, BEN = "Ann.A", "Ben B"
CRITERIA = (
    "Agreed with before the debate",
    "Agreed with after the debate",
    "Who had better conduct",
    "Had better spelling and grammar",
    "Made more convincing arguments",
    "Used the most reliable sources",
)


def vote(voter: str, winner: str, *, pro: str = ANN, con: str = BEN, **more: Any) -> dict[str, Any]:
    """A vote in the full style: every criterion goes to one name, or to "Tied"."""
    votes_map = {
        name: dict.fromkeys(CRITERIA, name == winner)
        | {"Total points awarded": 7 * (name == winner)}
        for name in (pro, con, "Tied")
    }
    return {"user_name": voter, "user_link": f"/{voter}/", "votes_map": votes_map, **more}


def votes(pro: int, con: int, tied: int = 0) -> list[dict[str, Any]]:
    winners = [ANN] * pro + [BEN] * con + ["Tied"] * tied
    return [vote(f"v{number}", winner) for number, winner in enumerate(winners)]


def rounds(count: int = 3) -> list[list[dict[str, str]]]:
    return [
        [
            {"side": side, "text": f"{side} in round {number}, with reasons."}
            for side in ("Pro", "Con")
        ]
        for number in range(1, count + 1)
    ]


def ddo_debate(**changes: Any) -> dict[str, Any]:
    """A debate as debates.json has it: three rounds, con speaks last, pro wins five to one."""
    debate = json.loads("""{
        "url": "http://www.debate.org/debates/x/1/", "category": "Science", "title": "Trees think",
        "start_date": "3/14/2012", "update_date": "5 Years Ago", "voting_style": "Open",
        "debate_status": "Post Voting Period", "number_of_comments": 1, "number_of_views": 812,
        "number_of_rounds": 3, "number_of_votes": 6, "forfeit_label": false, "forfeit_side": "",
        "participant_1_link": "/Ann.A/", "participant_1_points": 35,
        "participant_1_position": "Pro", "participant_1_status": "Winning",
        "participant_2_link": "/Ben_B/", "participant_2_points": 7,
        "participant_2_position": "Con", "participant_2_status": "Losing",
        "comments": [{"user_name": "v0", "time": "3 years ago", "comment_text": "Well done."}]
    }""")
    debate |= {"participant_1_name": ANN, "participant_2_name": BEN}
    return {**debate, "rounds": rounds(), "votes": votes(5, 1), **changes}


def write_json(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def ddo_file(folder: Path, debates: Mapping[str, Any]) -> Path:
    return write_json(folder / "debates.json", debates)


def ddo_user(**changes: Any) -> dict[str, Any]:
    return {
        "birthday": "Jan 1, 1990",
        "elo_ranking": "2,134",
        "email": "a@b.example",
        "win_ratio": "66.67%",
        "all_debates": ["x"],
        "number_of_all_debates": "9",
        "number_of_won_debates": "6",
        "number_of_lost_debates": "3",
        "number_of_tied_debates": "0",
        "number_of_voted_debates": "41",
        **changes,
    }


def iq2_turn(kind: str, *paragraphs: str, segment: int = 1, **changes: Any) -> dict[str, Any]:
    names = {"for": "Ann A.", "against": "Ben B.", "mod": "John D.", "host": "Robert R."}
    return {
        "speaker": names.get(kind),
        "speakertype": kind,
        "segment": segment,
        "paragraphs": list(paragraphs) or [f"What {kind} says."],
        "nontext": {},
        **changes,
    }


def polls(
    pro: tuple[float, float] = (30, 50), con: tuple[float, float] = (40, 41)
) -> dict[str, Any]:
    (pro_before, pro_after), (con_before, con_after) = pro, con
    return {
        "breakdown": {"against_against": 30},
        "pre": {
            "for": pro_before,
            "against": con_before,
            "undecided": 100 - pro_before - con_before,
        },
        "post": {"for": pro_after, "against": con_after, "undecided": 100 - pro_after - con_after},
    }


def transcript() -> list[dict[str, Any]]:
    """Host, both sides, a question from the audience, closings, and the host with the result."""
    return [
        iq2_turn("host", "Welcome.", segment=0),
        iq2_turn("mod", "Our motion tonight.", segment=0),
        iq2_turn("for", "Trees think.", "They do.", nontext={"applause": [[1, 2]]}),
        iq2_turn("against", "They do not."),
        iq2_turn("unknown", "What of moss?", speaker=None),
        iq2_turn("for", "Moss too.", segment=2),
        iq2_turn("against", "Moss neither.", segment=2),
        iq2_turn("mod", "And the winner is the side for the motion.", segment=2),
    ]


def iq2_debate(**changes: Any) -> dict[str, Any]:
    """A debate as iq2_data_release.json has it: for gains twenty points, against one."""
    return {
        "title": "Trees Think",
        "date": "Tuesday, January 15, 2008",
        "url": "http://example.org/trees",
        "summary": "About trees.",
        "speakers": {
            "for": [{"name": "Ann A.", "bio": "-", "bio_short": "-"}],
            "against": [{"name": "Ben B.", "bio": "-", "bio_short": "-"}],
            "moderator": {"name": "John D.", "bio": "-", "bio_short": "-"},
        },
        "results": polls(),
        "transcript": transcript(),
        **changes,
    }


def convokit_folder(
    folder: Path, debates: Mapping[str, Mapping[str, Any]], *, is_old: bool = False
) -> Path:
    """The same debates as a ConvoKit corpus; old dumps say user and root, and hold no meta layer."""
    utterances: list[dict[str, Any]] = []
    conversations: dict[str, Any] = {}
    for original, debate in debates.items():
        root = str(len(utterances))
        swing = {
            side: debate["results"]["post"][side] - debate["results"]["pre"][side]
            for side in ("for", "against")
        }
        lead = swing["for"] - swing["against"]
        about = {name: debate[name] for name in ("title", "summary", "date", "url", "results")} | {
            "originalid": original,
            "winner": "for" if lead > 0 else "against" if lead < 0 else "tie",
        }
        conversations[root] = about if is_old else {"meta": about, "vectors": []}
        for turn in debate["transcript"]:
            utterances.append(
                {
                    "id": str(len(utterances)),
                    "root" if is_old else "conversation_id": root,
                    "user" if is_old else "speaker": turn["speaker"] or "audience",
                    "text": "\n\n".join(turn["paragraphs"]),
                    "reply-to": None,
                    "timestamp": None,
                    "meta": {name: turn[name] for name in ("nontext", "segment", "speakertype")}
                    | {"paragraphbreaks": []},
                }
            )
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(row) + "\n" for row in utterances)
    (folder / "utterances.jsonl").write_text(lines, encoding="utf-8")
    write_json(folder / "conversations.json", conversations)
    write_json(folder / ("users.json" if is_old else "speakers.json"), {"Ann A.": {"meta": {}}})
    write_json(folder / "corpus.json", {"name": "iq2-corpus"})
    write_json(folder / "index.json", {"version": 1})
    return folder


def said(speaker: str, *segments: Any) -> dict[str, Any]:
    """A speech of a room: texts, and pairs that quote the story's tokens."""
    content = [
        {"Text": {"text": each}} if isinstance(each, str) else {"Quote": {"span": list(each)}}
        for each in segments
    ]
    return {"speaker": speaker, "timestamp": 1_679_691_649_313, "content": content}


def belief(
    p_first: float, *, ends: bool = False, judge: str = "Judy", why: str = ""
) -> dict[str, Any]:
    feedback = said(judge, *([why] if why else []))
    return {"distribution": [p_first, 1 - p_first], "feedback": feedback, "endDebate": ends}


def room(rounds_: Sequence[Mapping[str, Any]] | None = None, **setup: Any) -> dict[str, Any]:
    """A room as the interface stores it: a debate that the live judge ends, rightly sure of B."""
    otto = [belief(0.5, judge="Otto")] * 2 + [belief(0.8, ends=True, judge="Otto")]
    speeches = [
        {"0": said("Ann", "It is ", (0, 2)), "1": said("Ben", "No.")},
        {"0": said("Ann", "More."), "1": said("Ben", "Less.")},
    ]
    offline = {"Otto": {"mode": "stepped", "startTimeMillis": 1, "judgments": otto}}
    happened = [
        {"JudgeFeedback": belief(0.5)},
        {"SimultaneousSpeeches": {"speeches": speeches[0]}},
        {"JudgeFeedback": belief(0.30000000000000004, why="Say more.")},
        {"SequentialSpeeches": {"speeches": speeches[1]}},
        {"JudgeFeedback": belief(0.1, ends=True, why="B it is.")},
        {"OfflineJudgments": {"judgments": offline}},
    ]
    about = json.loads("""{
        "question": " What is it? ", "answers": ["Ice", "Water "], "correctAnswerIndex": 1,
        "roles": {"Debater A": "Ann", "Debater B": "Ben", "Judge": "Judy"},
        "offlineJudges": {"Otto": "stepped", "Olga": null}, "creationTime": 1679691649313,
        "sourceMaterial": {"QuALITYSourceMaterial": {
            "articleId": "7", "title": "Frost", "contents": ["all", "ice", "", "\\n"]
        }}, "rules": {}
    }""")
    held = list(happened if rounds_ is None else rounds_)
    return {"setup": about | setup, "rounds": held, "feedback": {}, "scratchpads": {}}


def rooms_file(folder: Path, rooms: Mapping[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "rooms.jsonl"
    lines = "".join(json.dumps({"room": name, "data": data}) + "\n" for name, data in rooms.items())
    path.write_text(lines, encoding="utf-8")
    return path


def removed_by(home: Home) -> dict[str, str]:
    """The rule of every debate, by its id without the data set."""
    rows = query(home, "select debate_id, rule from raw.debate_filters")
    return {debate_id.partition(":")[2]: rule for debate_id, rule in rows}
