"""The sample's hand-written texts, a TOML file each."""

import tomllib
from pathlib import Path
from typing import Any

from ingestion.batch import SourceFile
from warehouse.files import sha256_bytes


def written_texts(subject: str, shown: str) -> tuple[dict[str, dict[str, Any]], SourceFile]:
    """Return the texts of a subject's folder by name, and their entry as a file of a batch.

    Args:
        shown: Name of the texts in messages.
    """
    paths = sorted((Path(__file__).parent / subject).glob("*.toml"))
    # As text: line ends depend on the platform the project was fetched on.
    texts = [path.read_text(encoding="utf-8") for path in paths]
    contents = {
        path.stem.replace("_", "-"): tomllib.loads(text)
        for path, text in zip(paths, texts, strict=True)
    }
    sha256 = sha256_bytes("\n".join(texts).encode())
    return contents, SourceFile(shown, f"ingestion/sample/{subject}", sha256, len(contents))
