"""What can be told of a local model from its files alone: where they are, and what is in them."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

from inference.errors import ModelUnavailable

# What decides a model's answers: weights, configuration, vocabulary, chat template, its own code.
_DECIDING = frozenset({".jinja", ".json", ".model", ".py", ".safetensors", ".tiktoken", ".txt"})


def model_folder(model: str) -> Path | None:
    """Return the folder a model is in; None where the name is one of the hub.

    Raises:
        ModelUnavailable: The name can only be a folder's, and there is none.
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        return folder.resolve()
    if model.startswith(("/", ".", "~")):
        raise ModelUnavailable(
            f"local: there is no folder {folder}; correct the judge's model in judges.toml, or "
            "name a model of the hub, such as Qwen/Qwen2-0.5B-Instruct"
        )
    return None


def check_weights(folder: Path) -> None:
    """Raise unless a folder has weights as safetensors.

    Other formats are Python programs that run when they are read, so they are never opened.

    Raises:
        ModelUnavailable: There are none.
    """
    if not any(folder.glob("*.safetensors")):
        others = sorted(path.name for path in folder.glob("*.bin")) or ["no weights"]
        raise ModelUnavailable(
            f"local: {folder} has no *.safetensors file (it has {', '.join(others[:3])}); save the "
            "model with save_pretrained(folder), which writes safetensors; other formats can run "
            "code when they are read, and are not opened"
        )


def fingerprint(folder: Path) -> str:
    """Return the hash of everything in a folder that can change its model's answers.

    Files are read once a process, and again only when their size or time has changed.
    """
    whole = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in _DECIDING and path.is_file():
            facts = path.stat()
            digest = _file_hash(path.resolve(), facts.st_size, facts.st_mtime_ns)
            whole.update(f"{path.name}\n{digest}\n".encode())
    return whole.hexdigest()


@functools.lru_cache(maxsize=1024)
def _file_hash(path: Path, _size: int, _time: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
