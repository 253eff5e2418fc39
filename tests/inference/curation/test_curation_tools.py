from pathlib import Path

import pytest
import tiny_models
from curation_fixtures import Model, judges_toml, tiny_bert

from inference.errors import ModelUnavailable, UnknownJudge
from inference.questions.chunking import word_spans
from inference.questions.curation.tools import tools_for
from tests.late import imported_late

transformers = imported_late("transformers")


@pytest.fixture(scope="module")
def judges_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    tiny_bert(folder / "encoder", transformers.AutoModel)
    tiny_bert(folder / "reranker", transformers.AutoModelForSequenceClassification, num_labels=1)
    return judges_toml(folder, **{name: folder / name for name in ("encoder", "reranker", "gone")})


def test_words_need_no_model() -> None:
    tools = tools_for("tfidf", Model(str))
    assert (tools.embedder, tools.scorer, tools.tokens) == ("tfidf", "cosine", "words and marks")
    assert tools.spans is word_spans
    assert tools.make_scorer is None
    first, second = tools.make_embedder(["one"]), tools.make_embedder(["two"])
    assert first.embed(["one"]).any()
    assert not second.embed(["one"]).any()


def test_local_models_are_loaded_once_and_known_by_their_files(judges_file: Path) -> None:
    tools = tools_for(
        "local/encoder", Model(str), reranker="local/reranker", judges_file=judges_file
    )
    embedder = tools.make_embedder(["any"])
    assert tools.make_embedder(["other"]) is embedder
    assert embedder.identity == tools.embedder
    assert tools.make_scorer is not None
    scorer = tools.make_scorer([])
    assert tools.make_scorer([]) is scorer
    assert len(scorer("Why?", ["So.", "Not so."])) == 2
    assert tools.scorer.startswith("local/reranker ")
    assert tools.tokens == "local/encoder"
    tokens = tiny_models.tokenizer()("Cars are loud.", add_special_tokens=False)["input_ids"]
    assert len(tools.spans("Cars are loud.")) == len(tokens) != len(word_spans("Cars are loud."))


def test_a_name_that_cannot_be_used_is_refused_before_any_work(judges_file: Path) -> None:
    with pytest.raises(ModelUnavailable, match="there is no folder"):
        tools_for("local/gone", Model(str), judges_file=judges_file)
    with pytest.raises(UnknownJudge):
        tools_for("tf-idf", Model(str))
