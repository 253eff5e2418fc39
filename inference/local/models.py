"""Models that run on this machine: their files, loading them, the tokens they are asked with.

PyTorch and transformers take seconds to import and are not always installed, so they are imported
where a model or tokenizer is loaded.
"""

import functools
import hashlib
import importlib.util
import os
from pathlib import Path
from typing import Any

from inference.errors import BadTemplate, ModelUnavailable
from inference.local.token_boundary import TokenBoundary
from inference.providers import REMOTE_CODE
from inference.registry import JudgeSpec, system_turn

# What decides a model's answers: weights, configuration, vocabulary, chat template, its own code.
_DECIDING = frozenset({".jinja", ".json", ".model", ".py", ".safetensors", ".tiktoken", ".txt"})
_LONGEST_REASON = 300


def model_folder(model: str) -> Path | None:
    """Return the folder a model is in; None where the name is one of the hub."""
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


def load_tokenizer(spec: JudgeSpec) -> Any:
    """Return the tokenizer of a local judge, without its weights."""
    return _pretrained(spec, "AutoTokenizer", "tokenizer")


def load_feature_extractor(spec: JudgeSpec) -> Any:
    """Return the feature extractor of a local speech model."""
    return _pretrained(spec, "AutoFeatureExtractor", "feature extractor")


def _pretrained(spec: JudgeSpec, auto: str, what: str) -> Any:
    transformers = _transformers(spec)
    folder = model_folder(spec.model)
    try:
        return getattr(transformers, auto).from_pretrained(
            str(folder or spec.model), **_origin(spec)
        )
    except (OSError, ValueError, ImportError) as error:
        raise _unavailable(spec, what, error) from None


def load_model(spec: JudgeSpec, auto: str = "AutoModelForCausalLM") -> Any:
    """Return the model of a local judge on its device, ready to be asked.

    Args:
        auto: The class of transformers that finds the model's own.
    """
    transformers = _transformers(spec)
    import torch

    folder = model_folder(spec.model)
    if folder is not None:
        check_weights(folder)
    device = _device(spec, torch)
    quantized = _quantization(spec, device, torch, transformers)
    # Else the library asks the hub for a bot's conversion of weights that are not safetensors.
    os.environ.setdefault("DISABLE_SAFETENSORS_CONVERSION", "1")
    try:
        model = getattr(transformers, auto).from_pretrained(
            str(folder or spec.model),
            dtype=getattr(torch, spec.settings["dtype"]),
            use_safetensors=True,
            **quantized,
            **_origin(spec),
        )
    except (OSError, ValueError, ImportError) as error:
        raise _unavailable(spec, "model", error) from None
    if not quantized:
        model = model.to(device)
    # cuDNN's attention plans for every length, 6.5 ms a layer on an H100, and few texts are
    # of one length.
    torch.backends.cuda.enable_cudnn_sdp(False)
    return model.eval()


def prompt_tokens(
    tokenizer: Any, spec: JudgeSpec, prompt: str, asked: str | None = None
) -> list[int]:
    """Return the tokens a prompt is sent as.

    With a chat template they are its system and user turns and the opening of the answer; without,
    the system prompt, an empty line and the prompt, behind what the tokenizer puts before any text.
    A template that takes no system turn gets its text in the user's turn.

    Args:
        asked: What the experiment's own system turn says, behind the judge's.
    """
    boundary = TokenBoundary(tokenizer)
    system = system_turn(spec, asked)
    if spec.settings["use_chat_template"] and tokenizer.chat_template:
        try:
            return boundary.chat(prompt, system, add_generation_prompt=True)
        except BadTemplate:
            if asked is None:
                raise
            return boundary.chat(f"{system}\n\n{prompt}", add_generation_prompt=True)
    return boundary.context(prompt if system is None else f"{system}\n\n{prompt}")


def count_tokens(tokenizer: Any, spec: JudgeSpec, prompt: str, asked: str | None = None) -> int:
    """Return exactly how many tokens a prompt is sent as."""
    return len(prompt_tokens(tokenizer, spec, prompt, asked))


def load_window(spec: JudgeSpec) -> int | None:
    """Return the most tokens a local judge takes, without its weights; None if unlimited."""
    config = _pretrained(spec, "AutoConfig", "configuration")
    from inference.questions.perplexity import window_of

    return window_of(config)


def _transformers(spec: JudgeSpec) -> Any:
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError as error:
        raise ModelUnavailable(
            f"local: judge '{spec.judge_id}' runs on this machine and needs PyTorch and "
            f"transformers ({error}); run: pip install -c constraints.txt -e '.[local]'"
        ) from None
    # A run's progress has the terminal.
    transformers.utils.logging.disable_progress_bar()
    return transformers


def _origin(spec: JudgeSpec) -> dict[str, Any]:
    return {
        "revision": spec.settings["revision"],
        "trust_remote_code": spec.settings.get("remote_code") == REMOTE_CODE,
    }


def _device(spec: JudgeSpec, torch: Any) -> Any:
    wanted = spec.settings["device"]
    if wanted == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(wanted)
    except RuntimeError:
        raise ModelUnavailable(
            f"local: judge '{spec.judge_id}' names the device '{wanted}'; expected auto, cpu, cuda "
            "or cuda:N"
        ) from None
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ModelUnavailable(
            f"local: judge '{spec.judge_id}' is to run on {wanted}, and PyTorch sees "
            f"{torch.cuda.device_count()} CUDA devices; set device to auto or cpu"
        )
    return device


def _quantization(spec: JudgeSpec, device: Any, torch: Any, transformers: Any) -> dict[str, Any]:
    bits = spec.settings["quantization"]
    if bits == "none":
        return {}
    packages = ("bitsandbytes", "accelerate")
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing or device.type != "cuda":
        lacking = " and ".join(missing) if missing else "a CUDA device"
        raise ModelUnavailable(
            f"local: judge '{spec.judge_id}' has quantization = '{bits}', which needs {lacking}; "
            "run: pip install bitsandbytes accelerate, on a machine with a CUDA device, or set "
            "quantization to none"
        )
    config = transformers.BitsAndBytesConfig(
        load_in_8bit=bits == "8bit",
        load_in_4bit=bits == "4bit",
        bnb_4bit_compute_dtype=getattr(torch, spec.settings["dtype"]),
    )
    return {"quantization_config": config, "device_map": {"": device}}


def _unavailable(spec: JudgeSpec, what: str, error: Exception) -> ModelUnavailable:
    reason = " ".join(str(error).split())
    if "trust_remote_code" in reason or "custom code" in reason:
        return ModelUnavailable(
            f"local: the {what} of judge '{spec.judge_id}' brings code of its own, which would run "
            "on this machine; read it, and then set remote_code to the words "
            f"'{REMOTE_CODE}', or choose a model that transformers knows itself"
        )
    if "safetensors" in reason:
        return ModelUnavailable(
            f"local: the {what} '{spec.model}' of judge '{spec.judge_id}' has no safetensors "
            "weights, and other formats can run code when they are read; choose another model or "
            "revision"
        )
    return ModelUnavailable(
        f"local: cannot load the {what} '{spec.model}' (revision {spec.settings['revision']}) of "
        f"judge '{spec.judge_id}': {reason[:_LONGEST_REASON]}; check the name, and the network if "
        "it was never loaded before"
    )
