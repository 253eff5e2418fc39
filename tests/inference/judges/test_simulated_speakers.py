import asyncio
from collections import Counter

from inference.experiments import load_experiment
from inference.judges.simulated.speeches import MOVES, SimulatedSpeaker, moves_made, planted_mean
from inference.kinds import KIND
from inference.kinds.protocol import PromptVariant
from inference.registry import spec_for
from inference.runs.requests import RequestBook
from inference.speeches.written import Topic, Writing, WrittenSpeech, read_speech
from inference.templates import load_template

COUNT = 60


def speeches(model: str) -> list[WrittenSpeech]:
    spec, template = spec_for(f"simulated/{model}", None), load_template("speech_writing")
    speaker, way = (
        SimulatedSpeaker(spec),
        Writing(load_experiment("speech-writing").options.word_limit),
    )
    book = RequestBook(KIND["writing"], [], {}, 1)
    found = []
    for number in range(COUNT):
        topic = Topic("d", f"d:{number}", "hash", f"We should plant {{tree}} number {number}.")
        reply = asyncio.run(speaker.ask(book.request(topic, PromptVariant(template, 0, way))))
        found.append(read_speech(reply.response, way.word_limit, reply.finish_reason))
    return found


def test_every_move_is_told_by_its_own_words_alone() -> None:
    for sentences in MOVES.values():
        assert [moves_made(sentence) for sentence in sentences] == [1] * len(sentences)
    whole = " ".join(sentences[0] for sentences in MOVES.values())
    assert (planted_mean(whole, 1, 5), planted_mean("Trees are good.", 1, 5)) == (5.0, 1.0)
    assert planted_mean(MOVES["reason"][0], 1, 5) == 2.0


def test_speakers_differ_as_their_settings_do() -> None:
    skilled, plain = speeches("speaker-skilled"), speeches("speaker-plain")
    moves = [
        sum(moves_made(str(each.text)) for each in those) / COUNT for those in (skilled, plain)
    ]
    assert moves[0] > 3.5 > 2.0 > moves[1]
    assert skilled == speeches("speaker-skilled")
    assert len({each.text for each in skilled}) == COUNT
    assert all("{tree}" in str(each.text) for each in skilled)

    long = speeches("speaker-long-winded")
    assert all(each.words_written and each.words_written >= 750 for each in long)
    assert all(each.words and each.words <= 600 and each.sentences_removed for each in long)

    statuses = Counter(each.reason for each in speeches("speaker-reluctant"))
    assert statuses.keys() == {None, "refused", "no_speech_tag"}
