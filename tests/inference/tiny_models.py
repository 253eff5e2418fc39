"""Tiny models and tokenizers, made here: seeded weights, and vocabularies trained on made-up text."""

import functools
import tempfile
from pathlib import Path
from typing import Any

from inference_fixtures import judge
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from inference.registry import JudgeSpec
from tests.late import imported_late

torch = imported_late("torch")
transformers = imported_late("transformers")

TEXT = [
    "We should ban cars from the inner city, for the air there is bad.",
    "The buses are late, and the people who need them are poor.",
    "A fee on traffic pays for trains: London shows that it works.",
    "Some say that shops would lose; the numbers say otherwise.",
    "Score: 1 2 3 4 5 0 -1 6 7 8 9. Answer: pro con tie yes no.",
    "Debate the motion and give the reasons before the score!",
]
CHAT_TEMPLATE = (
    "{% for message in messages %}[{{ message['role'] }}]{{ message['content'] }}[end]"
    "{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}"
)
SPECIAL = ["<unk>", "<s>", "</s>", "[user]", "[system]", "[assistant]", "[end]"]
TOKENIZERS = (
    "bytes",
    "bytes with bos",
    "bytes with bos and eos",
    "unigram",
    "unigram with bos",
    "prepended with bos",
)
FAMILIES: dict[str, dict[str, Any]] = {
    "gpt2": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 256},
    "llama": {"num_key_value_heads": 2},
    "qwen2": {"num_key_value_heads": 2},
    "mistral": {"num_key_value_heads": 2, "sliding_window": 16},
    "bloom": {"n_layer": 2, "n_head": 4},
    # Its own padding: the row of that token is zeros.
    "bert": {"pad_token_id": 0},
    "mamba": {"state_size": 4, "num_hidden_layers": 2},
}


@functools.cache
def tokenizer(kind: str = "bytes", chat: bool = False) -> Any:
    if kind.startswith("bytes"):
        raw = Tokenizer(models.BPE())
        raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        raw.decoder = decoders.ByteLevel()
        trainer: Any = trainers.BpeTrainer(
            vocab_size=400,
            special_tokens=SPECIAL,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
    elif kind.startswith("prepended"):
        # As Llama 2 has it: the space is put there by the normaliser, and merges know no words.
        raw = Tokenizer(models.BPE(unk_token="<unk>"))
        raw.normalizer = normalizers.Sequence(
            [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
        )
        raw.decoder = decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        )
        trainer = trainers.BpeTrainer(
            vocab_size=300,
            special_tokens=SPECIAL,
            initial_alphabet=sorted("abcdefghijklmnopqrstuvwxyz|~#"),
            show_progress=False,
        )
    else:
        raw = Tokenizer(models.Unigram())
        raw.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
        raw.decoder = decoders.Metaspace(prepend_scheme="always")
        letters = sorted(set("".join(TEXT)) | set("abcdefghijklmnopqrstuvwxyz|~#"))
        trainer = trainers.UnigramTrainer(
            vocab_size=260,
            special_tokens=SPECIAL,
            unk_token="<unk>",
            initial_alphabet=letters,
            show_progress=False,
        )
    raw.train_from_iterator(TEXT * 4, trainer)
    begin = "<s> " if "bos" in kind else ""
    end = " </s>" if "eos" in kind else ""
    if begin:
        raw.post_processor = processors.TemplateProcessing(
            single=f"{begin}$A{end}",
            special_tokens=[(name, raw.token_to_id(name)) for name in ("<s>", "</s>")],
        )
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="</s>",
        unk_token="<unk>",
        extra_special_tokens=SPECIAL[3:],
        clean_up_tokenization_spaces=False,
    )
    if chat:
        made.chat_template = CHAT_TEMPLATE
    return made


def model(
    family: str = "gpt2",
    *,
    seed: int = 0,
    vocabulary: int = 400,
    spread: float = 0.3,
    made_as: Any = None,
    **changes: Any,
) -> Any:
    sizes: dict[str, Any] = {
        "vocab_size": vocabulary,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 48,
        "max_position_embeddings": 256,
        "initializer_range": spread,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "pad_token_id": 2,
    }
    if family == "gpt2":
        sizes = {
            k: sizes[k] for k in ("vocab_size", "initializer_range", "bos_token_id", "eos_token_id")
        }
    # Tiny models gain nothing from a second thread, and lose much where the processors are busy.
    torch.set_num_threads(1)
    config = transformers.AutoConfig.for_model(family, **{**sizes, **FAMILIES[family], **changes})
    torch.manual_seed(seed)
    return (made_as or transformers.AutoModelForCausalLM).from_config(config).eval()


def save(folder: Path, made: Any, its_tokenizer: Any) -> Path:
    made.save_pretrained(folder)
    its_tokenizer.save_pretrained(folder)
    return folder


def plain_logprob(made: Any, context: list[int], continuation: list[int]) -> float:
    with torch.no_grad():
        logits = made(torch.tensor([context + continuation])).logits[0]
    logprobs = torch.log_softmax(logits.double(), dim=-1)
    start = len(context)
    return sum(float(logprobs[start + i - 1, token]) for i, token in enumerate(continuation))


def spec(folder: Path | str, **settings: Any) -> JudgeSpec:
    with tempfile.TemporaryDirectory() as registry:
        return judge(Path(registry), "local/tiny", model=str(folder), **settings)
