"""The sample's speeches: twelve motions, each spoken to by six sources of falling quality.

The sentences are authored in `motions/*.toml` and `stray.toml`; this module only arranges them.
The three better sources are arranged as written. The three weaker ones are weak by construction:
one strings points together, one wanders and repeats itself, one does not make sense.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingestion.sample.draws import Draws

NAME = "sample"
FOLDER = Path(__file__).parent
TEXT_SEED = 20_240_607

# Best first. The slug ends the item id.
SOURCES = {
    "expert": "Sample expert",
    "graduate": "Sample graduate",
    "essay": "Sample essay",
    "list": "Sample list",
    "rambler": "Sample rambler",
    "scrambled": "Sample scrambled",
}
PARTS = {
    "expert": ("opening", "first", "second", "rebuttal", "close"),
    "graduate": ("position", "first", "second", "concession", "close"),
    "essay": ("opening", "body", "close"),
}
STRAY_PER_SPEECH = 4
# Enough of each to make the incoherent source as long as the coherent ones.
SPLICES = 6
JUMBLES = 3


@dataclass(frozen=True)
class SampleSpeech:
    """One sample speech in favour of its motion."""

    item_id: str
    debate_id: str
    motion: str
    source: str
    text: str


def sample_speeches() -> list[SampleSpeech]:
    """Return the 72 sample speeches, by motion in alphabetical order, best source first."""
    draws = Draws(TEXT_SEED)
    motions = {path.stem: _read(path) for path in sorted((FOLDER / "motions").glob("*.toml"))}
    stray = _read(FOLDER / "stray.toml")
    fillers = draws.shuffled(stray["fillers"])
    off_topic = draws.shuffled(stray["off_topic"])
    slugs = list(motions)

    speeches = []
    for index, (slug, content) in enumerate(motions.items()):
        dealt = slice(index * STRAY_PER_SPEECH, (index + 1) * STRAY_PER_SPEECH)
        loose = content["loose"]
        neighbour = motions[slugs[(index + 1) % len(slugs)]]["loose"]
        # Line breaks inside a part only keep the data files readable.
        texts = {
            name: "\n\n".join(" ".join(content[name][part].split()) for part in parts)
            for name, parts in PARTS.items()
        }
        texts["list"] = "\n".join(loose["points"])
        texts["rambler"] = _rambling(draws, loose["drift"], fillers[dealt])
        texts["scrambled"] = _scrambled(draws, loose, neighbour, off_topic[dealt])
        debate_id = f"{NAME}:{slug}"
        speeches += [
            SampleSpeech(f"{debate_id}-{name}", debate_id, content["motion"], source, texts[name])
            for name, source in SOURCES.items()
        ]
    return speeches


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _rambling(draws: Draws, drift: list[str], fillers: list[str]) -> str:
    """Wander through the drift, break off for fillers, and come back to where it began."""
    order = draws.shuffled(drift)
    sentences = [order[0], fillers[0], order[1], order[2], fillers[1], order[3]]
    sentences += [fillers[2], order[4], order[5], order[0], fillers[3]]
    return " ".join(sentences)


def _scrambled(
    draws: Draws, own: dict[str, list[str]], other: dict[str, list[str]], off_topic: list[str]
) -> str:
    """Mix halves of sentences from two motions, shuffled words and sentences on nothing at all."""
    starts = draws.shuffled(own["points"])[:SPLICES]
    ends = draws.shuffled(other["points"])[:SPLICES]
    mixed = []
    for start, end in zip(starts, ends, strict=True):
        head, tail = start.split(), end.split()
        mixed.append(" ".join(head[: (len(head) + 1) // 2] + tail[len(tail) // 2 :]))
    for sentence in draws.shuffled(own["drift"])[:JUMBLES]:
        words = [word.strip(".,") for word in sentence.split()]
        mixed.append(" ".join(draws.shuffled(words)).capitalize() + ".")
    return " ".join(draws.shuffled(mixed + off_topic))
