import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from inference_fixtures import cases

from inference.speeches.keypoints.candidates import resolve_references, with_candidacy
from inference.speeches.keypoints.justifications import LONGEST, read, reasons_of
from inference.speeches.keypoints.pipeline import limits_for, with_polarity
from inference.speeches.keypoints.polarity import by_rules
from inference.speeches.keypoints.results import Sentence
from inference.speeches.keypoints.selection import select
from inference.speeches.keypoints.split import sentences
from inference.speeches.keypoints.vectors import by_words

# What the splitter may leave off, and only this.
CONNECTIVES = """
    and but yet though although while whereas however so because since even moreover which
"""
PIECES = """the speech|is clear|lacks examples|, and|, but|but|; |. |fails|the structure|helps|which
|, which makes it weak|although|however,|it|does not persuade|e.g. here|and|!|concise"""


def word_list(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


@settings(deadline=None)
@example(["the speech", "is clear", ", but", "the speech"])
@given(st.lists(st.sampled_from(re.split(r"\n?\|", PIECES)), max_size=14))
def test_no_word_is_lost_but_connectives(pieces: list[str]) -> None:
    text = " ".join(pieces)
    left = iter(word_list(" ".join(sentences(text))))
    # In their order; words may come between, as repeated subjects do.
    for word in word_list(text):
        if word not in CONNECTIVES.split():
            assert word in left
    # Behind the last of them only what repeats a subject is left.
    assert set(left) <= {*CONNECTIVES.split(), *word_list(text)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The speech is clear but lacks examples; the tone, however, is warm.",
            ["The speech is clear.", "The speech lacks examples.", "The tone, however, is warm."],
        ),
        (
            "Although the opening is strong, the rest drags.",
            ["The opening is strong.", "The rest drags."],
        ),
        ("It cites facts and figures, e.g. on tax.", ["It cites facts and figures, e.g. on tax."]),
        ("It uses data, which makes it credible.", ["It uses data.", "This makes it credible."]),
        ("- Good order\n- <b>Weak</b> proof<script>x()</script>", ["Good order.", "Weak proof."]),
        ("The case is neat but unconvincing.", ["The case is neat.", "The case is unconvincing."]),
        ("...", []),
    ],
)
def test_sentences_are_divided_where_a_part_can_stand_alone(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    cases(
        {
            "pro": "The evidence is strong.|There are no contradictions.|It provides examples."
            "|Although it is dull, the case is persuasive.|The speech is well-structured.",
            "con": "The evidence is not strong.|It provides no examples.|The terms are ill-defined."
            "|The case is persuasive, but it is dull and vague.|The order could be clearer."
            "|It is a one-sided account.",
            "neutral": "The speech is about taxes.",
        }
    ),
)
def test_negation_and_contrast_turn_polarity(text: str, expected: str) -> None:
    assert by_rules(text).polarity == expected


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("<scratchpad>\nClear.\n</scratchpad>\n<score>4</score>", "Clear."),
        ("<scratchpad>Clear. <score>4</score>", "Clear."),
        ("<think>Hm.</think>Clear.\n<score>4</score>", "Clear."),
        ('{"reasons": "Clear.", "score": 4}', "Clear."),
        ('{"score": 4}', None),
        ("<score>4</score>", None),
        (None, None),
    ],
)
def test_reasons_are_what_the_judge_gives(response: str | None, expected: str | None) -> None:
    assert reasons_of(response) == expected


@pytest.mark.parametrize(
    ("response", "status"),
    [
        ("The speech is clear.", "sentences"),
        ("", "empty"),
        ("<script>alert(1)</script>", "empty"),
        ("Score: 4/5", "score_only"),
        ("word " * (LONGEST + 1), "too_long"),
        ("<script" * 20_000, "too_long"),
        ("Die Rede ist klar und gut gegliedert, aber sie nennt keine Beispiele.", "other_language"),
        ("演讲很清楚", "other_language"),
    ],
)
def test_a_justification_that_cannot_be_analysed_says_why(response: str, status: str) -> None:
    facts = {"judge_id": "j", "item_id": "i", "request_id": "q", "run_id": "r", "sample": 0}
    (found,) = read([{**facts, "motion": "m", "response": response}], any_language=False)
    assert found.status == status
    assert (found.reason is None) == (status == "sentences")


@pytest.mark.parametrize(
    ("text", "reason"),
    cases(
        {
            None: "The structure is clear.|It is well organised.|The claims rest on facts and figures."
            "|The speech is clear and well structured.|The wording is plain and easy to follow.",
            "too_short": "Very clear.",
            "opens_with_pronoun": "This makes it credible.",
            "several_ideas": "The structure is clear and the tone is warm."
            "|The speech is clear and lacks examples.|The speech lacks structure and evidence."
            "|The speech is clear and warm and lively.",
            "too_specific": "The case for nuclear power is strong.|The speech cites 12 good studies.",
            "not_a_statement": "Is the structure clear at all?",
        }
    ),
)
def test_candidates_are_plain_by_themselves(text: str, reason: str | None) -> None:
    sentence = Sentence("s", text, 1, motion="We should expand nuclear power", polarity="pro")
    assert with_candidacy([sentence])[0].candidate_reason == reason


@pytest.mark.parametrize(
    ("texts", "last"),
    cases(
        {
            # Either could be meant where the last one is None.
            "The speech is well structured.": "It is well structured.",
            "The speech is clear.": "It's clear.|This speech is clear.",
            "The argument lacks proof.": "The argument is coherent.\nIt lacks proof.",
            "The speech lacks proof.": "The speech is long.\nIt drags.\nIt lacks proof."
            "|The arguments are clear.\nIt lacks proof.|The speaker is calm.\nIt lacks proof."
            "|There is no order.\nIt lacks proof.",
            None: "The tone is warm.\nIt lacks force.|The tone is warm.\nIt helps.\nIt lacks force."
            "|The tone is warm.\nThey support the case.|This is clear."
            "|It is hard to find any proof.",
            "The examples support the case.": "The examples are vivid.\nThey support the case.",
            "The order is clear.": "Its order is clear.",
            "The speaker makes a good case.": "He makes a good case.",
            "The speech is a clear opening.": "Overall, it is a clear opening.",
            "The tone is dull.": "However, the tone is dull.",
            "It is not clear what is proposed.": "It is not clear what is proposed.",
            "The speech is easy to follow.": "It is easy to follow.",
            "There is no order.": "There is no order.",
        }
    ),
)
def test_an_opening_pronoun_is_resolved_or_kept(texts: str, last: str | None) -> None:
    assert resolve_references(texts.split("\n"))[-1] == last


# One of each construction in the twenty key points that the paper prints (Table 2), in other words.
PHRASINGS = {
    "pro": "The address offers solid reasons.|The material fits the motion well."
    "|In sum, the address is a persuasive case.|The case for change is convincing."
    "|It takes a definite position.|It is well-organised.|The style is engaging."
    "|The choice of examples demonstrates careful research."
    "|It plainly illustrates the gains of planning."
    "|The address remains focused on its subject.",
    "con": "The address lacks a plain and coherent message.|It lacks convincing logic."
    "|The author's claims are frequently unclear."
    "|The presentation is rather disjointed.|There is no coherent outline."
    "|There is no definite position.|The ideas are not well-explained."
    "|The style of the address is uneven.|The claims are rather redundant."
    "|The author does not offer a good introduction.",
}


@pytest.mark.parametrize(("text", "polarity"), cases(PHRASINGS))
def test_each_phrasing_of_the_published_key_points_can_be_chosen(polarity: str, text: str) -> None:
    other = "The humour is bad." if polarity == "con" else "The humour is good."
    said = [(text, number) for number in range(4)] + [(other, number) for number in range(4, 6)]
    sentences = [
        with_polarity(Sentence(f"q{n}/1", one, 1, request_id=f"q{n}", motion="We should ban cars"))
        for one, n in said
    ]
    found = select(with_candidacy(sentences), by_words, limits_for("tfidf"))
    first = found.key_points[0]
    assert (first.polarity, first.gain) == (polarity, 4)
    assert first.text == resolve_references([text])[0]
    assert not first.text.startswith("It ")
