"""The sample's texts that are written by hand, a TOML file each."""

import hashlib
import tomllib
from pathlib import Path
from typing import Any

from ingestion.batch import SourceFile


def written_texts(subject: str, shown: str) -> tuple[dict[str, dict[str, Any]], SourceFile]:
    """Return a subject's texts by their names, and how a batch names them as a file.

    They have no file of their own, so their hash is that of their texts.

    Args:
        subject: The folder beside this module.
        shown: How messages name the texts.
    """
    paths = sorted((Path(__file__).parent / subject).glob("*.toml"))
    # Line ends are those of the platform the project was fetched on; texts are not.
    texts = [path.read_text(encoding="utf-8") for path in paths]
    sha256 = hashlib.sha256("\n".join(texts).encode()).hexdigest()
    found = {
        path.stem.replace("_", "-"): tomllib.loads(text)
        for path, text in zip(paths, texts, strict=True)
    }
    return found, SourceFile(shown, f"ingestion/sample/{subject}", sha256, len(found))
