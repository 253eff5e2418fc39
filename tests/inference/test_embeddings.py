import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_models
from hypothesis import given, settings
from hypothesis import strategies as st
from inference_fixtures import Reaction, Stub, failure, judges_file

from inference.embeddings import LocalEmbedder, TfidfEmbedder, identity_of, open_embedder
from inference.errors import (
    BadSettings,
    EmbeddingFailed,
    JudgeUnavailable,
    MissingKey,
    ModelUnavailable,
)
from inference.registry import JudgeSpec, spec_for
from tests.late import imported_late

torch = imported_late("torch")
transformers = imported_late("transformers")
encoding = imported_late("inference.local.encoding")

TEXTS = [
    "Buses are slow.",
    "Trains are fast, and they are on time, or so the timetable says.",
    "Ships?",
]
KEY = "a-key-of-the-tests"


def test_texts_that_share_rare_words_are_more_alike_than_those_that_share_common_ones() -> None:
    texts = ["the tram to town", "the tram is late", "the bus to town", "the dog to the vet"]
    found = TfidfEmbedder(texts).embed(texts)
    cosines = found @ found.T
    assert cosines[0, 1] > cosines[1, 3]
    assert cosines[0, 2] > cosines[0, 3] > 0


@given(st.lists(st.text("abcd ", min_size=1).filter(str.strip), min_size=1, max_size=8))
@settings(max_examples=50, deadline=None)
def test_known_texts_have_vectors_of_length_one_whatever_else_is_embedded(texts: list[str]) -> None:
    embedder = TfidfEmbedder(texts)
    found = embedder.embed(texts)
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
    assert np.array_equal(embedder.embed(texts[:1]), found[:1])


def test_a_text_of_unknown_words_is_like_nothing() -> None:
    assert not TfidfEmbedder(["one two"]).embed(["three"]).any()


def test_tfidf_needs_a_word() -> None:
    with pytest.raises(EmbeddingFailed, match="2 texts with no word"):
        TfidfEmbedder(["?!", "..."])


def test_a_blank_text_is_refused_by_its_place() -> None:
    with pytest.raises(EmbeddingFailed, match="text 2 of 3 is blank"):
        TfidfEmbedder(["one"]).embed(["one", " \n", "two"])


@pytest.fixture(scope="module")
def encoder_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tiny_models.model(
        "bert", seed=1, made_as=transformers.AutoModel, max_position_embeddings=24
    )
    tokenizer = tiny_models.tokenizer("bytes with bos and eos")
    return tiny_models.save(tmp_path_factory.mktemp("encoder"), made, tokenizer)


def local_spec(folder: Path, **settings: Any) -> JudgeSpec:
    given = {"model": str(folder), "device": "cpu", **settings}
    return spec_for("local/tiny", judges_file(folder.parent, "local/tiny", **given))


def mean_states(folder: Path, ids: Sequence[int]) -> np.ndarray:
    with torch.no_grad():
        states = transformers.AutoModel.from_pretrained(folder)(
            torch.tensor([list(ids)])
        ).last_hidden_state[0]
    return states.double().sum(dim=0).numpy()


def test_a_local_vector_is_the_mean_of_the_last_states(encoder_folder: Path) -> None:
    tokenizer = tiny_models.tokenizer("bytes with bos and eos")
    short = [TEXTS[0], TEXTS[2]]
    found = LocalEmbedder(local_spec(encoder_folder, batch_size=2)).embed(
        [short[0], TEXTS[1], short[1]]
    )
    for text, row in zip(short, found[[0, 2]], strict=True):
        mean = mean_states(encoder_folder, tokenizer(text)["input_ids"])
        assert np.allclose(row, mean / np.linalg.norm(mean), atol=1e-5)
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)


def test_a_text_longer_than_the_window_counts_to_its_end(encoder_folder: Path) -> None:
    tokenizer = tiny_models.tokenizer("bytes with bos and eos")
    ids = tokenizer(TEXTS[1], add_special_tokens=False)["input_ids"]
    begin, end = tokenizer.bos_token_id, tokenizer.eos_token_id
    assert len(ids) > 22
    parts = [[begin, *ids[start : start + 22], end] for start in range(0, len(ids), 22)]
    mean = sum(mean_states(encoder_folder, part) for part in parts)
    embedder = LocalEmbedder(local_spec(encoder_folder))
    assert np.allclose(embedder.embed([TEXTS[1]])[0], mean / np.linalg.norm(mean), atol=1e-5)


def test_a_local_embedder_is_known_by_its_settings_and_files(encoder_folder: Path) -> None:
    identity = LocalEmbedder(local_spec(encoder_folder)).identity
    file = encoder_folder.parent / "judges.toml"
    assert identity_of("local/tiny", file) == identity
    local_spec(encoder_folder, batch_size=3)
    assert identity_of("local/tiny", file) != identity
    assert identity_of("tfidf") == "tfidf"


def test_weights_that_are_not_safetensors_are_not_opened(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "bert"}')
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x04")
    tiny_models.tokenizer().save_pretrained(folder)
    with pytest.raises(ModelUnavailable, match="safetensors"):
        LocalEmbedder(local_spec(folder))


@pytest.fixture(scope="module")
def reranker_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cross_encoder(tmp_path_factory.mktemp("reranker"), outputs=1)


def cross_encoder(folder: Path, outputs: int) -> Path:
    made = tiny_models.model(
        "bert",
        seed=2,
        made_as=transformers.AutoModelForSequenceClassification,
        max_position_embeddings=40,
        num_labels=outputs,
    )
    return tiny_models.save(folder, made, tiny_models.tokenizer())


def test_a_cross_encoder_scores_a_text_by_its_best_window(reranker_folder: Path) -> None:
    scorer = encoding.PairScorer(local_spec(reranker_folder))
    alone = scorer.score("Ships?", ["Buses are slow.", "Trains."])
    assert scorer.score("Ships?", ["Trains."]) == pytest.approx(alone[1:], abs=1e-5)
    long = TEXTS[1] * 3
    assert len(scorer._scores("Ships?", long)) > 1
    assert scorer.score("Ships?", [long]) == [max(scorer._scores("Ships?", long))]


def test_a_query_that_fills_the_window_is_refused(reranker_folder: Path) -> None:
    with pytest.raises(EmbeddingFailed, match="use a shorter query"):
        encoding.PairScorer(local_spec(reranker_folder)).score(TEXTS[1] * 5, ["Trains."])


def test_a_classifier_of_several_classes_is_no_reranker(tmp_path: Path) -> None:
    folder = cross_encoder(tmp_path / "classifier", outputs=3)
    with pytest.raises(ModelUnavailable, match="has 3 outputs"):
        encoding.PairScorer(local_spec(folder))


def vectors(body: dict[str, Any], number: int) -> Reaction:
    entries = [
        {"index": place, "embedding": [float(len(text)), 1.0, 0.0]}
        for place, text in enumerate(body["input"])
    ]
    # The format does not promise an order.
    return 200, {}, json.dumps({"object": "list", "data": entries[::-1]})


def endpoint(stub: Stub, folder: Path, environ: dict[str, str] | None = None) -> Any:
    file = judges_file(
        folder, "openai/embed-1", base_url=stub.url, api_key_env="EMBED_API_KEY", timeout_s=5
    )
    environ = {"EMBED_API_KEY": KEY} if environ is None else environ
    return open_embedder("openai/embed-1", judges_file=file, environ=environ)


def test_an_endpoints_vectors_are_ordered_and_of_length_one(stub: Stub, tmp_path: Path) -> None:
    stub.react = vectors
    texts = ["x" * length for length in range(1, 131)]
    found = endpoint(stub, tmp_path).embed(texts)
    expected = np.array([[length, 1.0, 0.0] for length in range(1, 131)])
    assert np.allclose(found, expected / np.linalg.norm(expected, axis=1, keepdims=True))
    assert [len(body["input"]) for body in stub.bodies] == [64, 64, 2]
    assert {body["model"] for body in stub.bodies} == {"embed-1"}
    assert stub.keys[0] == f"Bearer {KEY}"


def test_no_text_is_no_request(stub: Stub, tmp_path: Path) -> None:
    assert len(endpoint(stub, tmp_path).embed([])) == 0
    assert stub.bodies == []


def test_a_busy_endpoint_is_asked_again(stub: Stub, tmp_path: Path) -> None:
    def react(body: dict[str, Any], number: int) -> Reaction:
        if number == 1:
            return failure(503, "busy", {"retry-after-ms": "1"})
        return vectors(body, number)

    stub.react = react
    assert endpoint(stub, tmp_path).embed(["one"]).shape == (1, 3)


def sent(content: Any) -> Reaction:
    return 200, {}, json.dumps(content)


@pytest.mark.parametrize(
    "reaction",
    [
        (200, {}, "no JSON"),
        sent([]),
        sent({"data": None}),
        sent({"data": [{"index": 0, "embedding": [1.0]}]}),
        sent({"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]}),
        sent({"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}),
        sent({"data": [{"index": place, "embedding": [0.0, 0.0]} for place in range(2)]}),
        sent({"data": [{"index": place, "embedding": [float("nan")]} for place in range(2)]}),
        failure(404, "there is no such model"),
    ],
)
def test_a_malformed_embedding_is_refused(reaction: Reaction, stub: Stub, tmp_path: Path) -> None:
    stub.react = lambda body, number: reaction
    with pytest.raises(EmbeddingFailed, match="openai/embed-1"):
        endpoint(stub, tmp_path).embed(["one", "two"])


def test_a_refused_key_is_not_shown(stub: Stub, tmp_path: Path) -> None:
    stub.react = lambda body, number: failure(401, f"the key {KEY} is wrong")
    with pytest.raises(JudgeUnavailable, match=r"set EMBED_API_KEY") as caught:
        endpoint(stub, tmp_path).embed(["one"])
    assert KEY not in str(caught.value)


def test_a_missing_key_is_named(stub: Stub, tmp_path: Path) -> None:
    with pytest.raises(MissingKey, match="EMBED_API_KEY"):
        endpoint(stub, tmp_path, environ={})


def test_providers_that_embed_nothing_are_refused() -> None:
    with pytest.raises(BadSettings, match="cannot embed"):
        open_embedder("rule/length")
