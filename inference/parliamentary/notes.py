"""Notes on each speech, for judges that cannot read a whole debate at once: what is asked for them.

The ruling is then asked for from the notes alone. `judges/noting.py` does both.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from inference.parliamentary.items import ParliamentaryDebate, speaker_of
from inference.prompt_files import Prompt, load_prompt

NOTE_SLOTS = ("info_slide", "motion", "speaker", "speech")
# A prompt has to say something where there is nothing to show.
_UNKNOWN = {"motion": "(not known)", "info_slide": "(none)"}


def load_note_prompt(prompts_folder: Path | None = None) -> Prompt:
    """Return how notes on a speech are asked for.

    Raises:
        BadTemplate: The user's file cannot be read, or has other slots.
    """
    return load_prompt("adjudication", "bp_note", NOTE_SLOTS, prompts_folder)


def note_prompts(
    prompt: Prompt, debate: ParliamentaryDebate, values: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the prompts for notes on each speech, in speaking order.

    Args:
        prompt: How notes are asked for.
        debate: The debate.
        values: The motion and the info slide as the request shows them, empty where it does not.
    """
    shown = {name: values[name] or unknown for name, unknown in _UNKNOWN.items()}
    return tuple(
        prompt.fill({**shown, "speaker": speaker_of(speech.role), "speech": speech.text})
        for speech in debate.speeches
    )
