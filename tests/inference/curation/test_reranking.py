from collections.abc import Sequence
from pathlib import Path

import pytest
from curation_fixtures import document, judges_toml, question, tiny_bert
from hypothesis import given
from hypothesis import strategies as st

from inference.embeddings import TfidfEmbedder
from inference.errors import BadSettings
from inference.questions.curation.ranking import Reranked, cosine_scorer, cross_encoder, rerank
from inference.questions.documents import Document


class ByNumber:
    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, question: str, texts: Sequence[str]) -> list[float]:
        self.texts += texts
        return [float(text.split()[0]) for text in texts]


def scored(*scores: float, domain: str = "org") -> list[Document]:
    return [document(f"d{place}", f"{score} words", domain) for place, score in enumerate(scores)]


def chosen(found: Reranked) -> list[str]:
    return [each.document.document_id for each in found.documents.kept]


def test_the_best_five_are_kept_in_order_and_of_equals_the_one_found_first() -> None:
    found = rerank([question()], {"made-up:1": scored(1, 5, 3, 3, 9, 3, 3)}, ByNumber())
    assert chosen(found) == ["d4", "d1", "d2", "d3", "d5"]
    assert [each.position for each in found.documents.kept] == [1, 2, 3, 4, 5]
    assert [(each.item_id, each.rule, each.detail) for each in found.documents.removed] == [
        ("made-up:1/d6", "beyond_the_best_5", "no. 6"),
        ("made-up:1/d0", "beyond_the_best_5", "no. 7"),
    ]


def test_documents_of_other_domains_are_not_even_scored() -> None:
    scorer = ByNumber()
    others = [document("x", "99 words", "com"), document("y", "98 words", None)]
    blank = document("z", "  ")
    found = rerank([question()], {"made-up:1": [*others, blank, *scored(1, 2, 3)]}, scorer)
    assert chosen(found) == ["d2", "d1", "d0"]
    assert [(each.rule, each.detail) for each in found.documents.removed] == [
        ("blank_document", "no text in it"),
        ("untrusted_domain", "from .com"),
        ("untrusted_domain", "from .(unknown)"),
    ]
    assert not any(text.startswith("9") for text in scorer.texts)


def test_a_document_fits_as_well_as_its_best_chunk() -> None:
    long = document("long", "1 is low.\n\n7 is high.\n\n2 is low again.")
    scorer = ByNumber()
    found = rerank([question()], {"made-up:1": [*scored(6, 5), long]}, scorer, about=15, at_least=1)
    assert chosen(found)[0] == "long"
    assert found.documents.kept[0].score == 7


def test_a_question_with_too_few_documents_goes_with_its_documents() -> None:
    asked = [question(1), question(2)]
    found = rerank(asked, {"made-up:1": scored(1, 2), "made-up:2": scored(1, 2, 3)}, ByNumber())
    assert [each.question_id for each in found.questions.kept] == ["made-up:2"]
    (removed,) = found.questions.removed
    assert (removed.item_id, removed.rule) == ("made-up:1", "fewer_than_3_documents")
    assert removed.detail == "2 of 3 documents"
    assert list(found.by_question) == ["made-up:2"]
    assert len(found.by_question["made-up:2"]) == 3


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["org", "com"])), max_size=12))
def test_every_document_is_kept_or_has_a_reason(made: list[tuple[int, str]]) -> None:
    documents = [
        document(f"d{place}", f"{score} words", domain)
        for place, (score, domain) in enumerate(made)
    ]
    found = rerank([question()], {"made-up:1": documents}, ByNumber())
    assert len(found.documents.kept) + len(found.documents.removed) == len(made)
    trusted = sorted((score for score, domain in made if domain == "org"), reverse=True)
    assert [each.score for each in found.documents.kept] == trusted[:5]


def test_a_cosine_scorer_prefers_what_shares_words_with_the_question() -> None:
    texts = ["Cats sleep.", "Towns may ban cars."]
    scorer = cosine_scorer(TfidfEmbedder([*texts, "Should towns ban cars?"]))
    low, high = scorer("Should towns ban cars?", texts)
    assert low == 0 < high < 1


def test_only_a_local_model_can_be_a_cross_encoder() -> None:
    with pytest.raises(BadSettings, match="no local model"):
        cross_encoder("openai/gpt-4.1-mini")


def test_a_cross_encoder_reads_question_and_text_together(tmp_path: Path) -> None:
    import tiny_models
    import torch
    from transformers import AutoModelForSequenceClassification

    made = tiny_bert(tmp_path / "model", AutoModelForSequenceClassification, num_labels=1)
    file = judges_toml(tmp_path, tiny=tmp_path / "model")
    scorer = cross_encoder("local/tiny", file)
    with torch.no_grad():
        pair = tiny_models.tokenizer()(["Cars?"], ["Cars are loud."], return_tensors="pt")
        expected = float(made(**pair).logits[0, 0])
    assert scorer("Cars?", ["Cars are loud."]) == [pytest.approx(expected, abs=1e-5)]
    assert scorer("Cars?", ["Cars are loud."]) != scorer("Buses?", ["Cars are loud."])
